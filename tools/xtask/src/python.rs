//! `cargo xtask python`: builds the wheel of the Python package, and checks and tests it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use crate::workspace::workspace_root;

/// The arguments of `cargo xtask python`.
#[derive(Args)]
pub(crate) struct PythonArguments {
    /// The profile of cargo for the wheel; users' wheels have `dist`
    #[arg(long, default_value = "dist")]
    profile: String,
}

/// The oldest Python that the package supports.
const MIN_PYTHON: &str = "3.11";
/// Exits with status 1 for an older Python.
const CHECK_VERSION: &str = "import sys; sys.exit(sys.version_info < (3, 11))";
/// Exits with status 1 where Debian's package of the virtual environments is missing.
const CHECK_VENV: &str = "import ensurepip, venv";

/// The files with the packages that the checks install, relative to `python/`.
const REQUIREMENTS: &str = "requirements-dev.txt";

/// The checks: each is a program of the virtual environment with its arguments.
const CHECKS: [&str; 6] = [
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "python -m mypy.stubtest kalah._kalah",
    "basedpyright --verifytypes kalah --ignoreexternal",
    // The tests of a file run in their order, because they share clusters and other fixtures.
    "pytest --numprocesses 2 --dist loadfile",
];

/// The checks of the workflows of GitHub. The tools read them without a network.
const WORKFLOW_CHECKS: [&str; 3] = [
    "actionlint",
    "check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/ci.yml .github/workflows/wheels.yml",
    "zizmor --offline --quiet .github/workflows",
];

/// The paths that the commands use.
struct Paths {
    root: PathBuf,
    /// The folder of the Python package.
    package: PathBuf,
    /// The virtual environment of the tools.
    venv: PathBuf,
    /// The virtual environment in which only the wheel is installed.
    wheel_venv: PathBuf,
    /// The folder of the wheel.
    wheels: PathBuf,
}

/// Builds the wheel, installs it, and runs the checks, those that usually fail fastest first.
///
/// # Errors
/// Returns an error if Python is missing or too old, or if a step fails.
pub(crate) fn run(arguments: &PythonArguments) -> anyhow::Result<()> {
    let root = workspace_root();
    let target = root.join("target");
    let paths = Paths {
        package: root.join("python"),
        venv: target.join("python-venv"),
        wheel_venv: target.join("python-wheel-venv"),
        wheels: target.join("python-wheels"),
        root,
    };
    let python = find_python()?;
    install_tools(&paths, &python)?;
    for check in WORKFLOW_CHECKS {
        run_tool(&paths, &paths.root, check)?;
    }
    let wheel = build_wheel(&paths, &arguments.profile)?;
    let pip = "-m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps";
    let mut install = Command::new(program(&paths.venv, "python"));
    execute(install.args(pip.split(' ')).arg(&wheel))?;
    for check in CHECKS {
        run_tool(&paths, &paths.package, check)?;
    }
    test_wheel_alone(&paths, &python, &wheel)?;
    eprintln!("python: all checks have passed");
    Ok(())
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

/// Creates the virtual environment of the tools, and installs their pinned versions.
fn install_tools(paths: &Paths, python: &OsString) -> anyhow::Result<()> {
    // A virtual environment whose interpreter was removed is created again.
    let interpreter = program(&paths.venv, "python");
    if !interpreter.exists() {
        create_venv(python, &paths.venv)?;
    }
    let install = "-m pip install --quiet --disable-pip-version-check --requirement";
    let mut command = Command::new(interpreter);
    execute(
        command
            .args(install.split(' '))
            .arg(paths.package.join(REQUIREMENTS)),
    )
}

/// Builds the wheel with maturin, and returns its path.
fn build_wheel(paths: &Paths, profile: &str) -> anyhow::Result<PathBuf> {
    // The folder has the new wheel only.
    if paths.wheels.exists() {
        fs::remove_dir_all(&paths.wheels)?;
    }
    let mut command = Command::new(program(&paths.venv, "maturin"));
    command
        .args(["build", "--locked", "--profile", profile, "--out"])
        .arg(&paths.wheels)
        .current_dir(&paths.package);
    execute(&mut command)?;
    let entry = fs::read_dir(&paths.wheels)?.next();
    let entry = entry.with_context(|| format!("no wheel in {}", paths.wheels.display()))??;
    Ok(entry.path())
}

/// Runs a program with the wheel in a new virtual environment without Rust in its `PATH`: the wheel
/// needs no Rust.
fn test_wheel_alone(paths: &Paths, python: &OsString, wheel: &Path) -> anyhow::Result<()> {
    if paths.wheel_venv.exists() {
        fs::remove_dir_all(&paths.wheel_venv)?;
    }
    create_venv(python, &paths.wheel_venv)?;
    let interpreter = program(&paths.wheel_venv, "python");
    let without_rust = || {
        let mut command = Command::new(&interpreter);
        command
            .env("PATH", paths.wheel_venv.join(BIN_FOLDER))
            .current_dir(&paths.wheels);
        command
    };
    // pip would build a package without a wheel, so it may use wheels only.
    let install = "-m pip install --quiet --disable-pip-version-check --only-binary :all:";
    execute(without_rust().args(install.split(' ')).arg(wheel))?;
    execute(without_rust().arg(paths.package.join("tests/wheel_smoke.py")))
}

fn create_venv(python: &OsString, folder: &Path) -> anyhow::Result<()> {
    execute(
        Command::new(python)
            .args(["-m", "venv", "--clear"])
            .arg(folder),
    )
}

/// Runs a program of the virtual environment in `folder`, with arguments that are separated by
/// spaces.
fn run_tool(paths: &Paths, folder: &Path, line: &str) -> anyhow::Result<()> {
    let mut words = line.split(' ');
    let tool = words.next().context("a check has the name of a program")?;
    let mut command = Command::new(program(&paths.venv, tool));
    execute(
        command
            .args(words)
            .current_dir(folder)
            .env("PATH", path_with(&paths.venv)?),
    )
}

/// Returns `PATH` with the programs of a virtual environment first: basedpyright examines the
/// packages of the first Python there.
fn path_with(venv: &Path) -> anyhow::Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [venv.join(BIN_FOLDER)].into_iter();
    Ok(env::join_paths(folders.chain(env::split_paths(&path)))?)
}

/// The folder of a virtual environment with its programs.
const BIN_FOLDER: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// Returns the path of a program of a virtual environment.
fn program(venv: &Path, name: &str) -> PathBuf {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    venv.join(BIN_FOLDER).join(file)
}

/// Prints a command, runs it, and fails if it fails.
fn execute(command: &mut Command) -> anyhow::Result<()> {
    let line: Vec<_> = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let line = line.join(" ");
    eprintln!("python: {line}");
    let status = command
        .status()
        .with_context(|| format!("{line} could not be started"))?;
    if !status.success() {
        bail!("{line} failed: {status}");
    }
    Ok(())
}
