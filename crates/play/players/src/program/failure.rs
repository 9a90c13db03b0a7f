//! The ways in which a contestant fails to give a legal move.

use std::time::Duration;

use kalah::{IllegalMove, Quoted};
use thiserror::Error;

use super::limits::ProgramLimits;

/// The reason why a contestant has given no legal move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParticipantFailure {
    /// The game was aborted by a [`Shutdown`](crate::Shutdown).
    #[error("the game was aborted")]
    Aborted,
    /// The host cannot start the process, for example because too many files are open. It is no
    /// fault of the contestant; the text is the error of the system.
    #[error("this machine cannot run the player: {0}")]
    HostFault(String),
    /// The move is against the rules.
    #[error("it answered {}: {reason}", Quoted::literal(answer))]
    IllegalMove {
        /// The answer, as the contestant gave it.
        answer: String,
        /// The rule that it breaks.
        reason: String,
    },
    /// The process has exited, or has closed its output.
    #[error("it ended: {status}")]
    Crash {
        /// The exit status or signal, or "it closed its output".
        status: String,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// No answer came before the timeout, which is longer than the time limit and the grace period.
    #[error("it gave no answer in {} s", .waited.as_secs_f64())]
    Stall {
        /// The time waited.
        waited: Duration,
        /// Whether the process has written a line since its start.
        has_written: bool,
    },
    /// The answer is not a message of the protocol, a line of it is too long, or the process is not
    /// running; the text is the error.
    #[error("{0}")]
    ProtocolError(String),
}

/// The texts in which C libraries, and with them shells and interpreters, report that the system
/// has run out of something: EMFILE, ENFILE, EAGAIN, ENOMEM, ENOSPC and EDQUOT, and a shell that
/// cannot start a process.
const RESOURCE_ERRORS: [&str; 7] = [
    "Too many open files",
    "Resource temporarily unavailable",
    "Cannot allocate memory",
    "No space left on device",
    "Disk quota exceeded",
    "Cannot fork",
    "cannot fork",
];

/// The question to the author of a program that has written nothing: output to a pipe is buffered
/// in most languages.
pub const FLUSH_HINT: &str = "does it flush its output?";

impl ParticipantFailure {
    /// Returns the failure of a program that is asked for a move without having been started.
    pub fn not_running() -> Self {
        Self::ProtocolError("it is not running".to_owned())
    }

    /// Returns the failure of a process with these limits that has ended before its first line. If
    /// its standard error reports that the system has run out of files, processes, memory or disk
    /// space, and its limits do not explain it, it is a fault of the host.
    pub(crate) fn at_start(
        status: String,
        stderr_tail: String,
        limits: Option<ProgramLimits>,
    ) -> Self {
        let is_shortage = |line: &&str| {
            let is_explained = limits.is_some_and(|limits| limits.explain(line));
            !is_explained && RESOURCE_ERRORS.iter().any(|error| line.contains(error))
        };
        if let Some(line) = stderr_tail.lines().find(is_shortage) {
            return Self::HostFault(line.trim().to_owned());
        }
        Self::Crash {
            status: match limits {
                Some(limits) => format!("{status}, with the limits {limits}"),
                None => status,
            },
            stderr_tail,
        }
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
            Self::HostFault(error) => format!("this machine cannot start it: {error}"),
            Self::IllegalMove { answer, reason } => format!("illegal move `{answer}`: {reason}"),
            Self::Crash {
                status,
                stderr_tail,
            } if stderr_tail.is_empty() => status.clone(),
            Self::Crash {
                status,
                stderr_tail,
            } => {
                let lines: Vec<&str> = stderr_tail.lines().map(str::trim).collect();
                let lines = lines.join(" | ");
                format!("{status}; the end of its standard error: {lines}")
            }
            Self::Stall {
                waited,
                has_written: true,
            } => format!("no answer for {} s", waited.as_secs()),
            Self::Stall {
                waited,
                has_written: false,
            } => format!(
                "no answer for {} s: it has written no line; {FLUSH_HINT}",
                waited.as_secs()
            ),
            Self::ProtocolError(message) => message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortage_of_the_host_at_the_start_is_no_crash() {
        let failure =
            |stderr: &str| ParticipantFailure::at_start("exit".into(), stderr.into(), None);
        let shortage = "sh: 1: Cannot fork";
        assert_eq!(
            failure(&format!("{shortage}\nbye")),
            ParticipantFailure::HostFault(shortage.to_owned())
        );
        let stderr_tail = "Traceback".to_owned();
        let status = "exit".to_owned();
        assert_eq!(
            failure("Traceback"),
            ParticipantFailure::Crash {
                status,
                stderr_tail
            }
        );
    }

    #[test]
    fn shortage_within_the_limits_of_a_program_is_its_crash() {
        let failure = |limits: &str, stderr: &str| {
            let limits = limits.parse().expect(limits);
            let failure =
                ParticipantFailure::at_start("signal".into(), stderr.into(), Some(limits));
            failure.description()
        };
        assert_eq!(
            failure("memory=2MB cpu=1s", ""),
            "signal, with the limits memory=2MB cpu=1s"
        );
        let error = "mmap: Cannot allocate memory";
        let end = format!("the end of its standard error: {error}");
        assert_eq!(
            failure("memory=2MB", error),
            format!("signal, with the limits memory=2MB; {end}")
        );
        assert_eq!(
            failure("cpu=1s", error),
            format!("this machine cannot start it: {error}")
        );
    }

    #[test]
    fn silence_from_the_start_has_a_hint() {
        let description = |has_written| {
            let waited = Duration::from_secs(30);
            let failure = ParticipantFailure::Stall {
                waited,
                has_written,
            };
            failure.description()
        };
        assert_eq!(description(true), "no answer for 30 s");
        assert_eq!(
            description(false),
            "no answer for 30 s: it has written no line; does it flush its output?"
        );
    }

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
