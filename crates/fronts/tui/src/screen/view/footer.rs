//! The footer with the most useful keys, which are also buttons for the mouse.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::command_name;
use super::layout::ScreenLayout;
use super::theme::{BOLD, DIM};
use crate::screen::keys::{KeyBinding, UiCommand};
use crate::screen::model::Model;

/// A command in the footer.
struct FooterButton {
    command: UiCommand,
    key: String,
    name: &'static str,
    /// The first column, and the width with a space between key and name.
    x: u16,
    width: u16,
}

/// The number of spaces between two buttons.
const BUTTON_GAP: u16 = 2;

/// Returns the commands that have room in the footer.
fn buttons(model: &Model, area: Rect) -> Vec<FooterButton> {
    let houses = model.session.position().houses();
    let mut buttons = Vec::new();
    let mut x = area.x;
    for command in footer_commands(model) {
        let Some(binding) = KeyBinding::for_command(command) else {
            continue;
        };
        let Some(key) = binding.key_name(houses) else {
            continue;
        };
        let name = command_name(model, binding);
        let width = key.chars().count() + 1 + name.chars().count();
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        if width > area.right().saturating_sub(x) {
            break;
        }
        buttons.push(FooterButton {
            command,
            key,
            name,
            x,
            width,
        });
        x = x.saturating_add(width + BUTTON_GAP);
    }
    buttons
}

/// Returns the command at a cell: that of a button of the footer, or the menu, which has all
/// commands, on the title.
pub(crate) fn command_at(model: &Model, layout: &ScreenLayout, at: Position) -> Option<UiCommand> {
    if layout.title.is_some_and(|title| title.contains(at)) {
        return Some(UiCommand::Menu);
    }
    let area = layout.footer.filter(|footer| footer.contains(at))?;
    let buttons = buttons(model, area);
    let mut buttons = buttons.iter();
    let button = buttons.find(|button| (button.x..button.x + button.width).contains(&at.x))?;
    Some(button.command)
}

/// Draws the buttons.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    for button in buttons(model, area) {
        let line = Line::from(vec![
            Span::styled(button.key, BOLD),
            Span::styled(format!(" {}", button.name), DIM),
        ]);
        let area = Rect {
            x: button.x,
            width: button.width,
            ..area
        };
        frame.render_widget(line, area);
    }
}

fn footer_commands(model: &Model) -> Vec<UiCommand> {
    if model.editor.is_some() {
        return vec![
            UiCommand::Activate,
            UiCommand::Menu,
            UiCommand::ChangeSide,
            UiCommand::ClearBoard,
            UiCommand::CopyPosition,
            UiCommand::Help,
        ];
    }
    let mut commands = vec![UiCommand::Help, UiCommand::Menu];
    if model.shows_current_position() && (model.is_paused() || model.can_move_now()) {
        commands.push(UiCommand::Activate);
    }
    if model.puzzles.is_some() {
        commands.extend([
            UiCommand::Puzzle,
            UiCommand::Resign,
            UiCommand::PuzzleMenu,
            UiCommand::ToggleMargins,
        ]);
        commands.push(UiCommand::Quit);
        return commands;
    }
    if model.session.position().can_swap() && model.side_to_input().is_some() {
        commands.push(UiCommand::Swap);
    }
    commands.extend_from_slice(if model.session.ending().is_some() {
        &[
            UiCommand::PreviousPly,
            UiCommand::NextMistake,
            UiCommand::NewGame,
            UiCommand::Save,
        ]
    } else if model.session.has_human() {
        &[
            UiCommand::Hint,
            UiCommand::Undo,
            UiCommand::Redo,
            UiCommand::ToggleMargins,
            UiCommand::PreviousPly,
        ]
    } else {
        &[
            UiCommand::ToggleAutoPlay,
            UiCommand::ToggleMargins,
            UiCommand::PreviousPly,
            UiCommand::NewGame,
        ]
    });
    commands.push(UiCommand::Quit);
    commands
}
