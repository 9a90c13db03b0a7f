use std::io::Write;

use indicatif::BinaryBytes;
use kalah::{FirstPlies, Margin, Move, Position};
use kalah_tables::{Table, Variant};
use serde::Serialize;

use super::quoted_path;
use crate::commands::write_json;
use crate::{CliError, Notation, ProbeTableArguments, TableFolder};

/// `kalah tables probe --json`.
#[derive(Serialize)]
struct ProbeJson {
    position: String,
    rules: String,
    side: &'static str,
    margin: i32,
    moves: Vec<TableMoveJson>,
}

/// A legal sowing, in house order.
#[derive(Serialize)]
struct TableMoveJson {
    #[serde(rename = "move")]
    mv: String,
    margin: i32,
}

pub(super) fn run(arguments: &ProbeTableArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let table = find_table(&position, arguments)?;
    let margin_of = |position: &Position| margin(position, table.as_ref());
    let margin = margin_of(&position)?;
    let side = position.to_move();
    let mut moves = Vec::new();
    for house in position.legal_houses() {
        let mut next = position.clone();
        let mv = Move::Sow(house);
        // Of the houses that may be sown none is refused.
        if next.play(mv).is_ok() {
            let theirs = margin_of(&next)?;
            let ours = if next.to_move() == side {
                theirs
            } else {
                -theirs
            };
            moves.push((mv, ours));
        }
    }
    if arguments.json {
        let moves = moves.into_iter().map(|(mv, margin)| TableMoveJson {
            mv: mv.text(side),
            margin: margin.seeds(),
        });
        let probed = ProbeJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: side.as_str(),
            margin: margin.seeds(),
            moves: moves.collect(),
        };
        return write_json(output, &probed);
    }
    let naming = Notation::new(&position, arguments.position.labels.labels);
    if position.is_over() {
        writeln!(output, "The game is over: {margin} for {side}")?;
    } else {
        writeln!(output, "{side} to move: {margin}")?;
    }
    for (mv, ours) in moves {
        let best = if ours == margin { " *" } else { "" };
        writeln!(output, "{}: {ours}{best}", naming.format_move(side, mv))?;
    }
    Ok(())
}

/// The table that knows the position; `None` if the game is over, and nothing has to be known.
fn find_table(
    position: &Position,
    arguments: &ProbeTableArguments,
) -> Result<Option<Table>, CliError> {
    if position.is_over() {
        return Ok(None);
    }
    if position.first_plies() != FirstPlies::Later {
        return Err(CliError::Usage(format!(
            "tables begin behind ply 2, and under the rules {} ply 1 or 2 of `{position}` is still to come",
            position.rules()
        )));
    }
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let (variant, seeds) = (Variant::from_position(position), seeds_in_play(position));
    if let Some(path) = folder.find_smallest(variant, seeds)? {
        return Ok(Some(Table::open(&path)?));
    }
    let (houses, rules) = (variant.houses(), variant.rules());
    let positions = u8::try_from(seeds).map(|seeds| Table::positions(variant, seeds));
    let way_out = match positions {
        Ok(Ok(positions)) => format!(
            "; `kalah tables build --houses {houses} --seeds {seeds} --rules {rules}` builds one of {}",
            BinaryBytes(positions)
        ),
        Ok(Err(_)) | Err(_) => String::new(),
    };
    Err(CliError::Runtime(format!(
        "no table in {} knows `{position}` under the rules {rules}{way_out}",
        quoted_path(folder.path())
    )))
}

/// Seeds in the houses.
fn seeds_in_play(position: &Position) -> u32 {
    let row = |side| u32::from(position.row_total(side).get());
    row(position.to_move()) + row(position.to_move().opponent())
}

/// The margin for the side to move.
fn margin(position: &Position, table: Option<&Table>) -> Result<Margin, CliError> {
    if position.is_over() {
        return Ok(position.lead());
    }
    let gain = table.and_then(|table| table.probe(position));
    let unknown = || CliError::Runtime(format!("the table does not know `{position}`"));
    Ok(position.margin(gain.ok_or_else(unknown)?))
}
