//! `cargo xtask ci`: everything that has to hold before a change lands, in the order in which a
//! failure is cheapest to see. `cargo xtask values`: the table of values in `data`. `cargo xtask proof-bench`: what
//! is proven within a time. `cargo xtask openings`: openings with proven margins. `cargo xtask site`: the page
//! with the engine in it.

#![forbid(unsafe_code)]

mod means;
mod openings;
mod site;
mod values;
mod within;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use clap::Parser;
use openings::OpeningsArguments;
use site::SiteArguments;
use values::ValuesArguments;
use within::ProofBenchArguments;

/// What a developer of this project types beside cargo.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum XtaskCommand {
    /// Check everything that has to hold before a change lands.
    Ci(CiArguments),
    /// Prove the margins of the starts that are missing in the table of values, and add them.
    Values(ValuesArguments),
    /// Measure how much of what play reaches is proven within a time, from cold.
    ProofBench(ProofBenchArguments),
    /// Print openings whose margins are proven, those nearest to even if not all are wanted.
    Openings(OpeningsArguments),
    /// Write the page with the engine as WebAssembly into target/site, for any file host.
    Site(SiteArguments),
}

/// What `cargo xtask ci` checks.
#[derive(clap::Args)]
struct CiArguments {
    /// Run the slow tests too, and fail those whose tools are missing, as .ci/run does.
    #[arg(long)]
    all: bool,
}

/// The target on which the libraries have to build too, for the browser.
const WASM_TARGET: &str = "wasm32-unknown-unknown";

fn main() -> anyhow::Result<()> {
    match XtaskCommand::parse() {
        XtaskCommand::Ci(arguments) => ci(&arguments),
        XtaskCommand::Values(arguments) => values::run(&arguments),
        XtaskCommand::ProofBench(arguments) => within::run(&arguments),
        XtaskCommand::Openings(arguments) => openings::run(&arguments),
        XtaskCommand::Site(arguments) => site::run(&arguments),
    }
}

fn ci(arguments: &CiArguments) -> anyhow::Result<()> {
    cargo("fmt --all --check")?;
    cargo("fmt --all --check --manifest-path fuzz/Cargo.toml")?;
    cargo("clippy --workspace --all-targets")?;
    cargo("clippy --manifest-path fuzz/Cargo.toml")?;
    cargo(&format!(
        "clippy --target {WASM_TARGET} --package kalah --package kalah-tables --package kalah-engine \
         --package kalah-protocols --package kalah-arena --package kalah-api --package kalah-wasm"
    ))?;
    cargo_with(
        "doc --workspace --no-deps",
        &[("RUSTDOCFLAGS", "--deny warnings")],
    )?;

    // The engine as a page has it, and what the tests of the page visit without a network.
    eprintln!("ci: cargo xtask site");
    site::run(&SiteArguments::default())?;
    site::test_engine()?;

    // The README's two commands.
    cargo("build --release")?;
    if arguments.all {
        cargo("test --workspace -- --include-ignored")?;
    } else {
        cargo("test --workspace")?;
    }

    // Each benchmark once, as a test: their counts are asserted.
    cargo(
        "bench --package kalah --package kalah-tables --package kalah-engine --benches -- --test",
    )?;
    eprintln!("ci: everything holds");
    Ok(())
}

/// Runs `cargo arguments` at the root of the workspace; arguments hold no blanks.
fn cargo(arguments: &str) -> anyhow::Result<()> {
    cargo_with(arguments, &[])
}

/// As [`cargo`], with more variables in the environment.
fn cargo_with(arguments: &str, variables: &[(&str, &str)]) -> anyhow::Result<()> {
    eprintln!("ci: cargo {arguments}");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments.split_whitespace())
        .envs(variables.iter().copied())
        .current_dir(workspace_root()?)
        .status()
        .with_context(|| format!("cargo {arguments} could not be started"))?;
    if !status.success() {
        bail!("cargo {arguments} failed: {status}");
    }
    Ok(())
}

/// The folder of the workspace.
fn workspace_root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .context("xtask is not in a workspace")
}
