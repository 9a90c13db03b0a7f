use std::convert::Infallible;

use kalah_tables::{Table, TableSlot};

/// What a search asks about positions near the end: tables of exact gains.
///
/// Rows are packed as in [`Packed`](crate::packed::Packed). A search first finds the slots of all
/// children of a position and only then reads them, so that it waits for memory once and not once a
/// child.
pub(crate) trait Endgames: Sync {
    /// Where a gain is kept.
    type Slot: Copy + Send + Sync;

    /// The most seeds in play of positions that may be known.
    fn most_seeds(&self) -> i32;

    /// Bytes of the machine's memory that it takes.
    fn bytes(&self) -> usize;

    /// Where the gain of these houses is kept, if it is known; it will be asked for soon.
    fn slot(&self, own: u64, other: u64) -> Option<Self::Slot>;

    /// The gain of the side to move.
    fn gain(&self, slot: Self::Slot) -> i8;
}

/// Nothing is known.
pub(crate) struct NoEndgames;

impl Endgames for NoEndgames {
    type Slot = Infallible;

    #[inline]
    fn most_seeds(&self) -> i32 {
        0
    }

    fn bytes(&self) -> usize {
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

impl Endgames for Table {
    type Slot = TableSlot;

    #[inline]
    fn most_seeds(&self) -> i32 {
        self.seeds().into()
    }

    fn bytes(&self) -> usize {
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
