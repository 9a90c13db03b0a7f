//! Actions of the players on the game, the cursor, and the view of earlier positions.

use std::time::Duration;

use kalah::{ActionError, House, Move, PlayerAction, Side, Termination, format_count};
use kalah_players::PlayerKind;

use super::dialogs;
use crate::animation::Animation;
use crate::event::AppEffect;
use crate::game_review::{GameReview, ReviewState};
use crate::model::{MessageKind, Model, Pause};
use crate::puzzle::PuzzleMode;
use crate::variation::Variation;

/// The time after an animation or a search was cut short in which Enter sows no house: the user may
/// have pressed it to cut short what had ended already.
const HURRY_DEBOUNCE: Duration = Duration::from_millis(700);

impl Model {
    /// Sows a house of the side to move: in the game, or in a variation if the board shows another
    /// position.
    pub(super) fn sow(&mut self, house: House, effects: &mut Vec<AppEffect>) {
        self.make_move(Move::Sow(house), effects);
    }

    /// Sows a house that was clicked.
    pub(super) fn sow_clicked(&mut self, owner: Side, house: House, effects: &mut Vec<AppEffect>) {
        let side = self.viewed_position().to_move();
        if owner == side || self.shows_current_position() && self.side_to_input().is_none() {
            self.make_move(Move::Sow(house), effects);
        } else {
            let name = self.notation().format_house(owner, house);
            self.show_message(
                MessageKind::Error,
                format!("House {name} is {owner}'s: {side} is to move."),
            );
        }
    }

    pub(super) fn swap(&mut self, effects: &mut Vec<AppEffect>) {
        self.make_move(Move::Swap, effects);
    }

    fn make_move(&mut self, mv: Move, effects: &mut Vec<AppEffect>) {
        let is_puzzle_open = self.puzzles.as_ref().is_some_and(PuzzleMode::is_open);
        if is_puzzle_open && self.shows_last_position() {
            self.try_puzzle_move(mv);
        } else if !self.shows_current_position() {
            self.try_in_variation(mv);
        } else if self.check_can_move() {
            self.try_move(mv, effects);
        }
    }

    /// Makes a move in the viewed position, which is not the current one of the game. The game does
    /// not change.
    fn try_in_variation(&mut self, mv: Move) {
        let plies = self.viewed_ply_count();
        let before = self.viewed_position().clone();
        if before.is_over() {
            self.show_message(MessageKind::Error, "The game is over in this position.");
            return;
        }
        if self
            .puzzles
            .as_ref()
            .is_some_and(|mode| mode.posed().is_none())
        {
            self.show_message(MessageKind::Error, "There is no puzzle yet.");
            return;
        }
        let next_mv = self.base_game().plies().get(plies).map(|ply| ply.mv);
        if self.variation.is_none() && next_mv == Some(mv) {
            self.view_position_after(plies + 1);
            return;
        }
        let result = match &mut self.variation {
            Some(variation) => variation.play_after(plies, mv).cloned(),
            None => Variation::new(self.base_game(), plies, mv).map(|variation| {
                let ply = variation.game().plies()[plies].clone();
                self.variation = Some(variation);
                ply
            }),
        };
        match result {
            Ok(ply) => {
                self.message = None;
                self.viewed_plies = None;
                self.animation = Animation::new(&before, &ply, self.speed, self.now);
                self.reset_cursor();
            }
            Err(reason) => self.show_action_error(ActionError::Illegal(reason)),
        }
    }

    /// Returns whether the user can move now; if not, shows the reason.
    pub(super) fn check_can_move(&mut self) -> bool {
        if self.side_to_input().is_some() {
            return true;
        }
        let reason = if self.viewed_plies.is_some() {
            "This is an earlier position. End: current position."
        } else if self.viewed_position().is_over() || self.session.ending().is_some() {
            "The game is over."
        } else if self.is_paused() {
            "The game is paused. Enter: next turn."
        } else {
            "It is not your turn."
        };
        self.show_message(MessageKind::Error, reason);
        false
    }

    /// Does what Enter means in the current state.
    pub(super) fn activate(&mut self, effects: &mut Vec<AppEffect>) {
        if !self.shows_last_position() {
            self.sow(self.cursor, effects);
        } else if let Some(mode) = &self.puzzles {
            if mode.is_open() {
                self.sow(self.cursor, effects);
            } else {
                self.request_puzzle(effects);
            }
        } else if self.session.ending().is_some() {
            dialogs::start_next_game(self, effects);
        } else if self.is_paused() {
            self.pause = Pause::After(self.session.referee().side_to_act());
        } else if self.pending_move.is_some() {
            self.hurried_at = Some(self.now);
            effects.push(AppEffect::MoveNow);
        } else if !self.has_just_hurried() {
            self.sow(self.cursor, effects);
        }
    }

