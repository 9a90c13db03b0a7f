//! `cargo xtask fuzz`: executions of the fuzz targets with libFuzzer, on a stable toolchain.
//!
//! Each target begins with the inputs in `fuzz/corpus`, which git tracks, and mutates them. A short
//! run therefore executes all code that earlier runs have reached.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{env, fs, io};

use anyhow::{Context as _, ensure};
use clap::Args;

use crate::workspace::{cargo, workspace_root};

/// The arguments of `cargo xtask fuzz`.
#[derive(Args)]
pub(crate) struct FuzzArguments {
    /// Only these targets [default: all]
    #[arg(value_name = "TARGET", value_parser = TARGETS.map(|target| target.name))]
    targets: Vec<String>,
    /// Run each target for this time instead of its number of executions, and add the inputs that
    /// reach new code to its corpus
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u32>,
}

/// A fuzz target.
struct Target {
    name: &'static str,
    /// The number of executions of a run without a time: those of some seconds.
    runs: u32,
    /// The maximum length of an input, in bytes.
    max_len: u32,
}

/// All targets. `fuzz/README.md` describes them.
const TARGETS: [Target; 14] = [
    target("position", 50_000, 400),
    target("play", 20_000, 400),
    target("record", 20_000, 1000),
    target("table_file", 1_000, 5000),
    target("packed_table", 1_000, 400),
    target("request", 1_000, 400),
    target("uki", 50_000, 400),
    target("kgp", 20_000, 1000),
    target("mankalah", 20_000, 1000),
    target("import", 20_000, 1000),
    target("certificate", 2_000, 2000),
    target("store", 1_000, 2000),
    target("journal", 20_000, 2000),
    target("openings", 20_000, 1000),
];

const fn target(name: &'static str, runs: u32, max_len: u32) -> Target {
    Target {
        name,
        runs,
        max_len,
    }
}

/// The flags of the compiler with which libFuzzer sees the code that an input reaches. They are
/// those of cargo-fuzz without a sanitizer.
const COVERAGE_FLAGS: [&str; 7] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Instrumentation of crates in parts lacks symbols that the linker needs.
    "-Ccodegen-units=1",
];

/// The seed of the mutations of a run without a time, so that the run can be repeated.
const SEED: u32 = 1;

/// The time in seconds after which an execution counts as hanging, also on a busy machine.
const TIMEOUT_SECONDS: u32 = 120;

/// Builds the targets and runs them one after the other.
///
/// # Errors
/// Returns an error if a target cannot be built or fails. The failing input is then in
/// `fuzz/artifacts`.
pub(crate) fn run(arguments: &FuzzArguments) -> anyhow::Result<()> {
    let programs = build()?;
    let is_selected = |name| {
        arguments.targets.is_empty() || arguments.targets.iter().any(|target| target == name)
    };
    for target in TARGETS.iter().filter(|target| is_selected(target.name)) {
        execute(target, &programs, arguments.seconds)?;
    }
    Ok(())
}

/// Builds all targets and returns the folder of their programs.
fn build() -> anyhow::Result<PathBuf> {
    let host = host()?;
    let status = cargo()
        .args(["build", "--manifest-path", "fuzz/Cargo.toml"])
        .args(["--target-dir", "target", "--target", &host])
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE_FLAGS.join("\u{1f}"))
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "the fuzz targets do not build: {status}");
    Ok(workspace_root().join("target").join(host).join("debug"))
}

/// Returns the build target of this machine. Flags of the compiler do not apply to build scripts
/// and procedural macros if the build names its target.
fn host() -> anyhow::Result<String> {
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("-vV")
        .output()
        .context("rustc could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc names no host")
}

/// Runs a target to its number of executions or for a time.
fn execute(target: &Target, programs: &Path, seconds: Option<u32>) -> anyhow::Result<()> {
    let name = target.name;
    let fuzz = workspace_root().join("fuzz");
    let artifacts = fuzz.join("artifacts").join(name);
    fs::create_dir_all(&artifacts)?;
    let mut command = Command::new(programs.join(name));
    command
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(format!("-max_len={}", target.max_len))
        .arg(format!("-timeout={TIMEOUT_SECONDS}"));
    let dictionary = fuzz.join(format!("{name}.dict"));
    if dictionary.exists() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    let corpus = fuzz.join("corpus").join(name);
    let status = match seconds {
        Some(seconds) => run_for(seconds, command.arg(corpus)),
        None => run_times(target.runs, &mut command, &corpus),
    };
    let status = status.with_context(|| format!("{name} could not be started"))?;
    ensure!(
        status.success(),
        "the fuzz target {name} failed ({status}); its input is in {}",
        artifacts.display()
    );
    eprintln!("fuzz: {name} has passed");
    Ok(())
}

/// Runs a target for a time. libFuzzer shows its progress, and adds inputs to the corpus.
fn run_for(seconds: u32, command: &mut Command) -> io::Result<ExitStatus> {
    command.arg(format!("-max_total_time={seconds}")).status()
}

/// Runs a target a number of times, and prints its output only if it fails. The corpus stays as it
/// is.
fn run_times(runs: u32, command: &mut Command, corpus: &Path) -> io::Result<ExitStatus> {
    // libFuzzer adds inputs to the first folder.
    let new_inputs = tempfile::tempdir()?;
    let output = command
        .arg(format!("-runs={runs}"))
        .arg(format!("-seed={SEED}"))
        .arg(new_inputs.path())
        .arg(corpus)
        .output()?;
    if !output.status.success() {
        io::stderr().write_all(&output.stderr)?;
    }
    Ok(output.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_targets_are_those_of_the_workflow_and_of_the_package() {
        let read = |path| fs::read_to_string(workspace_root().join(path)).unwrap();
        let (workflow, package) = (read(".github/workflows/ci.yml"), read("fuzz/Cargo.toml"));
        let listed = workflow
            .lines()
            .filter(|line| line.starts_with("          - "));
        let mut listed: Vec<&str> = listed
            .map(|line| line.trim_start_matches([' ', '-']))
            .collect();
        let mut names = TARGETS.map(|target| target.name);
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, names);
        assert_eq!(package.matches("[[bin]]").count(), names.len());
        for name in names {
            assert!(package.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }
}
