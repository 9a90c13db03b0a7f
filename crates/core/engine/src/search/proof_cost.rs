//! The expected work of new goals of proof-number search: a linear model of its logarithm.

use super::node::Child;
use crate::board::search_board::SearchBoard;
use crate::evaluation::Evaluator;

/// The number of features of a goal.
const FEATURES: usize = 12;

/// The weights of the features of a goal in the logarithms of its proof number and its disproof
/// number, in units of 1/64 of a doubling.
///
/// A goal is that the side to move in a position gains at least a target. The position is that
/// after a move of its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofCostModel {
    /// The weights of the work until the goal is proven, in the order of [`Self::FEATURE_NAMES`].
    pub proof: [i16; FEATURES],
    /// The weights of the work until the goal is disproven, in the same order.
    pub disproof: [i16; FEATURES],
}

/// The features of a goal, in the order of [`ProofCostModel::FEATURE_NAMES`].
pub(super) struct GoalFeatures([i16; FEATURES]);

impl ProofCostModel {
    /// The features. `own` is the side to move, `other` the opponent.
    pub const FEATURE_NAMES: [&str; FEATURES] = [
        // 1 for every goal.
        "constant",
        // Seeds in play above those of the positions that alpha-beta search proves.
        "seeds",
        // Occupied houses.
        "own-houses",
        "other-houses",
        // Houses whose last seed falls into the store.
        "own-bonus-turns",
        "other-bonus-turns",
        // 1 for a move that ends the turn, otherwise 0.
        "turn",
        // The number of seeds by which the estimated gain exceeds the target, or 0.
        "surplus",
        // The number of seeds by which the target exceeds the estimated gain, or 0.
        "deficit",
        // The greatest number of seeds that one sowing captures.
        "own-capture",
        "other-capture",
        // Seeds that the move to the position banks.
        "banked",
    ];

    /// The weights that searches use. docs/performance.md has the command that tunes them and the
    /// boards on which it did.
    pub const TUNED: Self = Self {
        proof: [12, 15, 14, -4, -50, 4, 27, -8, 4, -2, -2, -8],
        disproof: [0, 15, 36, -5, 29, -27, 27, 16, -8, 0, -6, 0],
    };

    /// Returns the expected logarithms of the proof number and of the disproof number.
    #[inline]
    pub(super) fn logarithms(&self, features: &GoalFeatures) -> [i32; 2] {
        [&self.proof, &self.disproof].map(|weights| {
            let terms = weights.iter().zip(features.0);
            terms
                .map(|(&weight, feature)| i32::from(weight) * i32::from(feature))
                .sum()
        })
    }
}

impl GoalFeatures {
    /// Returns the features of the goal that the side to move at `child` gains `target_gain`, with
    /// `seeds` seeds in play above those of the positions that alpha-beta search proves.
    #[inline]
    pub(super) fn new<H: SearchBoard>(
        child: &Child<H>,
        target_gain: i32,
        seeds: i32,
        evaluator: &Evaluator,
    ) -> Self {
        let board = &child.node.board;
        let [own_houses, other_houses] = board.occupied_counts();
        let [own_bonus_turns, other_bonus_turns] = board.bonus_turn_counts();
        let (gain, [own_capture, other_capture]) = evaluator.gain_and_captures(board);
        let features = [
            1,
            seeds,
            own_houses,
            other_houses,
            own_bonus_turns,
            other_bonus_turns,
            i32::from(!child.transform.same_player),
            (gain - target_gain).max(0),
            (target_gain - gain).max(0),
            own_capture.into(),
            other_capture.into(),
            child.transform.banked,
        ];
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 255 seeds are in play, and the estimated gain is a number of seeds"
        )]
        Self(features.map(|feature| feature as i16))
    }
}
