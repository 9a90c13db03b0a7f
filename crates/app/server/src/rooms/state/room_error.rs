//! The reasons why a room rejects a command, and the errors of operations on rooms.

use axum::http::StatusCode;
use kalah::Quoted;
use kalah_api::ProblemKind;
use kalah_store::{GameId, GameStoreError, RoomCode};
use thiserror::Error;

use crate::games::messages::GameError;
use crate::http::error::ProblemResponse;

/// The reason why a room rejects a command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum RoomCommandError {
    /// The token belongs neither to the leader nor to a member.
    #[error("the token is not of this room")]
    InvalidToken,
    /// The command needs a token.
    #[error("only the leader and the members of this room may do this: the request has no token")]
    MissingToken,
    /// The leader has removed the member.
    #[error("the leader has removed you from this room")]
    Removed,
    /// The token of the leader is not that of a member.
    #[error("this is the token of the leader: enter with another one")]
    LeaderToken,
    /// The code of the leader is wrong, was used, or is too old.
    #[error("the code of the leader is wrong, was used before, or is too old")]
    InvalidCode,
    /// The command is for the leader.
    #[error("only the leader of this room may do this")]
    OnlyLeader,
    /// The command is for members.
    #[error("only a member of this room may do this: enter first")]
    OnlyMember,
    /// The room is closed.
    #[error("this room is closed")]
    Closed,
    /// The leader has paused all games.
    #[error("the leader has paused this room")]
    Paused,
    /// The room has the most members.
    #[error("this room has {maximum} members, the maximum")]
    Full {
        /// The maximum.
        maximum: usize,
    },
    /// Too many members entered from one address.
    #[error("{maximum} members entered this room from your address, the maximum")]
    AddressFull {
        /// The maximum.
        maximum: usize,
    },
    /// Another member has the name.
    #[error("another member of this room is called {}", Quoted::literal(.0))]
    NameTaken(String),
    /// No member has the number.
    #[error("this room has no member {0}")]
    NoMember(u32),
    /// The member has left.
    #[error("member {0} has left this room")]
    NotActive(u32),
    /// The member plays a game.
    #[error("member {0} plays another game in this room")]
    Playing(u32),
    /// No game of the room has the id.
    #[error("this room has no game {0}")]
    NoGame(GameId),
    /// The room has no rounds.
    #[error("this room has no rounds: its members challenge each other")]
    NoRounds,
    /// The room has no challenges.
    #[error("this room has no challenges: its leader starts rounds")]
    NoChallenges,
    /// The challenge does not exist, or is for another member.
    #[error("this challenge does not exist any more")]
    NoChallenge,
    /// A member cannot challenge itself.
    #[error("you cannot challenge yourself")]
    OwnChallenge,
    /// A challenge on a ladder names its opponent.
    #[error("a challenge on a ladder needs a member")]
    OpenChallengeOnLadder,
    /// The challenged member is too far up, or below.
    #[error("on this ladder you may challenge only members a few places above you")]
    LadderDistance,
    /// Games of the round have not ended.
    #[error("games of this round have not ended")]
    RunningGames,
    /// A round needs two members.
    #[error("a round needs at least two members")]
    TooFewMembers,
    /// All members have met each other.
    #[error("all members have met each other")]
    AllMet,
}

/// The error of an operation on a room.
#[derive(Debug)]
pub(crate) enum RoomError {
    /// No room has this code.
    NotFound(RoomCode),
    /// The room rejects the command.
    Rejected(RoomCommandError),
    /// A game of the room rejects its part.
    Game(GameError),
    /// The store failed.
    Store(GameStoreError),
    /// The stored room is invalid.
    Damaged(RoomCode, kalah_api::RequestError),
    /// The server has the most rooms.
    TooManyRooms {
        /// The maximum.
        maximum: usize,
    },
    /// The task of the operation panicked.
    Panicked,
}

impl From<RoomCommandError> for RoomError {
    fn from(error: RoomCommandError) -> Self {
        Self::Rejected(error)
    }
}

impl From<GameStoreError> for RoomError {
    fn from(error: GameStoreError) -> Self {
        match error {
            GameStoreError::RoomNotFound(code) => Self::NotFound(code),
            error => Self::Store(error),
        }
    }
}

impl From<GameError> for RoomError {
    fn from(error: GameError) -> Self {
        Self::Game(error)
    }
}

impl From<RoomCommandError> for ProblemResponse {
    fn from(error: RoomCommandError) -> Self {
        use RoomCommandError as Reason;
        let status = match error {
            Reason::InvalidToken
            | Reason::MissingToken
            | Reason::Removed
            | Reason::LeaderToken
            | Reason::InvalidCode
            | Reason::OnlyLeader
            | Reason::OnlyMember => StatusCode::FORBIDDEN,
            Reason::AddressFull { .. } => StatusCode::TOO_MANY_REQUESTS,
            Reason::NoMember(_) | Reason::NoGame(_) => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        let problem = Self::new(status, error.to_string());
        match error {
            Reason::NameTaken(_) => problem.with_kind(ProblemKind::NameTaken),
            Reason::Removed => problem.with_kind(ProblemKind::MemberRemoved),
            _ => problem,
        }
    }
}

/// Problem documents for clients. Errors of the server itself are logged.
impl From<RoomError> for ProblemResponse {
    fn from(error: RoomError) -> Self {
        match error {
            RoomError::NotFound(code) => Self::new(
                StatusCode::NOT_FOUND,
                format!("there is no room `{code}`, or it was deleted"),
            ),
            RoomError::Rejected(reason) => reason.into(),
            RoomError::Game(error) => error.into(),
            RoomError::Store(GameStoreError::Closed) => Self::shutting_down(),
            RoomError::Store(error) => {
                tracing::error!(%error, "the store of games failed");
                Self::internal()
            }
            RoomError::Damaged(code, reason) => {
                tracing::error!(%code, %reason, "a stored room is damaged");
                Self::internal()
            }
            RoomError::TooManyRooms { maximum } => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("this server has {maximum} rooms, the maximum"),
            ),
            RoomError::Panicked => Self::internal(),
        }
    }
}
