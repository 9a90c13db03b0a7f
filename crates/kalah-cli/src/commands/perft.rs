use std::io::Write;

use kalah::{Move, Position, perft};
use serde::Serialize;

use super::write_json;
use crate::arguments::PerftArguments;
use crate::{CliError, Notation};

/// `kalah perft --json`.
#[derive(Serialize)]
struct PerftJson {
    position: String,
    rules: String,
    counts: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<PerftMoveJson>>,
}

/// The part of the longest sequences that begins with one choice.
#[derive(Serialize)]
struct PerftMoveJson {
    #[serde(rename = "choice")]
    mv: String,
    count: u64,
}

pub(super) fn run(arguments: &PerftArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let width = arguments.depth.to_string().len();
    let mut counts = Vec::new();
    for depth in 1..=arguments.depth {
        let count = perft(&position, depth);
        counts.push(count);
        if !arguments.json {
            // Each as soon as it is known: the next one takes several times as long.
            writeln!(output, "{depth:width$}  {count}")?;
            output.flush()?;
            if count == 0 {
                // Nothing goes on from here.
                break;
            }
        }
    }
    let parts = arguments
        .divide
        .then(|| divide(&position, arguments.depth).collect::<Vec<_>>());
    if arguments.json {
        let divide = parts.map(|parts| {
            let named = parts.into_iter().map(|(mv, count)| PerftMoveJson {
                mv: mv.text(position.to_move()),
                count,
            });
            named.collect()
        });
        return write_json(
            output,
            &PerftJson {
                position: position.to_string(),
                rules: position.rules().to_string(),
                counts,
                divide,
            },
        );
    }
    let naming = Notation::new(&position, arguments.position.labels.labels);
    for (mv, count) in parts.into_iter().flatten() {
        let mv = naming.format_move(position.to_move(), mv);
        writeln!(output, "{mv}: {count}")?;
    }
    Ok(())
}

/// How many sequences of `depth` plies, at least one, begin with each choice.
fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (Move, u64)> {
    position.legal_moves().filter_map(move |mv| {
        let mut next = position.clone();
        next.play(mv).ok()?;
        Some((mv, perft(&next, depth - 1)))
    })
}
