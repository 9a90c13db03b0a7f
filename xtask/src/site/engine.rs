use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use wasm_bindgen_cli_support::Bindgen;

use super::Files;
use crate::{WASM_TARGET, workspace_root};

/// The profile in Cargo.toml that the engine is built with for a site.
const PROFILE: &str = "site";

/// As every browser has it since 2023, and the tables want it.
const TARGET_FEATURE_FLAG: &str = "-Ctarget-feature=+simd128";

/// Where the engine lies in the site, and how its files are called there.
const FOLDER: &str = "wasm";
const LIBRARY_NAME: &str = "kalah_wasm";

/// What cargo says about the workspace, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

/// Where cargo puts what it builds.
pub(super) fn target_folder() -> anyhow::Result<PathBuf> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(workspace_root()?)
        .output()
        .context("cargo metadata could not be started")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        output.status
    );
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    Ok(metadata.target_directory)
}

/// The engine and what JavaScript calls it by, built anew.
///
/// The library that writes them is of the version of `wasm-bindgen` that wrote what it reads: Cargo.toml
/// has the same for both.
pub(super) fn files(target: &Path) -> anyhow::Result<Files> {
    build()?;
    let built = target.join(WASM_TARGET).join(PROFILE).join(LIBRARY_NAME);
    let folder = tempfile::tempdir()?;
    Bindgen::new()
        .input_path(built.with_extension("wasm"))
        .web(true)?
        .omit_default_module_path(false)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder.path())?;
    [
        format!("{LIBRARY_NAME}.js"),
        format!("{LIBRARY_NAME}_bg.wasm"),
    ]
    .into_iter()
    .map(|name| {
        let content = fs::read(folder.path().join(&name))
            .with_context(|| format!("wasm-bindgen has not written {name}"))?;
        Ok((format!("{FOLDER}/{name}"), content))
    })
    .collect()
}

fn build() -> anyhow::Result<()> {
    let root = workspace_root()?;
    // Names of files are in messages: they shall not tell where it was built.
    let flags = [
        OsString::from(TARGET_FEATURE_FLAG),
        remap(&root, "kalah"),
        remap(&cargo_home()?, "cargo"),
    ];
    let status = cargo()
        .args(["build", "--package", "kalah-wasm", "--lib"])
        .args(["--target", WASM_TARGET, "--profile", PROFILE])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}".as_ref()))
        .current_dir(root)
        .status()
        .context("cargo build could not be started")?;
    ensure!(status.success(), "the engine could not be built: {status}");
    Ok(())
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

/// Where cargo keeps sources of others.
fn cargo_home() -> anyhow::Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("cargo has no folder of its own")
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The version of a package in Cargo.lock.
    fn locked(name: &str) -> String {
        let lock = fs::read_to_string(workspace_root().unwrap().join("Cargo.lock")).unwrap();
        let (_, package) = lock
            .split_once(&format!("name = \"{name}\"\nversion = \""))
            .unwrap();
        package.split('"').next().unwrap().to_owned()
    }

    #[test]
    fn what_reads_is_of_the_version_that_has_written() {
        assert_eq!(locked("wasm-bindgen"), locked("wasm-bindgen-cli-support"));
    }
}
