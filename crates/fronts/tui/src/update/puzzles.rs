//! Puzzles: requests, moves and answers.

use kalah::{ActionError, Move};
use kalah_engine::Puzzle;

use crate::animation::Animation;
use crate::event::{AppEffect, WorkerRequestId};
use crate::model::{MessageKind, Model};
use crate::puzzle::{PosedPuzzle, PuzzleAnswer, PuzzleMode, PuzzleScore, PuzzleState};
use crate::text::describe::describe_bounds;

impl Model {
    /// Requests a puzzle on the board of the game, and shows it instead of the game.
    pub(super) fn request_puzzle(&mut self, effects: &mut Vec<AppEffect>) {
        if let Some(mode) = &self.puzzles
            && matches!(mode.puzzle, PuzzleState::Generating(_))
        {
            return;
        }
        let request_id = self.next_request_id();
        let score = self
            .puzzles
            .as_ref()
            .map_or(PuzzleScore::default(), |mode| mode.score);
        self.close_variation();
        self.message = None;
        self.puzzles = Some(PuzzleMode {
            puzzle: PuzzleState::Generating(request_id),
            score,
        });
        let start = self.session.game().start().clone();
        effects.push(AppEffect::RequestPuzzle(request_id, start));
    }

    pub(super) fn handle_puzzle(
        &mut self,
        request_id: WorkerRequestId,
        puzzle: Option<Box<Puzzle>>,
    ) {
        let Some(mode) = &mut self.puzzles else {
            return;
        };
        if matches!(mode.puzzle, PuzzleState::Generating(requested) if requested == request_id) {
            mode.puzzle = match puzzle {
                Some(puzzle) => PuzzleState::Posed(Box::new(PosedPuzzle::new(*puzzle))),
                None => PuzzleState::NotFound,
            };
            self.close_variation();
            self.reset_cursor();
        }
    }

    /// Returns from the puzzles to the game.
    pub(super) fn leave_puzzles(&mut self) {
        self.puzzles = None;
        self.close_variation();
        self.message = None;
        self.reset_cursor();
    }

    /// Tries a move in the open puzzle.
    pub(super) fn try_puzzle_move(&mut self, mv: Move) {
        let position = self.viewed_position().clone();
        if let Err(reason) = position.check_legal(mv) {
            self.show_action_error(ActionError::Illegal(reason));
            return;
        }
        let Some(PuzzleMode {
            puzzle: PuzzleState::Posed(posed),
            score,
        }) = &mut self.puzzles
        else {
            return;
        };
        posed.try_move(mv, score);
        self.show_answer(mv);
    }

    /// Shows the answer of the open puzzle.
    pub(super) fn give_up_puzzle(&mut self) {
        if let Some(PuzzleMode {
            puzzle: PuzzleState::Posed(posed),
            score,
        }) = &mut self.puzzles
        {
            posed.give_up(score);
            let solution = posed.puzzle.solution;
            self.show_answer(solution);
        }
    }

    /// Shows what a move leads to and, once the answer is known, its animation.
    fn show_answer(&mut self, mv: Move) {
        let Some(posed) = self.puzzles.as_ref().and_then(PuzzleMode::posed) else {
            return;
        };
        let side = posed.puzzle.position.to_move();
        let name = self.notation().describe_move(side, mv);
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
            self.animation = Animation::new(position, ply, self.speed, self.now);
        }
        self.show_message(kind, text);
        self.reset_cursor();
    }
}
