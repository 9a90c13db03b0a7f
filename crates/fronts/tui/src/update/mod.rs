//! The update function: changes the model by an event, without a clock, a terminal or an engine. It
//! requests work from the workers, and accepts their responses.

pub(crate) mod dialogs;
mod editor;
mod game;
mod puzzles;

use kalah::{Move, PlayerAction, PlayerId, Termination};
use kalah_engine::Report;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use crate::dialog::Dialog;
use crate::event::{AppEffect, AppEvent, WorkerRequestId};
use crate::game_review::{GameReview, ReviewState, proves_more};
use crate::keys::{UiCommand, command_for_key, describe_key};
use crate::model::{MessageKind, Model, PendingHint, PendingMove};
use crate::puzzle::PuzzleMode;
use crate::text::Hint;
use crate::view::layout::ScreenLayout;
use crate::view::move_list::PanelTarget;
use crate::view::{footer, graph, move_list};

/// Changes the model by an event, and returns the work for the event loop.
pub(crate) fn update(model: &mut Model, event: AppEvent) -> Vec<AppEffect> {
    let mut effects = Vec::new();
    match event {
        AppEvent::Key(key) => handle_key(model, key, &mut effects),
        AppEvent::Mouse(mouse) => handle_mouse(model, mouse, &mut effects),
        AppEvent::Paste(text) => handle_paste(model, &text),
        AppEvent::Resized(size) => model.size = size,
        AppEvent::Tick(now) => {
            model.now = now;
            if (model.animation.as_ref()).is_some_and(|animation| animation.is_finished(now)) {
                model.finish_animation(&mut effects);
            }
            model.check_clock(&mut effects);
        }
        AppEvent::PlayerActed(request_id, action) => {
            model.handle_player_action(request_id, action, &mut effects);
        }
        AppEvent::HintFound(request_id, hint) => model.handle_hint(request_id, hint),
        AppEvent::Analyzed(request_id, report) => model.handle_report(request_id, report),
        AppEvent::ReviewProgressed(request_id, positions_done) => {
            model.handle_review_progress(request_id, positions_done);
        }
        AppEvent::Reviewed(request_id, reports) => model.handle_review(request_id, reports),
        AppEvent::Saved(path, result) => dialogs::handle_saved(model, &path, result, &mut effects),
        AppEvent::PuzzleFound(request_id, puzzle) => model.handle_puzzle(request_id, puzzle),
        AppEvent::FolderFound(folder) => dialogs::list_files(model, folder, &mut effects),
        AppEvent::FilesListed(folder, result) => dialogs::handle_files(model, &folder, result),
        AppEvent::GamesRead(path, result) => {
            dialogs::handle_games(model, path, result, &mut effects);
        }
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
    model.sync_clock();
    model.sync_hint(&mut effects);
    model.sync_workers(&mut effects);
    effects
}

/// Inserts a pasted text into the field for a file name, or edits the position that it describes.
fn handle_paste(model: &mut Model, text: &str) {
    let text = text.trim();
    if let Some(Dialog::Save(dialog)) = &mut model.dialog {
        for character in text.chars() {
            dialog.insert(character);
        }
    } else if model.editor.is_some() && model.dialog.is_none() {
        model.paste_position(text);
    } else {
        let text = "The pasted text is ignored: paste a position into the position editor.";
        model.show_message(MessageKind::Error, text);
    }
}

fn handle_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<AppEffect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let bottom = model.bottom_side();
    let command = command_for_key(key, model.viewed_position(), model.labels, bottom);
    // The keys of the editor have no meaning elsewhere.
    let is_for_editor =
        |command: &UiCommand| matches!(command, UiCommand::ChangeSide | UiCommand::ClearBoard);
    let command = command.filter(|command| model.editor.is_some() || !is_for_editor(command));
    if model.layout().is_none() {
        // The screen is too small to show the game: only quitting works.
        match command {
            Some(UiCommand::Quit) => dialogs::quit_without_dialog(model, effects),
            Some(UiCommand::Menu) => model.dialog = None,
            _ => {}
        }
        return;
    }
    let (had_dialog, was_animating) = (model.dialog.is_some(), model.animation.is_some());
    let command = if had_dialog {
        dialogs::handle_key(model, key, command, effects)
    } else if model.editor.is_some() {
        if let Some(command) = model.handle_editor_key(key, command, effects) {
            execute(model, command, effects);
        }
        return;
    } else if was_animating {
        skip_animation(model, command, effects)
    } else {
        command
    };
    match command {
        Some(command) => execute(model, command, effects),
        None if !had_dialog && !was_animating => show_unknown_key(model, key),
        None => {}
    }
}

