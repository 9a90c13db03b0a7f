//! Text of unknown origin: lines of bounded length, and escapes for terminals.

use std::io::{self, BufRead, ErrorKind};
use std::mem;
use std::path::Path;

use kalah::{format_number, strip_byte_order_mark};

/// A line of input, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// The text without its line ending.
    Text(String),
    /// The line is longer than [`MAX_LINE_BYTES`], which [`describe_too_long`] says. The text is
    /// its begin, in which U+FFFD replaces each invalid sequence.
    TooLong(String),
    /// The text of a line that is not UTF-8, in which U+FFFD replaces each invalid sequence.
    NotUtf8(String),
    /// The input has ended.
    End,
}

/// The maximum number of bytes of a line without its line ending: the limit of KGP, and far more
/// than the longest file name of any operating system.
pub const MAX_LINE_BYTES: usize = 16_384;

/// The maximum number of bytes of a line with its line feed.
const MAX_BYTES_WITH_END: usize = MAX_LINE_BYTES + 1;

/// Returns the error about a line of more than [`MAX_LINE_BYTES`].
pub fn describe_too_long() -> String {
    let max = format_number(MAX_LINE_BYTES as u64);
    format!("the line is longer than {max} bytes")
}

impl InputLine {
    /// Changes the text of the line, if it has one.
    fn map_text(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(text)),
            Self::NotUtf8(text) => Self::NotUtf8(change(text)),
            Self::TooLong(text) => Self::TooLong(change(text)),
            Self::End => self,
        }
    }
}

/// A reader of the lines of a text. It skips one byte order mark at the start of the text.
///
/// ```
/// use kalah_players::{InputLine, LineReader};
/// let mut lines = LineReader::new("\u{feff}uki\r\nquit".as_bytes());
/// assert_eq!(lines.read()?, InputLine::Text("uki".to_owned()));
/// assert_eq!(lines.read()?, InputLine::Text("quit".to_owned()));
/// assert_eq!(lines.read()?, InputLine::End);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct LineReader<R> {
    input: R,
    /// Whether a line was read, so that a mark is part of the text.
    has_begun: bool,
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader at the start of a text.
    pub fn new(input: R) -> Self {
        Self {
            input,
            has_begun: false,
        }
    }

    /// Reads a line and keeps at most [`MAX_LINE_BYTES`] of it in memory. A longer line is read to
    /// its end and dropped. The line ending is LF or CR LF.
    ///
    /// # Errors
    /// Returns the error of the input.
    pub fn read(&mut self) -> io::Result<InputLine> {
        match self.read_bounded()? {
            line @ InputLine::TooLong(_) => {
                self.skip_rest()?;
                Ok(line)
            }
            line => Ok(line.map_text(trim_carriage_returns)),
        }
    }

    /// Reads a line, but at most [`MAX_LINE_BYTES`] of it, because a longer line may never end.
    /// After [`InputLine::TooLong`], [`LineReader::skip_rest`] reads the rest. The line ending is
    /// LF: a CR before it is part of the text.
    ///
    /// # Errors
    /// Returns the error of the input.
    pub fn read_bounded(&mut self) -> io::Result<InputLine> {
        let line = read_bounded_line(&mut self.input)?;
        let is_first = !mem::replace(&mut self.has_begun, true);
        Ok(if is_first {
            line.map_text(|text| strip_byte_order_mark(&text).to_owned())
        } else {
            line
        })
    }

    /// Reads and drops the rest of a line that was too long.
    ///
    /// # Errors
    /// Returns the error of the input.
    pub fn skip_rest(&mut self) -> io::Result<()> {
        loop {
            let (used, has_line_end) = line_length(fill_buf(&mut self.input)?);
            self.input.consume(used);
            if has_line_end || used == 0 {
                return Ok(());
            }
        }
    }
}

fn read_bounded_line(input: &mut impl BufRead) -> io::Result<InputLine> {
    let mut bytes = Vec::new();
    let mut is_complete = false;
    while !is_complete {
        let chunk = match fill_buf(input)? {
            [] if bytes.is_empty() => return Ok(InputLine::End),
            [] => break,
            chunk => chunk,
        };
        let (used, has_line_end) = line_length(chunk);
        if bytes.len() + used > MAX_BYTES_WITH_END {
            bytes.extend_from_slice(&chunk[..MAX_LINE_BYTES - bytes.len()]);
            let text = String::from_utf8_lossy(&bytes);
            return Ok(InputLine::TooLong(text.into_owned()));
        }
        bytes.extend_from_slice(&chunk[..used]);
        is_complete = has_line_end;
        input.consume(used);
    }
    if is_complete {
        bytes.pop();
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => InputLine::Text(text),
        Err(error) => InputLine::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    })
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