    fn has_just_hurried(&self) -> bool {
        (self.hurried_at).is_some_and(|hurried| self.now.saturating_sub(hurried) < HURRY_DEBOUNCE)
    }

    /// Turns the pauses of a game between two programs on or off.
    pub(super) fn toggle_auto_play(&mut self) {
        if self.session.has_human() {
            let text = "Only a game between two programs has pauses.";
            self.show_message(MessageKind::Error, text);
            return;
        }
        let (pause, text) = match self.pause {
            Pause::Never => {
                let last = self.game().plies().last().map(|ply| ply.side);
                (Pause::After(last), "The game pauses between turns.")
            }
            Pause::After(_) => (Pause::Never, "The game continues without pauses."),
        };
        self.pause = pause;
        self.show_message(MessageKind::Info, text);
    }

    fn try_move(&mut self, mv: Move, effects: &mut Vec<AppEffect>) {
        if let Err(reason) = self.session.position().check_legal(mv) {
            self.show_action_error(ActionError::Illegal(reason));
            return;
        }
        self.hurried_at = None;
        self.apply_action(PlayerAction::Move(mv), effects);
    }

    /// Performs an action of the side to move.
    pub(super) fn apply_action(&mut self, action: PlayerAction, effects: &mut Vec<AppEffect>) {
        let before = self.session.position().clone();
        let side = before.to_move();
        self.cancel_pending(effects);
        self.message = None;
        let player = self.game().player_on(side);
        match self.session.play(action) {
            Ok(ply) => {
                // A variation and a puzzle keep their own animations.
                if self.variation.is_none() && self.puzzles.is_none() {
                    self.animation = Animation::new(&before, ply, self.speed, self.now);
                }
                let position = self.session.position();
                let next = self.session.game().player_on(position.to_move());
                if let Some(clock) = &mut self.clock {
                    clock.complete_ply(player, next, self.now);
                }
                if let Pause::After(last) = &mut self.pause {
                    *last = Some(side);
                }
            }
            Err(reason) => self.show_action_error(reason),
        }
        // The search that was cut short ends only now.
        self.hurried_at = self.hurried_at.map(|_| self.now);
        effects.push(AppEffect::Record);
        self.reset_cursor();
    }

    pub(super) fn show_action_error(&mut self, error: ActionError) {
        let mut text = match error {
            ActionError::Illegal(reason) => self.notation().describe_illegal_move(reason),
            error => error.to_string(),
        };
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.show_message(MessageKind::Error, format!("{text}."));
    }

    pub(super) fn finish_animation(&mut self, effects: &mut Vec<AppEffect>) {
        self.animation = None;
        self.apply_deferred_action(effects);
    }

    pub(super) fn apply_deferred_action(&mut self, effects: &mut Vec<AppEffect>) {
        if let Some(action) = self.deferred_action.take() {
            self.apply_action(action, effects);
        }
    }

    pub(super) fn is_last_ply_by_computer(&self) -> bool {
        let Some(ply) = self.game().plies().last() else {
            return false;
        };
        let player = self.game().player_on(ply.side).started_as;
        self.session.specs()[player].kind != PlayerKind::Human
    }

    /// Returns whether the program to move searches, so that it can be made to move at once.
    pub(crate) fn can_move_now(&self) -> bool {
        self.session.computer_to_move().is_some_and(|player| {
            let spec = self.session.specs()[player];
            spec.uses_clock() || matches!(spec.kind, PlayerKind::Minimax { .. })
        })
    }

    pub(super) fn undo(&mut self, effects: &mut Vec<AppEffect>) {
        if let Some(variation) = &mut self.variation {
            let branch = variation.branch();
            self.message = None;
            self.animation = None;
            self.viewed_plies = None;
            if !variation.undo() {
                self.view_position_after(branch);
            }
            self.reset_cursor();
            return;
        }
        if self.puzzles.is_some() {
            self.show_action_error(ActionError::NothingToUndo);
            return;
        }
        if self.viewed_plies.is_some() {
            let text = "Undo works in the current position. End: current position.";
            self.show_message(MessageKind::Error, text);
            return;
        }
        if !self.session.has_human() {
            let text = "A game between two programs has no undo.";
            self.show_message(MessageKind::Error, text);
            return;
        }
        let plies_before = self.game().plies().len();
        let ending = self.session.ending();
        let is_lost_on_time = ending.is_some_and(|ending| ending.termination == Termination::Time);
        let result = self.session.undo();
        if is_lost_on_time {
            self.clock = None;
        }
        let text = match plies_before - self.game().plies().len() {
            0 if is_lost_on_time => {
                "The loss on time is undone, and the game goes on without clocks.".to_owned()
            }
            0 => "The end of the game is undone.".to_owned(),
            undone => format!("Undone: {}.", format_move_count(undone)),
        };
        self.finish_undo_or_redo(result, text, effects);
    }

