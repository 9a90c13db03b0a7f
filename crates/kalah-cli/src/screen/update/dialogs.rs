//! What stands before the board.

use kalah::{BySide, Game};
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::super::bout::GameSession;
use super::super::dialog::{
    Dialog, MenuDialog, NewGameDialog, NewGameField, SaveDialog, cycle_index,
};
use super::super::event::AppEffect;
use super::super::keys::UiCommand;
use super::super::layout::min_size;
use super::super::model::{Model, Pause, ReviewState};
use super::super::needs::BoardMetrics;
use super::super::popup;
use super::execute;

pub(super) fn open_menu(model: &mut Model) {
    let mut items = vec![UiCommand::CloseMenu];
    if model.session.human_to_move().is_some() {
        if model.session.position().can_swap() {
            items.push(UiCommand::Swap);
        }
        items.push(UiCommand::Hint);
    }
    if model.session.has_human() {
        items.extend([UiCommand::Undo, UiCommand::Redo]);
    }
    if !model.session.has_human() {
        items.push(UiCommand::ToggleAutoPlay);
    }
    items.extend([UiCommand::ToggleMargins, UiCommand::CyclePace]);
    if !model.worst_mistakes().is_empty() {
        items.push(UiCommand::NextMistake);
    }
    items.extend([UiCommand::NewGame, UiCommand::Save]);
    if model.session.human_to_move().is_some() {
        items.push(UiCommand::Resign);
    }
    items.extend([UiCommand::Help, UiCommand::Quit]);
    model.dialog = Some(Dialog::Menu(MenuDialog {
        title: "Menu".to_owned(),
        items,
        selected: 0,
    }));
}

/// Asks for another game, after a question if that loses this one.
pub(super) fn request_new_game(model: &mut Model) {
    if model.is_unsaved() {
        open_confirmation(
            model,
            UNSAVED_TITLE,
            vec![
                UiCommand::CloseMenu,
                UiCommand::Save,
                UiCommand::ConfirmNewGame,
            ],
        );
    } else {
        open_new_game(model);
    }
}

pub(super) fn open_new_game(model: &mut Model) {
    let form = NewGameDialog::from_position(model.game().start(), model.session.specs());
    model.dialog = Some(Dialog::NewGame(form));
}

pub(super) fn open_save(model: &mut Model, leaves: bool) {
    model.dialog = Some(Dialog::Save(SaveDialog::new(leaves)));
}

pub(super) fn open_resign(model: &mut Model) {
    if model.session.human_to_move().is_some() {
        open_confirmation(
            model,
            "Give the game up?",
            vec![UiCommand::CloseMenu, UiCommand::ConfirmResign],
        );
    }
}

const UNSAVED_TITLE: &str = "This game is not saved";

/// Leaves a screen that is too small to show anything, if that loses a game only when asked a second time.
pub(super) fn quit_without_dialog(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.is_confirming_quit() {
        effects.push(AppEffect::Quit);
    } else {
        quit(model, effects);
    }
}

/// Leaves, after a question if that loses a game.
pub(super) fn quit(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.is_unsaved() {
        open_confirmation(
            model,
            UNSAVED_TITLE,
            vec![
                UiCommand::CloseMenu,
                UiCommand::SaveAndQuit,
                UiCommand::ConfirmQuit,
            ],
        );
    } else {
        effects.push(AppEffect::Quit);
    }
}

fn open_confirmation(model: &mut Model, title: &str, items: Vec<UiCommand>) {
    model.dialog = Some(Dialog::Menu(MenuDialog {
        title: title.to_owned(),
        items,
        selected: 0,
    }));
}

