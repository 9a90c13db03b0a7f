//! A board of any size whose cost does not depend on its size, for `Board(INT_MAX, INT_MAX)` in
//! C++.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use kalah::{BySide, Pit, PitCounts, Side};

/// Houses, stores and sowing without any further rule, as [`kalah::Board`], but for up to
/// `i32::MAX` houses a side and `u64::MAX` seeds.
///
/// Houses are numbered from 1 in their owner's sowing order. A refused operation changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunLengthBoard {
    houses: u32,
    stores: BySide<u64>,
    rows: BySide<RunLengthRow>,
}

/// The houses of one side as runs of neighbouring houses with equally many seeds.
///
/// A sowing touches a few runs however many houses it passes, so that a row of two thousand million
/// houses costs no more than one of six.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RunLengthRow {
    houses: u32,
    total: u64,
    /// The first house of each run, and the seeds in each of its houses; neighbouring runs differ.
    runs: BTreeMap<u32, u64>,
}

/// The maximum number of houses a side: a C `int` holds it.
const MAX_HOUSES: u32 = i32::MAX as u32;

impl RunLengthBoard {
    /// Creates a board of `houses` a side with `seeds` in each and empty stores, or returns `None`
    /// unless `houses` is in `1..=i32::MAX` and the total fits 64 bits.
    pub(crate) fn new(houses: u32, seeds: u64) -> Option<Self> {
        if !(1..=MAX_HOUSES).contains(&houses) {
            return None;
        }
        (u64::from(houses) * 2).checked_mul(seeds)?;
        Some(Self {
            houses,
            stores: BySide::new(0, 0),
            rows: BySide::from_fn(|_| RunLengthRow::new(houses, seeds)),
        })
    }

    /// Sets the number of seeds in a house. Returns `false` for a house that does not exist and
    /// where the total would not fit 64 bits.
    #[must_use]
    pub(crate) fn set_house(&mut self, owner: Side, house: u32, seeds: u64) -> bool {
        let fits = self
            .house(owner, house)
            .is_some_and(|current| self.total_fits(current, seeds));
        if fits {
            self.rows[owner].set(house, seeds);
        }
        fits
    }

    /// Sets the number of seeds in a store. Returns `false` where the total would not fit 64 bits.
    #[must_use]
    pub(crate) fn set_store(&mut self, owner: Side, seeds: u64) -> bool {
        let fits = self.total_fits(self.stores[owner], seeds);
        if fits {
            self.stores[owner] = seeds;
        }
        fits
    }

    /// Returns whether the total fits 64 bits after `current` seeds are replaced by `new`.
    fn total_fits(&self, current: u64, new: u64) -> bool {
        (self.total() - current).checked_add(new).is_some()
    }

    /// Returns the number of houses a side, stores not counted.
    pub(crate) fn houses(&self) -> u32 {
        self.houses
    }

    /// Returns the seeds in a house, or `None` for a number outside `1..=houses`.
    pub(crate) fn house(&self, owner: Side, house: u32) -> Option<u64> {
        (1..=self.houses)
            .contains(&house)
            .then(|| self.rows[owner].seeds(house))
    }

    /// Returns the seeds in a store.
    pub(crate) fn store(&self, owner: Side) -> u64 {
        self.stores[owner]
    }

    /// Returns the seeds in all houses of a side.
    pub(crate) fn row_total(&self, owner: Side) -> u64 {
        self.rows[owner].total
    }

    /// Returns all seeds, stores included.
    pub(crate) fn total(&self) -> u64 {
        let of_side = |side| self.store(side) + self.row_total(side);
        of_side(Side::South) + of_side(Side::North)
    }

    /// Sows a house counterclockwise, one seed a pit, into the own store and past the other store.
    ///
    /// Returns the pit of the last seed, or `None` for an empty house or one that does not exist.
    /// A lap also sows into the house that it started from.
    pub(crate) fn sow(&mut self, side: Side, house: u32) -> Option<Pit<u32>> {
        let seeds = self.house(side, house).filter(|&seeds| seeds > 0)?;
        let houses = self.houses;
        let lap = u64::from(houses) * 2 + 1;
        self.rows[side].set(house, 0);

        let laps = seeds / lap;
        if laps > 0 {
            self.rows[side].add(1..=houses, laps);
            self.rows[side.opponent()].add(1..=houses, laps);
            self.stores[side] += laps;
        }

        // Fewer seeds than a lap are left. They go to the houses up to the own store, into the
        // store, to the other row, and at most to the houses before the one that they came from.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "less than a lap, which is at most 2^32 - 1"
        )]
        let mut left = (seeds % lap) as u32;
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

    /// Moves all seeds of a house into the store of `taker` and returns their number, or `None` for
    /// a house that does not exist.
    pub(crate) fn bank(&mut self, owner: Side, house: u32, taker: Side) -> Option<u64> {
        let seeds = self.house(owner, house)?;
        if seeds > 0 {
            self.rows[owner].set(house, 0);
            self.stores[taker] += seeds;
        }
        Some(seeds)
    }
}

impl PitCounts for RunLengthBoard {
    fn houses(&self) -> u32 {
        self.houses
    }

    fn in_house(&self, owner: Side, house: u32) -> u64 {
        self.house(owner, house).unwrap_or(0)
    }

    fn in_row(&self, owner: Side) -> u64 {
        self.row_total(owner)
    }
}

/// Houses are numbered from 1. Ranges of houses are not empty, and sums fit 64 bits: the board
/// checks both.
impl RunLengthRow {
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

    /// Makes `house` the first of a run.
    fn split_run(&mut self, house: u32) {
        if house <= self.houses {
            let seeds = self.seeds(house);
            self.runs.entry(house).or_insert(seeds);
        }
    }

    /// Joins the run that begins at `house` with the run before it if their counts are equal.
    fn join_runs(&mut self, house: u32) {
        if house > 1 && self.runs.get(&house) == Some(&self.seeds(house - 1)) {
            self.runs.remove(&house);
        }
    }
}

#[cfg(test)]
mod tests;
