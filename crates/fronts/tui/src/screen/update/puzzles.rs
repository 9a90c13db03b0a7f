//! Puzzles: requests, moves and answers.

use kalah::{ActionError, Move};
use kalah_engine::Puzzle;

use crate::screen::event::{AppEffect, WorkerRequestId};
use crate::screen::model::animation::Animation;
use crate::screen::model::puzzle::{
    PosedPuzzle, PuzzleAnswer, PuzzleMode, PuzzleScore, PuzzleState, PuzzleTry,
};
use crate::screen::model::{MessageKind, Model};
use kalah_text::describe_bounds;

/// Requests a puzzle on the board of the game, and shows it instead of the game.
pub(super) fn request_puzzle(model: &mut Model, effects: &mut Vec<AppEffect>) {
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
    });
    let start = model.session.game().start().clone();
    effects.push(AppEffect::RequestPuzzle(request_id, start));
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

/// Returns from the puzzles to the game.
pub(super) fn leave_puzzles(model: &mut Model) {
    model.puzzles = None;
    model.close_variation();
    model.message = None;
    model.reset_cursor();
}

/// Tries a move in the open puzzle.
pub(super) fn try_puzzle_move(model: &mut Model, mv: Move) {
    let position = model.viewed_position().clone();
    let notation = model.notation();
    let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
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
    play_on(model);
}

/// Shows the answer of the open puzzle: the moves that are not found yet.
pub(super) fn give_up_puzzle(model: &mut Model) {
    model.close_variation();
    let notation = model.notation();
    if let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
    }) = &mut model.puzzles
    {
        if posed.answer != PuzzleAnswer::Open {
            return;
        }
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
