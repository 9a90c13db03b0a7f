//! The lines of a batch: their source, and the thread that reads them.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use kalah_players::{InputLine, LineReader, quoted_path};
use kalah_record_files::text_file::{self, STDIN_NAME, TextFileError};

use crate::error::CliError;

/// The source of the lines of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineSource {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// A line of a batch that is neither empty nor a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchLine {
    /// The number of the line in its source, from 1.
    pub(crate) number: u64,
    /// The text without spaces around it; empty if the line is too long. U+FFFD replaces bytes that
    /// are not UTF-8.
    pub(crate) text: String,
    /// The reason why the line cannot be used.
    pub(crate) problem: Option<&'static str>,
}

/// The sign at the start of a comment.
const COMMENT: char = '#';

const TOO_LONG: &str = "the line is too long";
const NOT_UTF8: &str = "the line is not UTF-8 text";

impl LineSource {
    /// Returns the name of the source in messages.
    fn name(&self) -> String {
        match self {
            Self::Stdin => STDIN_NAME.to_owned(),
            Self::File(path) => quoted_path(path),
        }
    }

    fn open(&self) -> Result<BatchLineReader, TextFileError> {
        let source: Box<dyn Read> = match self {
            Self::Stdin => Box::new(text_file::begin(STDIN_NAME, io::stdin())?),
            Self::File(path) => Box::new(text_file::open(path)?),
        };
        Ok(BatchLineReader::new(source))
    }

    fn cannot_read(&self, reason: &io::Error) -> CliError {
        CliError::Runtime(format!("cannot read {}: {reason}", self.name()))
    }

    /// Reads a line for each request on a thread of its own, and passes it to `send`; `Ok(None)` is
    /// the end of the source, the last call. The thread ends with it, and when the requests end.
    /// No other thread waits for it, because a read of standard input cannot be interrupted.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the thread cannot be started.
    pub(super) fn read_on_request<E: Send + 'static>(
        self,
        requests: Receiver<()>,
        events: Sender<E>,
        to_event: fn(Result<Option<BatchLine>, CliError>) -> E,
    ) -> Result<(), CliError> {
        let read = move || {
            let send = |line| events.send(to_event(line)).is_ok();
            let mut reader = match self.open() {
                Ok(reader) => reader,
                Err(error) => {
                    send(Err(error.into()));
                    return;
                }
            };
            for () in requests {
                let line = reader.next_line();
                let line = line.map_err(|reason| self.cannot_read(&reason));
                let is_last = !matches!(line, Ok(Some(_)));
                if !send(line) || is_last {
                    return;
                }
            }
        };
        let started = thread::Builder::new().name("lines".to_owned()).spawn(read);
        let started = started.map(drop);
        started.map_err(|reason| CliError::Runtime(format!("cannot start a thread: {reason}")))
    }
}

/// Reads the lines of a source.
struct BatchLineReader {
    lines: LineReader<BufReader<Box<dyn Read>>>,
    /// The number of lines read.
    number: u64,
}

impl BatchLineReader {
    fn new(source: Box<dyn Read>) -> Self {
        Self {
            lines: LineReader::new(BufReader::new(source)),
            number: 0,
        }
    }

    /// Returns the next line that is neither empty nor a comment; `None` at the end.
    fn next_line(&mut self) -> io::Result<Option<BatchLine>> {
        loop {
            let (text, problem) = match self.lines.read()? {
                InputLine::Text(text) => (text, None),
                InputLine::TooLong => (String::new(), Some(TOO_LONG)),
                InputLine::NotUtf8(text) => (text, Some(NOT_UTF8)),
                InputLine::End => return Ok(None),
            };
            self.number += 1;
            let text = text.trim();
            if problem.is_some() || !text.is_empty() && !text.starts_with(COMMENT) {
                return Ok(Some(BatchLine {
                    number: self.number,
                    text: text.to_owned(),
                    problem,
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8]) -> Vec<(u64, String, Option<&'static str>)> {
        let mut reader = BatchLineReader::new(Box::new(text));
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().expect("readable") {
            lines.push((line.number, line.text, line.problem));
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
        assert_eq!(lines[0], (1, String::new(), Some(TOO_LONG)));
        assert_eq!(lines[1], (2, "ab\u{fffd}".to_owned(), Some(NOT_UTF8)));
        assert_eq!(lines[2], (3, "6x4".to_owned(), None));
    }
}
