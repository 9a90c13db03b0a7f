//! The update function: changes the model by an event, without a clock, a terminal or an engine.

mod dialogs;
mod game;
mod requests;

use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::dialog::Dialog;
use crate::keys::{UiCommand, command_for_key};
use crate::model::{AppEffect, AppEvent, MessageKind, Model};
use crate::view::{graph, move_list};

/// Changes the model by an event, and returns the work for the event loop.
pub(crate) fn update(model: &mut Model, event: AppEvent) -> Vec<AppEffect> {
    let mut effects = Vec::new();
    match event {
        AppEvent::Key(key) => handle_key(model, key, &mut effects),
        AppEvent::Mouse(mouse) => handle_mouse(model, mouse, &mut effects),
        AppEvent::Resized(size) => model.size = size,
        AppEvent::Tick(now) => {
            model.now = now;
            if (model.animation.as_ref()).is_some_and(|animation| animation.is_finished(now)) {
                model.finish_animation(&mut effects);
            }
        }
        AppEvent::PlayerActed(request_id, action) => {
            model.handle_player_action(request_id, action, &mut effects);
        }
        AppEvent::HintFound(request_id, hint) => model.handle_hint(request_id, hint),
        AppEvent::Analyzed(request_id, report) => model.handle_report(request_id, report),
        AppEvent::ReviewProgressed(request_id, positions_done) => {
            model.handle_review_progress(request_id, positions_done);
        }
        AppEvent::Reviewed(request_id, review) => model.handle_review(request_id, review),
        AppEvent::Saved(path, result) => dialogs::handle_saved(model, &path, result, &mut effects),
        AppEvent::Recorded(result) => {
            model.is_record_stale = result.is_err();
            if let Err(reason) = result {
                model.show_message(MessageKind::Error, reason);
            }
        }
    }
    if model.animation.is_none() {
        model.apply_deferred_action(&mut effects);
    }
    model.sync_workers(&mut effects);
    effects
}

fn handle_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<AppEffect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let command = command_for_key(key, model.session.position(), model.labels);
    if model.layout().is_none() {
        // The screen is too small to show the game: only quitting works.
        match command {
            Some(UiCommand::Quit) => dialogs::quit_without_dialog(model, effects),
            Some(UiCommand::Menu) => model.dialog = None,
            _ => {}
        }
        return;
    }
    let command = if model.dialog.is_some() {
        dialogs::handle_key(model, key, command, effects)
    } else if model.animation.is_some() {
        skip_animation(model, command, effects)
    } else {
        command
    };
    if let Some(command) = command {
        execute(model, command, effects);
    }
}

/// Handles a key during an animation. Returns the command to execute, which is none if the key only
/// ends the animation.
fn skip_animation(
    model: &mut Model,
    command: Option<UiCommand>,
    effects: &mut Vec<AppEffect>,
) -> Option<UiCommand> {
    let is_executed = match command {
        None | Some(UiCommand::Activate) => false,
        // During the animation of a program, a key for a house may be meant to end the animation.
        Some(UiCommand::Sow(_) | UiCommand::Swap) => !model.is_last_ply_by_computer(),
        Some(UiCommand::Hint | UiCommand::Left | UiCommand::Right) => true,
        // The other commands do not depend on the board and leave the animation running.
        Some(_) => return command,
    };
    if !is_executed {
        model.hurried_at = Some(model.now);
    }
    model.finish_animation(effects);
    command.filter(|_| is_executed)
}

fn execute(model: &mut Model, command: UiCommand, effects: &mut Vec<AppEffect>) {
    match command {
        UiCommand::Sow(house) => model.sow(house, effects),
        UiCommand::Swap => model.swap(effects),
        UiCommand::Activate => model.activate(effects),
        UiCommand::Left => model.move_cursor(false),
        UiCommand::Right => model.move_cursor(true),
        UiCommand::Undo => model.undo(effects),
        UiCommand::Redo => model.redo(effects),
        UiCommand::Hint => model.request_hint(effects),
        UiCommand::ToggleMargins => {
            model.margins.is_shown = !model.margins.is_shown;
            model.message = None;
        }
        UiCommand::PreviousPly => {
            if let Some(plies) = model.viewed_ply_count().checked_sub(1) {
                model.view_position_after(plies);
            }
        }
        UiCommand::NextPly => model.view_position_after(model.viewed_ply_count() + 1),
        UiCommand::ViewStart => model.view_position_after(0),
        UiCommand::ViewCurrent => model.view_current_position(),
        UiCommand::NextMistake => model.view_next_mistake(),
        UiCommand::CyclePace => {
            model.pace = model.pace.next();
            let text = format!("Sowing on the screen: {}.", model.pace.as_str());
            model.show_message(MessageKind::Info, text);
        }
        UiCommand::ToggleAutoPlay => model.toggle_auto_play(),
        UiCommand::Menu if model.viewed_plies.is_some() => model.view_current_position(),
        UiCommand::Menu => dialogs::open_menu(model),
        UiCommand::CloseMenu => model.dialog = None,
        UiCommand::Help => model.dialog = Some(Dialog::Help(0)),
        UiCommand::NewGame => dialogs::request_new_game(model),
        UiCommand::ConfirmNewGame => dialogs::open_new_game(model),
        UiCommand::Save => dialogs::open_save(model, false),
        UiCommand::SaveAndQuit => dialogs::open_save(model, true),
        UiCommand::Resign => dialogs::open_resign(model),
        UiCommand::ConfirmResign => model.resign(effects),
        UiCommand::Quit => dialogs::quit(model, effects),
        UiCommand::ConfirmQuit => effects.push(AppEffect::Quit),
    }
}

fn handle_mouse(model: &mut Model, mouse: MouseEvent, effects: &mut Vec<AppEffect>) {
    let Some(layout) = model.layout() else {
        return;
    };
    if model.dialog.is_some() {
        if let Some(command) = dialogs::handle_mouse(model, mouse, effects) {
            execute(model, command, effects);
        }
        return;
    }
    let at = Position::new(mouse.column, mouse.row);
    match mouse.kind {
        MouseEventKind::ScrollUp => execute(model, UiCommand::PreviousPly, effects),
        MouseEventKind::ScrollDown => execute(model, UiCommand::NextPly, effects),
        MouseEventKind::Moved => {
            if let Some((side, house)) = layout.house_at(at)
                && model.side_to_input() == Some(side)
                && model.can_sow(house)
            {
                model.set_cursor(house);
            }
        }
        MouseEventKind::Down(MouseButton::Left) => {
            if model.animation.is_some() {
                model.finish_animation(effects);
            } else if let Some((owner, house)) = layout.house_at(at) {
                model.sow_clicked(owner, house, effects);
            } else if let Some(plies) = ply_at(model, at) {
                model.view_position_after(plies);
            }
        }
        _ => {}
    }
}

/// Returns the number of plies before the position that the move list or the graph shows at a cell.
fn ply_at(model: &Model, at: Position) -> Option<usize> {
    let layout = model.layout()?;
    if let Some(area) = layout.moves.filter(|area| area.contains(at)) {
        return move_list::ply_at(model, area, at);
    }
    let area = layout.graph.filter(|area| area.contains(at))?;
    graph::ply_at_column(model, area, at.x)
}
