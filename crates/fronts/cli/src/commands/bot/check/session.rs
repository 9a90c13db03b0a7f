//! A running program with the lines that were exchanged with it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah::{Quoted, format_count, format_number};
use kalah_players::{
    ChildProcess, FLUSH_HINT, MAX_LINE_BYTES, ProcessExit, ProgramLimits, ProgramSpec,
    ReadLineError, Shutdown, missing_folder,
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

/// A line that a program has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenLine {
    Text(String),
    /// It is longer than [`MAX_LINE_BYTES`].
    TooLong,
}

/// A running program.
pub(super) struct ProgramSession {
    process: ChildProcess,
    started: Instant,
    lines: VecDeque<String>,
    last_line: Option<WrittenLine>,
    /// The number of lines that it has written since the last one that it was sent.
    answer_lines: u64,
    /// Whether its start is complete.
    is_started: bool,
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
            last_line: None,
            answer_lines: 0,
            is_started: false,
            limits: ProgramLimits::of_command(command),
            protocol_hint: program.protocol_hint(),
            answer_timeout: Rc::clone(answer_timeout),
        })
    }

    /// Notes that the program has started, and returns the time since its start.
    pub(super) fn note_started(&mut self) -> Duration {
        let time = self.started.elapsed();
        if !self.is_started {
            self.is_started = true;
            self.answer_timeout.note_start(time);
        }
        time
    }

    /// Returns the time for the next answer.
    pub(super) fn wait(&self) -> Duration {
        if self.is_started {
            self.answer_timeout.wait()
        } else {
            self.answer_timeout.start_wait()
        }
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) {
        self.note("> ", line);
        self.answer_lines = 0;
        self.process.send_line(line);
    }

    /// Ends the input of the program.
    pub(super) fn close_input(&mut self) {
        self.note("> ", "(end of input)");
        self.process.close_input();
    }

    /// Returns the next line, or the fault of a program that writes none in time or one that is too
    /// long. `expected` names the answer that is due.
    pub(super) fn read_text(&mut self, expected: &str) -> CheckStep<String> {
        let line = match self.read(self.wait(), expected)? {
            Ok(line) => line,
            Err(fault) => return Ok(Err(fault)),
        };
        Ok(match line {
            WrittenLine::Text(text) => Ok(text),
            WrittenLine::TooLong => Err(self.fault(expected, describe_too_long())),
        })
    }

    /// Returns the next line, or the fault of a program that writes none within `timeout`, which is
    /// zero when the time for an answer is over. `expected` names the answer that is due.
    pub(super) fn read(&mut self, timeout: Duration, expected: &str) -> CheckStep<WrittenLine> {
        let actual = match self.receive(timeout) {
            Ok(line) => {
                self.note("< ", &line);
                return Ok(Ok(self.note_answer(WrittenLine::Text(line))));
            }
            Err(ReadLineError::TooLong) => {
                self.note("< ", "(a line that is too long)");
                return Ok(Ok(self.note_answer(WrittenLine::TooLong)));
            }
            Err(ReadLineError::Interrupted) => return Err(SessionError::Interrupted),
            Err(ReadLineError::Timeout) => {
                self.answer_timeout.note_silence();
                self.describe_silence(expected)
            }
            Err(ReadLineError::Closed) => self.describe_end(),
        };
        Ok(Err(self.fault(expected, actual)))
    }

    fn note_answer(&mut self, line: WrittenLine) -> WrittenLine {
        self.answer_lines += 1;
        self.last_line.insert(line).clone()
    }

    /// Returns the next line. A silence has a hint, once for each program.
    fn receive(&mut self, timeout: Duration) -> Result<String, ReadLineError> {
        // A program that writes without end always has a further line.
        if timeout.is_zero() && self.answer_lines > 0 {
            return Err(ReadLineError::Timeout);
        }
        let line = self.process.receive_line(timeout.min(HINT_DELAY));
        if line != Err(ReadLineError::Timeout) || timeout <= HINT_DELAY {
            return line;
        }
        if self.answer_timeout.take_hint() {
            for line in self.silence_hint() {
                print_stderr(&line);
            }
        }
        self.process
            .receive_line(timeout.saturating_sub(HINT_DELAY))
    }

    /// Returns the messages that the program has been silent for a while, with the likely reason.
    fn silence_hint(&self) -> Vec<String> {
        let seconds = HINT_DELAY.as_secs();
        match (&self.last_line, self.process.unfinished_line()) {
            (Some(WrittenLine::TooLong), _) => vec![format!(
                "no further line for {seconds} s: {}",
                describe_too_long()
            )],
            (_, Some(text)) => vec![format!(
                "no line end for {seconds} s behind {}",
                Quoted::new(&text)
            )],
            (Some(WrittenLine::Text(line)), None) => vec![format!(
                "no further line for {seconds} s: the last one was {}",
                Quoted::new(line)
            )],
            (None, None) => {
                let tip = self.protocol_hint().map(|hint| format!("tip: {hint}"));
                let silence = format!("no line for {seconds} s: {FLUSH_HINT}");
                [silence].into_iter().chain(tip).collect()
            }
        }
    }

    /// Returns the hint for a program that has never answered in the default protocol.
    fn protocol_hint(&self) -> Option<&str> {
        let hint = self.protocol_hint.as_deref();
        hint.filter(|_| !self.answer_timeout.has_started())
    }

    /// Describes the lines of a program that has not written the `expected` one in time.
    fn describe_silence(&mut self, expected: &str) -> String {
        if self.last_line == Some(WrittenLine::TooLong) {
            return describe_too_long();
        }
        if let Some(text) = self.process.unfinished_line() {
            self.note("< ", &text);
            if let Some(line) = self.lines.back_mut() {
                line.push_str(" (no line end)");
            }
            return "the line end is missing".to_owned();
        }
        if self.answer_lines > 0 {
            // An answer with parts is described in several words.
            let answer = if expected.contains(' ') {
                "answer".to_owned()
            } else {
                format!("`{expected}`")
            };
            let lines = format_count(self.answer_lines, "line");
            return format!("no {answer} among {lines}");
        }
        if self.last_line.is_some() {
            return "no further line in time".to_owned();
        }
        let hint = self.protocol_hint();
        let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("no line in time; {FLUSH_HINT}{hint}")
    }

    /// Waits for the exit of the program, whose further lines are dropped.
    pub(super) fn expect_exit(&mut self) -> Result<(), BotFault> {
        let timeout = self.wait();
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
            (ProcessExit::Exited(status), Some(limits)) if self.last_line.is_none() => {
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

/// Describes the last line of a program, which is too long.
pub(super) fn describe_too_long() -> String {
    let max = format_number(MAX_LINE_BYTES as u64);
    format!("the line has more than {max} bytes")
}

#[cfg(all(test, unix))]
mod tests {
    use std::thread;

    use super::*;
    use crate::args::values::parse_game_player;
    use kalah_players::GamePlayerSpec;

    /// Long enough for a busy machine; no test waits for it to pass.
    const TIMEOUT: Duration = Duration::from_mins(5);

    fn start(command: &str) -> ProgramSession {
        let spec = parse_game_player(&format!("cmd={command}")).expect(command);
        let GamePlayerSpec::Program(program) = spec else {
            panic!("{command}");
        };
        let timeout = Rc::new(AnswerTimeout::new(TIMEOUT));
        ProgramSession::start(program.program(), &Shutdown::default(), &timeout).expect("a shell")
    }

    /// Reads a line that comes.
    fn read(session: &mut ProgramSession) -> WrittenLine {
        let line = session.read(TIMEOUT, "ukiok").expect("no signal");
        line.expect("a line")
    }

    /// Returns the fault of a program that has no more time.
    fn fault(session: &mut ProgramSession, expected: &str) -> BotFault {
        let line = session.read(Duration::ZERO, expected).expect("no signal");
        line.expect_err("no time")
    }

    #[test]
    fn text_without_a_line_end_is_shown() {
        let mut session = start("printf \"hello\\nuki\"; printf ok; exec sleep 1000");
        assert_eq!(read(&mut session), WrittenLine::Text("hello".to_owned()));
        while session.process.unfinished_line().as_deref() != Some("ukiok") {
            thread::yield_now();
        }
        let hint = ["no line end for 2 s behind `ukiok`"];
        assert_eq!(session.silence_hint(), hint);
        let fault = fault(&mut session, "ukiok");
        assert_eq!(fault.actual, "the line end is missing");
        assert_eq!(fault.lines, ["< hello", "< ukiok (no line end)"]);
    }

    #[test]
    fn program_that_never_stops_writing_has_no_answer_among_its_lines() {
        let mut session = start("yes");
        for count in ["1 line", "2 lines"] {
            assert_eq!(read(&mut session), WrittenLine::Text("y".to_owned()));
            let actual = fault(&mut session, "ukiok").actual;
            assert_eq!(actual, format!("no `ukiok` among {count}"));
        }
        let actual = fault(&mut session, "bestmove and one of A").actual;
        assert_eq!(actual, "no answer among 2 lines");
    }

    #[test]
    fn line_that_is_too_long_is_named() {
        let mut session = start("tr \"\\0\" x </dev/zero");
        assert_eq!(read(&mut session), WrittenLine::TooLong);
        let max = "the line has more than 16,384 bytes";
        let hint = format!("no further line for 2 s: {max}");
        assert_eq!(session.silence_hint(), [hint]);
        assert_eq!(fault(&mut session, "ukiok").actual, max);
    }

    #[test]
    fn tip_about_protocols_is_for_programs_that_have_never_started() {
        let mut session = start("exec cat");
        let silence = "no line for 2 s: does it flush its output?";
        let tip = "tip: uki is the protocol without proto=: a program that speaks another one needs \
                   proto=kgp-child or proto=mankalah";
        assert_eq!(session.silence_hint(), [silence, tip]);
        session.note_started();
        assert_eq!(session.silence_hint(), [silence]);
        session.send("id name x");
        read(&mut session);
        let hint = "no further line for 2 s: the last one was `id name x`";
        assert_eq!(session.silence_hint(), [hint]);
    }
}
