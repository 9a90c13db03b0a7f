//! `cargo network errors`: the errors of estimates against exact gains.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::ProgressBar;
use kalah::{Position, Rules, Setup};
use kalah_engine::{Engine, Limits};
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

/// The arguments of `cargo network errors`.
#[derive(Args)]
pub(crate) struct ErrorsArguments {
    /// The boards, such as 6x4; each must be solved within seconds after some plies
    #[arg(value_name = "MxN", default_values = ["6x4", "5x5"])]
    boards: Vec<String>,
    /// Random positions of each board, after 8 to 30 random plies under three rule sets
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: u32,
    /// Nodes of searches whose estimates are compared, beside that without search; may be repeated
    #[arg(long, value_name = "N", default_values_t = [1000, 10_000])]
    nodes: Vec<u64>,
    /// Print the errors by the seeds in play too, in ranges of this many seeds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    by_seeds: Option<u16>,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

const RULES: [Rules; 3] = [Rules::CS32, Rules::STANDARD, Rules::EMPTY_CAPTURE];

/// Memory of each engine in bytes.
const MEMORY_BYTES: usize = 256 << 20;

/// The time in which a position is solved, or else left out.
const MAX_SOLVING_TIME: Duration = Duration::from_mins(1);

/// The sums of errors in seeds.
#[derive(Default)]
struct Errors {
    positions: u32,
    sum: i64,
    sum_of_squares: i64,
}

impl Errors {
    fn add(&mut self, error: i32) {
        self.positions += 1;
        self.sum += i64::from(error);
        self.sum_of_squares += i64::from(error) * i64::from(error);
    }

    #[expect(clippy::cast_precision_loss, reason = "sums of small numbers")]
    fn describe(&self) -> String {
        let mean = |sum: i64| sum as f64 / f64::from(self.positions);
        let root_mean_square = mean(self.sum_of_squares).sqrt();
        format!("{root_mean_square:.2} | {:+.2}", mean(self.sum))
    }
}

/// The errors of all estimates of some positions.
struct EstimateErrors {
    zero: Errors,
    without_search: Errors,
    /// One for each number of nodes.
    searched: Vec<Errors>,
}

impl EstimateErrors {
    fn new(arguments: &ErrorsArguments) -> Self {
        Self {
            zero: Errors::default(),
            without_search: Errors::default(),
            searched: arguments.nodes.iter().map(|_| Errors::default()).collect(),
        }
    }

    /// Adds the errors of the estimates of one position.
    fn add(&mut self, gain: i32, without_search: i32, searched: &[i32]) {
        self.zero.add(-gain);
        self.without_search.add(without_search - gain);
        for (errors, estimate) in self.searched.iter_mut().zip(searched) {
            errors.add(estimate - gain);
        }
    }

    /// Prints a line for each estimate.
    fn print(&self, board: &str, seeds: &str, nodes: &[u64]) {
        let line = |name: &str, errors: &Errors| {
            let (positions, errors) = (errors.positions, errors.describe());
            println!("| {board} | {seeds} | {positions} | {name} | {errors} |");
        };
        line("0", &self.zero);
        line("without search", &self.without_search);
        for (errors, nodes) in self.searched.iter().zip(nodes) {
            line(&format!("{nodes} nodes"), errors);
        }
    }
}

/// Prints a table of the errors for each board.
pub(crate) fn run(arguments: &ErrorsArguments) -> anyhow::Result<()> {
    println!("| board | seeds in play | positions | estimate | root mean square | mean |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for board in &arguments.boards {
        print_errors(arguments, board)?;
    }
    Ok(())
}

fn print_errors(arguments: &ErrorsArguments, board: &str) -> anyhow::Result<()> {
    let start: Setup = board.parse()?;
    let mut random = Pcg64::seed_from_u64(arguments.seed);
    let mut all = EstimateErrors::new(arguments);
    let mut by_seeds: BTreeMap<u16, EstimateErrors> = BTreeMap::new();
    let mut solver = Engine::new().with_memory(MEMORY_BYTES);
    let bar = ProgressBar::new(arguments.positions.into());
    while all.zero.positions < arguments.positions {
        let position = random_position(&start, &mut random)?;
        let Some(gain) = exact_gain(&mut solver, &position) else {
            continue;
        };
        bar.inc(1);
        let without_search = solver.static_gain(&position).seeds();
        let searched = arguments.nodes.iter();
        let searched: Vec<_> = searched
            .map(|&nodes| searched_gain(&position, nodes))
            .collect();
        all.add(gain, without_search, &searched);
        if let Some(width) = arguments.by_seeds {
            let range = (position.seeds_in_play().get() - 1) / width;
            let errors = by_seeds.entry(range);
            let errors = errors.or_insert_with(|| EstimateErrors::new(arguments));
            errors.add(gain, without_search, &searched);
        }
    }
    bar.finish_and_clear();
    all.print(board, "all", &arguments.nodes);
    for (range, errors) in by_seeds {
        let width = arguments.by_seeds.unwrap_or_default();
        let seeds = format!("{} to {}", range * width + 1, (range + 1) * width);
        errors.print(board, &seeds, &arguments.nodes);
    }
    Ok(())
}

/// Returns a position after 8 to 30 random plies that is not over.
fn random_position(start: &Setup, random: &mut Pcg64) -> anyhow::Result<Position> {
    const MAX_TRIES: u32 = 1000;
    for _ in 0..MAX_TRIES {
        let rules = *RULES.choose(random).context("there are rules")?;
        let mut position = start.position(rules)?;
        for _ in 0..random.random_range(8..=30) {
            if let Some(mv) = position.legal_moves().choose(random) {
                position.play(mv)?;
            }
        }
        if !position.is_over() {
            return Ok(position);
        }
    }
    bail!("the games from {start} are over after 8 plies")
}

/// Returns the exact gain, unless it takes too long to prove.
fn exact_gain(solver: &mut Engine, position: &Position) -> Option<i32> {
    let origin = Instant::now();
    let limits = Limits {
        time: Some(MAX_SOLVING_TIME),
        ..Limits::default()
    };
    let report = solver.analyze(position, limits, &|| origin.elapsed());
    let is_exact = report.bounds.is_exact();
    is_exact.then(|| position.gain(report.bounds.lower).seeds())
}

/// Returns the estimate of a search without the results of others.
fn searched_gain(position: &Position, nodes: u64) -> i32 {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mut engine = Engine::new().with_memory(MEMORY_BYTES);
    let report = engine.analyze(position, limits, &|| Duration::ZERO);
    position.gain(report.raw_margin).seeds()
}
