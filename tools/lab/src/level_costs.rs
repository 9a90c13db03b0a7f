//! `cargo lab level-costs`: how often the moves of each level cost nothing, few seeds or many.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytesize::ByteSize;
use clap::Args;
use indicatif::ProgressBar;
use kalah::{Game, Player, Position, Rules, Side};
use kalah_arena::Openings;
use kalah_book::BookSet;
use kalah_engine::{
    AnalysisGoal, Commentary, Engine, GamePhase, LevelEstimate, LevelNumber, LevelPlayer, Limits,
    PlyCosts, Review,
};

use crate::resources::to_usize;

/// The arguments of `cargo lab level-costs`.
#[derive(Args)]
pub(crate) struct LevelCostsArguments {
    /// The rules
    #[arg(long, value_name = "RULES", default_value = "standard")]
    rules: Rules,
    /// Games of each pair of levels: those of a level with itself and with the next one
    #[arg(long, value_name = "N", default_value_t = 10)]
    games: usize,
    /// Random plies at the start of each game, which are not counted
    #[arg(long, value_name = "N", default_value_t = 2)]
    plies: usize,
    /// Limit of the analysis of each position, in nodes
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    nodes: u64,
    /// Time of level 10 for each move, in milliseconds; the other levels use no clock
    #[arg(long, value_name = "MS", default_value_t = 20)]
    move_time: u64,
    /// Seed of the openings and of the levels' errors
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory for the analyses
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: ByteSize,
}

/// Houses a side and seeds in each house.
const BOARD: (u8, u64) = (6, 4);

/// The costs of a level in all games, and its estimates.
#[derive(Default)]
struct LevelResults {
    costs: PlyCosts,
    games: u32,
    plies: u32,
    estimates: Vec<LevelEstimate>,
    mistakes: u32,
    explained: u32,
}

/// The costs of a player in a game, the number of plies, of moves with a grade, and of those of
/// them that have a reason.
struct PlayerResults {
    costs: PlyCosts,
    plies: u32,
    mistakes: u32,
    explained: u32,
}

