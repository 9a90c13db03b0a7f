//! Houses, stores and sowing without any further rule, and the view of a board that rules need.

pub(crate) mod frame;

use thiserror::Error;

use crate::message_text::format_count;
use crate::side::{BySide, Side};
use crate::types::{House, Pit, SeedCount};

/// The pits of a game and how seeds are sown into them.
///
/// A board has no captures, no bonus turns, no end and no side to move. [`Rules`](crate::Rules)
/// decide what a sowing leads to, and a [`Position`](crate::Position) is a board with rules. Houses
/// are numbered from 1 in their owner's sowing order. A board has 1 to 26 houses a side and holds
/// at most 65,535 seeds. A refused operation changes nothing.
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
pub struct Board {
    houses: u32,
    stores: BySide<SeedCount>,
    rows: BySide<Row>,
}

/// The seeds in each house of one side. Houses beyond those of the board are empty.
///
/// The array has a fixed size so that a position is copied without an allocation.
type Row = [SeedCount; House::MAX as usize];

const EMPTY_ROW: Row = [SeedCount::ZERO; House::MAX as usize];

/// The reason why a board cannot be made or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// No houses, or more than a row has letters.
    #[error("invalid board of {0} houses a side: expected 1 to {max}", max = House::MAX)]
    InvalidHouseCount(u32),
    /// More seeds, stores included, than a board holds.
    #[error("a board holds at most {max} seeds", max = SeedCount::MAX)]
    TooManySeeds,
    /// A house number outside `1..=houses`.
    #[error(
        "there is no house {house} on a board of {} a side",
        format_count((*.houses).into(), "house")
    )]
    NoSuchHouse {
        /// The number of the missing house.
        house: u32,
        /// Houses a side.
        houses: u32,
    },
}

/// The counts that [`Rules`](crate::Rules) read from a board, whatever its representation.
pub trait PitCounts {
    /// Returns the number of houses a side, 1 or more.
    fn houses(&self) -> u32;
    /// Returns the seeds in a house of `owner`, numbered `1..=houses` in sowing order, and 0 for
    /// any other number.
    fn in_house(&self, owner: Side, house: u32) -> u64;
    /// Returns the seeds in all houses of `owner`.
    fn in_row(&self, owner: Side) -> u64;
    /// Returns whether `owner` has no seeds in its houses.
    fn is_row_empty(&self, owner: Side) -> bool {
        self.in_row(owner) == 0
    }
}

impl Board {
    /// Creates a board of `houses` a side with `seeds` in each and empty stores.
    ///
    /// # Errors
    /// [`BoardError::InvalidHouseCount`] and [`BoardError::TooManySeeds`].
    pub fn new(houses: u32, seeds: u64) -> Result<Self, BoardError> {
        if !(1..=u32::from(House::MAX)).contains(&houses) {
            return Err(BoardError::InvalidHouseCount(houses));
        }
        let total = (u64::from(houses) * 2).checked_mul(seeds);
        total
            .and_then(SeedCount::new)
            .ok_or(BoardError::TooManySeeds)?;
        let mut row = EMPTY_ROW;
        row[..houses as usize].fill(to_seed_count(seeds));
        Ok(Self {
            houses,
            stores: BySide::new(SeedCount::ZERO, SeedCount::ZERO),
            rows: BySide::new(row, row),
        })
    }

    /// Sets the number of seeds in a house, which changes the total.
    ///
    /// # Errors
    /// [`BoardError::NoSuchHouse`] and [`BoardError::TooManySeeds`].
    pub fn set_house(&mut self, owner: Side, house: u32, seeds: u64) -> Result<(), BoardError> {
        let current = self.house(owner, house).ok_or(BoardError::NoSuchHouse {
            house,
            houses: self.houses,
        })?;
        self.check_total(current, seeds)?;
        self.set_house_unchecked(owner, house, to_seed_count(seeds));
        Ok(())
    }

    /// Sets the number of seeds in a store, which changes the total.
    ///
    /// # Errors
    /// [`BoardError::TooManySeeds`].
    pub fn set_store(&mut self, owner: Side, seeds: u64) -> Result<(), BoardError> {
        self.check_total(self.store(owner), seeds)?;
        self.set_store_unchecked(owner, to_seed_count(seeds));
        Ok(())
    }

    /// Checks that the total still fits a board after `current` seeds are replaced by `new`.
    fn check_total(&self, current: u64, new: u64) -> Result<(), BoardError> {
        let total = (self.total() - current).checked_add(new);
        total
            .and_then(SeedCount::new)
            .map(|_| ())
            .ok_or(BoardError::TooManySeeds)
    }

    /// Sets the number of seeds in a house without a check of the total.
    ///
    /// # Panics
    /// If `house` is not in `1..=26`.
    pub(crate) fn set_house_unchecked(&mut self, owner: Side, house: u32, seeds: SeedCount) {
        self.rows[owner][house as usize - 1] = seeds;
    }