/// Shows that a key has no meaning, and how to find those that have one.
fn show_unknown_key(model: &mut Model, key: KeyEvent) {
    let name = match key.code {
        KeyCode::Modifier(_) | KeyCode::Null => return,
        KeyCode::Char(character) if character.is_ascii_digit() => {
            let houses = model.viewed_position().houses();
            let text = format!("There is no house {character}: the row has {houses}.");
            model.show_message(MessageKind::Error, text);
            return;
        }
        _ => describe_key(key),
    };
    let text = format!("{name} has no meaning here. ?: all keys.");
    model.show_message(MessageKind::Error, text);
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
    // A message belongs to the command before. These commands change nothing that it says.
    if !matches!(command, UiCommand::Redraw | UiCommand::Suspend) {
        model.message = None;
    }
    match command {
        UiCommand::Activate if model.editor.is_some() => model.start_from_editor(),
        UiCommand::Menu if model.editor.is_some() => model.editor = None,
        UiCommand::ChangeSide => {
            if let Some(editor) = &mut model.editor {
                editor.change_side();
            }
        }
        UiCommand::ClearBoard => {
            if let Some(editor) = &mut model.editor {
                editor.clear();
            }
        }
        UiCommand::Sow(house) => model.sow(house, effects),
        UiCommand::Swap => model.swap(effects),
        UiCommand::Activate => model.activate(effects),
        UiCommand::Left => model.move_cursor(false),
        UiCommand::Right => model.move_cursor(true),
        UiCommand::Undo => model.undo(effects),
        UiCommand::Redo => model.redo(effects),
        UiCommand::Hint => model.request_hint(effects),
        UiCommand::ToggleMargins if model.puzzles.as_ref().is_some_and(PuzzleMode::is_open) => {
            model.show_message(
                MessageKind::Error,
                "Margins are off until the puzzle is solved.",
            );
        }
        UiCommand::ToggleMargins => {
            model.margins.is_shown = !model.margins.is_shown;
            model.message = None;
            let layout = model.layout();
            if model.margins.is_shown && layout.is_some_and(|layout| layout.margins.is_none()) {
                let text = "The margins need a larger terminal.";
                model.show_message(MessageKind::Error, text);
            }
        }
        UiCommand::PreviousPly => {
            if let Some(plies) = model.viewed_ply_count().checked_sub(1) {
                model.view_shown_game_after(plies);
            }
        }
        UiCommand::NextPly => model.view_shown_game_after(model.viewed_ply_count() + 1),
        UiCommand::ViewStart => model.view_shown_game_after(0),
        UiCommand::ViewCurrent => model.view_end(),
        UiCommand::NextMistake => model.view_next_mistake(),
        UiCommand::CycleSpeed => {
            model.speed = model.speed.next();
            let text = format!("Animation: {}.", model.speed.as_str());
            model.show_message(MessageKind::Info, text);
        }
        UiCommand::ToggleAutoPlay => model.toggle_auto_play(),
        UiCommand::Flip => {
            model.is_flipped = !model.is_flipped;
            model.message = None;
        }
        UiCommand::CopyPosition => {
            let text = model.viewed_position().to_string();
            model.copy(text, effects);
        }
        UiCommand::EditPosition => model.open_editor(),
        UiCommand::Redraw => effects.push(AppEffect::Redraw),
        UiCommand::Suspend if cfg!(unix) => effects.push(AppEffect::Suspend),
        UiCommand::Suspend => {
            let text = "This system has no shell to return to.";
            model.show_message(MessageKind::Error, text);
        }
        UiCommand::Menu if !model.shows_last_position() => model.view_current_position(),
        UiCommand::Menu if model.puzzles.is_some() => model.leave_puzzles(),
        UiCommand::Menu => dialogs::open_menu(model),
        UiCommand::CloseMenu => model.dialog = None,
        UiCommand::Help => model.dialog = Some(Dialog::Help(0)),
        UiCommand::NewGame => dialogs::request_new_game(model),
        UiCommand::ConfirmNewGame => dialogs::open_new_game(model),
        UiCommand::Puzzle => model.request_puzzle(effects),
        UiCommand::Open => dialogs::request_open(model, effects),
        UiCommand::ConfirmOpen => effects.push(AppEffect::ChooseFile),
        UiCommand::Save => dialogs::open_save(model, false),
        UiCommand::SaveAndQuit => dialogs::open_save(model, true),
        UiCommand::Resign if model.puzzles.is_some() => model.give_up_puzzle(),
        UiCommand::Resign if !model.shows_last_position() => {
            let text = "Resigning works in the current position. End: current position.";
            model.show_message(MessageKind::Error, text);
        }
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
    if model.editor.is_some() {
        model.handle_editor_mouse(mouse, effects);
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
            } else if let Some(target) = panel_target_at(model, &layout, at) {
                match target {
                    PanelTarget::Shown(plies) => model.view_shown_game_after(plies),
                    PanelTarget::Game(plies) => model.view_position_after(plies),
                }
            } else if let Some(command) = footer_command_at(model, &layout, at) {
                execute(model, command, effects);
            } else if layout.status.contains(at) && model.side_to_input().is_none() {
                // The status says what Enter does.
                model.activate(effects);
            }
        }
        MouseEventKind::Down(MouseButton::Right) => execute(model, UiCommand::Menu, effects),
        _ => {}
    }
}

