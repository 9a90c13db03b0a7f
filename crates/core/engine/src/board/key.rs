//! Keys of positions in the hash tables of a search.

use kalah::Position;
use kalah_board::{PackedBoard, PackedRow, WideBoard};

/// The hash key of a position: the cluster where its entry is stored, and the bits that identify it
/// there.
///
/// A key covers the houses alone, seen from the side to move, and neither the stores nor the rules.
///
/// A key is exact for boards of up to 7 houses, and for those of 8 houses with at most 127 seeds in
/// each: the mixing is invertible, so different houses differ in [`head`](Self::head), in
/// [`tail`](Self::tail) or in their cluster. Of the 14 bytes of two rows of 7 houses, 12 are head
/// and tail; the remaining 16 bits are the highest ones of `cluster_hash`, which determine the
/// cluster in a table of 2^16 clusters or more. Two rows of 8 houses have as many bits, 7 for each
/// house, and two rows of 6 houses have 12 bytes. Keys of all other boards are 96 bits of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PositionKey {
    /// The position of the cluster in a table of any size, as a fraction of 2^64.
    pub(crate) cluster_hash: u64,
    pub(crate) head: u64,
    pub(crate) tail: u32,
}

/// How positions are turned into keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Exact,
    Hashed,
}

/// An odd number without pattern: the fractional part of the golden ratio, as in Knuth's
/// multiplicative hashing (The Art of Computer Programming 3, section 6.4).
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
/// Another odd number without pattern, from the fractional part of the square root of 2.
const SQRT_OF_TWO: u64 = 0x6a09_e667_f3bc_c909;

/// Multiplies to 128 bits and folds the product, so that every input bit affects every output bit.
#[inline]
fn mix(word: u64, multiplier: u64) -> u64 {
    fold(product(word ^ multiplier.rotate_left(32), multiplier))
}

#[inline]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "folds both halves")]
fn fold(bits: u128) -> u64 {
    (bits as u64) ^ ((bits >> u64::BITS) as u64)
}

/// Random numbers for each word of both rows of a wide board, for both halves of a key.
const NH_NUMBERS: [[(u64, u64); 8]; 2] = {
    let mut numbers = [[(0, 0); 8]; 2];
    let mut state = SQRT_OF_TWO;
    let mut index = 0;
    while index < 16 {
        numbers[index / 8][index % 8] = (split_mix(&mut state), split_mix(&mut state));
        index += 1;
    }
    numbers
};

/// Returns the next number of the generator `SplitMix64` (G. L. Steele and others, "Fast splittable
/// pseudorandom number generators", 2014).
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GOLDEN_RATIO);
    let mut number = *state;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Width of a row that is mixed, for boards of up to 6 houses, and for those of 7 and of 8.
const BITS_OF_6_HOUSES: u32 = 6 * u8::BITS;
const BITS_OF_7_HOUSES: u32 = 7 * u8::BITS;

/// The most houses a side, and the most seeds of a board, for which all keys are exact.
pub(crate) const MAX_EXACT_HOUSES: u32 = 8;
pub(crate) const MAX_EXACT_SEEDS_OF_8_HOUSES: u16 = 127;

/// The highest bit of each of 8 houses, which is 0 if none has more than 127 seeds.
const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

/// Removes the highest bit of each byte of a row, which is 0, so that 8 houses take 56 bits.
#[inline]
const fn remove_highest_bits(row: u64) -> u64 {
    // Joins the bytes to 4 lanes of 14 bits, these to 2 of 28, and these to one of 56.
    let row = row & 0x007f_007f_007f_007f | (row & 0x7f00_7f00_7f00_7f00) >> 1;
    let row = row & 0x0000_3fff_0000_3fff | (row & 0x3fff_0000_3fff_0000) >> 2;
    row & 0x0000_0000_0fff_ffff | (row & 0x0fff_ffff_0000_0000) >> 4
}

impl PositionKey {
    /// Returns the number of clusters that a table needs for exact keys.
    pub(crate) const fn min_clusters(houses: u32) -> usize {
        if houses == u64::MAX_HOUSES as u32 || houses == MAX_EXACT_HOUSES {
            1 << (2 * (BITS_OF_7_HOUSES - BITS_OF_6_HOUSES))
        } else {
            1
        }
    }

