//! Keys, mouse and results of dialogs.

use std::mem;
use std::path::Path;

use kalah::{BySide, ClockSetting, Game, Position as BoardPosition, Setup, Side};
use kalah_players::{EngineProtocol, display_path};
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::{history, lists, profile, programs, puzzles};
use crate::game::GameSession;
use crate::game::clock::ScreenClock;
use crate::screen::event::AppEffect;
use crate::screen::keys::{UiCommand, describe_key};
use crate::screen::model::dialog::{
    Dialog, HelpDialog, MenuDialog, NewGameDialog, NewGameField, OpenDialog, OpenList, SaveDialog,
};
use crate::screen::model::review::ReviewState;
use crate::screen::model::{MessageKind, Model, Pause};
use crate::screen::view::dialog::{DialogHit, DialogTarget, hit_at, max_scroll};
use crate::screen::view::layout::{BoardMetrics, min_size};
use kalah_text::SaveOutcome;

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
    let review = model.finished_review();
    if review.is_some_and(|review| !review.biggest_mistakes().is_empty()) {
        items.push(UiCommand::NextMistake);
    }
    items.extend([
        UiCommand::NewGame,
        UiCommand::PuzzleMenu,
        UiCommand::Open,
        UiCommand::History,
        UiCommand::Save,
    ]);
    items.extend([
        UiCommand::EditPosition,
        UiCommand::CopyPosition,
        UiCommand::Flip,
    ]);
    if model.session.human_to_move().is_some() {
        items.push(UiCommand::Resign);
    }
    items.extend([UiCommand::Help, UiCommand::Redraw]);
    if cfg!(unix) {
        items.push(UiCommand::Suspend);
    }
    items.push(UiCommand::Quit);
    open_menu_with(model, "Menu", items);
}

fn open_menu_with(model: &mut Model, title: &'static str, items: Vec<UiCommand>) {
    model.dialog = Some(Dialog::Menu(MenuDialog::new(title, items)));
}

