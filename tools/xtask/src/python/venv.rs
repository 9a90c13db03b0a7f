//! Virtual environments of Python.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::{execute, package_folder};
use crate::workspace::workspace_root;

/// The oldest Python that the package supports.
const MIN_PYTHON: &str = "3.11";
/// Exits with status 1 for an older Python.
const CHECK_VERSION: &str = "import sys; sys.exit(sys.version_info < (3, 11))";
/// Exits with status 1 where Debian's package of the virtual environments is missing.
const CHECK_VENV: &str = "import ensurepip, venv";
/// Prints the folder of the packages of a virtual environment.
const PRINT_PACKAGES: &str = "import sysconfig; print(sysconfig.get_path('purelib'))";

/// The file with the packages of the tools, relative to the folder of the Python package.
const REQUIREMENTS: &str = "requirements-dev.txt";

/// The folder of a virtual environment with its programs.
const BIN_FOLDER: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// A virtual environment of Python.
pub(super) struct Venv(PathBuf);

impl Venv {
    /// Creates an empty virtual environment, also where there was one.
    pub(super) fn create(folder: PathBuf) -> anyhow::Result<Self> {
        let mut command = Command::new(find_python()?);
        execute(command.args(["-m", "venv", "--clear"]).arg(&folder))?;
        Ok(Self(folder))
    }

    /// Returns the virtual environment with the pinned versions of the tools, and installs what is
    /// missing.
    pub(super) fn of_tools() -> anyhow::Result<Self> {
        let folder = workspace_root().join("target").join("python-tools");
        let mut venv = Self(folder);
        // A virtual environment whose interpreter was removed is created again.
        if !venv.program("python").exists() {
            venv = Self::create(venv.0)?;
        }
        let requirements = package_folder().join(REQUIREMENTS);
        let arguments = "-m pip install --quiet --disable-pip-version-check --requirement";
        let mut install = Command::new(venv.program("python"));
        execute(install.args(arguments.split(' ')).arg(requirements))?;
        Ok(venv)
    }

    /// Returns the path of a program.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        self.bin_folder().join(file)
    }

    /// Returns the folder of the programs.
    pub(super) fn bin_folder(&self) -> PathBuf {
        self.0.join(BIN_FOLDER)
    }

    /// Returns the folder of the installed packages.
    pub(super) fn packages_folder(&self) -> anyhow::Result<PathBuf> {
        let output = Command::new(self.program("python"))
            .args(["-c", PRINT_PACKAGES])
            .output()
            .context("python could not be started")?;
        ensure!(output.status.success(), "python failed: {}", output.status);
        Ok(String::from_utf8(output.stdout)?.trim_end().into())
    }

    /// Runs a program in `folder`, with arguments that are separated by spaces.
    pub(super) fn run(&self, folder: &Path, line: &str) -> anyhow::Result<()> {
        let mut words = line.split(' ');
        let name = words.next().context("a line has the name of a program")?;
        let mut command = Command::new(self.program(name));
        command.args(words).current_dir(folder);
        execute(command.env("PATH", self.path()?))
    }

    /// Returns `PATH` with the programs of the virtual environment first: basedpyright examines the
    /// packages of the first Python there.
    fn path(&self) -> anyhow::Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [self.bin_folder()].into_iter();
        Ok(env::join_paths(folders.chain(env::split_paths(&path)))?)
    }
}

/// Returns the command of a Python that can create virtual environments.
fn find_python() -> anyhow::Result<OsString> {
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let name = python.to_string_lossy().into_owned();
    let succeeds = |code| {
        let output = Command::new(&python).args(["-c", code]).output();
        output.map(|output| output.status.success())
    };
    let is_new_enough = succeeds(CHECK_VERSION).with_context(|| {
        format!("{name} could not be started: install Python {MIN_PYTHON} or newer, or set PYTHON")
    })?;
    ensure!(
        is_new_enough,
        "{name} is too old: install Python {MIN_PYTHON} or newer, or set PYTHON to its path"
    );
    ensure!(
        succeeds(CHECK_VENV)?,
        "{name} cannot create virtual environments: on Debian, install the package python3-venv"
    );
    Ok(python)
}
