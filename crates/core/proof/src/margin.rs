//! The order of the goals that prove an exact margin.

use kalah::{Margin, Position};
use kalah_engine::Bounds;

use crate::goal::ProofGoal;

/// Proves the exact margin of a position goal by goal: whether the side to move reaches a target,
/// then a higher or a lower one.
#[derive(Clone, Debug)]
pub struct MarginProof {
    position: Position,
    lower: i32,
    upper: i32,
    /// The target to test next.
    test: i32,
}

/// The difference between two neighbouring margins of a position: all of them are even, or all odd.
pub(crate) const MARGIN_STEP: i32 = 2;

impl MarginProof {
    /// Creates the proof of the margin of `position`, which is expected to be about `estimate`.
    pub fn new(position: &Position, estimate: Margin) -> Self {
        let total = i32::from(position.total());
        let guess = estimate.seeds();
        let mut proof = Self {
            position: position.clone(),
            lower: -total,
            upper: total,
            test: guess - (guess - total).rem_euclid(MARGIN_STEP),
        };
        if let Some(outcome) = position.outcome() {
            let margin = outcome.margin(position.to_move()).seeds();
            (proof.lower, proof.upper) = (margin, margin);
        }
        proof
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The proven bounds of the margin for the side to move.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            lower: Margin::new(self.lower),
            upper: Margin::new(self.upper),
        }
    }

    /// Returns the next goal to decide; `None` once the margin is exact.
    pub fn next_goal(&self) -> Option<ProofGoal> {
        Some(ProofGoal::new(&self.position, self.target()?))
    }

    /// Returns the target of the next goal, for the side to move; `None` once the margin is exact.
    pub fn target(&self) -> Option<Margin> {
        self.next_target().map(Margin::new)
    }

    /// Returns the goals that give the bounds, with their answers: the highest target that is
    /// reached and the lowest that is not.
    pub(crate) fn answered_goals(&self) -> Vec<(ProofGoal, bool)> {
        let goal = |target| ProofGoal::new(&self.position, Margin::new(target));
        vec![
            (goal(self.lower), true),
            (goal(self.upper + MARGIN_STEP), false),
        ]
    }

    fn next_target(&self) -> Option<i32> {
        let is_open = self.lower < self.upper;
        is_open.then(|| self.test.clamp(self.lower + MARGIN_STEP, self.upper))
    }

    /// Narrows the bounds by the answer of the goal of [`MarginProof::next_goal`].
    pub fn answer(&mut self, answer: bool) {
        let Some(target) = self.next_target() else {
            return;
        };
        if answer {
            self.lower = target;
            self.test = target + MARGIN_STEP;
        } else {
            self.upper = target - MARGIN_STEP;
            self.test = self.upper;
        }
    }
}
