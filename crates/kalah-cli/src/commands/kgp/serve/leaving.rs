use std::fmt;

use kalah::Termination;

/// Why a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// The client has said goodbye.
    Goodbye,
    /// It has hung up.
    HungUp,
    /// It breaks the protocol.
    Protocol,
    /// It has not said what it has come for.
    NoMode,
    /// It does not answer a ping.
    Silent,
    /// It does not read what it is told.
    Deaf,
    /// The server ends.
    Closing,
}

impl Leaving {
    /// How a game ends whose player has left so.
    pub(super) fn termination(self) -> Termination {
        match self {
            Self::Goodbye => Termination::Resign,
            Self::HungUp => Termination::Crash,
            Self::Protocol | Self::NoMode => Termination::Protocol,
            Self::Silent | Self::Deaf => Termination::Stall,
            Self::Closing => Termination::Unfinished,
        }
    }
}

impl fmt::Display for Leaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Goodbye => "it has said goodbye",
            Self::HungUp => "it has hung up",
            Self::Protocol => "it breaks the protocol",
            Self::NoMode => "it has not said what it has come for",
            Self::Silent => "it does not answer",
            Self::Deaf => "it does not read",
            Self::Closing => "the server ends",
        })
    }
}
