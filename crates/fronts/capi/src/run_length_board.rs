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
mod tests {
    //! The run-length board against plain vectors of pits, and at its limits.

    use std::hash::{DefaultHasher, Hash, Hasher};

    use kalah::reference::ReferenceBoard;
    use kalah::{Capture, FirstPlies, Rules, SowEffect};
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Builds a board with the counts of `model`.
    fn build_board(model: &ReferenceBoard) -> RunLengthBoard {
        let mut board = RunLengthBoard::new(model.houses(), 0).unwrap();
        for side in Side::ALL {
            for house in (1..=model.houses()).rev() {
                let seeds = model.rows[side][house as usize - 1];
                assert!(board.set_house(side, house, seeds));
            }
            assert!(board.set_store(side, model.stores[side]));
        }
        board
    }

    #[derive(Clone, Copy, Debug)]
    enum RunLengthOperation {
        Sow(Side, u32),
        Bank(Side, u32, Side),
        SetHouse(Side, u32, u64),
        SetStore(Side, u64),
    }

    fn side() -> impl Strategy<Value = Side> {
        select(Side::ALL.to_vec())
    }

    fn seeds() -> impl Strategy<Value = u64> {
        prop_oneof![
            4 => 0..4_u64,
            2 => 0..200_u64,
            1 => any::<u64>(),
            1 => (0..4_u64).prop_map(|less| u64::MAX - less),
        ]
    }

    fn operations(houses: u32) -> impl Strategy<Value = Vec<RunLengthOperation>> {
        // Includes numbers outside the board.
        let house = || 0..=houses + 1;
        let operation = prop_oneof![
            6 => (side(), house()).prop_map(|(side, house)| RunLengthOperation::Sow(side, house)),
            1 => (side(), house(), side())
                .prop_map(|(owner, house, taker)| RunLengthOperation::Bank(owner, house, taker)),
            3 => (side(), house(), seeds())
                .prop_map(|(owner, house, seeds)| RunLengthOperation::SetHouse(owner, house, seeds)),
            1 => (side(), seeds()).prop_map(|(owner, seeds)| RunLengthOperation::SetStore(owner, seeds)),
        ];
        prop::collection::vec(operation, 0..40)
    }

    fn hash(board: &RunLengthBoard) -> u64 {
        let mut hasher = DefaultHasher::new();
        board.hash(&mut hasher);
        hasher.finish()
    }

