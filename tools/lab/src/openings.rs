//! `cargo lab openings`: openings with proven margins for `kalah-arena`.

use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::Context as _;
use bytesize::ByteSize;
use clap::Args;
use indicatif::ProgressBar;
use kalah::{Margin, Position, Rules, Side};
use kalah_arena::Openings;
use kalah_engine::{Engine, Limits};

use crate::resources::{thread_count_parser, threads_or_all, to_usize};

/// The arguments of `cargo lab openings`.
#[derive(Args)]
pub(crate) struct OpeningsArguments {
    /// Houses a side
    #[arg(long, value_name = "M", default_value_t = 6)]
    houses: u8,
    /// Seeds in each house at the start
    #[arg(long, value_name = "N", default_value_t = 4)]
    seeds: u64,
    /// The rules
    #[arg(long, value_name = "RULES", default_value = "cs32")]
    rules: Rules,
    /// Plies of each opening
    #[arg(long, value_name = "N", default_value_t = 4)]
    plies: usize,
    /// Number of random openings to prove [default: all openings]
    #[arg(long, value_name = "N")]
    prove: Option<NonZeroUsize>,
    /// Number of openings to keep, the most balanced ones [default: all]
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroUsize>,
    /// Seed of the random choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory for the search
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    memory: ByteSize,
    /// Threads for the search, at most 256 [default: those of the machine]
    #[arg(long, value_name = "N", value_parser = thread_count_parser())]
    threads: Option<u16>,
}

impl OpeningsArguments {
    /// Returns the command that prints the same list.
    fn command_line(&self) -> String {
        let number = |name, number: Option<NonZeroUsize>| {
            number.map_or_else(String::new, |number| format!(" --{name} {number}"))
        };
        format!(
            "cargo lab openings --houses {} --seeds {} --rules {} --plies {} --seed {}{}{}",
            self.houses,
            self.seeds,
            self.rules,
            self.plies,
            self.seed,
            number("prove", self.prove),
            number("keep", self.keep)
        )
    }
}

/// Prints the openings in the format of `data/openings`.
pub(crate) fn run(arguments: &OpeningsArguments) -> anyhow::Result<()> {
    let start = Position::start(arguments.houses, arguments.seeds, arguments.rules)
        .context("no such board")?;
    let openings = match arguments.prove {
        Some(number) => Openings::random(start, arguments.plies, number.get(), arguments.seed)?,
        None => Openings::enumerate(start, arguments.plies)?,
    };
    let bar = ProgressBar::new(openings.as_slice().len() as u64);
    // One engine for all openings, which share its tables and its transposition table.
    let mut engine = Engine::new()
        .with_memory(to_usize(arguments.memory))
        .with_threads(threads_or_all(arguments.threads));
    let proven = openings.with_proven_margins(|position| {
        bar.inc(1);
        prove(&mut engine, position)
    })?;
    bar.finish_and_clear();
    let kept = match arguments.keep {
        Some(number) => proven.balanced(number.get(), arguments.seed),
        None => proven,
    };
    println!("# Made by: {}", arguments.command_line());
    print!("{kept}");
    Ok(())
}

/// Returns the margin for South, or `None` if it is not proven.
fn prove(engine: &mut Engine, position: &Position) -> Option<Margin> {
    let origin = Instant::now();
    let report = engine.analyze(position, Limits::default(), &|| origin.elapsed());
    let bounds = report.bounds;
    bounds.is_exact().then(|| match position.to_move() {
        Side::South => bounds.lower,
        Side::North => -bounds.lower,
    })
}
