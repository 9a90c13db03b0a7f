//! `kalah book build`: the search of the leaves of a book.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueHint};
use kalah::{Gain, Position};
use kalah_book::{BookBuild, BookBuildError, BookStart};
use kalah_engine::{AnalysisGoal, Engine, Limits};
use kalah_players::{escape_control, quoted_path};
use serde::Serialize;

use super::{count, leaf_bar, to_u64};
use crate::args::position::{TypedSetup, parse_board};
use crate::args::search::SearchOptions;
use crate::args::values::{RulesOption, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::write_json;

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
    /// The file of the book. It replaces an earlier file of the same book, and no other
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    search: SearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct BuiltBookJson {
    file: String,
    board: String,
    rules: String,
    plies: u32,
    positions: usize,
    leaves: usize,
    /// The leaves that this run has searched.
    searched: usize,
}

pub(super) fn run(arguments: &BookBuildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let start = book_start(arguments)?;
    let interrupt = interrupt::listen();
    let engines = arguments.search.factory(&start_position(start)?)?;
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
    let mut build = BookBuild::open_for(&arguments.out, &arguments.store, start)?;
    let searched = search_leaves(&mut build, &mut engine)?;
    let book = build.into_book().map_err(|error| {
        let store = quoted_path(&arguments.store);
        CliError::Runtime(format!("wrong results in {store}: {error}"))
    })?;
    let path = quoted_path(&arguments.out);
    kalah_files::replace(&arguments.out, &book.to_bytes()).map_err(|reason| {
        let reason = escape_control(&reason.to_string());
        CliError::Runtime(format!("cannot write {path}: {reason}"))
    })?;
    if arguments.json {
        let json = BuiltBookJson {
            file: arguments.out.display().to_string(),
            board: format!("{}x{}", start.houses, start.seeds),
            rules: start.rules.to_string(),
            plies: start.plies,
            positions: book.position_count(),
            leaves: book.leaf_count(),
            searched,
        };
        return Ok(write_json(output, &json)?);
    }
    let (positions, leaves) = (
        count(book.position_count(), "position"),
        count(book.leaf_count(), "leaf"),
    );
    writeln!(
        output,
        "{path} is complete: {positions} with {leaves}, of which this run has searched {searched}"
    )?;
    Ok(())
}

/// Converts the error with its message. A start without a book and a wrong file for the book are
/// errors of the command line.
impl From<BookBuildError> for CliError {
    fn from(error: BookBuildError) -> Self {
        let message = escape_control(&error.to_string());
        match error {
            BookBuildError::Book(_)
            | BookBuildError::TargetIsStore(_)
            | BookBuildError::TargetIsFolder(_)
            | BookBuildError::TargetExists(_)
            | BookBuildError::NoFolder { .. } => Self::Usage(message),
            BookBuildError::Lock { .. }
            | BookBuildError::Io { .. }
            | BookBuildError::WrongGain { .. }
            | BookBuildError::Journal { .. } => Self::Runtime(message),
        }
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
fn search_leaves(build: &mut BookBuild, engine: &mut Engine) -> Result<usize, CliError> {
    let bar = leaf_bar(build.positions().leaf_count());
    bar.inc(to_u64(build.known_count()));
    let unknown: Vec<usize> = build.unknown_leaves().collect();
    for &number in &unknown {
        let leaf = build.positions().leaf(number);
        let leaf = leaf.expect("a leaf of the build");
        let Some(gain) = exact_gain(engine, &leaf) else {
            bar.finish_and_clear();
            return Err(not_proven(build, &leaf));
        };
        build.add(&[(number, gain)])?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(unknown.len())
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
fn not_proven(build: &BookBuild, leaf: &Position) -> CliError {
    if interrupt::listen().is_requested() {
        let leaves = count(build.positions().leaf_count(), "leaf");
        let (done, path) = (build.known_count(), quoted_path(build.path()));
        CliError::Interrupted(format!(
            "interrupted with {done} of {leaves} in {path}: the same command resumes from there"
        ))
    } else {
        CliError::Runtime(format!("the search has not proven the margin of '{leaf}'"))
    }
}
