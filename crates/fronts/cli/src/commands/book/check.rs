//! `kalah book check`: a check of a book by other code than that which made it.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::{Gain, Setup, format_count};
use kalah_book::{Book, BookPositions, BookStart};
use kalah_check::{BookCheckOptions, BookFault, BookLeaves, BookReport, check_book};
use kalah_players::{MemorySize, available_threads, quoted_path};
use serde::Serialize;

use super::{count, leaf_bar, to_u64};
use crate::args::search::clamp_with_warning;
use crate::args::values::{MAX_THREADS, seed_or_random, whole_number_parser};
use crate::error::CliError;
use crate::files::book_file::read_book;
use crate::interrupt;
use crate::output::messages::{print_errors, wrap_output, write_program_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The check has rules and a search of its own. It finds all positions by the naive rules, compares
the margin of each one with those of its moves, and searches leaves, whose margins come from a
search, again: all of them, or a random sample.

The exit code is 1 if anything is wrong. It is 3 if nothing is wrong and not all leaves were
searched; the output has the share of wrong leaves that such a sample misses in 5 of 100 cases.

Examples:
  kalah book check 4x3.book
  kalah book check 6x4.book --sample 100 --seed 1
  kalah book check 6x4.book --plies 4")]
pub(super) struct BookCheckArgs {
    /// The book: the file of `kalah book build --out`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    book: PathBuf,
    /// Check only the positions of the first N plies: the leaves are those after N plies [default:
    /// all plies of the book]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(0, BookStart::MAX_PLIES))]
    plies: Option<u32>,
    /// Search this number of random leaves; 0 compares the other positions alone [default: all
    /// leaves]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(0, usize::MAX))]
    sample: Option<usize>,
    /// The seed of the random choice: the same seed chooses the same leaves [default: a random one]
    #[arg(long, value_name = "N", requires = "sample", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    /// Threads of the searches [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
    /// Memory of the searches, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: MemorySize,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`. The margin is that of the side to move.
#[derive(Serialize)]
struct BookCheckJson {
    board: String,
    rules: String,
    /// The plies that were checked.
    plies: u32,
    /// The margin of the start.
    margin: i32,
    /// The positions and the leaves within these plies; as far as they were found, if the check was
    /// stopped.
    positions: usize,
    leaves: usize,
    searched_leaves: usize,
    undecided_leaves: usize,
    /// The leaves that are not confirmed, on which the margins are conditional.
    conditional_leaves: usize,
    /// The greatest share of wrong leaves that a sample of this size misses in 5 of 100 cases; 0
    /// if all leaves were searched, and `null` unless the check has passed.
    wrong_share_bound: Option<f64>,
    /// The seed of the sample; `null` if all leaves are selected.
    seed: Option<u64>,
    /// Whether nothing is wrong and all leaves are confirmed: the exit code is 0.
    passed: bool,
    errors: Vec<String>,
}

pub(super) fn run(arguments: &BookCheckArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let book = read_book(&arguments.book).map_err(CliError::Runtime)?;
    let plies = checked_plies(arguments, &book)?;
    let seed = arguments.sample.map(|_| seed_or_random(arguments.seed));
    let leaves = match (arguments.sample, seed) {
        (Some(count), Some(seed)) => BookLeaves::Sample { count, seed },
        _ => BookLeaves::All,
    };
    let report = check(arguments, &book, plies, leaves);
    let errors = describe_faults(&book, plies, &report);
    if arguments.json {
        write_program_json(output, &to_json(&book, plies, &report, seed, &errors))?;
    } else {
        write_text(output, &book, plies, &report, seed)?;
        output.flush()?;
        print_errors(&errors);
    }
    output.flush()?;
    verdict(arguments, &report, &errors)
}

/// Returns the number of plies to check.
fn checked_plies(arguments: &BookCheckArgs, book: &Book) -> Result<u32, CliError> {
    let start = book.start();
    let Some(plies) = arguments.plies else {
        return Ok(start.plies);
    };
    let refuse = |reason: String| CliError::Usage(format!("invalid --plies '{plies}': {reason}"));
    if plies > start.plies {
        let (path, most) = (
            quoted_path(&arguments.book),
            format_count(start.plies.into(), "ply"),
        );
        return Err(refuse(format!("the book in {path} has {most}")));
    }
    BookPositions::new(BookStart { plies, ..start }).map_err(|error| refuse(error.to_string()))?;
    Ok(plies)
}

/// Checks the first plies of a book and shows the progress.
fn check(arguments: &BookCheckArgs, book: &Book, plies: u32, leaves: BookLeaves) -> BookReport {
    let interrupt = interrupt::listen();
    let memory = clamp_with_warning(arguments.memory).bytes();
    let bar = leaf_bar(0);
    let start = book.start();
    let options = BookCheckOptions {
        leaves,
        threads: arguments.threads.unwrap_or_else(available_threads),
        memory: usize::try_from(memory).unwrap_or(usize::MAX),
        stop_flag: &interrupt.flag(),
        observer: &|searched, to_search| {
            bar.set_length(to_u64(to_search));
            bar.set_position(to_u64(searched));
        },
    };
    let gains = |setup: &Setup| gain_in(book, setup);
    let setup = Setup::start(start.houses, start.seeds);
    let report = check_book(&setup, start.rules, plies, &gains, options);
    bar.finish_and_clear();
    report.expect("the start of a book is a valid position")
}

/// Returns the gain of the side to move that a book has for a position.
fn gain_in(book: &Book, setup: &Setup) -> Option<i32> {
    let position = setup.position(book.start().rules).ok()?;
    book.gain(&position).map(Gain::seeds)
}

/// Describes the positions with wrong gains, and a wrong number of positions in the whole book.
fn describe_faults(book: &Book, plies: u32, report: &BookReport) -> Vec<String> {
    let mut errors: Vec<String> = report.faults.iter().map(describe_fault).collect();
    let found = report.inner + report.leaves;
    let is_whole = plies == book.start().plies && !report.is_stopped;
    if is_whole && found != book.position_count() {
        let (stated, found) = (
            count(book.position_count(), "position"),
            count(found, "position"),
        );
        errors.push(format!("the book has {stated} in place of {found}"));
    }
    errors
}

fn describe_fault(fault: &BookFault) -> String {
    let BookFault {
        position,
        stated,
        derived,
    } = fault;
    match (stated, derived) {
        (None, _) => format!("'{position}' is missing"),
        (Some(stated), Some(derived)) => {
            format!("'{position}' has {stated:+}, and its moves have {derived:+}")
        }
        (Some(stated), None) => format!("'{position}' does not have the margin {stated:+}"),
    }
}

fn to_json(
    book: &Book,
    plies: u32,
    report: &BookReport,
    seed: Option<u64>,
    errors: &[String],
) -> BookCheckJson {
    let start = book.start();
    BookCheckJson {
        board: format!("{}x{}", start.houses, start.seeds),
        rules: start.rules.to_string(),
        plies,
        margin: book.start_margin().seeds(),
        positions: report.inner + report.leaves,
        leaves: report.leaves,
        searched_leaves: report.searched,
        undecided_leaves: report.undecided,
        conditional_leaves: report.conditional_leaves(),
        wrong_share_bound: report.wrong_share_bound(),
        seed,
        passed: report.is_confirmed() && report.conditional_leaves() == 0 && errors.is_empty(),
        errors: errors.to_vec(),
    }
}

fn write_text(
    output: &mut dyn Write,
    book: &Book,
    plies: u32,
    report: &BookReport,
    seed: Option<u64>,
) -> Result<(), CliError> {
    let start = book.start();
    let condition = match report.conditional_leaves() {
        0 => String::new(),
        leaves => format!(", conditional on {}", count(leaves, "leaf")),
    };
    writeln!(
        output,
        "Start {}x{}, rules {}, {}: margin {}{condition}",
        start.houses,
        start.seeds,
        start.rules,
        format_count(plies.into(), "ply"),
        book.start_margin()
    )?;
    writeln!(
        output,
        "Compared with the moves: {}; searched: {} of {}",
        count(report.inner, "position"),
        report.searched,
        count(report.leaves, "leaf")
    )?;
    let bound = report.wrong_share_bound();
    if let Some(bound) = bound.filter(|&bound| bound > 0.0 && bound < 1.0) {
        let seed = seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
        let percent = 100.0 * bound;
        let text = format!(
            "If more than {percent:.2} % of the leaves were wrong, such a sample{seed} would miss \
             them in fewer than 5 of 100 cases"
        );
        writeln!(output, "{}", wrap_output(&text))?;
    }
    Ok(())
}

/// Returns the error of a check that has failed, was stopped, or has not searched all leaves.
fn verdict(
    arguments: &BookCheckArgs,
    report: &BookReport,
    errors: &[String],
) -> Result<(), CliError> {
    let name = quoted_path(&arguments.book);
    if !errors.is_empty() {
        let errors = count(errors.len(), "error");
        let end = if report.is_stopped {
            ", and the check was interrupted"
        } else {
            ""
        };
        return Err(CliError::Runtime(format!(
            "the book in {name} is wrong: {errors}{end}"
        )));
    }
    if let Some(error) = &report.thread_error {
        return Err(CliError::Runtime(format!("cannot start a thread: {error}")));
    }
    if report.is_stopped {
        let reason = format!("interrupted: the check of {name} is not complete");
        return Err(CliError::Interrupted(reason));
    }
    if report.undecided > 0 {
        let undecided = count(report.undecided, "leaf");
        return Err(CliError::Runtime(format!(
            "no answer for {undecided} of {name}: a game can last too long"
        )));
    }
    match report.conditional_leaves() {
        0 => Ok(()),
        unsearched => Err(CliError::Conditional(format!(
            "the margins in {name} are conditional on {}",
            count(unsearched, "leaf")
        ))),
    }
}
