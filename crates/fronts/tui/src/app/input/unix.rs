//! Input of a terminal of Unix, which never blocks: bytes become events as they arrive, and an
//! incomplete escape sequence ends after a timeout.
//!
//! The reader of `crossterm` blocks in the middle of a sequence until its next byte arrives, and
//! reads from a closed terminal in an endless loop.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::Event;
use ratatui::crossterm::terminal::size;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use signal_hook::consts::SIGWINCH;
use signal_hook::low_level::unregister;
use signal_hook::{SigId, flag};
use terminput::{KeyCode, KeyEvent, KeyModifiers};
use terminput_crossterm::to_crossterm;

/// The time after which an incomplete sequence is what was typed: the key Escape, or a key with
/// Alt. The bytes of a sequence arrive together, or as far apart as the packets of a slow
/// connection.
const SEQUENCE_TIMEOUT: Duration = Duration::from_millis(50);

/// The length of the longest sequence of a key or of the mouse, in bytes, generously.
const MAX_SEQUENCE_LENGTH: usize = 64;

/// The number of bytes of one read.
const BUFFER_SIZE: usize = 1024;

const ESCAPE: u8 = b'\x1b';

/// The sequences before and after a pasted text.
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// The maximum length of a pasted text in bytes. The rest of a longer one is another text.
const MAX_PASTE_LENGTH: usize = 4096;

/// The reader of standard input and of changes of the size.
#[derive(Debug)]
pub(crate) struct InputReader {
    parser: InputParser,
    /// The time of the last byte while a sequence is incomplete.
    incomplete_since: Option<Instant>,
    is_resized: Arc<AtomicBool>,
    resize_signal: SigId,
}

impl InputReader {
    pub(crate) fn open() -> io::Result<Self> {
        let is_resized = Arc::default();
        Ok(Self {
            parser: InputParser::default(),
            incomplete_since: None,
            resize_signal: flag::register(SIGWINCH, Arc::clone(&is_resized))?,
            is_resized,
        })
    }

    /// Waits up to `timeout` for input or a signal, and returns the events that are complete.
    ///
    /// # Errors
    /// If reading fails or the terminal has closed.
    pub(crate) fn read(&mut self, timeout: Duration) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        let rest = self
            .incomplete_since
            .map(|since| SEQUENCE_TIMEOUT.saturating_sub(since.elapsed()));
        if is_readable(rest.map_or(timeout, |rest| rest.min(timeout)))? {
            let mut buffer = [0; BUFFER_SIZE];
            match rustix::io::read(io::stdin(), &mut buffer) {
                // A terminal that closes after the poll.
                Ok(0) | Err(Errno::IO) => return Err(closed()),
                Ok(count) => {
                    self.parser.advance(&buffer[..count], &mut events);
                    self.incomplete_since = self.parser.is_incomplete().then(Instant::now);
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        } else if rest == Some(Duration::ZERO) {
            self.parser.finish(&mut events);
            self.incomplete_since = None;
        }
        if self.is_resized.swap(false, Ordering::SeqCst) {
            let (width, height) = size()?;
            events.push(Event::Resize(width, height));
        }
        Ok(events)
    }
}

impl Drop for InputReader {
    fn drop(&mut self) {
        unregister(self.resize_signal);
    }
}

/// Waits up to `timeout` until standard input is readable or a signal arrives.
///
/// # Errors
/// If the terminal has closed.
fn is_readable(timeout: Duration) -> io::Result<bool> {
    let input = io::stdin();
    let mut fds = [PollFd::new(&input, PollFlags::IN)];
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    match rustix::event::poll(&mut fds, Some(&timeout)) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let ready = fds[0].revents();
    if ready.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Err(closed());
    }
    Ok(ready.contains(PollFlags::IN))
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has closed")
}

/// A parser of the bytes of keys and the mouse. Unknown sequences are ignored.
#[derive(Debug, Default)]
struct InputParser {
    /// The bytes of an incomplete sequence.
    sequence: Vec<u8>,
    /// The bytes of a pasted text whose end has not arrived.
    pasted: Option<Vec<u8>>,
}

impl InputParser {
    fn is_incomplete(&self) -> bool {
        !self.sequence.is_empty() || self.pasted.is_some()
    }

    /// Parses bytes that follow the previous ones.
    fn advance(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        for &byte in bytes {
            if let Some(pasted) = &mut self.pasted {
                pasted.push(byte);
                if pasted.ends_with(PASTE_END) {
                    pasted.truncate(pasted.len() - PASTE_END.len());
                    self.finish_paste(events);
                } else if pasted.len() >= MAX_PASTE_LENGTH {
                    self.finish_paste(events);
                    self.pasted = Some(Vec::new());
                }
                continue;
            }
            // No sequence longer than Escape and a key contains a control character, so that it is
            // a key of its own, such as Ctrl-C.
            if byte.is_ascii_control() && self.sequence.len() > 1 {
                self.finish(events);
            }
            self.sequence.push(byte);
            self.parse_last(events);
        }
    }

    /// Handles the last byte of the sequence.
    fn parse_last(&mut self, events: &mut Vec<Event>) {
        // Escape alone may be the beginning of a sequence.
        if self.sequence == [ESCAPE] {
            return;
        }
        if self.sequence == PASTE_START {
            self.sequence.clear();
            self.pasted = Some(Vec::new());
            return;
        }
        let last = self.sequence.last().copied();
        match terminput::Event::parse_from(&self.sequence) {
            Ok(Some(event)) => {
                self.sequence.clear();
                events.extend(to_crossterm(event));
            }
            Ok(None) if self.sequence.len() < MAX_SEQUENCE_LENGTH => {}
            // The end of an unknown control sequence is a byte from `@` to `~` (ECMA-48, 5.4).
            Err(_)
                if self.sequence.starts_with(b"\x1b[")
                    && self.sequence.len() < MAX_SEQUENCE_LENGTH
                    && last.is_some_and(|byte| !(b'@'..=b'~').contains(&byte)) => {}
            Err(_) if !self.sequence.starts_with(&[ESCAPE]) && self.sequence.len() > 1 => {
                // An incomplete character is ignored, and the byte after it is a key of its own.
                self.sequence.clear();
                self.sequence.extend(last);
                self.parse_last(events);
            }
            Ok(None) | Err(_) => self.sequence.clear(),
        }
    }

    fn finish_paste(&mut self, events: &mut Vec<Event>) {
        if let Some(pasted) = self.pasted.take() {
            events.push(Event::Paste(String::from_utf8_lossy(&pasted).into_owned()));
        }
    }

    /// Ends an incomplete sequence, because no other byte follows: Escape and two keys with Alt
    /// begin sequences.
    fn finish(&mut self, events: &mut Vec<Event>) {
        self.finish_paste(events);
        let key = match self.sequence.as_slice() {
            [ESCAPE] => Some(KeyEvent::new(KeyCode::Esc)),
            [ESCAPE, byte @ (b'[' | b'O')] => {
                Some(KeyEvent::new(KeyCode::Char(char::from(*byte))).modifiers(KeyModifiers::ALT))
            }
            _ => None,
        };
        self.sequence.clear();
        events.extend(key.and_then(|key| to_crossterm(terminput::Event::Key(key)).ok()));
    }
}
