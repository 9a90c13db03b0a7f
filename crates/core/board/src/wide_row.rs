//! Rows of up to 26 houses with any number of seeds, without the stores.

use std::iter;

use kalah::{FirstPlies, House, Position, SeedCount};

/// The bits of a lane, which holds the seeds of one house.
const LANE_BITS: usize = u16::BITS as usize;

/// The lanes of a word.
const WORD_LANES: usize = 4;

/// A 1 in each lane.
const ONES: u64 = 0x0001_0001_0001_0001;

/// The highest bit of each lane.
const HIGHEST_BITS: u64 = ONES << (LANE_BITS - 1);

/// The seeds of one side in lanes of 16 bits: house m, next to the store, in the lowest lane of the
/// first word, house 1 in lane m - 1, and zero in all other lanes.
///
/// `WORDS` is 4, for up to 15 houses, or 8, for up to 26. The compiler turns the loops over the
/// words into vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WideRow<const WORDS: usize>([u64; WORDS]);

/// The houses of a position as the side to move sees them, with 16 bits a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WideBoard<const WORDS: usize> {
    /// The row of the side to move.
    pub own: WideRow<WORDS>,
    /// The row of the opponent.
    pub other: WideRow<WORDS>,
}

/// Returns the highest bit of each lane of `word` that is not 0.
#[inline]
fn nonzero_lanes(word: u64) -> u64 {
    // The sum of two numbers below 2^15 does not leave its lane.
    (((word & !HIGHEST_BITS) + (HIGHEST_BITS - ONES)) | word) & HIGHEST_BITS
}

/// Returns a 1 in each lane of `word` that is not 0.
#[inline]
fn nonzero_ones(word: u64) -> u64 {
    nonzero_lanes(word) >> (LANE_BITS - 1)
}

/// Returns the highest lane.
#[inline]
fn highest_lane(word: u64) -> u16 {
    (word >> (LANE_BITS * (WORD_LANES - 1))) as u16
}

/// Returns the sum of all lanes, which must be at most 65,535.
#[inline]
fn sum_lanes(word: u64) -> u16 {
    highest_lane(word.wrapping_mul(ONES))
}

/// Returns a bit for each lane of `word` that is not 0, the lowest one for the lowest lane.
#[inline]
fn lane_mask(word: u64) -> u32 {
    /// Moves a 1 in lane i to bit i of the highest lane.
    const GATHER: u64 = 0x0001_0002_0004_0008;
    highest_lane(nonzero_ones(word).wrapping_mul(GATHER)).into()
}

/// Returns the word and the shift of a lane.
#[inline]
const fn lane_place(index: usize) -> (usize, usize) {
    (index / WORD_LANES, index % WORD_LANES * LANE_BITS)
}

impl<const WORDS: usize> WideRow<WORDS> {
    /// The row without seeds.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The number of lanes.
    #[expect(clippy::cast_possible_truncation, reason = "at most 32")]
    pub(crate) const LANES: u8 = {
        let lanes = WORDS * WORD_LANES;
        assert!(
            lanes <= u32::BITS as usize,
            "a mask has a bit for each lane"
        );
        lanes as u8
    };

    /// The length of the longest row. One lane always stays free.
    pub const MAX_HOUSES: u8 = if Self::LANES > House::MAX {
        House::MAX
    } else {
        Self::LANES - 1
    };

    /// Returns the row with these seeds in its lanes, from the lowest, and zero in all others.
    pub(crate) fn from_lanes(seeds: impl IntoIterator<Item = u16>) -> Self {
        let mut row = Self::EMPTY;
        for (index, seeds) in seeds.into_iter().enumerate() {
            let (word, shift) = lane_place(index);
            row.0[word] |= u64::from(seeds) << shift;
        }
        row
    }

    /// Returns the row with `seeds` in lane `index` and zero elsewhere.
    pub(crate) fn from_lane(index: usize, seeds: u16) -> Self {
        let (word, shift) = lane_place(index);
        let mut row = Self::EMPTY;
        row.0[word] = u64::from(seeds) << shift;
        row
    }

    /// Returns lane `index`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes a lane")]
    pub(crate) fn lane(&self, index: usize) -> u16 {
        let (word, shift) = lane_place(index);
        (self.0[word] >> shift) as u16
    }

    /// Returns the words.
    #[inline]
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Iterates over the seeds of all lanes: those of the house next to the store first, and zeros
    /// after those of house 1.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes lanes")]
    pub fn lanes(&self) -> impl Iterator<Item = u16> + use<WORDS> {
        let lanes =
            |word: u64| (0..WORD_LANES).map(move |lane| (word >> (lane * LANE_BITS)) as u16);
        self.0.into_iter().flat_map(lanes)
    }

    /// Adds a row `factor` times. `more` may contain negative lanes with their borrows, and the
    /// result then too.
    #[inline]
    #[must_use]
    pub(crate) fn plus_times(mut self, factor: u64, more: &Self) -> Self {
        for (word, more) in self.0.iter_mut().zip(more.0) {
            *word = word.wrapping_add(more.wrapping_mul(factor));
        }
        self
    }

    /// Adds `more`, and subtracts `less` from each lane in which `mask` is 65,535; in all others it
    /// is 0.
    #[inline]
    #[must_use]
    pub(crate) fn plus_minus(mut self, more: &Self, less: u16, mask: &Self) -> Self {
        let less = u64::from(less) * ONES;
        for ((word, more), mask) in self.0.iter_mut().zip(more.0).zip(mask.0) {
            *word = word.wrapping_add(more).wrapping_sub(less & mask);
        }
        self
    }