/// Returns the position that the move list or the graph shows at a cell.
fn panel_target_at(model: &Model, layout: &ScreenLayout, at: Position) -> Option<PanelTarget> {
    if let Some(area) = layout.moves.filter(|area| area.contains(at)) {
        return move_list::target_at(model, area, at);
    }
    let area = layout.graph.filter(|area| area.contains(at))?;
    let plies = graph::ply_at_column(model, area, at.x);
    plies.map(PanelTarget::Game)
}

/// Returns the command of the footer at a cell. The title opens the menu, which has all commands.
fn footer_command_at(model: &Model, layout: &ScreenLayout, at: Position) -> Option<UiCommand> {
    if layout.title.is_some_and(|title| title.contains(at)) {
        return Some(UiCommand::Menu);
    }
    let footer = layout.footer.filter(|footer| footer.contains(at))?;
    footer::command_at(model, footer, at.x)
}

impl Model {
    /// Copies a text to the clipboard.
    fn copy(&mut self, text: String, effects: &mut Vec<AppEffect>) {
        self.show_message(MessageKind::Info, format!("Copied {text}"));
        effects.push(AppEffect::Copy(text));
    }
}

/// Requests to the workers, and their responses.
impl Model {
    /// Lets the clock of the player to move run, after the first ply, while nothing is animated.
    fn sync_clock(&mut self) {
        let is_running = !self.game().plies().is_empty()
            && self.animation.is_none()
            && self.deferred_action.is_none()
            && !self.is_paused();
        let side = self.session.referee().side_to_act().filter(|_| is_running);
        let player = side.map(|side| self.game().player_on(side));
        if let Some(clock) = &mut self.clock {
            clock.run(player, self.now);
        }
    }

    /// Ends the game if the time of a player has run out.
    fn check_clock(&mut self, effects: &mut Vec<AppEffect>) {
        let clock = self.clock.as_ref();
        if let Some(player) = clock.and_then(|clock| clock.expired_player(self.now)) {
            let loser = self.session.current_side(player.started_as);
            self.cancel_pending(effects);
            self.session.end(Termination::Time, Some(loser.opponent()));
            self.message = None;
            // A menu has commands of a game that runs.
            self.dialog
                .take_if(|dialog| matches!(dialog, Dialog::Menu(_)));
            effects.push(AppEffect::Record);
        }
    }

