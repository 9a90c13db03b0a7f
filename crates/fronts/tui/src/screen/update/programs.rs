//! Failures of programs, and how the game goes on after one.

use kalah::{BySide, Side};
use kalah_players::PlayerSpec;

use crate::screen::event::{AppEffect, WorkerRequestId};
use crate::screen::keys::UiCommand;
use crate::screen::model::Model;
use crate::screen::model::dialog::{Dialog, MenuDialog};
use crate::screen::model::program::ProgramOutput;

/// The title of the question after a failure.
const FAULT_TITLE: &str = "A program has failed";

/// Notes the failure of a program, and asks how the game goes on.
pub(super) fn handle_failure(model: &mut Model, request_id: WorkerRequestId, reason: String) {
    let is_pending = (model.pending_move).is_some_and(|pending| pending.request_id == request_id);
    if !is_pending {
        return;
    }
    model.pending_move = None;
    model.set_fault(reason);
    // A dialog that the user has opened stays.
    if model.dialog.is_none() {
        open_fault_menu(model);
    }
}

/// Adds lines of a program's standard error, also to the question about its failure. The last lines
/// of a program that another player has replaced are dropped.
pub(super) fn handle_output(model: &mut Model, player: Side, lines: Vec<String>) {
    if model.session.specs()[player].program().is_none() {
        return;
    }
    model.program_output[player].extend(lines);
    let notes = model.current_fault().map(|fault| model.fault_notes(fault));
    if let (Some(Dialog::Menu(menu)), Some(notes)) = (&mut model.dialog, notes)
        && menu.title == FAULT_TITLE
    {
        menu.notes = notes;
    }
}

/// Asks how the game goes on after the failure of the program that is to move.
pub(super) fn open_fault_menu(model: &mut Model) {
    let Some(fault) = model.current_fault() else {
        return;
    };
    let items = vec![
        UiCommand::RestartProgram,
        UiCommand::TakeOver,
        UiCommand::SubstituteEngine,
        UiCommand::NewGame,
        UiCommand::Save,
        UiCommand::CloseMenu,
    ];
    let mut menu = MenuDialog::new(FAULT_TITLE, items);
    menu.notes = model.fault_notes(fault);
    model.dialog = Some(Dialog::Menu(menu));
}

/// Starts the program that has failed again.
pub(super) fn restart(model: &mut Model) {
    model.fault = None;
}

/// Lets another player continue for the program that has failed.
pub(super) fn replace(model: &mut Model, spec: PlayerSpec, effects: &mut Vec<AppEffect>) {
    let Some(player) = model.current_fault().map(|fault| fault.player) else {
        return;
    };
    model.fault = None;
    model.cancel_pending(effects);
    model.session.replace_player(player, spec.into());
    // The screen shows these lines with the name of the player.
    model.program_output[player] = ProgramOutput::default();
    // The workers of the other players have no requests yet.
    model.margins.request = None;
    model.reset_cursor();
    effects.push(AppEffect::ReplacePlayers);
}

/// Forgets the programs of the previous game.
pub(super) fn start_game(model: &mut Model) {
    model.fault = None;
    model.program_output = BySide::default();
    model.remember_programs();
}
