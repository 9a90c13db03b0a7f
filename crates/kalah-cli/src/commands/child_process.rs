use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{mem, thread};

use crate::interrupt::Interrupt;
use crate::line::Line;

/// A program that somebody has named, spoken to line by line. With it ends all that it has started, at the
/// latest when this is dropped.
///
/// Whatever it does holds nobody up: what it is told is written by a thread of its own, and what it says is read
/// by another, which goes no further than a few lines ahead of those that are wanted.
pub(super) struct ChildProcess {
    child: Child,
    /// What it is told, unless it is told nothing more.
    input: Option<Sender<String>>,
    /// What it says.
    output: Receiver<Line>,
    words: LastWords,
    /// How it ended, once it has been waited for.
    gone: Option<Gone>,
}

/// Why there is no line of a [`ChildProcess`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// The time is over.
    Late,
    /// It has ended, or closed its output.
    Gone,
    /// It has written a line that is too long for any message.
    TooLong,
    /// It has written bytes that are no text.
    NotText,
    /// Ctrl-C came.
    Interrupted,
}

/// How a [`ChildProcess`] came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// It ended by itself.
    Ended(ExitStatus),
    /// It would not.
    Killed,
}

/// The programs that run, by their numbers.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Lines that are read before somebody wants them.
const LINES_AHEAD: usize = 16;

/// How often a wait looks about for Ctrl-C.
const LOOK_ABOUT: Duration = Duration::from_millis(50);

/// How often a wait looks whether a program has ended.
const LOOK_AFTER: Duration = Duration::from_millis(5);

/// Bytes of standard error that are kept, from its end.
const MOST_LAST_WORDS: usize = 2000;

/// After its end, the time that a program's standard error is waited for: somebody else may hold it open.
const WAIT_FOR_LAST_WORDS: Duration = Duration::from_millis(500);

