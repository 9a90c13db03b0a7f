//! The reasons why a client ends.

use std::io;

use kalah_players::{ParticipantFailure, escape_truncated};
use thiserror::Error;

use crate::address::RoomAddress;

/// The error of a client that cannot go on.
#[derive(Debug, Error)]
pub enum RoomClientError {
    /// The server cannot be reached.
    #[error("{address}: {reason}")]
    Connection {
        /// The room.
        address: RoomAddress,
        /// The reason.
        reason: io::Error,
    },
    /// The server refuses a request.
    #[error("{address}: {}", escape_truncated(detail))]
    Refused {
        /// The room.
        address: RoomAddress,
        /// The reason that the server has given.
        detail: String,
    },
    /// The leader has removed the program.
    #[error("the leader has removed the program from the room")]
    Removed,
    /// The server sends no messages of this protocol.
    #[error("{address}: the server sends something else than docs/rooms.md describes: {reason}")]
    Protocol {
        /// The room.
        address: RoomAddress,
        /// The reason.
        reason: String,
    },
    /// The player cannot be started, or this machine cannot run it. A game goes on without it.
    #[error("the player cannot run: {0}")]
    Player(ParticipantFailure),
    /// The report cannot be written.
    #[error("cannot write the report: {0}")]
    Report(io::Error),
}
