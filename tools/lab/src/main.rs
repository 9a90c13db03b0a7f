//! Experiments with the engine, for the figures of the documents and of `data/`:
//! `cargo lab COMMAND`.

#![forbid(unsafe_code)]

mod level_costs;
mod openings;
mod proof_bench;
mod proof_tuner;
mod resources;
mod scale;
mod statistics;
mod values;

use clap::Parser;

use level_costs::LevelCostsArguments;
use openings::OpeningsArguments;
use proof_bench::ProofBenchArguments;
use proof_tuner::TunerArguments;
use scale::ScaleArguments;
use statistics::StatisticsArguments;
use values::ValuesArguments;

/// Experiments with the engine, for the figures of the documents and of `data/`.
#[derive(Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab")]
enum LabCommand {
    /// Prove the margins of the starts that are missing in the table of values, and add them
    Values(ValuesArguments),
    /// Measure how many positions of real games are proven within a time, with an empty cache
    ProofBench(ProofBenchArguments),
    /// Tune the weights of the expected work of new goals of proof-number search
    TuneProofs(TunerArguments),
    /// Simulate proofs on clusters of 1 to 4,096 workers
    Scale(ScaleArguments),
    /// Print openings with proven margins, optionally only the most balanced ones
    Openings(OpeningsArguments),
    /// Count the moves in the openings of games between strong computer players, for the page
    Statistics(StatisticsArguments),
    /// Measure how often the moves of each level cost nothing, few seeds or many
    LevelCosts(LevelCostsArguments),
}

fn main() -> anyhow::Result<()> {
    match LabCommand::parse() {
        LabCommand::Values(arguments) => values::run(&arguments),
        LabCommand::ProofBench(arguments) => proof_bench::run(&arguments),
        LabCommand::TuneProofs(arguments) => proof_tuner::run(&arguments),
        LabCommand::Scale(arguments) => scale::run(&arguments),
        LabCommand::Openings(arguments) => openings::run(&arguments),
        LabCommand::Statistics(arguments) => statistics::run(&arguments),
        LabCommand::LevelCosts(arguments) => level_costs::run(&arguments),
    }
}
