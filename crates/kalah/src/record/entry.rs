use super::Turn;
use crate::Move;

/// One of the things that the moves of a [`Record`](super::Record) consist of, in the order of its
/// text.
///
/// ```
/// use kalah::record::{RecordEntry, Record};
/// let record: Record = "1. CF { two sowings } b ( 1. A ) *".parse()?;
/// let variations = record.entries().iter().filter(|entry| matches!(entry, RecordEntry::BeginVariation(_)));
/// assert_eq!(variations.count(), 1);
/// # Ok::<(), kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordEntry {
    /// A ply of the line.
    Ply {
        /// The turn that it belongs to, whose side made it.
        turn: Turn,
        /// What was chosen.
        mv: Move,
    },
    /// A comment on what stands before it, without `}` and without white space around it. Its lines
    /// are parted by `\n`.
    Comment(String),
    /// A variation begins: other plies from the beginning of this turn of the line on, up to the
    /// [`RecordEntry::EndVariation`] that goes with it. It may have variations of its own.
    BeginVariation(Turn),
    /// The variation that began last ends, and its line goes on where it was left.
    EndVariation,
}

// A record of a few megabytes has millions of them.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<RecordEntry>() == 24);
