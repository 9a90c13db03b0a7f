//! Keys, mouse and results of dialogs.

use std::path::Path;

use kalah::{BySide, Game};
use kalah_players::display_path;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use crate::dialog::{Dialog, MenuDialog, NewGameDialog, NewGameField, SaveDialog};
use crate::keys::UiCommand;
use crate::model::{AppEffect, MessageKind, Model, Pause, ReviewState};
use crate::session::{GameSession, SaveOutcome};
use crate::view::dialog::{line_at, max_help_scroll};
use crate::view::layout::{BoardMetrics, min_size};

/// The title of a question before an unsaved game is lost.
const UNSAVED_TITLE: &str = "This game is not saved";

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
    } else {
        items.push(UiCommand::ToggleAutoPlay);
    }
    items.extend([UiCommand::ToggleMargins, UiCommand::CycleSpeed]);
    if !model.worst_mistakes().is_empty() {
        items.push(UiCommand::NextMistake);
    }
    items.extend([UiCommand::NewGame, UiCommand::Save]);
    if model.session.human_to_move().is_some() {
        items.push(UiCommand::Resign);
    }
    items.extend([UiCommand::Help, UiCommand::Quit]);
    open_menu_with(model, "Menu", items);
}

fn open_menu_with(model: &mut Model, title: &'static str, items: Vec<UiCommand>) {
    model.dialog = Some(Dialog::Menu(MenuDialog::new(title, items)));
}

/// Opens the dialog for a new game, after a question if the current game would be lost.
pub(super) fn request_new_game(model: &mut Model) {
    if model.is_unsaved() {
        let items = vec![
            UiCommand::CloseMenu,
            UiCommand::Save,
            UiCommand::ConfirmNewGame,
        ];
        open_menu_with(model, UNSAVED_TITLE, items);
    } else {
        open_new_game(model);
    }
}

pub(super) fn open_new_game(model: &mut Model) {
    let dialog = NewGameDialog::from_position(model.game().start(), model.session.specs());
    model.dialog = Some(Dialog::NewGame(dialog));
}

pub(super) fn open_save(model: &mut Model, quit_after: bool) {
    model.dialog = Some(Dialog::Save(SaveDialog::new(quit_after)));
}

pub(super) fn open_resign(model: &mut Model) {
    if model.session.human_to_move().is_some() {
        let items = vec![UiCommand::CloseMenu, UiCommand::ConfirmResign];
        open_menu_with(model, "Resign this game?", items);
    }
}

/// Quits from a screen that is too small for a dialog. If the game would be lost, it quits at the
/// second request.
pub(super) fn quit_without_dialog(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.is_confirming_quit() {
        effects.push(AppEffect::Quit);
    } else {
        quit(model, effects);
    }
}

/// Quits, after a question if the game would be lost.
pub(super) fn quit(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.is_unsaved() {
        let items = vec![
            UiCommand::CloseMenu,
            UiCommand::SaveAndQuit,
            UiCommand::ConfirmQuit,
        ];
        open_menu_with(model, UNSAVED_TITLE, items);
    } else {
        effects.push(AppEffect::Quit);
    }
}

/// Handles a key in the dialog; `command` is the meaning of the key without a dialog. Returns the
/// command to execute, if any.
pub(super) fn handle_key(
    model: &mut Model,
    key: KeyEvent,
    command: Option<UiCommand>,
    effects: &mut Vec<AppEffect>,
) -> Option<UiCommand> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_control && key.code == KeyCode::Char('c') {
        // The second Ctrl-C quits without a question.
        return Some(UiCommand::ConfirmQuit);
    }
    let max_scroll = max_help_scroll(model);
    match model.dialog.as_mut()? {
        _ if key.code == KeyCode::Esc => model.dialog = None,
        Dialog::Help(scroll) => match key.code {
            KeyCode::Down => *scroll = scroll.saturating_add(1).min(max_scroll),
            KeyCode::PageDown => *scroll = max_scroll,
            KeyCode::Up => *scroll = scroll.saturating_sub(1),
            KeyCode::PageUp => *scroll = 0,
            _ => model.dialog = None,
        },
        Dialog::Menu(menu) => match key.code {
            KeyCode::Down | KeyCode::Tab => menu.move_selection(true),
            KeyCode::Up | KeyCode::BackTab => menu.move_selection(false),
            KeyCode::Enter | KeyCode::Char(' ') => return take_selected(model),
            _ => {
                let command = command.filter(|command| menu.items.contains(command))?;
                model.dialog = None;
                return Some(command);
            }
        },
        Dialog::NewGame(dialog) => match key.code {
            KeyCode::Down | KeyCode::Tab => dialog.move_focus(true),
            KeyCode::Up | KeyCode::BackTab => dialog.move_focus(false),
            KeyCode::Left | KeyCode::Char('-') => dialog.change_value(false),
            KeyCode::Enter | KeyCode::Char(' ') if dialog.field == NewGameField::StartGame => {
                start_new_game(model, effects);
            }
            KeyCode::Right | KeyCode::Char('+' | ' ') | KeyCode::Enter => dialog.change_value(true),
            _ => {}
        },
        Dialog::Save(dialog) => match (key.code, dialog.path()) {
            (KeyCode::Enter, Some(path)) => effects.push(AppEffect::Save(path.into())),
            (KeyCode::Char('u'), _) if is_control => dialog.delete_before_cursor(),
            (KeyCode::Char(character), _) if !is_control => dialog.insert(character),
            (code, _) => dialog.handle_key(code),
        },
    }
    None
}

