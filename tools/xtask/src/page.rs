//! `cargo xtask page`: the bundle of the page, which is in the repository so that the program
//! builds without node.

use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace::workspace_root;

/// Runs the bundler, which `npm ci` in `web` installs.
pub(crate) fn write_bundle() -> anyhow::Result<()> {
    let web = workspace_root().join("web");
    ensure!(
        web.join("node_modules/esbuild").is_dir(),
        "the bundler is not installed: npm ci --prefix web"
    );
    let status = Command::new("npm")
        .args(["run", "--silent", "bundle"])
        .current_dir(web)
        .status()
        .context("npm could not be started")?;
    ensure!(status.success(), "npm run bundle failed: {status}");
    Ok(())
}
