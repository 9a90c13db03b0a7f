//! Child processes with line-based input and output, and the request that stops them.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write as _};
use std::process::{ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kalah::format_number;

use super::process_group::{ProcessGroup, ShellProcess};
use super::program_log::{LogSource, ProgramLog};
use super::program_player::StderrLines;
use super::stderr::{StderrReceivers, StderrTail};
use crate::untrusted_text::{InputLine, LineReader, MAX_LINE_BYTES, trim_carriage_returns};

/// A request to stop, and the child processes that have to end with it.
///
/// Clones share both. Long work polls [`Shutdown::is_requested`], or hands [`Shutdown::flag`] to an
/// engine.
///
/// ```
/// use kalah_players::Shutdown;
/// let shutdown = Shutdown::default();
/// let worker = shutdown.clone();
/// shutdown.request();
/// assert!(worker.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    flag: Arc<AtomicBool>,
    children: Arc<Mutex<ChildGroups>>,
    /// The lines that the child processes write to their standard error, if they are wanted.
    stderr: Option<StderrLines>,
    /// The log of the child processes, if one is kept.
    log: Option<ProgramLog>,
}

/// The process groups of running child processes.
#[derive(Debug, Default)]
struct ChildGroups {
    /// The groups by the ids of their first processes.
    running: BTreeMap<u32, ProcessGroup>,
    /// Whether no further child process may start.
    is_closed: bool,
}

impl Shutdown {
    /// The interval at which threads that wait for something else poll for a request.
    pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

    /// Asks everything that shares this value to stop.
    pub fn request(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns the flag that [`Shutdown::request`] sets, for engines that poll one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns a request with a flag of its own and the child processes of this one.
    ///
    /// A tournament uses it to stop its games without stopping the command.
    #[must_use]
    pub fn with_own_flag(&self) -> Self {
        self.with_flag(Arc::default())
    }

    /// Returns a request with another flag and the child processes of this one.
    #[must_use]
    pub fn with_flag(&self, flag: Arc<AtomicBool>) -> Self {
        Self {
            flag,
            ..self.clone()
        }
    }

    /// Returns the same request, whose child processes started with it also add the lines of their
    /// standard error to `lines`.
    #[must_use]
    pub(crate) fn with_stderr(&self, lines: &StderrLines) -> Self {
        Self {
            stderr: Some(lines.clone()),
            ..self.clone()
        }
    }

    /// Returns the same request, whose child processes started with it are logged in `log`.
    #[must_use]
    pub fn with_log(&self, log: &ProgramLog) -> Self {
        Self {
            log: Some(log.clone()),
            ..self.clone()
        }
    }

    /// Adds a line to the log, if one is kept.
    fn add_to_log(&self, source: LogSource, text: &str) {
        if let Some(log) = &self.log {
            log.add(source, text);
        }
    }

    fn child_groups(&self) -> MutexGuard<'_, ChildGroups> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process groups of all running child processes, and prevents further ones from
    /// starting.
    ///
    /// Call this when the program is about to exit.
    pub fn kill_children(&self) {
        let mut children = self.child_groups();
        children.is_closed = true;
        for group in children.running.values() {
            group.kill();
        }
    }
}

/// An external program with line-based input and output.
///
/// One thread writes the input and another reads the output, at most a few lines ahead of
/// [`ChildProcess::receive_line`], so that a program that neither reads nor writes never blocks the
/// caller for longer than the caller's timeout.
///
/// The program runs in a process group of its own, on Windows in a job.
/// [`ChildProcess::wait_or_kill`] and the drop of this value kill the whole group, with all
/// processes that the program has started.
pub struct ChildProcess {
    child: ShellProcess,
    shutdown: Shutdown,
    /// The lines to write to its standard input; `None` after [`ChildProcess::close_input`].
    input: Option<Sender<String>>,
    /// The lines that were read from its standard output.
    output: Receiver<InputLine>,
    /// The start of the line that it has not ended yet.
    unfinished: Arc<Mutex<Vec<u8>>>,
    stderr_tail: StderrTail,
    /// The way in which it ended, once [`ChildProcess::wait_or_kill`] has run.
    exit: Option<ProcessExit>,
}

/// The reason why [`ChildProcess::receive_line`] or [`ChildProcess::receive_raw_line`] returns no
/// line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLineError {
    /// The timeout has passed.
    Timeout,
    /// The process has exited or has closed its output.
    Closed,
    /// The line is longer than [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES).
    TooLong,
    /// A [`Shutdown`] was requested.
    Interrupted,
}

