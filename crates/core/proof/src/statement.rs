//! The statement of a proof.

use std::time::Duration;

use kalah::{Margin, Move, Position};
use kalah_engine::{Bounds, Engine, Limits};

use crate::margin::MarginProof;

/// The statement of a proof: what it proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofStatement {
    /// The position.
    pub position: Position,
    /// Whether the margins of all moves are proven, and not only that of the best one.
    pub all_moves: bool,
    /// The margin that the first goals are chosen by.
    pub estimate: Margin,
}

/// The nodes of the analysis for the first estimate of a margin.
const ESTIMATE_NODES: u64 = 200_000;

/// Returns an estimate of the margin of a position for [`ProofStatement::estimate`].
pub fn estimate_margin(position: &Position, engine: &mut Engine) -> Margin {
    let limits = Limits {
        nodes: Some(ESTIMATE_NODES),
        ..Limits::default()
    };
    let report = engine.analyze(position, limits, &|| Duration::ZERO);
    report.margin()
}

impl ProofStatement {
    /// Returns the proof of the margin of the position after each move, in the order of
    /// [`Position::legal_moves`]. No move reaches more than `best`.
    pub(crate) fn proofs_of_moves(&self, best: Margin) -> Vec<MarginProof> {
        let proof_of = |mv| {
            let after = self.position_after(mv);
            let is_same_player = self.is_same_player(mv);
            MarginProof::new(&after, if is_same_player { best } else { -best })
        };
        self.position.legal_moves().map(proof_of).collect()
    }

    /// Returns the position after a legal move.
    pub(crate) fn position_after(&self, mv: Move) -> Position {
        let mut after = self.position.clone();
        after.play(mv).expect("the move is legal");
        after
    }

    /// Returns whether the player to move in the position also moves after `mv`. After a swap the
    /// other player moves, on the same side.
    pub(crate) fn is_same_player(&self, mv: Move) -> bool {
        self.position_after(mv).to_move() == self.position.to_move() && mv != Move::Swap
    }

    /// Converts the bounds of the position after a move into those of the move.
    pub(crate) fn bounds_of_move(&self, mv: Move, bounds: Bounds) -> Bounds {
        if self.is_same_player(mv) {
            bounds
        } else {
            Bounds {
                lower: -bounds.upper,
                upper: -bounds.lower,
            }
        }
    }
}
