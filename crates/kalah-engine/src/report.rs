//! The report of an analysis.

use kalah::{Margin, Move, Side};
use std::time::Duration;

/// The result of an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The best move found; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The margin at the end of the game for the player to move, with the play that the analysis
    /// expects.
    pub margin: Margin,
    /// Whether the margin is proven.
    pub certainty: Certainty,
    /// Proven bounds of the margin.
    pub bounds: Bounds,
    /// All moves with their proven bounds, in the order of
    /// [`Position::legal_moves`](kalah::Position::legal_moves).
    pub moves: Vec<(Move, Bounds)>,
    /// The depth of the last completed iteration in turns; 0 if there was none.
    pub depth: u32,
    /// Nodes searched: positions whose value neither the end of the game nor an endgame table gave.
    pub nodes: u64,
    /// Gains read from endgame tables.
    pub table_hits: u64,
    /// Time used, by the clock of the caller.
    pub time: Duration,
    /// The principal variation, beginning with the best move; it may stop before the end of the
    /// game.
    pub line: Vec<(Side, Move)>,
}

impl Report {
    /// Whether it is proven that no other move gains more than [`Self::best_move`]. The margin
    /// itself may still be open.
    pub fn is_best_move_proven(&self) -> bool {
        let mv = self.best_move;
        mv.is_none_or(|mv| is_proven_best(&self.moves, mv))
    }

    /// Returns the proven bounds of a move; `None` if the move is not legal.
    pub fn bounds_of(&self, mv: Move) -> Option<Bounds> {
        let mut moves = self.moves.iter();
        moves.find_map(|&(other, bounds)| (other == mv).then_some(bounds))
    }

    /// Returns the margin to display. An estimate can have the wrong parity, as the possible
    /// margins are all odd or all even; it is moved by one seed towards a tie.
    pub fn expected_margin(&self) -> Margin {
        let (margin, lower) = (self.margin.seeds(), self.bounds.lower.seeds());
        if (margin - lower) % 2 == 0 {
            self.margin
        } else if margin > 0 {
            Margin::new(margin - 1)
        } else {
            Margin::new(margin + 1)
        }
    }
}

/// Whether the bounds of all moves prove that none gains more than `mv`.
pub(crate) fn is_proven_best(moves: &[(Move, Bounds)], mv: Move) -> bool {
    let own = moves.iter().find(|&&(other, _)| other == mv);
    own.is_some_and(|&(_, own)| {
        let mut others = moves.iter().filter(|&&(other, _)| other != mv);
        others.all(|(_, other)| other.upper <= own.lower)
    })
}

/// The certainty of a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Some lines ended in the static evaluation.
    Estimate,
    /// Every line that matters was searched to the end of the game.
    Exact,
}

/// Proven bounds of a margin with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least possible margin.
    pub lower: Margin,
    /// The greatest possible margin.
    pub upper: Margin,
}

impl Bounds {
    /// Whether the bounds leave one margin only.
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}
