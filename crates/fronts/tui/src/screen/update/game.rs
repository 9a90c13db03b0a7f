//! Actions of the players on the game, the cursor, and the view of earlier positions.

use std::time::Duration;

use kalah::{ActionError, House, Move, PlayerAction, Side, Termination, format_count};

use super::{dialogs, programs, puzzles};
use crate::screen::event::AppEffect;
use crate::screen::model::animation::Animation;
use crate::screen::model::puzzle::PuzzleMode;
use crate::screen::model::review::{GameReview, ReviewState};
use crate::screen::model::variation::Variation;
use crate::screen::model::{MessageKind, Model, Pause};

/// The time after an animation or a search was cut short in which Enter sows no house: the user may
/// have pressed it to cut short what had ended already.
const HURRY_DEBOUNCE: Duration = Duration::from_millis(700);

/// Sows a house of the side to move: in the game, or in a variation if the board shows another
/// position.
pub(super) fn sow(model: &mut Model, house: House, effects: &mut Vec<AppEffect>) {
    make_move(model, Move::Sow(house), effects);
}

/// Sows a house that was clicked.
pub(super) fn sow_clicked(
    model: &mut Model,
    owner: Side,
    house: House,
    effects: &mut Vec<AppEffect>,
) {
    let side = model.viewed_position().to_move();
    if owner == side || model.shows_current_position() && model.side_to_input().is_none() {
        make_move(model, Move::Sow(house), effects);
    } else {
        let name = model.notation().format_house(owner, house);
        model.show_message(
            MessageKind::Error,
            format!("House {name} is {owner}'s: {side} is to move."),
        );
    }
}

pub(super) fn swap(model: &mut Model, effects: &mut Vec<AppEffect>) {
    make_move(model, Move::Swap, effects);
}

fn make_move(model: &mut Model, mv: Move, effects: &mut Vec<AppEffect>) {
    let is_puzzle_open = model.puzzles.as_ref().is_some_and(PuzzleMode::is_open);
    if is_puzzle_open && model.shows_last_position() {
        puzzles::try_puzzle_move(model, mv, effects);
    } else if !model.shows_current_position() {
        try_in_variation(model, mv);
    } else if check_can_move(model) {
        try_move(model, mv, effects);
    }
}

/// Makes a move in the viewed position, which is not the current one of the game. The game does
/// not change.
fn try_in_variation(model: &mut Model, mv: Move) {
    let plies = model.viewed_ply_count();
    let before = model.viewed_position().clone();
    if before.is_over() {
        model.show_message(MessageKind::Error, "The game is over in this position.");
        return;
    }
    if model
        .puzzles
        .as_ref()
        .is_some_and(|mode| mode.posed().is_none())
    {
        model.show_message(MessageKind::Error, "There is no puzzle yet.");
        return;
    }
    let next_mv = model.base_game().plies().get(plies).map(|ply| ply.mv);
    if model.variation.is_none() && next_mv == Some(mv) {
        view_position_after(model, plies + 1);
        return;
    }
    let result = match &mut model.variation {
        Some(variation) => variation.play_after(plies, mv).cloned(),
        None => Variation::new(model.base_game(), plies, mv).map(|variation| {
            let ply = variation.game().plies()[plies].clone();
            model.variation = Some(variation);
            ply
        }),
    };
    match result {
        Ok(ply) => {
            model.message = None;
            model.viewed_plies = None;
            model.animation = Animation::new(&before, &ply, model.speed, model.now);
            model.reset_cursor();
        }
        Err(reason) => model.show_action_error(ActionError::Illegal(reason)),
    }
}

/// Returns whether the user can move now; if not, shows the reason.
pub(super) fn check_can_move(model: &mut Model) -> bool {
    if model.side_to_input().is_some() {
        return true;
    }
    let reason = if model.viewed_plies.is_some() {
        "This is an earlier position. End: current position."
    } else if model.viewed_position().is_over() || model.session.ending().is_some() {
        "The game is over."
    } else if model.current_fault().is_some() {
        "The program has failed. Enter: choices."
    } else if model.is_paused() {
        "The game is paused. Enter: next turn."
    } else {
        "It is not your turn."
    };
    model.show_message(MessageKind::Error, reason);
    false
}

