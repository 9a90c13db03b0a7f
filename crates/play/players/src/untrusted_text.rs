//! Text of unknown origin: lines of bounded length, and escapes for terminals.

use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

/// A line of input, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// The text without its line ending.
    Text(String),
    /// The line is longer than [`MAX_LINE_BYTES`].
    TooLong,
    /// The line is not valid UTF-8.
    NotUtf8,
    /// The input has ended.
    End,
}

/// The maximum number of bytes of a line without its line ending: the limit of KGP, and far more
/// than the longest file name of any operating system.
pub const MAX_LINE_BYTES: usize = 16_384;

/// The maximum number of bytes of a line with its line feed.
const MAX_BYTES_WITH_END: usize = MAX_LINE_BYTES + 1;

impl InputLine {
    /// Reads a line from `input` and keeps at most [`MAX_LINE_BYTES`] of it in memory. A longer
    /// line is read to its end and dropped. The line ending is LF or CR LF.
    ///
    /// # Errors
    /// Returns the error of `input`.
    pub fn read(input: &mut impl BufRead) -> io::Result<Self> {
        match Self::read_bounded(input)? {
            Self::TooLong => {
                Self::skip_rest(input)?;
                Ok(Self::TooLong)
            }
            Self::Text(text) => Ok(Self::Text(trim_carriage_returns(text))),
            line => Ok(line),
        }
    }

    /// Reads a line from `input`, but at most [`MAX_LINE_BYTES`] of it, because a longer line may
    /// never end. After [`InputLine::TooLong`], [`InputLine::skip_rest`] reads the rest. The line
    /// ending is LF: a CR before it is part of the text.
    ///
    /// # Errors
    /// Returns the error of `input`.
    pub fn read_bounded(input: &mut impl BufRead) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut is_complete = false;
        while !is_complete {
            let chunk = match fill_buf(input)? {
                [] if bytes.is_empty() => return Ok(Self::End),
                [] => break,
                chunk => chunk,
            };
            let (used, has_line_end) = line_length(chunk);
            if bytes.len() + used > MAX_BYTES_WITH_END {
                return Ok(Self::TooLong);
            }
            bytes.extend_from_slice(&chunk[..used]);
            is_complete = has_line_end;
            input.consume(used);
        }
        if is_complete {
            bytes.pop();
        }
        Ok(String::from_utf8(bytes).map_or(Self::NotUtf8, Self::Text))
    }

    /// Reads and drops the rest of a line that was too long.
    ///
    /// # Errors
    /// Returns the error of `input`.
    pub fn skip_rest(input: &mut impl BufRead) -> io::Result<()> {
        loop {
            let (used, has_line_end) = line_length(fill_buf(input)?);
            input.consume(used);
            if has_line_end || used == 0 {
                return Ok(());
            }
        }
    }
}

/// Removes the CRs at the end of a line.
pub(crate) fn trim_carriage_returns(mut text: String) -> String {
    text.truncate(text.trim_end_matches('\r').len());
    text
}

/// Returns the bytes that are buffered next; none at the end of the input.
fn fill_buf(input: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            // A terminal can deliver more after an end of input, so a second call would block.
            Ok([]) => return Ok(&[]),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // The buffer is filled, so this call returns the same bytes without reading. The borrow checker
    // rejects returning them from within the loop.
    input.fill_buf()
}

/// Returns the number of bytes of `chunk` up to its first line feed, inclusive, and whether there
/// is one.
fn line_length(chunk: &[u8]) -> (usize, bool) {
    let end = chunk.iter().position(|&byte| byte == b'\n');
    (end.map_or(chunk.len(), |end| end + 1), end.is_some())
}

/// The maximum number of characters of a text that [`escape_truncated`] keeps.
const MAX_TRUNCATED_CHARS: usize = 60;

/// Returns whether a terminal acts on `character`: a control character, or one that changes the
/// direction of the text around it.
pub fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns `text` with each character that satisfies [`is_terminal_control`] escaped as in a Rust
/// string literal, such as `\n` or `\u{1b}`. Its length is not limited.
pub fn escape_control(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if is_terminal_control(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Returns the first 60 characters of `text`, escaped by [`escape_control`], with `…` in place of
/// the rest.
pub fn escape_truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_TRUNCATED_CHARS) {
        Some((end, _)) => escape_control(&text[..end]) + "…",
        None => escape_control(text),
    }
}

/// Returns the whole of `path`, escaped by [`escape_control`]. It is not truncated, because a
/// reader needs all of a path to find the file.
pub fn display_path(path: &Path) -> String {
    escape_control(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_one_by_one_up_to_the_end_of_the_input() {
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
    fn bounded_lines_keep_carriage_returns() {
        let mut input = &b"3\r\n\r\n\n4\r"[..];
        for text in ["3\r", "\r", "", "4\r"] {
            assert_eq!(
                InputLine::read_bounded(&mut input).unwrap(),
                InputLine::Text(text.to_owned())
            );
        }
        assert_eq!(InputLine::read_bounded(&mut input).unwrap(), InputLine::End);
    }

    #[test]
    fn endless_line_is_too_long_and_a_line_of_maximum_length_is_not() {
        let mut input = io::BufReader::new(io::repeat(b'x'));
        assert_eq!(
            InputLine::read_bounded(&mut input).unwrap(),
            InputLine::TooLong
        );
        let text = "x".repeat(MAX_LINE_BYTES);
        let line = text.clone() + "\n";
        assert_eq!(
            InputLine::read_bounded(&mut line.as_bytes()).unwrap(),
            InputLine::Text(text)
        );
    }

    #[test]
    fn invalid_utf8_and_overlong_lines_are_skipped_to_their_end() {
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

    #[test]
    fn escape_truncated_escapes_only_control_characters() {
        for (text, escaped) in [
            ("Zoë's \"3\"", "Zoë's \"3\""),
            ("\u{1b}[2J\n", "\\u{1b}[2J\\n"),
            (
                "a\u{202e}b\u{2066}c\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
            ),
        ] {
            assert_eq!(escape_truncated(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn escape_truncated_replaces_the_rest_of_a_long_text_by_an_ellipsis() {
        let long = escape_truncated(&"é".repeat(MAX_TRUNCATED_CHARS + 1));
        assert_eq!(long, "é".repeat(MAX_TRUNCATED_CHARS) + "…");
    }

    #[test]
    fn display_path_keeps_the_whole_path() {
        let folders = "tables/".repeat(MAX_TRUNCATED_CHARS);
        let path = folders.clone() + "\u{1b}";
        assert_eq!(display_path(Path::new(&path)), folders + "\\u{1b}");
    }
}
