use kalah::Side;
use kalah_engine::LevelNumber;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, BorderType, Clear};

use super::super::dialog::{Choose, Dialog, Field, NewGame, SaveAs};
use super::super::keys::{Binding, Command};
use super::super::model::Model;
use super::super::popup::{SECOND, area, first_line, has_more, help_page, save_note};
use super::super::theme::{BOLD, CHOSEN, DIM};
use super::super::turns::inside;
use crate::{PlayerKind, PlayerSpec};

/// What stands before the board.
pub(super) fn draw(model: &Model, dialog: &Dialog, frame: &mut Frame) {
    let area = area(model, dialog);
    let title = match dialog {
        Dialog::Help(_) => "Keys",
        Dialog::Choose(choose) => &choose.title,
        Dialog::NewGame(_) => "New game",
        Dialog::Save(_) => "Save the game to",
    };
    frame.render_widget(Clear, area);
    let mut block = Block::bordered()
        .border_type(BorderType::Double)
        .title(format!(" {title} "));
    if has_more(model, dialog) {
        block = block.title_bottom(" ↓ more ");
    }
    frame.render_widget(block, area);
    let from = first_line(model, dialog);
    let mut page = Page {
        area: inside(area),
        from,
        line: 0,
        buffer: frame.buffer_mut(),
    };
    match dialog {
        Dialog::Help(_) => help(model, &mut page),
        Dialog::Choose(choose) => choices(model, choose, &mut page),
        Dialog::NewGame(form) => new_game(model, form, &mut page),
        Dialog::Save(save) => save_as(model, save, &mut page),
    }
}

/// Lines, of which those from one on are seen.
struct Page<'a> {
    area: Rect,
    from: usize,
    line: usize,
    buffer: &'a mut Buffer,
}

impl Page<'_> {
    fn write(&mut self, first: &str, second: &str, style: Style) {
        let line = self.line.checked_sub(self.from);
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
        if width > SECOND && !second.is_empty() {
            let room = usize::from(width - SECOND);
            self.buffer.set_stringn(x + SECOND, y, second, room, style);
        }
    }
}

fn chosen(is_chosen: bool) -> Style {
    if is_chosen { CHOSEN } else { Style::new() }
}

fn help(model: &Model, page: &mut Page) {
    for (keys, explained) in help_page(model) {
        page.write(&keys, &explained, Style::new());
    }
}

fn choices(model: &Model, choose: &Choose, page: &mut Page) {
    let houses = model.bout.position().houses();
    for (index, &command) in choose.items.iter().enumerate() {
        let name = match command {
            Command::ReallyResign => "give it up".to_owned(),
            Command::SaveAndQuit => "save it and quit".to_owned(),
            Command::ReallyNew => "begin another all the same".to_owned(),
            Command::ReallyQuit => "quit without saving".to_owned(),
            Command::Pace => format!("pace: {}", model.pace.word()),
            Command::Margins if model.margins.shown => "hide margins".to_owned(),
            Command::Margins => "show margins".to_owned(),
            command => Binding::of(command).map_or_else(String::new, |of| of.name.to_owned()),
        };
        let key = Binding::of(command)
            .and_then(|of| of.key(houses))
            .unwrap_or_default();
        let sign = if index == choose.chosen { "▸ " } else { "  " };
        page.write(
            &format!("{sign}{name}"),
            &key,
            chosen(index == choose.chosen),
        );
    }
}

fn new_game(model: &Model, form: &NewGame, page: &mut Page) {
    for field in Field::ALL {
        let is_chosen = field == form.field;
        let value = match field {
            Field::South => player(form.specs[Side::South]),
            Field::North => player(form.specs[Side::North]),
            Field::Rules => form.rules.to_string(),
            Field::Houses => form.houses.to_string(),
            Field::Seeds => form.seeds.to_string(),
            Field::Begin => String::new(),
        };
        let value = match field {
            Field::Begin => value,
            _ if is_chosen => format!("◂ {value} ▸"),
            _ => format!("  {value}"),
        };
        let sign = if is_chosen { "▸ " } else { "  " };
        page.write(
            &format!("{sign}{}", field.name()),
            &value,
            chosen(is_chosen),
        );
    }
    page.write("", "", Style::new());
    match &form.problem {
        Some(problem) => page.write(problem, "", model.theme.problem),
        None if model.is_unsaved() => {
            page.write("The game under way is not saved.", "", model.theme.problem);
        }
        None => page.write("Arrows change, Enter begins, Esc goes back.", "", DIM),
    }
}

fn player(spec: PlayerSpec) -> String {
    match spec.kind {
        PlayerKind::Human => "a person".to_owned(),
        PlayerKind::Level { number } if number == LevelNumber::MIN => "level 1, gentle".to_owned(),
        _ => spec.to_string().replacen(':', " ", 1),
    }
}

fn save_as(model: &Model, save: &SaveAs, page: &mut Page) {
    let room = usize::from(page.area.width).saturating_sub(2);
    let skipped = save.at.saturating_sub(room);
    let seen: String = save.name.chars().skip(skipped).collect();
    page.write(&format!("{seen} "), "", BOLD);
    let x = page.area.x + u16::try_from(save.at - skipped).unwrap_or(u16::MAX);
    let cursor = Rect::new(x, page.area.y, 1, 1).intersection(page.area);
    page.buffer.set_style(cursor, CHOSEN);
    page.write("", "", Style::new());
    let style = match save.problem {
        Some(_) => model.theme.problem,
        None => DIM,
    };
    for line in save_note(model, save) {
        page.write(&line, "", style);
    }
}
