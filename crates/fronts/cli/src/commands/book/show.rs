//! `kalah book show`: the results of the positions of a book.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::{Margin, Position, Side, format_count, format_number};
use kalah_book::Book;
use serde::Serialize;

use crate::error::CliError;
use crate::files::book_file::read_book;
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Positions with different stores count as different ones here, because the result of the game depends
on the stores. Each counts at the least number of plies. Finished games are left out.

Examples:
  kalah book show 6x4.book")]
pub(super) struct BookShowArgs {
    /// The book: the file of `kalah book build --out`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    book: PathBuf,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct BookShowJson {
    board: String,
    rules: String,
    plies: u32,
    /// The margin of the start for South.
    margin: i32,
    results: Vec<PlyResults>,
}

/// The results of the positions after a number of plies, with best play of both sides.
#[derive(Default, Serialize)]
struct PlyResults {
    ply: u32,
    south_wins: u64,
    ties: u64,
    north_wins: u64,
}

impl PlyResults {
    fn positions(&self) -> u64 {
        self.south_wins + self.ties + self.north_wins
    }

    /// Adds a position whose margin South has.
    fn add(&mut self, margin: Margin) {
        *match margin.seeds().signum() {
            1 => &mut self.south_wins,
            0 => &mut self.ties,
            _ => &mut self.north_wins,
        } += 1;
    }
}

pub(super) fn run(arguments: &BookShowArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let book = read_book(&arguments.book).map_err(CliError::Runtime)?;
    let start = book.start();
    let (board, margin) = (
        format!("{}x{}", start.houses, start.seeds),
        book.start_margin(),
    );
    let results = results(&book)?;
    if arguments.json {
        let json = BookShowJson {
            board,
            rules: start.rules.to_string(),
            plies: start.plies,
            margin: margin.seeds(),
            results,
        };
        write_json(output, &json)?;
    } else {
        let plies = format_count(start.plies.into(), "ply");
        writeln!(
            output,
            "Start {board}, rules {}, {plies}: margin {margin}",
            start.rules
        )?;
        write_table(output, &results)?;
    }
    output.flush()?;
    Ok(())
}

/// Returns the results after each number of plies.
fn results(book: &Book) -> Result<Vec<PlyResults>, CliError> {
    let start = book.start();
    let position = start.position();
    let position = position.map_err(|reason| CliError::Runtime(reason.to_string()))?;
    let mut seen = HashSet::from([position.clone()]);
    let (mut layer, mut results) = (vec![position], Vec::new());
    for ply in 0..=start.plies {
        if layer.is_empty() {
            break;
        }
        let mut of_ply = PlyResults {
            ply,
            ..PlyResults::default()
        };
        let mut next = Vec::new();
        for position in layer {
            let gain = book.gain(&position).ok_or_else(|| missing(&position))?;
            let margin = position.margin(gain);
            of_ply.add(match position.to_move() {
                Side::South => margin,
                Side::North => -margin,
            });
            if ply < start.plies {
                let unseen = children(&position).filter(|child| seen.insert(child.clone()));
                next.extend(unseen);
            }
        }
        results.push(of_ply);
        layer = next;
    }
    Ok(results)
}

/// Returns the positions after each move that are not over.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    position.legal_moves().filter_map(|mv| {
        let mut next = position.clone();
        next.play(mv).ok()?;
        (!next.is_over()).then_some(next)
    })
}

fn missing(position: &Position) -> CliError {
    CliError::Runtime(format!("the book does not have '{position}'"))
}

fn write_table(output: &mut dyn Write, results: &[PlyResults]) -> Result<(), CliError> {
    writeln!(
        output,
        "{:>3} {:>10} {:>10} {:>10} {:>10}",
        "ply", "positions", "South wins", "ties", "North wins"
    )?;
    for of_ply in results {
        let [all, south, ties, north] = [
            of_ply.positions(),
            of_ply.south_wins,
            of_ply.ties,
            of_ply.north_wins,
        ]
        .map(format_number);
        writeln!(
            output,
            "{:>3} {all:>10} {south:>10} {ties:>10} {north:>10}",
            of_ply.ply
        )?;
    }
    Ok(())
}
