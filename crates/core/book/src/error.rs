//! Reasons why there is no book.

use kalah::{SetupError, format_count};
use thiserror::Error;

use crate::file::FIRST_LINE;
use crate::positions::BookStart;

/// The reason why a start has no book, or why bytes are not the file of a book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BookError {
    /// The start is not valid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The next ply of a leaf has rules of its own.
    #[error(
        "a book of `{}` needs more than {}: the first plies have rules of their own",
        .0.rules, format_count(.0.plies.into(), "ply")
    )]
    TooFewPlies(BookStart),
    /// There are too many plies.
    #[error("{0} plies are too many for a book: at most {max}", max = BookStart::MAX_PLIES)]
    TooManyPlies(u32),
    /// The start has more than 15 houses a side or more than 255 seeds.
    #[error(
        "{}x{} is too large for a book, which has at most 15 houses a side, and 255 seeds in all",
        .0.houses, .0.seeds
    )]
    LargeBoard(BookStart),
    /// The start has no moves.
    #[error("{}x{} is over at the start", .0.houses, .0.seeds)]
    Over(BookStart),
    /// The start reaches too many positions.
    #[error(
        "{}x{} reaches more than a million positions within {}",
        .0.houses, .0.seeds, format_count(.0.plies.into(), "ply")
    )]
    TooManyPositions(BookStart),
    /// The gains are not those of the leaves.
    #[error("{} for {}", to_count(*.found, "gain"), to_count(*.expected, "leaf"))]
    LeafCount {
        /// The number of gains.
        found: usize,
        /// The number of leaves.
        expected: usize,
    },
    /// The number of a leaf is too great.
    #[error("there is no leaf {leaf}: {} from number 0 on", to_count(*.leaves, "leaf"))]
    NoLeaf {
        /// The number of the leaf, from 0.
        leaf: usize,
        /// The number of leaves.
        leaves: usize,
    },
    /// A leaf cannot have its gain.
    #[error("leaf {leaf} cannot gain {gain}: it has {seeds} seeds in play")]
    LeafGain {
        /// The number of the leaf, from 0.
        leaf: usize,
        /// The gain.
        gain: i32,
        /// The seeds in play.
        seeds: u8,
    },
    /// The file is of another version or of another kind.
    #[error("not a book of this version: the first line is not `{FIRST_LINE}`")]
    OtherForm,
    /// The second line does not describe a start.
    #[error(
        "the second line `{0}` does not name a start as `board=6x4 rules=standard plies=4` does"
    )]
    StartLine(String),
    /// The bytes are not those that were written.
    #[error("the checksum does not match: the file is cut or damaged")]
    Checksum,
    /// The gains are not compressed as those of a book.
    #[error("the compressed gains are damaged")]
    Compression,
}

fn to_count(number: usize, noun: &str) -> String {
    format_count(u64::try_from(number).unwrap_or(u64::MAX), noun)
}
