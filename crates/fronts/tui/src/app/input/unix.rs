//! Input of a terminal of Unix, which never blocks: bytes become events as they arrive, and an
//! incomplete escape sequence ends after a timeout.
//!
//! The reader of `crossterm` blocks in the middle of a sequence until its next byte arrives, and reads
//! from a closed terminal in an endless loop.

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

/// The time after which an incomplete sequence is what was typed: the key Escape, or a key with Alt.
/// The bytes of a sequence arrive together, or as far apart as the packets of a slow connection.
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
            // No sequence longer than Escape and a key contains a control character, so that it is a
            // key of its own, such as Ctrl-C.
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

    /// Ends an incomplete sequence, because no other byte follows: Escape and two keys with Alt begin
    /// sequences.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};

    use super::*;

    /// Sequences and their keys.
    const KEYS: &[(&[u8], KeyCode, KeyModifiers)] = &[
        (b"a", KeyCode::Char('a'), KeyModifiers::NONE),
        (b"A", KeyCode::Char('A'), KeyModifiers::SHIFT),
        ("é".as_bytes(), KeyCode::Char('é'), KeyModifiers::NONE),
        (
            "\u{1f600}".as_bytes(),
            KeyCode::Char('\u{1f600}'),
            KeyModifiers::NONE,
        ),
        (b"\r", KeyCode::Enter, KeyModifiers::NONE),
        (b"\x03", KeyCode::Char('c'), KeyModifiers::CONTROL),
        (b"\x7f", KeyCode::Backspace, KeyModifiers::NONE),
        (b"\x1ba", KeyCode::Char('a'), KeyModifiers::ALT),
        (
            b"\x1b\x03",
            KeyCode::Char('c'),
            KeyModifiers::CONTROL.union(KeyModifiers::ALT),
        ),
        (b"\x1b[A", KeyCode::Up, KeyModifiers::NONE),
        (b"\x1bOD", KeyCode::Left, KeyModifiers::NONE),
        (b"\x1b[1;5C", KeyCode::Right, KeyModifiers::CONTROL),
        (b"\x1b[3~", KeyCode::Delete, KeyModifiers::NONE),
        (b"\x1b[15~", KeyCode::F(5), KeyModifiers::NONE),
        (b"\x1b[Z", KeyCode::BackTab, KeyModifiers::SHIFT),
    ];

    /// Sequences of the mouse: with SGR encoding, with X10 encoding, and of rxvt.
    const MOUSE: [&[u8]; 3] = [b"\x1b[<0;20;10M", b"\x1b[M !+", b"\x1b[32;30;40M"];

    /// Sequences without an event.
    const UNKNOWN: [&[u8]; 4] = [
        b"\x1b[>0;276;0c",
        b"\x1b[?62;22c",
        b"\x1b[99~",
        b"\x1b[12;1t",
    ];

    /// Returns the events of bytes after which no other byte follows.
    fn events(bytes: &[u8]) -> Vec<Event> {
        let (mut parser, mut events) = (InputParser::default(), Vec::new());
        parser.advance(bytes, &mut events);
        parser.finish(&mut events);
        events
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn ctrl_c() -> Event {
        key(KeyCode::Char('c'), KeyModifiers::CONTROL)
    }

    #[test]
    fn sequences_are_keys() {
        for &(bytes, code, modifiers) in KEYS {
            assert_eq!(events(bytes), [key(code, modifiers)], "{bytes:?}");
        }
        for bytes in UNKNOWN {
            assert_eq!(events(bytes), [], "{bytes:?}");
        }
        for bytes in MOUSE {
            let [Event::Mouse(event)] = events(bytes)[..] else {
                panic!("{bytes:?}");
            };
            assert_eq!(
                event.kind,
                MouseEventKind::Down(MouseButton::Left),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn sequence_in_parts_is_one_key() {
        for &(bytes, code, modifiers) in KEYS {
            let (mut parser, mut events) = (InputParser::default(), Vec::new());
            for byte in bytes {
                parser.advance(&[*byte], &mut events);
            }
            // Escape and a key with Alt may go on.
            assert!(!parser.is_incomplete(), "{bytes:?}");
            assert_eq!(events, [key(code, modifiers)], "{bytes:?}");
        }
    }

    #[test]
    fn escape_and_alt_with_the_first_byte_of_a_sequence_are_keys() {
        assert_eq!(events(b"\x1b"), [key(KeyCode::Esc, KeyModifiers::NONE)]);
        for character in ['[', 'O'] {
            let bytes = format!("\x1b{character}");
            let expected = key(KeyCode::Char(character), KeyModifiers::ALT);
            assert_eq!(events(bytes.as_bytes()), [expected]);
        }
    }

    /// Checks Ctrl-C after each byte, and after the beginning of each sequence.
    #[test]
    fn control_character_after_an_incomplete_sequence_is_a_key() {
        let sequences = KEYS.iter().map(|key| key.0);
        let sequences = sequences.chain(MOUSE).chain(UNKNOWN);
        let prefixes =
            sequences.flat_map(|bytes| (1..=bytes.len()).map(|end| bytes[..end].to_vec()));
        for prefix in prefixes.chain((0..=255).map(|byte| vec![byte])) {
            let last = events(&[&prefix[..], b"\x03"].concat()).pop();
            let expected = if prefix == [ESCAPE] {
                key(
                    KeyCode::Char('c'),
                    KeyModifiers::CONTROL | KeyModifiers::ALT,
                )
            } else {
                ctrl_c()
            };
            assert_eq!(last, Some(expected), "{prefix:?}");
        }
    }

    #[test]
    fn byte_after_an_incomplete_character_is_a_key() {
        assert_eq!(
            events(b"\xc3q"),
            [key(KeyCode::Char('q'), KeyModifiers::NONE)]
        );
        assert_eq!(
            events(b"\xff\x1b[A"),
            [key(KeyCode::Up, KeyModifiers::NONE)]
        );
    }

    proptest! {
        #[test]
        fn random_bytes_are_parsed_alike_in_any_parts(
            bytes in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b"\x1b[O<;0129Mm~ucR?".to_vec())],
                0..200,
            ),
            size in 1_usize..9,
        ) {
            let (mut parser, mut in_parts) = (InputParser::default(), Vec::new());
            for part in bytes.chunks(size) {
                parser.advance(part, &mut in_parts);
                prop_assert!(parser.sequence.len() < MAX_SEQUENCE_LENGTH);
            }
            parser.finish(&mut in_parts);
            prop_assert_eq!(&in_parts, &events(&bytes));
            // The parser does not stay in a sequence.
            let mut all = bytes;
            all.extend([b' ', b'\x03']);
            let last = events(&all).pop();
            prop_assert_eq!(last, Some(ctrl_c()));
        }
    }

    #[test]
    fn a_pasted_text_is_one_event() {
        let parse = |parser: &mut InputParser, bytes: &[u8]| {
            let mut events = Vec::new();
            parser.advance(bytes, &mut events);
            events
        };
        let paste = |text: &str| Event::Paste(text.to_owned());
        let mut parser = InputParser::default();
        let events = parse(&mut parser, b"\x1b[200~q\x03\x1b[A\x1b[201~");
        assert_eq!(events, [paste("q\u{3}\u{1b}[A")]);
        assert!(!parser.is_incomplete());
        // A text without an end is an event after the timeout, and a long text several ones.
        assert_eq!(parse(&mut parser, b"\x1b[200~ab"), []);
        assert!(parser.is_incomplete());
        let mut events = Vec::new();
        parser.finish(&mut events);
        assert_eq!(events, [paste("ab")]);
        assert!(!parser.is_incomplete());
        let long = [PASTE_START, &[b'a'; MAX_PASTE_LENGTH + 1], PASTE_END].concat();
        let events = parse(&mut parser, &long);
        assert_eq!(events, [paste(&"a".repeat(MAX_PASTE_LENGTH)), paste("a")]);
    }
}
