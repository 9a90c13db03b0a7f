//! Child processes with line-based input and output, and the request that stops them.

use crate::untrusted_text::InputLine;
use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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
}

/// The process groups of running child processes.
#[derive(Debug, Default)]
pub(crate) struct ChildGroups {
    /// The ids of the groups, which are those of their first processes.
    pub(crate) ids: BTreeSet<u32>,
    /// Whether no further child process may start.
    pub(crate) is_closed: bool,
}

impl Shutdown {
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

    /// Returns a request of its own that shares the child processes of this one.
    ///
    /// A tournament stops its games with such a request without stopping the command.
    #[must_use]
    pub fn with_own_flag(&self) -> Self {
        Self {
            flag: Arc::default(),
            children: Arc::clone(&self.children),
        }
    }

    pub(crate) fn child_groups(&self) -> MutexGuard<'_, ChildGroups> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process groups of all running child processes, and lets no further one start.
    ///
    /// For a program that is about to exit. On systems without process groups the child processes
    /// read the end of their input instead.
    pub fn kill_children(&self) {
        let mut children = self.child_groups();
        children.is_closed = true;
        for &id in &children.ids {
            kill_group_by_id(id);
        }
    }
}

/// A program that somebody has named, spoken to line by line. With it ends all that it has started, at the
/// latest when this is dropped.
///
/// Whatever it does holds nobody up: what it is told is written by a thread of its own, and what it says is read
/// by another, which goes no further than a few lines ahead of those that are wanted.
pub struct ChildProcess {
    child: Child,
    shutdown: Shutdown,
    /// What it is told, unless it is told nothing more.
    input: Option<Sender<String>>,
    /// What it says.
    output: Receiver<InputLine>,
    stderr_tail: StderrTail,
    /// How it ended, once it has been waited for.
    exit: Option<ProcessExit>,
}

/// Why there is no line of a [`ChildProcess`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLineError {
    /// The time is over.
    Timeout,
    /// It has ended, or closed its output.
    Closed,
    /// It has written a line that is too long for any message.
    TooLong,
    /// It has written bytes that are no text.
    NotUtf8,
    /// Ctrl-C came.
    Interrupted,
}

/// How a [`ChildProcess`] came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessExit {
    /// It ended by itself.
    Exited(ExitStatus),
    /// It would not.
    Killed,
}

/// Lines that are read before somebody wants them.
const READ_AHEAD_LINES: usize = 16;

/// How often a wait looks about for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How often a wait looks whether a program has ended.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Bytes of standard error that are kept, from its end.
const MAX_STDERR_TAIL_BYTES: usize = 2000;

/// After its end, the time that a program's standard error is waited for: somebody else may hold it open.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

impl ChildProcess {
    /// Starts a command line, which the shell takes apart.
    ///
    /// # Errors
    /// If the shell cannot be started, or [`Shutdown::kill_children`] was called.
    pub fn start(command_line: &str, shutdown: &Shutdown) -> io::Result<Self> {
        let mut command = shell_command(command_line);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = {
            let mut groups = shutdown.child_groups();
            if groups.is_closed {
                return Err(io::Error::other("the program is about to exit"));
            }
            let child = command.spawn()?;
            groups.ids.insert(child.id());
            child
        };
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, told) = mpsc::channel();
        let (said, output) = mpsc::sync_channel(READ_AHEAD_LINES);
        if let Some(stdin) = stdin {
            thread::spawn(move || write_lines(&told, stdin));
        }
        if let Some(stdout) = stdout {
            thread::spawn(move || read_lines(stdout, &said));
        }
        Ok(Self {
            child,
            shutdown: shutdown.clone(),
            input: Some(input),
            output,
            stderr_tail: StderrTail::spawn_reader(stderr),
            exit: None,
        })
    }

    /// Tells it a line. One that has ended does not hear it, which shows when it is asked.
    pub fn send_line(&self, line: &str) {
        if let Some(input) = &self.input {
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Ends its input, once it has read what it was told.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line that it writes.
    ///
    /// # Errors
    /// Why there is none within `limit`.
    pub fn receive_line(&mut self, limit: Duration) -> Result<String, ReadLineError> {
        let began = Instant::now();
        loop {
            if self.shutdown.is_requested() {
                return Err(ReadLineError::Interrupted);
            }
            // What it has started may hold its output open, and may have nothing to say.
            let ended = self.exit.is_some() || has_exited(&mut self.child);
            let left = limit.saturating_sub(began.elapsed());
            return match self.output.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(InputLine::Text(text)) => Ok(text),
                Ok(InputLine::TooLong) => Err(ReadLineError::TooLong),
                Ok(InputLine::NotUtf8) => Err(ReadLineError::NotUtf8),
                Ok(InputLine::End) | Err(RecvTimeoutError::Disconnected) => {
                    Err(ReadLineError::Closed)
                }
                Err(RecvTimeoutError::Timeout) if ended => Err(ReadLineError::Closed),
                Err(RecvTimeoutError::Timeout) if left > POLL_INTERVAL => continue,
                Err(RecvTimeoutError::Timeout) => Err(ReadLineError::Timeout),
            };
        }
    }

    /// Waits a while for its end, and then ends it and all that it has started.
    pub fn wait_or_kill(&mut self, patience: Duration) -> ProcessExit {
        if let Some(gone) = self.exit {
            return gone;
        }
        let began = Instant::now();
        let mut ended = has_exited(&mut self.child);
        while !ended && began.elapsed() < patience {
            thread::sleep(EXIT_POLL_INTERVAL);
            ended = has_exited(&mut self.child);
        }
        {
            let mut groups = self.shutdown.child_groups();
            // The system does not reuse the process id before `wait`.
            kill_child_group(&mut self.child);
            groups.ids.remove(&self.child.id());
        }
        let gone = match self.child.wait() {
            Ok(status) if ended => ProcessExit::Exited(status),
            _ => ProcessExit::Killed,
        };
        *self.exit.insert(gone)
    }

    /// The end of what it has written to standard error. It should have ended.
    pub fn stderr_tail(&self) -> String {
        self.stderr_tail.wait_for_text()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.wait_or_kill(Duration::ZERO);
    }
}

