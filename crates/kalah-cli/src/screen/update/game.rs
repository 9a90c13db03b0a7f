//! What players do.

use std::time::Duration;

use kalah::{ActionError, House, Move, PlayerAction, Side};
use kalah_engine::LevelNumber;

use super::super::animation::Animation;
use super::super::event::{Effect, Ticket};
use super::super::model::{AskedHint, Kind, Model, Pause};
use crate::{Hint, PlayerKind};

/// Whoever presses Enter so soon after what was hurried has come is still hurrying it.
const ONE_WISH: Duration = Duration::from_millis(700);

impl Model {
    /// A person sows a house of its own row.
    pub(super) fn sow(&mut self, house: House, effects: &mut Vec<Effect>) {
        if self.may_choose() {
            self.choose(Move::Sow(house), effects);
        }
    }

    /// A person points at a house of that row.
    pub(super) fn sow_of(&mut self, owner: Side, house: House, effects: &mut Vec<Effect>) {
        if !self.may_choose() {
            return;
        }
        let side = self.bout.position().to_move();
        if owner == side {
            self.choose(Move::Sow(house), effects);
        } else {
            let name = self.naming().house(owner, house);
            self.tell(
                Kind::Problem,
                format!("House {name} is {owner}'s: {side} is to sow."),
            );
        }
    }

    pub(super) fn swap(&mut self, effects: &mut Vec<Effect>) {
        if self.may_choose() {
            self.choose(Move::Swap, effects);
        }
    }

    /// Whether a person may choose now; if not, it is told why.
    fn may_choose(&mut self) -> bool {
        if self.chooser().is_some() {
            return true;
        }
        if self.looking.is_some() && self.bout.person_to_answer().is_some() {
            self.look(Some(usize::MAX));
            self.tell(Kind::Good, "Back to how the game stands: sow from here.");
            return false;
        }
        let reason = if self.looking.is_some() {
            "This is how the game was: End goes back to how it is."
        } else if self.bout.ending().is_some() {
            "The game is over."
        } else if self.is_paused() {
            "Enter goes on."
        } else {
            "It is not your turn."
        };
        self.tell(Kind::Problem, reason);
        false
    }

    /// Enter: what is next.
    pub(super) fn confirm(&mut self, effects: &mut Vec<Effect>) {
        if self.looking.is_some() {
            self.look(Some(usize::MAX));
        } else if self.bout.ending().is_some() {
            super::dialogs::new_game(self);
        } else if self.is_paused() {
            self.pause = Pause::After(self.bout.referee().side_to_act());
        } else if self.thinking.is_some() {
            self.hurried = Some(self.now);
            effects.push(Effect::Hurry);
        } else if !self.has_just_hurried() {
            self.sow(self.cursor, effects);
        }
    }

    /// Whether Enter is still meant for what was waited for, and not for the house under the cursor.
    fn has_just_hurried(&self) -> bool {
        (self.hurried).is_some_and(|hurried| self.now.saturating_sub(hurried) < ONE_WISH)
    }

