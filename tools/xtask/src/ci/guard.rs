//! Guards: a step that takes long runs only if the files that it checks have changed since it
//! passed.
//!
//! `.ci/passed.txt` has a line for each guarded step: its name and a checksum of the files, the
//! locked versions and the toolchain with which it passed. A run that passes replaces the line, and
//! the commit of the change contains it. A clone of this commit then finds its files unchanged;
//! every other clone runs the step.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};

use super::steps::GUARDED_STEPS;
use crate::workspace::workspace_root;

/// The file with the checksums of the steps that have passed, relative to the root folder.
const PASSED_FILE: &str = ".ci/passed.txt";

/// The files on which all guarded steps depend: the versions of all packages, the profiles, and the
/// commands of the steps.
const COMMON_FILES: [&str; 5] = [
    ".cargo",
    ".ci/wasi.mjs",
    "Cargo.lock",
    "Cargo.toml",
    "tools/xtask/src/ci/steps.rs",
];

/// The inputs of a step.
pub(super) struct Guard {
    /// The files and folders that the step checks, relative to the root folder.
    pub(super) files: &'static [&'static str],
    pub(super) toolchain: Toolchain,
}

/// The toolchain that runs a step.
pub(super) enum Toolchain {
    /// The one that runs this program.
    Current,
    /// One whose name contains its version.
    Pinned(&'static str),
}

impl Guard {
    /// Returns whether the step has passed with the present files and toolchain.
    pub(super) fn has_passed(&self, step: &str) -> anyhow::Result<bool> {
        Ok(read_passed()?.get(step) == Some(&self.checksum()?))
    }

    /// Notes that the step has passed with the present files and toolchain.
    pub(super) fn write_passed(&self, step: &str) -> anyhow::Result<()> {
        let mut passed = read_passed()?;
        let checksum = self.checksum()?;
        if passed.insert(step.to_owned(), checksum.clone()) == Some(checksum) {
            return Ok(());
        }
        // Steps that no longer exist lose their lines.
        let lines = passed
            .iter()
            .filter(|(step, _)| GUARDED_STEPS.contains(&step.as_str()))
            .map(|(step, checksum)| format!("{step} {checksum}\n"));
        fs::write(passed_file(), lines.collect::<String>())
            .with_context(|| format!("{PASSED_FILE} could not be written"))?;
        eprintln!("ci: {PASSED_FILE} has changed: commit it with the change");
        Ok(())
    }

    /// Returns a checksum of the version of the toolchain and of the names and contents of the
    /// files.
    fn checksum(&self) -> anyhow::Result<String> {
        let mut hasher = Sha256::new();
        match self.toolchain {
            Toolchain::Current => hasher.update(output("rustc", &["-vV"])?),
            Toolchain::Pinned(name) => hasher.update(name),
        }
        // Files that git does not track yet belong to the change, too.
        let list = [
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
            "--",
        ]
        .iter()
        .chain(&COMMON_FILES);
        let list: Vec<&str> = list.chain(self.files).copied().collect();
        let names = String::from_utf8(output("git", &list)?).context("a file name is not UTF-8")?;
        for name in names.split_terminator('\0') {
            let path = workspace_root().join(name);
            // A file that was removed has no line in the checksum.
            if !path.exists() {
                continue;
            }
            let content = fs::read(&path).with_context(|| path.display().to_string())?;
            hasher.update(format!("{name} {}\n", content.len()));
            hasher.update(content);
        }
        Ok(format!("{:x}", hasher.finalize()))
    }
}

/// Returns the file with the checksums.
fn passed_file() -> PathBuf {
    workspace_root().join(PASSED_FILE)
}

/// Returns the checksums of the steps that have passed.
fn read_passed() -> anyhow::Result<BTreeMap<String, String>> {
    let path = passed_file();
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read_to_string(path)?;
    let pairs = text.lines().filter_map(|line| line.rsplit_once(' '));
    Ok(pairs
        .map(|(step, checksum)| (step.to_owned(), checksum.to_owned()))
        .collect())
}

/// Returns the standard output of a program in the root folder.
fn output(program: &str, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(workspace_root())
        .output()
        .with_context(|| format!("{program} could not be started"))?;
    ensure!(
        output.status.success(),
        "{program} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