    /// Applies `operation` to both. Returns whether it was done rather than refused.
    fn apply(
        operation: RunLengthOperation,
        board: &mut RunLengthBoard,
        model: &mut ReferenceBoard,
    ) -> Result<bool, TestCaseError> {
        Ok(match operation {
            RunLengthOperation::Sow(side, house) => {
                let last = board.sow(side, house);
                prop_assert_eq!(last, model.sow(side, house));
                last.is_some()
            }
            RunLengthOperation::Bank(owner, house, taker) => {
                let banked = board.bank(owner, house, taker);
                prop_assert_eq!(banked, model.bank(owner, house, taker));
                banked.is_some()
            }
            RunLengthOperation::SetHouse(owner, house, seeds) => {
                let set = board.set_house(owner, house, seeds);
                prop_assert_eq!(set, model.set(Pit::House(owner, house), seeds, u64::MAX));
                set
            }
            RunLengthOperation::SetStore(owner, seeds) => {
                let set = board.set_store(owner, seeds);
                prop_assert_eq!(set, model.set(Pit::Store(owner), seeds, u64::MAX));
                set
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn operations_agree_with_plain_vectors(
            (houses, seeds, operations) in
                (1..=9_u32).prop_flat_map(|houses| (Just(houses), 0..9_u64, operations(houses)))
        ) {
            let mut board = RunLengthBoard::new(houses, seeds).unwrap();
            let mut model = ReferenceBoard::new(houses as usize, seeds);
            for operation in operations {
                let before = board.clone();
                let done = apply(operation, &mut board, &mut model)?;
                let conserves =
                    !matches!(operation, RunLengthOperation::SetHouse(..) | RunLengthOperation::SetStore(..));
                if conserves {
                    prop_assert_eq!(board.total(), before.total(), "{:?}", operation);
                }
                if !done {
                    let message = "was refused but changed the board";
                    prop_assert_eq!(&board, &before, "{:?} {}", operation, message);
                }
                // Equality and hash depend on the counts alone, not on the operations before.
                let rebuilt = build_board(&model);
                prop_assert_eq!(&board, &rebuilt, "{:?}", operation);
                prop_assert_eq!(hash(&board), hash(&rebuilt), "{:?}", operation);
                for side in Side::ALL {
                    let row = &model.rows[side];
                    for (house, &seeds) in (1..).zip(row) {
                        prop_assert_eq!(board.house(side, house), Some(seeds), "{:?}", operation);
                        prop_assert_eq!(board.in_house(side, house), seeds, "{:?}", operation);
                    }
                    prop_assert_eq!(board.store(side), model.stores[side], "{:?}", operation);
                    let row_total = row.iter().sum::<u64>();
                    prop_assert_eq!(board.row_total(side), row_total, "{:?}", operation);
                    prop_assert_eq!(board.in_row(side), board.row_total(side), "{:?}", operation);
                }
                prop_assert_eq!(u128::from(board.total()), model.total(), "{:?}", operation);
            }
        }
    }

    #[test]
    fn house_numbers_outside_the_board_are_refused() {
        let mut board = RunLengthBoard::new(3, 4).unwrap();
        let before = board.clone();
        for house in [0, 4, MAX_HOUSES, u32::MAX] {
            assert_eq!(board.house(Side::South, house), None);
            assert_eq!(board.sow(Side::South, house), None);
            assert_eq!(board.bank(Side::North, house, Side::South), None);
            assert!(!board.set_house(Side::South, house, 0));
        }
        assert_eq!(board, before);
    }

    #[test]
    fn house_counts_outside_the_limits_are_refused() {
        for houses in [0, MAX_HOUSES + 1, u32::MAX] {
            assert_eq!(RunLengthBoard::new(houses, 0), None);
        }
        for houses in [1, MAX_HOUSES] {
            let board = RunLengthBoard::new(houses, 1).unwrap();
            assert_eq!(board.total(), u64::from(houses) * 2);
        }
    }

    #[test]
    fn totals_beyond_64_bits_are_refused() {
        // (2^32 - 2) * (2^32 + 2) is 2^64 - 4.
        let max_in_each = (1 << 32) + 2;
        let mut board = RunLengthBoard::new(MAX_HOUSES, max_in_each).unwrap();
        assert_eq!(board.total(), u64::MAX - 3);
        assert_eq!(RunLengthBoard::new(MAX_HOUSES, max_in_each + 1), None);
        assert_eq!(RunLengthBoard::new(1, u64::MAX), None);

        assert!(board.set_store(Side::North, 3));
        assert_eq!(board.total(), u64::MAX);
        let full = board.clone();
        assert!(!board.set_store(Side::South, 1));
        assert!(!board.set_store(Side::North, u64::MAX));
        assert!(!board.set_house(Side::South, MAX_HOUSES, max_in_each + 1));
        assert_eq!(board, full);

        let mut all_in_one = RunLengthBoard::new(1, 0).unwrap();
        assert!(all_in_one.set_house(Side::North, 1, u64::MAX));
        assert_eq!(
            all_in_one.sow(Side::North, 1),
            Some(Pit::House(Side::North, 1))
        );
        assert_eq!(all_in_one.house(Side::North, 1), Some(u64::MAX / 3));
        assert_eq!(
            all_in_one.bank(Side::North, 1, Side::South),
            Some(u64::MAX / 3)
        );
        assert_eq!(all_in_one.total(), u64::MAX);
    }

    #[test]
    fn largest_board_is_sown_run_by_run() {
        let last = MAX_HOUSES;
        let mut board = RunLengthBoard::new(last, 3).unwrap();
        assert_eq!(
            board.sow(Side::South, last),
            Some(Pit::House(Side::North, 2))
        );
        assert_eq!(board.house(Side::North, 3), Some(3));
        // A lap of exactly 2m+1 seeds comes back to its own house, m, opposite the other's house 1.
        let lap = u64::from(last) * 2 + 1;
        assert!(board.set_house(Side::South, last, lap));
        let last_pit = board.sow(Side::South, last).unwrap();
        assert_eq!(last_pit, Pit::House(Side::South, last));
        assert_eq!(
            Rules::CS32.sow_effect(&board, Side::South, last_pit, FirstPlies::Later),
            SowEffect::Capture(Capture {
                house: last,
                from: 1,
                seeds: 6
            })
        );
        assert_eq!(board.house(Side::South, 1), Some(4));
        assert_eq!(board.house(Side::North, 2), Some(5));
        // A thousand more laps from one house.
        assert!(board.set_house(Side::North, 1, lap * 1000));
        assert_eq!(board.sow(Side::North, 1), Some(Pit::House(Side::North, 1)));
        assert_eq!(board.house(Side::South, 1), Some(1004));
        assert_eq!(
            board.row_total(Side::South) + board.row_total(Side::North) + 2 + 1000,
            board.total()
        );
        for house in 1..=1000 {
            assert!(board.sow(Side::North, house * 2).is_some());
        }
    }
}
