//! Goals of a proof and the children that they lead to.

use kalah::Move;

use super::node::{Child, GAIN_STEP, Node, sown_house};
use super::proof_numbers::ProofNumbers;
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::tt::proof::ProofKey;
use crate::tt::transposition::{Depth, TtEntry};

/// A choice in a position about which there is a question, and the question that it leads to.
pub(super) struct ProofChild<H> {
    pub(super) child: Child<H>,
    /// The gain that is wanted there, in the child's terms.
    pub(super) target_gain: i32,
    /// What the child is remembered by, if it is.
    pub(super) key: Option<PositionKey>,
    /// Whether the question is left to alpha-beta search.
    pub(super) is_leaf: bool,
    /// How far the parent is from its answer by this choice.
    pub(super) numbers: ProofNumbers,
}

/// The question whether the side to move in a position gains as much as is wanted.
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

    /// Takes in the numbers of the question that it raises.
    #[inline]
    pub(super) fn update(&mut self, found: ProofNumbers) {
        self.numbers = self.flip_perspective(found);
    }

    /// The numbers of the parent's question as those of the child's, or the other way round.
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
    /// What it is remembered by before there is an answer.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255"
    )]
    pub(super) fn proof_key(self, key: PositionKey) -> ProofKey {
        // A gain is what the side to move gets of the seeds in play, less what the other one gets.
        let seeds = i32::midpoint(self.target_gain, self.node.in_play);
        ProofKey {
            key,
            target_seeds: seeds as u8,
        }
    }

    /// What is to be remembered of the answer, and of the choice that it rests on.
    pub(super) fn tt_entry(self, yes: bool, choice: Option<Move>) -> TtEntry {
        let unknown = TtEntry::unknown(self.node.in_play);
        TtEntry {
            lower: if yes { self.target_gain } else { unknown.lower },
            upper: if yes {
                unknown.upper
            } else {
                self.target_gain - GAIN_STEP
            },
            depth: Depth::PROVEN,
            best_house: sown_house(choice),
        }
    }
}
