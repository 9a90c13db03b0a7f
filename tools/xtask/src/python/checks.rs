//! The checks and the tests of the Python package in the source tree, with the extension module of
//! the profile `dev`, and those of other programs in Python.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;

use anyhow::Context as _;
use clap::Args;

use super::venv::Venv;
use super::{execute, package_folder};
use crate::workspace::{cargo, workspace_call, workspace_root};

/// The arguments of `cargo xtask python`.
#[derive(Args)]
pub(crate) struct PythonArguments {
    /// Build all targets of the workspace for the extension module, as `cargo xtask ci` does, so
    /// that no crate is compiled twice
    #[arg(long)]
    workspace: bool,
}

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

/// The folder of the programs that train the evaluation network.
const NETWORK_FOLDER: &str = "tools/network/python";

/// The checks of these programs. They do without JAX, whose packages have hundreds of megabytes:
/// the tests are those of the files that the programs read and write.
const NETWORK_CHECKS: [&str; 4] = ["ruff check .", "ruff format --check .", "mypy", "pytest"];

/// The checks of the workflows of GitHub. The tools read them without a network.
const WORKFLOW_CHECKS: [&str; 3] = [
    "actionlint",
    "check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/ci.yml .github/workflows/wheels.yml",
    "zizmor --offline --quiet .github/workflows",
];

/// The file of the extension module in the package, which git ignores.
const EXTENSION_FILE: &str = if cfg!(windows) {
    "_kalah.pyd"
} else {
    "_kalah.abi3.so"
};

/// The file with which Python finds the package in the source tree.
const PATH_FILE: &str = "kalah.pth";

/// Builds the extension module and runs the checks, those that usually fail fastest first.
///
/// # Errors
/// Returns an error if Python is missing or too old, or if a step fails.
pub(crate) fn check(arguments: &PythonArguments) -> anyhow::Result<()> {
    let tools = Venv::of_tools()?;
    for check in WORKFLOW_CHECKS {
        tools.run(&workspace_root(), check)?;
    }
    for check in NETWORK_CHECKS {
        tools.run(&workspace_root().join(NETWORK_FOLDER), check)?;
    }
    build_extension(arguments)?;
    install_package(&tools)?;
    for check in CHECKS {
        tools.run(&package_folder(), check)?;
    }
    eprintln!("python: all checks have passed");
    Ok(())
}

/// Builds the extension module in the folder of this program.
fn build_extension(arguments: &PythonArguments) -> anyhow::Result<()> {
    let mut build = if arguments.workspace {
        workspace_call("build", &["--all-targets"])
    } else {
        let mut build = cargo();
        build.args(["build", "--package", "kalah-py"]);
        build
    };
    execute(&mut build)
}

/// Installs the package of the source tree with the extension module, as an editable install does.
fn install_package(tools: &Venv) -> anyhow::Result<()> {
    let program = env::current_exe().context("the path of this program is unknown")?;
    let library = program.with_file_name(format!("{DLL_PREFIX}kalah_py{DLL_SUFFIX}"));
    let source = package_folder().join("src");
    let extension = source.join("kalah").join(EXTENSION_FILE);
    // A program that still runs with the old file keeps it.
    if extension.exists() {
        fs::remove_file(&extension)?;
    }
    fs::copy(&library, extension).with_context(|| library.display().to_string())?;
    let path_file = tools.packages_folder()?.join(PATH_FILE);
    fs::write(path_file, format!("{}\n", source.display()))?;
    Ok(())
}