    /// Drops a hint, and cancels the request for one, if it belongs to another position than the
    /// viewed one.
    fn sync_hint(&mut self, effects: &mut Vec<AppEffect>) {
        let viewed = self.viewed_position();
        let is_hint_stale = (self.hint.as_ref()).is_some_and(|(position, _)| position != viewed);
        let is_request_stale =
            (self.pending_hint.as_ref()).is_some_and(|pending| pending.position != *viewed);
        if is_hint_stale {
            self.hint = None;
        }
        if is_request_stale {
            self.pending_hint = None;
            effects.push(AppEffect::StopAnalysis);
        }
    }

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
                let clock = self.clock.as_ref();
                let max_time =
                    clock.map(|clock| clock.time_for_move(PlayerId::new(player), self.now));
                self.pending_move = Some(PendingMove {
                    request_id,
                    started_at: self.now,
                });
                effects.push(AppEffect::RequestMove {
                    request_id,
                    player,
                    position: self.session.position().clone(),
                    max_time,
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
            && !self.puzzles.as_ref().is_some_and(PuzzleMode::is_open)
            && !self.viewed_position().is_over();
        let requested = self.margins.request.as_ref().map(|(_, position)| position);
        if !is_needed {
            if requested.is_some() {
                // The last report stays, for example beside the search for a hint.
                self.margins.request = None;
                if self.pending_hint.is_none() {
                    effects.push(AppEffect::StopAnalysis);
                }
            }
        } else if requested != Some(self.viewed_position()) {
            let position = self.viewed_position().clone();
            let request_id = self.next_request_id();
            effects.push(AppEffect::Analyze(request_id, position.clone()));
            self.margins.request = Some((request_id, position));
            if let Some(report) = self.reviewed_report().cloned() {
                self.show_report(report);
            }
        }
    }

    /// Shows a report about the viewed position, unless the screen shows one that proves more or is
    /// deeper.
    fn show_report(&mut self, report: Report) {
        let current = self.shown_analysis();
        let is_better = current.is_none_or(|current| {
            let is_deeper = report.depth >= current.depth && !proves_more(current, &report);
            is_deeper || proves_more(&report, current)
        });
        if is_better {
            self.margins.report = Some((self.viewed_position().clone(), report));
        }
    }

    fn sync_review(&mut self, effects: &mut Vec<AppEffect>) {
        let is_needed = self.session.ending().is_some() && !self.game().plies().is_empty();
        if is_needed {
            if self.review.plies() != Some(self.game().plies()) {
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
        request_id: WorkerRequestId,
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
        if self.puzzles.is_some() {
            self.show_message(MessageKind::Error, "Hints are off in puzzles.");
            return;
        }
        if !self.check_can_move() || self.pending_hint.is_some() {
            return;
        }
        self.message = None;
        let request_id = self.next_request_id();
        self.pending_hint = Some(PendingHint {
            request_id,
            position: self.viewed_position().clone(),
            started_at: self.now,
            cursor_moved: false,
        });
        let position = self.viewed_position().clone();
        effects.push(AppEffect::RequestHint(request_id, position));
    }

    fn handle_hint(&mut self, request_id: WorkerRequestId, hint: Option<Hint>) {
        let is_pending = |pending: &mut PendingHint| pending.request_id == request_id;
        let Some(pending) = self.pending_hint.take_if(is_pending) else {
            return;
        };
        let Some(Hint { mv, reason }) = hint else {
            self.show_message(MessageKind::Error, "There is no move.");
            return;
        };
        let side = pending.position.to_move();
        let name = self.notation().describe_move(side, mv);
        self.hint = Some((pending.position, mv));
        if let Move::Sow(house) = mv
            && !pending.cursor_moved
        {
            self.cursor = house;
        }
        self.show_message(MessageKind::Info, format!("Hint: {name}, which {reason}."));
    }

    /// Shows a report about the viewed position. The review of the game gets it, too, if it proves
    /// more.
    fn handle_report(&mut self, request_id: WorkerRequestId, report: Report) {
        let request = self.margins.request.as_ref();
        if request.is_none_or(|(requested_id, _)| *requested_id != request_id) {
            return;
        }
        if self.reviewed_report().is_some()
            && let (Some(plies), ReviewState::Done(review)) =
                (self.viewed_game_plies(), &mut self.review)
        {
            review.improve(plies, &report);
        }
        self.show_report(report);
    }

    /// Returns the report of the review about the viewed position.
    fn reviewed_report(&self) -> Option<&Report> {
        let plies = self.viewed_game_plies()?;
        self.finished_review()?.report_after(plies)
    }

    fn handle_review_progress(&mut self, request_id: WorkerRequestId, done: usize) {
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

    fn handle_review(&mut self, request_id: WorkerRequestId, reports: Vec<Report>) {
        if let ReviewState::Running {
            request_id: running_id,
            game,
            ..
        } = &self.review
            && *running_id == request_id
        {
            let review = GameReview::new(game.clone(), reports);
            self.review = ReviewState::Done(Box::new(review));
        }
    }
}
