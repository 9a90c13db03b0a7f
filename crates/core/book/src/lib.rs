//! Opening books of exact gains.
//!
//! A book has the gain of every position that a start reaches with at most some number of plies.
//! Its file has no positions: the start and the rules determine them and their order, by
//! [`BookPositions`]. It has the gains of the leaves only, which are the positions after the
//! greatest number of plies. The gains of all others follow from them by the rules.
//!
//! [`OpeningStatistics`] counts how often each move was played in the openings of games;
//! [`OpeningFile`] is the file of such counts that the page ships.
//!
//! [`BookSet`] has the books of several starts, among them those that are embedded in the program.
//! [`Book::read`], [`Book::parse`] and [`Book::to_bytes`] are about the file of a book.
//! [`BookBuild`] keeps the leaves that an unfinished build has searched, in the form of
//! [`BookJournal`].
//!
//! ```
//! use kalah::{Gain, Move, Position, Rules};
//! use kalah_book::{Book, BookPositions, BookStart};
//!
//! // A start with two houses a side: its two positions after one ply are the leaves.
//! let start = BookStart { houses: 2, seeds: 1, rules: Rules::STANDARD, plies: 1 };
//! let positions = BookPositions::new(start)?;
//! assert_eq!((positions.position_count(), positions.leaf_count()), (3, 2));
//! # Ok::<(), kalah_book::BookError>(())
//! ```

#![forbid(unsafe_code)]

mod book;
// Programs for browsers have no files.
#[cfg(not(target_family = "wasm"))]
mod build;
mod error;
mod file;
mod journal;
mod positions;
mod set;
mod statistics;
mod statistics_file;

pub use book::Book;
#[cfg(not(target_family = "wasm"))]
pub use build::{BookBuild, BookBuildError, ReadBookError, StoreAction};
pub use error::BookError;
pub use journal::{BookJournal, BookJournalError};
pub use positions::{BookPositions, BookStart};
pub use set::BookSet;
pub use statistics::{
    MoveCounts, OPENING_PLIES, OpeningKey, OpeningMove, OpeningResults, OpeningStatistics,
    opening_moves, own_text,
};
pub use statistics_file::{OpeningFile, OpeningFileStart};
