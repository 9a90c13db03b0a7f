//! Runs the binary `kalah`: to its end, as a session over pipes, and on a pseudo-terminal.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const KALAH: &str = env!("CARGO_BIN_EXE_kalah");

/// The time after which a test counts as hanging. A slow or busy machine needs far less.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(5);

/// The interval at which [`wait_until`] checks its condition.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Returns `kalah` with arguments.
pub(crate) fn kalah(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(KALAH);
    command.args(arguments);
    // The defaults and the games of the person who runs the tests have no effect.
    command.env("KALAH_CONFIG", "");
    command.env("KALAH_HISTORY", "false");
    command
}

/// Returns `kalah` with arguments in a working directory.
pub(crate) fn kalah_in(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = kalah(arguments);
    command.current_dir(directory);
    command
}

/// Splits a command line at its spaces.
pub(crate) fn args(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Splits a command line at its spaces and replaces each `{}` by the next value, which may have
/// spaces.
#[track_caller]
pub(crate) fn args_with<'a>(line: &'a str, values: &[&'a str]) -> Vec<&'a str> {
    let mut values = values.iter();
    let words = line.split(' ').map(|word| match word {
        "{}" => values.next().expect("a value for each `{}`"),
        word => word,
    });
    let words = words.collect();
    assert!(values.next().is_none(), "a `{{}}` for each value");
    words
}

/// Runs a command to its end without input.
pub(crate) fn run(command: &mut Command) -> Finished {
    Process::spawn(command).finish()
}

/// Runs a command to its end with some input, which the command need not read.
pub(crate) fn run_with_input(command: &mut Command, input: impl AsRef<[u8]>) -> Finished {
    let mut process = Process::spawn(command);
    process.send(input);
    process.finish()
}

/// A process that has ended, with the output that the test has not read before.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Returns the standard output of a command that must succeed without a message.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert!(self.status.success() && self.stderr.is_empty(), "{self:#?}");
        self.stdout
    }

    /// Returns the messages of a command that must fail with an exit code.
    #[track_caller]
    pub(crate) fn failure(self, code: i32) -> String {
        assert_eq!(self.code(), Some(code), "{self:#?}");
        self.stderr
    }

    /// Parses the standard output, which must be one line of JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:#?}");
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

/// A running process with pipes. Dropping it kills it.
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Vec<u8>>,
    /// The output that has been received but not read.
    unread: Vec<u8>,
    errors: Option<JoinHandle<Vec<u8>>>,
}

