//! The steps of each job.

use std::path::Path;
use std::process::Command;

use super::guard::{Guard, Toolchain};
use super::runner::CiStep;
use super::{CiJob, Extent};
use crate::workspace::{cargo, workspace_call, workspace_root};

/// The variable with which the slow tests of all languages run in full.
const ALL_TESTS_VARIABLE: &str = "KALAH_ALL_TESTS";

/// The build target for browsers.
const BROWSER_TARGET: &str = "wasm32-unknown-unknown";

/// The build target for WebAssembly with a system interface, on which tests run.
const WASI_TARGET: &str = "wasm32-wasip1";

/// The packages that build for browsers with their default features. `kalah-kgp` builds without
/// them.
const BROWSER_PACKAGES: &[&str] = &[
    "kalah",
    "kalah-board",
    "kalah-tables",
    "kalah-engine",
    "kalah-env",
    "kalah-import",
    "kalah-uki",
    "kalah-mankalah",
    "kalah-open-spiel",
    "kalah-arena",
    "kalah-pairing",
    "kalah-api",
    "kalah-wasm",
];

/// The benchmarks that assert counts.
const BENCHES: [&str; 4] = ["game", "random_plies", "search", "tables"];

/// The steps with a guard.
pub(super) const GUARDED_STEPS: [&str; 4] = ["miri", "proofs", "tables-wasi", "wheel"];

/// The toolchain of Miri. A new nightly toolchain each day would stop unrelated changes.
const NIGHTLY: &str = "nightly-2026-05-20";

/// The crates of the tables and of the packed boards, whose code is tested as WebAssembly and under
/// Miri, and the crate that both use.
const TABLE_AND_BOARD_FILES: &[&str] = &[
    "crates/core/kalah",
    "crates/core/board",
    "crates/core/tables",
];

/// The tests of that code of the tables, as filters of test names.
const TABLE_TESTS: [&str; 2] = ["lanes", "rank_map"];

/// The long tests of searches, proofs and their players, as parts of test names.
const PROOF_TESTS: &[&str] = &[
    "_beats_level_",
    "engine_proves_the_margins_of_all_lists",
    "match_the_naive_reference",
    "prove_the_naive_margins",
    "released_proofs_",
    "search_ends_although_marks",
    "smart_beats_",
    "snapshots_never_contradict",
    "stopped_search_resumes",
];

/// The files on which these tests depend.
const PROOF_FILES: &[&str] = &[
    "crates/core",
    "crates/play/arena",
    "data",
    "crates/testing/test-tools",
];

/// The files that decide how the wheel is built. `cargo build` and the tests of the package have
/// compiled its sources.
const WHEEL_FILES: &[&str] = &["crates/fronts/py", "python", "tools/xtask/src/python"];

/// The profile of the wheel: that of the tests, so that they share some crates.
const WHEEL_PROFILE: &str = "dev";

/// Returns the steps of a job, those that usually fail fastest first. `xtask` is this program.
pub(super) fn steps(job: CiJob, extent: Extent, xtask: &Path) -> Vec<CiStep> {
    match job {
        CiJob::Lint => lint_steps(xtask),
        CiJob::Test => test_steps(extent, xtask),
        CiJob::Python => python_steps(extent, xtask),
        CiJob::Fuzz => vec![step("fuzz", [program(xtask, "fuzz")])],
        // The default build and the README of the library for C++ in one call, with one set of
        // features.
        CiJob::Release => vec![step(
            "release",
            [cargo_call(
                "build --release --package kalah-cli --package kalah-capi",
            )],
        )],
        CiJob::Tables => table_steps(),
    }
}

fn lint_steps(xtask: &Path) -> Vec<CiStep> {
    let mut doc = cargo_call("doc --workspace --no-deps");
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    let mut browser = cargo_call("clippy --target");
    browser.arg(BROWSER_TARGET).args(packages(BROWSER_PACKAGES));
    let mut kgp = cargo_call("clippy --package kalah-kgp --no-default-features --target");
    kgp.arg(BROWSER_TARGET);
    vec![
        step("words", [program(xtask, "words")]),
        step(
            "format",
            [
                cargo_call("fmt --all --check"),
                cargo_call("fmt --all --check --manifest-path fuzz/Cargo.toml"),
            ],
        ),
        step("clippy", [workspace_call("clippy", &["--all-targets"])]),
        // The same folder for both workspaces, so that the crates are checked once.
        step(
            "clippy of the fuzz targets",
            [cargo_call(
                "clippy --manifest-path fuzz/Cargo.toml --target-dir target",
            )],
        ),
        step("clippy for browsers", [browser, kgp]),
        step("documentation", [doc]),
    ]
}

