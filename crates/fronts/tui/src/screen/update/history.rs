//! The dialog with the games of the history: keys, and opening games.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::dialogs::check_size;
use super::lists::{ListKey, refuse_key, show_game};
use crate::game::HistoryEntry;
use crate::game::clock::ScreenClock;
use crate::screen::event::AppEffect;
use crate::screen::model::dialog::Dialog;
use crate::screen::model::history::HistoryDialog;
use crate::screen::model::{MessageKind, Model};

/// Shows the games of the history, or the reason why they cannot be read or changed.
pub(super) fn show(model: &mut Model, result: Result<Vec<HistoryEntry>, String>) {
    match (result, &mut model.dialog) {
        (Ok(games), Some(Dialog::History(dialog))) => {
            dialog.games = games;
            dialog.move_selection(0);
        }
        (Ok(games), dialog) => *dialog = Some(Dialog::History(HistoryDialog::new(games))),
        (Err(reason), dialog @ None) => {
            *dialog = Some(Dialog::History(HistoryDialog {
                error: Some(reason),
                ..HistoryDialog::new(Vec::new())
            }));
        }
        (Err(reason), Some(Dialog::History(dialog))) => {
            dialog.is_deleting = false;
            dialog.error = Some(reason);
        }
        (Err(reason), _) => model.show_message(MessageKind::Error, reason),
    }
}

/// Handles a key in the dialog.
pub(super) fn handle_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::History(dialog)) = &mut model.dialog else {
        return;
    };
    if dialog.is_deleting {
        match (key.code, dialog.selected_game().and_then(|game| game.id)) {
            (KeyCode::Enter | KeyCode::Delete, Some(id)) => effects.push(AppEffect::DeleteKept(id)),
            _ => dialog.is_deleting = false,
        }
        return;
    }
    match (ListKey::new(key), key.code) {
        (Some(ListKey::Move(offset)), _) => dialog.move_selection(offset),
        (Some(ListKey::Open), _) => open_selected(model, effects),
        (None, KeyCode::Esc) => model.dialog = None,
        (None, KeyCode::Delete | KeyCode::Backspace) => dialog.ask_to_delete(),
        _ => refuse_key(model, key),
    }
}

/// Selects a game by the mouse, and opens it.
pub(super) fn click(model: &mut Model, index: usize, effects: &mut Vec<AppEffect>) {
    if let Some(Dialog::History(dialog)) = &mut model.dialog {
        dialog.selected = index;
        dialog.move_selection(0);
        open_selected(model, effects);
    }
}

/// Opens the selected game instead of the current one: an unfinished game to continue it, and a
/// finished one to look at it.
fn open_selected(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::History(dialog)) = &model.dialog else {
        return;
    };
    let Some(entry) = dialog.selected_game().cloned() else {
        return;
    };
    let fits = check_size(model, entry.session.game().start());
    // The history keeps the current game, unless it cannot be written.
    let is_lost = model.is_unsaved() && model.session.ending().is_none();
    let refusal = match fits {
        Err(reason) => Some(reason),
        Ok(()) if entry.is_in_use => Some("Another window plays this game.".to_owned()),
        Ok(()) if is_lost => Some("The current game is not kept: save it first.".to_owned()),
        Ok(()) => None,
    };
    if let Some(Dialog::History(dialog)) = &mut model.dialog
        && refusal.is_some()
    {
        dialog.error = refusal;
        return;
    }
    let is_unfinished = entry.session.ending().is_none();
    let plies = entry.session.game().plies().len();
    let kept = entry.id.filter(|_| is_unfinished);
    show_game(model, entry.session, kept, effects);
    let clock = entry.clock.filter(|_| is_unfinished);
    model.clock = clock.map(|times| ScreenClock::continue_from(times, plies));
    if is_unfinished {
        model.show_message(MessageKind::Info, "The game continues.");
    }
}
