use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;

use crate::{House, SeedCount};

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
