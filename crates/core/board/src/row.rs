//! Rows of up to 15 houses without the stores, packed into one word each.

use std::fmt::Debug;
use std::hash::Hash;

use kalah::{FirstPlies, Position, SeedCount};

use crate::bytes::{ONES, mask_byte_indices, nonzero_bytes, sum_bytes};

/// A row packed into a word with one byte per house: house m, next to the store, in the lowest
/// byte, house 1 in byte m - 1, and zero in all other bytes.
///
/// All houses together hold at most 255 seeds, so sums of bytes fit into a byte.
pub trait PackedRow: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The row without seeds.
    const EMPTY: Self;
    /// The length of the longest row. One byte always stays free.
    const MAX_HOUSES: u8;

    /// The bytes of a row.
    type Bytes: AsRef<[u8]>;

    /// Returns the word with `seeds` in byte `index` and zero elsewhere.
    #[must_use]
    fn from_byte(index: u32, seeds: u8) -> Self;

    /// Returns byte `index`.
    fn byte(self, index: u32) -> u8;

    /// Adds a word bytewise. No byte of the result may leave `0..=255`; `more` may contain negative
    /// bytes with their borrows.
    #[must_use]
    fn plus(self, more: Self) -> Self;

    /// Subtracts a word, with borrows between bytes.
    #[must_use]
    fn minus(self, less: Self) -> Self;

    /// Returns the sum of all bytes, which must be at most 255.
    fn total(self) -> u8;

    /// Returns the number of bytes that are not zero.
    fn occupied_count(self) -> u8;

    /// Returns the number of bytes that equal their index plus one: houses whose last seed falls
    /// into the store without a lap.
    fn bonus_turn_count(self) -> u8;

    /// Iterates over the indices of the bytes that are not zero, from the lowest.
    fn occupied_bytes(self) -> impl Iterator<Item = u32>;

    /// Returns the 64-bit halves, the lower one first.
    fn halves(self) -> [u64; 2];

    /// Returns all bytes, the lowest first.
    fn bytes(self) -> Self::Bytes;
}

/// The distance to the store in every byte.
const DISTANCES: u64 = 0x0807_0605_0403_0201;

/// The methods of [`PackedRow`] that are the same for every width.
macro_rules! impl_byte_methods {
    () => {
        const EMPTY: Self = 0;

        type Bytes = [u8; size_of::<Self>()];

        #[inline]
        fn bytes(self) -> Self::Bytes {
            self.to_le_bytes()
        }

        #[inline]
        fn from_byte(index: u32, seeds: u8) -> Self {
            Self::from(seeds) << (8 * index)
        }

        #[inline]
        #[expect(clippy::cast_possible_truncation, reason = "takes a byte")]
        fn byte(self, index: u32) -> u8 {
            (self >> (8 * index)) as u8
        }

        #[inline]
        fn plus(self, more: Self) -> Self {
            self.wrapping_add(more)
        }

        #[inline]
        fn minus(self, less: Self) -> Self {
            self.wrapping_sub(less)
        }
    };
}

impl PackedRow for u64 {
    const MAX_HOUSES: u8 = 7;

    impl_byte_methods!();

    #[inline]
    fn total(self) -> u8 {
        sum_bytes(self)
    }

    #[inline]
    fn occupied_count(self) -> u8 {
        sum_bytes(nonzero_bytes(self) >> 7)
    }

    #[inline]
    fn occupied_bytes(self) -> impl Iterator<Item = u32> {
        mask_byte_indices(nonzero_bytes(self))
    }

    #[inline]
    fn bonus_turn_count(self) -> u8 {
        8 - sum_bytes(nonzero_bytes(self ^ DISTANCES) >> 7)
    }

    #[inline]
    fn halves(self) -> [u64; 2] {
        [self, 0]
    }
}

#[expect(clippy::cast_possible_truncation, reason = "takes halves")]
impl PackedRow for u128 {
    const MAX_HOUSES: u8 = 15;

    impl_byte_methods!();

    #[inline]
    fn total(self) -> u8 {
        let [low, high] = self.halves();
        sum_bytes(low + high)
    }

    #[inline]
    fn occupied_count(self) -> u8 {
        let [low, high] = self.halves().map(|half| nonzero_bytes(half) >> 7);
        sum_bytes(low + high)
    }

    #[inline]
    fn occupied_bytes(self) -> impl Iterator<Item = u32> {
        let [low, high] = self.halves().map(nonzero_bytes);
        mask_byte_indices(low).chain(mask_byte_indices(high).map(|index| index + u64::BITS / 8))
    }

