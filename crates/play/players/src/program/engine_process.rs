//! The process of a program that plays, whose errors are those of a contestant.

use std::time::{Duration, Instant};

use kalah::Quoted;

use super::engine_protocol::ProgramSpec;
use super::failure::{FLUSH_HINT, ParticipantFailure};
use super::limits::ProgramLimits;
use super::process::{ChildProcess, ProcessExit, ReadLineError, Shutdown};
use super::shell::missing_folder;
use crate::untrusted_text::trim_carriage_returns;

/// The running program of a contestant.
pub struct EngineProcess {
    process: ChildProcess,
    /// The limits before its command.
    limits: Option<ProgramLimits>,
    /// The hint if the program does not answer in the default protocol.
    protocol_hint: Option<String>,
    /// Whether the program has written a line.
    has_written: bool,
    /// Whether its standard error has the hint that it has not.
    has_hinted: bool,
}

/// The time without a first line after which the standard error of the program has a hint.
const FLUSH_HINT_DELAY: Duration = Duration::from_secs(2);

/// The time to wait after the start of a program without a handshake. A program that exits within
/// it counts as one that cannot be started.
const STARTUP_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// The time for a program to exit after a request to quit or the end of its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

impl EngineProcess {
    /// Starts the command line of a program, which the shell parses.
    ///
    /// # Errors
    /// If the folder of the command does not exist, if the shell cannot be started, which is a
    /// fault of the host, or if a request on `shutdown` prevents it.
    pub fn start(spec: &ProgramSpec, shutdown: &Shutdown) -> Result<Self, ParticipantFailure> {
        let command = &spec.command;
        if let Some(status) = missing_folder(command) {
            return Err(ParticipantFailure::Crash {
                status,
                stderr_tail: String::new(),
            });
        }
        match ChildProcess::start(command, shutdown) {
            Ok(process) => Ok(Self {
                process,
                limits: ProgramLimits::of_command(command),
                protocol_hint: spec.protocol_hint(),
                has_written: false,
                has_hinted: false,
            }),
            Err(_) if shutdown.is_requested() => Err(ParticipantFailure::Aborted),
            Err(error) => Err(ParticipantFailure::HostFault(error.to_string())),
        }
    }

    /// Queues `message` as one line of input.
    pub fn send(&self, message: &impl ToString) {
        self.process.send_line(&message.to_string());
    }

    /// Closes the input of the program after the queued messages are written.
    pub fn close_input(&mut self) {
        self.process.close_input();
    }

    /// Returns the next line of the program without its end, which is LF or CR LF. U+FFFD replaces
    /// bytes that are not UTF-8.
    ///
    /// # Errors
    /// Returns the failure of a program that writes no line within `timeout` after `start`.
    pub fn read_line(
        &mut self,
        start: Instant,
        timeout: Duration,
    ) -> Result<String, ParticipantFailure> {
        let line = self.read_raw_line(start, timeout);
        line.map(trim_carriage_returns)
    }

    /// Returns the next line of the program. Its end is LF, and a CR before that is part of the
    /// line. U+FFFD replaces bytes that are not UTF-8.
    ///
    /// # Errors
    /// Returns the failure of a program that writes no line within `timeout` after `start`.
    pub fn read_raw_line(
        &mut self,
        start: Instant,
        timeout: Duration,
    ) -> Result<String, ParticipantFailure> {
        // A program that writes without end must not be read for ever.
        let left = timeout.checked_sub(start.elapsed());
        let left = left.ok_or_else(|| ParticipantFailure::Stall {
            waited: start.elapsed(),
            has_written: self.has_written,
        })?;
        let line = self.receive_or_hint(left);
        self.has_written |= line.is_ok();
        match line {
            Ok(line) => Ok(line),
            Err(ReadLineError::Interrupted) => Err(ParticipantFailure::Aborted),
            Err(ReadLineError::Timeout) => Err(ParticipantFailure::Stall {
                waited: start.elapsed(),
                has_written: self.has_written,
            }),
            Err(ReadLineError::Closed) => Err(self.end_after_crash()),
            Err(ReadLineError::TooLong) => Err(ParticipantFailure::ProtocolError(
                "a line that is too long".to_owned(),
            )),
        }
    }

