//! The values of the game: houses, pits, counts of seeds, margins and outcomes, and the moves with
//! their results.

use std::fmt;
use std::num::NonZeroU8;
use std::ops::Neg;

use thiserror::Error;

use crate::side::{BySide, Side};

/// A house of one row, numbered from 1 (farthest from the owner's store) in sowing order.
///
/// A house has no owner and no board; a [`Position`](crate::Position) supplies both. In text a
/// house is a letter, see [`letter`](Self::letter), whose case names the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(NonZeroU8);

const _: () = assert!(size_of::<Option<House>>() == 1);

impl House {
    /// The maximum number of houses in a row of a [`Position`](crate::Position): one a letter.
    pub const MAX: u8 = 26;

    /// Returns house `number` of a row if `number` is in `1..=26`.
    #[inline]
    pub fn new(number: u32) -> Option<Self> {
        let number = u8::try_from(number).ok().filter(|&n| n <= Self::MAX)?;
        NonZeroU8::new(number).map(Self)
    }

    /// Returns all houses of a row of `houses`, at most [`House::MAX`], in sowing order.
    pub fn all(houses: u8) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (1..=houses.min(Self::MAX)).filter_map(|number| NonZeroU8::new(number).map(Self))
    }

    /// Returns the number in the owner's sowing order, `1..=26`.
    pub const fn number(self) -> u8 {
        self.0.get()
    }

    /// Returns the number of seeds that a sowing from this house needs to reach the store: 1 for
    /// the house next to the store. `None` where the row has fewer houses than this one's number.
    pub fn distance(self, houses: u8) -> Option<u8> {
        (houses.checked_add(1)?)
            .checked_sub(self.number())
            .filter(|&distance| distance > 0)
    }

    /// Returns the other side's house across the board, on a board of `houses` a side. `None` where
    /// the board does not have this house.
    pub fn opposite(self, houses: u8) -> Option<Self> {
        self.distance(houses)
            .and_then(|distance| Self::new(distance.into()))
    }

    /// Returns the letter of the house: `A`..`Z` for South's houses, `a`..`z` for North's.
    pub fn letter(self, owner: Side) -> char {
        let first = match owner {
            Side::South => b'A',
            Side::North => b'a',
        };
        char::from(first + (self.number() - 1))
    }

    /// Returns the owner and the house that a letter names.
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

/// The number: house 3 is `3`. Positions and records use [`letter`](House::letter) instead.
impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// A pit of a board: a house or a store.
///
/// `H` is the type of houses: [`House`] on the board of a game, a plain number from 1 where a board
/// has no limits, as in [`PitCounts`](crate::PitCounts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pit<H = House> {
    /// A house of this side.
    House(Side, H),
    /// The store of this side.
    Store(Side),
}

/// A number of seeds on the board of a game: at most 65,535, stores included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedCount(u16);

impl SeedCount {
    /// The maximum number of seeds in a position, stores included.
    pub const MAX: Self = Self(u16::MAX);
    /// No seeds.
    pub const ZERO: Self = Self(0);
    /// One seed.
    pub(crate) const ONE: Self = Self(1);

    /// Returns a count of `seeds`, or `None` above [`SeedCount::MAX`].
    #[inline]
    pub fn new(seeds: u64) -> Option<Self> {
        u16::try_from(seeds).ok().map(Self)
    }

    /// Adds seeds of the same board. The sum cannot overflow, as it is part of the board's total.
    #[inline]
    pub(crate) fn add(&mut self, more: Self) {
        self.0 += more.0;
    }

    /// Returns the count as a plain number.
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

/// The own store minus the other store at the end of the game, from the point of view of one side.
///
/// Printed with its sign: `+8`, `-3`, `0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Margin(i32);

/// The margin still to be made from the houses alone, from the point of view of one side.
///
/// The gain of a position does not depend on its stores, except while a swap is still possible, as
/// a swap exchanges the stores. [`Position::margin`](crate::Position::margin) adds the stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gain(i32);

impl Margin {
    /// A tie.
    pub const ZERO: Self = Self(0);

    /// Creates a margin of `seeds` seeds.
    pub const fn new(seeds: i32) -> Self {
        Self(seeds)
    }

    /// Returns the margin in seeds.
    pub const fn seeds(self) -> i32 {
        self.0
    }
}

impl Gain {
    /// No gain.
    pub const ZERO: Self = Self(0);

    /// Creates a gain of `seeds` seeds.
    pub const fn new(seeds: i32) -> Self {
        Self(seeds)
    }

    /// Returns the gain in seeds.
    pub const fn seeds(self) -> i32 {
        self.0
    }
}

/// The same margin from the point of view of the other side.
impl Neg for Margin {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

/// The same gain from the point of view of the other side.
impl Neg for Gain {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_signed(self.0))
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_signed(self.0))
    }
}

