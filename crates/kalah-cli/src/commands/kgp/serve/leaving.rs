use std::fmt;

use kalah::Termination;

/// Why a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disconnect {
    /// The client has said goodbye.
    Goodbye,
    /// It has hung up.
    HungUp,
    /// It breaks the protocol.
    ProtocolViolation,
    /// It has not said what it has come for.
    NoMode,
    /// It does not answer a ping.
    PingTimeout,
    /// It does not read what it is told.
    SlowReader,
    /// The server ends.
    ServerShutdown,
}

impl Disconnect {
    /// How a game ends whose player has left so.
    pub(super) fn termination(self) -> Termination {
        match self {
            Self::Goodbye => Termination::Resign,
            Self::HungUp => Termination::Crash,
            Self::ProtocolViolation | Self::NoMode => Termination::Protocol,
            Self::PingTimeout | Self::SlowReader => Termination::Stall,
            Self::ServerShutdown => Termination::Unfinished,
        }
    }
}

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Goodbye => "it has said goodbye",
            Self::HungUp => "it has hung up",
            Self::ProtocolViolation => "it breaks the protocol",
            Self::NoMode => "it has not said what it has come for",
            Self::PingTimeout => "it does not answer",
            Self::SlowReader => "it does not read",
            Self::ServerShutdown => "the server ends",
        })
    }
}