    /// Returns the key of a packed board with `houses` houses a side, an exact one if there is any.
    #[inline]
    pub(crate) fn packed<W: PackedRow>(board: PackedBoard<W>, houses: u32) -> Self {
        let [own, other] = [board.own, board.other].map(|row| row.halves()[0]);
        if W::MAX_HOUSES <= u64::MAX_HOUSES {
            Self::exact(PackedBoard { own, other }, houses)
        } else if houses == MAX_EXACT_HOUSES && (own | other) & HIGHEST_BITS == 0 {
            let [own, other] = [own, other].map(remove_highest_bits);
            Self::mix_rows(PackedBoard { own, other }, BITS_OF_7_HOUSES)
        } else {
            Self::hash(board)
        }
    }

    /// Returns the exact key of a board with `houses` houses a side in 64 bits each.
    #[inline]
    fn exact(board: PackedBoard<u64>, houses: u32) -> Self {
        let bits = if houses == u32::from(u64::MAX_HOUSES) {
            BITS_OF_7_HOUSES
        } else {
            BITS_OF_6_HOUSES
        };
        Self::mix_rows(board, bits)
    }

    /// Mixes two rows of `bits` bits.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes 32 bits")]
    fn mix_rows(board: PackedBoard<u64>, bits: u32) -> Self {
        // Two rounds of a Feistel network, each of which is its own inverse.
        let free = u64::BITS - bits;
        let mixed_own = board.own ^ (mix(board.other, GOLDEN_RATIO) >> free);
        let mixed_other = board.other ^ (mix(mixed_own, SQRT_OF_TWO) >> free);
        Self {
            cluster_hash: mixed_other << free,
            head: mixed_own | mixed_other << bits,
            tail: (mixed_other >> free) as u32,
        }
    }

    /// Returns the hashed key of a packed board of any width.
    #[inline]
    fn hash<W: PackedRow>(board: PackedBoard<W>) -> Self {
        let [own, other] = [board.own.halves(), board.other.halves()];
        Self::hash_words([own[0], own[1], other[0], other[1]])
    }

    /// Returns the hashed key of a wide board, which does not depend on its width.
    ///
    /// Each half of the key is a sum of products of the words of both rows and random numbers, the
    /// hash function NH (J. Black and others, "UMAC: fast and secure message authentication",
    /// 1999), whose multiplications do not wait for each other.
    #[inline]
    pub(crate) fn hash_wide<const WORDS: usize>(board: &WideBoard<WORDS>) -> Self {
        let [head, tail_hash] = NH_NUMBERS.map(|numbers| {
            let words = board.own.words().iter().zip(board.other.words());
            let sum = words
                .zip(numbers)
                .fold(0_u128, |sum, ((own, other), (a, b))| {
                    // Words of 0 add nothing.
                    (sum.wrapping_add(product(own.wrapping_add(a), other.wrapping_add(b))))
                        .wrapping_sub(product(a, b))
                });
            mix(fold(sum), GOLDEN_RATIO)
        });
        Self::from_hashes(head, tail_hash)
    }

    /// Returns the hashed key of a position past the first plies.
    pub(crate) fn hash_position(position: &Position) -> Self {
        let board = WideBoard::<8>::from_position(position);
        Self::hash_wide(&board.expect("the rules of the first plies make a position uncacheable"))
    }

