//! The table of proof numbers.

use std::sync::atomic::Ordering;

use super::cluster::{Cluster, ClusterTable, ClusterTableRef, Slot};
use crate::board::key::PositionKey;
use crate::search::proof_numbers::{PackedLog, ProofNumbers};

/// A hash table with the proof numbers of open goals, of a fixed size.
///
/// Its entries only guide the search: results of solved goals are stored in the
/// [`TranspositionTable`](crate::tt::transposition::TranspositionTable).
pub(crate) struct ProofTable {
    clusters: ClusterTable,
}

/// A view of a [`ProofTable`] that any number of threads can share.
///
/// The second word of a slot holds the tail of the key, the target, and the logarithms of the two
/// numbers.
#[derive(Clone, Copy)]
pub(crate) struct ProofTableRef<'a> {
    clusters: ClusterTableRef<'a>,
}

/// The key of a goal: whether the side to move of a position gains at least a target.
///
/// Keys that are not exact, as those of boards of 7 houses in a table this small, at worst return
/// another goal's numbers.
#[derive(Clone, Copy)]
pub(crate) struct ProofKey {
    /// The key of the position.
    pub(crate) key: PositionKey,
    /// The target as the mover's share of the seeds in play.
    pub(crate) target_seeds: u8,
}

/// The least useful size: a smaller table overwrites goals before they are solved.
pub(crate) const MIN_BYTES: usize = 1 << 20;

const TARGET_SHIFT: u32 = 2 * PackedLog::BITS;
const NUMBERS_MASK: u64 = (1 << TARGET_SHIFT) - 1;
const _: () = assert!(TARGET_SHIFT + u8::BITS + u32::BITS == u64::BITS);

impl ProofKey {
    /// Returns the second word of the goal's slot without the numbers.
    #[inline]
    fn tag_bits(self) -> u64 {
        (u64::from(self.key.tail) << u8::BITS | u64::from(self.target_seeds)) << TARGET_SHIFT
    }

    /// Whether a slot holds this goal.
    #[inline]
    fn matches(self, entry: &Slot) -> bool {
        entry[0].load(Ordering::Relaxed) == self.key.head
            && entry[1].load(Ordering::Relaxed) & !NUMBERS_MASK == self.tag_bits()
    }
}

/// Returns the numbers of a slot, or `None` if it is empty: no logarithm is 0.
#[inline]
fn unpack_numbers(entry: &Slot) -> Option<[PackedLog; 2]> {
    let numbers = entry[1].load(Ordering::Relaxed) & NUMBERS_MASK;
    let disprove = numbers & ((1 << PackedLog::BITS) - 1);
    (numbers > 0).then(|| [numbers >> PackedLog::BITS, disprove].map(PackedLog::from_bits))
}

impl ProofTable {
    /// Allocates a table of at most `bytes` bytes. It is empty, and disabled, if the system refuses
    /// or if `bytes` is less than [`MIN_BYTES`].
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = if bytes < MIN_BYTES { 0 } else { bytes };
        Self {
            clusters: ClusterTable::new(bytes / size_of::<Cluster>()),
        }
    }

    /// Returns the shared view.
    pub(crate) fn share(&mut self) -> ProofTableRef<'_> {
        ProofTableRef {
            clusters: self.clusters.share(),
        }
    }
}

impl ProofTableRef<'_> {
    /// Whether the table stores nothing.
    #[inline]
    pub(crate) fn is_disabled(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Prefetches the cluster of the goals of a position.
    #[inline]
    pub(crate) fn prefetch(&self, key: PositionKey) {
        self.clusters.prefetch(key);
    }

    /// Returns the numbers of a goal.
    #[inline]
    pub(crate) fn get(&self, question: ProofKey) -> Option<ProofNumbers> {
        let place = self.clusters.cluster(question.key)?;
        let entry = place.iter().find(|entry| question.matches(entry))?;
        let [prove, disprove] = unpack_numbers(entry)?.map(PackedLog::to_number);
        Some(ProofNumbers {
            proof: prove,
            disproof: disprove,
        })
    }

    /// Stores the numbers of a goal, replacing the goal with the least work left.
    #[inline]
    pub(crate) fn put(&self, question: ProofKey, of: ProofNumbers) {
        let Some(place) = self.clusters.cluster(question.key) else {
            return;
        };
        let known = place.iter().find(|entry| question.matches(entry));
        let least = || {
            place
                .iter()
                .min_by_key(|entry| unpack_numbers(entry).map(|of| of.iter().max().copied()))
        };
        let Some(entry) = known.or_else(least) else {
            return;
        };
        let [prove, disprove] =
            [of.proof, of.disproof].map(|number| PackedLog::from_number(number).to_bits());
        entry[0].store(question.key.head, Ordering::Relaxed);
        let word = question.tag_bits() | prove << PackedLog::BITS | disprove;
        entry[1].store(word, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(head: u64, seeds: u8) -> ProofKey {
        let key = PositionKey {
            cluster_hash: 0,
            head,
            tail: u32::MAX,
        };
        ProofKey {
            key,
            target_seeds: seeds,
        }
    }

    fn numbers(prove: f64, disprove: f64) -> ProofNumbers {
        ProofNumbers {
            proof: prove,
            disproof: disprove,
        }
    }

    #[test]
    fn questions_are_told_apart_by_what_is_wanted() {
        let mut memory = ProofTable::new(MIN_BYTES);
        let shared = memory.share();
        assert_eq!(shared.get(question(0, 0)), None);
        shared.put(question(7, 200), numbers(1.0, 8.0));
        shared.put(question(7, 201), numbers(2.0, 4.0));
        assert_eq!(shared.get(question(7, 200)), Some(numbers(1.0, 8.0)));
        assert_eq!(shared.get(question(7, 201)), Some(numbers(2.0, 4.0)));
        assert_eq!(shared.get(question(7, 202)), None);
        assert_eq!(shared.get(question(8, 200)), None);
        shared.put(question(7, 200), numbers(16.0, 0.5));
        assert_eq!(shared.get(question(7, 200)), Some(numbers(16.0, 0.5)));
    }

    #[test]
    fn a_full_place_forgets_what_has_the_least_work_left() {
        let mut memory = ProofTable::new(MIN_BYTES);
        let shared = memory.share();
        for (head, prove, disprove) in [
            (1, 64.0, 1.0),
            (2, 2.0, 4.0),
            (3, 1.0, 32.0),
            (4, 8.0, 8.0),
            (5, 1.0, 1.0),
        ] {
            shared.put(question(head, 9), numbers(prove, disprove));
        }
        assert_eq!(shared.get(question(2, 9)), None);
        for head in [1, 3, 4, 5] {
            assert!(shared.get(question(head, 9)).is_some(), "{head}");
        }
    }

    #[test]
    fn too_little_memory_is_none() {
        assert!(ProofTable::new(MIN_BYTES - 1).share().is_disabled());
        assert!(!ProofTable::new(MIN_BYTES).share().is_disabled());
    }
}
