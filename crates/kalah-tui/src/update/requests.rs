//! Requests to the workers, and their responses.

use kalah::{Move, PlayerAction};
use kalah_engine::{Report, Review};

use crate::model::{
    AppEffect, MessageKind, Model, PendingHint, PendingMove, RequestId, ReviewState,
};
use crate::text::Hint;

impl Model {
    /// Requests everything that the screen needs now, and cancels every other request.
    pub(super) fn sync_workers(&mut self, effects: &mut Vec<AppEffect>) {
        self.sync_player(effects);
        self.sync_analysis(effects);
        self.sync_review(effects);
    }

    fn sync_player(&mut self, effects: &mut Vec<AppEffect>) {
        let player = self
            .session
            .computer_to_move()
            .filter(|_| !self.is_paused());
        match (player, self.pending_move) {
            (None, Some(_)) => {
                self.pending_move = None;
                effects.push(AppEffect::CancelMove);
            }
            (Some(player), None) if self.deferred_action.is_none() => {
                let request_id = self.next_request_id();
                self.pending_move = Some(PendingMove {
                    request_id,
                    started_at: self.now,
                });
                effects.push(AppEffect::RequestMove {
                    request_id,
                    player,
                    position: self.session.position().clone(),
                });
            }
            _ => {}
        }
    }

    fn sync_analysis(&mut self, effects: &mut Vec<AppEffect>) {
        // The search of a move or a hint has all processors for itself.
        let is_needed = self.margins.is_shown
            && self.pending_move.is_none()
            && self.pending_hint.is_none()
            && !self.viewed_position().is_over();
        let requested = self.margins.request.as_ref().map(|(_, position)| position);
        if !is_needed {
            if requested.is_some() {
                self.margins.request = None;
                self.margins.report = None;
                if self.pending_hint.is_none() {
                    effects.push(AppEffect::StopAnalysis);
                }
            }
        } else if requested != Some(self.viewed_position()) {
            let position = self.viewed_position().clone();
            let request_id = self.next_request_id();
            effects.push(AppEffect::Analyze(request_id, position.clone()));
            self.margins.request = Some((request_id, position));
            self.margins.report = None;
        }
    }

    fn sync_review(&mut self, effects: &mut Vec<AppEffect>) {
        let is_needed = self.session.ending().is_some() && !self.game().plies().is_empty();
        let reviewed = match &self.review {
            ReviewState::None => None,
            ReviewState::Running { game, .. } | ReviewState::Done { game, .. } => Some(game),
        };
        if is_needed {
            if reviewed.is_none_or(|game| game.plies() != self.game().plies()) {
                let (request_id, game) = (self.next_request_id(), self.game().clone());
                effects.push(AppEffect::Review(request_id, game.clone()));
                self.review = ReviewState::Running {
                    request_id,
                    game,
                    positions_done: 0,
                };
            }
        } else if matches!(self.review, ReviewState::Running { .. }) {
            self.review = ReviewState::None;
            effects.push(AppEffect::StopReview);
        }
    }

    /// Cancels the requests for the current position, which is about to change.
    pub(super) fn cancel_pending(&mut self, effects: &mut Vec<AppEffect>) {
        self.deferred_action = None;
        if self.pending_move.take().is_some() {
            effects.push(AppEffect::CancelMove);
        }
        if self.pending_hint.take().is_some() {
            effects.push(AppEffect::StopAnalysis);
        }
        self.hinted_move = None;
    }

    /// Plays the action of a program, or defers it to the end of the animation.
    pub(super) fn handle_player_action(
        &mut self,
        request_id: RequestId,
        action: PlayerAction,
        effects: &mut Vec<AppEffect>,
    ) {
        let is_pending =
            (self.pending_move).is_some_and(|pending| pending.request_id == request_id);
        if !is_pending {
            return;
        }
        self.pending_move = None;
        if self.animation.is_some() {
            self.deferred_action = Some(action);
        } else {
            self.apply_action(action, effects);
        }
    }

    pub(super) fn request_hint(&mut self, effects: &mut Vec<AppEffect>) {
        if !self.check_can_move() || self.pending_hint.is_some() {
            return;
        }
        self.message = None;
        let request_id = self.next_request_id();
        self.pending_hint = Some(PendingHint {
            request_id,
            started_at: self.now,
            cursor_moved: false,
        });
        let position = self.session.position().clone();
        effects.push(AppEffect::RequestHint(request_id, position));
    }

    pub(super) fn handle_hint(&mut self, request_id: RequestId, hint: Option<Hint>) {
        let pending = self.pending_hint;
        let Some(pending) = pending.filter(|pending| pending.request_id == request_id) else {
            return;
        };
        self.pending_hint = None;
        let Some(Hint { mv, reason }) = hint else {
            self.show_message(MessageKind::Error, "There is no move.");
            return;
        };
        let side = self.session.position().to_move();
        let name = self.notation().describe_move(side, mv);
        self.show_message(MessageKind::Info, format!("Hint: {name}, which {reason}."));
        self.hinted_move = Some(mv);
        if let Move::Sow(house) = mv
            && !pending.cursor_moved
        {
            self.cursor = house;
        }
    }

    pub(super) fn handle_report(&mut self, request_id: RequestId, report: Report) {
        let request = self.margins.request.as_ref();
        if request.is_some_and(|(requested_id, _)| *requested_id == request_id) {
            self.margins.report = Some(report);
        }
    }

    pub(super) fn handle_review_progress(&mut self, request_id: RequestId, done: usize) {
        if let ReviewState::Running {
            request_id: running_id,
            positions_done,
            ..
        } = &mut self.review
            && *running_id == request_id
        {
            *positions_done = done;
        }
    }

    pub(super) fn handle_review(&mut self, request_id: RequestId, review: Box<Review>) {
        if let ReviewState::Running {
            request_id: running_id,
            game,
            ..
        } = &self.review
            && *running_id == request_id
        {
            let game = game.clone();
            self.review = ReviewState::Done { game, review };
        }
    }
}
