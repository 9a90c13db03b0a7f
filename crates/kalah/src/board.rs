use thiserror::Error;

use crate::row::{ArrayRow, Row, RowStorage as _, RunLengthRow};
use crate::{BySide, Pit, SeedCount, Side};

/// Houses, stores and sowing, and no rule beyond them: any number of houses and of seeds.
///
/// A board knows no captures, no bonus turns, no end and nobody's turn; [`Rules`](crate::Rules)
/// say what a sowing means, and a [`Position`](crate::Position) is a board with rules. Houses are
/// numbered from 1 in their owner's sowing order. A refused operation changes nothing.
///
/// `R` is how a row is kept: of any length where nothing is said.
///
/// ```
/// use kalah::{Board, Pit, Side};
/// let mut board = Board::new(3, 2)?;
/// assert_eq!(board.sow(Side::North, 2), Some(Pit::Store(Side::North)));
/// assert_eq!(board.store(Side::North), 1);
/// assert_eq!(board.sow(Side::North, 2), None); // empty now
/// # Ok::<(), kalah::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board<R: Row = RunLengthRow> {
    houses: u32,
    stores: BySide<u64>,
    rows: BySide<R>,
}

/// Why a board cannot be as it was asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// No houses, or too many for one lap to be counted.
    #[error("a board of {0} houses a side cannot be: it must have from 1 to 2147483647")]
    InvalidHouseCount(u32),
    /// More seeds in all than can be counted.
    #[error("a board holds at most 18446744073709551615 seeds")]
    TooManySeeds,
    /// A house number outside `1..=houses`.
    #[error("there is no house {house} on a board of {houses} houses a side")]
    NoSuchHouse {
        /// The number asked for.
        house: u32,
        /// How many houses a side there are.
        houses: u32,
    },
}

/// What the rules need to know of a board: how many seeds lie where.
pub trait PitCounts {
    /// Houses a side, 1 or more.
    fn houses(&self) -> u32;
    /// Seeds in a house of `owner`, numbered `1..=houses` in sowing order; none in one that the
    /// board does not have.
    fn in_house(&self, owner: Side, house: u32) -> u64;
    /// Seeds in all houses of `owner`.
    fn in_row(&self, owner: Side) -> u64;
    /// Whether `owner` has no seeds in its houses.
    fn is_row_empty(&self, owner: Side) -> bool {
        self.in_row(owner) == 0
    }
}

/// The most houses a side of a [`Board`]; a 32-bit signed number holds it.
const MAX_HOUSES: u32 = i32::MAX as u32;

impl Board {
    /// A board of `houses` a side with `seeds` in each and empty stores.
    ///
    /// # Errors
    /// [`BoardError::Houses`] and [`BoardError::Seeds`].
    pub fn new(houses: u32, seeds: u64) -> Result<Self, BoardError> {
        if !(1..=MAX_HOUSES).contains(&houses) {
            return Err(BoardError::InvalidHouseCount(houses));
        }
        (u64::from(houses) * 2)
            .checked_mul(seeds)
            .ok_or(BoardError::TooManySeeds)?;
        Ok(Self::uniform(houses, seeds))
    }

    /// Puts exactly `seeds` into a house; the total follows.
    ///
    /// # Errors
    /// [`BoardError::NoSuchHouse`] and [`BoardError::Seeds`].
    pub fn set_house(&mut self, owner: Side, house: u32, seeds: u64) -> Result<(), BoardError> {
        let now = self.house(owner, house).ok_or(BoardError::NoSuchHouse {
            house,
            houses: self.houses,
        })?;
        self.check_total(now, seeds)?;
        self.rows[owner].set(house, seeds);
        Ok(())
    }

    /// Puts exactly `seeds` into a store; the total follows.
    ///
    /// # Errors
    /// [`BoardError::Seeds`].
    pub fn set_store(&mut self, owner: Side, seeds: u64) -> Result<(), BoardError> {
        self.check_total(self.stores[owner], seeds)?;
        self.stores[owner] = seeds;
        Ok(())
    }

    /// That the total, with `now` seeds replaced by `then`, still fits 64 bits.
    fn check_total(&self, now: u64, then: u64) -> Result<(), BoardError> {
        match (self.total() - now).checked_add(then) {
            Some(_) => Ok(()),
            None => Err(BoardError::TooManySeeds),
        }
    }
}

impl Board<ArrayRow> {
    /// An empty board for the pits of a position, filled in by the caller.
    pub(crate) fn empty(houses: u8) -> Self {
        Self::uniform(houses.into(), 0)
    }

