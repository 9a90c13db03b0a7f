use std::time::Duration;

use kalah::{IllegalMove, Position, Side};
use kalah_arena::GameEnd;

use crate::shown::shown;

/// Why a player has given no choice that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nobody's fault: the game is broken off.
    BrokenOff,
    /// What it chose is against the rules.
    Illegal { answer: String, reason: String },
    /// Its program ended.
    Crash { status: String, last_words: String },
    /// It did not answer.
    Stall { waited: Duration },
    /// It does not speak as it should.
    Protocol(String),
}

impl Fault {
    pub(super) fn illegal(answer: impl Into<String>, reason: IllegalMove) -> Self {
        Self::Illegal {
            answer: answer.into(),
            reason: reason.to_string(),
        }
    }

    /// Of an answer whose `number` is one, but not that of any house.
    pub(super) fn no_house(answer: &str, number: &str) -> Option<Self> {
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self::Illegal {
            answer: shown(answer.trim()),
            reason: "there is no such house".to_owned(),
        })
    }

    /// How a game ends in which `by` did this; `None` if it does not end.
    pub(super) fn end(self, by: Side, position: &Position) -> Option<GameEnd> {
        Some(match self {
            Self::BrokenOff => return None,
            Self::Illegal { answer, reason } => GameEnd::IllegalMove {
                by,
                answer,
                reason,
                position: position.to_string(),
            },
            Self::Crash { status, last_words } => GameEnd::Crash {
                by,
                status,
                last_words,
            },
            Self::Stall { waited } => GameEnd::Stall {
                by,
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            },
            Self::Protocol(message) => GameEnd::ProtocolError { by, message },
        })
    }

    /// What it was, for people who do not watch a game.
    pub(super) fn told(&self) -> String {
        match self {
            Self::BrokenOff => "it was broken off".to_owned(),
            Self::Illegal { answer, reason } => format!("illegal move `{answer}`: {reason}"),
            Self::Crash { status, last_words } if last_words.is_empty() => status.clone(),
            Self::Crash { status, last_words } => format!("{status}; its last words: {last_words}"),
            Self::Stall { waited } => format!("no answer for {} s", waited.as_secs()),
            Self::Protocol(message) => message.clone(),
        }
    }
}