    /// Returns the next line. If the program writes no first line for a while, its standard error
    /// has a hint for its author.
    fn receive_or_hint(&mut self, timeout: Duration) -> Result<String, ReadLineError> {
        if self.has_written || self.has_hinted || timeout <= FLUSH_HINT_DELAY {
            return self.process.receive_raw_line(timeout);
        }
        match self.process.receive_raw_line(FLUSH_HINT_DELAY) {
            Err(ReadLineError::Timeout) => {
                self.has_hinted = true;
                self.process.add_stderr_line(&self.silence_hint());
                self.process
                    .receive_raw_line(timeout.saturating_sub(FLUSH_HINT_DELAY))
            }
            received => received,
        }
    }

    /// Returns the hint for the author of a program that has written no first line.
    fn silence_hint(&self) -> String {
        let seconds = FLUSH_HINT_DELAY.as_secs();
        if let Some(text) = self.process.unfinished_line() {
            let text = Quoted::new(&text);
            return format!("(no line end for {seconds} s behind {text})");
        }
        let tip = self.protocol_hint.as_ref();
        let tip = tip.map(|hint| format!(" tip: {hint}")).unwrap_or_default();
        format!("(no line for {seconds} s: {FLUSH_HINT}{tip})")
    }

    /// Ends the process and returns the failure, with its exit status and the end of its standard
    /// error.
    fn end_after_crash(&mut self) -> ParticipantFailure {
        let status = match self.process.wait_or_kill(EXIT_TIMEOUT) {
            ProcessExit::Exited(status) => status.to_string(),
            ProcessExit::Killed => "it closed its output".to_owned(),
        };
        let stderr_tail = self.process.stderr_tail();
        if !self.has_written {
            return ParticipantFailure::at_start(status, stderr_tail, self.limits);
        }
        ParticipantFailure::Crash {
            status,
            stderr_tail,
        }
    }

    /// Checks that a program without a handshake does not exit by itself at once, which shows that
    /// it cannot be started. Ends the program.
    ///
    /// # Errors
    /// Returns the failure of a program that has exited.
    pub fn check_runs(mut self) -> Result<(), ParticipantFailure> {
        match self.read_line(Instant::now(), STARTUP_CHECK_TIMEOUT) {
            // The program runs. Games check what it writes.
            Ok(_)
            | Err(ParticipantFailure::Stall { .. } | ParticipantFailure::ProtocolError(_)) => {
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Closes the input of the program, waits half a second for its exit, and kills it.
    pub fn terminate(mut self) {
        self.close_input();
        self.process.wait_or_kill(EXIT_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{EngineProtocol, StderrLines};

    static DEFAULT: EngineProtocol = EngineProtocol::of_test("default");
    static OTHER: EngineProtocol = EngineProtocol::of_test("other");

    #[test]
    fn hint_names_text_without_a_line_end() {
        let spec = ProgramSpec {
            command: "printf ukiok; exec sleep 60".to_owned(),
            protocol: &DEFAULT,
            other_protocols: vec![&OTHER],
            options: Vec::new(),
        };
        let process = EngineProcess::start(&spec, &Shutdown::default()).expect("a process");
        while process.process.unfinished_line().as_deref() != Some("ukiok") {
            std::thread::yield_now();
        }
        assert_eq!(
            process.silence_hint(),
            "(no line end for 2 s behind `ukiok`)"
        );
    }

    #[test]
    fn silent_program_gets_one_hint() {
        let stderr = StderrLines::default();
        let shutdown = Shutdown::default().with_stderr(&stderr);
        let spec = ProgramSpec {
            command: "sleep 60".to_owned(),
            protocol: &DEFAULT,
            other_protocols: vec![&OTHER],
            options: Vec::new(),
        };
        let mut process = EngineProcess::start(&spec, &shutdown).expect("a process");
        let timeout = FLUSH_HINT_DELAY + Duration::from_millis(1);
        let hint = "(no line for 2 s: does it flush its output? tip: default is the protocol \
                    without proto=: a program that speaks another one needs proto=other)";
        for lines in [&[hint][..], &[]] {
            let read = process.read_line(Instant::now(), timeout);
            let is_silent = matches!(
                read,
                Err(ParticipantFailure::Stall {
                    has_written: false,
                    ..
                })
            );
            assert!(is_silent, "{read:?}");
            assert_eq!(stderr.take(), lines);
        }
    }
}