/// Cargo resolves features for the packages and targets that a command selects. The first command
/// builds all targets of the workspace, so that the others build no crate again.
fn test_steps(extent: Extent, xtask: &Path) -> Vec<CiStep> {
    let mut site = Command::new(xtask.with_file_name("kalah-site"));
    site.current_dir(workspace_root());
    let mut engine = Command::new("node");
    engine.args(["--test", "crates/app/wasm/tests/wasm.mjs"]);
    engine.env("KALAH", xtask.with_file_name("kalah"));
    engine.current_dir(workspace_root());
    let benches: Vec<_> = (BENCHES.iter())
        .flat_map(|name| ["--bench", name])
        .collect();
    let mut steps = vec![
        step(
            "build of all targets",
            [workspace_call("build", &["--all-targets"])],
        ),
        step("site", [site, engine]),
    ];
    if extent >= Extent::Slow {
        let skipped: Vec<_> = (PROOF_TESTS.iter())
            .flat_map(|name| ["--skip", name])
            .collect();
        steps.push(step("tests", [slow_tests(&skipped)]));
        steps.push(CiStep {
            name: "proofs",
            commands: vec![slow_tests(PROOF_TESTS)],
            guard: Some(Guard {
                files: PROOF_FILES,
                toolchain: Toolchain::Current,
            }),
        });
    } else {
        steps.push(step("tests", [workspace_call("test", &["--no-fail-fast"])]));
    }
    steps.push(step(
        "counts of the benchmarks",
        [workspace_call("test", &benches)],
    ));
    steps
}

/// Returns a call of all tests in full that a filter selects. One run reports every failed test.
fn slow_tests(filter: &[&str]) -> Command {
    let mut tests = workspace_call("test", &["--no-fail-fast", "--", "--include-ignored"]);
    tests.args(filter).env(ALL_TESTS_VARIABLE, "1");
    tests
}

fn python_steps(extent: Extent, xtask: &Path) -> Vec<CiStep> {
    let mut package = program(xtask, "python");
    package.arg("--workspace");
    if extent >= Extent::Slow {
        package.env(ALL_TESTS_VARIABLE, "1");
    }
    let mut wheel = program(xtask, "wheel");
    wheel.args(["--profile", WHEEL_PROFILE]);
    vec![
        step("python", [package]),
        CiStep {
            name: "wheel",
            commands: vec![wheel],
            guard: Some(Guard {
                files: WHEEL_FILES,
                toolchain: Toolchain::Current,
            }),
        },
    ]
}

fn table_steps() -> Vec<CiStep> {
    let root = workspace_root();
    let runner = format!("node --no-warnings {}", root.join(".ci/wasi.mjs").display());
    let mut wasi = cargo_call("test --package kalah-tables --lib --target");
    wasi.arg(WASI_TARGET)
        .arg("--")
        .args(TABLE_TESTS)
        .env("CARGO_TARGET_WASM32_WASIP1_RUNNER", runner)
        .env("RUSTFLAGS", "-Ctarget-feature=+simd128");
    let miri = |package, tests: &[&str]| {
        let mut miri = rustup(&["run", NIGHTLY, "cargo", "miri", "test", "--lib"]);
        miri.args(["--package", package, "--"])
            .args(tests)
            // proptest reads the path of the test file.
            .env("MIRIFLAGS", "-Zmiri-disable-isolation");
        miri
    };
    let guarded = |name, commands, toolchain| CiStep {
        name,
        commands,
        guard: Some(Guard {
            files: TABLE_AND_BOARD_FILES,
            toolchain,
        }),
    };
    let install_nightly = [
        "toolchain",
        "install",
        NIGHTLY,
        "--profile",
        "minimal",
        "--component",
        "miri,rust-src",
    ];
    vec![
        guarded(
            "tables-wasi",
            vec![rustup(&["target", "add", WASI_TARGET]), wasi],
            Toolchain::Current,
        ),
        guarded(
            "miri",
            vec![
                rustup(&install_nightly),
                miri("kalah-board", &[]),
                miri("kalah-tables", &TABLE_TESTS),
            ],
            Toolchain::Pinned(NIGHTLY),
        ),
    ]
}

fn step<const N: usize>(name: &'static str, commands: [Command; N]) -> CiStep {
    CiStep {
        name,
        commands: commands.into(),
        guard: None,
    }
}

/// Returns a call of cargo with arguments that are separated by spaces.
fn cargo_call(arguments: &str) -> Command {
    let mut command = cargo();
    command.args(arguments.split(' '));
    command
}

/// Returns a call of a program with an argument.
fn program(path: &Path, argument: &str) -> Command {
    let mut command = Command::new(path);
    command.arg(argument).current_dir(workspace_root());
    command
}

fn rustup(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(arguments).current_dir(workspace_root());
    command
}

/// Returns the arguments that select packages.
fn packages<'a>(names: &[&'a str]) -> impl Iterator<Item = &'a str> {
    names.iter().flat_map(|&name| ["--package", name])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::ValueEnum as _;

    use super::*;

    /// Returns the text of all Rust files below a path.
    fn rust_text(path: &Path) -> String {
        if path.is_dir() {
            let entries = fs::read_dir(path).unwrap();
            entries
                .map(|entry| rust_text(&entry.unwrap().path()))
                .collect()
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            fs::read_to_string(path).unwrap()
        } else {
            String::new()
        }
    }

    #[test]
    fn guarded_steps_are_those_with_a_guard() {
        let steps = (CiJob::value_variants().iter())
            .flat_map(|&job| steps(job, Extent::All, Path::new("xtask")));
        let mut names: Vec<_> = steps
            .filter(|step| step.guard.is_some())
            .map(|step| step.name)
            .collect();
        names.sort_unstable();
        assert_eq!(names, GUARDED_STEPS);
    }

    #[test]
    fn guarded_tests_of_proofs_are_in_the_guarded_files() {
        let text: String = (PROOF_FILES.iter())
            .map(|path| rust_text(&workspace_root().join(path)))
            .collect();
        for name in PROOF_TESTS {
            assert!(text.contains(name), "{name}");
        }
    }
}