/// Does what Enter means in the current state.
pub(super) fn activate(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if !model.shows_last_position() {
        sow(model, model.cursor, effects);
    } else if let Some(mode) = &model.puzzles {
        if mode.is_open() {
            sow(model, model.cursor, effects);
        } else {
            puzzles::request_puzzle(model, effects);
        }
    } else if model.session.ending().is_some() {
        dialogs::start_next_game(model, effects);
    } else if model.is_paused() {
        model.pause = Pause::After(model.session.referee().side_to_act());
    } else if model.current_fault().is_some() {
        programs::open_fault_menu(model);
    } else if model.pending_move.is_some() {
        model.hurried_at = Some(model.now);
        // A program cannot be stopped.
        if !model.is_program_to_move() {
            effects.push(AppEffect::MoveNow);
        }
    } else if !has_just_hurried(model) {
        sow(model, model.cursor, effects);
    }
}

fn has_just_hurried(model: &Model) -> bool {
    (model.hurried_at).is_some_and(|hurried| model.now.saturating_sub(hurried) < HURRY_DEBOUNCE)
}

/// Turns the pauses of a game between two programs on or off.
pub(super) fn toggle_auto_play(model: &mut Model) {
    if model.session.has_human() {
        let text = "Only a game between two programs has pauses.";
        model.show_message(MessageKind::Error, text);
        return;
    }
    let (pause, text) = match model.pause {
        Pause::Never => {
            let last = model.game().plies().last().map(|ply| ply.side);
            (Pause::After(last), "The game pauses between turns.")
        }
        Pause::After(_) => (Pause::Never, "The game continues without pauses."),
    };
    model.pause = pause;
    model.show_message(MessageKind::Info, text);
}

fn try_move(model: &mut Model, mv: Move, effects: &mut Vec<AppEffect>) {
    if let Err(reason) = model.session.position().check_legal(mv) {
        model.show_action_error(ActionError::Illegal(reason));
        return;
    }
    model.hurried_at = None;
    apply_action(model, PlayerAction::Move(mv), effects);
}

/// Performs an action of the side to move.
pub(super) fn apply_action(model: &mut Model, action: PlayerAction, effects: &mut Vec<AppEffect>) {
    let before = model.session.position().clone();
    let side = before.to_move();
    model.cancel_pending(effects);
    model.message = None;
    let player = model.game().player_on(side);
    match model.session.play(action) {
        Ok(ply) => {
            // A variation and a puzzle keep their own animations.
            if model.variation.is_none() && model.puzzles.is_none() {
                model.animation = Animation::new(&before, ply, model.speed, model.now);
            }
            let position = model.session.position();
            let next = model.session.game().player_on(position.to_move());
            if let Some(clock) = &mut model.clock {
                clock.complete_ply(player, next, model.now);
                let left = clock.times().remaining[player];
                model.session.note_clock(left);
            }
            if let Pause::After(last) = &mut model.pause {
                *last = Some(side);
            }
        }
        Err(reason) => model.show_action_error(reason),
    }
    // The search that was cut short ends only now.
    model.hurried_at = model.hurried_at.map(|_| model.now);
    effects.push(AppEffect::Record);
    model.reset_cursor();
}

pub(super) fn finish_animation(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.animation = None;
    apply_deferred_action(model, effects);
}

pub(super) fn apply_deferred_action(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if let Some(action) = model.deferred_action.take() {
        apply_action(model, action, effects);
    }
}

/// Returns whether a program made the last ply of the game or, in a puzzle, the opponent.
pub(super) fn is_last_ply_by_computer(model: &Model) -> bool {
    if let Some(posed) = model.puzzles.as_ref().and_then(PuzzleMode::posed) {
        return posed.is_last_ply_reply();
    }
    let Some(ply) = model.game().plies().last() else {
        return false;
    };
    let player = model.game().player_on(ply.side).started_as;
    !model.session.specs()[player].is_human()
}

pub(super) fn undo(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if let Some(variation) = &mut model.variation {
        let branch = variation.branch();
        model.message = None;
        model.animation = None;
        model.viewed_plies = None;
        if !variation.undo() {
            view_position_after(model, branch);
        }
        model.reset_cursor();
        return;
    }
    if model.puzzles.is_some() {
        model.show_action_error(ActionError::NothingToUndo);
        return;
    }
    if model.viewed_plies.is_some() {
        let text = "Undo works in the current position. End: current position.";
        model.show_message(MessageKind::Error, text);
        return;
    }
    if !model.session.has_human() {
        let text = "A game between two programs has no undo.";
        model.show_message(MessageKind::Error, text);
        return;
    }
    let plies_before = model.game().plies().len();
    let ending = model.session.ending();
    let is_lost_on_time = ending.is_some_and(|ending| ending.termination == Termination::Time);
    let result = model.session.undo();
    if is_lost_on_time {
        model.clock = None;
    }
    let text = match plies_before - model.game().plies().len() {
        0 if is_lost_on_time => {
            "The loss on time is undone, and the game goes on without clocks.".to_owned()
        }
        0 => "The end of the game is undone.".to_owned(),
        undone => format!("Undone: {}.", format_move_count(undone)),
    };
    finish_undo_or_redo(model, result, text, effects);
}

