//! The workspace: its root folder and its cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of folders between this package and the root folder of the workspace.
const DEPTH: usize = 2;

/// The feature with which the program for the site is built.
const SITE_FEATURE: &str = "kalah-site/bindgen";

/// Returns the root folder of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(DEPTH);
    root.expect("the package is in tools/").to_owned()
}

/// Returns a call of the cargo that runs this program, in the root folder of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace_root());
    command
}

/// Returns a call of a cargo command for the workspace. All calls have the same features, so that
/// they share the crates.
pub(crate) fn workspace_call(command: &str, arguments: &[&str]) -> Command {
    let mut call = cargo();
    call.args([command, "--workspace", "--features", SITE_FEATURE])
        .args(arguments);
    call
}
