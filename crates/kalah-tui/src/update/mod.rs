//! The update function: changes the model by an event, without a clock, a terminal or an engine. It
//! requests work from the workers, and accepts their responses.

mod dialogs;
mod game;

use kalah::{Move, PlayerAction};
use kalah_engine::{Report, Review};
use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::dialog::Dialog;
use crate::keys::{UiCommand, command_for_key};
use crate::model::{
    AppEffect, AppEvent, MessageKind, Model, PendingHint, PendingMove, RequestId, ReviewState,
};
use crate::text::Hint;
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
        UiCommand::CycleSpeed => {
            model.speed = model.speed.next();
            let text = format!("Animation speed: {}.", model.speed.as_str());
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

/// Requests to the workers, and their responses.
impl Model {
    /// Requests everything that the screen needs now, and cancels every other request.
    fn sync_workers(&mut self, effects: &mut Vec<AppEffect>) {
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

    /// Plays the action of a program, or defers it to the end of the animation.
    fn handle_player_action(
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

    fn request_hint(&mut self, effects: &mut Vec<AppEffect>) {
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

    fn handle_hint(&mut self, request_id: RequestId, hint: Option<Hint>) {
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

    fn handle_report(&mut self, request_id: RequestId, report: Report) {
        let request = self.margins.request.as_ref();
        if request.is_some_and(|(requested_id, _)| *requested_id == request_id) {
            self.margins.report = Some(report);
        }
    }

    fn handle_review_progress(&mut self, request_id: RequestId, done: usize) {
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

    fn handle_review(&mut self, request_id: RequestId, review: Box<Review>) {
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
