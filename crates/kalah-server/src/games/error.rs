//! The error of every operation on a game, and its problem document.

use std::time::Duration;

use axum::http::StatusCode;
use kalah_store::{GameId, StoreError};

use crate::games::friend_game::{CommandError, DamagedGameError};
use crate::games::messages::GameStateView;
use crate::http::error::ProblemResponse;

/// The error of an operation on a game.
#[derive(Debug)]
pub(crate) enum GameError {
    /// No game has this id.
    NotFound,
    /// The game rejects the command.
    Rejected {
        /// The reason.
        reason: CommandError,
        /// The current state of the game.
        state: Box<GameStateView>,
    },
    /// Too many connections to the game are open.
    TooManyConnections,
    /// The store failed.
    Store(StoreError),
    /// A stored game is invalid.
    Damaged {
        /// The id.
        id: GameId,
        /// The reason.
        reason: DamagedGameError,
    },
    /// The task of the operation panicked.
    Panicked,
}

impl From<StoreError> for GameError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::GameNotFound(_) => Self::NotFound,
            error => Self::Store(error),
        }
    }
}

/// Problem documents for clients. Errors of the server itself are logged.
impl From<GameError> for ProblemResponse {
    fn from(error: GameError) -> Self {
        /// A connection may have been closed by then.
        const RETRY_DELAY: Duration = Duration::from_secs(30);
        match error {
            GameError::NotFound => Self::new(
                StatusCode::NOT_FOUND,
                "no such game exists, or it was deleted",
            ),
            GameError::TooManyConnections => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many connections to this game are open",
            )
            .with_retry_after(RETRY_DELAY),
            GameError::Rejected {
                reason: CommandError::InvalidMove(problem),
                ..
            } => problem.into(),
            GameError::Rejected { reason, state } => {
                let status = match reason {
                    CommandError::InvalidToken | CommandError::MissingToken => {
                        StatusCode::FORBIDDEN
                    }
                    _ => StatusCode::CONFLICT,
                };
                let problem = Self::new(status, reason.to_string());
                match (status, serde_json::to_value(state)) {
                    (StatusCode::CONFLICT, Ok(state)) => problem.with_state(state),
                    _ => problem,
                }
            }
            GameError::Store(StoreError::Closed) => Self::shutting_down(),
            GameError::Store(error) => {
                tracing::error!(%error, "the store of games failed");
                Self::internal()
            }
            GameError::Damaged { id, reason } => {
                tracing::error!(%id, %reason, "a stored game is damaged");
                Self::internal()
            }
            GameError::Panicked => Self::internal(),
        }
    }
}
