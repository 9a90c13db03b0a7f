//! The process of a contestant, and the ways in which a contestant fails.

use std::time::{Duration, Instant};

use kalah::{IllegalMove, Quoted};

use crate::process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};

/// The reason why a contestant has given no legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParticipantFailure {
    /// The game was aborted by a [`Shutdown`].
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
    /// The answer is not a message of the protocol; the text is the error.
    ProtocolError(String),
}

impl ParticipantFailure {
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
        let digits = number.strip_prefix('-').unwrap_or(number);
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

/// The running program of a contestant.
pub(super) struct EngineProcess {
    process: ChildProcess,
}

/// The time for a program to exit after a request to quit or the end of its output.
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

    /// Sends `message` as one line.
    pub(super) fn send(&self, message: &impl ToString) {
        self.process.send_line(&message.to_string());
    }

    pub(super) fn close_input(&mut self) {
        self.process.close_input();
    }

    /// Returns the next line of the program.
    ///
    /// # Errors
    /// Returns the failure of a program that writes no line within `timeout` after `start`.
    pub(super) fn read_line(
        &mut self,
        start: Instant,
        timeout: Duration,
    ) -> Result<String, ParticipantFailure> {
        let left = timeout.saturating_sub(start.elapsed());
        match self.process.receive_line(left) {
            Ok(line) => Ok(line),
            Err(ReadLineError::Interrupted) => Err(ParticipantFailure::Aborted),
            Err(ReadLineError::Timeout) => Err(ParticipantFailure::Stall {
                waited: start.elapsed(),
            }),
            Err(ReadLineError::Closed) => Err(self.crash_failure()),
            Err(ReadLineError::TooLong) => Err(ParticipantFailure::ProtocolError(
                "a line that is too long".to_owned(),
            )),
            Err(ReadLineError::NotUtf8) => Err(ParticipantFailure::ProtocolError(
                "a line that is not UTF-8".to_owned(),
            )),
        }
    }

    /// Ends the process, and returns its exit status and the end of its standard error.
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

    /// Closes the input of the program, waits [`EXIT_TIMEOUT`] for its exit, and kills it.
    pub(super) fn terminate(mut self) {
        self.close_input();
        self.process.wait_or_kill(EXIT_TIMEOUT);
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