    pub(super) fn redo(&mut self, effects: &mut Vec<AppEffect>) {
        if self.variation.is_some() || self.puzzles.is_some() {
            self.show_action_error(ActionError::NothingToRedo);
            return;
        }
        let plies_before = self.game().plies().len();
        let result = self.session.redo();
        let redone = self.game().plies().len() - plies_before;
        let text = format!("Redone: {}.", format_move_count(redone));
        self.finish_undo_or_redo(result, text, effects);
    }

    fn finish_undo_or_redo(
        &mut self,
        result: Result<(), ActionError>,
        text: String,
        effects: &mut Vec<AppEffect>,
    ) {
        match result {
            Ok(()) => {
                self.cancel_pending(effects);
                self.animation = None;
                self.view_current_position();
                let plies = self.game().plies().len();
                if let Some(clock) = &mut self.clock {
                    clock.restore(plies);
                }
                self.show_message(MessageKind::Info, text);
                effects.push(AppEffect::Record);
            }
            Err(reason) => self.show_action_error(reason),
        }
    }

    /// Resigns the game for the person to move.
    pub(super) fn resign(&mut self, effects: &mut Vec<AppEffect>) {
        self.dialog = None;
        self.animation = None;
        self.view_current_position();
        if self.session.resign_human() {
            self.cancel_pending(effects);
            self.message = None;
            effects.push(AppEffect::Record);
        }
    }

    pub(super) fn can_sow(&self, house: House) -> bool {
        let position = self.viewed_position();
        position.check_legal(Move::Sow(house)).is_ok()
    }

    /// Moves the cursor to the next legal house on the left or right, in a cycle.
    pub(super) fn move_cursor(&mut self, right: bool) {
        let position = self.viewed_position().clone();
        // The houses of the upper row are drawn from right to left.
        let is_ascending = right == (position.to_move() == self.bottom_side());
        let mut houses = position.legal_houses();
        let next = if is_ascending {
            let next = houses.clone().find(|house| *house > self.cursor);
            next.or_else(|| houses.next())
        } else {
            let next = houses.clone().rfind(|house| *house < self.cursor);
            next.or_else(|| houses.next_back())
        };
        if let Some(next) = next {
            self.set_cursor(next);
        }
    }

    /// Shows the position of the game after this number of plies, or the current one if there are
    /// fewer.
    pub(super) fn view_position_after(&mut self, plies: usize) {
        self.variation = None;
        self.view_shown_game_after(plies);
    }

    /// Shows the position of the shown game, which may be a variation, after this number of plies,
    /// or its last one if there are fewer.
    pub(super) fn view_shown_game_after(&mut self, plies: usize) {
        self.message = None;
        self.viewed_plies = Some(plies).filter(|&plies| plies < self.shown_game().plies().len());
        if self.viewed_plies.is_some() {
            self.animation = None;
        }
        self.reset_cursor();
    }

    /// Shows the last position of a variation from an earlier position of it, and otherwise the
    /// current position of the game.
    pub(super) fn view_end(&mut self) {
        if self.viewed_plies.is_some() {
            self.view_shown_game_after(usize::MAX);
        } else {
            self.view_current_position();
        }
    }

    /// Shows the last position of the game or of the puzzle.
    pub(super) fn view_current_position(&mut self) {
        if self.variation.is_some() {
            self.animation = None;
        }
        self.view_position_after(usize::MAX);
    }

    /// Shows the position before the next of the worst mistakes, in a cycle.
    pub(super) fn view_next_mistake(&mut self) {
        let review = self.finished_review();
        let mistakes = review.map(GameReview::biggest_mistakes).unwrap_or_default();
        let mut plies_before = mistakes.iter().map(|&(plies, _)| plies);
        let viewed = plies_before
            .clone()
            .position(|plies| self.variation.is_none() && Some(plies) == self.viewed_plies);
        let next = match viewed {
            Some(index) => plies_before.nth((index + 1) % mistakes.len()),
            None => plies_before.next(),
        };
        if let Some(plies) = next {
            self.view_position_after(plies);
            return;
        }
        let text = match (&self.review, self.session.ending()) {
            (_, None) => "The biggest mistakes are listed after the game.".to_owned(),
            (ReviewState::Done(_), _) => "No move is a proven mistake.".to_owned(),
            (review, _) => review.progress_text(),
        };
        self.show_message(MessageKind::Error, text);
    }
}

fn format_move_count(moves: usize) -> String {
    format_count(u64::try_from(moves).unwrap_or(u64::MAX), "move")
}
