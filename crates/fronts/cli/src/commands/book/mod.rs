//! `kalah book`: opening books of exact gains.

mod build;
mod build_store;
mod check;

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};
use kalah::format_number;
use kalah_book::Book;
use kalah_players::{escape_control, quoted_path};

use self::build::BookBuildArgs;
use self::check::BookCheckArgs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A book has the exact margin of every position that a start reaches with some number of plies.

Examples:
  kalah book build 4x3 --plies 4 --store 4x3.build --out 4x3.book
  kalah book check 4x3.book")]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum BookCommand {
    /// Build a book, or resume an interrupted build
    Build(Box<BookBuildArgs>),
    /// Verify a book without the code that made it
    Check(BookCheckArgs),
}

pub(super) fn run(arguments: &BookArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        BookCommand::Build(arguments) => build::run(arguments, output),
        BookCommand::Check(arguments) => check::run(arguments, output),
    }
}

/// Reads the file of a book.
fn read_book(path: &Path) -> Result<Book, CliError> {
    let error = |reason: String| {
        let path = quoted_path(path);
        CliError::Runtime(format!("cannot read {path}: {}", escape_control(&reason)))
    };
    let bytes = fs::read(path).map_err(|reason| error(reason.to_string()))?;
    Book::parse(&bytes).map_err(|reason| error(reason.to_string()))
}

/// Returns a number with its thousands separated.
fn format_usize(number: usize) -> String {
    format_number(u64::try_from(number).unwrap_or(u64::MAX))
}
