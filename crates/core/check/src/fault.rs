//! Faults of a proof.

use std::fmt;

use kalah::{Margin, Move, Side};
use thiserror::Error;

use crate::certificate::MarginBounds;
use crate::goal::Goal;

/// A part of a certificate that is wrong, or that does not follow from its other parts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A goal.
    #[error("the goal {} of '{}' {}: {fault}", Margin::new(goal.target()), goal.position(), AnswerText(*answer))]
    Goal {
        /// The goal.
        goal: Goal,
        /// Its answer in the certificate.
        answer: Option<bool>,
        /// The fault.
        fault: GoalFault,
    },
    /// A margin that the certificate states.
    #[error("the margin{} is stated as {stated}, and the goals prove {derived}", WithMove(*mv))]
    Claim {
        /// The move whose margin it is; `None` for the position.
        mv: Option<Move>,
        /// The stated bounds.
        stated: MarginBounds,
        /// The bounds that follow from the goals.
        derived: MarginBounds,
    },
    /// The certificate states the margins of some moves, and this move is missing.
    #[error("no margin is stated for the move {}", mv.text(Side::South))]
    MissingMove {
        /// The move.
        mv: Move,
    },
    /// The certificate states the margin of a move twice.
    #[error("a margin is stated twice for the move {}", mv.text(Side::South))]
    RepeatedMove {
        /// The move.
        mv: Move,
    },
    /// The certificate states the margin of a move that is not legal.
    #[error("a margin is stated for the move {}, which is not legal", mv.text(Side::South))]
    IllegalMove {
        /// The move.
        mv: Move,
    },
}

/// The fault of a goal. Moves are named as those of South.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GoalFault {
    /// The answer contradicts the range of the seeds in play.
    #[error("the seeds in play give the opposite answer")]
    Trivial,
    /// Another goal of the position has the opposite answer.
    #[error("the goal {} of the same position has the opposite answer", Margin::new(*_0))]
    OtherTarget(i32),
    /// The goal after a move is missing.
    #[error("the goal after its move {} is missing", .0.text(Side::South))]
    MissingChild(Move),
    /// A move reaches the target.
    #[error("its move {} reaches the target", .0.text(Side::South))]
    MoveReaches(Move),
    /// No move reaches the target.
    #[error("none of its moves reaches the target")]
    NoMoveReaches,
    /// The answer does not follow from the goals of the moves.
    #[error("it does not follow from its moves: no earlier goal has the answer after the move {}", .0.text(Side::South))]
    DoesNotFollow(Move),
    /// The search of the checker has another answer.
    #[error("a search gives the opposite answer")]
    Search,
}

impl Fault {
    pub(crate) fn new(goal: &Goal, answer: Option<bool>, fault: GoalFault) -> Self {
        Self::Goal {
            goal: goal.clone(),
            answer,
            fault,
        }
    }
}

/// The text of an answer in a message.
struct AnswerText(Option<bool>);

impl fmt::Display for AnswerText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(true) => "has the answer yes",
            Some(false) => "has the answer no",
            None => "is open",
        })
    }
}

/// The text of a move in a message about a margin.
struct WithMove(Option<Move>);

impl fmt::Display for WithMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(mv) => write!(f, " of {}", mv.text(Side::South)),
            None => Ok(()),
        }
    }
}
