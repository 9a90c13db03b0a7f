//! `cargo lab proof-bench`: measures how many positions of real games are proven within a time,
//! each with a new engine.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use kalah::{Player, Position, Rules, SetupError, Side};
use kalah_engine::{
    AnalysisGoal, Bounds, Certainty, Engine, Estimates, LevelNumber, LevelPlayer, Limits,
    RandomPlayer, Report,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::resources::{thread_count_parser, threads_or_all, to_usize};

/// The arguments of `cargo lab proof-bench`.
#[derive(Args)]
pub(crate) struct ProofBenchArguments {
    /// Time for each position
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    time: Duration,
    /// Rule sets, each a preset's name
    #[arg(long, value_name = "RULES", default_values = ["cs32", "standard"], value_delimiter = ',')]
    rules: Vec<Rules>,
    /// Houses a side
    #[arg(long, value_name = "HOUSES", default_value_t = 6)]
    houses: u8,
    /// Seeds in each house at the start
    #[arg(long, value_name = "SEEDS", default_value_t = 4)]
    seeds: u64,
    /// Positions of each rule set
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    positions: usize,
    /// Threads, at most 256 [default: those of the machine]
    #[arg(long, value_name = "COUNT", value_parser = thread_count_parser())]
    threads: Option<u16>,
    /// Moves that the analysis estimates: `best` as for a player, `all` as for a display
    #[arg(long, value_name = "MOVES", default_value = "all")]
    estimates: EstimatesArg,
    /// Memory of the engine; the default is that of `kalah` on a machine of at least 4 GiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    memory: ByteSize,
}

/// The value of `--estimates`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EstimatesArg {
    Best,
    All,
}

impl From<EstimatesArg> for Estimates {
    fn from(argument: EstimatesArg) -> Self {
        match argument {
            EstimatesArg::Best => Self::BestMove,
            EstimatesArg::All => Self::AllMoves,
        }
    }
}

/// The time after which each milestone was proven for a position, if it was.
struct ProofBenchResult {
    position: Position,
    report: Report,
    proven_after: [Option<Duration>; MILESTONES.len()],
}

/// The degrees of proof, from the weakest to the strongest.
const MILESTONES: [Milestone; 3] = [
    Milestone {
        name: "best",
        is_proven: |report| report.certainty == Certainty::Exact,
    },
    Milestone {
        name: "ties",
        is_proven: |report| {
            let margin = report.margin();
            let decided = |bounds: &Bounds| bounds.lower == margin || bounds.upper < margin;
            report.certainty == Certainty::Exact
                && report
                    .moves
                    .iter()
                    .all(|candidate| decided(&candidate.bounds))
        },
    },
    Milestone {
        name: "all",
        is_proven: |report| (report.moves.iter()).all(|candidate| candidate.bounds.is_exact()),
    },
];

/// The index in [`MILESTONES`] of the degree that suffices to choose a move.
const TIES_INDEX: usize = 1;

struct Milestone {
    name: &'static str,
    is_proven: fn(&Report) -> bool,
}

pub(crate) fn run(arguments: &ProofBenchArguments) -> anyhow::Result<()> {
    for &rules in &arguments.rules {
        let ProofBenchArguments {
            houses,
            seeds,
            positions,
            ..
        } = *arguments;
        println!(
            "{houses}x{seeds} {rules}, {} with a new engine",
            humantime::format_duration(arguments.time)
        );
        let reached = sample_positions(houses, seeds, rules, positions).context("no such board")?;
        let results = reached
            .into_iter()
            .map(|position| analyze_position(position, arguments));
        let results: Vec<_> = results.inspect(print_unproven).collect();
        print_summary(&results);
    }
    Ok(())
}

/// Analyzes a position with a new engine, which proves the best move first and then the others.
fn analyze_position(position: Position, arguments: &ProofBenchArguments) -> ProofBenchResult {
    let mut engine = Engine::new()
        .with_threads(threads_or_all(arguments.threads))
        .with_memory(to_usize(arguments.memory));
    let limits = Limits {
        time: Some(arguments.time),
        goal: AnalysisGoal::AllMargins,
        estimates: arguments.estimates.into(),
        ..Limits::default()
    };
    let mut proven = [None; MILESTONES.len()];
    let mut record = |report: &Report| {
        for (step, proven) in MILESTONES.iter().zip(&mut proven) {
            if proven.is_none() && (step.is_proven)(report) {
                *proven = Some(report.time);
            }
        }
    };
    let origin = Instant::now();
    let report = engine.analyze_with_progress(&position, limits, &|| origin.elapsed(), &mut record);
    record(&report);
    ProofBenchResult {
        position,
        report,
        proven_after: proven,
    }
}

/// Returns the number of seeds in the houses of both sides.
fn seeds_in_play(position: &Position) -> u32 {
    let rows = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
    rows.iter().sum()
}

