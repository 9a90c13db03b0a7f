//! Text of unknown origin: lines of bounded length, and escapes for terminals.

use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

/// A line that was typed, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// The text, without its end of line.
    Text(String),
    /// Longer than any answer.
    TooLong,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Nothing more will come.
    End,
}

/// The maximum number of bytes of a line without its end: as many as KGP allows, and far more than
/// the longest file name of a system.
pub const MAX_LINE_BYTES: usize = 16_384;

/// The same with the line's end.
const MAX_BYTES_WITH_END: usize = MAX_LINE_BYTES
    + "
"
    .len();

impl InputLine {
    /// Reads a line from `input`, and keeps no more than [`MAX_LINE_BYTES`] of it in memory. A longer line is
    /// read to its end and dropped.
    ///
    /// # Errors
    /// The error of `input`.
    pub fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let line = Self::read_bounded(input)?;
        if line == Self::TooLong {
            Self::skip_rest(input)?;
        }
        Ok(line)
    }

    /// Reads a line, but no more than [`MAX_LINE_BYTES`] of it: a longer line may have no end.
    ///
    /// # Errors
    /// The error of `input`.
    pub fn read_bounded(input: &mut impl BufRead) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut ended = false;
        while !ended {
            let chunk = match fill_buf(input)? {
                [] if bytes.is_empty() => return Ok(Self::End),
                [] => break,
                chunk => chunk,
            };
            let (used, is_end) = line_length(chunk);
            if bytes.len() + used > MAX_BYTES_WITH_END {
                return Ok(Self::TooLong);
            }
            bytes.extend_from_slice(&chunk[..used]);
            ended = is_end;
            input.consume(used);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::Text(text.trim_end_matches(['\r', '\n']).to_owned())),
            Err(_) => Ok(Self::NotUtf8),
        }
    }

    /// Reads the rest of a line that was too long.
    ///
    /// # Errors
    /// The error of `input`.
    pub fn skip_rest(input: &mut impl BufRead) -> io::Result<()> {
        loop {
            let (used, is_end) = line_length(fill_buf(input)?);
            input.consume(used);
            if is_end || used == 0 {
                return Ok(());
            }
        }
    }
}

/// What there is to be read next; nothing at the end.
fn fill_buf(input: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            // Where more can come after an end, as on a terminal, it is not asked for again.
            Ok([]) => return Ok(&[]),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // It is there by now, and is given again.
    input.fill_buf()
}

/// How many bytes of a chunk are of its first line, and whether that ends there.
fn line_length(chunk: &[u8]) -> (usize, bool) {
    let end = chunk.iter().position(|&byte| byte == b'\n');
    (end.map_or(chunk.len(), |end| end + 1), end.is_some())
}

/// What is left of a longer text when it is quoted.
const MAX_QUOTED_CHARACTERS: usize = 60;

/// Whether a character could rule a terminal: it controls it, or turns the direction of the text
/// around it.
pub fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A text that somebody typed or handed over, without the characters that could rule a terminal.
pub fn escape_control(text: &str) -> String {
    let mut tame = String::new();
    for character in text.chars() {
        if is_terminal_control(character) {
            tame.extend(character.escape_default());
        } else {
            tame.push(character);
        }
    }
    tame
}

/// A [`tame`] text, no longer than is needed to recognise it.
pub fn escape_truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARACTERS) {
        Some((end, _)) => escape_control(&text[..end]) + "…",
        None => escape_control(text),
    }
}

/// A whole path as a [`tame`] text: one that is cut cannot be found.
pub fn display_path(path: &Path) -> String {
    escape_control(&path.display().to_string())
}

#[cfg(test)]
mod line_reader_tests {
    use super::*;

    #[test]
    fn lines_come_one_after_another_and_then_the_end() {
        let mut input = &b"3\r\n\nsave x"[..];
        for text in ["3", "", "save x"] {
            assert_eq!(
                InputLine::read(&mut input).unwrap(),
                InputLine::Text(text.to_owned())
            );
        }
        assert_eq!(InputLine::read(&mut input).unwrap(), InputLine::End);
        assert_eq!(InputLine::read(&mut input).unwrap(), InputLine::End);
    }

    #[test]
    fn an_endless_line_is_too_long_before_its_end() {
        let mut input = io::BufReader::new(io::repeat(b'x'));
        assert_eq!(
            InputLine::read_bounded(&mut input).unwrap(),
            InputLine::TooLong
        );
        let long = [vec![b'x'; MAX_BYTES_WITH_END - 1], b"\n".to_vec()].concat();
        let mut input = &*long;
        let text = "x".repeat(MAX_BYTES_WITH_END - 1);
        assert_eq!(
            InputLine::read_bounded(&mut input).unwrap(),
            InputLine::Text(text)
        );
    }

    #[test]
    fn bytes_that_are_no_text_and_endless_lines_are_passed_over() {
        let mut bytes = b"\xff\xfe3\n".to_vec();
        bytes.extend(vec![b'x'; MAX_BYTES_WITH_END * 3]);
        bytes.extend(b"\n4\n");
        let mut input = io::BufReader::with_capacity(7, &bytes[..]);
        assert_eq!(InputLine::read(&mut input).unwrap(), InputLine::NotUtf8);
        assert_eq!(InputLine::read(&mut input).unwrap(), InputLine::TooLong);
        assert_eq!(
            InputLine::read(&mut input).unwrap(),
            InputLine::Text("4".to_owned())
        );
    }
}

#[cfg(test)]
mod escape_tests {
    use super::*;

    #[test]
    fn what_is_harmless_is_shown_as_it_is() {
        assert_eq!(escape_truncated("Zoë's \"3\""), "Zoë's \"3\"");
    }

    #[test]
    fn paths_are_whole() {
        let path = "tables/".repeat(MAX_QUOTED_CHARACTERS) + "\u{1b}";
        let told = "tables/".repeat(MAX_QUOTED_CHARACTERS) + "\\u{1b}";
        assert_eq!(display_path(Path::new(&path)), told);
    }

    #[test]
    fn control_characters_and_length_are_tamed() {
        assert_eq!(escape_truncated("\u{1b}[2J\n"), "\\u{1b}[2J\\n");
        assert_eq!(
            escape_truncated("a\u{202e}b\u{2066}c\u{200f}"),
            "a\\u{202e}b\\u{2066}c\\u{200f}"
        );
        let long = escape_truncated(&"é".repeat(MAX_QUOTED_CHARACTERS + 1));
        assert_eq!(long.chars().count(), MAX_QUOTED_CHARACTERS + 1);
        assert!(long.ends_with("é…"));
    }
}
