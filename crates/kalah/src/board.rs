use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::side::{BySide, Side};
use crate::types::{House, Pit, SeedCount};

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

/// How a [`Board`](crate::Board) keeps the houses of one side.
///
/// There are two: [`RunLengthRow`] for a row of any length, and [`ArrayRow`] for the rows of a game,
/// small and fast to copy. No others can be made outside this crate.
pub trait Row: RowStorage {}

/// What [`Row`] promises the board. Houses are numbered from 1, ranges of them never empty, and the
/// board sees to it that no sum overflows.
pub trait RowStorage: Clone + Debug + Eq + Hash {
    fn new(houses: u32, seeds: u64) -> Self;
    fn seeds(&self, house: u32) -> u64;
    fn set(&mut self, house: u32, seeds: u64);
    fn add(&mut self, houses: RangeInclusive<u32>, seeds: u64);
    fn total(&self) -> u64;
    fn is_empty(&self) -> bool;
}

/// The row of a game: up to [`House::MAX`] houses, and up to 65,535 seeds in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayRow([SeedCount; House::MAX as usize]);

const EMPTY_ROW: ArrayRow = ArrayRow([SeedCount::ZERO; House::MAX as usize]);

impl ArrayRow {
    /// Seeds in the first `houses` houses, in sowing order.
    #[inline]
    pub(crate) fn first_houses(&self, houses: u32) -> &[SeedCount] {
        &self.0[..houses as usize]
    }
}

impl Row for ArrayRow {}

// The total of a board of `ArrayRow`s is at most 65,535 (`Setup::position` sees to it), so every
// count that a board hands in fits 16 bits.
impl RowStorage for ArrayRow {
    fn new(houses: u32, seeds: u64) -> Self {
        let mut row = EMPTY_ROW;
        row.0[..houses as usize].fill(to_seed_count(seeds));
        row
    }

    #[inline]
    fn seeds(&self, house: u32) -> u64 {
        self.0[house as usize - 1].into()
    }

    #[inline]
    fn set(&mut self, house: u32, seeds: u64) {
        self.0[house as usize - 1] = to_seed_count(seeds);
    }

    #[inline]
    fn add(&mut self, houses: RangeInclusive<u32>, seeds: u64) {
        let seeds = to_seed_count(seeds);
        for count in &mut self.0[*houses.start() as usize - 1..*houses.end() as usize] {
            count.add(seeds);
        }
    }

    #[inline]
    fn total(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    #[inline]
    fn is_empty(&self) -> bool {
        *self == EMPTY_ROW
    }
}

#[inline]
fn to_seed_count(seeds: u64) -> SeedCount {
    SeedCount::new(seeds).expect("the board of a game holds at most 65,535 seeds")
}

/// A row of any length, kept as runs of neighbouring houses with equally many seeds.
///
/// A sowing touches a few runs however many houses it passes, so that a row of two thousand
/// million houses costs no more than one of six.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunLengthRow {
    houses: u32,
    total: u64,
    /// The first house of each run, and the seeds in each of its houses; neighbouring runs differ.
    runs: BTreeMap<u32, u64>,
}

impl Row for RunLengthRow {}

impl RowStorage for RunLengthRow {
    fn new(houses: u32, seeds: u64) -> Self {
        Self {
            houses,
            total: u64::from(houses) * seeds,
            runs: BTreeMap::from([(1, seeds)]),
        }
    }

    fn seeds(&self, house: u32) -> u64 {
        match self.runs.range(..=house).next_back() {
            Some((_, &seeds)) => seeds,
            None => 0,
        }
    }

    fn set(&mut self, house: u32, seeds: u64) {
        self.total = self.total - self.seeds(house) + seeds;
        self.split_run(house);
        self.split_run(house + 1);
        self.runs.insert(house, seeds);
        self.join_runs(house);
        self.join_runs(house + 1);
    }

    fn add(&mut self, houses: RangeInclusive<u32>, seeds: u64) {
        let (first, last) = houses.into_inner();
        self.total += u64::from(last - first + 1) * seeds;
        self.split_run(first);
        self.split_run(last + 1);
        for count in self.runs.range_mut(first..=last).map(|(_, count)| count) {
            *count += seeds;
        }
        self.join_runs(first);
        self.join_runs(last + 1);
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }
}

impl RunLengthRow {
    /// Makes `house` the first of a run.
    fn split_run(&mut self, house: u32) {
        if house <= self.houses {
            let seeds = self.seeds(house);
            self.runs.entry(house).or_insert(seeds);
        }
    }

    /// Makes one run of the one that begins at `house` and the one before, if they are equal.
    fn join_runs(&mut self, house: u32) {
        if house > 1 && self.runs.get(&house) == Some(&self.seeds(house - 1)) {
            self.runs.remove(&house);
        }
    }
}