fn print_unproven(result: &ProofBenchResult) {
    let ProofBenchResult {
        position, report, ..
    } = result;
    // The later milestones are not needed to choose a move.
    let mut steps = MILESTONES[..=TIES_INDEX].iter().zip(result.proven_after);
    let Some((Milestone { name, .. }, _)) = steps.find(|(_, proven)| proven.is_none()) else {
        return;
    };
    let Bounds { lower, upper } = report.bounds;
    println!(
        "  {name} not proven: \"{position}\", {lower} to {upper}, expected {}, after {:.2?} and {:.1} million positions",
        report.margin(),
        report.time,
        in_millions(report.nodes),
    );
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn in_millions(nodes: u64) -> f64 {
    nodes as f64 / 1e6
}

/// The bands of the summary: seeds in play as a percentage of those at the start.
const SEED_PERCENT_BANDS: [RangeInclusive<u32>; 4] = [96..=100, 86..=95, 66..=85, 0..=65];

/// Prints a line for each band and one for all positions: the number of positions that were proven,
/// and the longest time of these proofs.
fn print_summary(results: &[ProofBenchResult]) {
    let titles = MILESTONES.map(|step| format!("{:>4} {:>8}", step.name, "within"));
    println!("  seeds in play  positions  {}", titles.join("  "));
    let percent = |result: &ProofBenchResult| {
        let max = results
            .first()
            .map_or(1, |start| seeds_in_play(&start.position));
        100 * seeds_in_play(&result.position) / max.max(1)
    };
    let bands = SEED_PERCENT_BANDS.map(|band| {
        let in_band = results
            .iter()
            .filter(|result| band.contains(&percent(result)));
        in_band.collect::<Vec<_>>()
    });
    let all = results.iter().collect();
    for band in bands.into_iter().chain([all]) {
        let seeds = band.iter().map(|result| seeds_in_play(&result.position));
        let (Some(min), Some(max)) = (seeds.clone().min(), seeds.max()) else {
            continue;
        };
        let columns: [_; MILESTONES.len()] = std::array::from_fn(|step| {
            let proven = band.iter().filter_map(|result| result.proven_after[step]);
            let longest = proven.clone().max().map(|time| time.as_secs_f64());
            let longest = longest.map_or("-".to_owned(), |longest| format!("{longest:.2} s"));
            format!("{:>4} {longest:>8}", proven.count())
        });
        println!(
            "  {:>13}  {:>9}  {}",
            format!("{min} to {max}"),
            band.len(),
            columns.join("  ")
        );
    }
}

/// The levels of the players: the strongest levels without a time limit.
const LEVELS: std::ops::RangeInclusive<u8> = 3..=9;

/// The maximum number of random plies at the start of a game, which make the games differ.
const MAX_RANDOM_PLIES: usize = 3;

/// The maximum number of successive games without a new position. Tiny boards have few positions.
const MAX_GAMES_WITHOUT_NEW_POSITION: u64 = 1_000;

/// Returns at most `count` different positions with at least two legal moves: the start, and one
/// position each of games between players of several levels. The result is reproducible. Early
/// plies, which are harder to prove, are about three times as likely as late ones.
pub(crate) fn sample_positions(
    houses: u8,
    seeds: u64,
    rules: Rules,
    count: usize,
) -> Result<Vec<Position>, SetupError> {
    let start = Position::start(houses, seeds, rules)?;
    let mut generator = Pcg64Mcg::seed_from_u64(seeds);
    let mut positions = Vec::new();
    let (mut seed, mut last_new) = (0, 0);
    while positions.len() < count && seed - last_new < MAX_GAMES_WITHOUT_NEW_POSITION {
        let candidate = if seed == 0 {
            Some(start.clone())
        } else {
            let played = play_game(&start, seed, &mut generator);
            let plies = played.len();
            let ply = (0..2).map(|_| generator.random_range(0..plies)).min();
            ply.and_then(|ply| played.into_iter().nth(ply))
        };
        let candidate = candidate.filter(|position| position.legal_moves().nth(1).is_some());
        if let Some(position) = candidate.filter(|position| !positions.contains(position)) {
            positions.push(position);
            last_new = seed;
        }
        seed += 1;
    }
    Ok(positions)
}

/// Plays a game and returns its positions, from `start` on.
fn play_game(start: &Position, seed: u64, generator: &mut Pcg64Mcg) -> Vec<Position> {
    let mut level = |seed| {
        let number = LevelNumber::new(generator.random_range(LEVELS)).unwrap_or(LevelNumber::MIN);
        LevelPlayer::new("level", number, seed, || Duration::ZERO)
    };
    let (mut south, mut north) = (level(seed), level(!seed));
    let mut random = RandomPlayer::new("random", seed);
    let random_plies = generator.random_range(0..=MAX_RANDOM_PLIES);
    let mut position = start.clone();
    let mut positions = vec![position.clone()];
    loop {
        let player: &mut dyn Player = if positions.len() <= random_plies {
            &mut random
        } else if position.to_move() == Side::South {
            &mut south
        } else {
            &mut north
        };
        let mv = player.choose_move(&position, Duration::ZERO);
        let moved = mv.is_some_and(|mv| position.play(mv).is_ok());
        if !moved || position.is_over() {
            return positions;
        }
        positions.push(position.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_is_distinct_and_reproducible() {
        let positions = sample_positions(4, 3, Rules::CS32, 20).unwrap();
        assert_eq!(positions.len(), 20);
        assert_eq!(positions[0], Position::start(4, 3, Rules::CS32).unwrap());
        for (index, position) in positions.iter().enumerate() {
            assert!(position.legal_moves().count() > 1, "{position}");
            assert!(!positions[..index].contains(position), "{position} twice");
        }
        assert_eq!(sample_positions(4, 3, Rules::CS32, 20).unwrap(), positions);
    }

    #[test]
    fn sample_of_a_tiny_board_is_small() {
        let positions = sample_positions(2, 1, Rules::STANDARD, 1_000).unwrap();
        assert!((1..20).contains(&positions.len()), "{}", positions.len());
    }
}
