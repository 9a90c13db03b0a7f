//! `kalah book build`: the search of the leaves of a book.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueHint};
use indicatif::ProgressStyle;
use kalah::{Gain, Position, format_count};
use kalah_book::{Book, BookError, BookPositions, BookStart};
use kalah_engine::{AnalysisGoal, Engine, Limits};
use kalah_players::{escape_control, quoted_path};

use super::build_store::BuildStore;
use super::format_usize;
use crate::args::search::SearchOptions;
use crate::args::values::{RulesOption, TypedSetup, parse_board, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;
use crate::output::progress::{enable_tick, new_bar};

/// The most plies of a book. More positions than a book can have are refused before.
const MAX_PLIES: u32 = 99;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The build searches the leaves, the positions after the last ply, and keeps the result of each in the
store at once: after Ctrl-C or a crash, the same command resumes there. The margins of all other
positions follow from those of the leaves.

Examples:
  kalah book build 4x3 --plies 4 --store 4x3.build --out 4x3.book
  kalah book build 6x4 --rules standard --plies 4 --store 6x4.build --out 6x4.book --threads 2")]
pub(super) struct BookBuildArgs {
    /// The start: M houses a side and N seeds in each house
    #[arg(value_name = "MxN", value_parser = parse_board)]
    board: TypedSetup,
    #[command(flatten)]
    rules: RulesOption,
    /// Plies from the start to a leaf. Each sowing of a turn is a ply
    #[arg(long, value_name = "N", value_parser = whole_number_parser(0, MAX_PLIES))]
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

const TEMPLATE: &str = "{pos} of {len} leaves {wide_bar} {elapsed}";

pub(super) fn run(arguments: &BookBuildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let start = book_start(arguments)?;
    let positions = BookPositions::new(start).map_err(|error| match error {
        BookError::Setup(reason) => CliError::Usage(reason.to_string()),
        error => CliError::Usage(error.to_string()),
    })?;
    let mut store = BuildStore::open(&arguments.store, start, positions.leaf_count())?;
    let searched = search_leaves(arguments, &positions, &mut store)?;
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
    let (count, leaves) = (format_usize(book.positions()), format_usize(gains.len()));
    let searched = format_count(u64::try_from(searched).unwrap_or(u64::MAX), "leaf");
    writeln!(
        output,
        "{path} is complete: {count} positions, {leaves} of them leaves, {searched} searched by \
         this run"
    )?;
    Ok(())
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
    arguments: &BookBuildArgs,
    positions: &BookPositions,
    store: &mut BuildStore,
) -> Result<usize, CliError> {
    let interrupt = interrupt::listen();
    let Some(first) = positions.leaves().next() else {
        return Ok(0);
    };
    let mut engine = (arguments.search.factory(&first)?.build()).with_stop_flag(interrupt.flag());
    let bar = new_bar(u64::try_from(positions.leaf_count()).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    enable_tick(&bar);
    let mut searched = 0;
    for (number, leaf) in positions.leaves().enumerate() {
        if store.gains()[number].is_none() {
            let Some(gain) = exact_gain(&mut engine, &leaf) else {
                bar.finish_and_clear();
                return Err(not_proven(
                    arguments,
                    store,
                    &leaf,
                    interrupt.is_requested(),
                ));
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
fn not_proven(
    arguments: &BookBuildArgs,
    store: &BuildStore,
    leaf: &Position,
    is_interrupted: bool,
) -> CliError {
    if is_interrupted {
        let (done, leaves) = (store.done(), store.gains().len());
        let path = quoted_path(&arguments.store);
        CliError::Interrupted(format!(
            "interrupted with {} of {} leaves in {path}: the same command resumes from there",
            format_usize(done),
            format_usize(leaves)
        ))
    } else {
        CliError::Runtime(format!("the search has not proven the margin of '{leaf}'"))
    }
}
