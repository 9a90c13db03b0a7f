//! What stands before the board.

use kalah::{BySide, Game};
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::super::bout::Bout;
use super::super::dialog::{Choose, Dialog, Field, NewGame, SaveAs, stepped};
use super::super::event::Effect;
use super::super::keys::Command;
use super::super::layout::least_size;
use super::super::model::{LookBack, Model, Pause};
use super::super::needs::Needs;
use super::super::popup;
use super::obey;

pub(super) fn open_menu(model: &mut Model) {
    let mut items = vec![Command::Back];
    if model.bout.person_to_answer().is_some() {
        if model.bout.position().can_swap() {
            items.push(Command::Swap);
        }
        items.push(Command::Hint);
    }
    if model.bout.has_person() {
        items.extend([Command::Undo, Command::Redo]);
    }
    if !model.bout.has_person() {
        items.push(Command::PlayOn);
    }
    items.extend([Command::Margins, Command::Pace]);
    if !model.worst().is_empty() {
        items.push(Command::Mistake);
    }
    items.extend([Command::New, Command::Save]);
    if model.bout.person_to_answer().is_some() {
        items.push(Command::Resign);
    }
    items.extend([Command::Help, Command::Quit]);
    model.dialog = Some(Dialog::Choose(Choose {
        title: "Menu".to_owned(),
        items,
        chosen: 0,
    }));
}

/// Asks for another game, after a question if that loses this one.
pub(super) fn new_game(model: &mut Model) {
    if model.is_unsaved() {
        ask(
            model,
            UNSAVED,
            vec![Command::Back, Command::Save, Command::ReallyNew],
        );
    } else {
        open_new_game(model);
    }
}

pub(super) fn open_new_game(model: &mut Model) {
    let form = NewGame::like(model.game().start(), model.bout.specs());
    model.dialog = Some(Dialog::NewGame(form));
}

pub(super) fn open_save(model: &mut Model, leaves: bool) {
    model.dialog = Some(Dialog::Save(SaveAs::new(leaves)));
}

pub(super) fn open_resign(model: &mut Model) {
    if model.bout.person_to_answer().is_some() {
        ask(
            model,
            "Give the game up?",
            vec![Command::Back, Command::ReallyResign],
        );
    }
}

const UNSAVED: &str = "This game is not saved";

/// Leaves a screen that is too small to show anything, if that loses a game only when asked a second time.
pub(super) fn quit_unseen(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.asks_to_quit() {
        effects.push(Effect::Leave);
    } else {
        quit(model, effects);
    }
}

/// Leaves, after a question if that loses a game.
pub(super) fn quit(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.is_unsaved() {
        ask(
            model,
            UNSAVED,
            vec![Command::Back, Command::SaveAndQuit, Command::ReallyQuit],
        );
    } else {
        effects.push(Effect::Leave);
    }
}

fn ask(model: &mut Model, title: &str, items: Vec<Command>) {
    model.dialog = Some(Dialog::Choose(Choose {
        title: title.to_owned(),
        items,
        chosen: 0,
    }));
}

