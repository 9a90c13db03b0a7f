//! What players do.

use std::time::Duration;

use kalah::{ActionError, House, Move, PlayerAction, Side};
use kalah_players::PlayerKind;

use super::super::animation::Animation;
use super::super::event::{AppEffect, RequestId};
use super::super::model::{MessageKind, Model, Pause, PendingHint};
use crate::Hint;

/// Whoever presses Enter so soon after what was hurried has come is still hurrying it.
const HURRY_DEBOUNCE: Duration = Duration::from_millis(700);

impl Model {
    /// A person sows a house of its own row.
    pub(super) fn sow(&mut self, house: House, effects: &mut Vec<AppEffect>) {
        if self.check_can_move() {
            self.try_move(Move::Sow(house), effects);
        }
    }

    /// A person points at a house of that row.
    pub(super) fn sow_clicked(&mut self, owner: Side, house: House, effects: &mut Vec<AppEffect>) {
        if !self.check_can_move() {
            return;
        }
        let side = self.session.position().to_move();
        if owner == side {
            self.try_move(Move::Sow(house), effects);
        } else {
            let name = self.naming().format_house(owner, house);
            self.show_message(
                MessageKind::Error,
                format!("House {name} is {owner}'s: {side} is to sow."),
            );
        }
    }

    pub(super) fn swap(&mut self, effects: &mut Vec<AppEffect>) {
        if self.check_can_move() {
            self.try_move(Move::Swap, effects);
        }
    }

    /// Whether a person may choose now; if not, it is told why.
    fn check_can_move(&mut self) -> bool {
        if self.side_to_input().is_some() {
            return true;
        }
        if self.viewed_plies.is_some() && self.session.human_to_move().is_some() {
            self.view_position_after(Some(usize::MAX));
            self.show_message(
                MessageKind::Info,
                "Back to how the game stands: sow from here.",
            );
            return false;
        }
        let reason = if self.viewed_plies.is_some() {
            "This is how the game was: End goes back to how it is."
        } else if self.session.ending().is_some() {
            "The game is over."
        } else if self.is_paused() {
            "Enter goes on."
        } else {
            "It is not your turn."
        };
        self.show_message(MessageKind::Error, reason);
        false
    }

    /// Enter: what is next.
    pub(super) fn activate(&mut self, effects: &mut Vec<AppEffect>) {
        if self.viewed_plies.is_some() {
            self.view_position_after(Some(usize::MAX));
        } else if self.session.ending().is_some() {
            super::dialogs::request_new_game(self);
        } else if self.is_paused() {
            self.pause = Pause::After(self.session.referee().side_to_act());
        } else if self.pending_move.is_some() {
            self.hurried_at = Some(self.now);
            effects.push(AppEffect::MoveNow);
        } else if !self.has_just_hurried() {
            self.sow(self.cursor, effects);
        }
    }

    /// Whether Enter is still meant for what was waited for, and not for the house under the cursor.
    fn has_just_hurried(&self) -> bool {
        (self.hurried_at).is_some_and(|hurried| self.now.saturating_sub(hurried) < HURRY_DEBOUNCE)
    }

    /// Two programs wait between their turns, or do not any more.
    pub(super) fn toggle_auto_play(&mut self) {
        if self.session.has_human() {
            self.show_message(MessageKind::Error, "Only two programs wait for each other.");
            return;
        }
        let (pause, told) = match self.pause {
            Pause::Never => {
                let last = self.game().plies().last().map(|ply| ply.side);
                (Pause::After(last), "They wait between their turns.")
            }
            Pause::After(_) => (Pause::Never, "They go on without waiting."),
        };
        self.pause = pause;
        self.show_message(MessageKind::Info, told);
    }

    fn try_move(&mut self, mv: Move, effects: &mut Vec<AppEffect>) {
        if let Err(reason) = self.session.position().check_legal(mv) {
            let mut reason = self.naming().describe_illegal_move(reason);
            if let Some(first) = reason.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            self.show_message(MessageKind::Error, format!("{reason}."));
            return;
        }
        self.hurried_at = None;
        self.apply_action(PlayerAction::Move(mv), effects);
    }

    /// Somebody chooses, and the game goes on.
    fn apply_action(&mut self, answer: PlayerAction, effects: &mut Vec<AppEffect>) {
        let before = self.session.position().clone();
        let side = before.to_move();
        self.cancel_pending(effects);
        self.message = None;
        match self.session.play(answer) {
            Ok(ply) => {
                self.animation = Animation::new(&before, ply, self.pace, self.now);
                if let Pause::After(last) = &mut self.pause {
                    *last = Some(side);
                }
            }
            Err(reason) => self.show_action_error(reason),
        }
        // What was hurried has come just now.
        self.hurried_at = self.hurried_at.map(|_| self.now);
        effects.push(AppEffect::Record);
        self.reset_cursor();
    }

