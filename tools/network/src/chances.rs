//! `cargo network chances`: fits the probabilities of results to games of the engine against
//! itself, and compares them with the results of other games.

mod fit;
mod observation;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;
use indicatif::ProgressBar;
use kalah_engine::ResultModel;

use crate::samples::all_threads;
use fit::{fit, log_loss};
use observation::{BOARDS, Observation, play_game};

/// The arguments of `cargo network chances`.
#[derive(Args)]
pub(crate) struct ChancesArguments {
    /// Games to play; every other one is held out from the fit
    #[arg(long, value_name = "N", default_value_t = 16_000)]
    games: u64,
    /// Nodes of the search of each position
    #[arg(long, value_name = "N", default_value_t = 2000)]
    nodes: u64,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Compare the model of the engine with all games, and fit none
    #[arg(long)]
    check: bool,
}

/// Fits the model, unless the arguments say otherwise, and prints how well it is calibrated.
pub(crate) fn run(arguments: &ChancesArguments) {
    let games = play_games(arguments);
    let half = |parity: usize| {
        let games = games.iter().skip(parity).step_by(2);
        games.flatten().copied().collect::<Vec<_>>()
    };
    let (model, held_out) = if arguments.check {
        (ResultModel::FITTED, games.concat())
    } else {
        (fit(ResultModel::FITTED, &half(0)), half(1))
    };
    println!("{model:?}");
    println!("log loss {:.4}", log_loss(model, &held_out));
    print_table("all", model, &held_out);
    for (name, boards) in BOARD_GROUPS {
        let group = held_out.iter().copied();
        let group = group.filter(|observation| boards.contains(&BOARDS[observation.board]));
        print_table(name, model, &group.collect::<Vec<_>>());
    }
}

/// The boards that have a table of their own.
const BOARD_GROUPS: [(&str, &[(u8, u64)]); 3] = [
    ("4x4, 5x5, 6x4, 8x3", &[(4, 4), (5, 5), (6, 4), (8, 3)]),
    ("6x5, 6x6, 5x8", &[(6, 5), (6, 6), (5, 8)]),
    ("8x8, 10x10, 12x12", &[(8, 8), (10, 10), (12, 12)]),
];

/// Plays the games and returns the observations of each, in the order of the games.
fn play_games(arguments: &ChancesArguments) -> Vec<Vec<Observation>> {
    let next = AtomicU64::new(0);
    let bar = ProgressBar::new(arguments.games);
    let work = || {
        let mut games = Vec::new();
        loop {
            let game = next.fetch_add(1, Ordering::Relaxed);
            if game >= arguments.games {
                return games;
            }
            games.push((game, play_game(arguments.seed, game, arguments.nodes)));
            bar.inc(1);
        }
    };
    let mut games = thread::scope(|scope| {
        let workers: Vec<_> = (0..all_threads()).map(|_| scope.spawn(work)).collect();
        let games = workers.into_iter();
        let games = games.flat_map(|worker| worker.join().expect("no worker panics"));
        games.collect::<Vec<_>>()
    });
    bar.finish_and_clear();
    games.sort_by_key(|&(game, _)| game);
    games.into_iter().map(|(_, game)| game).collect()
}

/// The sums of the positions whose predicted probability is within one tenth.
#[derive(Clone, Copy, Default)]
struct Tenth {
    positions: u32,
    predicted: f64,
    wins: u32,
}

const TENTHS: usize = 10;

/// Prints the predicted and the observed share of wins for each tenth of the prediction.
fn print_table(name: &str, model: ResultModel, observations: &[Observation]) {
    let mut tenths = [Tenth::default(); TENTHS];
    for observation in observations {
        let [win, _] = observation.win_and_loss(model);
        let tenth = &mut tenths[tenth_of(win)];
        tenth.positions += 1;
        tenth.predicted += win;
        tenth.wins += u32::from(observation.is_win());
    }
    println!("\n{name}\n");
    println!("| predicted | positions | mean prediction | wins | difference |");
    println!("| --- | --- | --- | --- | --- |");
    for (index, tenth) in tenths.iter().enumerate() {
        let percent = |sum: f64| 100.0 * sum / f64::from(tenth.positions.max(1));
        let (predicted, wins) = (percent(tenth.predicted), percent(tenth.wins.into()));
        println!(
            "| {} to {} % | {} | {predicted:.1} % | {wins:.1} % | {:+.1} |",
            TENTHS * index,
            TENTHS * (index + 1),
            tenth.positions,
            wins - predicted
        );
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 10"
)]
fn tenth_of(probability: f64) -> usize {
    ((probability * 10.0) as usize).min(TENTHS - 1)
}