    /// Seeds in each house of a side, in sowing order.
    #[inline]
    pub(crate) fn houses_of(&self, owner: Side) -> &[SeedCount] {
        self.rows[owner].first_houses(self.houses)
    }

    /// Puts `seeds` into a house that exists.
    pub(crate) fn set_house_unchecked(&mut self, owner: Side, house: u32, seeds: u16) {
        self.rows[owner].set(house, seeds.into());
    }

    /// Puts `seeds` into a store.
    pub(crate) fn set_store_unchecked(&mut self, owner: Side, seeds: u16) {
        self.stores[owner] = seeds.into();
    }
}

impl<R: Row> Board<R> {
    fn uniform(houses: u32, seeds: u64) -> Self {
        Self {
            houses,
            stores: BySide::new(0, 0),
            rows: BySide::from_fn(|_| R::new(houses, seeds)),
        }
    }

    /// Houses a side, stores not counted.
    #[inline]
    pub fn houses(&self) -> u32 {
        self.houses
    }

    /// Seeds in a house, `None` for a number that is not in `1..=houses`.
    #[inline]
    pub fn house(&self, owner: Side, house: u32) -> Option<u64> {
        (1..=self.houses)
            .contains(&house)
            .then(|| self.rows[owner].seeds(house))
    }

    /// Seeds in a store.
    #[inline]
    pub fn store(&self, owner: Side) -> u64 {
        self.stores[owner]
    }

    /// Seeds in all houses of a side.
    #[inline]
    pub fn row_total(&self, owner: Side) -> u64 {
        self.rows[owner].total()
    }

    /// All seeds, stores included.
    pub fn total(&self) -> u64 {
        self.stores.south
            + self.stores.north
            + self.row_total(Side::South)
            + self.row_total(Side::North)
    }

    /// Sows a house counterclockwise, one seed a pit, into the own store and past the other's,
    /// and tells where the last seed fell. `None` for an empty house or one that does not exist.
    ///
    /// A lap also sows into the house that it started from.
    #[inline]
    pub fn sow(&mut self, side: Side, house: u32) -> Option<Pit<u32>> {
        let seeds = self.house(side, house).filter(|&seeds| seeds > 0)?;
        let houses = self.houses;
        let lap = u64::from(houses) * 2 + 1;
        self.rows[side].set(house, 0);

        let (laps, rest) = if seeds < lap {
            (0, seeds)
        } else {
            (seeds / lap, seeds % lap)
        };
        if laps > 0 {
            self.rows[side].add(1..=houses, laps);
            self.rows[side.opponent()].add(1..=houses, laps);
            self.stores[side] += laps;
        }

        // Fewer seeds than a lap are left: they go to the houses up to the own store, into it, to
        // the other row, and at most to the houses before the one they came from.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "less than a lap of at most 2^32 - 1"
        )]
        let mut left = rest as u32;
        let mut last = Pit::House(side, house);
        let to_store = houses - house;
        if left > 0 && to_store > 0 {
            let end = house + left.min(to_store);
            self.rows[side].add(house + 1..=end, 1);
            left -= end - house;
            last = Pit::House(side, end);
        }
        if left > 0 {
            self.stores[side] += 1;
            left -= 1;
            last = Pit::Store(side);
        }
        for owner in [side.opponent(), side] {
            if left > 0 {
                let end = left.min(houses);
                self.rows[owner].add(1..=end, 1);
                left -= end;
                last = Pit::House(owner, end);
            }
        }
        Some(last)
    }

    /// Moves all seeds of a house into the store of `taker`, and tells how many there were.
    /// `None` for a house that does not exist.
    #[inline]
    pub fn bank(&mut self, owner: Side, house: u32, taker: Side) -> Option<u64> {
        let seeds = self.house(owner, house)?;
        if seeds > 0 {
            self.rows[owner].set(house, 0);
            self.stores[taker] += seeds;
        }
        Some(seeds)
    }

    /// Moves all seeds of a row into the store of `taker`, and tells how many there were.
    pub fn bank_row(&mut self, owner: Side, taker: Side) -> u64 {
        let seeds = self.row_total(owner);
        self.rows[owner] = R::new(self.houses, 0);
        self.stores[taker] += seeds;
        seeds
    }
}

impl<R: Row> PitCounts for Board<R> {
    #[inline]
    fn houses(&self) -> u32 {
        self.houses
    }

    #[inline]
    fn in_house(&self, owner: Side, house: u32) -> u64 {
        self.house(owner, house).unwrap_or(0)
    }

    #[inline]
    fn in_row(&self, owner: Side) -> u64 {
        self.rows[owner].total()
    }

    #[inline]
    fn is_row_empty(&self, owner: Side) -> bool {
        self.rows[owner].is_empty()
    }
}