    fn show_action_error(&mut self, reason: ActionError) {
        let mut reason = match reason {
            ActionError::Illegal(reason) => self.naming().describe_illegal_move(reason),
            reason => reason.to_string(),
        };
        if let Some(first) = reason.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.show_message(MessageKind::Error, format!("{reason}."));
    }

    /// A program has answered.
    pub(super) fn handle_player_action(
        &mut self,
        ticket: RequestId,
        answer: PlayerAction,
        effects: &mut Vec<AppEffect>,
    ) {
        if !self.take_pending_move(ticket) {
            return;
        }
        if self.animation.is_some() {
            self.deferred_action = Some(answer);
        } else {
            self.apply_action(answer, effects);
        }
    }

    /// The sowing has been seen.
    pub(super) fn finish_animation(&mut self, effects: &mut Vec<AppEffect>) {
        self.animation = None;
        self.apply_deferred_action(effects);
    }

    /// What a program has answered meanwhile is played.
    pub(super) fn apply_deferred_action(&mut self, effects: &mut Vec<AppEffect>) {
        if let Some(answer) = self.deferred_action.take() {
            self.apply_action(answer, effects);
        }
    }

    pub(super) fn is_last_ply_by_computer(&self) -> bool {
        let Some(ply) = self.game().plies().last() else {
            return false;
        };
        let player = self.game().player_on(ply.side).started_as;
        self.session.specs()[player].kind != PlayerKind::Human
    }

    pub(super) fn undo(&mut self, effects: &mut Vec<AppEffect>) {
        if !self.session.has_human() {
            self.show_message(MessageKind::Error, "Programs take nothing back.");
            return;
        }
        let result = self.session.undo();
        self.finish_undo_or_redo(result, "Taken back.", effects);
    }

    pub(super) fn redo(&mut self, effects: &mut Vec<AppEffect>) {
        let result = self.session.redo();
        self.finish_undo_or_redo(result, "Made again.", effects);
    }

    fn finish_undo_or_redo(
        &mut self,
        result: Result<(), ActionError>,
        told: &str,
        effects: &mut Vec<AppEffect>,
    ) {
        match result {
            Ok(()) => {
                self.cancel_pending(effects);
                self.animation = None;
                self.viewed_plies = None;
                self.show_message(MessageKind::Info, told);
                self.reset_cursor();
                effects.push(AppEffect::Record);
            }
            Err(reason) => self.show_action_error(reason),
        }
    }

    pub(super) fn resign(&mut self, effects: &mut Vec<AppEffect>) {
        self.dialog = None;
        self.animation = None;
        self.viewed_plies = None;
        if self.session.resign_human() {
            self.cancel_pending(effects);
            self.message = None;
            effects.push(AppEffect::Record);
        }
    }

    pub(super) fn request_hint(&mut self, effects: &mut Vec<AppEffect>) {
        if !self.check_can_move() || self.pending_hint.is_some() {
            return;
        }
        self.message = None;
        let ticket = self.next_request_id();
        self.pending_hint = Some(PendingHint {
            request_id: ticket,
            started_at: self.now,
            cursor_moved: false,
        });
        effects.push(AppEffect::RequestHint(
            ticket,
            self.session.position().clone(),
        ));
    }

    pub(super) fn handle_hint(&mut self, ticket: RequestId, hint: Option<Hint>) {
        let Some(asked) = self.pending_hint.filter(|asked| asked.request_id == ticket) else {
            return;
        };
        self.pending_hint = None;
        let Some(Hint { mv, reason }) = hint else {
            self.show_message(MessageKind::Error, "There is nothing to advise.");
            return;
        };
        let side = self.session.position().to_move();
        let name = self.naming().describe_move(side, mv);
        self.show_message(MessageKind::Info, format!("Hint: {name}, which {reason}."));
        self.hinted_move = Some(mv);
        // Whoever has chosen a house meanwhile finds the cursor there.
        if let Move::Sow(house) = mv
            && !asked.cursor_moved
        {
            self.cursor = house;
        }
    }

    pub(super) fn can_sow(&self, house: House) -> bool {
        self.session
            .position()
            .check_legal(Move::Sow(house))
            .is_ok()
    }

    /// To the next house to the left or right that can be sown, round and round.
    pub(super) fn move_cursor(&mut self, right: bool) {
        let position = self.session.position().clone();
        // North's row runs from right to left.
        let onwards = right == (position.to_move() == Side::South);
        let mut houses = position.legal_houses();
        let next = if onwards {
            let beyond = houses.clone().find(|house| *house > self.cursor);
            beyond.or_else(|| houses.next())
        } else {
            let beyond = houses.clone().rfind(|house| *house < self.cursor);
            beyond.or_else(|| houses.next_back())
        };
        if let Some(next) = next {
            self.set_cursor(next);
        }
    }

    /// Returns whether the computer player to move searches, so that it can be asked to move now.
    pub(crate) fn can_move_now(&self) -> bool {
        self.session.computer_to_move().is_some_and(|player| {
            let spec = self.session.specs()[player];
            spec.uses_clock() || matches!(spec.kind, PlayerKind::Minimax { .. })
        })
    }
}