impl ChildProcess {
    /// Starts a command line, which the shell takes apart.
    pub(super) fn start(command_line: &str) -> io::Result<Self> {
        let mut command = shell(command_line);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            running.insert(child.id());
            child
        };
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, told) = mpsc::channel();
        let (said, output) = mpsc::sync_channel(LINES_AHEAD);
        if let Some(stdin) = stdin {
            thread::spawn(move || tell(&told, stdin));
        }
        if let Some(stdout) = stdout {
            thread::spawn(move || listen(stdout, &said));
        }
        Ok(Self {
            child,
            input: Some(input),
            output,
            words: LastWords::of(stderr),
            gone: None,
        })
    }

    /// Tells it a line. One that has ended does not hear it, which shows when it is asked.
    pub(super) fn tell(&self, line: &str) {
        if let Some(input) = &self.input {
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Ends its input, once it has read what it was told.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line that it writes.
    pub(super) fn line(
        &mut self,
        limit: Duration,
        interrupt: &Interrupt,
    ) -> Result<String, NoLine> {
        let began = Instant::now();
        loop {
            if interrupt.came() {
                return Err(NoLine::Interrupted);
            }
            // What it has started may hold its output open, and may have nothing to say.
            let ended = self.gone.is_some() || has_ended(&mut self.child);
            let left = limit.saturating_sub(began.elapsed());
            return match self.output.recv_timeout(left.min(LOOK_ABOUT)) {
                Ok(Line::Text(text)) => Ok(text),
                Ok(Line::TooLong) => Err(NoLine::TooLong),
                Ok(Line::NotText) => Err(NoLine::NotText),
                Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => Err(NoLine::Gone),
                Err(RecvTimeoutError::Timeout) if ended => Err(NoLine::Gone),
                Err(RecvTimeoutError::Timeout) if left > LOOK_ABOUT => continue,
                Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            };
        }
    }

    /// Waits a while for its end, and then ends it and all that it has started.
    pub(super) fn end(&mut self, patience: Duration) -> Gone {
        if let Some(gone) = self.gone {
            return gone;
        }
        let began = Instant::now();
        let mut ended = has_ended(&mut self.child);
        while !ended && began.elapsed() < patience {
            thread::sleep(LOOK_AFTER);
            ended = has_ended(&mut self.child);
        }
        {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            // Its number is its own as long as nobody has waited for it.
            kill_all(&mut self.child);
            running.remove(&self.child.id());
        }
        let gone = match self.child.wait() {
            Ok(status) if ended => Gone::Ended(status),
            _ => Gone::Killed,
        };
        *self.gone.insert(gone)
    }

    /// The end of what it has written to standard error. It should have ended.
    pub(super) fn last_words(&self) -> String {
        self.words.get()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// Ends all programs that run, and lets no other start: for whoever is about to end.
pub(super) fn end_all() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    for &number in &*running {
        kill_group(number);
    }
    // Nobody gets it any more.
    mem::forget(running);
}

/// Writes what a program is told until it no longer reads, or nobody has anything to say.
fn tell(told: &Receiver<String>, mut stdin: ChildStdin) {
    for line in told {
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads what a program says until it ends, or nobody listens.
fn listen(stdout: ChildStdout, said: &SyncSender<Line>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(line) = Line::read_most(&mut stdout) {
        let (is_end, is_too_long) = (line == Line::End, line == Line::TooLong);
        if is_end || said.send(line).is_err() {
            return;
        }
        // That is known before its end, which may never come.
        if is_too_long && Line::pass_over(&mut stdout).is_err() {
            return;
        }
    }
}

/// The end of a program's standard error.
struct LastWords {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Its other end is there as long as there may be more.
    closed: Receiver<()>,
}

impl LastWords {
    fn of(stderr: Option<ChildStderr>) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (open, closed) = mpsc::channel();
        if let Some(stderr) = stderr {
            let kept = Arc::clone(&kept);
            thread::spawn(move || {
                keep_end(stderr, &kept);
                drop(open);
            });
        }
        Self { kept, closed }
    }

    fn get(&self) -> String {
        let _ = self.closed.recv_timeout(WAIT_FOR_LAST_WORDS);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

fn keep_end(source: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut source = BufReader::new(source);
    loop {
        let length = match source.fill_buf() {
            Ok([]) => return,
            Ok(chunk) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(chunk);
                let too_many = kept.len().saturating_sub(MOST_LAST_WORDS);
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
fn shell(command_line: &str) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new("sh");
    let line = if is_program(command_line) {
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
fn is_program(command_line: &str) -> bool {
    let first = command_line.split_whitespace().next().unwrap_or_default();
    let is_name = !first.is_empty() && !first.contains('=') && !SHELL_WORDS.contains(&first);
    is_name && !command_line.contains(SHELL_CHARACTERS)
}

/// Words that are no programs where a command line begins with them.
#[cfg(unix)]
const SHELL_WORDS: [&str; 28] = [
    "!", ".", ":", "alias", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if",
    "read", "readonly", "return", "set", "shift", "source", "times", "trap", "ulimit", "umask",
    "unset", "until", "wait", "while", "{",
];

/// Characters by which a command line is more than one program with its arguments.
#[cfg(unix)]
const SHELL_CHARACTERS: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];

#[cfg(not(unix))]
fn shell(command_line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.args(["/C", command_line]);
    command
}

/// Whether it has ended. Nobody else gets its number before it is waited for.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(child)), options).is_ok_and(|status| status.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Ends it and all that it has started.
#[cfg(unix)]
fn kill_all(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Where nobody is left there is nothing to end.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(unix)]
fn kill_group(number: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(number).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Where nobody is left there is nothing to end.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_number: u32) {
    // What has lost who talks to it has to find out by itself.
}

#[cfg(not(unix))]
fn kill_all(child: &mut Child) {
    // Where it has ended there is nothing to end.
    let _ = child.kill();
}