fn format_signed(seeds: i32) -> String {
    if seeds == 0 {
        "0".to_owned()
    } else {
        format!("{seeds:+}")
    }
}

/// The stores at the end of a game, both rows swept. Printed as `25-23`, South's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Seeds in each store.
    pub stores: BySide<SeedCount>,
}

impl Outcome {
    /// Returns the outcome with this margin of South in a game with this number of seeds, stores
    /// included; `None` if no game with that number ends with this margin.
    ///
    /// ```
    /// use kalah::{Margin, Outcome, SeedCount};
    /// let outcome = Outcome::from_margin(Margin::new(6), SeedCount::from(48));
    /// assert_eq!(outcome.expect("6 is even, as 48").to_string(), "27-21");
    /// assert_eq!(Outcome::from_margin(Margin::new(7), SeedCount::from(48)), None);
    /// ```
    pub fn from_margin(margin: Margin, seeds: SeedCount) -> Option<Self> {
        let (total, margin) = (u64::from(seeds), i64::from(margin.seeds()));
        let store = |margin: i64| {
            let doubled = total.checked_add_signed(margin)?;
            let is_even = doubled.is_multiple_of(2);
            is_even.then_some(doubled / 2).and_then(SeedCount::new)
        };
        Some(Self {
            stores: BySide::new(store(margin)?, store(-margin)?),
        })
    }

    /// Returns the side with more seeds, `None` for a tie.
    pub fn winner(self) -> Option<Side> {
        Side::ALL
            .into_iter()
            .find(|&side| self.stores[side] > self.stores[side.opponent()])
    }

    /// Returns the margin from the point of view of `side`.
    pub fn margin(self, side: Side) -> Margin {
        Margin::new(i32::from(self.stores[side]) - i32::from(self.stores[side.opponent()]))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", self.stores.south, self.stores.north))
    }
}

/// A move of the side to move. One move is one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Sow this house.
    Sow(House),
    /// Exchange sides with the opponent instead of making ply 2, under rules with a swap.
    Swap,
}

/// The reason why a move is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game has ended; no move is legal.
    #[error("the game is over")]
    GameOver,
    /// The board has fewer houses.
    #[error("there is no house {letter} on a board of {houses} houses a side", letter = house.letter(*side))]
    NoSuchHouse {
        /// The side to move.
        side: Side,
        /// The house of the move.
        house: House,
        /// Houses a side.
        houses: u8,
    },
    /// The house has no seeds.
    #[error("house {letter} is empty", letter = house.letter(*side))]
    EmptyHouse {
        /// The side to move.
        side: Side,
        /// The house of the move.
        house: House,
    },
    /// The rules have no swap, or the ply is not ply 2.
    #[error("sides can be exchanged only instead of ply 2, and only under rules with a swap")]
    NoSwap,
}

impl Move {
    /// Returns the text of the move as made by `side`: `C`, `c` or `swap`.
    pub fn text(self, side: Side) -> String {
        match self {
            Self::Sow(house) => house.letter(side).to_string(),
            Self::Swap => "swap".to_owned(),
        }
    }
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveResult {
    /// A house was sown.
    Sown(SowResult),
    /// The two players exchanged sides; no seed moved.
    Swapped,
}

/// The result of a sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SowResult {
    /// The side that sowed.
    pub side: Side,
    /// The house that was sown.
    pub house: House,
    /// The number of seeds that the house held.
    pub seeds: SeedCount,
    /// The pit of the last seed.
    pub last: Pit,
    /// The effect of the last seed.
    pub effect: SowEffect,
    /// If the game ended: the seeds of each row, which were swept into its owner's store.
    pub swept: Option<BySide<SeedCount>>,
}

impl SowResult {
    /// Returns whether the game is over after the sowing.
    pub fn is_game_over(&self) -> bool {
        self.swept.is_some()
    }
}

/// The effect of the last seed of a sowing.
///
/// A game can end with any of them, also with a bonus turn for which no seeds are left.
///
/// `H` and `N` are the types of houses and counts: [`House`] and [`SeedCount`] in a
/// [`Position`](crate::Position), plain numbers where [`Rules`](crate::Rules) judge any board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SowEffect<H = House, N = SeedCount> {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// The last seed captures; the turn passes to the other side.
    Capture(Capture<H, N>),
}

/// A capture: the two houses that are emptied and the seeds that they hold.
///
/// `H` and `N` are the types of houses and counts, as in [`SowEffect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capture<H = House, N = SeedCount> {
    /// The capturer's house in which the last seed fell.
    pub house: H,
    /// The opposite house, which belongs to the other side.
    pub from: H,
    /// Seeds that go to the capturer's store, the last seed included.
    pub seeds: N,
}