/// Returns whether a terminal acts on `character` or shows nothing for it: a control character, one
/// that changes the direction of the text around it, a separator of lines, or one of no width, such
/// as a byte order mark, a soft hyphen or a tag. The two joiners of scripts and emoji are none.
pub fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The zero-width non-joiner and joiner, which belong between letters of some scripts and parts of
/// emoji.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// Returns `text` with each character that satisfies [`is_terminal_control`] escaped as in a Rust
/// string literal, such as `\n` or `\u{1b}`, and each joiner that is not between two characters
/// outside of ASCII. Its length is not limited.
pub fn escape_control(text: &str) -> String {
    let can_join = |neighbour: Option<char>| {
        neighbour.is_some_and(|it| !it.is_ascii() && !is_terminal_control(it))
    };
    let mut escaped = String::new();
    let mut before = None;
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let is_stray_joiner =
            JOINERS.contains(&character) && !(can_join(before) && can_join(rest.clone().next()));
        if is_terminal_control(character) || is_stray_joiner {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
        before = Some(character);
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

/// Returns the whole of `path` in quotes, escaped as by [`display_path`].
pub fn quoted_path(path: &Path) -> String {
    format!("'{}'", display_path(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_one_by_one_up_to_the_end_of_the_input() {
        let mut lines = LineReader::new(&b"3\r\n\nsave x"[..]);
        for text in ["3", "", "save x"] {
            assert_eq!(lines.read().unwrap(), InputLine::Text(text.to_owned()));
        }
        assert_eq!(lines.read().unwrap(), InputLine::End);
        assert_eq!(lines.read().unwrap(), InputLine::End);
    }

    #[test]
    fn one_byte_order_mark_is_skipped_at_the_start() {
        let text = "\u{feff}\u{feff}3\n\u{feff}4\n";
        // The mark may arrive in parts.
        let mut lines = LineReader::new(io::BufReader::with_capacity(1, text.as_bytes()));
        for text in ["\u{feff}3", "\u{feff}4"] {
            assert_eq!(lines.read().unwrap(), InputLine::Text(text.to_owned()));
        }
        assert_eq!(lines.read().unwrap(), InputLine::End);
    }

    #[test]
    fn bounded_lines_keep_carriage_returns() {
        let mut lines = LineReader::new(&b"3\r\n\r\n\n4\r"[..]);
        for text in ["3\r", "\r", "", "4\r"] {
            let line = lines.read_bounded().unwrap();
            assert_eq!(line, InputLine::Text(text.to_owned()));
        }
        assert_eq!(lines.read_bounded().unwrap(), InputLine::End);
    }

    #[test]
    fn endless_line_is_too_long_and_a_line_of_maximum_length_is_not() {
        let mut lines = LineReader::new(io::BufReader::new(io::repeat(b'x')));
        let text = "x".repeat(MAX_LINE_BYTES);
        let begin = InputLine::TooLong(text.clone());
        assert_eq!(lines.read_bounded().unwrap(), begin);
        let line = text.clone() + "\n";
        let line = LineReader::new(line.as_bytes()).read_bounded();
        assert_eq!(line.unwrap(), InputLine::Text(text));
    }

    #[test]
    fn invalid_utf8_is_replaced_and_overlong_lines_are_skipped_to_their_end() {
        let mut bytes = b"\xef\xbb\xbf3 \xff\xfex\r\n".to_vec();
        bytes.extend(vec![b'x'; MAX_BYTES_WITH_END * 3]);
        bytes.extend(b"\n4\n");
        let mut lines = LineReader::new(io::BufReader::with_capacity(7, &bytes[..]));
        let replaced = InputLine::NotUtf8("3 \u{fffd}\u{fffd}x".to_owned());
        assert_eq!(lines.read().unwrap(), replaced);
        let begin = InputLine::TooLong("x".repeat(MAX_LINE_BYTES));
        assert_eq!(lines.read().unwrap(), begin);
        assert_eq!(lines.read().unwrap(), InputLine::Text("4".to_owned()));
    }

    #[test]
    fn escape_truncated_escapes_only_control_and_invisible_characters() {
        for (text, escaped) in [
            ("Zoë's \"3\"", "Zoë's \"3\""),
            ("\u{1b}[2J\n", "\\u{1b}[2J\\n"),
            (
                "a\u{202e}b\u{2066}c\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
            ),
            (
                "\u{feff}uk\u{200b}i\u{2060}ok\u{ad}\u{2028}\u{e0041}",
                "\\u{feff}uk\\u{200b}i\\u{2060}ok\\u{ad}\\u{2028}\\u{e0041}",
            ),
            ("ok\u{200d} \u{200c}", "ok\\u{200d} \\u{200c}"),
            (
                "👩\u{200d}💻 می\u{200c}خواهم",
                "👩\u{200d}💻 می\u{200c}خواهم",
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
