//! The root folder of the workspace, and the build target for the browser.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The build target for the browser.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Returns the root folder of the workspace.
pub(crate) fn workspace_root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .context("xtask is not in a workspace")
}
