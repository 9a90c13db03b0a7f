//! Puzzles on the screen: the position to solve, the moves that were tried, and the score.

use kalah::{Game, Move, Side};
use kalah_engine::{GameValue, Puzzle};

use crate::screen::event::WorkerRequestId;

/// The puzzles that the screen shows instead of the game.
#[derive(Clone, Debug)]
pub(crate) struct PuzzleMode {
    pub(crate) puzzle: PuzzleState,
    pub(crate) score: PuzzleScore,
}

/// The state of the current puzzle.
#[derive(Clone, Debug)]
pub(crate) enum PuzzleState {
    /// The generator searches for a puzzle.
    Generating(WorkerRequestId),
    /// The generator has found no puzzle on this board.
    NotFound,
    Posed(Box<PosedPuzzle>),
}

/// A puzzle with what the user has tried.
#[derive(Clone, Debug)]
pub(crate) struct PosedPuzzle {
    pub(crate) puzzle: Puzzle,
    /// The game that begins with the position.
    pub(crate) game: Game,
    /// The last wrong move.
    pub(crate) wrong_move: Option<Move>,
    pub(crate) answer: PuzzleAnswer,
}

/// Whether and how the answer of a puzzle has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleAnswer {
    Open,
    /// The user has played it.
    Solved,
    /// The user has asked for it.
    Shown,
}

/// The number of puzzles whose first try is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PuzzleScore {
    pub(crate) tried: u32,
    /// The number of puzzles that were solved at the first try.
    pub(crate) solved: u32,
    /// The number of the last puzzles that were solved at the first try in a row.
    pub(crate) streak: u32,
}

impl PuzzleScore {
    fn add(&mut self, is_solved: bool) {
        self.tried += 1;
        self.solved += u32::from(is_solved);
        self.streak = if is_solved { self.streak + 1 } else { 0 };
    }
}

impl PosedPuzzle {
    pub(crate) fn new(puzzle: Puzzle) -> Self {
        Self {
            game: Game::new(puzzle.position.clone()),
            puzzle,
            wrong_move: None,
            answer: PuzzleAnswer::Open,
        }
    }

    /// Returns the task: `South to move: exactly one move wins`.
    pub(crate) fn task(&self) -> String {
        let side: Side = self.puzzle.position.to_move();
        let task = match self.puzzle.value {
            GameValue::Win => "one move wins, the others do not",
            GameValue::Tie | GameValue::Loss => "one move saves a tie, the others lose",
        };
        format!("{side} to move: {task}")
    }

    /// Returns the task for small screens: `South: find the win`.
    pub(crate) fn short_task(&self) -> String {
        let side = self.puzzle.position.to_move();
        match self.puzzle.value {
            GameValue::Win => format!("{side}: find the win"),
            GameValue::Tie | GameValue::Loss => format!("{side}: find the tie"),
        }
    }

    /// Tries a legal move, and counts the first try in `score`.
    pub(crate) fn try_move(&mut self, mv: Move, score: &mut PuzzleScore) {
        if self.answer != PuzzleAnswer::Open {
            return;
        }
        let is_solved = mv == self.puzzle.solution;
        if self.wrong_move.is_none() {
            score.add(is_solved);
        }
        if is_solved {
            self.reveal(PuzzleAnswer::Solved);
        } else {
            self.wrong_move = Some(mv);
        }
    }

    /// Shows the answer, which counts as a wrong first try.
    pub(crate) fn give_up(&mut self, score: &mut PuzzleScore) {
        if self.answer == PuzzleAnswer::Open {
            if self.wrong_move.is_none() {
                score.add(false);
            }
            self.reveal(PuzzleAnswer::Shown);
        }
    }

    fn reveal(&mut self, answer: PuzzleAnswer) {
        self.answer = answer;
        // The solution is a legal move of the position.
        let _ = self.game.play(self.puzzle.solution);
    }
}

impl PuzzleMode {
    /// Returns the posed puzzle.
    pub(crate) fn posed(&self) -> Option<&PosedPuzzle> {
        match &self.puzzle {
            PuzzleState::Posed(posed) => Some(posed),
            PuzzleState::Generating(_) | PuzzleState::NotFound => None,
        }
    }

    /// Returns whether the user can try moves.
    pub(crate) fn is_open(&self) -> bool {
        self.posed()
            .is_some_and(|posed| posed.answer == PuzzleAnswer::Open)
    }
}
