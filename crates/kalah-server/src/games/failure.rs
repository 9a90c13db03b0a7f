use std::time::Duration;

use axum::http::StatusCode;

use crate::games::{Refused, StateView, StoreError};
use crate::problem::Problem;

/// Why something is not done with a game.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such game.
    NoGame,
    /// The game does not allow it.
    Refused {
        /// Why.
        refused: Refused,
        /// How the game stands.
        state: Box<StateView>,
    },
    /// Too many look at the game.
    Full,
    /// It cannot be kept or read.
    Store(StoreError),
    /// The task that did it has panicked.
    Panicked,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoGame(_) => Self::NoGame,
            error => Self::Store(error),
        }
    }
}

/// Says so to the caller, and what is the server's own fault to the log.
impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        /// Somebody may have gone by then.
        const LATER: Duration = Duration::from_secs(30);
        match failure {
            Failure::NoGame => Self::new(
                StatusCode::NOT_FOUND,
                "there is no such game, or not any more",
            ),
            Failure::Full => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many look at this game just now",
            )
            .retry_after(LATER),
            Failure::Refused {
                refused: Refused::Choice(problem),
                ..
            } => problem.into(),
            Failure::Refused { refused, state } => {
                let status = match refused {
                    Refused::Token | Refused::NoToken => StatusCode::FORBIDDEN,
                    _ => StatusCode::CONFLICT,
                };
                let problem = Self::new(status, refused.to_string());
                match (status, serde_json::to_value(state)) {
                    (StatusCode::CONFLICT, Ok(state)) => problem.with_state(state),
                    _ => problem,
                }
            }
            Failure::Store(StoreError::Closed) => Self::closing(),
            Failure::Store(error) => {
                tracing::error!(%error, "games cannot be kept or read");
                Self::internal()
            }
            Failure::Panicked => Self::internal(),
        }
    }
}
