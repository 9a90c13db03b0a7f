use kalah::Side;
use kalah_engine::LevelNumber;
use kalah_players::{PlayerKind, PlayerSpec};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, BorderType, Clear};

use super::super::dialog::{Dialog, MenuDialog, NewGameDialog, NewGameField, SaveDialog};
use super::super::keys::{KeyBinding, UiCommand};
use super::super::model::Model;
use super::super::popup::{
    SECOND_COLUMN, dialog_area, first_visible_line, has_more_below, save_note_lines, wrapped_help,
};
use super::super::theme::{BOLD, DIM, SELECTED};
use super::super::turns::inner_area;

/// What stands before the board.
pub(super) fn draw(model: &Model, dialog: &Dialog, frame: &mut Frame) {
    let area = dialog_area(model, dialog);
    let title = match dialog {
        Dialog::Help(_) => "Keys",
        Dialog::Menu(choose) => &choose.title,
        Dialog::NewGame(_) => "New game",
        Dialog::Save(_) => "Save the game to",
    };
    frame.render_widget(Clear, area);
    let mut block = Block::bordered()
        .border_type(BorderType::Double)
        .title(format!(" {title} "));
    if has_more_below(model, dialog) {
        block = block.title_bottom(" ↓ more ");
    }
    frame.render_widget(block, area);
    let from = first_visible_line(model, dialog);
    let mut page = DialogWriter {
        area: inner_area(area),
        first_line: from,
        line: 0,
        buffer: frame.buffer_mut(),
    };
    match dialog {
        Dialog::Help(_) => draw_help(model, &mut page),
        Dialog::Menu(choose) => draw_menu(model, choose, &mut page),
        Dialog::NewGame(form) => draw_new_game(model, form, &mut page),
        Dialog::Save(save) => draw_save(model, save, &mut page),
    }
}

/// Lines, of which those from one on are seen.
struct DialogWriter<'a> {
    area: Rect,
    first_line: usize,
    line: usize,
    buffer: &'a mut Buffer,
}

impl DialogWriter<'_> {
    fn write_line(&mut self, first: &str, second: &str, style: Style) {
        let line = self.line.checked_sub(self.first_line);
        self.line += 1;
        let Some(y) = line
            .and_then(|line| u16::try_from(line).ok())
            .map(|line| self.area.y.saturating_add(line))
            .filter(|&y| y < self.area.bottom())
        else {
            return;
        };
        let Rect { x, width, .. } = self.area;
        let blank = " ".repeat(usize::from(width));
        self.buffer
            .set_stringn(x, y, blank, usize::from(width), style);
        self.buffer
            .set_stringn(x, y, first, usize::from(width), style);
        if width > SECOND_COLUMN && !second.is_empty() {
            let room = usize::from(width - SECOND_COLUMN);
            self.buffer
                .set_stringn(x + SECOND_COLUMN, y, second, room, style);
        }
    }
}

fn selection_style(is_chosen: bool) -> Style {
    if is_chosen { SELECTED } else { Style::new() }
}

fn draw_help(model: &Model, page: &mut DialogWriter) {
    for (keys, explained) in wrapped_help(model) {
        page.write_line(&keys, &explained, Style::new());
    }
}

fn draw_menu(model: &Model, choose: &MenuDialog, page: &mut DialogWriter) {
    let houses = model.session.position().houses();
    for (index, &command) in choose.items.iter().enumerate() {
        let name = match command {
            UiCommand::ConfirmResign => "give it up".to_owned(),
            UiCommand::SaveAndQuit => "save it and quit".to_owned(),
            UiCommand::ConfirmNewGame => "begin another all the same".to_owned(),
            UiCommand::ConfirmQuit => "quit without saving".to_owned(),
            UiCommand::CyclePace => format!("pace: {}", model.pace.as_str()),
            UiCommand::ToggleMargins if model.margins.is_shown => "hide margins".to_owned(),
            UiCommand::ToggleMargins => "show margins".to_owned(),
            command => {
                KeyBinding::for_command(command).map_or_else(String::new, |of| of.name.to_owned())
            }
        };
        let key = KeyBinding::for_command(command)
            .and_then(|of| of.key_name(houses))
            .unwrap_or_default();
        let sign = if index == choose.selected {
            "▸ "
        } else {
            "  "
        };
        page.write_line(
            &format!("{sign}{name}"),
            &key,
            selection_style(index == choose.selected),
        );
    }
}

fn draw_new_game(model: &Model, form: &NewGameDialog, page: &mut DialogWriter) {
    for field in NewGameField::ALL {
        let is_chosen = field == form.field;
        let value = match field {
            NewGameField::South => player_label(form.specs[Side::South]),
            NewGameField::North => player_label(form.specs[Side::North]),
            NewGameField::Rules => form.rules.to_string(),
            NewGameField::Houses => form.houses.to_string(),
            NewGameField::Seeds => form.seeds.to_string(),
            NewGameField::StartGame => String::new(),
        };
        let value = match field {
            NewGameField::StartGame => value,
            _ if is_chosen => format!("◂ {value} ▸"),
            _ => format!("  {value}"),
        };
        let sign = if is_chosen { "▸ " } else { "  " };
        page.write_line(
            &format!("{sign}{}", field.label()),
            &value,
            selection_style(is_chosen),
        );
    }
    page.write_line("", "", Style::new());
    match &form.error {
        Some(problem) => page.write_line(problem, "", model.theme.error),
        None if model.is_unsaved() => {
            page.write_line("The game under way is not saved.", "", model.theme.error);
        }
        None => page.write_line("Arrows change, Enter begins, Esc goes back.", "", DIM),
    }
}

fn player_label(spec: PlayerSpec) -> String {
    match spec.kind {
        PlayerKind::Human => "a person".to_owned(),
        PlayerKind::Level { number } if number == LevelNumber::MIN => "level 1, gentle".to_owned(),
        _ => spec.to_string().replacen(':', " ", 1),
    }
}

fn draw_save(model: &Model, save: &SaveDialog, page: &mut DialogWriter) {
    let room = usize::from(page.area.width).saturating_sub(2);
    let skipped = save.cursor.saturating_sub(room);
    let seen: String = save.file_name.chars().skip(skipped).collect();
    page.write_line(&format!("{seen} "), "", BOLD);
    let x = page.area.x + u16::try_from(save.cursor - skipped).unwrap_or(u16::MAX);
    let cursor = Rect::new(x, page.area.y, 1, 1).intersection(page.area);
    page.buffer.set_style(cursor, SELECTED);
    page.write_line("", "", Style::new());
    let style = match save.error {
        Some(_) => model.theme.error,
        None => DIM,
    };
    for line in save_note_lines(model, save) {
        page.write_line(&line, "", style);
    }
}