pub(super) fn redo(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.variation.is_some() || model.puzzles.is_some() {
        model.show_action_error(ActionError::NothingToRedo);
        return;
    }
    let plies_before = model.game().plies().len();
    let result = model.session.redo();
    let redone = model.game().plies().len() - plies_before;
    let text = format!("Redone: {}.", format_move_count(redone));
    finish_undo_or_redo(model, result, text, effects);
}

fn finish_undo_or_redo(
    model: &mut Model,
    result: Result<(), ActionError>,
    text: String,
    effects: &mut Vec<AppEffect>,
) {
    match result {
        Ok(()) => {
            model.cancel_pending(effects);
            model.animation = None;
            view_current_position(model);
            let plies = model.game().plies().len();
            if let Some(clock) = &mut model.clock {
                clock.restore(plies);
            }
            model.show_message(MessageKind::Info, text);
            effects.push(AppEffect::Record);
        }
        Err(reason) => model.show_action_error(reason),
    }
}

/// Resigns the game for the person to move.
pub(super) fn resign(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.dialog = None;
    model.animation = None;
    view_current_position(model);
    if model.session.resign_human() {
        model.cancel_pending(effects);
        model.message = None;
        effects.push(AppEffect::Record);
    }
}

pub(super) fn can_sow(model: &Model, house: House) -> bool {
    let position = model.viewed_position();
    position.check_legal(Move::Sow(house)).is_ok()
}

/// Moves the cursor to the next legal house on the left or right, in a cycle.
pub(super) fn move_cursor(model: &mut Model, right: bool) {
    let position = model.viewed_position().clone();
    // The houses of the upper row are drawn from right to left.
    let is_ascending = right == (position.to_move() == model.bottom_side());
    let mut houses = position.legal_houses();
    let next = if is_ascending {
        let next = houses.clone().find(|house| *house > model.cursor);
        next.or_else(|| houses.next())
    } else {
        let next = houses.clone().rfind(|house| *house < model.cursor);
        next.or_else(|| houses.next_back())
    };
    if let Some(next) = next {
        model.set_cursor(next);
    }
}

/// Shows the position of the game after this number of plies, or the current one if there are
/// fewer.
pub(super) fn view_position_after(model: &mut Model, plies: usize) {
    model.variation = None;
    view_shown_game_after(model, plies);
}

/// Shows the position of the shown game, which may be a variation, after this number of plies,
/// or its last one if there are fewer.
pub(super) fn view_shown_game_after(model: &mut Model, plies: usize) {
    model.message = None;
    model.viewed_plies = Some(plies).filter(|&plies| plies < model.shown_game().plies().len());
    if model.viewed_plies.is_some() {
        model.animation = None;
    }
    model.reset_cursor();
}

/// Shows the last position of a variation from an earlier position of it, and otherwise the
/// current position of the game.
pub(super) fn view_end(model: &mut Model) {
    if model.viewed_plies.is_some() {
        view_shown_game_after(model, usize::MAX);
    } else {
        view_current_position(model);
    }
}

/// Shows the last position of the game or of the puzzle.
pub(super) fn view_current_position(model: &mut Model) {
    if model.variation.is_some() {
        model.animation = None;
    }
    view_position_after(model, usize::MAX);
}

/// Shows the position before the next of the worst mistakes, in a cycle.
pub(super) fn view_next_mistake(model: &mut Model) {
    let review = model.finished_review();
    let mistakes = review.map(GameReview::biggest_mistakes).unwrap_or_default();
    let mut plies_before = mistakes.iter().map(|&(plies, _)| plies);
    let viewed = plies_before
        .clone()
        .position(|plies| model.variation.is_none() && Some(plies) == model.viewed_plies);
    let next = match viewed {
        Some(index) => plies_before.nth((index + 1) % mistakes.len()),
        None => plies_before.next(),
    };
    if let Some(plies) = next {
        view_position_after(model, plies);
        return;
    }
    let text = match (&model.review, model.session.ending()) {
        (_, None) => "The biggest mistakes are listed after the game.".to_owned(),
        (ReviewState::Done(_), _) => "No move is a proven mistake.".to_owned(),
        (review, _) => match review.progress() {
            Some((done, all)) => {
                format!("The mistakes are known after the analysis: {done} of {all}.")
            }
            None => review.progress_text(),
        },
    };
    model.show_message(MessageKind::Error, text);
}

fn format_move_count(moves: usize) -> String {
    format_count(u64::try_from(moves).unwrap_or(u64::MAX), "move")
}