/// Writes what a program is told until it no longer reads, or nobody has anything to say.
fn write_lines(told: &Receiver<String>, mut stdin: ChildStdin) {
    for line in told {
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads what a program says until it ends, or nobody listens.
fn read_lines(stdout: ChildStdout, said: &SyncSender<InputLine>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(line) = InputLine::read_bounded(&mut stdout) {
        let (is_end, is_too_long) = (line == InputLine::End, line == InputLine::TooLong);
        if is_end || said.send(line).is_err() {
            return;
        }
        // That is known before its end, which may never come.
        if is_too_long && InputLine::skip_rest(&mut stdout).is_err() {
            return;
        }
    }
}

/// The end of a program's standard error.
struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    /// Its other end is there as long as there may be more.
    eof: Receiver<()>,
}

impl StderrTail {
    fn spawn_reader(stderr: Option<ChildStderr>) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (open, eof) = mpsc::channel();
        if let Some(stderr) = stderr {
            let kept = Arc::clone(&bytes);
            thread::spawn(move || {
                keep_tail(stderr, &kept);
                drop(open);
            });
        }
        Self { bytes, eof }
    }

    fn wait_for_text(&self) -> String {
        let _ = self.eof.recv_timeout(STDERR_TIMEOUT);
        let kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

fn keep_tail(source: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut source = BufReader::new(source);
    loop {
        let length = match source.fill_buf() {
            Ok([]) => return,
            Ok(chunk) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(chunk);
                let too_many = kept.len().saturating_sub(MAX_STDERR_TAIL_BYTES);
                kept.drain(..too_many);
                chunk.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => return,
        };
        source.consume(length);
    }
}

/// A shell that takes a command line apart, in a group of its own, so that Ctrl-C does not reach it and all of
/// it can be ended.
#[cfg(unix)]
fn shell_command(command_line: &str) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new("sh");
    let line = if is_simple_command(command_line) {
        format!("exec {command_line}")
    } else {
        command_line.to_owned()
    };
    command.args(["-c", &line]).process_group(0);
    command
}

/// Whether a command line does nothing but start one program, which then can take the place of the shell: so it is
/// known what signal has ended it, and that it has closed its output.
#[cfg(unix)]
fn is_simple_command(command_line: &str) -> bool {
    let first = command_line.split_whitespace().next().unwrap_or_default();
    let is_name =
        !first.is_empty() && !first.contains('=') && !SHELL_RESERVED_WORDS.contains(&first);
    is_name && !command_line.contains(SHELL_METACHARACTERS)
}

/// Words that are no programs where a command line begins with them.
#[cfg(unix)]
const SHELL_RESERVED_WORDS: [&str; 28] = [
    "!", ".", ":", "alias", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if",
    "read", "readonly", "return", "set", "shift", "source", "times", "trap", "ulimit", "umask",
    "unset", "until", "wait", "while", "{",
];

/// Characters by which a command line is more than one program with its arguments.
#[cfg(unix)]
const SHELL_METACHARACTERS: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];

#[cfg(not(unix))]
fn shell_command(command_line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.args(["/C", command_line]);
    command
}

/// Whether it has ended. Nobody else gets its number before it is waited for.
#[cfg(unix)]
fn has_exited(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(child)), options).is_ok_and(|status| status.is_some())
}

#[cfg(not(unix))]
fn has_exited(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Ends it and all that it has started.
#[cfg(unix)]
fn kill_child_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Where nobody is left there is nothing to end.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(unix)]
pub(crate) fn kill_group_by_id(number: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(number).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Where nobody is left there is nothing to end.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
pub(crate) fn kill_group_by_id(_number: u32) {
    // What has lost who talks to it has to find out by itself.
}

#[cfg(not(unix))]
fn kill_child_group(child: &mut Child) {
    // Where it has ended there is nothing to end.
    let _ = child.kill();
}
