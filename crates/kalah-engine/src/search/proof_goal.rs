//! Goals of a proof and the children through which they are reached.

use kalah::Move;

use super::node::{Child, GAIN_STEP, Node, sown_house};
use super::proof_numbers::ProofNumbers;
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::tt::proof::ProofKey;
use crate::tt::transposition::{Depth, TtEntry};

/// A child of a proof node and the goal to prove there.
pub(super) struct ProofChild<H> {
    pub(super) child: Child<H>,
    /// The gain to prove or disprove, in the child's terms.
    pub(super) target_gain: i32,
    /// The child's key in the transposition table, if the child is stored there.
    pub(super) key: Option<PositionKey>,
    /// Whether the child is searched by alpha-beta.
    pub(super) is_leaf: bool,
    /// The proof numbers of the child's goal in the parent's terms.
    pub(super) numbers: ProofNumbers,
}

/// The goal to prove that the side to move at a node gains at least `target_gain`.
pub(super) struct ProofGoal<'s, H> {
    pub(super) node: &'s Node<H>,
    pub(super) target_gain: i32,
}

impl<H: SearchBoard> ProofChild<H> {
    pub(super) fn goal(&self) -> ProofGoal<'_, H> {
        ProofGoal {
            node: &self.child.node,
            target_gain: self.target_gain,
        }
    }

    /// Sets the numbers, given in the child's terms.
    #[inline]
    pub(super) fn update(&mut self, numbers: ProofNumbers) {
        self.numbers = self.flip_perspective(numbers);
    }

    /// Converts proof numbers between the child's terms and the parent's, in either direction.
    #[inline]
    pub(super) fn flip_perspective(&self, numbers: ProofNumbers) -> ProofNumbers {
        if self.child.transform.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }
}

impl<H> Clone for ProofGoal<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for ProofGoal<'_, H> {}

impl<H: SearchBoard> ProofGoal<'_, H> {
    /// Returns the key of the goal in the table of proof numbers.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255"
    )]
    pub(super) fn proof_key(self, key: PositionKey) -> ProofKey {
        // A gain is the mover's share of the seeds in play less the opponent's.
        let seeds = i32::midpoint(self.target_gain, self.node.in_play);
        ProofKey {
            key,
            target_seeds: seeds as u8,
        }
    }

    /// Returns the entry of a solved goal for the transposition table; `best_move` is the move that
    /// proves it.
    pub(super) fn tt_entry(self, is_proven: bool, best_move: Option<Move>) -> TtEntry {
        let unknown = TtEntry::unknown(self.node.in_play);
        TtEntry {
            lower: if is_proven {
                self.target_gain
            } else {
                unknown.lower
            },
            upper: if is_proven {
                unknown.upper
            } else {
                self.target_gain - GAIN_STEP
            },
            depth: Depth::PROVEN,
            best_house: sown_house(best_move),
        }
    }
}