    #[inline]
    fn bonus_turn_count(self) -> u8 {
        let [low, high] = self.halves();
        let further = DISTANCES + ONES * 8;
        16 - sum_bytes((nonzero_bytes(low ^ DISTANCES) >> 7) + (nonzero_bytes(high ^ further) >> 7))
    }

    #[inline]
    fn halves(self) -> [u64; 2] {
        [self as u64, (self >> u64::BITS) as u64]
    }
}

/// The houses of a position as the side to move sees them, in two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedBoard<W> {
    /// The row of the side to move.
    pub own: W,
    /// The row of the opponent.
    pub other: W,
}

impl<W: PackedRow> PackedBoard<W> {
    /// Packs a position. `None` if a row has more houses than a word holds, if there are more than
    /// 255 seeds in play, or if the rules of the first plies still apply.
    pub fn from_position(position: &Position) -> Option<Self> {
        if position.first_plies() != FirstPlies::Later || position.houses() > W::MAX_HOUSES {
            return None;
        }
        u8::try_from(position.seeds_in_play().get()).ok()?;
        let row = |side| {
            let houses = position.houses_of(side).iter().rev();
            (0..).zip(houses.copied().map(SeedCount::get)).try_fold(
                W::EMPTY,
                |row, (index, seeds)| {
                    Some(row.plus(W::from_byte(index, u8::try_from(seeds).ok()?)))
                },
            )
        };
        let mover = position.to_move();
        Some(Self {
            own: row(mover)?,
            other: row(mover.opponent())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::cases;
    use kalah::{Rules, Setup};
    use proptest::prelude::*;

    /// Rows of up to 15 houses with at most 255 seeds.
    fn rows() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop_oneof![Just(0), 0_u8..=17], 0..=15)
    }

    fn check<W: PackedRow>(row: &[u8]) {
        let word = (0..).zip(row).fold(W::EMPTY, |word, (index, &seeds)| {
            word.plus(W::from_byte(index, seeds))
        });
        let occupied: Vec<u32> = (0..)
            .zip(row)
            .filter(|&(_, &seeds)| seeds > 0)
            .map(|(index, _)| index)
            .collect();
        assert_eq!(word.total(), row.iter().sum());
        assert_eq!(usize::from(word.occupied_count()), occupied.len());
        assert_eq!(word.occupied_bytes().collect::<Vec<_>>(), occupied);
        let bonus_turns = (1..)
            .zip(row)
            .filter(|&(distance, &seeds)| seeds == distance);
        assert_eq!(usize::from(word.bonus_turn_count()), bonus_turns.count());
        for (index, &seeds) in (0..).zip(row) {
            assert_eq!(word.byte(index), seeds);
            assert_eq!(word.minus(W::from_byte(index, seeds)).byte(index), 0);
        }
        let bytes = word.halves().map(u64::to_le_bytes).concat();
        let (used, unused) = bytes.split_at(row.len());
        assert_eq!(used, row);
        assert!(unused.iter().all(|&byte| byte == 0));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn packed_rows_match_plain_rows(row in rows()) {
            check::<u128>(&row);
            check::<u64>(&row[..row.len().min(usize::from(u64::MAX_HOUSES))]);
        }
    }

    #[test]
    fn one_house_can_hold_all_seeds() {
        check::<u64>(&[0, 255, 0]);
        check::<u128>(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0]);
        check::<u64>(&[128, 127]);
    }

    #[test]
    fn positions_that_do_not_fit_are_not_packed() {
        let packs = |text: &str, rules| {
            let position = text.parse::<Setup>().unwrap().position(rules).unwrap();
            [
                PackedBoard::<u64>::from_position(&position).is_some(),
                PackedBoard::<u128>::from_position(&position).is_some(),
            ]
        };
        assert_eq!(packs("7x18", Rules::CS32), [true, true]);
        assert_eq!(packs("7x19", Rules::CS32), [false, false]);
        assert_eq!(packs("<1,60000,0,255,0> s", Rules::CS32), [true, true]);
        assert_eq!(packs("<1,0,0,256,0> s", Rules::CS32), [false, false]);
        assert_eq!(packs("8x4", Rules::CS32), [false, true]);
        assert_eq!(packs("15x8", Rules::CS32), [false, true]);
        assert_eq!(packs("16x1", Rules::CS32), [false, false]);
        // The first two plies have rules of their own.
        assert_eq!(packs("6x4", Rules::MANKALAH), [false, false]);
    }
}
