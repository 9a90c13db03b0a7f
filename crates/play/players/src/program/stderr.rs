//! The standard error of a process: its end, and its lines for those that want them.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kalah::format_number;

use super::program_log::{LogSource, ProgramLog};
use super::program_player::StderrLines;
use crate::untrusted_text::MAX_LINE_BYTES;

/// The number of bytes that are kept from the end of standard error.
const MAX_STDERR_TAIL_BYTES: usize = 2000;

/// The time after the exit of a process to wait for the end of its standard error, which another
/// process may hold open.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

/// The end of the standard error of a process.
pub(super) struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    /// The reading thread holds the sender, and drops it at the end of standard error.
    eof: Receiver<()>,
}

impl StderrTail {
    /// Returns an empty tail, and the work of the thread that reads standard error, which also
    /// passes its lines to `receivers`.
    pub(super) fn new(
        stderr: Option<ChildStderr>,
        receivers: StderrReceivers,
    ) -> (Self, impl FnOnce() + Send + 'static) {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (eof_sender, eof) = mpsc::channel::<()>();
        let tail = Arc::clone(&bytes);
        let keep = move || {
            if let Some(stderr) = stderr {
                keep_tail(stderr, &tail, receivers);
            }
            drop(eof_sender);
        };
        (Self { bytes, eof }, keep)
    }

    /// Waits for the end of standard error, which comes soon after the exit of the process.
    pub(super) fn wait_for_end(&self) {
        let _ = self.eof.recv_timeout(STDERR_TIMEOUT);
    }

    pub(super) fn wait_for_text(&self) -> String {
        self.wait_for_end();
        let tail = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

/// Reads `source` to its end, keeps its last [`MAX_STDERR_TAIL_BYTES`] bytes in `tail`, and passes
/// its lines to `receivers`.
fn keep_tail(source: impl Read, tail: &Mutex<VecDeque<u8>>, mut receivers: StderrReceivers) {
    let mut source = BufReader::new(source);
    loop {
        let length = match source.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(chunk);
                let excess = tail.len().saturating_sub(MAX_STDERR_TAIL_BYTES);
                tail.drain(..excess);
                drop(tail);
                receivers.add(chunk);
                chunk.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => break,
        };
        source.consume(length);
    }
    receivers.end();
}

/// The receivers of the lines of standard error, if there are any.
pub(super) struct StderrReceivers {
    lines: Option<StderrLines>,
    log: Option<ProgramLog>,
    /// The first [`MAX_LINE_BYTES`] bytes of the line that is not complete.
    line: Vec<u8>,
    /// The number of bytes of this line that are left out.
    cut_bytes: u64,
}

impl StderrReceivers {
    pub(super) fn new(lines: Option<StderrLines>, log: Option<ProgramLog>) -> Self {
        Self {
            lines,
            log,
            line: Vec::new(),
            cut_bytes: 0,
        }
    }

    /// Passes the complete lines of a chunk on.
    fn add(&mut self, chunk: &[u8]) {
        if self.lines.is_none() && self.log.is_none() {
            return;
        }
        for &byte in chunk {
            if byte == b'\n' {
                self.end_line();
            } else if self.line.len() < MAX_LINE_BYTES {
                self.line.push(byte);
            } else {
                self.cut_bytes += 1;
            }
        }
    }

    /// Passes the last line on, if it has no end.
    fn end(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let text = String::from_utf8_lossy(&self.line);
        let text = text.trim_end();
        if let Some(lines) = &self.lines {
            lines.push(text);
        }
        if let Some(log) = &self.log {
            match self.cut_bytes {
                0 => log.add(LogSource::Stderr, text),
                cut => {
                    let text = format!("{text} … and {} bytes left out", format_number(cut));
                    log.add(LogSource::Stderr, &text);
                }
            }
        }
        self.line.clear();
        self.cut_bytes = 0;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::program::{ChildProcess, Shutdown};

    #[test]
    fn end_of_standard_error_is_kept() {
        let lines = "x".repeat(MAX_STDERR_TAIL_BYTES);
        let command = format!("echo {lines} >&2; echo the end >&2");
        let mut process = ChildProcess::start(&command, &Shutdown::default()).expect("a shell");
        process.wait_or_kill(Duration::from_mins(1));
        let tail = process.stderr_tail();
        assert!(tail.ends_with("x\nthe end"), "{tail}");
        assert!(tail.len() <= MAX_STDERR_TAIL_BYTES);
    }
}
