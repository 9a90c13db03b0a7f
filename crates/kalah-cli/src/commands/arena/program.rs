use std::time::{Duration, Instant};

use super::super::child_process::{ChildProcess, Gone, NoLine};
use super::fault::Fault;
use crate::interrupt::Interrupt;

/// A contestant's program while it runs.
pub(super) struct Program {
    process: ChildProcess,
    interrupt: Interrupt,
}

/// The time that a program has to go after it was told to, or has closed its output.
const PATIENCE: Duration = Duration::from_millis(500);

impl Program {
    pub(super) fn start(command: &str, interrupt: &Interrupt) -> Result<Self, Fault> {
        let process = ChildProcess::start(command).map_err(|error| Fault::Crash {
            status: format!("it cannot be started: {error}"),
            last_words: String::new(),
        })?;
        Ok(Self {
            process,
            interrupt: interrupt.clone(),
        })
    }

    pub(super) fn tell(&self, message: &impl ToString) {
        self.process.tell(&message.to_string());
    }

    pub(super) fn close_input(&mut self) {
        self.process.close_input();
    }

    /// The next line that it writes; it has until `patience` after `asked`.
    pub(super) fn line(&mut self, asked: Instant, patience: Duration) -> Result<String, Fault> {
        let left = patience.saturating_sub(asked.elapsed());
        match self.process.line(left, &self.interrupt) {
            Ok(line) => Ok(line),
            Err(NoLine::Interrupted) => Err(Fault::BrokenOff),
            Err(NoLine::Late) => Err(Fault::Stall {
                waited: asked.elapsed(),
            }),
            Err(NoLine::Gone) => Err(self.crash()),
            Err(NoLine::TooLong) => Err(Fault::Protocol("a line that is too long".to_owned())),
            Err(NoLine::NotText) => Err(Fault::Protocol("a line that is no text".to_owned())),
        }
    }

    /// How it went.
    fn crash(&mut self) -> Fault {
        let status = match self.process.end(PATIENCE) {
            Gone::Ended(status) => status.to_string(),
            Gone::Killed => "it closed its output".to_owned(),
        };
        Fault::Crash {
            status,
            last_words: self.process.last_words(),
        }
    }

    /// Waits a little for its end, and ends it.
    pub(super) fn end(mut self) {
        self.close_input();
        self.process.end(PATIENCE);
    }
}
