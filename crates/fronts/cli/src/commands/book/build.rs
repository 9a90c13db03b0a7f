//! `kalah book build`: the search of the leaves of a book.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueHint};
use kalah::{Gain, Position};
use kalah_book::{Book, BookPositions, BookStart};
use kalah_engine::{AnalysisGoal, Engine, Limits};
use kalah_players::{escape_control, quoted_path};

use super::build_store::BuildStore;
use super::{count, leaf_bar};
use crate::args::search::SearchOptions;
use crate::args::values::{RulesOption, TypedSetup, parse_board, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The build searches the leaves, the positions after the last ply, and keeps the result of each in the
store at once: after Ctrl-C or a crash, the same command resumes there. The margins of all other
positions follow from those of the leaves.

Examples:
  kalah book build 4x3 --plies 4 --store 4x3.build --out 4x3.book
  kalah book build 6x4 --plies 4 --store 6x4.build --out 6x4.book")]
pub(super) struct BookBuildArgs {
    /// The start: M houses a side and N seeds in each house
    #[arg(value_name = "MxN", value_parser = parse_board)]
    board: TypedSetup,
    #[command(flatten)]
    rules: RulesOption,
    /// Plies from the start to a leaf. Each sowing of a turn is a ply
    #[arg(long, value_name = "N", value_parser = whole_number_parser(0, BookStart::MAX_PLIES))]
    plies: u32,
    /// The file that keeps the results of the build: a new one, or that of an earlier run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: PathBuf,
    /// The file of the book, which replaces a file of this name when the build is complete
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    search: SearchOptions,
}

pub(super) fn run(arguments: &BookBuildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let start = book_start(arguments)?;
    let positions =
        BookPositions::new(start).map_err(|reason| CliError::Usage(reason.to_string()))?;
    let interrupt = interrupt::listen();
    let engines = arguments.search.factory(&start_position(start)?)?;
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
    let mut store = BuildStore::open(&arguments.store, start, positions.leaf_count())?;
    check_target(&arguments.out, &store)?;
    let searched = search_leaves(&positions, &mut store, &mut engine)?;
    let gains: Vec<Gain> = store.gains().iter().copied().flatten().collect();
    let book = Book::new(positions, &gains).map_err(|error| {
        let store = quoted_path(&arguments.store);
        CliError::Runtime(format!("wrong results in {store}: {error}"))
    })?;
    let path = quoted_path(&arguments.out);
    kalah_files::replace(&arguments.out, &book.to_bytes()).map_err(|reason| {
        let reason = escape_control(&reason.to_string());
        CliError::Runtime(format!("cannot write {path}: {reason}"))
    })?;
    let (positions, leaves) = (
        count(book.position_count(), "position"),
        count(gains.len(), "leaf"),
    );
    writeln!(
        output,
        "{path} is complete: {positions} with {leaves}, of which this run has searched {searched}"
    )?;
    Ok(())
}

/// Checks before the search that the book can be written.
fn check_target(path: &Path, store: &BuildStore) -> Result<(), CliError> {
    let name = quoted_path(path);
    if store.has_path(path) {
        return Err(CliError::Usage(format!(
            "{name} is the store: the book needs another file"
        )));
    }
    if path.is_dir() {
        return Err(CliError::Usage(format!("{name} is a folder, not a file")));
    }
    let folder = kalah_files::parent_folder(path);
    if folder.is_dir() {
        Ok(())
    } else {
        let folder = quoted_path(folder);
        Err(CliError::Usage(format!(
            "there is no folder {folder} for {name}"
        )))
    }
}

/// Returns the position of a start, which is valid.
fn start_position(start: BookStart) -> Result<Position, CliError> {
    start
        .position()
        .map_err(|reason| CliError::Usage(reason.to_string()))
}

fn book_start(arguments: &BookBuildArgs) -> Result<BookStart, CliError> {
    let rules = arguments.rules.rules;
    let setup = arguments.board.playable_setup(rules)?;
    let houses = &setup.rows.south;
    Ok(BookStart {
        houses: u8::try_from(houses.len()).unwrap_or(u8::MAX),
        seeds: houses.first().copied().unwrap_or_default(),
        rules,
        plies: arguments.plies,
    })
}

/// Searches the leaves that the store lacks, and returns their number.
fn search_leaves(
    positions: &BookPositions,
    store: &mut BuildStore,
    engine: &mut Engine,
) -> Result<usize, CliError> {
    let bar = leaf_bar(positions.leaf_count());
    let mut searched = 0;
    for (number, leaf) in positions.leaves().enumerate() {
        if store.gains()[number].is_none() {
            let Some(gain) = exact_gain(engine, &leaf) else {
                bar.finish_and_clear();
                return Err(not_proven(store, &leaf));
            };
            store.append(number, gain)?;
            searched += 1;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(searched)
}

/// Returns the exact gain of the side to move, or `None` if the search was stopped.
fn exact_gain(engine: &mut Engine, leaf: &Position) -> Option<Gain> {
    let limits = Limits {
        goal: AnalysisGoal::BestMargin,
        ..Limits::default()
    };
    let started_at = Instant::now();
    let report = engine.analyze(leaf, limits, &|| started_at.elapsed());
    let bounds = report.bounds;
    bounds.is_exact().then(|| leaf.gain(bounds.lower))
}

/// Returns the error of a leaf whose gain is not proven.
fn not_proven(store: &BuildStore, leaf: &Position) -> CliError {
    if interrupt::listen().is_requested() {
        let (done, leaves) = (store.done(), count(store.gains().len(), "leaf"));
        let path = quoted_path(store.path());
        CliError::Interrupted(format!(
            "interrupted with {done} of {leaves} in {path}: the same command resumes from there"
        ))
    } else {
        CliError::Runtime(format!("the search has not proven the margin of '{leaf}'"))
    }
}
