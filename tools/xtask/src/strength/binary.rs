//! The `kalah` binaries that play: their copies, hashes and commits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};

use crate::workspace::{cargo, workspace_root};

/// The folder of all builds in the folder of build results.
const STRENGTH_DIR: &str = "strength";

/// The name of the program.
const PROGRAM: &str = if cfg!(windows) { "kalah.exe" } else { "kalah" };

/// The file with the commit of a build, in its folder.
const COMMIT_FILE: &str = "commit";

/// The digits of a hash that name a build.
const HASH_DIGITS: usize = 12;

/// A `kalah` binary that is measured.
pub(super) struct MeasuredBuild {
    /// The folder of its matches.
    pub(super) folder: PathBuf,
    /// The binary.
    pub(super) program: PathBuf,
    pub(super) identity: BinaryIdentity,
}

/// The hash and the commit of a `kalah` binary.
#[derive(Clone, Debug)]
pub(super) struct BinaryIdentity {
    /// The first digits of its SHA-256.
    pub(super) hash: String,
    /// The commit of its sources, with `-dirty` if they had changes; `None` if it was not built for
    /// `cargo xtask strength`.
    pub(super) commit: Option<String>,
}

impl MeasuredBuild {
    /// Compiles the sources with the profile `release`.
    pub(super) fn compile() -> anyhow::Result<Self> {
        let commit = commit()?;
        let status = cargo()
            .args(["build", "--release", "--package", "kalah-cli"])
            .status()
            .context("cargo could not be started")?;
        ensure!(status.success(), "the build has failed: {status}");
        let build = Self::copy(&target_dir()?.join("release").join(PROGRAM))?;
        let file = build.folder.join(COMMIT_FILE);
        // Commits that do not change the program keep its first commit.
        if !file.exists() {
            fs::write(&file, commit).with_context(|| file.display().to_string())?;
        }
        Self::copy(&build.program)
    }

    /// Copies a binary into the folder of its matches, unless it is there already.
    pub(super) fn copy(path: &Path) -> anyhow::Result<Self> {
        let identity = BinaryIdentity::read(path)?;
        let folder = build_folder(&identity.hash)?;
        let program = folder.join(PROGRAM);
        if !program.exists() {
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            let copy = folder.join(format!("{PROGRAM}.part"));
            fs::copy(path, &copy).with_context(|| format!("cannot copy {}", path.display()))?;
            fs::rename(&copy, &program).with_context(|| program.display().to_string())?;
        }
        Ok(Self {
            folder,
            program,
            identity,
        })
    }
}

impl BinaryIdentity {
    /// Reads the hash of a binary, and its commit if it was built for `cargo xtask strength`.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut hash = format!("{:x}", Sha256::digest(&bytes));
        hash.truncate(HASH_DIGITS);
        let commit = fs::read_to_string(build_folder(&hash)?.join(COMMIT_FILE)).ok();
        Ok(Self { hash, commit })
    }

    /// Returns the commit, or else the hash.
    pub(super) fn name(&self) -> String {
        let hash = || format!("kalah {}", self.hash);
        self.commit.clone().unwrap_or_else(hash)
    }
}

/// Returns the folder of the matches of the binary with this hash.
fn build_folder(hash: &str) -> anyhow::Result<PathBuf> {
    Ok(target_dir()?.join(STRENGTH_DIR).join(hash))
}

/// Returns the folder of build results.
fn target_dir() -> anyhow::Result<PathBuf> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .context("cargo could not be started")?;
    ensure!(output.status.success(), "cargo metadata has failed");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let path = metadata["target_directory"].as_str();
    Ok(path
        .context("cargo names no folder of build results")?
        .into())
}

/// Returns the commit of the sources, with `-dirty` if they have changes.
fn commit() -> anyhow::Result<String> {
    let output = Command::new("git")
        .args([
            "describe",
            "--always",
            "--dirty",
            "--abbrev=8",
            "--exclude=*",
        ])
        .current_dir(workspace_root())
        .output()
        .context("git could not be started")?;
    ensure!(output.status.success(), "git describe has failed");
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