    /// Subtracts a row, with borrows between lanes.
    #[must_use]
    pub(crate) fn minus(self, less: &Self) -> Self {
        /// The factor -1.
        const MINUS_ONE: u64 = u64::MAX;
        self.plus_times(MINUS_ONE, less)
    }

    /// Returns the sum of all lanes, which must be at most 65,535.
    #[inline]
    pub fn total(&self) -> u16 {
        sum_lanes(self.0.iter().sum())
    }

    /// Returns the number of lanes that are not zero.
    #[inline]
    pub fn occupied_count(&self) -> u16 {
        sum_lanes(self.0.iter().map(|&word| nonzero_ones(word)).sum())
    }

    /// Returns the number of lanes that equal their index plus one: houses whose last seed falls
    /// into the store without a lap.
    #[inline]
    pub fn bonus_turn_count(&self) -> u16 {
        /// The distance to the store in the lanes of the first word.
        const DISTANCES: u64 = 0x0004_0003_0002_0001;
        let other = (0..).zip(self.0).map(|(index, word)| {
            nonzero_ones(word ^ (DISTANCES + ONES * WORD_LANES as u64 * index))
        });
        u16::from(Self::LANES) - sum_lanes(other.sum())
    }

    /// Iterates over the indices of the lanes that are not zero, from the lowest.
    #[inline]
    pub fn occupied_lanes(&self) -> impl Iterator<Item = usize> + use<WORDS> {
        let words = self.0.iter().rev();
        let mut mask = words.fold(0, |mask, &word| mask << WORD_LANES | lane_mask(word));
        iter::from_fn(move || {
            let index = mask.trailing_zeros() as usize;
            (mask != 0).then(|| {
                mask &= mask - 1;
                index
            })
        })
    }
}

impl<const WORDS: usize> WideBoard<WORDS> {
    /// The board without seeds.
    pub(crate) const EMPTY: Self = Self {
        own: WideRow::EMPTY,
        other: WideRow::EMPTY,
    };

    /// Exchanges the rows if the other side is to move.
    #[inline]
    pub(crate) fn swap_rows_if(&mut self, turn_passes: bool) {
        // A branch would be mispredicted.
        let mask = if turn_passes { u64::MAX } else { 0 };
        for (own, other) in self.own.0.iter_mut().zip(&mut self.other.0) {
            let changes = (*own ^ *other) & mask;
            *own ^= changes;
            *other ^= changes;
        }
    }

    /// Converts a position. `None` if a row has more houses than a [`WideRow`] holds, or if the
    /// rules of the first plies still apply.
    pub fn from_position(position: &Position) -> Option<Self> {
        if position.first_plies() != FirstPlies::Later
            || position.houses() > WideRow::<WORDS>::MAX_HOUSES
        {
            return None;
        }
        let row = |side| {
            let seeds = position.houses_of(side).iter().rev();
            WideRow::from_lanes(seeds.copied().map(SeedCount::get))
        };
        let mover = position.to_move();
        Some(Self {
            own: row(mover),
            other: row(mover.opponent()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::cases;
    use kalah::{Rules, Setup};
    use proptest::prelude::*;

    /// Rows of up to 26 houses with at most 65,535 seeds.
    fn rows() -> impl Strategy<Value = Vec<u16>> {
        let seeds = prop_oneof![4 => Just(0), 8 => 0_u16..=30, 1 => 0_u16..=2_520];
        prop::collection::vec(seeds, 0..=usize::from(House::MAX))
    }

    fn check<const WORDS: usize>(row: &[u16]) {
        let seeds = || row.iter().copied().enumerate();
        let packed = WideRow::<WORDS>::from_lanes(row.iter().copied());
        let mut lanes = row.to_vec();
        lanes.resize(WideRow::<WORDS>::LANES.into(), 0);
        assert_eq!(packed.lanes().collect::<Vec<_>>(), lanes);
        assert_eq!(packed.total(), row.iter().sum());
        let occupied: Vec<_> = (seeds().filter(|&(_, seeds)| seeds > 0))
            .map(|(index, _)| index)
            .collect();
        assert_eq!(usize::from(packed.occupied_count()), occupied.len());
        assert_eq!(packed.occupied_lanes().collect::<Vec<_>>(), occupied);
        let bonus_turns = seeds().filter(|&(index, seeds)| usize::from(seeds) == index + 1);
        assert_eq!(usize::from(packed.bonus_turn_count()), bonus_turns.count());
        for (index, seeds) in seeds() {
            assert_eq!(packed.lane(index), seeds);
            let mask = WideRow::from_lane(index, u16::MAX);
            let without = packed.plus_minus(&WideRow::EMPTY, seeds, &mask);
            assert_eq!(without.total(), packed.total() - seeds);
            assert_eq!(without.lane(index), 0);
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn wide_rows_match_plain_rows(row in rows()) {
            check::<8>(&row);
            check::<4>(&row[..row.len().min(WideRow::<4>::MAX_HOUSES.into())]);
        }
    }

    #[test]
    fn one_house_can_hold_all_seeds() {
        check::<4>(&[0, 65_535, 0]);
        check::<8>(&[32_768, 32_767]);
    }

    #[test]
    fn positions_that_do_not_fit_are_not_converted() {
        let fits = |text: &str, rules| {
            let position = text.parse::<Setup>().unwrap().position(rules).unwrap();
            [
                WideBoard::<4>::from_position(&position).is_some(),
                WideBoard::<8>::from_position(&position).is_some(),
            ]
        };
        assert_eq!(fits("15x2184", Rules::CS32), [true, true]);
        assert_eq!(fits("16x1", Rules::CS32), [false, true]);
        assert_eq!(fits("26x1260", Rules::CS32), [false, true]);
        // The first two plies have rules of their own.
        assert_eq!(fits("12x12", Rules::MANKALAH), [false, false]);
    }
}
