//! Lists of files and of games: the keys that they share, and the files to open.

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::dialogs::{check_size, replace_game};
use crate::game::{FileEntry, GameSession, KeptGameId, OpenedFile};
use crate::screen::event::AppEffect;
use crate::screen::keys::describe_key;
use crate::screen::model::dialog::{Dialog, OpenDialog, OpenList};
use crate::screen::model::{MessageKind, Model};

/// The number of items of a list that a page key skips.
const LIST_PAGE: isize = 10;

/// A key that every list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKey {
    /// Moves the selection by this number of items, at most to an end of the list.
    Move(isize),
    /// Opens the selected item.
    Open,
}

impl ListKey {
    /// Returns the meaning of a key in all lists, `None` if it has none.
    pub(super) fn new(key: KeyEvent) -> Option<Self> {
        Some(match key.code {
            KeyCode::Down | KeyCode::Tab => Self::Move(1),
            KeyCode::Up | KeyCode::BackTab => Self::Move(-1),
            KeyCode::PageDown => Self::Move(LIST_PAGE),
            KeyCode::PageUp => Self::Move(-LIST_PAGE),
            KeyCode::Home => Self::Move(isize::MIN),
            KeyCode::End => Self::Move(isize::MAX),
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right => Self::Open,
            _ => return None,
        })
    }
}

/// Handles a key in the list of files or of the games of a file.
pub(super) fn handle_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::Open(dialog)) = &mut model.dialog else {
        return;
    };
    match (ListKey::new(key), key.code) {
        (Some(ListKey::Move(offset)), _) => dialog.move_selection(offset),
        (Some(ListKey::Open), _) => open_selected(model, effects),
        (None, KeyCode::Left | KeyCode::Backspace) => open_parent(model, effects),
        (None, KeyCode::Char(letter)) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
            dialog.select_letter(letter);
        }
        _ => refuse_key(model, key),
    }
}

/// Shows that a key has no meaning in a list.
pub(super) fn refuse_key(model: &mut Model, key: KeyEvent) {
    if !matches!(key.code, KeyCode::Modifier(_) | KeyCode::Null) {
        let text = format!("{} has no meaning here. Esc: back.", describe_key(key));
        model.show_message(MessageKind::Error, text);
    }
}

/// Opens the list of the files of a folder.
pub(super) fn list_files(model: &mut Model, folder: PathBuf, effects: &mut Vec<AppEffect>) {
    effects.push(AppEffect::ListFiles(folder.clone()));
    model.dialog = Some(Dialog::Open(OpenDialog::new(folder)));
}

/// Opens the folder above the listed one, or the list of files that contains the listed games.
fn open_parent(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::Open(dialog)) = &model.dialog else {
        return;
    };
    let folder = match &dialog.list {
        OpenList::Games { .. } => Some(dialog.folder.clone()),
        _ => dialog.folder.parent().map(Path::to_owned),
    };
    if let Some(folder) = folder {
        list_files(model, folder, effects);
    }
}

/// Opens the selected folder, file or game.
pub(super) fn open_selected(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(Dialog::Open(dialog)) = &mut model.dialog else {
        return;
    };
    match &dialog.list {
        OpenList::Loading => {}
        OpenList::Files(entries) => {
            let Some(entry) = entries.get(dialog.selected).cloned() else {
                return;
            };
            if entry.is_folder {
                list_files(model, entry.path, effects);
            } else {
                effects.push(AppEffect::ReadGames(entry.path));
            }
        }
        OpenList::Games { games, .. } => {
            if let Some(session) = games.get(dialog.selected).cloned() {
                open_game(model, session, effects);
            }
        }
    }
}

/// Shows a game of a file instead of the current one, if the screen has room for it.
fn open_game(model: &mut Model, session: GameSession, effects: &mut Vec<AppEffect>) {
    if let Err(reason) = check_size(model, session.game().start()) {
        if let Some(Dialog::Open(dialog)) = &mut model.dialog {
            dialog.error = Some(reason);
        }
    } else {
        // The times of a recorded game are not known.
        show_game(model, session, None, effects);
    }
}

/// Shows a recorded game instead of the current one: the game `kept` of the history, which goes on,
/// or another one.
pub(super) fn show_game(
    model: &mut Model,
    session: GameSession,
    kept: Option<KeptGameId>,
    effects: &mut Vec<AppEffect>,
) {
    replace_game(model, session, None, effects);
    effects.pop_if(|effect| *effect == AppEffect::StartNewGame);
    effects.push(AppEffect::StartOpenedGame(kept));
    model.last_saved = Some(model.current_state());
    let is_finished = model.session.ending().is_some();
    model.user.start_game(is_finished);
}

/// Shows the files of a folder.
pub(super) fn handle_files(
    model: &mut Model,
    folder: &Path,
    result: Result<Vec<FileEntry>, String>,
) {
    if let Some(Dialog::Open(dialog)) = &mut model.dialog
        && dialog.folder == folder
    {
        match result {
            Ok(entries) => {
                // The first file, or else the first folder that is not the one above.
                let first_file = entries.iter().position(|entry| !entry.is_folder);
                dialog.selected = first_file.unwrap_or(usize::from(entries.len() > 1));
                dialog.list = OpenList::Files(entries);
            }
            Err(reason) => {
                dialog.list = OpenList::Files(Vec::new());
                dialog.error = Some(reason);
            }
        }
    }
}

/// Shows the games of a file, or opens the only one.
pub(super) fn handle_games(
    model: &mut Model,
    path: PathBuf,
    result: Result<OpenedFile, String>,
    effects: &mut Vec<AppEffect>,
) {
    let Some(Dialog::Open(dialog)) = &mut model.dialog else {
        return;
    };
    match result {
        Ok(OpenedFile {
            mut games,
            error: None,
        }) if games.len() == 1 => {
            let game = games.remove(0);
            open_game(model, game, effects);
        }
        Ok(OpenedFile { games, error }) => {
            // The last game is the most recent one.
            dialog.selected = games.len().saturating_sub(1);
            dialog.error = error;
            dialog.list = OpenList::Games { path, games };
        }
        Err(reason) => dialog.error = Some(reason),
    }
}