/// Opens the dialog for a new game, after a question if the unfinished current game would be lost.
pub(super) fn request_new_game(model: &mut Model) {
    if model.is_unsaved() && model.session.ending().is_none() {
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

/// Opens the list of files, after a question if the unfinished current game would be lost.
pub(super) fn request_open(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.is_unsaved() && model.session.ending().is_none() {
        let items = vec![
            UiCommand::CloseMenu,
            UiCommand::Save,
            UiCommand::ConfirmOpen,
        ];
        open_menu_with(model, UNSAVED_TITLE, items);
    } else {
        effects.push(AppEffect::ChooseFile);
    }
}

pub(crate) fn open_new_game(model: &mut Model) {
    let clock = model.clock.as_ref().map(ScreenClock::setting);
    let specs = model.session.specs().clone();
    let programs = model.programs.clone();
    let dialog = NewGameDialog::new(model.game().start(), specs, programs, clock);
    model.dialog = Some(Dialog::NewGame(dialog));
}

/// Opens the dialog for a new game from an edited position.
pub(super) fn open_new_game_from(model: &mut Model, start: Setup) {
    open_new_game(model);
    if let Some(Dialog::NewGame(dialog)) = &mut model.dialog {
        dialog.edited_start = Some(start);
    }
}

pub(super) fn open_save(model: &mut Model, quit_after: bool) {
    let path = model.save_path.as_deref().or(model.record_path.as_deref());
    let file_name = path.map(Path::to_string_lossy);
    let dialog = SaveDialog::new(file_name.as_deref(), quit_after);
    model.dialog = Some(Dialog::Save(dialog));
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

/// Opens a dialog with problems of files, which would be too long for the status.
pub(crate) fn open_warnings(model: &mut Model, warnings: Vec<String>) {
    let mut menu = MenuDialog::new("Warning", vec![UiCommand::CloseMenu]);
    menu.notes = warnings;
    model.dialog = Some(Dialog::Menu(menu));
}

/// Quits, after a question if the game would be lost.
pub(super) fn quit(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.has_unsaved_games() {
        let items = vec![
            UiCommand::CloseMenu,
            UiCommand::SaveAndQuit,
            UiCommand::ConfirmQuit,
        ];
        let title = if model.unsaved_games.is_empty() {
            UNSAVED_TITLE
        } else {
            "Games of this session are not saved"
        };
        open_menu_with(model, title, items);
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
        // The second Ctrl-C answers the question of the first one.
        let is_confirmed = model.is_confirming_quit();
        model.dialog = None;
        return Some(if is_confirmed {
            UiCommand::ConfirmQuit
        } else {
            UiCommand::Quit
        });
    }
    let max_scroll = max_scroll(model);
    // A line of the previous page stays visible between the borders.
    let page = model.size.height.saturating_sub(3).max(1);
    let protocols = model.protocols;
    match model.dialog.as_mut()? {
        Dialog::NewGame(dialog) if dialog.typed_player.is_some() => {
            type_in_new_game(dialog, key, protocols);
        }
        Dialog::History(_) => history::handle_key(model, key, effects),
        _ if key.code == KeyCode::Esc => close(model, effects),
        Dialog::Help(help) => {
            let scroll = &mut help.scroll;
            match key.code {
                KeyCode::Down => *scroll = scroll.saturating_add(1).min(max_scroll),
                KeyCode::PageDown => *scroll = scroll.saturating_add(page).min(max_scroll),
                KeyCode::Up => *scroll = scroll.saturating_sub(1),
                KeyCode::PageUp => *scroll = scroll.saturating_sub(page),
                KeyCode::Home => *scroll = 0,
                KeyCode::End => *scroll = max_scroll,
                KeyCode::Tab | KeyCode::Right => help.turn_page(true),
                KeyCode::BackTab | KeyCode::Left => help.turn_page(false),
                _ => close(model, effects),
            }
        }
        Dialog::Menu(menu) => match key.code {
            KeyCode::Down | KeyCode::Tab => menu.move_selection(true),
            KeyCode::Up | KeyCode::BackTab => menu.move_selection(false),
            KeyCode::Enter | KeyCode::Char(' ') => return take_selected(model),
            _ => {
                let Some(command) = command.filter(|command| menu.items.contains(command)) else {
                    lists::refuse_key(model, key);
                    return None;
                };
                model.dialog = None;
                return Some(command);
            }
        },
        Dialog::NewGame(dialog) => match key.code {
            KeyCode::Down | KeyCode::Tab => dialog.move_focus(true),
            KeyCode::Up | KeyCode::BackTab => dialog.move_focus(false),
            KeyCode::Left | KeyCode::Char('-') => dialog.change_value(false),
            KeyCode::Enter => start_new_game(model, effects),
            KeyCode::Char(' ') if dialog.field == NewGameField::StartGame => {
                start_new_game(model, effects);
            }
            KeyCode::Right | KeyCode::Char('+' | ' ') => dialog.change_value(true),
            KeyCode::Char(character) => {
                let digit = character
                    .to_digit(10)
                    .and_then(|digit| u8::try_from(digit).ok());
                match digit {
                    Some(digit) => dialog.type_digit(digit),
                    None if command == Some(UiCommand::Quit) => {
                        model.dialog = None;
                        return command;
                    }
                    None if command == Some(UiCommand::Help) => open_rules(model),
                    None if is_control && command == Some(UiCommand::History) => {
                        return command;
                    }
                    None if !is_control && dialog.type_player(character) => {}
                    None => dialog.refuse_key(&describe_key(key)),
                }
            }
            _ if command == Some(UiCommand::Help) => open_rules(model),
            _ => dialog.refuse_key(&describe_key(key)),
        },
        Dialog::Save(dialog) => match (key.code, dialog.path()) {
            (KeyCode::Enter, Some(path)) => effects.push(AppEffect::Save(path.into())),
            (KeyCode::Enter, None) => dialog.error = Some("Type a file name.".to_owned()),
            (KeyCode::Char('u'), _) if is_control => dialog.delete_before_cursor(),
            (KeyCode::Char(character), _) if !is_control => dialog.insert(character),
            (code, _) => dialog.handle_key(code),
        },
        Dialog::Open(_) => lists::handle_key(model, key, effects),
    }
    None
}

/// Handles a key while a player is typed in the dialog for a new game. Every key that leaves the
/// field takes the text, except Esc, which discards it.
fn type_in_new_game(
    dialog: &mut NewGameDialog,
    key: KeyEvent,
    protocols: &[&'static EngineProtocol],
) {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let leave = |dialog: &mut NewGameDialog, down| {
        if dialog.take_typed(protocols) {
            dialog.move_focus(down);
        }
    };
    match key.code {
        KeyCode::Esc => dialog.select(dialog.field),
        KeyCode::Backspace => dialog.delete_typed(),
        KeyCode::Enter => {
            dialog.take_typed(protocols);
        }
        KeyCode::Down | KeyCode::Tab => leave(dialog, true),
        KeyCode::Up | KeyCode::BackTab => leave(dialog, false),
        KeyCode::Char(character) if !is_control => {
            dialog.type_player(character);
        }
        _ => {}
    }
}

/// Opens the rules in front of the dialog for a new game.
fn open_rules(model: &mut Model) {
    if let Some(Dialog::NewGame(dialog)) = &model.dialog {
        model.dialog = Some(Dialog::Help(HelpDialog::rules_for(dialog.clone())));
    }
}

/// Closes the dialog. From the games of a file, it returns to the list of files, and from the rules
/// to the dialog that they were opened from.
fn close(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if let Some(Dialog::Open(OpenDialog {
        folder,
        list: OpenList::Games { .. },
        ..
    })) = &model.dialog
    {
        let folder = folder.clone();
        lists::list_files(model, folder, effects);
    } else {
        // On a small screen, the dialog for a new game hides the notice at the start.
        if !matches!(model.dialog, Some(Dialog::NewGame(_))) {
            model.message = None;
        }
        model.dialog = match model.dialog.take() {
            Some(Dialog::Help(help)) => help.return_to.map(Dialog::NewGame),
            _ => None,
        };
    }
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
    let at = Position::new(mouse.column, mouse.row);
    let hit = hit_at(model, model.dialog.as_ref()?, at);
    let scroll = match mouse.kind {
        MouseEventKind::ScrollDown => Some(KeyCode::Down),
        MouseEventKind::ScrollUp => Some(KeyCode::Up),
        _ => None,
    };
    if let Some(key) = scroll {
        return handle_key(model, key.into(), None, effects);
    }
    let is_click = matches!(mouse.kind, MouseEventKind::Down(_));
    let is_right = mouse.kind == MouseEventKind::Down(MouseButton::Right);
    let protocols = model.protocols;
    if let Some(Dialog::NewGame(dialog)) = &mut model.dialog
        && dialog.typed_player.is_some()
        && is_click
    {
        let is_taken = hit == DialogHit::Inside || dialog.take_typed(protocols);
        // A click beside the dialog does not discard the player that was typed.
        if !is_taken || hit == DialogHit::Outside {
            return None;
        }
    }
    match (model.dialog.as_mut()?, hit) {
        (Dialog::Menu(menu), DialogHit::Target(DialogTarget::Item(item))) => {
            menu.selected = item;
            if is_click {
                return take_selected(model);
            }
        }
        (Dialog::Open(dialog), DialogHit::Target(DialogTarget::Item(item))) if is_click => {
            dialog.selected = item;
            lists::open_selected(model, effects);
        }
        (Dialog::History(_), DialogHit::Target(DialogTarget::Item(item))) if is_click => {
            history::click(model, item, effects);
        }
        (Dialog::NewGame(dialog), DialogHit::Target(DialogTarget::PreviousValue(_)))
            if is_click =>
        {
            dialog.change_value(false);
        }
        (Dialog::NewGame(dialog), DialogHit::Target(DialogTarget::Field(field))) if is_click => {
            dialog.select(field);
            if field == NewGameField::StartGame {
                start_new_game(model, effects);
            } else {
                // The right button returns to the previous value.
                dialog.change_value(!is_right);
            }
        }
        (_, DialogHit::Target(DialogTarget::Confirm)) if is_click => {
            return handle_key(model, KeyCode::Enter.into(), None, effects);
        }
        (_, DialogHit::Target(DialogTarget::Cancel)) if is_click => close(model, effects),
        // A click beside the dialog does not discard the typed name.
        (Dialog::Save(_), DialogHit::Outside) => {}
        (_, DialogHit::Outside) if is_click => model.dialog = None,
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
            model.unsaved_games.clear();
            model.save_path = Some(path.to_owned());
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
    let dialog = dialog.clone();
    let (specs, clock) = (dialog.specs.clone(), dialog.clock);
    if let Err(reason) = check_size(model, &start) {
        if let Some(Dialog::NewGame(dialog)) = &mut model.dialog {
            dialog.error = Some(reason);
        }
        return;
    }
    let game = Game::new(start);
    for side in Side::ALL {
        if let Err(reason) = specs[side].check_game(&game) {
            if let Some(Dialog::NewGame(dialog)) = &mut model.dialog {
                dialog.error = Some(format!("{side}: {reason}."));
            }
            return;
        }
    }
    let previous = model.session.specs();
    let names = BySide::from_fn(|side| {
        if specs[side] == previous[side] {
            model.session.names()[side].clone()
        } else {
            specs[side].default_name()
        }
    });
    let session = GameSession::new(game, specs, names);
    profile::remember_new_game(model, &dialog, effects);
    replace_game(model, session, clock, effects);
}

/// Returns the reason why the screen is too small for the board of a position.
pub(super) fn check_size(model: &Model, position: &BoardPosition) -> Result<(), String> {
    let (width, height) = min_size(BoardMetrics::new(position, model.labels));
    if model.size.width < width || model.size.height < height {
        return Err(format!("That board needs a terminal of {width}x{height}."));
    }
    Ok(())
}

/// Starts the game that follows a finished one: with the same players, rules and board.
pub(super) fn start_next_game(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let game = Game::new(model.game().start().clone());
    let names = model.session.names().clone();
    let session = GameSession::new(game, model.session.specs().clone(), names);
    let clock = model.clock.as_ref().map(ScreenClock::setting);
    replace_game(model, session, clock, effects);
}

/// Shows another game. A finished game that is not saved is kept until it is saved.
pub(super) fn replace_game(
    model: &mut Model,
    session: GameSession,
    clock: Option<ClockSetting>,
    effects: &mut Vec<AppEffect>,
) {
    let is_kept = model.is_unsaved() && model.session.ending().is_some();
    model.cancel_pending(effects);
    let previous = mem::replace(&mut model.session, session);
    if is_kept {
        model.unsaved_games.push(previous);
    }
    model.dialog = None;
    model.clock = clock.map(ScreenClock::new);
    model.editor = None;
    puzzles::end_puzzles(model);
    model.close_variation();
    model.message = None;
    model.last_saved = None;
    model.is_record_stale = false;
    model.user.start_game(false);
    model.hurried_at = None;
    model.margins.request = None;
    model.margins.report = None;
    model.review = ReviewState::None;
    programs::start_game(model);
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
