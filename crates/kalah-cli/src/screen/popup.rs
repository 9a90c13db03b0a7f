//! What stands before the board as places on the screen.

use ratatui::layout::{Position, Rect};

use super::dialog::{Dialog, Field, SaveAs};
use super::keys::{BINDINGS, Command};
use super::model::Model;
use crate::shown::shown;

/// The widths of what stands before the board, borders included.
const CHOOSE_WIDTH: u16 = 34;
const FORM_WIDTH: u16 = 52;
const HELP_WIDTH: u16 = 76;

/// Where the second column begins.
pub(crate) const SECOND: u16 = 20;

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

/// The help as it is drawn: what is too long for its line goes on in the next.
pub(crate) fn help_page(model: &Model) -> Vec<(String, String)> {
    let room = inner_width(model, HELP_WIDTH).saturating_sub(SECOND.into());
    let mut page = Vec::new();
    for (keys, explained) in help_lines(model.bout.position().houses()) {
        let mut keys = Some(keys);
        for line in wrapped(explained, room) {
            page.push((keys.take().unwrap_or_default(), line));
        }
    }
    page
}

/// What is told below the name of a file.
pub(crate) fn save_note(model: &Model, save: &SaveAs) -> Vec<String> {
    let note = save.problem.as_deref().map(shown);
    let note = note.as_deref().unwrap_or("Enter saves, Esc goes back.");
    wrapped(note, inner_width(model, FORM_WIDTH))
}

fn inner_width(model: &Model, width: u16) -> usize {
    usize::from(width.min(model.size.width).saturating_sub(BORDERS))
}

/// A text in lines of so many characters at most, broken between words where that can be; one line at least.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        while let Some(line) = lines.last_mut() {
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + word.len() <= room {
                line.extend(" ".repeat(space).chars().chain(word));
                break;
            }
            if used == 0 {
                line.extend(word.drain(..room));
            }
            lines.push(String::new());
        }
    }
    lines
}

/// The line that the help begins with where its last one is seen.
pub(crate) fn last_help_line(model: &Model) -> u16 {
    let lines = help_page(model).len();
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
        // The name, and a line between.
        Dialog::Save(save) => lines(save_note(model, save).len() + 2),
        Dialog::Help(_) => lines(help_page(model).len()),
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
            let lines = help_page(model).len();
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
