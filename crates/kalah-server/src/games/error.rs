//! The error of every operation on a game, and its problem document.

use std::time::Duration;

use axum::http::StatusCode;

use crate::games::friend_game::CommandError;
use crate::games::messages::GameStateView;
use crate::games::store::error::StoreError;
use crate::http::error::ProblemResponse;

/// Why something is not done with a game.
#[derive(Debug)]
pub(crate) enum GameError {
    /// There is no such game.
    NotFound,
    /// The game does not allow it.
    Rejected {
        /// Why.
        reason: CommandError,
        /// How the game stands.
        state: Box<GameStateView>,
    },
    /// Too many look at the game.
    TooManyConnections,
    /// It cannot be kept or read.
    Store(StoreError),
    /// The task that did it has panicked.
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

/// Says so to the caller, and what is the server's own fault to the log.
impl From<GameError> for ProblemResponse {
    fn from(failure: GameError) -> Self {
        /// Somebody may have gone by then.
        const RETRY_DELAY: Duration = Duration::from_secs(30);
        match failure {
            GameError::NotFound => Self::new(
                StatusCode::NOT_FOUND,
                "there is no such game, or not any more",
            ),
            GameError::TooManyConnections => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many look at this game just now",
            )
            .with_retry_after(RETRY_DELAY),
            GameError::Rejected {
                reason: CommandError::InvalidMove(problem),
                ..
            } => problem.into(),
            GameError::Rejected {
                reason: refused,
                state,
            } => {
                let status = match refused {
                    CommandError::InvalidToken | CommandError::MissingToken => {
                        StatusCode::FORBIDDEN
                    }
                    _ => StatusCode::CONFLICT,
                };
                let problem = Self::new(status, refused.to_string());
                match (status, serde_json::to_value(state)) {
                    (StatusCode::CONFLICT, Ok(state)) => problem.with_state(state),
                    _ => problem,
                }
            }
            GameError::Store(StoreError::Closed) => Self::shutting_down(),
            GameError::Store(error) => {
                tracing::error!(%error, "games cannot be kept or read");
                Self::internal()
            }
            GameError::Panicked => Self::internal(),
        }
    }
}
