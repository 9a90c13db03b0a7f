//! Puzzles on the screen: the position to solve, the moves that were tried, and the score.

use kalah::{Game, Move, Ply, Position, Side};
use kalah_engine::{GameValue, Puzzle};

use crate::screen::event::WorkerRequestId;

/// The effect of Esc in a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleExit {
    /// It returns to the game.
    Game,
    /// It ends the program, because the screen was opened for puzzles and no game was begun.
    Quit,
}

/// The puzzles that the screen shows instead of the game.
#[derive(Clone, Debug)]
pub(crate) struct PuzzleMode {
    pub(crate) puzzle: PuzzleState,
    pub(crate) score: PuzzleScore,
    /// The day, if the puzzle is that of a day.
    pub(crate) day: Option<u32>,
    /// The change of the rating by the puzzle, once its first try is known.
    pub(crate) change: Option<i32>,
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
    /// The game that begins with the position, and the plies of the solution played so far.
    pub(crate) game: Game,
    /// The number of moves that are found.
    found: usize,
    /// Whether the puzzle was solved at the first try, once it is counted in the score.
    first_try: Option<bool>,
    pub(crate) answer: PuzzleAnswer,
}

/// The part of the state of a puzzle that counts for the progress of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PuzzleCount {
    /// Whether the puzzle was solved at the first try, once that is known.
    pub(crate) first_try: Option<bool>,
    /// Whether the answer is not known.
    pub(crate) is_open: bool,
}

/// The result of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleTry {
    Wrong,
    /// The move is right, and there is another one to find.
    Right,
    /// The move is right, and the last one to find.
    Solved,
}

/// Whether and how the answer of a puzzle has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleAnswer {
    Open,
    /// The user has found all moves.
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
            found: 0,
            first_try: None,
            answer: PuzzleAnswer::Open,
        }
    }

    /// Returns the task: `South to move: one move wins, the others do not`, with the number of the
    /// move if the puzzle has several.
    pub(crate) fn task(&self) -> String {
        let side: Side = self.game.position().to_move();
        let task = match self.puzzle.value {
            GameValue::Win => "one move wins, the others do not",
            GameValue::Tie | GameValue::Loss => "one move saves a tie, the others lose",
        };
        let (next, all) = self.progress();
        let number = if all > 1 {
            format!(", move {next} of {all}")
        } else {
            String::new()
        };
        format!("{side} to move: {task}{number}")
    }

    /// Returns the number of the next move to find, from 1, and the number of all moves to find.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.found + 1, self.puzzle.moves_to_find())
    }

    /// Returns the task for small screens: `South: find the win`.
    pub(crate) fn short_task(&self) -> String {
        let side = self.game.position().to_move();
        match self.puzzle.value {
            GameValue::Win => format!("{side}: find the win"),
            GameValue::Tie | GameValue::Loss => format!("{side}: find the tie"),
        }
    }

    /// Returns the number of plies of the solution before the next move to find, or all of them
    /// once the answer is known.
    fn plies_to_play(&self) -> usize {
        let to_find = self.puzzle.indices_to_find();
        let next = to_find.get(self.found).copied();
        let all = self.puzzle.solution_plies().len();
        next.filter(|_| self.answer == PuzzleAnswer::Open)
            .unwrap_or(all)
    }

    /// Returns whether the user is to find a move in the last position of the game.
    pub(crate) fn awaits_move(&self) -> bool {
        self.answer == PuzzleAnswer::Open && self.game.plies().len() == self.plies_to_play()
    }

    /// Returns whether the last ply of the game is a reply of the opponent.
    pub(crate) fn is_last_ply_reply(&self) -> bool {
        let last = self.game.plies().len().checked_sub(1);
        last.is_some_and(|index| !self.puzzle.indices_to_find().contains(&index))
    }

    /// Returns the move to find in the last position of the game.
    pub(crate) fn move_to_find(&self) -> Option<Move> {
        let index = self.game.plies().len();
        let plies = self.puzzle.solution_plies();
        plies.get(index).map(|&(_, mv)| mv)
    }

    /// Tries a legal move in a position that [awaits](Self::awaits_move) one, and counts the puzzle
    /// in `score` at the first wrong move or at the end. [`Self::play_next`] plays a right move.
    pub(crate) fn try_move(&mut self, mv: Move, score: &mut PuzzleScore) -> PuzzleTry {
        if self.move_to_find() != Some(mv) {
            self.add_to_score(score, false);
            return PuzzleTry::Wrong;
        }
        self.found += 1;
        if self.found < self.puzzle.moves_to_find() {
            return PuzzleTry::Right;
        }
        self.add_to_score(score, true);
        self.answer = PuzzleAnswer::Solved;
        PuzzleTry::Solved
    }

    /// Shows the answer, which counts as a wrong try.
    pub(crate) fn give_up(&mut self, score: &mut PuzzleScore) {
        if self.answer == PuzzleAnswer::Open {
            self.add_to_score(score, false);
            self.answer = PuzzleAnswer::Shown;
        }
    }

    fn add_to_score(&mut self, score: &mut PuzzleScore, is_solved: bool) {
        if self.first_try.is_none() {
            self.first_try = Some(is_solved);
            score.add(is_solved);
        }
    }

    /// Returns the part of the state that counts for the progress of the user.
    pub(crate) fn count(&self) -> PuzzleCount {
        PuzzleCount {
            first_try: self.first_try,
            is_open: self.answer == PuzzleAnswer::Open,
        }
    }

    /// Plays the next ply of the solution if it is not to be found. Returns the position before it
    /// and the ply.
    pub(crate) fn play_next(&mut self) -> Option<(Position, Ply)> {
        if self.game.plies().len() >= self.plies_to_play() {
            return None;
        }
        let before = self.game.position().clone();
        // The plies of the solution are legal.
        self.game.play(self.move_to_find()?).ok()?;
        let ply = self.game.plies().last()?.clone();
        Some((before, ply))
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
