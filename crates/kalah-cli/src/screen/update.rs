//! What happens to the screen: a function of what it shows and of what comes, without a clock, a terminal and an
//! engine.

use kalah_players::display_path;
mod dialogs;
mod game;
mod looking;

use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::dialog::Dialog;
use super::event::{AppEffect, AppEvent, RequestId};
use super::keys::{UiCommand, command_for_key};
use super::model::{MessageKind, Model, PendingMove, ReviewState, StatusMessage};
use crate::SaveOutcome;

/// Takes what has come, and returns what is to be done outside.
pub(crate) fn update(model: &mut Model, event: AppEvent) -> Vec<AppEffect> {
    let mut effects = Vec::new();
    match event {
        AppEvent::Key(key) => handle_key(model, key, &mut effects),
        AppEvent::Mouse(mouse) => handle_mouse(model, mouse, &mut effects),
        AppEvent::Resized(size) => model.size = size,
        AppEvent::Tick(now) => {
            model.now = now;
            if let Some(animation) = &model.animation
                && animation.is_finished(now)
            {
                model.finish_animation(&mut effects);
            }
        }
        AppEvent::PlayerActed(ticket, answer) => {
            model.handle_player_action(ticket, answer, &mut effects);
        }
        AppEvent::HintFound(ticket, hint) => model.handle_hint(ticket, hint),
        AppEvent::Analyzed(ticket, report) => {
            if (model.margins.request.as_ref()).is_some_and(|(asked, _)| *asked == ticket) {
                model.margins.report = Some(report);
            }
        }
        AppEvent::ReviewProgressed(ticket, so_far) => {
            if let ReviewState::Running {
                request_id: asked,
                positions_done: done,
                ..
            } = &mut model.review
                && *asked == ticket
            {
                *done = so_far;
            }
        }
        AppEvent::Reviewed(ticket, review) => {
            if let ReviewState::Running {
                request_id: asked,
                game,
                ..
            } = &model.review
                && *asked == ticket
            {
                let game = game.clone();
                model.review = ReviewState::Done { game, review };
            }
        }
        AppEvent::Saved(path, result) => {
            let name = display_path(&path);
            match result {
                Ok(saved) => {
                    model.last_saved = Some(model.current_state());
                    let told = match saved {
                        SaveOutcome::Written => format!("Saved to {name}."),
                        SaveOutcome::AlreadyRecorded => {
                            format!("{name} keeps this game ply by ply anyway.")
                        }
                    };
                    model.show_message(MessageKind::Info, told);
                    if let Some(Dialog::Save(save)) = model.dialog.take()
                        && save.quit_after
                    {
                        effects.push(AppEffect::Quit);
                    }
                }
                Err(reason) => {
                    if let Some(Dialog::Save(save)) = &mut model.dialog {
                        save.error = Some(reason.clone());
                    }
                    // Where there is room for all of it.
                    model.show_message(MessageKind::Error, reason);
                }
            }
        }
        AppEvent::Recorded(result) => {
            model.is_record_stale = result.is_err();
            if let Err(reason) = result {
                model.show_message(MessageKind::Error, reason);
            }
        }
    }
    model.sync_workers(&mut effects);
    effects
}

fn handle_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<AppEffect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let said = command_for_key(key, model.session.position(), model.labels);
    if model.layout().is_none() {
        // Nobody plays on what cannot be seen.
        if said == Some(UiCommand::Quit) {
            dialogs::quit_without_dialog(model, effects);
        } else if said == Some(UiCommand::Menu) {
            model.dialog = None;
        }
        return;
    }
    if model.dialog.is_some() {
        dialogs::handle_key(model, key, said, effects);
        return;
    }
    if model.animation.is_some() && !skip_animation(model, said, effects) {
        return;
    }
    if let Some(said) = said {
        execute(model, said, effects);
    }
}

/// A key while a sowing is being shown: whether there is more to it than to see that at once.
fn skip_animation(
    model: &mut Model,
    said: Option<UiCommand>,
    effects: &mut Vec<AppEffect>,
) -> bool {
    let acts = match said {
        None | Some(UiCommand::Activate) => false,
        // Whoever waits for a program presses a key to see its sowing at once, and not to sow.
        Some(UiCommand::Sow(_) | UiCommand::Swap) => !model.is_last_ply_by_computer(),
        Some(UiCommand::Hint | UiCommand::Left | UiCommand::Right) => true,
        // What is done to the game or beside it needs no board that rests.
        Some(_) => return true,
    };
    if !acts {
        model.hurried_at = Some(model.now);
    }
    model.finish_animation(effects);
    acts
}

