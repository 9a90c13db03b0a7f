use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the two players: South starts and sits at the bottom of the board.
///
/// With the feature `serde` it is read and written as [`Side::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The side at the bottom, whose row runs left to right.
    South,
    /// The side at the top, whose row runs right to left.
    North,
}

impl Side {
    /// Both sides, the one that starts first.
    pub const ALL: [Self; 2] = [Self::South, Self::North];

    /// The side across the board.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// As programs name it: `south` or `north`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::South => "south",
            Self::North => "north",
        }
    }
}

/// `South` or `North`.
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::South => "South",
            Self::North => "North",
        })
    }
}

/// One value for each side, indexed by [`Side`].
///
/// ```
/// use kalah::{BySide, Side};
/// let names = BySide::new("Marge", "Homer");
/// assert_eq!(names[Side::North], "Homer");
/// assert_eq!(names.swapped()[Side::North], "Marge");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BySide<T> {
    /// South's value.
    pub south: T,
    /// North's value.
    pub north: T,
}

impl<T> BySide<T> {
    /// South's value, then North's.
    pub const fn new(south: T, north: T) -> Self {
        Self { south, north }
    }

    /// What `make` returns for each side.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self {
            south: make(Side::South),
            north: make(Side::North),
        }
    }

    /// The same two values with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            south: self.north,
            north: self.south,
        }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::South => &self.south,
            Side::North => &self.north,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }
}
