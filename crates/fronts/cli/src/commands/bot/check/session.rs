//! A running program with the lines that were exchanged with it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah_players::{
    ChildProcess, FLUSH_HINT, ProcessExit, ProgramLimits, ProgramSpec, ReadLineError, Shutdown,
    missing_folder,
};

use super::answer_timeout::AnswerTimeout;
use super::report::BotFault;
use crate::output::messages::print_stderr;

/// The number of the last lines that a fault shows.
const MAX_LINES: usize = 12;

/// The maximum number of characters of a line that a fault shows.
const MAX_LINE_CHARS: usize = 200;

/// The time of silence after which a hint is printed.
const HINT_DELAY: Duration = Duration::from_secs(2);

/// The time for a program that has closed its output to exit.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// The reason why the checks end at once.
#[derive(Debug)]
pub(super) enum SessionError {
    /// A signal has ended them.
    Interrupted,
    /// The machine cannot start the program.
    Start(String),
}

/// The result of a step: what it found, or the fault of the program.
pub(super) type CheckStep<T> = Result<Result<T, BotFault>, SessionError>;

/// A running program.
pub(super) struct ProgramSession {
    process: ChildProcess,
    started: Instant,
    lines: VecDeque<String>,
    has_written: bool,
    /// The limits before its command.
    limits: Option<ProgramLimits>,
    /// The hint for a program that writes no line, if it is asked in the default protocol.
    protocol_hint: Option<String>,
    answer_timeout: Rc<AnswerTimeout>,
}

impl ProgramSession {
    /// Starts a program, and notes the answers that do not come within `answer_timeout`.
    pub(super) fn start(
        program: &ProgramSpec,
        shutdown: &Shutdown,
        answer_timeout: &Rc<AnswerTimeout>,
    ) -> Result<Self, SessionError> {
        let command = &program.command;
        if let Some(reason) = missing_folder(command) {
            return Err(SessionError::Start(reason));
        }
        let process = ChildProcess::start(command, shutdown);
        Ok(Self {
            process: process.map_err(|reason| SessionError::Start(reason.to_string()))?,
            started: Instant::now(),
            lines: VecDeque::new(),
            has_written: false,
            limits: ProgramLimits::of_command(command),
            protocol_hint: program.protocol_hint(),
            answer_timeout: Rc::clone(answer_timeout),
        })
    }

    /// Returns the time since the start.
    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) {
        self.note("> ", line);
        self.process.send_line(line);
    }

    /// Ends the input of the program.
    pub(super) fn close_input(&mut self) {
        self.note("> ", "(end of input)");
        self.process.close_input();
    }

    /// Returns the next line, or the fault of a program that writes none within `timeout`. A line
    /// that is too long is empty. `expected` names the answer that is due.
    pub(super) fn read(&mut self, timeout: Duration, expected: &str) -> CheckStep<String> {
        let mut line = self.process.receive_line(timeout.min(HINT_DELAY));
        if line == Err(ReadLineError::Timeout) && timeout > HINT_DELAY {
            if !self.has_written {
                let seconds = HINT_DELAY.as_secs();
                print_stderr(&format!("no line for {seconds} s: {FLUSH_HINT}"));
                if let Some(hint) = &self.protocol_hint {
                    print_stderr(&format!("tip: {hint}"));
                }
            }
            line = self
                .process
                .receive_line(timeout.saturating_sub(HINT_DELAY));
        }
        let actual = match line {
            Ok(line) => {
                self.has_written = true;
                self.note("< ", &line);
                return Ok(Ok(line));
            }
            Err(ReadLineError::Interrupted) => return Err(SessionError::Interrupted),
            Err(ReadLineError::Timeout) => {
                self.answer_timeout.note_silence();
                if self.has_written {
                    "no further line in time".to_owned()
                } else {
                    let hint = self.protocol_hint.as_ref();
                    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    format!("no line in time; {FLUSH_HINT}{hint}")
                }
            }
            Err(ReadLineError::Closed) => self.describe_end(),
            Err(ReadLineError::TooLong) => {
                self.has_written = true;
                self.note("< ", "(a line that is too long)");
                return Ok(Ok(String::new()));
            }
        };
        Ok(Err(self.fault(expected, actual)))
    }

    /// Waits for the exit of the program, whose further lines are dropped.
    pub(super) fn expect_exit(&mut self, timeout: Duration) -> Result<(), BotFault> {
        match self.process.wait_or_kill(timeout) {
            ProcessExit::Exited(_) => Ok(()),
            ProcessExit::Killed => {
                self.answer_timeout.note_silence();
                let seconds = timeout.as_secs_f64();
                Err(self.fault(
                    "the program exits",
                    format!("it still runs after {seconds} s"),
                ))
            }
        }
    }

    /// Returns a fault with the last lines.
    pub(super) fn fault(&self, expected: &str, actual: impl Into<String>) -> BotFault {
        BotFault {
            expected: expected.to_owned(),
            actual: actual.into(),
            lines: self.lines.iter().cloned().collect(),
        }
    }

    /// Describes the end of a program that has closed its output.
    fn describe_end(&mut self) -> String {
        let status = match (self.process.wait_or_kill(EXIT_TIMEOUT), self.limits) {
            (ProcessExit::Exited(status), Some(limits)) if !self.has_written => {
                format!("it ended: {status}, with the limits {limits}")
            }
            (ProcessExit::Exited(status), _) => format!("it ended: {status}"),
            (ProcessExit::Killed, _) => "it closed its output".to_owned(),
        };
        for line in self.process.stderr_tail().lines() {
            self.note("| ", line);
        }
        status
    }

    fn note(&mut self, prefix: &str, line: &str) {
        let length = line.chars().count();
        let start: String = line.chars().take(MAX_LINE_CHARS).collect();
        let rest = if length > MAX_LINE_CHARS { " ..." } else { "" };
        self.lines.push_back(format!("{prefix}{start}{rest}"));
        if self.lines.len() > MAX_LINES {
            self.lines.pop_front();
        }
    }
}
