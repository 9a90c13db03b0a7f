//! The update function: changes the model by an event, without a clock, a terminal or an engine. It
//! requests work from the workers, and accepts their responses.

mod clock;
pub(crate) mod dialogs;
mod editor;
mod game;
mod history;
mod lists;
mod profile;
mod programs;
mod puzzles;
mod requests;

use kalah_players::PlayerSpec;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use crate::screen::event::{AppEffect, AppEvent};
use crate::screen::keys::{UiCommand, command_for_key, describe_key};
use crate::screen::model::dialog::{Dialog, HelpDialog, HelpPage};
use crate::screen::model::puzzle::{PuzzleExit, PuzzleMode};
use crate::screen::model::{MessageKind, Model};
use crate::screen::view::layout::ScreenLayout;
use crate::screen::view::move_list::PanelTarget;
use crate::screen::view::{footer, graph, move_list};

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
                game::finish_animation(model, &mut effects);
            }
            clock::check(model, &mut effects);
        }
        AppEvent::PlayerActed(request_id, action) => {
            requests::handle_player_action(model, request_id, action, &mut effects);
        }
        AppEvent::PlayerFailed(request_id, reason) => {
            programs::handle_failure(model, request_id, reason);
        }
        AppEvent::ProgramPrinted(player, lines) => {
            programs::handle_output(model, player, lines);
        }
        AppEvent::HintFound(request_id, hint) => requests::handle_hint(model, request_id, hint),
        AppEvent::Analyzed(request_id, report) => {
            requests::handle_report(model, request_id, report);
        }
        AppEvent::ReviewProgressed(request_id, positions_done) => {
            requests::handle_review_progress(model, request_id, positions_done);
        }
        AppEvent::Reviewed(request_id, reports) => {
            requests::handle_review(model, request_id, reports);
        }
        AppEvent::Saved(path, result) => dialogs::handle_saved(model, &path, result, &mut effects),
        AppEvent::PuzzleFound(request_id, puzzle) => {
            puzzles::handle_puzzle(model, request_id, puzzle);
        }
        AppEvent::PuzzleOpened { is_daily } => {
            puzzles::open_screen(model, is_daily, &mut effects);
        }
        AppEvent::PuzzleCounted(progress) => model.user.progress = progress,
        AppEvent::FolderFound(folder) => lists::list_files(model, folder, &mut effects),
        AppEvent::FilesListed(folder, result) => lists::handle_files(model, &folder, result),
        AppEvent::GamesRead(path, result) => {
            lists::handle_games(model, path, result, &mut effects);
        }
        AppEvent::GameRated(outcome) => profile::handle_rating(model, outcome, &mut effects),
        AppEvent::ProfileFailed(reason) => model.show_message(MessageKind::Error, reason),
        AppEvent::HistoryListed(result) => history::show(model, result),
        AppEvent::Recorded(result) => {
            model.is_record_stale = result.is_err();
            if let Err(reason) = result {
                model.show_message(MessageKind::Error, reason);
            }
        }
    }
    if model.animation.is_none() {
        game::apply_deferred_action(model, &mut effects);
        puzzles::play_on(model);
    }
    clock::sync(model);
    profile::sync(model, &mut effects);
    requests::sync_hint(model, &mut effects);
    requests::sync_workers(model, &mut effects);
    effects
}

