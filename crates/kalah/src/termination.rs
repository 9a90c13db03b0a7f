use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The way in which a game came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By the rules: everything is swept.
    Normal,
    /// Somebody decided it before the end.
    Adjudicated,
    /// A player resigned.
    Resign,
    /// A player answered what the rules forbid.
    Illegal,
    /// A player was out of time.
    Time,
    /// A player's program ended by itself.
    Crash,
    /// A player's program stopped answering.
    Stall,
    /// A player's program broke the protocol.
    Protocol,
    /// It has not ended.
    Unfinished,
}

impl Termination {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Normal,
        Self::Adjudicated,
        Self::Resign,
        Self::Illegal,
        Self::Time,
        Self::Crash,
        Self::Stall,
        Self::Protocol,
        Self::Unfinished,
    ];

    /// The word in a record's `Termination` tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Adjudicated => "adjudicated",
            Self::Resign => "resign",
            Self::Illegal => "illegal",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Protocol => "protocol",
            Self::Unfinished => "unfinished",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no [`Termination`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is none of normal, adjudicated, resign, illegal, time, crash, stall, protocol, unfinished"
)]
pub struct ParseTerminationError(pub String);

impl FromStr for Termination {
    type Err = ParseTerminationError;

    fn from_str(word: &str) -> Result<Self, ParseTerminationError> {
        Self::ALL
            .into_iter()
            .find(|termination| termination.as_str() == word)
            .ok_or_else(|| ParseTerminationError(word.to_owned()))
    }
}
