//! The wheel of the Python package, built and used as users do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use clap::Args;

use super::venv::Venv;
use super::{execute, package_folder};
use crate::workspace::workspace_root;

/// The arguments of `cargo xtask wheel`.
#[derive(Args)]
pub(crate) struct WheelArguments {
    /// The profile of cargo for the wheel; users' wheels have `dist`
    #[arg(long, default_value = "dist")]
    profile: String,
}

/// The program that uses the wheel, relative to the folder of the Python package.
const SMOKE_TEST: &str = "tests/wheel_smoke.py";

/// Builds the wheel, and runs a program with it.
///
/// # Errors
/// Returns an error if Python is missing or too old, or if a step fails.
pub(crate) fn build_and_test(arguments: &WheelArguments) -> anyhow::Result<()> {
    let folder = workspace_root().join("target").join("python-wheels");
    let wheel = build(&folder, &arguments.profile)?;
    test_alone(&wheel)?;
    eprintln!("python: {} has passed", wheel.display());
    Ok(())
}

/// Builds the wheel with maturin, and returns its path.
fn build(folder: &Path, profile: &str) -> anyhow::Result<PathBuf> {
    // The folder has the new wheel only.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut command = Command::new(Venv::of_tools()?.program("maturin"));
    command
        .args(["build", "--locked", "--profile", profile, "--out"])
        .arg(folder)
        .current_dir(package_folder());
    execute(&mut command)?;
    let entry = fs::read_dir(folder)?.next();
    let entry = entry.with_context(|| format!("no wheel in {}", folder.display()))??;
    Ok(entry.path())
}

/// Runs a program with the wheel in a new virtual environment without Rust in its `PATH`: the wheel
/// needs no Rust.
fn test_alone(wheel: &Path) -> anyhow::Result<()> {
    let venv = Venv::create(workspace_root().join("target").join("python-wheel-venv"))?;
    let python = || {
        let mut command = Command::new(venv.program("python"));
        command.env("PATH", venv.bin_folder());
        command
    };
    // pip would build a package without a wheel, so it may use wheels only.
    let install = "-m pip install --quiet --disable-pip-version-check --only-binary :all:";
    execute(python().args(install.split(' ')).arg(wheel))?;
    execute(python().arg(package_folder().join(SMOKE_TEST)))
}
