//! The making of the evaluation network of the engine: `cargo network COMMAND`.

#![forbid(unsafe_code)]

mod samples;

use clap::Parser;

use samples::SamplesArguments;

/// The making of the evaluation network of the engine.
#[derive(Parser)]
#[command(name = "cargo network", bin_name = "cargo network")]
enum NetworkCommand {
    /// Write positions of games of the engine against itself, from which its network learns
    Samples(SamplesArguments),
}

fn main() -> anyhow::Result<()> {
    match NetworkCommand::parse() {
        NetworkCommand::Samples(arguments) => samples::run(&arguments),
    }
}
