//! Batches with an item in each line.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use kalah_players::{InputLine, LineReader, describe_too_long, escape_truncated, quoted_path};
use kalah_record_files::text_file::{self, STDIN_NAME};

use super::source::{BatchItem, BatchItems, BatchSource, ItemKind};
use crate::error::CliError;

/// The source of the lines of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineSource {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// The sign at the start of a comment.
const COMMENT: char = '#';

const NOT_UTF8: &str = "the line is not UTF-8 text";

/// The lines that are neither empty nor a comment, without spaces around them. A line that is
/// too long has its first characters, and U+FFFD replaces bytes that are not UTF-8.
impl BatchSource for LineSource {
    const KIND: ItemKind = ItemKind::Line;

    fn open(self) -> Result<BatchItems, CliError> {
        let (name, source): (_, Box<dyn Read>) = match self {
            Self::Stdin => {
                let input = text_file::begin(STDIN_NAME, io::stdin())?;
                (STDIN_NAME.to_owned(), Box::new(input))
            }
            Self::File(path) => (quoted_path(&path), Box::new(text_file::open(&path)?)),
        };
        let mut lines = BatchLines::new(source);
        let next = move || lines.next_line().transpose();
        Ok(Box::new(std::iter::from_fn(next).map(move |line| {
            line.map_err(|reason| CliError::Runtime(format!("cannot read {name}: {reason}")))
        })))
    }
}

/// Reads the lines of a source.
struct BatchLines {
    lines: LineReader<BufReader<Box<dyn Read>>>,
    /// The number of lines read.
    number: u64,
}

impl BatchLines {
    fn new(source: Box<dyn Read>) -> Self {
        Self {
            lines: LineReader::new(BufReader::new(source)),
            number: 0,
        }
    }

    /// Returns the next line that is neither empty nor a comment; `None` at the end.
    fn next_line(&mut self) -> io::Result<Option<BatchItem>> {
        loop {
            let (text, problem) = match self.lines.read()? {
                InputLine::Text(text) => (text, None),
                InputLine::TooLong(text) => (escape_truncated(&text), Some(describe_too_long())),
                InputLine::NotUtf8(text) => (text, Some(NOT_UTF8.to_owned())),
                InputLine::End => return Ok(None),
            };
            self.number += 1;
            let input = text.trim();
            if problem.is_some() || !input.is_empty() && !input.starts_with(COMMENT) {
                return Ok(Some(BatchItem {
                    number: self.number,
                    input: input.to_owned(),
                    text: problem.map_or_else(|| Ok(input.to_owned()), Err),
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8]) -> Vec<(u64, String, Option<String>)> {
        let mut reader = BatchLines::new(Box::new(text));
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().expect("readable") {
            lines.push((line.number, line.input, line.text.err()));
        }
        lines
    }

    #[test]
    fn empty_lines_and_comments_are_skipped_and_counted() {
        let text = "\u{feff}6x4\r\n\n # a comment\n  <1,0,0,1,1> s \n5x3";
        let expected = [(1, "6x4"), (4, "<1,0,0,1,1> s"), (5, "5x3")];
        let expected = expected.map(|(number, text)| (number, text.to_owned(), None));
        assert_eq!(lines(text.as_bytes()), expected);
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn unusable_lines_are_reported_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 1 << 20];
        text.extend(b"\nab\xff\n6x4\n");
        let lines = lines(text.leak());
        let too_long = "the line is longer than 16,384 bytes";
        let begin = "x".repeat(60) + "…";
        assert_eq!(lines[0], (1, begin, Some(too_long.to_owned())));
        assert_eq!(
            lines[1],
            (2, "ab\u{fffd}".to_owned(), Some(NOT_UTF8.to_owned()))
        );
        assert_eq!(lines[2], (3, "6x4".to_owned(), None));
    }
}