impl Process {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self::new(child.unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Starts a process whose standard output is closed.
    pub(crate) fn with_closed_output(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        drop(child.stdout.take());
        Self::new(child)
    }

    /// Takes over a process. A pipe that the caller has taken from `child` stays with the caller.
    pub(crate) fn new(mut child: Child) -> Self {
        // Threads read and write the pipes: neither the process nor the test waits for the other.
        let input = child.stdin.take().map(|mut stdin| {
            let (sender, receiver) = mpsc::channel::<Vec<u8>>();
            thread::spawn(move || {
                for bytes in receiver {
                    // The process may have ended.
                    if stdin
                        .write_all(&bytes)
                        .and_then(|()| stdin.flush())
                        .is_err()
                    {
                        return;
                    }
                }
            });
            sender
        });
        let (sender, output) = mpsc::channel();
        if let Some(mut stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut buffer = [0; 1 << 14];
                while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                    if sender.send(buffer[..length].to_vec()).is_err() {
                        return;
                    }
                }
            });
        }
        let errors = child.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                stderr.read_to_end(&mut bytes).expect("readable errors");
                bytes
            })
        });
        Self {
            child,
            input,
            output,
            unread: Vec::new(),
            errors,
        }
    }

    /// Queues bytes for the standard input. Bytes that the process does not read are lost.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_ref().expect("open input");
        let _ = input.send(bytes.as_ref().to_vec());
    }

    pub(crate) fn send_line(&mut self, line: impl Display) {
        self.send(format!("{line}\n"));
    }

    /// Waits for more output. Returns false at its end.
    #[track_caller]
    fn receive(&mut self, deadline: Instant) -> bool {
        let limit = deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(limit) {
            Ok(bytes) => {
                self.unread.extend(bytes);
                true
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => false,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!(
                "no more output within {TIMEOUT:?} after {:?}",
                String::from_utf8_lossy(&self.unread)
            ),
        }
    }

    /// Reads up to the end of the next occurrence of `text`. At the end of the output, returns
    /// `None` and leaves the rest unread.
    #[track_caller]
    pub(crate) fn read_until(&mut self, text: &str) -> Option<String> {
        let deadline = Instant::now() + TIMEOUT;
        let mut searched = 0;
        loop {
            let found = self.unread[searched..]
                .windows(text.len())
                .position(|window| window == text.as_bytes());
            if let Some(start) = found {
                let bytes = self.unread.drain(..searched + start + text.len()).collect();
                return Some(String::from_utf8(bytes).expect("UTF-8"));
            }
            searched = (self.unread.len() + 1).saturating_sub(text.len());
            if !self.receive(deadline) {
                return None;
            }
        }
    }

    /// Reads the next line, without its end.
    #[track_caller]
    pub(crate) fn read_line(&mut self) -> String {
        let mut line = self.read_until("\n").expect("a line of output");
        line.pop();
        line
    }

    /// Returns whether no output is unread and none arrives within a time. Discards other output.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        let was_silent = self.unread.is_empty();
        self.unread.clear();
        was_silent && self.output.recv_timeout(time).is_err()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child process").is_none()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, such as `INT`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.expect("the command kill").success(), "{name}");
    }

    /// Kills the process and waits for its end.
    pub(crate) fn kill(&mut self) -> ExitStatus {
        self.child.kill().expect("a child process");
        self.child.wait().expect("a child process")
    }

    /// Closes the input and waits for the end of the process.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished {
        self.input = None;
        self.wait()
    }

    /// Waits for the end of the process, with an open input.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Finished {
        let deadline = Instant::now() + TIMEOUT;
        while self.receive(deadline) {}
        wait_until("the process ends", || !self.is_running());
        let status = self.child.wait().expect("a child process");
        let errors = self.errors.take().map(JoinHandle::join);
        Finished {
            status,
            stdout: String::from_utf8(std::mem::take(&mut self.unread)).expect("UTF-8"),
            stderr: errors.map_or_else(String::new, |errors| {
                String::from_utf8(errors.expect("no panic")).expect("UTF-8")
            }),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a condition.
///
/// # Panics
/// Panics if the condition is false for [`TIMEOUT`].
#[track_caller]
pub(crate) fn wait_until(condition: &str, mut is_met: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !is_met() {
        assert!(
            Instant::now() < deadline,
            "not within {TIMEOUT:?}: {condition}"
        );
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns whether a process runs whose command line contains `part`.
#[cfg(unix)]
pub(crate) fn is_process_running(part: &str) -> bool {
    let mut ps = Command::new("ps");
    let processes = run(ps.args(["-A", "-o", "stat=,args="])).success();
    let mut processes = processes.lines();
    processes.any(|process| process.contains(part) && !process.starts_with('Z'))
}

/// Waits until no process runs whose command line contains `part`.
#[cfg(unix)]
#[track_caller]
pub(crate) fn wait_until_gone(part: &str) {
    let condition = format!("no process with `{part}` is left");
    wait_until(&condition, || !is_process_running(part));
}

pub(crate) fn temp_dir() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

pub(crate) fn path_text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[cfg(unix)]
pub(crate) use terminal::{finish_session, spawn_on_terminal};

#[cfg(unix)]
mod terminal {
    use std::process::Command;

    use rexpect::process::WaitStatus;
    use rexpect::session::{PtySession, spawn_command};

    use super::TIMEOUT;

    /// Runs a command on a pseudo-terminal.
    pub(crate) fn spawn_on_terminal(command: Command) -> PtySession {
        let timeout = u64::try_from(TIMEOUT.as_millis()).expect("a small number");
        spawn_command(command, Some(timeout)).expect("a pseudo-terminal")
    }

    /// Returns the output up to the end of the program, which must succeed.
    #[track_caller]
    pub(crate) fn finish_session(mut session: PtySession) -> String {
        let output = session.exp_eof().expect("the end of the program");
        let status = session.process().wait().expect("an exit status");
        assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
        output
    }
}
