use std::fmt;

/// A number of seeds on the board of a game: at most 65,535, stores included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedCount(u16);

impl SeedCount {
    /// The most seeds that a position holds, stores included.
    pub const MAX: Self = Self(u16::MAX);
    /// No seeds.
    pub const ZERO: Self = Self(0);

    /// A count of seeds, unless it is more than a position can hold.
    #[inline]
    pub fn new(seeds: u64) -> Option<Self> {
        u16::try_from(seeds).ok().map(Self)
    }

    /// Puts seeds of one board together; the sum is on that board too, so it fits.
    #[inline]
    pub(crate) fn add(&mut self, more: Self) {
        self.0 += more.0;
    }

    /// The count as a plain number.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl From<u16> for SeedCount {
    #[inline]
    fn from(seeds: u16) -> Self {
        Self(seeds)
    }
}

impl From<SeedCount> for u32 {
    #[inline]
    fn from(count: SeedCount) -> Self {
        count.0.into()
    }
}

impl From<SeedCount> for u64 {
    #[inline]
    fn from(count: SeedCount) -> Self {
        count.0.into()
    }
}

impl From<SeedCount> for i32 {
    #[inline]
    fn from(count: SeedCount) -> Self {
        count.0.into()
    }
}

impl fmt::Display for SeedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
