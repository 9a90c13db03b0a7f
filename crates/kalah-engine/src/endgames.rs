use std::convert::Infallible;

use kalah_tables::{Table, TableSlot};

/// What a search asks about positions near the end: tables of exact gains.
///
/// Rows are packed as in [`PackedBoard`](crate::packed::PackedBoard). A search first finds the slots of all
/// children of a position and only then reads them, so that it waits for memory once and not once a
/// child.
pub(crate) trait EndgameTable: Sync {
    /// Where a gain is kept.
    type ValueSlot: Copy + Send + Sync;

    /// The most seeds in play of positions that may be known.
    fn max_seeds(&self) -> i32;

    /// Bytes of the machine's memory that it takes.
    fn memory_bytes(&self) -> usize;

    /// Where the gain of these houses is kept, if it is known; it will be asked for soon.
    fn slot(&self, own: u64, other: u64) -> Option<Self::ValueSlot>;

    /// The gain of the side to move.
    fn gain(&self, slot: Self::ValueSlot) -> i8;
}

/// Nothing is known.
pub(crate) struct NoEndgameTable;

impl EndgameTable for NoEndgameTable {
    type ValueSlot = Infallible;

    #[inline]
    fn max_seeds(&self) -> i32 {
        0
    }

    fn memory_bytes(&self) -> usize {
        0
    }

    #[inline]
    fn slot(&self, _own: u64, _other: u64) -> Option<Infallible> {
        None
    }

    #[inline]
    fn gain(&self, slot: Infallible) -> i8 {
        match slot {}
    }
}

impl EndgameTable for Table {
    type ValueSlot = TableSlot;

    #[inline]
    fn max_seeds(&self) -> i32 {
        self.seeds().into()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    #[inline]
    fn slot(&self, own: u64, other: u64) -> Option<TableSlot> {
        let slot = Table::slot(self, own, other)?;
        self.prefetch(slot);
        Some(slot)
    }

    #[inline]
    fn gain(&self, slot: TableSlot) -> i8 {
        Table::gain(self, slot)
    }
}
