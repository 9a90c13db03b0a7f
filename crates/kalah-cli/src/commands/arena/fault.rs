use std::time::Duration;

use kalah::{IllegalMove, Position, Side};
use kalah_arena::GameEnd;

use crate::shown::escape_truncated;

/// Why a player has given no choice that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParticipantFailure {
    /// Nobody's fault: the game is broken off.
    Aborted,
    /// What it chose is against the rules.
    IllegalMove { answer: String, reason: String },
    /// Its program ended.
    Crash { status: String, stderr_tail: String },
    /// It did not answer.
    Stall { waited: Duration },
    /// It does not speak as it should.
    ProtocolError(String),
}

impl ParticipantFailure {
    pub(super) fn illegal_move(answer: impl Into<String>, reason: IllegalMove) -> Self {
        Self::IllegalMove {
            answer: answer.into(),
            reason: reason.to_string(),
        }
    }

    /// Of an answer whose `number` is one, but not that of any house.
    pub(super) fn invalid_house(answer: &str, number: &str) -> Option<Self> {
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self::IllegalMove {
            answer: escape_truncated(answer.trim()),
            reason: "there is no such house".to_owned(),
        })
    }

    /// How a game ends in which `by` did this; `None` if it does not end.
    pub(super) fn into_game_end(self, by: Side, position: &Position) -> Option<GameEnd> {
        Some(match self {
            Self::Aborted => return None,
            Self::IllegalMove { answer, reason } => GameEnd::IllegalMove {
                by,
                answer,
                reason,
                position: position.to_string(),
            },
            Self::Crash {
                status,
                stderr_tail: last_words,
            } => GameEnd::Crash {
                by,
                status,
                stderr_tail: last_words,
            },
            Self::Stall { waited } => GameEnd::Stall {
                by,
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            },
            Self::ProtocolError(message) => GameEnd::ProtocolError { by, message },
        })
    }

    /// What it was, for people who do not watch a game.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Aborted => "it was broken off".to_owned(),
            Self::IllegalMove { answer, reason } => format!("illegal move `{answer}`: {reason}"),
            Self::Crash {
                status,
                stderr_tail: last_words,
            } if last_words.is_empty() => status.clone(),
            Self::Crash {
                status,
                stderr_tail: last_words,
            } => format!("{status}; its last words: {last_words}"),
            Self::Stall { waited } => format!("no answer for {} s", waited.as_secs()),
            Self::ProtocolError(message) => message.clone(),
        }
    }
}
