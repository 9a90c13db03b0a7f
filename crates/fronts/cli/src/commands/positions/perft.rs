//! `kalah perft`.

use std::io::Write;

use clap::Args;
use kalah::{Move, Position, perft};
use kalah_text::Notation;
use serde::Serialize;

use crate::args::position::PositionArgs;
use crate::args::values::whole_number_parser;
use crate::error::CliError;
use crate::output::messages::write_program_json;

/// The maximum of `kalah perft DEPTH`.
const MAX_PERFT_DEPTH: u32 = 1000;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each line has a number of plies and the number of sequences with exactly that many plies. A swap is
a ply. The output ends with the first number of sequences that is 0.

Examples:
  kalah perft 6x4 6
  kalah perft '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' 5 --rules standard --divide
  kalah perft 6x4 6 --json")]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// The maximum number of plies
    #[arg(value_parser = whole_number_parser(1, MAX_PERFT_DEPTH))]
    depth: u32,
    /// Also print how many of the longest sequences begin with each move
    #[arg(long)]
    divide: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// `kalah perft --json`.
#[derive(Serialize)]
struct PerftJson {
    position: String,
    rules: String,
    counts: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<PerftMoveJson>>,
}

/// The number of the longest sequences that begin with one move.
#[derive(Serialize)]
struct PerftMoveJson {
    #[serde(rename = "move")]
    mv: String,
    count: u64,
}

pub(crate) fn run(arguments: &PerftArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let width = arguments.depth.to_string().len();
    let mut counts = Vec::new();
    for depth in 1..=arguments.depth {
        let count = perft(&position, depth);
        counts.push(count);
        if !arguments.json {
            // The next count takes several times as long.
            writeln!(output, "{depth:width$}  {count}")?;
            output.flush()?;
            if count == 0 {
                // All further counts are 0, too.
                break;
            }
        }
    }
    let parts = arguments
        .divide
        .then(|| divide(&position, arguments.depth).collect::<Vec<_>>());
    if arguments.json {
        let divide = parts.map(|parts| {
            let moves = parts.into_iter().map(|(mv, count)| PerftMoveJson {
                mv: mv.text(position.to_move()),
                count,
            });
            moves.collect()
        });
        return Ok(write_program_json(
            output,
            &PerftJson {
                position: position.to_string(),
                rules: position.rules().to_string(),
                counts,
                divide,
            },
        )?);
    }
    let notation = Notation::new(&position, arguments.position.labels());
    for (mv, count) in parts.into_iter().flatten() {
        let mv = notation.format_move(position.to_move(), mv);
        writeln!(output, "{mv}: {count}")?;
    }
    Ok(())
}

/// Returns the number of sequences of `depth` plies that begin with each move. `depth` is at least
/// 1.
fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (Move, u64)> {
    position.legal_moves().filter_map(move |mv| {
        let mut next = position.clone();
        next.play(mv).ok()?;
        Some((mv, perft(&next, depth - 1)))
    })
}
