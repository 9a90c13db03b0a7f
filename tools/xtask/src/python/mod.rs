//! `cargo xtask python` and `cargo xtask wheel`: the checks of the Python package.

mod checks;
mod venv;
mod wheel;

pub(crate) use checks::{PythonArguments, check};
pub(crate) use wheel::{WheelArguments, build_and_test};

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::workspace::workspace_root;

/// Returns the folder of the Python package.
fn package_folder() -> PathBuf {
    workspace_root().join("python")
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