/// Plays and reviews the games and prints the tables.
pub(crate) fn run(arguments: &LevelCostsArguments) -> anyhow::Result<()> {
    let (houses, seeds) = BOARD;
    let start = Position::start(houses, seeds, arguments.rules).context("no such board")?;
    let levels: Vec<LevelNumber> = LevelNumber::all().collect();
    let pairs: Vec<(LevelNumber, LevelNumber)> = (levels.iter().zip(&levels))
        .chain(levels.iter().zip(&levels[1..]))
        .map(|(&south, &north)| (south, north))
        .collect();
    let bar = ProgressBar::new((pairs.len() * arguments.games) as u64);
    let mut results: Vec<LevelResults> = levels.iter().map(|_| LevelResults::default()).collect();
    let mut engine = Engine::new()
        .with_books(BookSet::embedded())
        .with_memory(to_usize(arguments.memory));
    for (pair_index, &pair) in (0u64..).zip(&pairs) {
        for game_index in 0..arguments.games as u64 {
            let seed = arguments.seed + pair_index * arguments.games as u64 + game_index;
            // Each level of a pair begins in half of the games.
            let (south, north) = if game_index % 2 == 0 {
                pair
            } else {
                (pair.1, pair.0)
            };
            let opening = Openings::random(start.clone(), arguments.plies, 1, seed)?;
            let opening = opening.as_slice()[0].game().clone();
            let game = play_game(opening, [south, north], seed, arguments.move_time)?;
            let costs = review_players(&game, arguments, &mut engine);
            for (level, player) in [south, north].into_iter().zip(costs) {
                let result = &mut results[usize::from(level.get() - LevelNumber::MIN.get())];
                result.costs.merge(&player.costs);
                result.games += 1;
                result.plies += player.plies;
                result.mistakes += player.mistakes;
                result.explained += player.explained;
                result
                    .estimates
                    .extend(LevelEstimate::from_costs(&start, &player.costs));
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    print_tables(&levels, &results);
    Ok(())
}

/// Continues a game between two levels to its end.
fn play_game(
    mut game: Game,
    [south, north]: [LevelNumber; 2],
    seed: u64,
    move_time: u64,
) -> anyhow::Result<Game> {
    let origin = Instant::now();
    let player = |level, seed| LevelPlayer::new("Level", level, seed, move || origin.elapsed());
    let mut players = [player(south, 2 * seed), player(north, 2 * seed + 1)];
    while !game.position().is_over() {
        let side = game.position().to_move();
        let player = &mut players[usize::from(side == Side::North)];
        let mv = player.choose_move(game.position(), Duration::from_millis(move_time));
        game.play(mv.context("no move")?)?;
    }
    Ok(game)
}

/// Reviews a game and returns the results of the players after the opening, South's first.
fn review_players(
    game: &Game,
    arguments: &LevelCostsArguments,
    engine: &mut Engine,
) -> [PlayerResults; 2] {
    let limits = Limits {
        goal: AnalysisGoal::AllMargins,
        nodes: Some(arguments.nodes),
        ..Limits::default()
    };
    let reports = Review::analyze_positions(game, |position| {
        engine.analyze(position, limits, &|| Duration::ZERO)
    });
    let review = Review::from_reports(game, &reports);
    let reasons = Commentary::new(game, &reports, &review).reasons;
    let positions = std::iter::once(game.start()).chain(game.plies().iter().map(|ply| &ply.after));
    let plies = positions.map(GamePhase::of).zip(&review.plies);
    let counted: Vec<_> = plies.zip(&reasons).skip(arguments.plies).collect();
    Side::ALL.map(|player| {
        let own = (counted.iter().copied()).filter(|((_, ply), _)| ply.player == player);
        let mistakes = own.clone().filter(|((_, ply), _)| ply.grade().is_some());
        let explained = mistakes.clone().filter(|(_, reasons)| !reasons.is_empty());
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        PlayerResults {
            costs: PlyCosts::from_plies(own.clone().map(|(ply, _)| ply)),
            plies: number(own.count()),
            mistakes: number(mistakes.count()),
            explained: number(explained.count()),
        }
    })
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn print_tables(levels: &[LevelNumber], results: &[LevelResults]) {
    println!("const LEVEL_COSTS: [CostCounts; LEVELS] = [");
    for result in results {
        println!("    {:?},", result.costs.counts());
    }
    println!("];\n");
    println!(
        "| level | games | plies | proven with a choice | cost nothing | 1 to 3 | 4 to 7 | 8 or more | level in range | mean width | mean estimate |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (level, result) in levels.iter().zip(results) {
        let counts = result.costs.counts();
        let all = f64::from(result.costs.plies().max(1));
        let shares = (0..counts[0].len()).map(|class| {
            let plies: u32 = counts.iter().map(|phase| phase[class]).sum();
            format!(" {:.1} % |", 100.0 * f64::from(plies) / all)
        });
        let estimates = &result.estimates;
        let number = float(estimates.len().max(1));
        let within = estimates
            .iter()
            .filter(|at| (at.lowest..=at.highest).contains(level));
        let width = estimates
            .iter()
            .map(|at| f64::from(at.highest.get() - at.lowest.get() + 1));
        let estimate = estimates.iter().map(|at| f64::from(at.level.get()));
        println!(
            "| {level} | {} | {} | {} |{} {:.0} % of {} | {:.1} | {:.1} | {} | {:.0} % |",
            result.games,
            result.plies,
            result.costs.plies(),
            shares.collect::<String>(),
            100.0 * float(within.count()) / number,
            estimates.len(),
            width.sum::<f64>() / number,
            estimate.sum::<f64>() / number,
            result.mistakes,
            100.0 * f64::from(result.explained) / f64::from(result.mistakes.max(1)),
        );
    }
}
