//! Why a contestant has given no legal move.

use std::time::Duration;

use kalah::IllegalMove;

use crate::escape::escape_truncated;

/// Why a contestant has given no legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParticipantFailure {
    /// The game was aborted by a [`Shutdown`](crate::Shutdown).
    Aborted,
    /// The move is against the rules.
    IllegalMove {
        /// The answer, as the contestant gave it.
        answer: String,
        /// The rule that it breaks.
        reason: String,
    },
    /// The process exited.
    Crash {
        /// Its exit status or signal.
        status: String,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// No answer came within the time limit and the grace period.
    Stall {
        /// The time waited.
        waited: Duration,
    },
    /// The answer is no message of the protocol; the text says why.
    ProtocolError(String),
}

impl ParticipantFailure {
    /// Returns the failure of a contestant whose move `answer` the rules refuse.
    pub fn illegal_move(answer: impl Into<String>, reason: IllegalMove) -> Self {
        Self::IllegalMove {
            answer: answer.into(),
            reason: reason.to_string(),
        }
    }

    /// Returns the failure of an `answer` whose `number` is a number, but not that of a house; `None` if it is
    /// no number.
    pub fn invalid_house(answer: &str, number: &str) -> Option<Self> {
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self::IllegalMove {
            answer: escape_truncated(answer.trim()),
            reason: "there is no such house".to_owned(),
        })
    }

    /// Describes the failure outside of a game.
    pub fn description(&self) -> String {
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
