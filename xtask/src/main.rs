//! The developer commands of this repository: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod ci;
mod environment;
mod openings;
mod proof_bench;
mod python;
mod scale;
mod site;
mod values;
mod words;

use clap::Parser;

use ci::CiArguments;
use openings::OpeningsArguments;
use proof_bench::ProofBenchArguments;
use python::PythonArguments;
use scale::ScaleArguments;
use site::SiteArguments;
use values::ValuesArguments;
use words::WordsArguments;

/// Developer commands of this repository, beside those of cargo.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum XtaskCommand {
    /// Run all checks that a change must pass
    Ci(CiArguments),
    /// Prove the margins of the starts that are missing in the table of values, and add them
    Values(ValuesArguments),
    /// Measure how many positions of real games are proven within a time, with an empty cache
    ProofBench(ProofBenchArguments),
    /// Simulate proofs on clusters of 1 to 4,096 workers
    Scale(ScaleArguments),
    /// Print openings with proven margins, optionally only the most balanced ones
    Openings(OpeningsArguments),
    /// Write the page with the engine as WebAssembly into target/site, for any file host
    Site(SiteArguments),
    /// Build the wheel of the Python package, and check and test it
    Python(PythonArguments),
    /// Find words and names that the text of this repository does not use
    Words(WordsArguments),
}

fn main() -> anyhow::Result<()> {
    match XtaskCommand::parse() {
        XtaskCommand::Ci(arguments) => ci::run(&arguments),
        XtaskCommand::Values(arguments) => values::run(&arguments),
        XtaskCommand::ProofBench(arguments) => proof_bench::run(&arguments),
        XtaskCommand::Scale(arguments) => scale::run(&arguments),
        XtaskCommand::Openings(arguments) => openings::run(&arguments),
        XtaskCommand::Site(arguments) => site::run(&arguments),
        XtaskCommand::Python(arguments) => python::run(&arguments),
        XtaskCommand::Words(arguments) => words::run(&arguments),
    }
}
