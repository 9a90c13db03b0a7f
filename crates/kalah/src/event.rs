use thiserror::Error;

use crate::{IllegalMove, MoveResult, Outcome, Side, Termination};

/// How a game ended, or was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In which way.
    pub termination: Termination,
    /// The side that won, as it sat at the end; `None` for a tie and for an unfinished game.
    pub winner: Option<Side>,
    /// The final stores, if the game was played to its end.
    pub outcome: Option<Outcome>,
}

/// What happened in a game, as the loop reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEvent {
    /// This side is about to be asked.
    ToMove(Side),
    /// Something was played.
    Played {
        /// By which side.
        side: Side,
        /// What it did; the position after it is the game's.
        result: MoveResult,
    },
    /// So many plies were taken back.
    Undone(usize),
    /// So many plies were made again.
    Redone(usize),
    /// An answer was refused, and the same side will be asked again unless the game has ended.
    Refused {
        /// Whose answer.
        side: Side,
        /// Why.
        reason: ActionError,
    },
    /// The game has ended.
    Ended(Ending),
}

/// Why an answer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The choice is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// No choice, while there is one.
    #[error("no choice was made, although there is one")]
    NoMove,
    /// No ply of a person to take back.
    #[error("there is nothing to take back")]
    NothingToUndo,
    /// Nothing was taken back, or something was played since.
    #[error("there is nothing to make again")]
    NothingToRedo,
    /// The game has ended already.
    #[error("the game has ended")]
    Ended,
}
