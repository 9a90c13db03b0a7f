//! `kalah book`: opening books of exact gains.

mod build;
mod check;
mod show;

use std::io::Write;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use kalah::format_count;

use self::build::BookBuildArgs;
use self::check::BookCheckArgs;
use self::show::BookShowArgs;
use crate::error::CliError;
use crate::output::progress::{enable_tick, new_bar};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A book has the exact margin of every position that a start reaches with at most some number of plies.

Examples:
  kalah book build 4x3 --plies 4 --store 4x3.build --out 4x3.book
  kalah book check 4x3.book
  kalah book show 4x3.book")]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum BookCommand {
    /// Build a book, or resume an interrupted build
    Build(Box<BookBuildArgs>),
    /// Verify a book by the naive rules and another search
    Check(BookCheckArgs),
    /// Count the won, tied and lost positions after each ply
    Show(BookShowArgs),
}

pub(super) fn run(arguments: &BookArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        BookCommand::Build(arguments) => build::run(arguments, output),
        BookCommand::Check(arguments) => check::run(arguments, output),
        BookCommand::Show(arguments) => show::run(arguments, output),
    }
}

/// Returns a bar that shows how many of `leaves` leaves are searched.
fn leaf_bar(leaves: usize) -> ProgressBar {
    const TEMPLATE: &str = "{pos} of {len} leaves {wide_bar} {elapsed}";
    let bar = new_bar(to_u64(leaves));
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    enable_tick(&bar);
    bar
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Returns a number with its noun.
fn count(number: usize, noun: &str) -> String {
    format_count(to_u64(number), noun)
}
