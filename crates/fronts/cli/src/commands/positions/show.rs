//! `kalah show`.

use std::io::Write;
use std::num::NonZeroUsize;

use clap::Args;
use kalah::{BySide, Labels, Position};
use kalah_api::PositionView;
use kalah_text::{BoardDrawing, Notation, Palette, opening_note};

use crate::args::position::{Positions, PositionsArgs};
use crate::batch::{BatchCommand, BatchOptions, CsvRows, ItemKind, LineSource, run_batch};
use crate::error::CliError;
use crate::output::messages::{PositionJson, write_position_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
`kalah help analyze` describes files of positions.

Examples:
  kalah show 6x4
  kalah show 6x4 --line 'CF a'
  kalah show game.kgn#1@12
  kalah show positions.txt --csv
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --labels yale
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --json")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    positions: PositionsArgs,
    #[command(flatten)]
    batch: BatchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(
    arguments: &ShowArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    match arguments.positions.to_positions()? {
        Positions::One(position) => {
            arguments.batch.refuse_for_one(ItemKind::Line)?;
            show_one(arguments, &position, output, palette)
        }
        Positions::Lines(source) => show_lines(arguments, source, output),
    }
}

/// Writes a row for each line.
fn show_lines(
    arguments: &ShowArgs,
    source: LineSource,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let context = &arguments.positions.context;
    let command = context.add_to(BatchCommand::new("show"));
    let (batch, jobs) = (&arguments.batch, NonZeroUsize::MIN);
    run_batch(source, &command, batch, jobs, output, || {
        |text: &str| {
            let position = context.position_of_text(text);
            Some(position.map(|position| {
                let view = PositionView::from(&position);
                PositionJson::new(&position, view)
            }))
        }
    })
}

impl CsvRows for PositionJson<PositionView> {
    const COLUMNS: &[&str] = &[
        "position",
        "rules",
        "to_move",
        "legal_moves",
        "is_over",
        "program",
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let PositionView {
            position,
            rules,
            to_move,
            legal_moves,
            is_over,
            ..
        } = &self.value;
        vec![vec![
            position.clone(),
            rules.clone(),
            to_move.to_string().to_lowercase(),
            legal_moves.join(" "),
            is_over.to_string(),
            self.program.to_owned(),
        ]]
    }
}

fn show_one(
    arguments: &ShowArgs,
    position: &Position,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    if arguments.json {
        let view = PositionView::from(position);
        return Ok(write_position_json(output, position, &view)?);
    }
    let labels = arguments.positions.context.labels();
    let mut drawing = BoardDrawing::new(position).labels(labels).palette(palette);
    // Yale's labels contain the side.
    if labels != Labels::Yale {
        drawing = drawing.names(BySide::new("South", "North"));
    }
    let notation = Notation::new(position, labels);
    writeln!(output, "{drawing}\n")?;
    match position.outcome() {
        None => {
            let side = position.to_move();
            let name = palette.name(side, &side.to_string());
            writeln!(
                output,
                "To move:  {name}: {}",
                notation.format_legal_moves(position)
            )?;
        }
        Some(outcome) => match outcome.winner() {
            Some(winner) => {
                let name = palette.name(winner, &winner.to_string());
                writeln!(output, "Over:     {name} wins {outcome}")?;
            }
            None => writeln!(output, "Over:     Tie {outcome}")?,
        },
    }
    writeln!(output, "Rules:    {}", position.rules())?;
    writeln!(output, "Position: '{position}'")?;
    if let Some(note) = opening_note(position) {
        writeln!(output, "{note}")?;
    }
    Ok(())
}
