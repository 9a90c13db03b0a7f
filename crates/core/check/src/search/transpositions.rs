//! A bounded hash table of bounds that a search has derived.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers of seeds are small, and a bucket is less than their number"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::numbering::positions;

/// The entries of a bucket: a line of the cache of usual processors.
const BUCKET_ENTRIES: usize = 8;

/// The bits of [`Entry::effort`], and the greatest effort.
const EFFORT_BITS: u32 = 6;
const MAX_EFFORT: u64 = (1 << EFFORT_BITS) - 1;

/// Proven bounds of a gain, in seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GainBounds {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
}

/// Entries in one word each, of positions whose keys have the same remainder.
#[repr(align(64))]
#[derive(Default)]
struct Bucket([AtomicU64; BUCKET_ENTRIES]);

/// A table of the bounds of positions, which several threads share.
///
/// The key of a position is its number, mixed by an invertible function. The number of its bucket
/// is the remainder of the key, and its entry has the quotient, so that an entry is that of one
/// position only. An entry is one word, which threads read and write whole.
pub(crate) struct BoundsTable {
    buckets: Vec<Bucket>,
    /// The most seeds of a position in the table.
    max_seeds: usize,
    /// The bits of a key.
    key_bits: u32,
    /// The bits of a bound.
    bound_bits: u32,
}

/// The content of a word.
#[derive(Clone, Copy)]
struct Entry {
    quotient: u64,
    bounds: GainBounds,
    /// The bits of the number of nodes of the search that derived the bounds, at least 1.
    effort: u32,
}

impl BoundsTable {
    /// Creates a table of about `bytes` for positions with `houses` houses on the board and at most
    /// `max_seeds` seeds in them, or fewer if entries of more do not fit into a word.
    pub(crate) fn new(bytes: usize, houses: usize, max_seeds: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let mut table = Self {
            buckets: Vec::new(),
            max_seeds: 0,
            key_bits: 1,
            bound_bits: 1,
        };
        for seeds in 1..=max_seeds {
            let Some(positions) = positions(houses, seeds) else {
                break;
            };
            let key_bits = u64::BITS - positions.leading_zeros();
            let bound_bits = usize::BITS - (2 * seeds).leading_zeros();
            let quotient_bits = key_bits.saturating_sub(count.ilog2());
            if quotient_bits + 2 * bound_bits + EFFORT_BITS > u64::BITS {
                break;
            }
            table.max_seeds = seeds;
            table.key_bits = key_bits;
            table.bound_bits = bound_bits;
        }
        table.buckets.resize_with(count, Bucket::default);
        table
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
    }

    /// Returns whether the table takes positions with this number of seeds in the houses.
    #[inline]
    pub(crate) fn has(&self, seeds: usize) -> bool {
        seeds <= self.max_seeds
    }

    /// Returns the bucket of a position, and the quotient of its entry.
    #[inline]
    fn bucket(&self, number: u64) -> (&Bucket, u64) {
        let key = mix(number, self.key_bits);
        let count = self.buckets.len() as u64;
        (&self.buckets[(key % count) as usize], key / count)
    }

    /// Returns the entry in a word; `None` if the word is empty.
    #[inline]
    fn unpack(&self, word: u64) -> Option<Entry> {
        let bound = |word: u64| {
            let bits = word & (u64::MAX >> (u64::BITS - self.bound_bits));
            bits as i32 - self.max_seeds as i32
        };
        let upper = word >> EFFORT_BITS;
        let lower = upper >> self.bound_bits;
        (word != 0).then_some(Entry {
            quotient: lower >> self.bound_bits,
            bounds: GainBounds {
                lower: bound(lower),
                upper: bound(upper),
            },
            effort: (word & MAX_EFFORT) as u32,
        })
    }

    /// Returns the word of an entry, which is not 0 because the effort is not.
    fn pack(&self, entry: Entry) -> u64 {
        let bound = |gain: i32| (gain + self.max_seeds as i32) as u64;
        let GainBounds { lower, upper } = entry.bounds;
        let bounds = entry.quotient << self.bound_bits | bound(lower);
        let bounds = bounds << self.bound_bits | bound(upper);
        bounds << EFFORT_BITS | u64::from(entry.effort)
    }

