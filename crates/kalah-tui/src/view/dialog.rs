//! Dialogs: their layout in front of the board, and their contents.

use std::borrow::Cow;

use kalah::{Labels, Side};
use kalah_players::{PlayerSpec, escape_control};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Widget as _};
use tui_input::Input;

use super::command_name;
use super::theme::{BOLD, DIM, SELECTED, draw_text, inner_area};
use crate::dialog::{Dialog, MenuDialog, NewGameDialog, NewGameField, SaveDialog};
use crate::keys::{BINDINGS, KeyBinding, UiCommand};
use crate::model::Model;

/// The widths of the dialogs, including borders.
const MENU_WIDTH: u16 = 34;
const FORM_WIDTH: u16 = 52;
const HELP_WIDTH: u16 = 76;

/// The column of a key in a menu.
const MENU_KEY_COLUMN: u16 = 24;
/// The column of a value in a form, and of a description in the help.
const SECOND_COLUMN: u16 = 20;

/// The lines above the note of the dialog for a new game: the fields and an empty line.
const NEW_GAME_LINES: usize = NewGameField::ALL.len() + 1;
/// The lines above the note of the dialog that saves: the file name and an empty line.
const SAVE_LINES: usize = 2;
/// Two borders.
const BORDER_SIZE: u16 = 2;

/// Returns the keys and their descriptions for a board with this number of houses of a side.
pub(crate) fn help_lines(houses: u8, labels: Labels) -> Vec<(String, &'static str)> {
    let row = match houses {
        1 => "A".to_owned(),
        houses => format!("A-{}", char::from(b'A' + houses.saturating_sub(1).min(25))),
    };
    let digits = match labels {
        Labels::Columns | Labels::Yale => "sow the house with that number",
        Labels::Letters => "sow the house in that column",
    };
    let mut lines = vec![
        (row, "sow that house of your own row, in sowing order"),
        ("1-9".to_owned(), digits),
        ("mouse".to_owned(), "click a house, a move, or the graph"),
        ("+8 ~+4".to_owned(), "margins: proven, estimate"),
    ];
    let bindings = BINDINGS
        .iter()
        .filter(|binding| binding.command != UiCommand::CloseMenu);
    lines.extend(bindings.map(|binding| (binding.key_names(houses), binding.description)));
    lines
}

/// Returns the lines of the help, in which long descriptions take several lines.
fn wrapped_help(model: &Model) -> Vec<(String, String)> {
    let width = inner_width(model, HELP_WIDTH).saturating_sub(SECOND_COLUMN.into());
    let mut lines = Vec::new();
    for (keys, description) in help_lines(model.session.position().houses(), model.labels) {
        let mut keys = Some(keys);
        for line in textwrap::wrap(description, width.max(1)) {
            lines.push((keys.take().unwrap_or_default(), line.into_owned()));
        }
    }
    lines
}

/// A note in the last lines of a form.
struct Note {
    text: String,
    style: Style,
}

impl Note {
    fn error(model: &Model, text: &str) -> Self {
        Self {
            text: escape_control(text),
            style: model.theme.error,
        }
    }

    fn keys(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            style: DIM,
        }
    }

    fn for_new_game(model: &Model, dialog: &NewGameDialog) -> Self {
        match &dialog.error {
            Some(error) => Self::error(model, error),
            None if model.is_unsaved() => Self::error(model, "The current game is not saved."),
            None => Self::keys("Arrows: change. Enter: start. Esc: back."),
        }
    }

    fn for_saving(model: &Model, dialog: &SaveDialog) -> Self {
        match &dialog.error {
            Some(error) => Self::error(model, error),
            None => Self::keys("Enter: save. Esc: back."),
        }
    }

    fn lines(&self, model: &Model) -> Vec<Cow<'_, str>> {
        textwrap::wrap(&self.text, inner_width(model, FORM_WIDTH).max(1))
    }
}

/// Returns the width inside the borders of a dialog of this width, or of the screen if that is
/// smaller.
fn inner_width(model: &Model, width: u16) -> usize {
    usize::from(width.min(model.size.width).saturating_sub(BORDER_SIZE))
}

/// Returns the first visible line of the help that is scrolled to its end.
pub(crate) fn max_help_scroll(model: &Model) -> u16 {
    let lines = u16::try_from(wrapped_help(model).len()).unwrap_or(u16::MAX);
    let height = model.size.height.saturating_sub(BORDER_SIZE);
    lines.saturating_sub(height)
}