    /// Sets the number of seeds in a store without a check of the total.
    pub(crate) fn set_store_unchecked(&mut self, owner: Side, seeds: SeedCount) {
        self.stores[owner] = seeds;
    }

    /// Returns the number of houses a side, stores not counted.
    #[inline]
    pub fn houses(&self) -> u32 {
        self.houses
    }

    /// Returns the seeds in a house, or `None` for a number outside `1..=houses`.
    #[inline]
    pub fn house(&self, owner: Side, house: u32) -> Option<u64> {
        (1..=self.houses)
            .contains(&house)
            .then(|| self.rows[owner][house as usize - 1].into())
    }

    /// Returns the seeds in each house of a side, in sowing order.
    #[inline]
    pub(crate) fn houses_of(&self, owner: Side) -> &[SeedCount] {
        &self.rows[owner][..self.houses as usize]
    }

    /// Returns the seeds in a store.
    #[inline]
    pub fn store(&self, owner: Side) -> u64 {
        self.stores[owner].into()
    }

    /// Returns the seeds in all houses of a side.
    #[inline]
    pub fn row_total(&self, owner: Side) -> u64 {
        self.rows[owner].iter().copied().map(u64::from).sum()
    }

    /// Returns all seeds, stores included.
    pub fn total(&self) -> u64 {
        let of_side = |side| self.store(side) + self.row_total(side);
        of_side(Side::South) + of_side(Side::North)
    }

    /// Sows a house counterclockwise, one seed a pit, into the own store and past the other store.
    ///
    /// Returns the pit of the last seed, or `None` for an empty house or one that does not exist.
    /// A lap also sows into the house that it started from.
    #[inline]
    pub fn sow(&mut self, side: Side, house: u32) -> Option<Pit<u32>> {
        let seeds = self.house(side, house).filter(|&seeds| seeds > 0)?;
        let houses = self.houses;
        let lap = u64::from(houses) * 2 + 1;
        self.set_house_unchecked(side, house, SeedCount::ZERO);

        let (laps, rest) = if seeds < lap {
            (0, seeds)
        } else {
            (seeds / lap, seeds % lap)
        };
        if laps > 0 {
            let laps = to_seed_count(laps);
            self.add_to_houses(side, 1, houses, laps);
            self.add_to_houses(side.opponent(), 1, houses, laps);
            self.stores[side].add(laps);
        }

        // Fewer seeds than a lap are left. They go to the houses up to the own store, into the
        // store, to the other row, and at most to the houses before the one that they came from.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "less than a lap, which is at most 53"
        )]
        let mut left = rest as u32;
        let mut last = Pit::House(side, house);
        let to_store = houses - house;
        if left > 0 && to_store > 0 {
            let end = house + left.min(to_store);
            self.add_to_houses(side, house + 1, end, SeedCount::ONE);
            left -= end - house;
            last = Pit::House(side, end);
        }
        if left > 0 {
            self.stores[side].add(SeedCount::ONE);
            left -= 1;
            last = Pit::Store(side);
        }
        for owner in [side.opponent(), side] {
            if left > 0 {
                let end = left.min(houses);
                self.add_to_houses(owner, 1, end, SeedCount::ONE);
                left -= end;
                last = Pit::House(owner, end);
            }
        }
        Some(last)
    }

    /// Adds `seeds` to each house from `first` to `last`.
    #[inline]
    fn add_to_houses(&mut self, owner: Side, first: u32, last: u32, seeds: SeedCount) {
        for count in &mut self.rows[owner][first as usize - 1..last as usize] {
            count.add(seeds);
        }
    }

    /// Moves all seeds of a house into the store of `taker` and returns their number, or `None` for
    /// a house that does not exist.
    #[inline]
    pub fn bank(&mut self, owner: Side, house: u32, taker: Side) -> Option<u64> {
        let seeds = self.house(owner, house)?;
        if seeds > 0 {
            self.set_house_unchecked(owner, house, SeedCount::ZERO);
            self.stores[taker].add(to_seed_count(seeds));
        }
        Some(seeds)
    }

    /// Moves all seeds of a row into the store of `taker` and returns their number.
    pub fn bank_row(&mut self, owner: Side, taker: Side) -> u64 {
        let seeds = self.row_total(owner);
        self.rows[owner] = EMPTY_ROW;
        self.stores[taker].add(to_seed_count(seeds));
        seeds
    }
}

impl PitCounts for Board {
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
        self.row_total(owner)
    }

    #[inline]
    fn is_row_empty(&self, owner: Side) -> bool {
        self.rows[owner] == EMPTY_ROW
    }
}

/// Converts a count of seeds that is part of the total of a board.
#[inline]
fn to_seed_count(seeds: u64) -> SeedCount {
    SeedCount::new(seeds).expect("a board holds at most 65,535 seeds")
}
