//! The making of the evaluation network of the engine: `cargo network COMMAND`.

#![forbid(unsafe_code)]

mod chances;
mod errors;
mod make;
mod samples;

use clap::Parser;

use chances::ChancesArguments;
use errors::ErrorsArguments;
use make::MakeArguments;
use samples::SamplesArguments;

/// The making of the evaluation network of the engine.
#[derive(Parser)]
#[command(name = "cargo network", bin_name = "cargo network")]
enum NetworkCommand {
    /// Make the network of the repository from nothing, in three rounds of games and training
    Make(MakeArguments),
    /// Print the errors of estimates against exact gains of random positions
    Errors(ErrorsArguments),
    /// Fit the probabilities of results to games of the engine against itself
    Chances(ChancesArguments),
    /// Write positions of games of the engine against itself, from which its network learns
    Samples(SamplesArguments),
}

fn main() -> anyhow::Result<()> {
    match NetworkCommand::parse() {
        NetworkCommand::Make(arguments) => make::run(&arguments),
        NetworkCommand::Errors(arguments) => errors::run(&arguments),
        NetworkCommand::Chances(arguments) => {
            chances::run(&arguments);
            Ok(())
        }
        NetworkCommand::Samples(arguments) => samples::run(&arguments),
    }
}
