//! `kalah frame`.

use std::io::Write;

use clap::Args;
use kalah::{BoardFrame, PitFrame, Side};
use serde::Serialize;

use crate::args::values::whole_number_parser;
use crate::error::CliError;
use crate::output::messages::write_json;

/// The maximum of `kalah frame HOUSES`. The output grows with the number of houses.
const MAX_FRAME_HOUSES: u32 = 10_000;

#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah frame 6
  kalah frame 6 --json")]
pub(crate) struct FrameArgs {
    /// Houses a side
    #[arg(value_name = "HOUSES", value_parser = whole_number_parser(1, MAX_FRAME_HOUSES))]
    houses: u32,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The text of a function without a result.
const NONE_TEXT: &str = "none";

/// `kalah frame --json`.
#[derive(Serialize)]
struct FrameJson {
    pits: Vec<PitJson>,
}

#[derive(Serialize)]
struct PitJson {
    owner: &'static str,
    number: u32,
    label: String,
    next: String,
    opposite: Option<String>,
}

impl From<PitFrame> for PitJson {
    fn from(pit: PitFrame) -> Self {
        Self {
            owner: pit.owner().as_str(),
            number: pit.number(),
            label: pit.label().to_string(),
            next: pit.next().label().to_string(),
            opposite: pit.opposite().map(|opposite| opposite.label().to_string()),
        }
    }
}

/// Runs Yale's test program: it prints the board and the results of all functions of its two
/// classes, goes around the board once, and prints each house with its opposite house.
pub(super) fn run(arguments: FrameArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let Some(board) = BoardFrame::new(arguments.houses) else {
        return Err(CliError::Usage(
            "a board has at least one house a side".to_owned(),
        ));
    };
    if arguments.json {
        let pits = board.pits().map(PitJson::from).collect();
        return Ok(write_json(output, &FrameJson { pits })?);
    }
    writeln!(output, "The board:\n{board}\n")?;
    write_board_functions(board, output)?;
    write_pit_functions(board, output)?;

    if let Some(first) = board.pits().next() {
        writeln!(output, "Once around, {}.around():", first.label())?;
        for pit in first.around() {
            writeln!(output, "{pit}")?;
        }
    }
    writeln!(output, "\nHouses and their opposites:")?;
    for pit in board.pits() {
        if let Some(opposite) = pit.opposite() {
            writeln!(output, "{} faces {}", pit.label(), opposite.label())?;
        }
    }
    Ok(())
}

fn write_board_functions(board: BoardFrame, output: &mut dyn Write) -> Result<(), CliError> {
    let houses = board.houses();
    let count = board.pits().count();
    writeln!(output, "Functions of the board:")?;
    writeln!(output, "new({houses}) = a board")?;
    writeln!(output, "houses() = {houses}")?;
    writeln!(output, "pits() = {count} pits")?;
    for owner in Side::ALL {
        for number in 0..=houses + 1 {
            match board.pit(owner, number) {
                Some(pit) => {
                    let label = pit.label();
                    writeln!(output, "pit({owner}, {number}) = {label}")?;
                    let pit = board.pit_by_label(label).map(PitFrame::label);
                    let pit = pit.map_or_else(|| NONE_TEXT.to_owned(), |label| label.to_string());
                    writeln!(output, "labelled({label}) = {pit}")?;
                }
                None => writeln!(output, "pit({owner}, {number}) = {NONE_TEXT}")?,
            }
        }
    }
    writeln!(output)?;
    Ok(())
}

fn write_pit_functions(board: BoardFrame, output: &mut dyn Write) -> Result<(), CliError> {
    writeln!(output, "Functions of the pits:")?;
    for pit in board.pits() {
        let label = pit.label();
        writeln!(output, "{label}.owner() = {}", pit.owner())?;
        writeln!(output, "{label}.number() = {}", pit.number())?;
        writeln!(output, "{label}.label() = {label}")?;
        writeln!(output, "{label}.is_store() = {}", pit.is_store())?;
        writeln!(output, "{label}.next() = {}", pit.next().label())?;
        match pit.opposite() {
            Some(opposite) => writeln!(output, "{label}.opposite() = {}", opposite.label())?,
            None => writeln!(output, "{label}.opposite() = {NONE_TEXT}")?,
        }
    }
    writeln!(output)?;
    Ok(())
}