fn execute(model: &mut Model, said: UiCommand, effects: &mut Vec<AppEffect>) {
    match said {
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
            model.view_position_after(model.viewed_ply_count().checked_sub(1));
        }
        UiCommand::NextPly => model.view_position_after(Some(model.viewed_ply_count() + 1)),
        UiCommand::ViewStart => model.view_position_after(Some(0)),
        UiCommand::ViewCurrent => model.view_position_after(Some(usize::MAX)),
        UiCommand::NextMistake => model.view_next_mistake(),
        UiCommand::CyclePace => {
            model.pace = model.pace.next();
            let told = format!("Sowing on the screen: {}.", model.pace.as_str());
            model.show_message(MessageKind::Info, told);
        }
        UiCommand::ToggleAutoPlay => model.toggle_auto_play(),
        UiCommand::Menu if model.viewed_plies.is_some() => {
            model.view_position_after(Some(usize::MAX));
        }
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
    let at = Position::new(mouse.column, mouse.row);
    if model.layout().is_none() {
        return;
    }
    if model.dialog.is_some() {
        dialogs::handle_mouse(model, mouse, effects);
        return;
    }
    match mouse.kind {
        MouseEventKind::ScrollUp => execute(model, UiCommand::PreviousPly, effects),
        MouseEventKind::ScrollDown => execute(model, UiCommand::NextPly, effects),
        MouseEventKind::Moved => {
            if let Some(side) = model.side_to_input()
                && let Some((owner, house)) = house_at(model, at)
                && owner == side
                && model.can_sow(house)
            {
                model.set_cursor(house);
            }
        }
        MouseEventKind::Down(MouseButton::Left) => {
            if model.animation.is_some() {
                model.finish_animation(effects);
            } else if let Some((owner, house)) = house_at(model, at) {
                model.sow_clicked(owner, house, effects);
            } else if let Some(plies) = model.ply_at(at) {
                model.view_position_after(Some(plies));
            }
        }
        _ => {}
    }
}

fn house_at(model: &Model, at: Position) -> Option<(kalah::Side, kalah::House)> {
    model.layout()?.house_at(at)
}

impl Model {
    pub(super) fn show_message(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            kind,
        });
    }

    /// Lets everything that works in the background work on what the screen needs now, and nothing else.
    fn sync_workers(&mut self, effects: &mut Vec<AppEffect>) {
        if self.animation.is_none() {
            self.apply_deferred_action(effects);
        }
        self.sync_player(effects);
        self.sync_analysis(effects);
        self.sync_review(effects);
    }

    fn sync_player(&mut self, effects: &mut Vec<AppEffect>) {
        let wanted = self
            .session
            .computer_to_move()
            .filter(|_| !self.is_paused());
        match (wanted, self.pending_move) {
            (None, Some(_)) => {
                self.pending_move = None;
                effects.push(AppEffect::CancelMove);
            }
            (Some(player), None) if self.deferred_action.is_none() => {
                let ticket = self.next_request_id();
                self.pending_move = Some(PendingMove {
                    request_id: ticket,
                    started_at: self.now,
                });
                effects.push(AppEffect::RequestMove {
                    request_id: ticket,
                    player,
                    position: self.session.position().clone(),
                });
            }
            _ => {}
        }
    }

    fn sync_analysis(&mut self, effects: &mut Vec<AppEffect>) {
        // A program that thinks has the machine for itself, and so has who gives a hint.
        let wanted = self.margins.is_shown
            && self.pending_move.is_none()
            && self.pending_hint.is_none()
            && !self.viewed_position().is_over();
        let asked = self.margins.request.as_ref().map(|(_, position)| position);
        if !wanted {
            if asked.is_some() {
                self.margins.request = None;
                self.margins.report = None;
                if self.pending_hint.is_none() {
                    effects.push(AppEffect::StopAnalysis);
                }
            }
        } else if asked != Some(self.viewed_position()) {
            let position = self.viewed_position().clone();
            let ticket = self.next_request_id();
            effects.push(AppEffect::Analyze(ticket, position.clone()));
            self.margins.request = Some((ticket, position));
            self.margins.report = None;
        }
    }

    fn sync_review(&mut self, effects: &mut Vec<AppEffect>) {
        let over = self.session.ending().is_some() && !self.game().plies().is_empty();
        let looked = match &self.review {
            ReviewState::None => None,
            ReviewState::Running { game, .. } | ReviewState::Done { game, .. } => Some(game),
        };
        if over {
            if looked.is_none_or(|game| game.plies() != self.game().plies()) {
                let (ticket, game) = (self.next_request_id(), self.game().clone());
                effects.push(AppEffect::Review(ticket, game.clone()));
                self.review = ReviewState::Running {
                    request_id: ticket,
                    game,
                    positions_done: 0,
                };
            }
        } else if matches!(self.review, ReviewState::Running { .. }) {
            self.review = ReviewState::None;
            effects.push(AppEffect::StopReview);
        }
    }

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

    /// The question that is waited for with this ticket, if it still is.
    pub(super) fn take_pending_move(&mut self, ticket: RequestId) -> bool {
        let asked = self
            .pending_move
            .is_some_and(|asked| asked.request_id == ticket);
        if asked {
            self.pending_move = None;
        }
        asked
    }
}
