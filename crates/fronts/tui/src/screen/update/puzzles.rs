//! Puzzles: requests, moves and answers.

use kalah::{ActionError, Move};
use kalah_engine::{Puzzle, PuzzleTheme};

use crate::game::{PuzzleChoices, PuzzleProgress, PuzzleStep};
use crate::screen::event::{AppEffect, WantedPuzzle, WorkerRequestId};
use crate::screen::keys::UiCommand;
use crate::screen::model::animation::Animation;
use crate::screen::model::dialog::{Dialog, MenuDialog};
use crate::screen::model::puzzle::{
    PosedPuzzle, PuzzleAnswer, PuzzleCount, PuzzleExit, PuzzleMode, PuzzleScore, PuzzleState,
    PuzzleTry,
};
use crate::screen::model::{MessageKind, Model};
use kalah_text::describe_bounds;

/// The number of houses of a side on the board of the puzzles of days.
const DAILY_HOUSES: u8 = 6;

/// Opens the screen with a puzzle, or with that of the day.
pub(super) fn open_screen(model: &mut Model, is_daily: bool, effects: &mut Vec<AppEffect>) {
    if is_daily {
        request_daily(model, effects);
    } else {
        request_puzzle(model, effects);
    }
    if model.puzzles.is_some() {
        model.puzzle_exit = PuzzleExit::Quit;
    }
}

/// Requests a puzzle on the board of the game, as the user has chosen, and shows it instead of the
/// game.
pub(super) fn request_puzzle(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let choices = PuzzleChoices {
        difficulty: model.user.preferences.difficulty,
        ..model.user.choices.clone()
    };
    let request = WantedPuzzle::Chosen {
        start: model.session.game().start().clone(),
        ratings: choices.difficulty.ratings(model.user.progress.rating),
        choices,
    };
    show_puzzle(model, request, None, effects);
}

/// Requests the puzzle of the day, and shows it instead of the game.
pub(super) fn request_daily(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if model.session.position().houses() != DAILY_HOUSES {
        let text = "The puzzle of the day has 6 houses a side: start such a game first.";
        model.show_message(MessageKind::Error, text);
        return;
    }
    let day = model.user.choices.today;
    show_puzzle(model, WantedPuzzle::Daily(day), Some(day), effects);
}

fn show_puzzle(
    model: &mut Model,
    request: WantedPuzzle,
    day: Option<u32>,
    effects: &mut Vec<AppEffect>,
) {
    if let Some(mode) = &model.puzzles
        && matches!(mode.puzzle, PuzzleState::Generating(_))
    {
        return;
    }
    let request_id = model.next_request_id();
    let score = model
        .puzzles
        .as_ref()
        .map_or(PuzzleScore::default(), |mode| mode.score);
    model.close_variation();
    model.message = None;
    model.puzzles = Some(PuzzleMode {
        puzzle: PuzzleState::Generating(request_id),
        score,
        day,
        change: None,
    });
    effects.push(AppEffect::RequestPuzzle(request_id, request));
}

/// Opens the menu with the choices for puzzles, in which `selected` is selected.
pub(super) fn open_menu(model: &mut Model, selected: UiCommand) {
    let items = vec![
        UiCommand::Puzzle,
        UiCommand::DailyPuzzle,
        UiCommand::CycleDifficulty,
        UiCommand::CycleTheme,
        UiCommand::CloseMenu,
    ];
    let PuzzleProgress {
        rating,
        streak,
        best_streak,
        days,
        ..
    } = model.user.progress;
    let mut menu = MenuDialog::new("Puzzles", items);
    menu.notes = vec![format!(
        "Your rating: {rating}. Streak: {streak}, best {best_streak}. Days in a row: {days}."
    )];
    let index = menu.items.iter().position(|&item| item == selected);
    menu.selected = index.unwrap_or_default();
    model.dialog = Some(Dialog::Menu(menu));
}

/// Changes the difficulty of the next puzzles.
pub(super) fn cycle_difficulty(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let difficulty = &mut model.user.preferences.difficulty;
    *difficulty = difficulty.next();
    effects.push(AppEffect::SavePreferences);
    open_menu(model, UiCommand::CycleDifficulty);
}

/// Changes the theme of the next puzzles.
pub(super) fn cycle_theme(model: &mut Model) {
    let theme = &mut model.user.choices.theme;
    let index = theme.and_then(|theme| PuzzleTheme::ALL.iter().position(|&one| one == theme));
    let next = index.map_or(0, |index| index + 1);
    *theme = PuzzleTheme::ALL.get(next).copied();
    open_menu(model, UiCommand::CycleTheme);
}

