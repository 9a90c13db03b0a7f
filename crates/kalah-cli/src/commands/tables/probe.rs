//! `kalah tables probe`.

use std::io::Write;

use indicatif::BinaryBytes;
use kalah::{FirstPlies, Margin, Move, Position};
use kalah_tables::{Table, Variant};
use kalah_tui::Notation;
use serde::Serialize;

use crate::args::tables::TablesProbeArgs;
use crate::error::CliError;
use crate::files::table_folder::TableFolder;
use crate::output::messages::{quoted_path, write_json};

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

pub(super) fn run(arguments: &TablesProbeArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let table = find_table(&position, arguments)?;
    let margin_of = |position: &Position| margin(position, table.as_ref());
    let margin = margin_of(&position)?;
    let side = position.to_move();
    let mut moves = Vec::new();
    for house in position.legal_houses() {
        let mut next = position.clone();
        let mv = Move::Sow(house);
        // Sowing a legal house never fails.
        if next.play(mv).is_ok() {
            let margin = margin_of(&next)?;
            let is_bonus_turn = next.to_move() == side;
            moves.push((mv, if is_bonus_turn { margin } else { -margin }));
        }
    }
    if arguments.json {
        let moves = moves.into_iter().map(|(mv, margin)| TableMoveJson {
            mv: mv.text(side),
            margin: margin.seeds(),
        });
        let json = ProbeJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: side.as_str(),
            margin: margin.seeds(),
            moves: moves.collect(),
        };
        return write_json(output, &json);
    }
    let notation = Notation::new(&position, arguments.position.labels.labels);
    if position.is_over() {
        writeln!(output, "The game is over: {margin} for {side}")?;
    } else {
        writeln!(output, "{side} to move: {margin}")?;
    }
    for (mv, move_margin) in moves {
        let star = if move_margin == margin { " *" } else { "" };
        let name = notation.format_move(side, mv);
        writeln!(output, "{name}: {move_margin}{star}")?;
    }
    Ok(())
}

/// Returns the smallest table with the position; `None` if the game is over, because no table is
/// needed then.
fn find_table(position: &Position, arguments: &TablesProbeArgs) -> Result<Option<Table>, CliError> {
    if position.is_over() {
        return Ok(None);
    }
    if position.first_plies() != FirstPlies::Later {
        return Err(CliError::Usage(format!(
            "tables have no positions before ply 3, such as `{position}` under the rules {}",
            position.rules()
        )));
    }
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let variant = Variant::from_position(position);
    let seeds = position.seeds_in_play().get();
    if let Some(path) = folder.find_smallest(variant, seeds.into())? {
        return Ok(Some(Table::open(&path)?));
    }
    let (houses, rules) = (variant.houses(), variant.rules());
    let positions = u8::try_from(seeds).map(|seeds| Table::positions(variant, seeds));
    let advice = match positions {
        Ok(Ok(positions)) => format!(
            "; `kalah tables build --houses {houses} --seeds {seeds} --rules {rules}` builds one with \
             {}",
            BinaryBytes(positions)
        ),
        Ok(Err(_)) | Err(_) => String::new(),
    };
    Err(CliError::Runtime(format!(
        "no table in {} contains `{position}` under the rules {rules}{advice}",
        quoted_path(folder.path())
    )))
}

/// Returns the margin of the side to move.
fn margin(position: &Position, table: Option<&Table>) -> Result<Margin, CliError> {
    if position.is_over() {
        return Ok(position.lead());
    }
    let gain = table.and_then(|table| table.probe(position));
    let missing = || CliError::Runtime(format!("the table does not contain `{position}`"));
    Ok(position.margin(gain.ok_or_else(missing)?))
}
