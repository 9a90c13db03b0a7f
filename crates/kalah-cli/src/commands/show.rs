use std::io::Write;

use kalah::{BySide, Position};
use serde::Serialize;

use super::write_json;
use crate::arguments::ShowArguments;
use crate::{CliError, Drawing, Notation, Palette};

/// `kalah show --json`.
#[derive(Serialize)]
struct ShowJson {
    position: String,
    rules: String,
    side: &'static str,
    legal: Vec<String>,
    over: bool,
    stores: StoresJson,
}

#[derive(Serialize)]
struct StoresJson {
    south: u16,
    north: u16,
}

impl From<&Position> for ShowJson {
    fn from(position: &Position) -> Self {
        let stores = BySide::from_fn(|side| position.store(side).get());
        Self {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: position.to_move().as_str(),
            legal: position
                .legal_moves()
                .map(|mv| mv.text(position.to_move()))
                .collect(),
            over: position.is_over(),
            stores: StoresJson {
                south: stores.south,
                north: stores.north,
            },
        }
    }
}

pub(super) fn run(
    arguments: &ShowArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    if arguments.json {
        return write_json(output, &ShowJson::from(&position));
    }
    let labels = arguments.position.labels.labels;
    let mut drawing = Drawing::new(&position).labels(labels).palette(palette);
    // Yale's labels say already which row is whose.
    if labels != kalah::Labels::Yale {
        drawing = drawing.names(BySide::new("South", "North"));
    }
    let naming = Notation::new(&position, labels);
    writeln!(output, "{drawing}\n")?;
    match position.outcome() {
        None => {
            let side = position.to_move();
            let name = palette.name(side, &side.to_string());
            writeln!(
                output,
                "To move:  {name}: {}",
                naming.format_legal_moves(&position)
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
    Ok(())
}