    /// Returns the bounds of a position that the table takes, if it has them.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<GainBounds> {
        let (bucket, quotient) = self.bucket(number);
        let mut entries =
            (bucket.0.iter()).filter_map(|word| self.unpack(word.load(Ordering::Relaxed)));
        let entry = entries.find(|entry| entry.quotient == quotient)?;
        Some(entry.bounds)
    }

    /// Stores the bounds of a position that the table takes, which took `nodes` nodes. Bounds that
    /// the table has of the position are narrowed. The new entry replaces that with the least
    /// effort if the bucket is full.
    pub(crate) fn narrow(&self, number: u64, bounds: GainBounds, nodes: u64) {
        let (bucket, quotient) = self.bucket(number);
        let effort = u64::BITS - nodes.leading_zeros();
        let mut entry = Entry {
            quotient,
            bounds,
            effort: effort.clamp(1, MAX_EFFORT as u32),
        };
        let mut least = u32::MAX;
        let mut place = &bucket.0[0];
        for word in &bucket.0 {
            let known = self.unpack(word.load(Ordering::Relaxed));
            if let Some(known) = known.filter(|known| known.quotient == quotient) {
                entry.bounds.lower = entry.bounds.lower.max(known.bounds.lower);
                entry.bounds.upper = entry.bounds.upper.min(known.bounds.upper);
                entry.effort = entry.effort.max(known.effort);
                place = word;
                break;
            }
            let effort = known.map_or(0, |known| known.effort);
            if effort <= least {
                (least, place) = (effort, word);
            }
        }
        place.store(self.pack(entry), Ordering::Relaxed);
    }
}

/// Mixes the lowest `bits` bits of a number, which has no others, so that different numbers stay
/// different: a product with an odd factor and a sum without carry with the shifted number can be
/// inverted.
#[inline]
fn mix(number: u64, bits: u32) -> u64 {
    /// Odd numbers without a pattern: the fractions of the golden ratio and of pi.
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3];
    let mask = u64::MAX >> (u64::BITS - bits);
    let shift = bits.div_ceil(2);
    FACTORS.iter().fold(number, |number, factor| {
        let product = number.wrapping_mul(*factor) & mask;
        product ^ product >> shift
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    fn bounds(lower: i32, upper: i32) -> GainBounds {
        GainBounds { lower, upper }
    }

    #[test]
    fn bounds_are_narrowed_and_positions_told_apart() {
        let table = BoundsTable::new(0, 4, 9);
        assert_eq!(table.get(1), None);
        table.narrow(1, bounds(-2, 9), 5);
        table.narrow(1, bounds(-6, 4), 1);
        assert_eq!(table.get(1), Some(bounds(-2, 4)));
        assert_eq!(table.get(2), None);
        table.narrow(2, bounds(0, 0), 2);
        assert_eq!(table.get(1), Some(bounds(-2, 4)));
        assert_eq!(table.get(2), Some(bounds(0, 0)));
    }

    #[test]
    fn mixed_numbers_are_different() {
        for bits in 1..=14 {
            let mixed: HashSet<u64> = (0..1 << bits).map(|number| mix(number, bits)).collect();
            assert_eq!(mixed.len(), 1 << bits);
            assert!(mixed.iter().all(|&number| number < 1 << bits));
        }
    }

    /// A table can lose entries, but what it returns is of the right position.
    #[test]
    fn bounds_are_those_of_their_position() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut tables = 0;
        for (houses, seeds) in [(2, 3), (4, 9), (6, 12), (12, 48), (16, 64), (20, 30)] {
            for bytes in [0, 1 << 9, 1 << 22] {
                let table = BoundsTable::new(bytes, houses, seeds);
                if !table.has(seeds) {
                    continue;
                }
                tables += 1;
                let count = positions(houses, seeds).unwrap();
                // Neighbouring numbers, and the greatest ones.
                let numbers = |index: u64| {
                    if index.is_multiple_of(2) {
                        index / 2
                    } else {
                        count - 1 - index / 2
                    }
                };
                let mut known = HashMap::new();
                for _ in 0..20_000 {
                    let number = numbers(random.random_range(0..count.min(4000)));
                    let found = table.get(number);
                    let gain = random.random_range(0..=i32::try_from(seeds).unwrap());
                    let new = bounds(-gain, gain);
                    let old = known.insert(number, new);
                    // The entry is narrowed to what was stored since it was lost.
                    if let Some(found) = found {
                        assert_eq!(Some(found), old, "{number}");
                    }
                    if let Some(found) = found {
                        let narrow = bounds(new.lower.max(found.lower), new.upper.min(found.upper));
                        known.insert(number, narrow);
                    }
                    table.narrow(number, new, random.random_range(1..u64::MAX));
                }
            }
        }
        // Entries of the largest board fit into the largest table alone.
        assert_eq!(tables, 16);
    }

    #[test]
    fn positions_whose_entries_do_not_fit_are_not_taken() {
        let table = BoundsTable::new(1 << 10, 52, 104);
        assert!(table.has(10));
        assert!(!table.has(104));
    }
}
