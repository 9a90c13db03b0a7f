//! The position editor: keys and the mouse.

use kalah::{Setup, format_count};
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::dialogs;
use crate::screen::keys::{UiCommand, describe_key};
use crate::screen::model::position_editor::{Direction, PositionEditor};
use crate::screen::model::{MessageKind, Model};
use crate::screen::view::footer;

/// Edits a copy of the viewed position.
pub(super) fn open(model: &mut Model) {
    let position = model.viewed_position().clone();
    model.message = None;
    model.animation = None;
    model.editor = Some(PositionEditor::new(&position));
}

/// Handles a key in the editor; `command` is the meaning of the key on the board of a game.
/// Returns the command to execute, if any.
pub(super) fn handle_key(
    model: &mut Model,
    key: KeyEvent,
    command: Option<UiCommand>,
) -> Option<UiCommand> {
    let bottom = model.bottom_side();
    let editor = model.editor.as_mut()?;
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => model.editor = None,
        KeyCode::Enter => start_game(model),
        KeyCode::Left => editor.move_cursor(Direction::Left, bottom),
        KeyCode::Right => editor.move_cursor(Direction::Right, bottom),
        KeyCode::Up => editor.move_cursor(Direction::Up, bottom),
        KeyCode::Down => editor.move_cursor(Direction::Down, bottom),
        KeyCode::Home => editor.move_to_end(false),
        KeyCode::End => editor.move_to_end(true),
        KeyCode::Tab | KeyCode::BackTab => editor.change_side(),
        KeyCode::Backspace => editor.delete_digit(),
        KeyCode::Delete => editor.clear(),
        KeyCode::Char('+' | ' ') => editor.add(editor.cursor, 1),
        KeyCode::Char('-') => editor.add(editor.cursor, -1),
        KeyCode::Char(character) if !is_control && character.is_ascii_digit() => {
            editor.type_digit(character.to_digit(10).unwrap_or_default());
        }
        // Y names a house of a long row, but sows none here.
        KeyCode::Char('y' | 'Y') if !is_control => return Some(UiCommand::CopyPosition),
        _ => {
            let is_general = |command: &UiCommand| {
                matches!(
                    command,
                    UiCommand::CopyPosition
                        | UiCommand::Help
                        | UiCommand::Flip
                        | UiCommand::Redraw
                        | UiCommand::Suspend
                        | UiCommand::Quit
                )
            };
            if let Some(command) = command.filter(is_general) {
                return Some(command);
            }
            let text = format!("{} has no meaning in the editor.", describe_key(key));
            model.show_message(MessageKind::Error, text);
            return None;
        }
    }
    model.message = None;
    None
}

/// Handles the mouse in the editor: the left button adds a seed, and the right one takes one
/// away. Returns the command of a button that was clicked.
pub(super) fn handle_mouse(model: &mut Model, mouse: MouseEvent) -> Option<UiCommand> {
    let at = Position::new(mouse.column, mouse.row);
    let layout = model.layout()?;
    let pit = layout.pit_at(at);
    if mouse.kind == MouseEventKind::Down(MouseButton::Left)
        && let Some(command) = footer::command_at(model, &layout, at)
    {
        return Some(command);
    }
    let seeds = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) | MouseEventKind::ScrollUp => 1,
        MouseEventKind::Down(MouseButton::Right) | MouseEventKind::ScrollDown => -1,
        _ => return None,
    };
    if let (Some(editor), Some(pit)) = (&mut model.editor, pit) {
        model.message = None;
        editor.add(pit, seeds);
    }
    None
}

/// Replaces the edited position by one in the text form of positions.
pub(super) fn paste_position(model: &mut Model, text: &str) {
    let houses = model.session.position().houses();
    let setup = text.parse::<Setup>().map_err(|error| error.to_string());
    let rules = model.session.position().rules();
    let position = setup.and_then(|setup| {
        let position = setup.position(rules);
        position.map_err(|error| error.to_string())
    });
    match position {
        Ok(position) if position.houses() == houses => {
            model.message = None;
            model.editor = Some(PositionEditor::new(&position));
        }
        Ok(position) => {
            let pasted = format_count(position.houses().into(), "house");
            let text = format!("The pasted position has {pasted} a side, and this board {houses}.");
            model.show_message(MessageKind::Error, text);
        }
        Err(reason) => model.show_message(MessageKind::Error, reason),
    }
}

/// Opens the dialog for a new game from the edited position.
pub(super) fn start_game(model: &mut Model) {
    let Some(editor) = &model.editor else {
        return;
    };
    match editor.position() {
        Ok(position) if position.is_over() => {
            let text = "The game is over in this position: add seeds to a row.";
            model.show_message(MessageKind::Error, text);
        }
        Ok(_) => {
            let setup = editor.setup();
            dialogs::open_new_game_from(model, setup);
        }
        Err(reason) => model.show_message(MessageKind::Error, reason.to_string()),
    }
}
