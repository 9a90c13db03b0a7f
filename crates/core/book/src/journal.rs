//! The journal of a build: the leaves that were searched so far.

use kalah::Gain;
use kalah_files::{add_checksum, remove_checksum};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::positions::BookStart;

/// The gains of the leaves that an unfinished build has searched.
///
/// The journal is a text. Its first line names the start, and each further line has a leaf with its
/// gain. Every line has a checksum, and a build appends a line for each leaf that it has searched.
///
/// ```
/// use kalah::{Gain, Rules};
/// use kalah_book::{BookJournal, BookStart};
///
/// let start = BookStart { houses: 2, seeds: 1, rules: Rules::STANDARD, plies: 1 };
/// let text = BookJournal::start_line(start) + &BookJournal::leaf_line(1, Gain::new(-2));
/// let journal = BookJournal::parse(text.as_bytes(), start, 2)?;
/// assert_eq!(journal.gains(), [None, Some(Gain::new(-2))]);
/// # Ok::<(), kalah_book::BookJournalError>(())
/// ```
pub struct BookJournal {
    gains: Vec<Option<Gain>>,
    complete_bytes: usize,
}

/// The reason why a text is not the journal of a build.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BookJournalError {
    /// The first line is not that of a journal of books.
    #[error("the first line is not that of a build of a book")]
    NoStart,
    /// The journal belongs to another book.
    #[error("the build is that of the book `{found}`, not of `{expected}`")]
    OtherStart {
        /// The start of the journal.
        found: String,
        /// The start of the build.
        expected: String,
    },
    /// A line is not as it was written.
    #[error(
        "line {line} is damaged: if it is deleted, the build resumes and searches its leaf again"
    )]
    Damaged {
        /// The number of the line, from 1.
        line: usize,
    },
    /// A line is about a leaf that the book does not have, or contradicts an earlier line.
    #[error("line {line} has a wrong leaf: {leaf}")]
    WrongLeaf {
        /// The number of the line, from 1.
        line: usize,
        /// The number of the leaf.
        leaf: usize,
    },
}

/// The first line.
#[derive(Deserialize, Serialize)]
struct StartLine {
    book: String,
}

/// A line after the first.
#[derive(Deserialize, Serialize)]
struct LeafLine {
    leaf: usize,
    gain: i32,
}

impl BookJournal {
    /// Returns the first line, with its end.
    pub fn start_line(start: BookStart) -> String {
        let book = start.to_string();
        to_line(&StartLine { book })
    }

    /// Returns the line of a leaf by its number from 0, with its end.
    pub fn leaf_line(leaf: usize, gain: Gain) -> String {
        let gain = gain.seeds();
        to_line(&LeafLine { leaf, gain })
    }

    /// Parses the journal of a build of the book of `start`, which has `leaves` leaves. A last line
    /// without end, which a killed process leaves, does not count; it can be the first one.
    ///
    /// # Errors
    /// If the bytes are no journal, or that of another book, or damaged.
    pub fn parse(bytes: &[u8], start: BookStart, leaves: usize) -> Result<Self, BookJournalError> {
        let mut gains = vec![None; leaves];
        let complete_bytes = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let mut lines = lines.filter_map(|line| line.strip_suffix(b"\n"));
        if complete_bytes == 0 {
            return if Self::start_line(start).as_bytes().starts_with(bytes) {
                Ok(Self {
                    gains,
                    complete_bytes,
                })
            } else {
                Err(BookJournalError::NoStart)
            };
        }
        let first = lines.next().and_then(parse_line);
        let StartLine { book: found } = first.ok_or(BookJournalError::NoStart)?;
        let expected = start.to_string();
        if found != expected {
            return Err(BookJournalError::OtherStart { found, expected });
        }
        for (text, line) in lines.zip(2..) {
            let LeafLine { leaf, gain } =
                parse_line(text).ok_or(BookJournalError::Damaged { line })?;
            let gain = Gain::new(gain);
            let known = gains.get_mut(leaf);
            let known = known.filter(|known| known.is_none_or(|known| known == gain));
            *known.ok_or(BookJournalError::WrongLeaf { line, leaf })? = Some(gain);
        }
        Ok(Self {
            gains,
            complete_bytes,
        })
    }

    /// The gains of the leaves in their order, as far as they are known.
    pub fn gains(&self) -> &[Option<Gain>] {
        &self.gains
    }

    /// The length of the complete lines in bytes.
    pub fn complete_bytes(&self) -> usize {
        self.complete_bytes
    }
}

fn to_line(fields: &impl Serialize) -> String {
    let object = serde_json::to_string(fields).expect("numbers and texts are JSON");
    add_checksum(&object) + "\n"
}

/// Parses a line with its checksum.
fn parse_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let object = remove_checksum(str::from_utf8(line).ok()?).ok()??;
    serde_json::from_str(&object).ok()
}
