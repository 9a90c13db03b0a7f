//! Puzzles: requests, moves and answers.

use kalah::{ActionError, Move};
use kalah_engine::Puzzle;

use crate::screen::event::{AppEffect, WorkerRequestId};
use crate::screen::model::animation::Animation;
use crate::screen::model::puzzle::{
    PosedPuzzle, PuzzleAnswer, PuzzleMode, PuzzleScore, PuzzleState,
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
    if let Err(reason) = position.check_legal(mv) {
        model.show_action_error(ActionError::Illegal(reason));
        return;
    }
    let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
    }) = &mut model.puzzles
    else {
        return;
    };
    posed.try_move(mv, score);
    show_answer(model, mv);
}

/// Shows the answer of the open puzzle.
pub(super) fn give_up_puzzle(model: &mut Model) {
    if let Some(PuzzleMode {
        puzzle: PuzzleState::Posed(posed),
        score,
    }) = &mut model.puzzles
    {
        posed.give_up(score);
        let solution = posed.puzzle.solution;
        show_answer(model, solution);
    }
}

/// Shows what a move leads to and, once the answer is known, its animation.
fn show_answer(model: &mut Model, mv: Move) {
    let Some(posed) = model.puzzles.as_ref().and_then(PuzzleMode::posed) else {
        return;
    };
    let side = posed.puzzle.position.to_move();
    let name = model.notation().describe_move(side, mv);
    let bounds = posed.puzzle.report.bounds_of(mv);
    let result = bounds.map_or_else(String::new, describe_bounds);
    let (kind, text) = match posed.answer {
        PuzzleAnswer::Open => (
            MessageKind::Error,
            format!("Wrong: {name} {result}. Try again."),
        ),
        PuzzleAnswer::Solved => (MessageKind::Info, format!("Solved: {name} {result}.")),
        PuzzleAnswer::Shown => (
            MessageKind::Info,
            format!("The answer is {name}, which {result}."),
        ),
    };
    if posed.answer != PuzzleAnswer::Open
        && let Some(ply) = posed.game.plies().first()
    {
        let position = &posed.puzzle.position;
        model.animation = Animation::new(position, ply, model.speed, model.now);
    }
    model.show_message(kind, text);
    model.reset_cursor();
}
