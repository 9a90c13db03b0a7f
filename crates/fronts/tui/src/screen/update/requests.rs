//! Requests to the workers, and their responses.

use kalah::{Move, PlayerAction, PlayerId};
use kalah_engine::Report;

use super::game;
use crate::screen::event::{AppEffect, WorkerRequestId};
use crate::screen::model::puzzle::PuzzleMode;
use crate::screen::model::review::{GameReview, ReviewState, proves_more};
use crate::screen::model::{MessageKind, Model, PendingHint, PendingMove};
use kalah_text::Hint;

/// Drops a hint, and cancels the request for one, if it belongs to another position than the
/// viewed one.
pub(super) fn sync_hint(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let viewed = model.viewed_position();
    let is_hint_stale = (model.hint.as_ref()).is_some_and(|(position, _)| position != viewed);
    let is_request_stale =
        (model.pending_hint.as_ref()).is_some_and(|pending| pending.position != *viewed);
    if is_hint_stale {
        model.hint = None;
    }
    if is_request_stale {
        model.pending_hint = None;
        effects.push(AppEffect::StopAnalysis);
    }
}

/// Requests everything that the screen needs now, and cancels every other request.
pub(super) fn sync_workers(model: &mut Model, effects: &mut Vec<AppEffect>) {
    sync_player(model, effects);
    sync_analysis(model, effects);
    sync_review(model, effects);
}

fn sync_player(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.current_fault().is_none() {
        model.fault = None;
    }
    let player = model
        .session
        .computer_to_move()
        .filter(|_| !model.is_paused() && model.current_fault().is_none());
    match (player, model.pending_move) {
        (None, Some(_)) => {
            model.pending_move = None;
            effects.push(AppEffect::CancelMove);
        }
        (Some(player), None) if model.deferred_action.is_none() => {
            let request_id = model.next_request_id();
            let clock = model.clock.as_ref();
            let game = model.session.game().clone();
            let clock_time = clock.map(|clock| {
                clock.time_for_move(PlayerId::new(player), model.now, game.position())
            });
            model.pending_move = Some(PendingMove {
                request_id,
                started_at: model.now,
            });
            effects.push(AppEffect::RequestMove {
                request_id,
                player,
                game,
                clock_time,
            });
        }
        _ => {}
    }
}

fn sync_analysis(model: &mut Model, effects: &mut Vec<AppEffect>) {
    // The search of a move or a hint has all processors for itself.
    let is_needed = model.margins.is_shown
        && model.pending_move.is_none()
        && model.pending_hint.is_none()
        && !model.puzzles.as_ref().is_some_and(PuzzleMode::is_open)
        && !model.viewed_position().is_over();
    let requested = model.margins.request.as_ref().map(|(_, position)| position);
    if !is_needed {
        if requested.is_some() {
            // The last report stays, for example beside the search for a hint.
            model.margins.request = None;
            if model.pending_hint.is_none() {
                effects.push(AppEffect::StopAnalysis);
            }
        }
    } else if requested != Some(model.viewed_position()) {
        let position = model.viewed_position().clone();
        let request_id = model.next_request_id();
        effects.push(AppEffect::Analyze(request_id, position.clone()));
        model.margins.request = Some((request_id, position));
        if let Some(report) = reviewed_report(model).cloned() {
            show_report(model, report);
        }
    }
}

/// Shows a report about the viewed position, unless the screen shows one that proves more or is
/// deeper.
fn show_report(model: &mut Model, report: Report) {
    let current = model.shown_analysis();
    let is_better = current.is_none_or(|current| {
        let is_deeper = report.depth >= current.depth && !proves_more(current, &report);
        is_deeper || proves_more(&report, current)
    });
    if is_better {
        model.margins.report = Some((model.viewed_position().clone(), report));
    }
}

fn sync_review(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let is_needed = model.session.ending().is_some() && !model.game().plies().is_empty();
    if is_needed {
        if model.review.plies() != Some(model.game().plies()) {
            let (request_id, game) = (model.next_request_id(), model.game().clone());
            effects.push(AppEffect::Review(request_id, game.clone()));
            model.review = ReviewState::Running {
                request_id,
                game,
                positions_done: 0,
            };
        }
    } else if matches!(model.review, ReviewState::Running { .. }) {
        model.review = ReviewState::None;
        effects.push(AppEffect::StopReview);
    }
}

/// Plays the action of a program, or defers it to the end of the animation.
pub(super) fn handle_player_action(
    model: &mut Model,
    request_id: WorkerRequestId,
    action: PlayerAction,
    effects: &mut Vec<AppEffect>,
) {
    let is_pending = (model.pending_move).is_some_and(|pending| pending.request_id == request_id);
    if !is_pending {
        return;
    }
    model.pending_move = None;
    if model.animation.is_some() {
        model.deferred_action = Some(action);
    } else {
        game::apply_action(model, action, effects);
    }
}

pub(super) fn request_hint(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.puzzles.is_some() {
        model.show_message(MessageKind::Error, "Hints are off in puzzles.");
        return;
    }
    if !game::check_can_move(model) || model.pending_hint.is_some() {
        return;
    }
    model.message = None;
    let request_id = model.next_request_id();
    model.pending_hint = Some(PendingHint {
        request_id,
        position: model.viewed_position().clone(),
        started_at: model.now,
        cursor_moved: false,
    });
    let position = model.viewed_position().clone();
    effects.push(AppEffect::RequestHint(request_id, position));
}

pub(super) fn handle_hint(model: &mut Model, request_id: WorkerRequestId, hint: Option<Hint>) {
    let is_pending = |pending: &mut PendingHint| pending.request_id == request_id;
    let Some(pending) = model.pending_hint.take_if(is_pending) else {
        return;
    };
    let Some(Hint { mv, reason }) = hint else {
        model.show_message(MessageKind::Error, "There is no move.");
        return;
    };
    let side = pending.position.to_move();
    let name = model.notation().describe_move(side, mv);
    model.hint = Some((pending.position, mv));
    if let Move::Sow(house) = mv
        && !pending.cursor_moved
    {
        model.cursor = house;
    }
    model.show_message(MessageKind::Info, format!("Hint: {name}, which {reason}."));
}

/// Shows a report about the viewed position. The review of the game gets it, too, if it proves
/// more.
pub(super) fn handle_report(model: &mut Model, request_id: WorkerRequestId, report: Report) {
    let request = model.margins.request.as_ref();
    if request.is_none_or(|(requested_id, _)| *requested_id != request_id) {
        return;
    }
    if reviewed_report(model).is_some()
        && let (Some(plies), ReviewState::Done(review)) =
            (model.viewed_game_plies(), &mut model.review)
    {
        review.improve(plies, &report);
    }
    show_report(model, report);
}

/// Returns the report of the review about the viewed position.
fn reviewed_report(model: &Model) -> Option<&Report> {
    let plies = model.viewed_game_plies()?;
    model.finished_review()?.report_after(plies)
}

pub(super) fn handle_review_progress(model: &mut Model, request_id: WorkerRequestId, done: usize) {
    if let ReviewState::Running {
        request_id: running_id,
        positions_done,
        ..
    } = &mut model.review
        && *running_id == request_id
    {
        *positions_done = done;
    }
}

pub(super) fn handle_review(model: &mut Model, request_id: WorkerRequestId, reports: Vec<Report>) {
    if let ReviewState::Running {
        request_id: running_id,
        game,
        ..
    } = &model.review
        && *running_id == request_id
    {
        let opening_plies = model.session.opening_plies();
        let review = GameReview::new(game.clone(), reports, opening_plies);
        model.review = ReviewState::Done(Box::new(review));
    }
}