/// Counts the first try of the open puzzle, and the end of the puzzle of a day, if they have become
/// known since the puzzle was in the state `before`.
fn count(model: &mut Model, before: PuzzleCount, effects: &mut Vec<AppEffect>) {
    let Some(mode) = &mut model.puzzles else {
        return;
    };
    let (day, Some(posed)) = (mode.day, mode.posed()) else {
        return;
    };
    let rating = posed.puzzle.rating;
    let after = posed.count();
    let mut steps = Vec::new();
    if let (None, Some(is_solved)) = (before.first_try, after.first_try) {
        steps.push(PuzzleStep::FirstTry {
            rating,
            is_solved,
            day,
        });
    }
    if let (Some(day), true, false) = (day, before.is_open, after.is_open) {
        let is_solved = posed.answer == PuzzleAnswer::Solved;
        steps.push(PuzzleStep::DayEnded { day, is_solved });
    }
    for step in steps {
        let progress = &mut model.user.progress;
        let rating = progress.rating;
        *progress = progress.after(step);
        if matches!(step, PuzzleStep::FirstTry { .. }) {
            mode.change = Some(progress.rating - rating);
        }
        effects.push(AppEffect::CountPuzzle(step));
    }
}

pub(super) fn handle_puzzle(
    model: &mut Model,
    request_id: WorkerRequestId,
    puzzle: Option<Box<Puzzle>>,
) {
    let Some(mode) = &mut model.puzzles else {
        return;
    };
    if matches!(mode.puzzle, PuzzleState::Generating(requested) if requested == request_id) {
        mode.puzzle = match puzzle {
            Some(puzzle) => PuzzleState::Posed(Box::new(PosedPuzzle::new(*puzzle))),
            None => PuzzleState::NotFound,
        };
        model.close_variation();
        model.reset_cursor();
    }
}

/// Ends the puzzles, whose answers may have been shown with margins. A game has them only if the
/// user has chosen them for games.
pub(super) fn end_puzzles(model: &mut Model) {
    model.puzzle_exit = PuzzleExit::Game;
    if model.puzzles.take().is_some() {
        model.margins.is_shown = model.user.preferences.shows_margins;
    }
}

/// Returns from the puzzles to the game.
pub(super) fn leave_puzzles(model: &mut Model) {
    end_puzzles(model);
    model.close_variation();
    model.message = None;
    model.reset_cursor();
}

/// Tries a move in the open puzzle.
pub(super) fn try_puzzle_move(model: &mut Model, mv: Move, effects: &mut Vec<AppEffect>) {
    let position = model.viewed_position().clone();
    let notation = model.notation();
    let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
        ..
    }) = &mut model.puzzles
    else {
        return;
    };
    if !posed.awaits_move() {
        // The screen still plays the reply of the opponent.
        return;
    }
    if let Err(reason) = position.check_legal(mv) {
        model.show_action_error(ActionError::Illegal(reason));
        return;
    }
    let is_first = posed.game.plies().is_empty();
    let name = notation.describe_move(position.to_move(), mv);
    let bounds = posed.puzzle.report.bounds_of(mv).filter(|_| is_first);
    let result = bounds.map_or_else(String::new, |bounds| {
        format!(" {}", describe_bounds(bounds))
    });
    let before = posed.count();
    let (kind, text) = match posed.try_move(mv, score) {
        PuzzleTry::Wrong => (
            MessageKind::Error,
            format!("Wrong: {name}{result}. Try again."),
        ),
        PuzzleTry::Right => {
            let (next, all) = posed.progress();
            let text = format!("Right: {name}{result}. Find the next one, move {next} of {all}.");
            (MessageKind::Info, text)
        }
        PuzzleTry::Solved => (MessageKind::Info, format!("Solved: {name}{result}.")),
    };
    model.show_message(kind, text);
    count(model, before, effects);
    play_on(model);
}

/// Shows the answer of the open puzzle: the moves that are not found yet.
pub(super) fn give_up_puzzle(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.close_variation();
    let notation = model.notation();
    if let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
        ..
    }) = &mut model.puzzles
    {
        if posed.answer != PuzzleAnswer::Open {
            return;
        }
        let before = posed.count();
        posed.give_up(score);
        let played = posed.game.plies().len();
        let rest = &posed.puzzle.solution_plies()[played..];
        let text = match rest {
            &[(side, mv)] if played == 0 => {
                let result = posed.puzzle.report.bounds_of(mv);
                let result = result.map_or_else(String::new, describe_bounds);
                let name = notation.describe_move(side, mv);
                format!("The answer is {name}, which {result}.")
            }
            rest => format!("The answer is {}.", notation.format_line(rest)),
        };
        model.show_message(MessageKind::Info, text);
        count(model, before, effects);
        play_on(model);
    }
}

/// Plays the plies of the puzzle that are not to be found, one animation after another, while the
/// board shows its last position.
pub(super) fn play_on(model: &mut Model) {
    while model.animation.is_none()
        && model.shows_last_position()
        && let Some(PuzzleMode {
            puzzle: PuzzleState::Posed(posed),
            ..
        }) = &mut model.puzzles
        && let Some((before, ply)) = posed.play_next()
    {
        model.animation = Animation::new(&before, &ply, model.speed, model.now);
        model.reset_cursor();
    }
}
