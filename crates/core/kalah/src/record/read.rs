//! Games of a stream, read one after another.

use std::io::{self, Read};

use thiserror::Error;

use super::document::Record;
use super::error::RecordError;
use super::parse::{Origin, RecordParser};

/// A reader of the games of a stream. It holds one game at a time and some of the text behind it,
/// so that its memory does not grow with the stream.
///
/// Each item is a game or its error, as [`Record::parse_each`] returns them. After another error
/// than that of a game the stream is not read any further.
///
/// ```
/// use kalah::record::RecordReader;
/// let mut games = RecordReader::new("1. A a * 1. A z * 1. C D *".as_bytes());
/// assert!(games.next().is_some_and(|game| game.is_ok()));
/// let error = games.next().expect("a second game").expect_err("South has no house z");
/// assert!(error.to_string().starts_with("game 2, line 1, column 15"));
/// assert!(games.next().is_some_and(|game| game.is_ok()));
/// assert!(games.next().is_none());
/// ```
#[derive(Debug)]
pub struct RecordReader<R> {
    input: R,
    /// The text that was read and not parsed.
    text: String,
    /// The start of a character, of which the rest was not read.
    partial: Vec<u8>,
    /// The place of `text` in the stream.
    origin: Origin,
    /// The number of bytes before `text`.
    bytes: usize,
    state: InputState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputState {
    Open,
    /// The stream has ended.
    Ended,
    /// Bytes that are not UTF-8 follow.
    NotUtf8,
    /// No further game can be read.
    Failed,
}

/// The reason why a game cannot be read from a stream.
#[derive(Debug, Error)]
pub enum ReadRecordError {
    /// A game is not valid. The games behind it can be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The stream cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The stream is not UTF-8.
    #[error("it is not UTF-8 text: line {line}, byte {byte} of the file")]
    NotUtf8 {
        /// The first line that is not text, from 1.
        line: usize,
        /// The first byte that is not text, from 1.
        byte: usize,
    },
    /// A game is longer than [`RecordReader::MAX_GAME_BYTES`].
    #[error("game {0} is longer than {max} MiB", max = MAX_GAME_BYTES >> 20)]
    TooLong(usize),
}

/// The number of bytes that are read at once.
const CHUNK_BYTES: usize = 1 << 16;

const MAX_GAME_BYTES: usize = 64 << 20;

impl<R: Read> RecordReader<R> {
    /// The maximum length of a game. A device can be endless.
    pub const MAX_GAME_BYTES: usize = MAX_GAME_BYTES;

    /// Creates a reader of the games of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            text: String::new(),
            partial: Vec::new(),
            origin: Origin::default(),
            bytes: 0,
            state: InputState::Open,
        }
    }

    fn read_game(&mut self) -> Result<Option<Record>, ReadRecordError> {
        loop {
            let mut parser = RecordParser::new(&self.text, self.origin);
            let game = parser.next_game();
            if self.state == InputState::Ended || !parser.has_reached_end() {
                let length = self.text.len() - parser.rest().len();
                self.origin = self.origin.after_game(&self.text[..length]);
                self.text.drain(..length);
                self.bytes += length;
                return Ok(game?);
            }
            if self.state == InputState::NotUtf8 {
                return Err(ReadRecordError::NotUtf8 {
                    line: self.origin.after_game(&self.text).lines + 1,
                    byte: self.bytes + self.text.len() + 1,
                });
            }
            if self.text.len() > MAX_GAME_BYTES {
                return Err(ReadRecordError::TooLong(self.origin.games + 1));
            }
            self.read_text()?;
        }
    }

    /// Reads at least as much text as there is, so that a long game is parsed few times.
    fn read_text(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.partial);
        let length = CHUNK_BYTES.max(self.text.len());
        let read = (&mut self.input)
            .take(length as u64)
            .read_to_end(&mut bytes)?;
        if read == 0 {
            self.state = InputState::Ended;
        }
        match str::from_utf8(&bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                self.text.push_str(&String::from_utf8_lossy(valid));
                self.partial = rest.to_vec();
                if error.error_len().is_some() || read == 0 {
                    self.state = InputState::NotUtf8;
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<Record, ReadRecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == InputState::Failed {
            return None;
        }
        let game = self.read_game();
        if !matches!(game, Ok(_) | Err(ReadRecordError::Record(_))) {
            self.state = InputState::Failed;
        }
        game.transpose()
    }
}
