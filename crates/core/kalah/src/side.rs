//! The two sides of the board, the two players, and a value for each.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A side of the board: South moves first and sits at the bottom.
///
/// With the feature `serde` a side is serialized as [`Side::as_str`].
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
    /// Both sides, South first.
    pub const ALL: [Self; 2] = [Self::South, Self::North];

    /// Returns the other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// Returns the name in JSON and on command lines: `south` or `north`.
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
/// With the feature `serde` it is serialized as an object with the keys `south` and `north`.
///
/// ```
/// use kalah::{BySide, Side};
/// let names = BySide::new("Marge", "Homer");
/// assert_eq!(names[Side::North], "Homer");
/// assert_eq!(names.swapped()[Side::North], "Marge");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BySide<T> {
    /// South's value.
    pub south: T,
    /// North's value.
    pub north: T,
}

impl<T> BySide<T> {
    /// Creates a pair of South's value and North's value.
    pub const fn new(south: T, north: T) -> Self {
        Self { south, north }
    }

    /// Creates a pair of the values that `make` returns for each side, South first.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self {
            south: make(Side::South),
            north: make(Side::North),
        }
    }

    /// Returns the same two values with the sides exchanged.
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

/// One of the two players of a game, identified by the side on which that player began.
///
/// A swap exchanges the sides of the two players; the identity of a player stays.
/// [`Game::player_on`](crate::Game::player_on) tells which player sits on a side.
///
/// ```
/// use kalah::{PlayerId, Side};
/// let first = PlayerId::new(Side::South);
/// let swapped = true;
/// assert_eq!(first.side(swapped), Side::North);
/// assert_eq!(PlayerId::at_side(Side::North, swapped), first);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId {
    /// The side of the player before any swap.
    pub started_as: Side,
}

impl PlayerId {
    /// Both players, the one that began as South first.
    pub const ALL: [Self; 2] = [Self::new(Side::South), Self::new(Side::North)];

    /// Returns the player that began on `started_as`.
    pub const fn new(started_as: Side) -> Self {
        Self { started_as }
    }

    /// Returns the other player.
    #[must_use]
    pub const fn opponent(self) -> Self {
        Self::new(self.started_as.opponent())
    }

    /// Returns the side of the player in a game in which the sides are `swapped` or not.
    pub const fn side(self, swapped: bool) -> Side {
        if swapped {
            self.started_as.opponent()
        } else {
            self.started_as
        }
    }

    /// Returns the player on `side` in a game in which the sides are `swapped` or not.
    pub const fn at_side(side: Side, swapped: bool) -> Self {
        // A swap is its own inverse.
        Self::new(Self::new(side).side(swapped))
    }
}

/// One value for each player, indexed by [`PlayerId`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByPlayer<T>(BySide<T>);

impl<T> ByPlayer<T> {
    /// Creates a pair of the values of the players that began as South and as North.
    pub const fn new(started_south: T, started_north: T) -> Self {
        Self(BySide::new(started_south, started_north))
    }

    /// Creates a pair of the values that `make` returns for each player.
    pub fn from_fn(mut make: impl FnMut(PlayerId) -> T) -> Self {
        Self(BySide::from_fn(|side| make(PlayerId::new(side))))
    }

    /// Returns the values by the current sides of the players in a game in which the sides are
    /// `swapped` or not.
    #[must_use]
    pub fn by_side(self, swapped: bool) -> BySide<T> {
        if swapped { self.0.swapped() } else { self.0 }
    }
}

impl<T> Index<PlayerId> for ByPlayer<T> {
    type Output = T;

    fn index(&self, player: PlayerId) -> &T {
        &self.0[player.started_as]
    }
}

impl<T> IndexMut<PlayerId> for ByPlayer<T> {
    fn index_mut(&mut self, player: PlayerId) -> &mut T {
        &mut self.0[player.started_as]
    }
}