    /// Two programs wait between their turns, or do not any more.
    pub(super) fn play_on(&mut self) {
        if self.bout.has_person() {
            self.tell(Kind::Problem, "Only two programs wait for each other.");
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
        self.tell(Kind::Good, told);
    }

    fn choose(&mut self, choice: Move, effects: &mut Vec<Effect>) {
        if let Err(reason) = self.bout.position().check_legal(choice) {
            let mut reason = self.naming().illegal(reason);
            if let Some(first) = reason.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            self.tell(Kind::Problem, format!("{reason}."));
            return;
        }
        self.hurried = None;
        self.play(PlayerAction::Move(choice), effects);
    }

    /// Somebody chooses, and the game goes on.
    fn play(&mut self, answer: PlayerAction, effects: &mut Vec<Effect>) {
        let before = self.bout.position().clone();
        let side = before.to_move();
        self.forget_answers(effects);
        self.message = None;
        match self.bout.play(answer) {
            Ok(ply) => {
                self.animation = Animation::of(&before, ply, self.pace, self.now);
                if let Pause::After(last) = &mut self.pause {
                    *last = Some(side);
                }
            }
            Err(reason) => self.refuse(reason),
        }
        // What was hurried has come just now.
        self.hurried = self.hurried.map(|_| self.now);
        effects.push(Effect::Record);
        self.place_cursor();
    }

    fn refuse(&mut self, reason: ActionError) {
        let mut reason = match reason {
            ActionError::Illegal(reason) => self.naming().illegal(reason),
            reason => reason.to_string(),
        };
        if let Some(first) = reason.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.tell(Kind::Problem, format!("{reason}."));
    }

    /// A program has answered.
    pub(super) fn answered(
        &mut self,
        ticket: Ticket,
        answer: PlayerAction,
        effects: &mut Vec<Effect>,
    ) {
        if !self.takes_answer(ticket) {
            return;
        }
        if self.animation.is_some() {
            self.held = Some(answer);
        } else {
            self.play(answer, effects);
        }
    }

    /// The sowing has been seen.
    pub(super) fn finish_animation(&mut self, effects: &mut Vec<Effect>) {
        self.animation = None;
        self.take_held(effects);
    }

    /// What a program has answered meanwhile is played.
    pub(super) fn take_held(&mut self, effects: &mut Vec<Effect>) {
        if let Some(answer) = self.held.take() {
            self.play(answer, effects);
        }
    }

    pub(super) fn shown_ply_is_of_program(&self) -> bool {
        let Some(ply) = self.game().plies().last() else {
            return false;
        };
        let player = self.game().player_on(ply.side).started_as;
        self.bout.specs()[player].kind != PlayerKind::Human
    }

    pub(super) fn undo(&mut self, effects: &mut Vec<Effect>) {
        if !self.bout.has_person() {
            self.tell(Kind::Problem, "Programs take nothing back.");
            return;
        }
        let result = self.bout.undo();
        self.turned_back(result, "Taken back.", effects);
    }

    pub(super) fn redo(&mut self, effects: &mut Vec<Effect>) {
        let result = self.bout.redo();
        self.turned_back(result, "Made again.", effects);
    }

    fn turned_back(
        &mut self,
        result: Result<(), ActionError>,
        told: &str,
        effects: &mut Vec<Effect>,
    ) {
        match result {
            Ok(()) => {
                self.forget_answers(effects);
                self.animation = None;
                self.looking = None;
                self.tell(Kind::Good, told);
                self.place_cursor();
                effects.push(Effect::Record);
            }
            Err(reason) => self.refuse(reason),
        }
    }

    pub(super) fn resign(&mut self, effects: &mut Vec<Effect>) {
        self.dialog = None;
        self.animation = None;
        self.looking = None;
        if self.bout.resign() {
            self.forget_answers(effects);
            self.message = None;
            effects.push(Effect::Record);
        }
    }

    pub(super) fn ask_hint(&mut self, effects: &mut Vec<Effect>) {
        if !self.may_choose() || self.asked_hint.is_some() {
            return;
        }
        self.message = None;
        let ticket = self.ticket();
        self.asked_hint = Some(AskedHint {
            ticket,
            since: self.now,
            is_pointed: false,
        });
        effects.push(Effect::Hint(ticket, self.bout.position().clone()));
    }

    pub(super) fn hinted(&mut self, ticket: Ticket, hint: Option<Hint>) {
        let Some(asked) = self.asked_hint.filter(|asked| asked.ticket == ticket) else {
            return;
        };
        self.asked_hint = None;
        let Some(Hint { choice, reason }) = hint else {
            self.tell(Kind::Problem, "There is nothing to advise.");
            return;
        };
        let side = self.bout.position().to_move();
        let name = self.naming().told(side, choice);
        self.tell(Kind::Good, format!("Hint: {name}, which {reason}."));
        self.advised = Some(choice);
        // Whoever has chosen a house meanwhile finds the cursor there.
        if let Move::Sow(house) = choice
            && !asked.is_pointed
        {
            self.cursor = house;
        }
    }

    pub(super) fn can_sow(&self, house: House) -> bool {
        self.bout.position().check_legal(Move::Sow(house)).is_ok()
    }

    /// To the next house to the left or right that can be sown, round and round.
    pub(super) fn move_cursor(&mut self, right: bool) {
        let position = self.bout.position().clone();
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
            self.point_at(next);
        }
    }

    /// Whether the program that is to answer keeps to a time, and can be told to hurry.
    pub(crate) fn keeps_time(&self) -> bool {
        let kind = (self.bout.program_to_answer()).map(|player| self.bout.specs()[player].kind);
        match kind {
            Some(PlayerKind::Smart | PlayerKind::Minimax { .. }) => true,
            Some(PlayerKind::Level { number }) => number == LevelNumber::MAX,
            _ => false,
        }
    }
}
