use std::fmt;
use std::num::NonZeroU8;

use crate::Side;

/// A house of one row, by its number from 1 (farthest from the owner's store) in sowing order.
///
/// A house does not know its owner or its board; a [`Position`](crate::Position) does.
/// In text it is a letter, [`letter`](Self::letter), whose case names the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(NonZeroU8);

const _: () = assert!(size_of::<Option<House>>() == 1);

impl House {
    /// The most houses that a row of a [`Position`](crate::Position) can have: the alphabet.
    pub const MAX: u8 = 26;

    /// House `number` of a row, if `number` is in `1..=26`.
    pub fn new(number: u32) -> Option<Self> {
        let number = u8::try_from(number).ok().filter(|&n| n <= Self::MAX)?;
        NonZeroU8::new(number).map(Self)
    }

    /// All houses of a row of `houses`, in sowing order; of at most [`House::MAX`].
    pub fn all(houses: u8) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (1..=houses.min(Self::MAX)).filter_map(|number| NonZeroU8::new(number).map(Self))
    }

    /// The number in the owner's sowing order, `1..=26`.
    pub const fn number(self) -> u8 {
        self.0.get()
    }

    /// Sowings from this house that reach the store need at least this many seeds:
    /// 1 for the house next to the store. `None` where the row has fewer houses than this one's number.
    pub fn distance(self, houses: u8) -> Option<u8> {
        (houses.checked_add(1)?)
            .checked_sub(self.number())
            .filter(|&distance| distance > 0)
    }

    /// The other side's house across the board, on a board of `houses` a side.
    /// `None` where the board does not have this house.
    pub fn opposite(self, houses: u8) -> Option<Self> {
        self.distance(houses)
            .and_then(|distance| Self::new(distance.into()))
    }

    /// `A`..`Z` for South's houses, `a`..`z` for North's.
    pub fn letter(self, owner: Side) -> char {
        let first = match owner {
            Side::South => b'A',
            Side::North => b'a',
        };
        char::from(first + (self.number() - 1))
    }

    /// The owner and the house that a letter names.
    ///
    /// ```
    /// use kalah::{House, Side};
    /// assert_eq!(House::from_letter('c'), House::new(3).map(|house| (Side::North, house)));
    /// assert_eq!(House::from_letter('3'), None);
    /// ```
    pub fn from_letter(letter: char) -> Option<(Side, Self)> {
        let (owner, first) = match letter {
            'A'..='Z' => (Side::South, 'A'),
            'a'..='z' => (Side::North, 'a'),
            _ => return None,
        };
        Some((owner, Self::new(u32::from(letter) - u32::from(first) + 1)?))
    }
}

/// A pit of a board: a house, or a store.
///
/// `H` says how houses are numbered: by [`House`] on the board of a game, by plain numbers from 1
/// on a [`Board`](crate::Board), which knows no limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pit<H = House> {
    /// A house of this side.
    House(Side, H),
    /// The store of this side.
    Store(Side),
}

impl fmt::Display for House {
    /// The number: house 3 is `3`. Texts of positions and games use [`letter`](House::letter) instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}