/// Closes the menu, and returns its selected command.
fn take_selected(model: &mut Model) -> Option<UiCommand> {
    match model.dialog.take()? {
        Dialog::Menu(menu) => menu.items.get(menu.selected).copied(),
        _ => None,
    }
}

/// Handles the mouse in the dialog. Returns the command to execute, if any.
pub(super) fn handle_mouse(
    model: &mut Model,
    mouse: MouseEvent,
    effects: &mut Vec<AppEffect>,
) -> Option<UiCommand> {
    let line = line_at(model, Position::new(mouse.column, mouse.row));
    let max_scroll = max_help_scroll(model);
    let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    match (model.dialog.as_mut()?, line) {
        (Dialog::Menu(menu), Some(line)) if line < menu.items.len() => {
            menu.selected = line;
            if is_click {
                return take_selected(model);
            }
        }
        (Dialog::NewGame(dialog), Some(line)) => {
            if let Some(&field) = NewGameField::ALL.get(line)
                && is_click
            {
                dialog.field = field;
                if field == NewGameField::StartGame {
                    start_new_game(model, effects);
                } else {
                    dialog.change_value(true);
                }
            }
        }
        (Dialog::Help(scroll), _) if mouse.kind == MouseEventKind::ScrollDown => {
            *scroll = scroll.saturating_add(1).min(max_scroll);
        }
        (Dialog::Help(scroll), _) if mouse.kind == MouseEventKind::ScrollUp => {
            *scroll = scroll.saturating_sub(1);
        }
        // A click beside the dialog does not discard the typed name.
        (Dialog::Save(_), None) => {}
        (_, None) if is_click => model.dialog = None,
        _ => {}
    }
    None
}

/// Shows the result of saving the game to `path`.
pub(super) fn handle_saved(
    model: &mut Model,
    path: &Path,
    result: Result<SaveOutcome, String>,
    effects: &mut Vec<AppEffect>,
) {
    match result {
        Ok(outcome) => {
            model.last_saved = Some(model.current_state());
            let name = display_path(path);
            let text = match outcome {
                SaveOutcome::Written => format!("Saved to {name}."),
                SaveOutcome::AlreadyRecorded => {
                    format!("{name} records this game after every ply.")
                }
            };
            model.show_message(MessageKind::Info, text);
            if let Some(Dialog::Save(dialog)) = model.dialog.take()
                && dialog.quit_after
            {
                effects.push(AppEffect::Quit);
            }
        }
        Err(reason) => {
            if let Some(Dialog::Save(dialog)) = &mut model.dialog {
                dialog.error = Some(reason.clone());
            }
            // The dialog may have no room for the whole reason.
            model.show_message(MessageKind::Error, reason);
        }
    }
}

/// Starts the game that the dialog describes.
fn start_new_game(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::NewGame(dialog)) = &mut model.dialog else {
        return;
    };
    let start = match dialog.start_position() {
        Ok(start) => start,
        Err(reason) => {
            dialog.error = Some(reason.to_string());
            return;
        }
    };
    let (width, height) = min_size(BoardMetrics::new(&start, model.labels));
    if model.size.width < width || model.size.height < height {
        let reason = format!("That board needs a terminal of {width}x{height}.");
        dialog.error = Some(reason);
        return;
    }
    let specs = dialog.specs;
    let previous = model.session.specs();
    let names = BySide::from_fn(|side| {
        if specs[side] == previous[side] {
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
