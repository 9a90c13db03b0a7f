//! The developer commands of this repository: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod ci;
mod fuzz;
mod page;
mod python;
mod strength;
mod words;
mod workspace;

use std::ffi::OsString;
use std::process;

use anyhow::Context as _;
use clap::Parser;

use ci::CiArguments;
use fuzz::FuzzArguments;
use python::{PythonArguments, WheelArguments};
use strength::StrengthArguments;
use words::WordsArguments;
use workspace::cargo;

/// Developer commands of this repository, beside those of cargo.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum XtaskCommand {
    /// Run all checks that a change must pass
    Ci(CiArguments),
    /// Execute the fuzz targets, beginning with their committed inputs
    Fuzz(FuzzArguments),
    /// Write the bundle of the page in web/bundle again, after a change of its modules or styles
    Page,
    /// Write the page with the engine as WebAssembly into target/site, for any file host
    #[command(disable_help_flag = true)]
    Site {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        arguments: Vec<OsString>,
    },
    /// Check and test the Python package
    Python(PythonArguments),
    /// Build the wheel of the Python package, and run a program with it
    Wheel(WheelArguments),
    /// Measure the strength of the current build in matches against other programs
    Strength(Box<StrengthArguments>),
    /// Find words and names that the text of this repository does not use
    Words(WordsArguments),
}

fn main() -> anyhow::Result<()> {
    match XtaskCommand::parse() {
        XtaskCommand::Ci(arguments) => ci::run(&arguments),
        XtaskCommand::Fuzz(arguments) => fuzz::run(&arguments),
        XtaskCommand::Page => page::write_bundle(),
        XtaskCommand::Site { arguments } => write_site(&arguments),
        XtaskCommand::Python(arguments) => python::check(&arguments),
        XtaskCommand::Wheel(arguments) => python::build_and_test(&arguments),
        XtaskCommand::Strength(arguments) => strength::run(&arguments),
        XtaskCommand::Words(arguments) => words::run(&arguments),
    }
}

/// Runs the program in `tools/site`, whose library for WebAssembly takes too long to build for the
/// other commands.
fn write_site(arguments: &[OsString]) -> anyhow::Result<()> {
    let status = cargo()
        .args(["run", "--quiet", "--package", "kalah-site"])
        .args(["--features", "bindgen", "--"])
        .args(arguments)
        .status()
        .context("cargo could not be started")?;
    // The program has printed its error.
    if !status.success() {
        process::exit(status.code().unwrap_or(1));
    }
    Ok(())
}
