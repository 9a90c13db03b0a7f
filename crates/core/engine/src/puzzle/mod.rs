//! Puzzles: the check of a position, puzzles from games between computer players, and the puzzle of
//! a day.

mod check;
mod daily;
mod generator;
mod rating;
mod themes;
mod work;

use std::num::NonZeroU32;

use kalah::{Move, Position, Side};

use crate::analysis::report::Report;
use crate::review::GameValue;

pub use check::NoPuzzle;
pub use generator::PuzzleGenerator;
pub use rating::{PuzzleFeatures, PuzzleRating};
pub use themes::{ParsePuzzleThemeError, PuzzleTheme};

/// A position with exactly one winning move or, where no move wins, exactly one that keeps the tie.
///
/// A puzzle has several moves to find if the player, after the best replies of the opponent, has
/// again exactly one of several moves that keeps the result. It ends at the first own position
/// where that does not hold or is not proven within the limits of [`Self::check`], or with the
/// game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The position.
    pub position: Position,
    /// The only solution.
    pub solution: Move,
    /// The result that the solution leads to, a win or a tie; all other moves lead to a worse one.
    pub value: GameValue,
    /// The search depth of [`MinimaxPlayer`](crate::MinimaxPlayer), in turns, from which on it
    /// plays the solution at every depth up to [`PuzzleGenerator::MAX_DEPTH`].
    pub depth: NonZeroU32,
    /// The computed difficulty of the first move.
    pub rating: PuzzleRating,
    /// The analysis with the proven bounds of all moves. Its line begins with the
    /// [`Self::solution_plies`] and continues with best play, to the end of the game if the proofs
    /// reach it.
    pub report: Report,
    /// The number of plies of the line that are to be found or are replies of the opponent between
    /// them; the last one is to be found.
    pub plies: NonZeroU32,
}

impl Puzzle {
    /// Returns the plies to find and the replies of the opponent between them. The first one is
    /// the solution, and the last one is to be found too. Each reply is proven to be a best one.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_engine::PuzzleGenerator;
    ///
    /// let start = Position::start(4, 3, Rules::CS32)?;
    /// let puzzle = PuzzleGenerator::new(start, 1).with_min_moves(2).next().expect("a puzzle");
    /// assert!(puzzle.moves_to_find() >= 2);
    /// assert_eq!(puzzle.solution_plies()[0].1, puzzle.solution);
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn solution_plies(&self) -> &[(Side, Move)] {
        let line = &self.report.line;
        let plies = usize::try_from(self.plies.get()).unwrap_or(usize::MAX);
        &line[..plies.min(line.len())]
    }

    /// Returns the indices of the plies of the line that are to be found, from 0 on.
    pub fn indices_to_find(&self) -> Vec<usize> {
        let plies = played_plies(&self.position, self.solution_plies());
        let is_own = |(index, ply): (usize, &PlayedPly)| ply.is_own.then_some(index);
        plies.iter().enumerate().filter_map(is_own).collect()
    }

    /// Returns the number of moves that are to be found, at least one.
    pub fn moves_to_find(&self) -> usize {
        self.indices_to_find().len()
    }
}

/// A ply of a line from the position of a puzzle.
struct PlayedPly {
    /// Whether the player to move in the puzzle has made the ply.
    is_own: bool,
    /// The result of the move.
    result: kalah::MoveResult,
    /// The position after the ply.
    after: Position,
    /// Whether the player to move in the puzzle is to move after the ply.
    is_own_turn_after: bool,
}

/// Plays a line to its end, or to its first illegal move.
fn played_plies(position: &Position, line: &[(Side, Move)]) -> Vec<PlayedPly> {
    let mut after = position.clone();
    let mut is_own = true;
    let mut plies = Vec::with_capacity(line.len());
    for &(_, mv) in line {
        let side = after.to_move();
        let Ok(result) = after.play(mv) else {
            break;
        };
        let is_own_turn_after = is_own == is_same_player(side, mv, &after);
        plies.push(PlayedPly {
            is_own,
            result,
            after: after.clone(),
            is_own_turn_after,
        });
        is_own = is_own_turn_after;
    }
    plies
}

/// Returns whether the player who made a move is to move after it: the same side after a bonus
/// turn, but the other player after a swap.
fn is_same_player(side: Side, mv: Move, after: &Position) -> bool {
    after.to_move() == side && mv != Move::Swap
}
