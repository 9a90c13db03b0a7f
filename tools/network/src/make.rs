//! `cargo network make`: makes the network of the repository from nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::samples::{self, SamplesArguments};

/// The arguments of `cargo network make`.
#[derive(Args)]
pub(crate) struct MakeArguments {
    /// The folder of the samples and of the networks of all rounds. The same command goes on after
    /// an interruption
    #[arg(long, value_name = "DIR", default_value = "target/network")]
    folder: PathBuf,
    /// A Python with the packages of `tools/network/python/requirements.txt`
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Threads of the games, at most 256 [default: those of the machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Games of the engine with the network of the round before, and the training on their samples.
struct TrainingRound {
    kilogames: u64,
    /// Nodes of the search of each position.
    nodes: u64,
    /// Steps of the training.
    steps: u64,
}

/// The first round plays with a network whose estimate is always 0.
const ROUNDS: [TrainingRound; 3] = [
    TrainingRound {
        kilogames: 12,
        nodes: 300,
        steps: 3000,
    },
    TrainingRound {
        kilogames: 16,
        nodes: 500,
        steps: 4000,
    },
    TrainingRound {
        kilogames: 48,
        nodes: 1000,
        steps: 12_000,
    },
];

/// Samples of a step of the training.
const BATCH: &str = "8192";

const TRAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/train.py");

/// Makes the networks of all rounds and says where the last one is.
pub(crate) fn run(arguments: &MakeArguments) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut network = folder.join("zero.network");
    if !network.exists() {
        train(&arguments.python, &network, &[])?;
    }
    for (number, round) in ROUNDS.iter().enumerate() {
        network = make_round(arguments, number, round, &network)?;
    }
    println!("{}", network.display());
    Ok(())
}

/// Plays the games of a round, unless they are complete, and returns the network that is trained
/// with their samples.
fn make_round(
    arguments: &MakeArguments,
    number: usize,
    round: &TrainingRound,
    before: &Path,
) -> anyhow::Result<PathBuf> {
    let network = arguments.folder.join(format!("round-{number}.network"));
    if network.exists() {
        return Ok(network);
    }
    let seed = number as u64 + 1;
    let samples = arguments.folder.join(format!("round-{number}"));
    let &TrainingRound {
        kilogames,
        nodes,
        steps,
    } = round;
    eprintln!("round {number}: {kilogames},000 games with {nodes} nodes for each position");
    samples::run(&SamplesArguments {
        out: samples.clone(),
        kilogames,
        nodes,
        seed,
        network: Some(before.to_owned()),
        threads: arguments.threads,
    })?;
    let description =
        format!("round {number}: {kilogames} kilogames at {nodes} nodes, seed {seed}");
    let (samples, steps) = (samples.display().to_string(), steps.to_string());
    let options = [
        ["--samples", &samples],
        ["--description", &description],
        ["--steps", &steps],
        ["--batch", BATCH],
    ];
    train(&arguments.python, &network, options.as_flattened())?;
    Ok(network)
}

/// Runs the program that trains a network. Without options the estimate of the network is always 0.
fn train(python: &Path, network: &Path, options: &[&str]) -> anyhow::Result<()> {
    // A training that is interrupted leaves no file under the name of its network.
    let unfinished = network.with_extension("unfinished");
    let status = Command::new(python)
        .arg(TRAIN)
        .arg("--out")
        .arg(&unfinished)
        .args(options)
        .status()
        .with_context(|| format!("cannot start {}", python.display()))?;
    if !status.success() {
        bail!(
            "the training failed: {} needs the packages of tools/network/python/requirements.txt",
            python.display()
        );
    }
    fs::rename(&unfinished, network).with_context(|| format!("cannot create {}", network.display()))
}