/// Inserts a pasted text into the field for a file name or a player, or edits the position that it
/// describes.
fn handle_paste(model: &mut Model, text: &str) {
    let text = text.trim();
    if let Some(Dialog::Save(dialog)) = &mut model.dialog {
        for character in text.chars() {
            dialog.insert(character);
        }
    } else if let Some(Dialog::NewGame(dialog)) = &mut model.dialog
        && dialog.player_side().is_some()
    {
        for character in text.chars() {
            dialog.type_player(character);
        }
    } else if model.editor.is_some() && model.dialog.is_none() {
        editor::paste_position(model, text);
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
        if let Some(command) = editor::handle_key(model, key, command) {
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
        Some(UiCommand::Sow(_) | UiCommand::Swap) => !game::is_last_ply_by_computer(model),
        Some(UiCommand::Hint | UiCommand::Left | UiCommand::Right) => true,
        // The other commands do not depend on the board and leave the animation running.
        Some(_) => return command,
    };
    if !is_executed {
        model.hurried_at = Some(model.now);
    }
    game::finish_animation(model, effects);
    command.filter(|_| is_executed)
}

fn execute(model: &mut Model, command: UiCommand, effects: &mut Vec<AppEffect>) {
    // A message belongs to the command before. These commands change nothing that it says.
    if !matches!(command, UiCommand::Redraw | UiCommand::Suspend) {
        model.message = None;
    }
    match command {
        UiCommand::Activate if model.editor.is_some() => editor::start_game(model),
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
        UiCommand::Sow(house) => game::sow(model, house, effects),
        UiCommand::Swap => game::swap(model, effects),
        UiCommand::Activate => game::activate(model, effects),
        UiCommand::Left => game::move_cursor(model, false),
        UiCommand::Right => game::move_cursor(model, true),
        UiCommand::Undo => game::undo(model, effects),
        UiCommand::Redo => game::redo(model, effects),
        UiCommand::Hint => requests::request_hint(model, effects),
        UiCommand::ToggleMargins => toggle_margins(model, effects),
        UiCommand::PreviousPly => {
            if let Some(plies) = model.viewed_ply_count().checked_sub(1) {
                game::view_shown_game_after(model, plies);
            }
        }
        UiCommand::NextPly => game::view_shown_game_after(model, model.viewed_ply_count() + 1),
        UiCommand::ViewStart => game::view_shown_game_after(model, 0),
        UiCommand::ViewCurrent => game::view_end(model),
        UiCommand::NextMistake => game::view_next_mistake(model),
        UiCommand::CycleSpeed => {
            model.speed = model.speed.next();
            profile::remember_speed(model, effects);
            let text = format!("Animation: {}.", model.speed.as_str());
            model.show_message(MessageKind::Info, text);
        }
        UiCommand::ToggleAutoPlay => game::toggle_auto_play(model),
        UiCommand::Flip => {
            model.is_flipped = !model.is_flipped;
            model.message = None;
        }
        UiCommand::CopyPosition => {
            let text = match &model.editor {
                Some(editor) => editor.setup().to_string(),
                None => model.viewed_position().to_string(),
            };
            model.copy(text, effects);
        }
        UiCommand::EditPosition => editor::open(model),
        UiCommand::Redraw => effects.push(AppEffect::Redraw),
        UiCommand::Suspend if cfg!(unix) => effects.push(AppEffect::Suspend),
        UiCommand::Suspend => {
            let text = "This system has no shell to return to.";
            model.show_message(MessageKind::Error, text);
        }
        UiCommand::Menu if !model.shows_last_position() => game::view_current_position(model),
        UiCommand::Menu if model.puzzles.is_some() && model.puzzle_exit == PuzzleExit::Quit => {
            dialogs::quit(model, effects);
        }
        UiCommand::Menu if model.puzzles.is_some() => puzzles::leave_puzzles(model),
        UiCommand::Menu => dialogs::open_menu(model),
        UiCommand::CloseMenu => model.dialog = None,
        UiCommand::Help => {
            let page = if model.editor.is_some() {
                HelpPage::Editor
            } else {
                HelpPage::Keys
            };
            model.dialog = Some(Dialog::Help(HelpDialog::new(page)));
        }
        UiCommand::NewGame => dialogs::request_new_game(model),
        UiCommand::ConfirmNewGame => dialogs::open_new_game(model),
        UiCommand::Puzzle => puzzles::request_puzzle(model, effects),
        UiCommand::DailyPuzzle => puzzles::request_daily(model, effects),
        UiCommand::PuzzleMenu => puzzles::open_menu(model, UiCommand::Puzzle),
        UiCommand::CycleDifficulty => puzzles::cycle_difficulty(model, effects),
        UiCommand::CycleTheme => puzzles::cycle_theme(model),
        UiCommand::Open => dialogs::request_open(model, effects),
        UiCommand::ConfirmOpen => effects.push(AppEffect::ChooseFile),
        UiCommand::History => effects.push(AppEffect::ListHistory),
        UiCommand::Save => dialogs::open_save(model, false),
        UiCommand::SaveAndQuit => dialogs::open_save(model, true),
        UiCommand::Resign if model.puzzles.is_some() => puzzles::give_up_puzzle(model, effects),
        UiCommand::Resign if !model.shows_last_position() => {
            let text = "Resigning works in the current position. End: current position.";
            model.show_message(MessageKind::Error, text);
        }
        UiCommand::RestartProgram => programs::restart(model),
        UiCommand::TakeOver => programs::replace(model, PlayerSpec::HUMAN, effects),
        UiCommand::SubstituteEngine => programs::replace(model, PlayerSpec::SMART, effects),
        UiCommand::Resign => dialogs::open_resign(model),
        UiCommand::ConfirmResign => game::resign(model, effects),
        UiCommand::Quit => dialogs::quit(model, effects),
        UiCommand::ConfirmQuit => effects.push(AppEffect::Quit),
    }
}

/// Shows or hides the margins.
fn toggle_margins(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.puzzles.as_ref().is_some_and(PuzzleMode::is_open) {
        let text = "Margins are off until the puzzle is solved.";
        model.show_message(MessageKind::Error, text);
        return;
    }
    model.margins.is_shown = !model.margins.is_shown;
    // The choice for games stays as it is: a game with margins is not rated.
    if model.puzzles.is_none() {
        profile::remember_margins(model, effects);
    }
    model.message = None;
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
        if let Some(command) = editor::handle_mouse(model, mouse) {
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
                && game::can_sow(model, house)
            {
                model.set_cursor(house);
            }
        }
        MouseEventKind::Down(MouseButton::Left) => {
            if model.animation.is_some() {
                game::finish_animation(model, effects);
            } else if let Some((owner, house)) = layout.house_at(at) {
                game::sow_clicked(model, owner, house, effects);
            } else if let Some(target) = panel_target_at(model, &layout, at) {
                match target {
                    PanelTarget::Shown(plies) => game::view_shown_game_after(model, plies),
                    PanelTarget::Game(plies) => game::view_position_after(model, plies),
                }
            } else if let Some(command) = footer::command_at(model, &layout, at) {
                execute(model, command, effects);
            } else if layout.status.contains(at) && model.side_to_input().is_none() {
                // The status says what Enter does.
                game::activate(model, effects);
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
