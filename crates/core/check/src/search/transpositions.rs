//! A bounded hash table of bounds that a search has derived.

use std::sync::{Mutex, PoisonError};

use super::board::CheckBoard;

/// The bits of a key.
const KEY_BITS: u32 = u128::BITS;

/// The entries of a bucket: one for large searches, and one for the latest.
const BUCKET_ENTRIES: usize = 2;

/// All houses of a board as one number, so that no two positions have the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HousesKey([u64; 2]);

/// Proven bounds of a gain, in seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GainBounds {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
}

/// The bounds of a position.
#[derive(Clone, Copy, Debug)]
struct BoundsEntry {
    key: HousesKey,
    lower: i16,
    upper: i16,
    /// The nodes of the search that derived them; 0 for an empty entry.
    nodes: u32,
}

const EMPTY: BoundsEntry = BoundsEntry {
    key: HousesKey([0; 2]),
    lower: i16::MIN,
    upper: i16::MAX,
    nodes: 0,
};

/// A table of the bounds of positions, which several threads share.
///
/// An entry has the whole position, so that the table returns no bounds of another position.
pub(crate) struct BoundsTable {
    buckets: Vec<Mutex<[BoundsEntry; BUCKET_ENTRIES]>>,
    /// The bits of each house in a key; `None` if the houses of the board do not fit into a key,
    /// and the table stays empty.
    bits: Option<u32>,
}

impl BoundsTable {
    /// Creates a table of about `bytes` for positions of `houses` houses a side with at most
    /// `seeds` seeds in them.
    pub(crate) fn new(bytes: usize, houses: usize, seeds: u32) -> Self {
        let bits = u32::BITS - seeds.leading_zeros();
        let fits = u32::try_from(2 * houses).is_ok_and(|pits| pits * bits <= KEY_BITS)
            && i16::try_from(seeds).is_ok();
        let size = size_of::<Mutex<[BoundsEntry; BUCKET_ENTRIES]>>();
        let count = if fits { (bytes / size).max(1) } else { 0 };
        let mut buckets = Vec::new();
        buckets.resize_with(count, || Mutex::new([EMPTY; BUCKET_ENTRIES]));
        Self {
            buckets,
            bits: fits.then_some(bits),
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        for bucket in &mut self.buckets {
            *bucket.get_mut().unwrap_or_else(PoisonError::into_inner) = [EMPTY; BUCKET_ENTRIES];
        }
    }

    fn key(&self, board: &CheckBoard) -> Option<HousesKey> {
        let bits = self.bits?;
        let pits = board.pits().iter();
        let key = pits.fold(0, |key: u128, &seeds| key << bits | u128::from(seeds));
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        Some(HousesKey([key as u64, (key >> u64::BITS) as u64]))
    }

    fn bucket(&self, key: HousesKey) -> Option<&Mutex<[BoundsEntry; BUCKET_ENTRIES]>> {
        /// Odd numbers without a pattern: the fractions of the golden ratio and of pi.
        const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3];
        let HousesKey([low, high]) = key;
        let mixed = low.wrapping_mul(FACTORS[0]) ^ high.wrapping_mul(FACTORS[1]).rotate_left(32);
        let hash = (mixed ^ (mixed >> 32)).wrapping_mul(FACTORS[0]);
        let product = u128::from(hash) * self.buckets.len() as u128;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is less than the length"
        )]
        self.buckets.get((product >> u64::BITS) as usize)
    }

    /// Returns the bounds of a position, if the table has them.
    pub(crate) fn get(&self, board: &CheckBoard) -> Option<GainBounds> {
        let key = self.key(board)?;
        let bucket = self.bucket(key)?.lock();
        let bucket = *bucket.unwrap_or_else(PoisonError::into_inner);
        let entry = bucket
            .iter()
            .find(|entry| entry.nodes > 0 && entry.key == key)?;
        Some(GainBounds {
            lower: entry.lower.into(),
            upper: entry.upper.into(),
        })
    }

    /// Stores the bounds of a position, which took `nodes` nodes. Bounds that the table has of the
    /// position are narrowed.
    pub(crate) fn narrow(&self, board: &CheckBoard, bounds: GainBounds, nodes: u64) {
        let Some((key, bucket)) = self
            .key(board)
            .and_then(|key| Some((key, self.bucket(key)?)))
        else {
            return;
        };
        let clamp = |gain: i32| i16::try_from(gain).ok();
        let mut entry = BoundsEntry {
            key,
            lower: clamp(bounds.lower).unwrap_or(i16::MIN),
            upper: clamp(bounds.upper).unwrap_or(i16::MAX),
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX).max(1),
        };
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let known = bucket
            .iter_mut()
            .find(|known| known.nodes > 0 && known.key == key);
        if let Some(known) = known {
            entry.lower = entry.lower.max(known.lower);
            entry.upper = entry.upper.min(known.upper);
            entry.nodes = entry.nodes.max(known.nodes);
            *known = entry;
        } else if entry.nodes >= bucket[0].nodes {
            bucket[1] = bucket[0];
            bucket[0] = entry;
        } else {
            bucket[1] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::Setup;

    use super::*;

    fn board(text: &str) -> CheckBoard {
        CheckBoard::from_setup(&text.parse::<Setup>().unwrap())
    }

    #[test]
    fn bounds_are_narrowed_and_positions_told_apart() {
        let table = BoundsTable::new(0, 2, 9);
        let (one, other) = (board("<2,0,0,1,2,3,0> s"), board("<2,0,0,1,2,0,3> s"));
        let bounds = |lower, upper| GainBounds { lower, upper };
        assert_eq!(table.get(&one), None);
        table.narrow(&one, bounds(-2, 9), 5);
        table.narrow(&one, bounds(-6, 4), 1);
        assert_eq!(table.get(&one), Some(bounds(-2, 4)));
        assert_eq!(table.get(&other), None);
        table.narrow(&other, bounds(0, 0), 2);
        assert_eq!(table.get(&one), Some(bounds(-2, 4)));
        assert_eq!(table.get(&other), Some(bounds(0, 0)));
    }

    #[test]
    fn boards_that_do_not_fit_into_a_key_are_not_stored() {
        let table = BoundsTable::new(1 << 10, 26, 104);
        let start = board("26x2");
        table.narrow(&start, GainBounds { lower: 0, upper: 0 }, 1);
        assert_eq!(table.get(&start), None);
    }
}
