//! The ways in which a contestant fails to give a legal move.

use std::time::Duration;

use kalah::{IllegalMove, Quoted};

/// The reason why a contestant has given no legal move.
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
    /// The process cannot be started, has exited, or has closed its output.
    Crash {
        /// The exit status or signal, the error of the start, or "it closed its output".
        status: String,
        /// The end of its standard error; empty if it cannot be started.
        stderr_tail: String,
    },
    /// No answer came before the timeout, which is longer than the time limit and the grace period.
    Stall {
        /// The time waited.
        waited: Duration,
    },
    /// The answer is not a message of the protocol, a line of it is too long or not UTF-8, or the
    /// process is not running; the text is the error.
    ProtocolError(String),
}

impl ParticipantFailure {
    /// Returns the failure of a program that is asked for a move without having been started.
    pub fn not_running() -> Self {
        Self::ProtocolError("it is not running".to_owned())
    }

    /// Returns the failure of a contestant whose move `answer` is against the rules.
    pub fn illegal_move(answer: impl Into<String>, reason: IllegalMove) -> Self {
        Self::IllegalMove {
            answer: answer.into(),
            reason: reason.to_string(),
        }
    }

    /// Returns the failure of an `answer` whose `number` is a decimal number, but not that of a
    /// house; `None` if it is not a number.
    pub fn invalid_house(answer: &str, number: &str) -> Option<Self> {
        let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self::IllegalMove {
            answer: Quoted::new(answer.trim()).as_str().to_owned(),
            reason: "there is no such house".to_owned(),
        })
    }

    /// Describes the failure outside of a game.
    pub fn description(&self) -> String {
        match self {
            Self::Aborted => "it was aborted".to_owned(),
            Self::IllegalMove { answer, reason } => format!("illegal move `{answer}`: {reason}"),
            Self::Crash {
                status,
                stderr_tail,
            } if stderr_tail.is_empty() => status.clone(),
            Self::Crash {
                status,
                stderr_tail,
            } => format!("{status}; the end of its standard error: {stderr_tail}"),
            Self::Stall { waited } => format!("no answer for {} s", waited.as_secs()),
            Self::ProtocolError(message) => message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_house_quotes_the_answer_if_it_has_a_number() {
        for (answer, number, quoted) in [
            ("9", "9", Some("9")),
            (" MOVE;-1 ", "-1", Some("MOVE;-1")),
            ("MOVE;+99", "+99", Some("MOVE;+99")),
            ("MOVE;6\r", "6\r", None),
            ("one", "one", None),
            ("-", "-", None),
            ("", "", None),
        ] {
            let expected = quoted.map(|answer| ParticipantFailure::IllegalMove {
                answer: answer.to_owned(),
                reason: "there is no such house".to_owned(),
            });
            let failure = ParticipantFailure::invalid_house(answer, number);
            assert_eq!(failure, expected, "{answer:?}");
        }
    }
}
