//! `cargo xtask ci`: the checks that every change must pass.

use std::process::Command;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::environment::{WASM_TARGET, workspace_root};
use crate::site::{self, SiteArguments};
use crate::words::{self, WordsArguments};

/// The arguments of `cargo xtask ci`.
#[derive(Args)]
pub(crate) struct CiArguments {
    /// Run the slow tests, too, and fail the tests whose tools are missing, as .ci/run does
    #[arg(long)]
    all: bool,
}

/// Runs the checks, those that usually fail fastest first.
pub(crate) fn run(arguments: &CiArguments) -> anyhow::Result<()> {
    eprintln!("ci: cargo xtask words");
    words::run(&WordsArguments::default())?;
    cargo("fmt --all --check")?;
    cargo("fmt --all --check --manifest-path fuzz/Cargo.toml")?;
    cargo("clippy --workspace --all-targets")?;
    cargo("clippy --manifest-path fuzz/Cargo.toml")?;
    cargo(&format!(
        "clippy --target {WASM_TARGET} --package kalah --package kalah-tables --package kalah-engine \
         --package kalah-env --package kalah-protocols --package kalah-arena --package kalah-api --package kalah-wasm"
    ))?;
    cargo_with(
        "doc --workspace --no-deps",
        &[("RUSTDOCFLAGS", "--deny warnings")],
    )?;

    // The engine of the page, and the site that the tests of the page load without a network.
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

    // One run of each benchmark as a test, which asserts its counts.
    cargo(
        "bench --package kalah --package kalah-tables --package kalah-engine --package kalah-env --benches -- --test",
    )?;
    eprintln!("ci: all checks have passed");
    Ok(())
}

/// Runs cargo in the root of the workspace with arguments that are separated by spaces.
fn cargo(arguments: &str) -> anyhow::Result<()> {
    cargo_with(arguments, &[])
}

/// Runs cargo like [`cargo`], with additional environment variables.
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
