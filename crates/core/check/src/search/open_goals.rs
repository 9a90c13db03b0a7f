//! A bounded hash table of the proof numbers of open goals.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number is from 1 to `MAX_NUMBER`, whose logarithm fits into 16 bits"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::proof_numbers::GoalNumbers;

/// The entries of a bucket: a line of the cache of usual processors.
const BUCKET_ENTRIES: usize = 8;

/// The bits of a logarithm in an entry, and the steps of a doubling.
const LOG_BITS: u32 = 16;
const STEPS: f64 = 512.0;

/// Proof numbers that searches have left, which several threads share.
///
/// An entry has 31 bits of the hash of its goal, so it can be taken for that of another goal. Proof
/// numbers only tell a search where to go on: no answer depends on them.
pub(crate) struct OpenGoals {
    buckets: Vec<NumbersBucket>,
}

/// Entries in one word each: bits of the hash, and the logarithms of both numbers. A word of an
/// empty entry is 0.
#[repr(align(64))]
#[derive(Default)]
struct NumbersBucket([AtomicU64; BUCKET_ENTRIES]);

impl OpenGoals {
    /// Creates a table of about `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<NumbersBucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.resize_with(count, NumbersBucket::default);
        Self { buckets }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(NumbersBucket::default);
    }

    /// Returns the bucket of a goal, and the bits of its hash in an entry, which are not 0.
    #[inline]
    fn bucket(&self, number: u64, target: i32) -> (&NumbersBucket, u64) {
        /// Odd numbers without a pattern: the fractions of the golden ratio and of pi.
        const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3];
        let mixed = number.wrapping_mul(FACTORS[0]) ^ u64::from(target as u32);
        let hash = (mixed ^ mixed >> 32).wrapping_mul(FACTORS[1]);
        // The bits of the bucket are others than those of the entry.
        let bucket = &self.buckets[(hash >> u32::BITS) as usize % self.buckets.len()];
        (bucket, hash & u64::from(u32::MAX) | 1)
    }

    /// Returns the proof numbers of a goal of the position with this number, if the table has them.
    #[inline]
    pub(crate) fn get(&self, number: u64, target: i32) -> Option<GoalNumbers> {
        let (bucket, hash) = self.bucket(number, target);
        let mut words = bucket.0.iter().map(|word| word.load(Ordering::Relaxed));
        let word = words.find(|word| word >> (2 * LOG_BITS) == hash)?;
        let unpack = |log: u64| (f64::from(log as u16) / STEPS).exp2();
        Some(GoalNumbers {
            proof: unpack(word >> LOG_BITS),
            disproof: unpack(word),
        })
    }

    /// Stores the proof numbers of an open goal. They replace the least ones if the bucket is full.
    pub(crate) fn put(&self, number: u64, target: i32, numbers: GoalNumbers) {
        let (bucket, hash) = self.bucket(number, target);
        let log = |number: f64| u64::from((number.log2() * STEPS) as u16);
        let word = (hash << LOG_BITS | log(numbers.proof)) << LOG_BITS | log(numbers.disproof);
        let mut place = &bucket.0[0];
        let mut least = u16::MAX;
        for entry in &bucket.0 {
            let known = entry.load(Ordering::Relaxed);
            if known >> (2 * LOG_BITS) == hash {
                place = entry;
                break;
            }
            let less = ((known >> LOG_BITS) as u16).min(known as u16);
            if less <= least {
                (least, place) = (less, entry);
            }
        }
        place.store(word, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::proof_numbers::MAX_NUMBER;
    use super::*;

    /// A power of two, of which the table has the exact logarithm.
    const LARGE: f64 = (1_u32 << 31) as f64;

    fn numbers(proof: f64, disproof: f64) -> GoalNumbers {
        GoalNumbers { proof, disproof }
    }

    #[test]
    fn each_goal_has_its_own_numbers() {
        let table = OpenGoals::new(1 << 10);
        table.put(5, 3, numbers(1.0, 1024.0));
        table.put(5, -3, numbers(4.0, 2.0));
        table.put(6, 3, numbers(LARGE, 1.0));
        assert_eq!(table.get(5, 3), Some(numbers(1.0, 1024.0)));
        assert_eq!(table.get(5, -3), Some(numbers(4.0, 2.0)));
        assert_eq!(table.get(6, 3), Some(numbers(LARGE, 1.0)));
        assert_eq!(table.get(6, 4), None);
        table.put(5, 3, numbers(8.0, 8.0));
        assert_eq!(table.get(5, 3), Some(numbers(8.0, 8.0)));
    }

    /// Numbers that are read are those of an open goal.
    #[test]
    fn numbers_are_at_least_one() {
        let table = OpenGoals::new(0);
        let mut work = 1.0;
        for number in 0.. {
            table.put(number, 1, numbers(work, 1.0));
            let found = table.get(number, 1).unwrap();
            assert!(found.proof >= 1.0 && found.proof <= work, "{found:?}");
            assert!(found.proof >= work * 0.998, "{found:?}");
            assert_eq!(found.answer(), None);
            if work == MAX_NUMBER {
                break;
            }
            work = (work * 1.01).min(MAX_NUMBER);
        }
    }

    #[test]
    fn the_least_work_is_replaced() {
        let table = OpenGoals::new(0);
        for number in 0..8 {
            table.put(number, 1, numbers(64.0, 64.0));
        }
        table.put(8, 1, numbers(2.0, 100.0));
        table.put(9, 1, numbers(16.0, 16.0));
        assert_eq!(table.get(8, 1), None);
        assert!(table.get(9, 1).is_some());
    }
}
