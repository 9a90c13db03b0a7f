//! What stands before the board as places on the screen.

use kalah_players::escape_truncated;
use ratatui::layout::{Position, Rect};

use super::dialog::{Dialog, NewGameField, SaveDialog};
use super::keys::{BINDINGS, UiCommand};
use super::model::Model;

/// The widths of what stands before the board, borders included.
const MENU_WIDTH: u16 = 34;
const FORM_WIDTH: u16 = 52;
const HELP_WIDTH: u16 = 76;

/// Where the second column begins.
pub(crate) const SECOND_COLUMN: u16 = 20;

/// Lines below those that can be picked.
const NOTE_LINES: u16 = 2;
const BORDER_SIZE: u16 = 2;

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
        .filter(|binding| binding.command != UiCommand::CloseMenu);
    lines.extend(bindings.map(|binding| (binding.key_names(houses), binding.description)));
    lines
}

/// The help as it is drawn: what is too long for its line goes on in the next.
pub(crate) fn wrapped_help(model: &Model) -> Vec<(String, String)> {
    let room = inner_width(model, HELP_WIDTH).saturating_sub(SECOND_COLUMN.into());
    let mut page = Vec::new();
    for (keys, explained) in help_lines(model.session.position().houses()) {
        let mut keys = Some(keys);
        for line in wrap(explained, room) {
            page.push((keys.take().unwrap_or_default(), line));
        }
    }
    page
}

/// What is told below the name of a file.
pub(crate) fn save_note_lines(model: &Model, save: &SaveDialog) -> Vec<String> {
    let note = save.error.as_deref().map(escape_truncated);
    let note = note.as_deref().unwrap_or("Enter saves, Esc goes back.");
    wrap(note, inner_width(model, FORM_WIDTH))
}

fn inner_width(model: &Model, width: u16) -> usize {
    usize::from(width.min(model.size.width).saturating_sub(BORDER_SIZE))
}

/// A text in lines of so many characters at most, broken between words where that can be; one line at least.
fn wrap(text: &str, room: usize) -> Vec<String> {
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
pub(crate) fn max_help_scroll(model: &Model) -> u16 {
    let lines = wrapped_help(model).len();
    let seen = model.size.height.saturating_sub(BORDER_SIZE);
    u16::try_from(lines)
        .unwrap_or(u16::MAX)
        .saturating_sub(seen)
}

/// How many lines it has, if there is room.
fn line_count(model: &Model, dialog: &Dialog) -> u16 {
    let lines = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    match dialog {
        Dialog::Menu(choose) => lines(choose.items.len()),
        Dialog::NewGame(_) => lines(NewGameField::ALL.len()) + NOTE_LINES,
        // The name, and a line between.
        Dialog::Save(save) => lines(save_note_lines(model, save).len() + 2),
        Dialog::Help(_) => lines(wrapped_help(model).len()),
    }
}

/// Whether there are lines below those that are seen.
pub(crate) fn has_more_below(model: &Model, dialog: &Dialog) -> bool {
    let seen = dialog_area(model, dialog)
        .height
        .saturating_sub(BORDER_SIZE);
    first_visible_line(model, dialog) + usize::from(seen) < usize::from(line_count(model, dialog))
}

/// Where it stands.
pub(crate) fn dialog_area(model: &Model, dialog: &Dialog) -> Rect {
    let width = match dialog {
        Dialog::Menu(_) => MENU_WIDTH,
        Dialog::NewGame(_) | Dialog::Save(_) => FORM_WIDTH,
        Dialog::Help(_) => HELP_WIDTH,
    };
    let height = line_count(model, dialog) + BORDER_SIZE;
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
pub(crate) fn first_visible_line(model: &Model, dialog: &Dialog) -> usize {
    let height = usize::from(
        dialog_area(model, dialog)
            .height
            .saturating_sub(BORDER_SIZE),
    );
    let (chosen, lines) = match dialog {
        Dialog::Menu(choose) => (choose.selected, choose.items.len()),
        Dialog::NewGame(form) => {
            let at = NewGameField::ALL
                .iter()
                .position(|&field| field == form.field);
            (at.unwrap_or_default(), NewGameField::ALL.len())
        }
        Dialog::Help(from) => {
            let lines = wrapped_help(model).len();
            return usize::from(*from).min(lines.saturating_sub(height));
        }
        Dialog::Save(_) => return 0,
    };
    (chosen + 1).saturating_sub(height).min(lines)
}

/// The line of it at a place.
pub(crate) fn line_at(model: &Model, at: Position) -> Option<usize> {
    let dialog = model.dialog.as_ref()?;
    let area = super::turns::inner_area(dialog_area(model, dialog));
    area.contains(at)
        .then(|| first_visible_line(model, dialog) + usize::from(at.y - area.y))
}