fn line_count(model: &Model, dialog: &Dialog) -> usize {
    match dialog {
        Dialog::Menu(menu) => menu.items.len(),
        Dialog::NewGame(dialog) => {
            NEW_GAME_LINES + Note::for_new_game(model, dialog).lines(model).len()
        }
        Dialog::Save(dialog) => SAVE_LINES + Note::for_saving(model, dialog).lines(model).len(),
        Dialog::Help(_) => wrapped_help(model).len(),
    }
}

/// Returns the area of a dialog, including its border.
fn dialog_area(model: &Model, dialog: &Dialog) -> Rect {
    let width = match dialog {
        Dialog::Menu(_) => MENU_WIDTH,
        Dialog::NewGame(_) | Dialog::Save(_) => FORM_WIDTH,
        Dialog::Help(_) => HELP_WIDTH,
    };
    let lines = u16::try_from(line_count(model, dialog)).unwrap_or(u16::MAX);
    let width = width.min(model.size.width);
    let height = lines.saturating_add(BORDER_SIZE).min(model.size.height);
    Rect {
        x: (model.size.width - width) / 2,
        y: (model.size.height - height) / 2,
        width,
        height,
    }
}

/// Returns the first visible line of a dialog, so that its selected line is visible.
fn first_visible_line(model: &Model, dialog: &Dialog) -> usize {
    let height = usize::from(inner_area(dialog_area(model, dialog)).height);
    let selected = match dialog {
        Dialog::Menu(menu) => menu.selected,
        Dialog::NewGame(dialog) => dialog.field.index(),
        Dialog::Help(scroll) => {
            let max_scroll = wrapped_help(model).len().saturating_sub(height);
            return usize::from(*scroll).min(max_scroll);
        }
        Dialog::Save(_) => return 0,
    };
    (selected + 1).saturating_sub(height)
}

/// Returns the line of the dialog at a cell.
pub(crate) fn line_at(model: &Model, at: Position) -> Option<usize> {
    let dialog = model.dialog.as_ref()?;
    let area = inner_area(dialog_area(model, dialog));
    area.contains(at)
        .then(|| first_visible_line(model, dialog) + usize::from(at.y - area.y))
}

/// Draws a dialog.
pub(super) fn draw(model: &Model, dialog: &Dialog, frame: &mut Frame) {
    let area = dialog_area(model, dialog);
    let inner = inner_area(area);
    let title = match dialog {
        Dialog::Help(_) => "Keys",
        Dialog::Menu(menu) => menu.title,
        Dialog::NewGame(_) => "New game",
        Dialog::Save(_) => "Save the game to",
    };
    let first_line = first_visible_line(model, dialog);
    let has_more_below = first_line + usize::from(inner.height) < line_count(model, dialog);
    let mut block = Block::bordered()
        .border_type(BorderType::Double)
        .title(format!(" {title} "));
    if has_more_below {
        block = block.title_bottom(" ↓ more ");
    }
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let second_column = match dialog {
        Dialog::Menu(_) => MENU_KEY_COLUMN,
        Dialog::NewGame(_) | Dialog::Save(_) | Dialog::Help(_) => SECOND_COLUMN,
    };
    let mut writer = DialogWriter {
        area: inner,
        second_column,
        first_line,
        line: 0,
        buffer: frame.buffer_mut(),
    };
    match dialog {
        Dialog::Help(_) => {
            for (keys, description) in wrapped_help(model) {
                writer.write_line(&keys, &description, Style::new());
            }
        }
        Dialog::Menu(menu) => draw_menu(model, menu, &mut writer),
        Dialog::NewGame(dialog) => draw_new_game(model, dialog, &mut writer),
        Dialog::Save(dialog) => draw_save(model, dialog, &mut writer),
    }
}

/// Writes lines from the top, and skips the lines outside of the visible area.
struct DialogWriter<'a> {
    area: Rect,
    second_column: u16,
    first_line: usize,
    /// The number of written lines, including invisible ones.
    line: usize,
    buffer: &'a mut Buffer,
}

