//! `kalah show`.

use std::io::Write;

use clap::Args;
use kalah::{BySide, Labels};
use kalah_api::PositionView;
use kalah_text::{BoardDrawing, Notation, Palette, opening_note};

use crate::args::values::PositionArgs;
use crate::error::CliError;
use crate::output::messages::write_position_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah show 6x4
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --labels yale
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --json")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(
    arguments: &ShowArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    if arguments.json {
        let view = PositionView::from(&position);
        return Ok(write_position_json(output, &position, &view)?);
    }
    let labels = arguments.position.labels.labels;
    let mut drawing = BoardDrawing::new(&position).labels(labels).palette(palette);
    // Yale's labels contain the side.
    if labels != Labels::Yale {
        drawing = drawing.names(BySide::new("South", "North"));
    }
    let notation = Notation::new(&position, labels);
    writeln!(output, "{drawing}\n")?;
    match position.outcome() {
        None => {
            let side = position.to_move();
            let name = palette.name(side, &side.to_string());
            writeln!(
                output,
                "To move:  {name}: {}",
                notation.format_legal_moves(&position)
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
    if let Some(note) = opening_note(&position) {
        writeln!(output, "{note}")?;
    }
    Ok(())
}
