//! What stands before the board as places on the screen.

use ratatui::layout::{Position, Rect};

use super::dialog::{Dialog, Field};
use super::keys::{BINDINGS, Command};
use super::model::Model;

/// The widths of what stands before the board, borders included.
const CHOOSE_WIDTH: u16 = 34;
const FORM_WIDTH: u16 = 52;
const HELP_WIDTH: u16 = 76;

/// Lines below those that can be picked.
const NOTE_LINES: u16 = 2;
const BORDERS: u16 = 2;

/// Keys and what they do, on a board of so many houses a side.
pub(crate) fn help_lines(houses: u8) -> Vec<(String, &'static str)> {
    let row = match houses {
        1 => "A".to_owned(),
        houses => format!("A-{}", char::from(b'A' + houses.saturating_sub(1).min(25))),
    };
    let mut lines = vec![
        (row, "sow that house of your own row, in sowing order"),
        (
            "1-9".to_owned(),
            "sow the house in that column, or with that number",
        ),
        ("mouse".to_owned(), "click a house, a move, or the graph"),
        (
            "+8 ≥+2 ≤-2 ~+4 ?".to_owned(),
            "margins: proven, at least, at most, likely, not known",
        ),
    ];
    let bindings = BINDINGS
        .iter()
        .filter(|binding| binding.command != Command::Back);
    lines.extend(bindings.map(|binding| (binding.all_keys(houses), binding.explained)));
    lines
}

/// The line that the help begins with where its last one is seen.
pub(crate) fn last_help_line(model: &Model) -> u16 {
    let lines = help_lines(model.bout.position().houses()).len();
    let seen = model.size.height.saturating_sub(BORDERS);
    u16::try_from(lines)
        .unwrap_or(u16::MAX)
        .saturating_sub(seen)
}

/// How many lines it has, if there is room.
fn lines(model: &Model, dialog: &Dialog) -> u16 {
    let lines = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    match dialog {
        Dialog::Choose(choose) => lines(choose.items.len()),
        Dialog::NewGame(_) => lines(Field::ALL.len()) + NOTE_LINES,
        Dialog::Save(_) => 1 + NOTE_LINES,
        Dialog::Help(_) => lines(help_lines(model.bout.position().houses()).len()),
    }
}

/// Whether there are lines below those that are seen.
pub(crate) fn has_more(model: &Model, dialog: &Dialog) -> bool {
    let seen = area(model, dialog).height.saturating_sub(BORDERS);
    first_line(model, dialog) + usize::from(seen) < usize::from(lines(model, dialog))
}

/// Where it stands.
pub(crate) fn area(model: &Model, dialog: &Dialog) -> Rect {
    let width = match dialog {
        Dialog::Choose(_) => CHOOSE_WIDTH,
        Dialog::NewGame(_) | Dialog::Save(_) => FORM_WIDTH,
        Dialog::Help(_) => HELP_WIDTH,
    };
    let height = lines(model, dialog) + BORDERS;
    let width = width.min(model.size.width);
    let height = height.min(model.size.height);
    Rect {
        x: (model.size.width - width) / 2,
        y: (model.size.height - height) / 2,
        width,
        height,
    }
}

/// The first line that is seen where not all of them are.
pub(crate) fn first_line(model: &Model, dialog: &Dialog) -> usize {
    let height = usize::from(area(model, dialog).height.saturating_sub(BORDERS));
    let (chosen, lines) = match dialog {
        Dialog::Choose(choose) => (choose.chosen, choose.items.len()),
        Dialog::NewGame(form) => {
            let at = Field::ALL.iter().position(|&field| field == form.field);
            (at.unwrap_or_default(), Field::ALL.len())
        }
        Dialog::Help(from) => {
            let lines = help_lines(model.bout.position().houses()).len();
            return usize::from(*from).min(lines.saturating_sub(height));
        }
        Dialog::Save(_) => return 0,
    };
    (chosen + 1).saturating_sub(height).min(lines)
}

/// The line of it at a place.
pub(crate) fn line_at(model: &Model, at: Position) -> Option<usize> {
    let dialog = model.dialog.as_ref()?;
    let area = super::turns::inside(area(model, dialog));
    area.contains(at)
        .then(|| first_line(model, dialog) + usize::from(at.y - area.y))
}