/// A key while something stands before the board.
pub(super) fn press(
    model: &mut Model,
    key: KeyEvent,
    said: Option<Command>,
    effects: &mut Vec<Effect>,
) {
    if is_control_c(key) {
        // Whoever presses it again means it.
        effects.push(Effect::Leave);
        return;
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let last_help_line = popup::last_help_line(model);
    match model.dialog.as_mut() {
        None => {}
        Some(_) if key.code == KeyCode::Esc => model.dialog = None,
        Some(Dialog::Help(from)) => match key.code {
            KeyCode::Down => *from = from.saturating_add(1).min(last_help_line),
            KeyCode::PageDown => *from = last_help_line,
            KeyCode::Up => *from = from.saturating_sub(1),
            KeyCode::PageUp => *from = 0,
            _ => model.dialog = None,
        },
        Some(Dialog::Choose(choose)) => match key.code {
            KeyCode::Down | KeyCode::Tab => {
                choose.chosen = stepped(choose.chosen, choose.items.len(), true);
            }
            KeyCode::Up | KeyCode::BackTab => {
                choose.chosen = stepped(choose.chosen, choose.items.len(), false);
            }
            KeyCode::Enter | KeyCode::Char(' ') => pick(model, effects),
            // What a menu offers has its key in the menu too.
            _ => {
                if let Some(said) = said.filter(|said| choose.items.contains(said)) {
                    model.dialog = None;
                    obey(model, said, effects);
                }
            }
        },
        Some(Dialog::NewGame(form)) => match key.code {
            KeyCode::Down | KeyCode::Tab => form.go(true),
            KeyCode::Up | KeyCode::BackTab => form.go(false),
            KeyCode::Left | KeyCode::Char('-') => form.change(false),
            KeyCode::Enter | KeyCode::Char(' ') if form.field == Field::Begin => {
                begin(model, effects);
            }
            KeyCode::Right | KeyCode::Char('+' | ' ') | KeyCode::Enter => form.change(true),
            _ => {}
        },
        Some(Dialog::Save(save)) => match key.code {
            KeyCode::Enter if !save.name.trim().is_empty() => {
                effects.push(Effect::Save(save.name.trim().into()));
            }
            KeyCode::Char('u') if is_control => save.clear(),
            KeyCode::Char(character) if !is_control => save.push(character),
            code => save.edit(code),
        },
    }
}

fn is_control_c(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c')
}

/// Does what is chosen.
fn pick(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(Dialog::Choose(choose)) = model.dialog.take()
        && let Some(&said) = choose.items.get(choose.chosen)
    {
        obey(model, said, effects);
    }
}

/// The mouse while something stands before the board.
pub(super) fn point(model: &mut Model, mouse: MouseEvent, effects: &mut Vec<Effect>) {
    let line = popup::line_at(model, Position::new(mouse.column, mouse.row));
    let last_help_line = popup::last_help_line(model);
    let clicked = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    match (model.dialog.as_mut(), line) {
        (Some(Dialog::Choose(choose)), Some(line)) if line < choose.items.len() => {
            choose.chosen = line;
            if clicked {
                pick(model, effects);
            }
        }
        (Some(Dialog::NewGame(form)), Some(line)) => {
            if let Some(&field) = Field::ALL.get(line)
                && clicked
            {
                form.field = field;
                if field == Field::Begin {
                    begin(model, effects);
                } else {
                    form.change(true);
                }
            }
        }
        (Some(Dialog::Help(from)), _) if mouse.kind == MouseEventKind::ScrollDown => {
            *from = from.saturating_add(1).min(last_help_line);
        }
        (Some(Dialog::Help(from)), _) if mouse.kind == MouseEventKind::ScrollUp => {
            *from = from.saturating_sub(1);
        }
        // What was typed is not lost by a slip.
        (Some(Dialog::Save(_)), None) => {}
        (Some(_), None) if clicked => model.dialog = None,
        _ => {}
    }
}

/// Begins the game that was asked for.
fn begin(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(Dialog::NewGame(form)) = &mut model.dialog else {
        return;
    };
    let start = match form.start() {
        Ok(start) => start,
        Err(reason) => {
            form.problem = Some(reason.to_string());
            return;
        }
    };
    let (width, height) = least_size(Needs::of(&start, model.labels));
    if model.size.width < width || model.size.height < height {
        form.problem = Some(format!("That board needs a terminal of {width}x{height}."));
        return;
    }
    let specs = form.specs;
    let before = model.bout.specs();
    let names = BySide::from_fn(|side| {
        if specs[side] == before[side] {
            model.bout.names()[side].clone()
        } else {
            specs[side].default_name()
        }
    });
    model.forget_answers(effects);
    model.dialog = None;
    model.animation = None;
    model.looking = None;
    model.message = None;
    model.saved = None;
    model.is_record_behind = false;
    model.hurried = None;
    model.margins.asked = None;
    model.margins.report = None;
    model.review = LookBack::None;
    model.bout = Bout::new(Game::new(start), specs, names);
    if let Pause::After(last) = &mut model.pause {
        *last = None;
    }
    model.place_cursor();
    effects.extend([Effect::StopWeighing, Effect::StopLookingBack, Effect::Begin]);
}
