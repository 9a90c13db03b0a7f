use super::Turn;
use crate::Choice;

/// One of the things that the moves of a [`Record`](super::Record) consist of, in the order of its
/// text.
///
/// ```
/// use kalah::record::{Entry, Record};
/// let record: Record = "1. CF { two sowings } b ( 1. A ) *".parse()?;
/// let variations = record.entries().iter().filter(|entry| matches!(entry, Entry::Begin(_)));
/// assert_eq!(variations.count(), 1);
/// # Ok::<(), kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A ply of the line.
    Ply {
        /// The turn that it belongs to, whose side made it.
        turn: Turn,
        /// What was chosen.
        choice: Choice,
    },
    /// A comment on what stands before it, without `}` and without white space around it. Its lines
    /// are parted by `\n`.
    Comment(String),
    /// A variation begins: other plies from the beginning of this turn of the line on, up to the
    /// [`Entry::End`] that goes with it. It may have variations of its own.
    Begin(Turn),
    /// The variation that began last ends, and its line goes on where it was left.
    End,
}

// A record of a few megabytes has millions of them.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Entry>() == 24);