/// The way in which a [`ChildProcess`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessExit {
    /// It exited by itself.
    Exited(ExitStatus),
    /// It was killed after the timeout.
    Killed,
}

/// The number of lines that are read ahead of [`ChildProcess::receive_line`].
const READ_AHEAD_LINES: usize = 16;

/// The time in which the last lines of a process that has exited arrive, also on a busy machine.
const MAX_OUTPUT_DELAY: Duration = Duration::from_secs(1);

/// The interval at which [`ChildProcess::wait_or_kill`] polls for the exit of the process.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);

impl ChildProcess {
    /// Starts a command line, which the shell parses.
    ///
    /// # Errors
    /// Returns an error if the shell or a thread does not start, or after
    /// [`Shutdown::kill_children`].
    pub fn start(command_line: &str, shutdown: &Shutdown) -> io::Result<Self> {
        let mut child = {
            // The lock is held while the process starts, so that `kill_children` misses none.
            let mut groups = shutdown.child_groups();
            if groups.is_closed {
                return Err(io::Error::other("the program is about to exit"));
            }
            let child = ShellProcess::spawn(command_line)?;
            groups.running.insert(child.id(), child.group());
            child
        };
        shutdown.add_to_log(LogSource::Process, &format!("started: {command_line}"));
        let pipes = child.take_pipes();
        let (input, lines_to_write) = mpsc::channel();
        let (line_sender, output) = mpsc::sync_channel(READ_AHEAD_LINES);
        let stderr_lines = StderrReceivers::new(shutdown.stderr.clone(), shutdown.log.clone());
        let (stderr_tail, keep_stderr_tail) = StderrTail::new(pipes.stderr, stderr_lines);
        let unfinished = Arc::default();
        // Its drop ends the process if a thread does not start.
        let process = Self {
            child,
            shutdown: shutdown.clone(),
            input: Some(input),
            output,
            unfinished: Arc::clone(&unfinished),
            stderr_tail,
            exit: None,
        };
        let spawn = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work);
        if let Some(stdin) = pipes.stdin {
            spawn(Box::new(move || write_lines(&lines_to_write, stdin)))?;
        }
        if let Some(stdout) = pipes.stdout {
            let log = shutdown.log.clone();
            let stdout = OutputPipe { stdout, unfinished };
            spawn(Box::new(move || {
                read_lines(stdout, &line_sender, log.as_ref());
            }))?;
        }
        spawn(Box::new(keep_stderr_tail))?;
        Ok(process)
    }

    /// Queues a line for the standard input of the process. If the process has exited, the line is
    /// lost, and the next [`ChildProcess::receive_line`] reports [`ReadLineError::Closed`].
    pub fn send_line(&self, line: &str) {
        if let Some(input) = &self.input {
            self.shutdown.add_to_log(LogSource::Host, line);
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Closes the standard input of the process after the queued lines are written.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns the next line of the standard output of the process. Its end is LF or CR LF, and
    /// U+FFFD replaces bytes that are not UTF-8.
    ///
    /// # Errors
    /// Returns the reason why there is no line within `timeout`, or within a second of the exit of
    /// the process.
    pub fn receive_line(&mut self, timeout: Duration) -> Result<String, ReadLineError> {
        self.receive_raw_line(timeout).map(trim_carriage_returns)
    }

    /// Returns the next line of the standard output of the process. Its end is LF, and a CR before
    /// that is part of the line. U+FFFD replaces bytes that are not UTF-8.
    ///
    /// # Errors
    /// Returns the reason why there is no line within `timeout`, or within a second of the exit of
    /// the process.
    pub fn receive_raw_line(&mut self, timeout: Duration) -> Result<String, ReadLineError> {
        let start = Instant::now();
        let mut ended = None;
        loop {
            if self.shutdown.is_requested() {
                return Err(ReadLineError::Interrupted);
            }
            if self.exit.is_some() || self.child.has_exited() {
                ended.get_or_insert_with(Instant::now);
            }
            let left = timeout.saturating_sub(start.elapsed());
            let pause = match ended {
                Some(_) => Shutdown::POLL_INTERVAL,
                None => left.min(Shutdown::POLL_INTERVAL),
            };
            return match self.output.recv_timeout(pause) {
                Ok(InputLine::Text(text) | InputLine::NotUtf8(text)) => Ok(text),
                Ok(InputLine::TooLong(_)) => Err(ReadLineError::TooLong),
                Ok(InputLine::End) | Err(RecvTimeoutError::Disconnected) => {
                    Err(ReadLineError::Closed)
                }
                Err(RecvTimeoutError::Timeout) => match ended {
                    // The output of a process that has exited can stay open without a further line,
                    // because the processes that it has started inherit it.
                    Some(ended) if ended.elapsed() >= MAX_OUTPUT_DELAY => {
                        Err(ReadLineError::Closed)
                    }
                    None if left <= Shutdown::POLL_INTERVAL => Err(ReadLineError::Timeout),
                    _ => continue,
                },
            };
        }
    }

    /// Returns the text that the process has written without a line end so far, if there is any.
    /// U+FFFD replaces bytes that are not UTF-8.
    pub fn unfinished_line(&self) -> Option<String> {
        let bytes = self.unfinished.lock();
        let bytes = bytes.unwrap_or_else(PoisonError::into_inner);
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Waits up to `timeout` for the exit of the process, then kills the remaining processes of its
    /// group.
    pub fn wait_or_kill(&mut self, timeout: Duration) -> ProcessExit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let start = Instant::now();
        let mut has_ended = self.child.has_exited();
        while !has_ended && start.elapsed() < timeout {
            thread::sleep(EXIT_POLL_INTERVAL);
            has_ended = self.child.has_exited();
        }
        {
            let mut groups = self.shutdown.child_groups();
            // The system does not reuse the process id before `wait`.
            if let Some(group) = groups.running.remove(&self.child.id()) {
                group.kill();
            }
        }
        let exit = match self.child.wait() {
            Ok(status) if has_ended => ProcessExit::Exited(status),
            _ => ProcessExit::Killed,
        };
        if self.shutdown.log.is_some() {
            // The log has the last lines of the process before its end.
            self.stderr_tail.wait_for_end();
            let text = match exit {
                ProcessExit::Exited(status) => status.to_string(),
                ProcessExit::Killed => "killed".to_owned(),
            };
            self.shutdown.add_to_log(LogSource::Process, &text);
        }
        *self.exit.insert(exit)
    }

    /// Adds a line to those of the standard error, if [`Shutdown::with_stderr`] collects them.
    pub(super) fn add_stderr_line(&self, line: &str) {
        if let Some(lines) = &self.shutdown.stderr {
            lines.push(line);
        }
    }

    /// Returns the end of the standard error of the process. The process should have exited.
    pub fn stderr_tail(&self) -> String {
        self.stderr_tail.wait_for_text()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.wait_or_kill(Duration::ZERO);
    }
}

/// The standard output of a process. It keeps the start of a line without an end, for which
/// [`LineReader`] waits.
struct OutputPipe {
    stdout: ChildStdout,
    unfinished: Arc<Mutex<Vec<u8>>>,
}

impl Read for OutputPipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.stdout.read(buffer)?;
        let bytes = &buffer[..length];
        let unfinished = self.unfinished.lock();
        let mut unfinished = unfinished.unwrap_or_else(PoisonError::into_inner);
        let last_end = bytes.iter().rposition(|&byte| byte == b'\n');
        if last_end.is_some() {
            unfinished.clear();
        }
        let rest = &bytes[last_end.map_or(0, |end| end + 1)..];
        let room = MAX_LINE_BYTES - unfinished.len();
        unfinished.extend_from_slice(&rest[..rest.len().min(room)]);
        Ok(length)
    }
}

