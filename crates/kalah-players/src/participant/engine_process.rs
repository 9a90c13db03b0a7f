//! The process of a contestant, and the ways in which a contestant fails.

use crate::untrusted_text::escape_truncated;
use crate::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
use kalah::IllegalMove;
use std::time::{Duration, Instant};

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

/// A contestant's program while it runs.
pub(super) struct EngineProcess {
    process: ChildProcess,
}

/// The time that a program has to go after it was told to, or has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

impl EngineProcess {
    pub(super) fn start(command: &str, shutdown: &Shutdown) -> Result<Self, ParticipantFailure> {
        let process =
            ChildProcess::start(command, shutdown).map_err(|error| ParticipantFailure::Crash {
                status: format!("it cannot be started: {error}"),
                stderr_tail: String::new(),
            })?;
        Ok(Self { process })
    }

    pub(super) fn send(&self, message: &impl ToString) {
        self.process.send_line(&message.to_string());
    }

    pub(super) fn close_input(&mut self) {
        self.process.close_input();
    }

    /// The next line that it writes; it has until `patience` after `asked`.
    pub(super) fn read_line(
        &mut self,
        asked: Instant,
        patience: Duration,
    ) -> Result<String, ParticipantFailure> {
        let left = patience.saturating_sub(asked.elapsed());
        match self.process.receive_line(left) {
            Ok(line) => Ok(line),
            Err(ReadLineError::Interrupted) => Err(ParticipantFailure::Aborted),
            Err(ReadLineError::Timeout) => Err(ParticipantFailure::Stall {
                waited: asked.elapsed(),
            }),
            Err(ReadLineError::Closed) => Err(self.crash_failure()),
            Err(ReadLineError::TooLong) => Err(ParticipantFailure::ProtocolError(
                "a line that is too long".to_owned(),
            )),
            Err(ReadLineError::NotUtf8) => Err(ParticipantFailure::ProtocolError(
                "a line that is no text".to_owned(),
            )),
        }
    }

    /// How it went.
    fn crash_failure(&mut self) -> ParticipantFailure {
        let status = match self.process.wait_or_kill(EXIT_TIMEOUT) {
            ProcessExit::Exited(status) => status.to_string(),
            ProcessExit::Killed => "it closed its output".to_owned(),
        };
        ParticipantFailure::Crash {
            status,
            stderr_tail: self.process.stderr_tail(),
        }
    }

    /// Waits a little for its end, and ends it.
    pub(super) fn terminate(mut self) {
        self.close_input();
        self.process.wait_or_kill(EXIT_TIMEOUT);
    }
}
