//! A contestant's process while it runs.

use std::time::{Duration, Instant};

use super::failure::ParticipantFailure;
use crate::{ChildProcess, ProcessExit, ReadLineError, Shutdown};

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
