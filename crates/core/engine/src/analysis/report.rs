//! The report of an analysis.

use std::time::Duration;

use kalah::{Margin, Move, Position, Side};
use kalah_tables::TableDamage;

/// The result of an analysis, or its state while it runs.
///
/// Estimates, bounds, the best move and the lines never contradict each other: an estimate lies
/// within the proven bounds of its move, no estimate exceeds that of the best move, and a line
/// begins with its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The best move found; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The margin as the search returns it: an estimate can have the wrong parity, which
    /// [`Self::margin`] corrects.
    pub raw_margin: Margin,
    /// Whether [`Self::margin`] is proven.
    pub certainty: Certainty,
    /// Proven bounds of the margin.
    pub bounds: Bounds,
    /// All moves, or those of [`Engine::with_root_moves`](crate::Engine::with_root_moves), in the
    /// order of [`Position::legal_moves`].
    pub moves: Vec<MoveReport>,
    /// The depth of the last completed iteration in turns; 0 if there was none.
    pub depth: u32,
    /// Nodes searched: positions whose value neither the end of the game nor an endgame table gave.
    pub nodes: u64,
    /// Gains read from endgame tables.
    pub table_hits: u64,
    /// The part of the transposition table that is in use, in thousandths, from a sample of it;
    /// `None` without a table or before the first step.
    pub hash_fullness: Option<u16>,
    /// Time used, by the clock of the caller.
    pub time: Duration,
    /// The principal variation, beginning with the best move; it may stop before the end of the
    /// game.
    pub line: Vec<(Side, Move)>,
    /// Whether the margins of all moves are those of an opening book. Then nothing was searched.
    pub is_from_book: bool,
    /// The damage of an endgame table that the analysis did not use for this reason.
    pub table_damage: Option<TableDamage>,
}

/// A move of the analyzed position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// The proven bounds of its margin.
    pub bounds: Bounds,
    /// The expected margin, within the bounds. Unless [`Limits::estimates`](crate::Limits) asks for
    /// all moves, that of a move other than the best one may be an upper bound of an estimate.
    pub estimate: Margin,
    /// The depth of the search behind the estimate, in turns; 0 for the static evaluation.
    pub depth: u32,
    /// The expected plies from this move on, if [`Limits::lines`](crate::Limits) asks for them.
    pub line: Vec<(Side, Move)>,
}

impl MoveReport {
    /// Creates the report of a move of which only bounds are known.
    pub fn from_bounds(mv: Move, bounds: Bounds) -> Self {
        Self {
            mv,
            bounds,
            estimate: bounds.nearest_margin(Margin::ZERO),
            depth: 0,
            line: Vec::new(),
        }
    }
}

impl Report {
    /// Returns the report for a position in which the game is over.
    pub(crate) fn game_over(position: &Position) -> Self {
        let margin = position.lead();
        Self {
            best_move: None,
            raw_margin: margin,
            certainty: Certainty::Exact,
            bounds: Bounds {
                lower: margin,
                upper: margin,
            },
            moves: Vec::new(),
            depth: 0,
            nodes: 0,
            table_hits: 0,
            hash_fullness: None,
            time: Duration::ZERO,
            line: Vec::new(),
            is_from_book: false,
            table_damage: None,
        }
    }

    /// Returns whether it is proven that no other move gains more than [`Self::best_move`]. The
    /// margin itself may still be open.
    pub fn is_best_move_proven(&self) -> bool {
        self.best_move
            .is_none_or(|mv| is_proven_best(&self.moves, mv))
    }

    /// Returns the move `mv`; `None` if it is not legal.
    pub fn move_report(&self, mv: Move) -> Option<&MoveReport> {
        self.moves.iter().find(|other| other.mv == mv)
    }

    /// Returns the proven bounds of a move; `None` if the move is not legal.
    pub fn bounds_of(&self, mv: Move) -> Option<Bounds> {
        self.move_report(mv).map(|report| report.bounds)
    }

    /// Returns all moves with their proven bounds.
    pub fn move_bounds(&self) -> Vec<(Move, Bounds)> {
        let moves = self.moves.iter();
        moves.map(|report| (report.mv, report.bounds)).collect()
    }

    /// Returns the margin at the end of the game for the player to move, with the play that the
    /// analysis expects. An estimate of the wrong parity is corrected as in
    /// [`Bounds::nearest_margin`].
    pub fn margin(&self) -> Margin {
        self.bounds.nearest_margin(self.raw_margin)
    }

    /// Returns the nodes searched in a second; 0 before any time has passed.
    pub fn nodes_per_second(&self) -> u64 {
        let nodes = u128::from(self.nodes) * NANOSECONDS_PER_SECOND;
        let rate = nodes.checked_div(self.time.as_nanos()).unwrap_or(0);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;

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
    /// Returns whether the bounds leave one margin only.
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// Returns the margin within the bounds to show for an estimate.
    ///
    /// The possible margins of a position are all odd or all even. An estimate of the wrong parity
    /// is moved by one seed towards a tie.
    pub fn nearest_margin(self, estimate: Margin) -> Margin {
        let estimate = estimate.clamp(self.lower, self.upper).seeds();
        if (estimate - self.lower.seeds()) % 2 == 0 {
            Margin::new(estimate)
        } else if estimate > 0 {
            Margin::new(estimate - 1)
        } else {
            Margin::new(estimate + 1)
        }
    }
}

/// Returns whether the bounds of all moves prove that none gains more than `mv`.
pub(crate) fn is_proven_best(moves: &[MoveReport], mv: Move) -> bool {
    let own = moves.iter().find(|other| other.mv == mv);
    own.is_some_and(|own| {
        let mut others = moves.iter().filter(|other| other.mv != mv);
        others.all(|other| other.bounds.upper <= own.bounds.lower)
    })
}
