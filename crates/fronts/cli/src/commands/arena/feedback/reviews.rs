//! The reviews of games on several threads, and the mistakes in them in words.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use indicatif::ProgressStyle;
use kalah::{BySide, Game, Labels, Position, format_count};
use kalah_arena::{FinishedGame, Mistake};
use kalah_engine::{Commentary, Limits, Review};
use kalah_text::{Notation, format_bounds, format_cost, ply_symbol, reasons_text};

use crate::batch::{BatchEngine, BatchEngines};
use crate::error::CliError;
use crate::interrupt;
use crate::output::progress::{enable_tick, new_bar};

/// The mistakes in a game, in the order of its plies, by the side on which their player began.
pub(super) type GameMistakes = BySide<Vec<Mistake>>;

const PROGRESS_TEMPLATE: &str = "{spinner} {pos} of {len} games reviewed, {elapsed}, {eta} left";

/// Reviews games, and returns the mistakes in each of them.
///
/// # Errors
/// [`CliError::Interrupted`] after an interrupt, and [`CliError::Runtime`] if no thread can be
/// started or if tables cannot be read.
pub(super) fn review_games(
    games: &[&FinishedGame],
    limits: Limits,
    engines: &BatchEngines,
) -> Result<Vec<GameMistakes>, CliError> {
    let interrupt = interrupt::listen();
    let bar = new_bar(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template(PROGRESS_TEMPLATE) {
        bar.set_style(style);
    }
    enable_tick(&bar);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, GameMistakes)>> = Mutex::default();
    let work = || {
        let mut engine = engines.worker();
        while let Some((place, game)) = next_game(games, &next) {
            if interrupt.is_requested() {
                break;
            }
            let mistakes = review_game(game, limits, &mut engine)?;
            bar.inc(1);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((place, mistakes));
        }
        Ok(())
    };
    let ended = run_threads(engines.jobs().get(), &work);
    bar.finish_and_clear();
    ended?;
    if interrupt.is_requested() {
        let all = format_count(games.len() as u64, "game");
        return Err(CliError::Interrupted(format!(
            "interrupted before all of {all} were reviewed, so nothing is written"
        )));
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|&(place, _)| place);
    Ok(results.into_iter().map(|(_, mistakes)| mistakes).collect())
}

/// Takes the next game, with its place.
fn next_game<'a>(
    games: &[&'a FinishedGame],
    next: &AtomicUsize,
) -> Option<(usize, &'a FinishedGame)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    games.get(place).map(|&game| (place, game))
}

/// Does the same work on `count` threads, or on those that can be started.
fn run_threads(
    count: usize,
    work: &(impl Fn() -> Result<(), CliError> + Sync),
) -> Result<(), CliError> {
    thread::scope(|scope| {
        let threads: Vec<_> = (1..count)
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let own = work();
        let others = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        others.fold(own, Result::and)
    })
}

/// Returns the moves of a game that are proven to cost seeds, except those of the opening.
fn review_game(
    game: &FinishedGame,
    limits: Limits,
    engine: &mut BatchEngine,
) -> Result<GameMistakes, CliError> {
    let replayed = game.game.replay();
    let engine = engine.for_position(replayed.start())?;
    let start = Instant::now();
    let reports = Review::analyze_positions(&replayed, |position| {
        engine.analyze(position, limits, &|| start.elapsed())
    });
    let review = Review::from_reports(&replayed, &reports).with_opening_plies(game.opening_plies);
    let commentary = Commentary::new(&replayed, &reports, &review);
    let notation = Notation::new(replayed.start(), Labels::Letters);
    let mut mistakes = GameMistakes::default();
    let plies = review.plies.iter().zip(&commentary.reasons).enumerate();
    for (index, (ply, reasons)) in plies {
        if !ply.is_costly() {
            continue;
        }
        let better: Vec<String> = (ply.better_moves.iter())
            .map(|&better| notation.format_move(ply.side, better))
            .collect();
        mistakes[ply.player].push(Mistake {
            game: game.number_text(),
            games: 1,
            ply: index,
            position: position_before(&replayed, index).clone(),
            played: notation.format_move(ply.side, ply.mv),
            better: better.join(" or "),
            seeds: ply.cost.lower.seeds().unsigned_abs(),
            cost: format_cost(ply),
            margins: [ply.before, ply.after].map(|value| format_bounds(value.bounds)),
            grade: ply_symbol(ply, reasons),
            reasons: reasons_text(reasons, ply, notation).unwrap_or_default(),
        });
    }
    Ok(mistakes)
}

/// Returns the position before the ply with an index.
fn position_before(game: &Game, index: usize) -> &Position {
    let before = index.checked_sub(1).and_then(|last| game.plies().get(last));
    before.map_or(game.start(), |ply| &ply.after)
}
