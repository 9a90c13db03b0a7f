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
    fn matches(self, slot: &Slot) -> bool {
        slot[0].load(Ordering::Relaxed) == self.key.head
            && slot[1].load(Ordering::Relaxed) & !NUMBERS_MASK == self.tag_bits()
    }
}

/// Returns the numbers of a slot, or `None` if it is empty: no logarithm is 0.
#[inline]
fn unpack_numbers(slot: &Slot) -> Option<[PackedLog; 2]> {
    let numbers = slot[1].load(Ordering::Relaxed) & NUMBERS_MASK;
    let disproof = numbers & ((1 << PackedLog::BITS) - 1);
    (numbers > 0).then(|| [numbers >> PackedLog::BITS, disproof].map(PackedLog::from_bits))
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
    pub(crate) fn get(&self, goal: ProofKey) -> Option<ProofNumbers> {
        let cluster = self.clusters.cluster(goal.key)?;
        let slot = cluster.iter().find(|slot| goal.matches(slot))?;
        let [proof, disproof] = unpack_numbers(slot)?.map(PackedLog::to_number);
        Some(ProofNumbers { proof, disproof })
    }

    /// Stores the numbers of a goal, replacing the goal with the least work left.
    #[inline]
    pub(crate) fn put(&self, goal: ProofKey, numbers: ProofNumbers) {
        let Some(cluster) = self.clusters.cluster(goal.key) else {
            return;
        };
        let existing = cluster.iter().find(|slot| goal.matches(slot));
        let least = || {
            cluster.iter().min_by_key(|slot| {
                unpack_numbers(slot).map(|numbers| numbers.iter().max().copied())
            })
        };
        let Some(slot) = existing.or_else(least) else {
            return;
        };
        let [proof, disproof] = [numbers.proof, numbers.disproof]
            .map(|number| PackedLog::from_number(number).to_bits());
        slot[0].store(goal.key.head, Ordering::Relaxed);
        let word = goal.tag_bits() | proof << PackedLog::BITS | disproof;
        slot[1].store(word, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(head: u64, seeds: u8) -> ProofKey {
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

    fn numbers(proof: f64, disproof: f64) -> ProofNumbers {
        ProofNumbers { proof, disproof }
    }

    #[test]
    fn goals_with_different_targets_are_distinct() {
        let mut table = ProofTable::new(MIN_BYTES);
        let shared = table.share();
        assert_eq!(shared.get(goal(0, 0)), None);
        shared.put(goal(7, 200), numbers(1.0, 8.0));
        shared.put(goal(7, 201), numbers(2.0, 4.0));
        assert_eq!(shared.get(goal(7, 200)), Some(numbers(1.0, 8.0)));
        assert_eq!(shared.get(goal(7, 201)), Some(numbers(2.0, 4.0)));
        assert_eq!(shared.get(goal(7, 202)), None);
        assert_eq!(shared.get(goal(8, 200)), None);
        shared.put(goal(7, 200), numbers(16.0, 0.5));
        assert_eq!(shared.get(goal(7, 200)), Some(numbers(16.0, 0.5)));
    }

    #[test]
    fn full_cluster_replaces_the_goal_with_the_least_work() {
        let mut table = ProofTable::new(MIN_BYTES);
        let shared = table.share();
        for (head, proof, disproof) in [
            (1, 64.0, 1.0),
            (2, 2.0, 4.0),
            (3, 1.0, 32.0),
            (4, 8.0, 8.0),
            (5, 1.0, 1.0),
        ] {
            shared.put(goal(head, 9), numbers(proof, disproof));
        }
        assert_eq!(shared.get(goal(2, 9)), None);
        for head in [1, 3, 4, 5] {
            assert!(shared.get(goal(head, 9)).is_some(), "{head}");
        }
    }

    #[test]
    fn small_table_is_disabled() {
        assert!(ProofTable::new(MIN_BYTES - 1).share().is_disabled());
        assert!(!ProofTable::new(MIN_BYTES).share().is_disabled());
    }
}