/// A key while something stands before the board.
pub(super) fn handle_key(
    model: &mut Model,
    key: KeyEvent,
    said: Option<UiCommand>,
    effects: &mut Vec<AppEffect>,
) {
    if is_control_c(key) {
        // Whoever presses it again means it.
        effects.push(AppEffect::Quit);
        return;
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let last_help_line = popup::max_help_scroll(model);
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
        Some(Dialog::Menu(choose)) => match key.code {
            KeyCode::Down | KeyCode::Tab => {
                choose.selected = cycle_index(choose.selected, choose.items.len(), true);
            }
            KeyCode::Up | KeyCode::BackTab => {
                choose.selected = cycle_index(choose.selected, choose.items.len(), false);
            }
            KeyCode::Enter | KeyCode::Char(' ') => execute_selected(model, effects),
            // What a menu offers has its key in the menu too.
            _ => {
                if let Some(said) = said.filter(|said| choose.items.contains(said)) {
                    model.dialog = None;
                    execute(model, said, effects);
                }
            }
        },
        Some(Dialog::NewGame(form)) => match key.code {
            KeyCode::Down | KeyCode::Tab => form.move_focus(true),
            KeyCode::Up | KeyCode::BackTab => form.move_focus(false),
            KeyCode::Left | KeyCode::Char('-') => form.change_value(false),
            KeyCode::Enter | KeyCode::Char(' ') if form.field == NewGameField::StartGame => {
                start_new_game(model, effects);
            }
            KeyCode::Right | KeyCode::Char('+' | ' ') | KeyCode::Enter => form.change_value(true),
            _ => {}
        },
        Some(Dialog::Save(save)) => match key.code {
            KeyCode::Enter if !save.file_name.trim().is_empty() => {
                effects.push(AppEffect::Save(save.file_name.trim().into()));
            }
            KeyCode::Char('u') if is_control => save.delete_before_cursor(),
            KeyCode::Char(character) if !is_control => save.insert(character),
            code => save.handle_key(code),
        },
    }
}

fn is_control_c(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c')
}

/// Does what is chosen.
fn execute_selected(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if let Some(Dialog::Menu(choose)) = model.dialog.take()
        && let Some(&said) = choose.items.get(choose.selected)
    {
        execute(model, said, effects);
    }
}

/// The mouse while something stands before the board.
pub(super) fn handle_mouse(model: &mut Model, mouse: MouseEvent, effects: &mut Vec<AppEffect>) {
    let line = popup::line_at(model, Position::new(mouse.column, mouse.row));
    let last_help_line = popup::max_help_scroll(model);
    let clicked = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    match (model.dialog.as_mut(), line) {
        (Some(Dialog::Menu(choose)), Some(line)) if line < choose.items.len() => {
            choose.selected = line;
            if clicked {
                execute_selected(model, effects);
            }
        }
        (Some(Dialog::NewGame(form)), Some(line)) => {
            if let Some(&field) = NewGameField::ALL.get(line)
                && clicked
            {
                form.field = field;
                if field == NewGameField::StartGame {
                    start_new_game(model, effects);
                } else {
                    form.change_value(true);
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
fn start_new_game(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::NewGame(form)) = &mut model.dialog else {
        return;
    };
    let start = match form.start_position() {
        Ok(start) => start,
        Err(reason) => {
            form.error = Some(reason.to_string());
            return;
        }
    };
    let (width, height) = min_size(BoardMetrics::new(&start, model.labels));
    if model.size.width < width || model.size.height < height {
        form.error = Some(format!("That board needs a terminal of {width}x{height}."));
        return;
    }
    let specs = form.specs;
    let before = model.session.specs();
    let names = BySide::from_fn(|side| {
        if specs[side] == before[side] {
            model.session.names()[side].clone()
        } else {
            specs[side].default_name()
        }
    });
    model.cancel_pending(effects);
    model.dialog = None;
    model.animation = None;
    model.viewed_plies = None;
    model.message = None;
    model.last_saved = None;
    model.is_record_stale = false;
    model.hurried_at = None;
    model.margins.request = None;
    model.margins.report = None;
    model.review = ReviewState::None;
    model.session = GameSession::new(Game::new(start), specs, names);
    if let Pause::After(last) = &mut model.pause {
        *last = None;
    }
    model.reset_cursor();
    effects.extend([
        AppEffect::StopAnalysis,
        AppEffect::StopReview,
        AppEffect::StartNewGame,
    ]);
}
