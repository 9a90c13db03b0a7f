//! The workspace: its root folder and its cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of folders between this package and the root folder of the workspace.
const DEPTH: usize = 2;

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