/// Writes lines to a process until it closes its input or the channel is closed.
fn write_lines(lines: &Receiver<String>, mut stdin: ChildStdin) {
    for line in lines {
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads the lines of a process until its output ends or the receiver is dropped. Each line is
/// added to the log when it is read.
fn read_lines(stdout: OutputPipe, lines: &SyncSender<InputLine>, log: Option<&ProgramLog>) {
    let mut stdout = LineReader::new(BufReader::new(stdout));
    while let Ok(line) = stdout.read_bounded() {
        if let Some(log) = log {
            match &line {
                InputLine::Text(text) | InputLine::NotUtf8(text) => {
                    log.add(LogSource::Program, text);
                }
                InputLine::TooLong(_) => log.add(
                    LogSource::Process,
                    &format!(
                        "a line of more than {} bytes on standard output is left out",
                        format_number(MAX_LINE_BYTES as u64)
                    ),
                ),
                InputLine::End => {}
            }
        }
        let is_end = line == InputLine::End;
        let is_too_long = matches!(line, InputLine::TooLong(_));
        if is_end || lines.send(line).is_err() {
            return;
        }
        // A line that is too long is reported before its end, which may never come.
        if is_too_long && stdout.skip_rest().is_err() {
            return;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Long enough for a busy machine; no test waits for it to pass.
    const TIMEOUT: Duration = Duration::from_mins(1);

    fn start(command_line: &str) -> ChildProcess {
        ChildProcess::start(command_line, &Shutdown::default()).expect("a shell")
    }

    #[test]
    fn text_without_a_line_end_is_known_before_its_end() {
        let mut process = start("printf 'one\\nbest'; printf move; read end; echo; cat");
        assert_eq!(process.receive_line(TIMEOUT), Ok("one".to_owned()));
        while process.unfinished_line().as_deref() != Some("bestmove") {
            thread::sleep(EXIT_POLL_INTERVAL);
        }
        process.send_line("");
        assert_eq!(process.receive_line(TIMEOUT), Ok("bestmove".to_owned()));
        assert_eq!(process.unfinished_line(), None);
    }

    #[test]
    fn lines_are_sent_and_received_until_the_output_closes() {
        let mut process = start("cat");
        for line in ["one", "", "two"] {
            process.send_line(line);
            assert_eq!(process.receive_line(TIMEOUT), Ok(line.to_owned()));
            process.send_line(&format!("{line}\r"));
            assert_eq!(process.receive_line(TIMEOUT), Ok(line.to_owned()));
            process.send_line(&format!("{line}\r"));
            assert_eq!(process.receive_raw_line(TIMEOUT), Ok(format!("{line}\r")));
        }
        process.close_input();
        let error = process.receive_line(TIMEOUT);
        assert_eq!(error, Err(ReadLineError::Closed));
        let exit = process.wait_or_kill(TIMEOUT);
        assert!(matches!(exit, ProcessExit::Exited(status) if status.success()));
    }

    #[test]
    fn silent_process_is_killed_after_the_timeout() {
        let mut process = start("sleep 1000");
        let error = process.receive_line(Duration::ZERO);
        assert_eq!(error, Err(ReadLineError::Timeout));
        assert_eq!(process.wait_or_kill(Duration::ZERO), ProcessExit::Killed);
    }

    #[test]
    fn shutdown_interrupts_reading_and_prevents_further_processes() {
        let shutdown = Shutdown::default();
        let mut process = ChildProcess::start("sleep 1000", &shutdown).expect("a shell");
        shutdown.request();
        let error = process.receive_line(TIMEOUT);
        assert_eq!(error, Err(ReadLineError::Interrupted));
        shutdown.kill_children();
        let exit = process.wait_or_kill(TIMEOUT);
        assert!(matches!(exit, ProcessExit::Exited(status) if !status.success()));
        assert!(ChildProcess::start("true", &shutdown).is_err());
    }

    #[test]
    fn log_has_both_directions_standard_error_and_the_end() {
        let log = ProgramLog::new(Arc::new(|| Duration::ZERO));
        let shutdown = Shutdown::default().with_log(&log);
        let script = "read line; echo \"got $line\"; echo problem >&2; printf end >&2; exit 3";
        let mut process = ChildProcess::start(script, &shutdown).expect("a shell");
        process.send_line("go");
        assert_eq!(process.receive_line(TIMEOUT), Ok("got go".to_owned()));
        process.wait_or_kill(TIMEOUT);
        let lines: Vec<(LogSource, String)> = (log.take().into_iter())
            .map(|line| (line.source, line.text))
            .collect();
        let expected = [
            (LogSource::Process, format!("started: {script}")),
            (LogSource::Host, "go".to_owned()),
            (LogSource::Program, "got go".to_owned()),
            (LogSource::Stderr, "problem".to_owned()),
            (LogSource::Stderr, "end".to_owned()),
            (LogSource::Process, "exit status: 3".to_owned()),
        ];
        // The threads of both outputs add their lines in any order.
        for line in &expected {
            assert!(lines.contains(line), "{line:?} is not in {lines:?}");
        }
        assert_eq!(lines.len(), expected.len(), "{lines:?}");
        assert_eq!(lines.last(), expected.last());
    }

    #[test]
    fn log_of_a_flood_is_bounded_and_has_its_end() {
        let log = ProgramLog::new(Arc::new(|| Duration::ZERO));
        let shutdown = Shutdown::default().with_log(&log);
        let script = "yes flood | head -c 3000000 >&2; \
                      yes | tr -d '\\n' | head -c 100000 >&2; echo >&2; echo the end >&2";
        let mut process = ChildProcess::start(script, &shutdown).expect("a shell");
        assert!(matches!(
            process.wait_or_kill(TIMEOUT),
            ProcessExit::Exited(_)
        ));
        let lines = log.take();
        let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        assert!(bytes < ProgramLog::MAX_BYTES, "{bytes}");
        let has = |end: &str| lines.iter().any(|line| line.text.ends_with(end));
        assert!(has(" bytes left out") && has("y … and 83,616 bytes left out") && has("the end"));
    }
}
