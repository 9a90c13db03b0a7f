/// What a search asks about positions near the end: tables of exact gains.
///
/// Rows are packed as in [`Packed`](crate::packed::Packed). A search asks for all children of a
/// position at once, first with [`prefetch`](Self::prefetch) and then with [`probe`](Self::probe), so that it waits for
/// memory once and not once a child.
pub(crate) trait Endgames: Sync {
    /// The most seeds in play of positions that may be known.
    fn most_seeds(&self) -> i32;

    /// Says that the gain of these houses will be asked for soon.
    fn prefetch(&self, own: u64, other: u64);

    /// The gain of the side to move, if it is known.
    fn probe(&self, own: u64, other: u64) -> Option<i8>;
}

/// Nothing is known.
pub(crate) struct NoEndgames;

impl Endgames for NoEndgames {
    #[inline]
    fn most_seeds(&self) -> i32 {
        0
    }

    #[inline]
    fn prefetch(&self, _own: u64, _other: u64) {}

    #[inline]
    fn probe(&self, _own: u64, _other: u64) -> Option<i8> {
        None
    }
}
