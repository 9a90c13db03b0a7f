//! The reasons why a client ends with an error.

use std::io;
use std::time::Duration;

use humantime::format_duration;
use thiserror::Error;

use crate::connection::KgpAddress;

/// The error of a client that cannot go on.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The server cannot be reached, or has closed the connection before its greeting.
    #[error("{server}: {reason}")]
    Connection {
        /// The server.
        server: KgpAddress,
        /// The reason.
        reason: io::Error,
    },
    /// Another kind of server may wait for a request.
    #[error(
        "{server}: the server has sent no greeting of the protocol in {}",
        format_duration(*.time)
    )]
    NoGreeting {
        /// The server.
        server: KgpAddress,
        /// The time.
        time: Duration,
    },
    /// The server speaks another version of the protocol.
    #[error("the server speaks KGP {major}, which is not supported")]
    UnsupportedVersion {
        /// The major number of the version.
        major: u32,
    },
    /// The engines of a search cannot be set up.
    #[error("{0}")]
    Engines(String),
    /// The log cannot be written.
    #[error("cannot write the log: {0}")]
    Log(io::Error),
    /// The report cannot be written.
    #[error("cannot write the report: {0}")]
    Report(io::Error),
}
