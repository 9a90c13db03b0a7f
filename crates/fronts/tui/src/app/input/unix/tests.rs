//! Tests of `unix.rs`.

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
    let prefixes = sequences.flat_map(|bytes| (1..=bytes.len()).map(|end| bytes[..end].to_vec()));
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