impl DialogWriter<'_> {
    /// Writes a line with two columns.
    fn write_line(&mut self, first: &str, second: &str, style: Style) {
        let visible_line = self.line.checked_sub(self.first_line);
        self.line += 1;
        let Some(row) = visible_line.and_then(|line| self.area.rows().nth(line)) else {
            return;
        };
        self.buffer.set_style(row, style);
        draw_text(first, style, row, self.buffer);
        let column = Rect {
            x: row.x + self.second_column,
            width: row.width.saturating_sub(self.second_column),
            ..row
        };
        if !column.is_empty() && !second.is_empty() {
            draw_text(second, style, column, self.buffer);
        }
    }

    fn write_note(&mut self, model: &Model, note: &Note) {
        for line in note.lines(model) {
            self.write_line(&line, "", note.style);
        }
    }
}

fn selection_style(is_selected: bool) -> Style {
    if is_selected { SELECTED } else { Style::new() }
}

/// Returns the sign in front of a line.
fn selection_sign(is_selected: bool) -> &'static str {
    if is_selected { "▸ " } else { "  " }
}

fn draw_menu(model: &Model, menu: &MenuDialog, writer: &mut DialogWriter) {
    let houses = model.session.position().houses();
    for (index, &command) in menu.items.iter().enumerate() {
        let binding = KeyBinding::for_command(command);
        let name = match command {
            UiCommand::ConfirmResign => "resign".to_owned(),
            UiCommand::SaveAndQuit => "save it and quit".to_owned(),
            UiCommand::ConfirmNewGame => "new game without saving".to_owned(),
            UiCommand::ConfirmQuit => "quit without saving".to_owned(),
            UiCommand::NextMistake => "worst moves".to_owned(),
            UiCommand::CycleSpeed => format!("speed: {}", model.speed.as_str()),
            UiCommand::ToggleMargins if model.margins.is_shown => "hide margins".to_owned(),
            UiCommand::ToggleMargins => "show margins".to_owned(),
            _ => binding.map_or_else(String::new, |binding| {
                command_name(model, binding).to_owned()
            }),
        };
        let key = binding.and_then(|binding| binding.key_name(houses));
        let is_selected = index == menu.selected;
        writer.write_line(
            &format!("{}{name}", selection_sign(is_selected)),
            &key.unwrap_or_default(),
            selection_style(is_selected),
        );
    }
}

fn draw_new_game(model: &Model, dialog: &NewGameDialog, writer: &mut DialogWriter) {
    for field in NewGameField::ALL {
        let is_selected = field == dialog.field;
        let value = match field {
            NewGameField::South => player_label(dialog.specs[Side::South]),
            NewGameField::North => player_label(dialog.specs[Side::North]),
            NewGameField::Rules => dialog.rules.to_string(),
            NewGameField::Houses => dialog.houses.to_string(),
            NewGameField::Seeds => dialog.seeds.to_string(),
            NewGameField::StartGame => String::new(),
        };
        let value = match field {
            NewGameField::StartGame => value,
            _ if is_selected => format!("◂ {value} ▸"),
            _ => format!("  {value}"),
        };
        writer.write_line(
            &format!("{}{}", selection_sign(is_selected), field.label()),
            &value,
            selection_style(is_selected),
        );
    }
    writer.write_line("", "", Style::new());
    writer.write_note(model, &Note::for_new_game(model, dialog));
}

/// Returns the text of a player: `Human`, `Level 1`, `Smart 100ms`.
fn player_label(spec: PlayerSpec) -> String {
    let mut label = spec.to_string().replacen(':', " ", 1);
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    label
}

fn draw_save(model: &Model, dialog: &SaveDialog, writer: &mut DialogWriter) {
    draw_file_name(&dialog.file_name, writer.area, writer.buffer);
    writer.line = SAVE_LINES;
    writer.write_note(model, &Note::for_saving(model, dialog));
}

/// Draws the file name in the first line of `area`, scrolled so that the cursor is visible.
fn draw_file_name(file_name: &Input, area: Rect, buffer: &mut Buffer) {
    let row = Rect { height: 1, ..area }.intersection(area);
    let scroll = file_name.visual_scroll(usize::from(row.width).saturating_sub(1));
    let column = file_name.visual_cursor().saturating_sub(scroll);
    let [scroll, column] = [scroll, column].map(|width| u16::try_from(width).unwrap_or(u16::MAX));
    Paragraph::new(Line::styled(file_name.value(), BOLD))
        .scroll((0, scroll))
        .render(row, buffer);
    let cursor = Rect {
        x: row.x.saturating_add(column),
        width: 1,
        ..row
    };
    buffer.set_style(cursor.intersection(row), SELECTED);
}