    #[inline]
    fn hash_words(words: impl IntoIterator<Item = u64>) -> Self {
        let (mut head, mut tail_hash) = (0, 0);
        for word in words {
            head = mix(head ^ word, GOLDEN_RATIO);
            tail_hash = mix(tail_hash ^ word, SQRT_OF_TWO);
        }
        Self::from_hashes(head, tail_hash)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes 32 bits")]
    fn from_hashes(head: u64, tail_hash: u64) -> Self {
        Self {
            cluster_hash: tail_hash,
            head,
            tail: tail_hash as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::{Rules, Setup};
    use proptest::prelude::*;

    /// Inverts the mixing of an exact key.
    fn board_from_key(key: PositionKey, houses: u32) -> PackedBoard<u64> {
        let bits = if houses == 7 { 56 } else { 48 };
        let free = u64::BITS - bits;
        let mixed_own = key.head & ((1 << bits) - 1);
        let mixed_other = key.cluster_hash >> free;
        let other = mixed_other ^ (mix(mixed_own, SQRT_OF_TWO) >> free);
        let own = mixed_own ^ (mix(other, GOLDEN_RATIO) >> free);
        PackedBoard { own, other }
    }

    /// Inverts the removal of the highest bits.
    fn row_of_8(bits: u64) -> u64 {
        (0..8).fold(0, |row, house| {
            row | (bits >> (7 * house) & 0x7f) << (8 * house)
        })
    }

    fn cluster_index(key: PositionKey, clusters: usize) -> u128 {
        (u128::from(key.cluster_hash) * clusters as u128) >> 64
    }

    proptest! {
        #[test]
        fn exact_keys_are_invertible(
            own in 0_u64..1 << 56,
            other in 0_u64..1 << 56,
            houses in 6_u32..=7,
        ) {
            let bits = 8 * houses;
            let [own, other] = [own, other].map(|row| row & ((1 << bits) - 1));
            let board = PackedBoard { own, other };
            prop_assert_eq!(board_from_key(PositionKey::exact(board, houses), houses), board);
        }

        #[test]
        fn keys_of_8_houses_with_few_seeds_are_invertible(own: u64, other: u64) {
            let [own, other] = [own, other].map(|row| row & !HIGHEST_BITS);
            let board = PackedBoard { own: u128::from(own), other: u128::from(other) };
            let mixed = board_from_key(PositionKey::packed(board, 8), 7);
            prop_assert_eq!([mixed.own, mixed.other].map(row_of_8), [own, other]);
        }

        /// One house with more than 127 seeds is enough for a hashed key, and so is a ninth house.
        #[test]
        fn keys_of_other_packed_boards_are_hashed(
            own: u64,
            other: u64,
            house in 0_u32..8,
            is_own: bool,
        ) {
            let [own, other] = [own, other].map(|row| u128::from(row & !HIGHEST_BITS));
            let board = PackedBoard { own, other };
            prop_assert_eq!(PositionKey::packed(board, 9), PositionKey::hash(board));
            let many = 0x80 << (8 * house);
            let (own, other) = if is_own { (own | many, other) } else { (own, other | many) };
            let board = PackedBoard { own, other };
            prop_assert_eq!(PositionKey::packed(board, 8), PositionKey::hash(board));
        }

        /// Head and tail contain all bits of the mixed rows of 6 houses, and all but 16 of 7.
        #[test]
        fn head_and_tail_distinguish_boards_of_one_cluster(
            own in 0_u64..1 << 56,
            other in 0_u64..1 << 56,
            houses in 6_u32..=7,
            more_clusters in 0_usize..1 << 20,
            flipped in 0_u32..56,
        ) {
            let bits = 8 * houses;
            let [own, other] = [own, other].map(|row| row & ((1 << bits) - 1));
            let board = PackedBoard { own, other };
            let key = PositionKey::exact(board, houses);
            // The key of another board, whose mixed row differs in one bit.
            let free = u64::BITS - bits;
            let mixed_other = (key.cluster_hash >> free) ^ (1 << (flipped % bits));
            let neighbour = PositionKey {
                cluster_hash: mixed_other << free,
                head: (key.head & ((1 << bits) - 1)) | mixed_other << bits,
                tail: u32::try_from((mixed_other >> free) & u64::from(u32::MAX)).unwrap(),
            };
            let neighbour_board = board_from_key(neighbour, houses);
            prop_assert_eq!(PositionKey::exact(neighbour_board, houses), neighbour);
            let clusters = PositionKey::min_clusters(houses) + more_clusters;
            prop_assert!(
                (key.head, key.tail) != (neighbour.head, neighbour.tail)
                    || cluster_index(key, clusters) != cluster_index(neighbour, clusters)
            );
        }
    }

    #[test]
    fn keys_depend_on_rows_but_not_on_stores_or_sides() {
        let position = |text: &str| {
            let setup: Setup = text.parse().unwrap();
            setup.position(Rules::CS32).unwrap()
        };
        let keys = |text: &str| {
            let position = position(text);
            (
                PositionKey::exact(PackedBoard::from_position(&position).unwrap(), 2),
                PositionKey::hash(PackedBoard::<u128>::from_position(&position).unwrap()),
                PositionKey::hash_position(&position),
            )
        };
        let (exact, hash, hash_of_position) = keys("<2,9,0,1,2,3,4> s");
        for same in ["<2,0,5,1,2,3,4> s", "<2,0,0,3,4,1,2> n"] {
            assert_eq!(keys(same), (exact, hash, hash_of_position), "{same}");
        }
        for different in ["<2,9,0,1,2,3,4> n", "<2,9,0,2,1,3,4> s"] {
            let different = keys(different);
            assert_ne!(different.0, exact);
            assert_ne!(different.1, hash);
            assert_ne!(different.2, hash_of_position);
        }
    }
}
