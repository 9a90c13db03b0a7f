//! The transposition table, and the memory of all hash tables of the search: clusters of slots, one
//! cache line each.

use std::sync::atomic::{AtomicU64, Ordering};

use kalah::House;
use kalah_tables::prefetch;

use crate::board::key::PositionKey;
use crate::search::node::{SearchValue, Window};

/// A hash table with the results of searched positions, of a fixed size.
///
/// Values are gains of the side to move, and keys cover the houses alone, seen from the side to
/// move: a gain depends neither on the stores nor on which side is which. The rules and the number
/// of houses are not part of the keys, so a table serves one game at a time.
pub(crate) struct TranspositionTable {
    clusters: ClusterTable,
}

/// A view of a [`TranspositionTable`] that any number of threads can share.
///
/// The second word of a slot holds an entry and the tail of its key, the first word the head. With
/// one thread and exact keys an entry is therefore always that of the position asked for. A thread
/// that reads between the two writes of another thread sees the words of two different entries; it
/// takes them for its own position only if one word agrees with one of the two positions and the
/// other word with the other: 96 mixed bits, within nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct TranspositionTableRef<'a> {
    clusters: ClusterTableRef<'a>,
}

/// The result of a search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TtEntry {
    /// A lower bound of the gain, proven or estimated as `depth` says.
    pub(crate) lower: i32,
    /// An upper bound of the gain, proven or estimated as `depth` says.
    pub(crate) upper: i32,
    /// The depth of the search.
    pub(crate) depth: Depth,
    /// The best move of the last search that raised alpha, unless it was a swap.
    pub(crate) best_house: Option<House>,
}

/// A search depth in units of the search, `1..=126`, with greater depths clamped, or
/// [`Self::PROVEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Depth(u8);

impl Depth {
    /// The depth of a search that estimated nothing; it exceeds all others.
    pub(crate) const PROVEN: Self = Self(127);

    /// Returns the depth of a search that may have estimated.
    #[inline]
    pub(crate) fn limited(depth: i32) -> Self {
        let most = i32::from(Self::PROVEN.0) - 1;
        Self(u8::try_from(depth.clamp(1, most)).unwrap_or(1))
    }

    /// Returns whether nothing was estimated.
    #[inline]
    pub(crate) fn is_proven(self) -> bool {
        self == Self::PROVEN
    }

    /// Returns whether a search to `depth` could not improve the result.
    #[inline]
    pub(crate) fn suffices_for(self, depth: i32) -> bool {
        self.is_proven() || i32::from(self.0) >= depth
    }
}

/// Widths of the fields in the lower half of the second word, from the lowest.
const DEPTH_BITS: u32 = 7;
const EFFORT_BITS: u32 = 5;
const HOUSE_BITS: u32 = 4;
const BOUND_BITS: u32 = 8;

const _: () = assert!(DEPTH_BITS + EFFORT_BITS + HOUSE_BITS + 2 * BOUND_BITS == u32::BITS);

const EFFORT_SHIFT: u32 = DEPTH_BITS;
const HOUSE_SHIFT: u32 = EFFORT_SHIFT + EFFORT_BITS;
const LOWER_SHIFT: u32 = HOUSE_SHIFT + HOUSE_BITS;
const UPPER_SHIFT: u32 = LOWER_SHIFT + BOUND_BITS;
const TAIL_SHIFT: u32 = u32::BITS;

/// The greatest number of seeds in play for which bounds are stored exactly.
const MAX_EXACT_SEEDS: i32 = (1 << BOUND_BITS) - 1;

impl TtEntry {
    /// Returns the entry of a position that was not searched.
    #[inline]
    pub(crate) fn unknown(in_play: i32) -> Self {
        Self {
            lower: -in_play,
            upper: in_play,
            depth: Depth(0),
            best_house: None,
        }
    }

    /// Returns the value that answers a search to `depth` with `window`, if the entry has one.
    ///
    /// The value is exact, or a bound under the contract of alpha-beta search.
    #[inline]
    pub(crate) fn cutoff_value(self, depth: i32, window: Window) -> Option<SearchValue> {
        if !self.depth.suffices_for(depth) {
            return None;
        }
        let gain = if self.lower >= window.beta || self.lower == self.upper {
            self.lower
        } else if self.upper <= window.alpha {
            self.upper
        } else {
            return None;
        };
        Some(SearchValue {
            gain,
            proven: self.depth.is_proven(),
        })
    }

    /// Packs the entry with the effort that it took, for a position with `in_play` seeds in play.
    ///
    /// A gain has the parity of the seeds in play, so a bound is stored as the mover's share of the
    /// seeds in play. With more than 255 seeds in play, bounds are widened to multiples of a step.
    #[inline]
    pub(crate) fn pack(self, in_play: i32, effort: u32) -> u32 {
        let lower = (self.lower.clamp(-in_play, in_play) + in_play + 1) >> 1;
        let upper = (self.upper.clamp(-in_play, in_play) + in_play) >> 1;
        let (lower, upper) = if in_play <= MAX_EXACT_SEEDS {
            (lower, upper)
        } else {
            let step = bound_step(in_play);
            (
                lower / step,
                upper.div_euclid(step) + i32::from(upper % step > 0),
            )
        };
        // Houses from 16 on are not stored.
        let house = self.best_house.map_or(0, |house| u32::from(house.number()));
        let house = if house < 1 << HOUSE_BITS { house } else { 0 };
        u32::from(self.depth.0)
            | effort << EFFORT_SHIFT
            | house << HOUSE_SHIFT
            | lower.cast_unsigned() << LOWER_SHIFT
            | upper.cast_unsigned() << UPPER_SHIFT
    }

    /// Returns the entry that was packed for a position with `in_play` seeds in play.
    #[inline]
    pub(crate) fn unpack(bits: u32, in_play: i32) -> Self {
        let field = |shift, width: u32| bits >> shift & ((1 << width) - 1);
        let lower = field(LOWER_SHIFT, BOUND_BITS).cast_signed();
        let upper = field(UPPER_SHIFT, BOUND_BITS).cast_signed();
        let (lower, upper) = if in_play <= MAX_EXACT_SEEDS {
            (lower, upper)
        } else {
            let step = bound_step(in_play);
            (lower * step, (upper * step).min(in_play))
        };
        Self {
            lower: 2 * lower - in_play,
            upper: 2 * upper - in_play,
            depth: Depth(unpack_depth(bits)),
            best_house: House::new(field(HOUSE_SHIFT, HOUSE_BITS)),
        }
    }

    /// Merges a newer result with the stored one.
    #[inline]
    fn merge(self, old: Self) -> Self {
        let house = self.best_house.or(old.best_house);
        let same_depth = self.depth == old.depth;
        let (lower, upper) = (self.lower.max(old.lower), self.upper.min(old.upper));
        // Estimates of one depth can contradict each other.
        if same_depth && lower <= upper {
            Self {
                lower,
                upper,
                depth: self.depth,
                best_house: house,
            }
        } else {
            Self {
                best_house: house,
                ..self
            }
        }
    }
}

/// Returns the distance between neighbouring bounds that can be stored.
fn bound_step(in_play: i32) -> i32 {
    (in_play - 1) / MAX_EXACT_SEEDS + 1
}

#[inline]
fn unpack_depth(bits: u32) -> u8 {
    (bits & ((1 << DEPTH_BITS) - 1)) as u8
}

/// Returns the effort of a packed entry.
#[inline]
pub(crate) fn unpack_effort(bits: u32) -> u32 {
    bits >> EFFORT_SHIFT & ((1 << EFFORT_BITS) - 1)
}

/// Returns the effort of a search of `nodes` nodes on the logarithmic scale that replacement
/// compares.
#[inline]
pub(crate) fn effort_from_nodes(nodes: u64) -> u32 {
    (u64::BITS - nodes.leading_zeros()).min((1 << EFFORT_BITS) - 1)
}

/// Returns the least number of nodes with an effort.
pub(crate) fn nodes_from_effort(effort: u32) -> u64 {
    1 << effort >> 1
}

impl TranspositionTable {
    /// Allocates a table of at most `bytes` bytes. It is empty, and disabled, if the system refuses
    /// or if it would be too small for exact keys of boards with `houses` houses a side.
    pub(crate) fn new(bytes: usize, houses: u32) -> Self {
        let clusters = bytes / size_of::<Cluster>();
        let clusters = if clusters < PositionKey::min_clusters(houses) {
            0
        } else {
            clusters
        };
        Self {
            clusters: ClusterTable::new(clusters),
        }
    }

    /// Returns the shared view.
    pub(crate) fn share(&mut self) -> TranspositionTableRef<'_> {
        TranspositionTableRef {
            clusters: self.clusters.share(),
        }
    }
}

impl TranspositionTableRef<'_> {
    /// Returns whether the table stores nothing.
    #[inline]
    pub(crate) fn is_disabled(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Prefetches the cluster of a position.
    #[inline]
    pub(crate) fn prefetch(&self, key: PositionKey) {
        self.clusters.prefetch(key);
    }

    /// Returns the entry of the position with this key and `in_play` seeds in play.
    #[inline]
    pub(crate) fn get(&self, key: PositionKey, in_play: i32) -> Option<TtEntry> {
        let (_, bits) = Self::find_slot(self.clusters.cluster(key)?, key)?;
        Some(TtEntry::unpack(bits, in_play))
    }

    /// Returns the part of the slots that have an entry, in thousandths, from a sample of them;
    /// `None` if the table stores nothing.
    ///
    /// Positions are spread evenly over the clusters, so the first ones are a fair sample.
    pub(crate) fn fullness(&self) -> Option<u16> {
        let sample = self.clusters.first(FULLNESS_SAMPLE).as_flattened();
        let used = sample
            .iter()
            .filter(|slot| slot[1].load(Ordering::Relaxed) != 0);
        let thousandths = (used.count() * 1000).checked_div(sample.len())?;
        u16::try_from(thousandths).ok()
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes the lower half")]
    fn find_slot(cluster: &Cluster, key: PositionKey) -> Option<(usize, u32)> {
        cluster.iter().enumerate().find_map(|(index, slot)| {
            if slot[0].load(Ordering::Relaxed) != key.head {
                return None;
            }
            let word = slot[1].load(Ordering::Relaxed);
            // An empty slot has depth 0.
            (word >> TAIL_SHIFT == u64::from(key.tail) && unpack_depth(word as u32) > 0)
                .then_some((index, word as u32))
        })
    }

    /// Stores the result of a search of `nodes` nodes. It is merged with the position's old entry,
    /// or else replaces the one that took the least effort. A proven result replaces estimates
    /// first: proofs take up to nine times as many nodes if they have to share the table with what
    /// deepening left behind.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes the lower half")]
    pub(crate) fn put(&self, key: PositionKey, in_play: i32, entry: TtEntry, nodes: u64) {
        let Some(cluster) = self.clusters.cluster(key) else {
            return;
        };
        let effort = effort_from_nodes(nodes);
        let (index, bits) = if let Some((index, old_bits)) = Self::find_slot(cluster, key) {
            let merged = entry.merge(TtEntry::unpack(old_bits, in_play));
            (
                index,
                merged.pack(in_play, effort.max(unpack_effort(old_bits))),
            )
        } else {
            let is_proven = entry.depth.is_proven();
            let priorities = (cluster.iter())
                .map(|slot| {
                    let bits = slot[1].load(Ordering::Relaxed) as u32;
                    let is_kept_longer = !is_proven || Depth(unpack_depth(bits)).is_proven();
                    (is_kept_longer, unpack_effort(bits))
                })
                .enumerate();
            let least = priorities.min_by_key(|&(_, priority)| priority);
            (
                least.map_or(0, |(index, _)| index),
                entry.pack(in_play, effort),
            )
        };
        let word = u64::from(key.tail) << TAIL_SHIFT | u64::from(bits);
        cluster[index][0].store(key.head, Ordering::Relaxed);
        cluster[index][1].store(word, Ordering::Relaxed);
    }
}

/// The number of clusters from which the fullness of a table is estimated.
const FULLNESS_SAMPLE: usize = 256;

/// The slots that share a cache line.
pub(crate) type Cluster = [Slot; SLOTS_PER_CLUSTER];

/// The head of a key and a word that the table defines; both are 0 if the slot is empty.
pub(crate) type Slot = [AtomicU64; 2];

const SLOTS_PER_CLUSTER: usize = 4;

const _: () = assert!(size_of::<Cluster>() == 64, "a cluster is a cache line");

/// A view of a [`ClusterTable`] that any number of threads can share.
///
/// Every access is a relaxed atomic one, so there are no data races and no locks.
#[derive(Clone, Copy)]
pub(crate) struct ClusterTableRef<'a> {
    clusters: &'a [Cluster],
}

impl<'a> ClusterTableRef<'a> {
    /// Returns whether the table has no clusters.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.clusters.is_empty()
    }

    /// Returns the first `count` clusters, or all if there are fewer.
    fn first(self, count: usize) -> &'a [Cluster] {
        &self.clusters[..count.min(self.clusters.len())]
    }

    /// Returns the cluster of a key, or `None` if the table is empty.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is less than a length")]
    pub(crate) fn cluster(self, key: PositionKey) -> Option<&'a Cluster> {
        let index = (u128::from(key.cluster_hash) * self.clusters.len() as u128) >> u64::BITS;
        self.clusters.get(index as usize)
    }

    /// Prefetches the cluster of a key.
    #[inline]
    pub(crate) fn prefetch(self, key: PositionKey) {
        if let Some(cluster) = self.cluster(key) {
            prefetch(cluster);
        }
    }
}

/// Zero-initialised clusters in memory from the operating system.
pub(crate) struct ClusterTable {
    memory: ClusterMemory,
}

#[cfg(any(unix, windows))]
type ClusterMemory = Option<memmap2::MmapMut>;

#[cfg(not(any(unix, windows)))]
type ClusterMemory = Vec<Cluster>;

#[cfg(any(unix, windows))]
impl ClusterTable {
    /// Allocates `clusters` clusters, or none if the system refuses.
    ///
    /// Clusters are accessed at random. With pages of 4 KiB nearly every access would also miss the
    /// TLB, so large pages are requested where the system needs a request.
    pub(crate) fn new(clusters: usize) -> Self {
        let bytes = clusters.checked_mul(size_of::<Cluster>());
        let memory = bytes
            .filter(|&bytes| bytes > 0)
            .and_then(|bytes| memmap2::MmapMut::map_anon(bytes).ok());
        #[cfg(target_os = "linux")]
        if let Some(memory) = &memory {
            // Large pages are an optimisation only.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Self { memory }
    }

    /// Returns the shared view.
    pub(crate) fn share(&mut self) -> ClusterTableRef<'_> {
        use zerocopy::FromBytes as _;
        let memory = self.memory.as_mut().map(|memory| &mut memory[..]);
        let clusters = memory.and_then(|memory| <[Cluster]>::mut_from_bytes(memory).ok());
        ClusterTableRef {
            clusters: clusters.map_or(&[], |clusters| clusters),
        }
    }
}

#[cfg(not(any(unix, windows)))]
impl ClusterTable {
    /// Allocates `clusters` clusters, or none if there is not enough memory.
    pub(crate) fn new(clusters: usize) -> Self {
        let mut memory = Vec::new();
        if memory.try_reserve_exact(clusters).is_ok() {
            memory.resize_with(clusters, Cluster::default);
        }
        Self { memory }
    }

    /// Returns the shared view.
    pub(crate) fn share(&mut self) -> ClusterTableRef<'_> {
        ClusterTableRef {
            clusters: &self.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_bounds_or_widens_them(
            in_play in 0..=65_535,
            lower in -65_535..=65_535,
            upper in -65_535..=65_535,
            depth in 1..=200,
            house in 0_u32..=26,
            effort in 0_u32..32,
        ) {
            let even = |gain: i32| i32::midpoint(gain % (in_play + 1), in_play) * 2 - in_play;
            let entry = TtEntry {
                lower: even(lower),
                upper: even(upper),
                depth: Depth::limited(depth),
                best_house: House::new(house),
            };
            let bits = entry.pack(in_play, effort);
            let unpacked = TtEntry::unpack(bits, in_play);
            prop_assert_eq!(unpack_effort(bits), effort);
            prop_assert_eq!(unpacked.depth, entry.depth);
            let stored_house = entry.best_house.filter(|house| house.number() < 16);
            prop_assert_eq!(unpacked.best_house, stored_house);
            let step = (in_play + 254) / 255;
            if in_play <= 255 {
                prop_assert_eq!((unpacked.lower, unpacked.upper), (entry.lower, entry.upper));
            } else {
                prop_assert!((0..2 * step).contains(&(entry.lower - unpacked.lower)));
                prop_assert!((0..2 * step).contains(&(unpacked.upper - entry.upper)));
            }
        }
    }

    /// The number of seeds in play, for tests that do not depend on it.
    const IN_PLAY: i32 = 48;

    fn key(number: u64) -> PositionKey {
        PositionKey {
            cluster_hash: 0,
            head: number,
            tail: 1,
        }
    }

    fn entry_with(lower: i32, upper: i32, depth: Depth) -> TtEntry {
        TtEntry {
            lower,
            upper,
            depth,
            best_house: None,
        }
    }

    #[test]
    fn full_cluster_replaces_the_entry_with_the_least_effort() {
        let mut table = TranspositionTable::new(64, 6);
        let shared = table.share();
        let entry = entry_with(2, 4, Depth::PROVEN);
        for (number, nodes) in [(1, 100), (2, 9), (3, 1_000), (4, 50), (5, 1)] {
            shared.put(key(number), IN_PLAY, entry, nodes);
        }
        assert_eq!(shared.get(key(2), IN_PLAY), None);
        for kept in [1, 3, 4, 5] {
            assert_eq!(shared.get(key(kept), IN_PLAY), Some(entry));
        }
    }

    #[test]
    fn estimates_are_replaced_before_proven_entries() {
        let mut table = TranspositionTable::new(64, 6);
        let shared = table.share();
        let estimated = entry_with(2, 4, Depth::limited(100));
        let proven = entry_with(2, 4, Depth::PROVEN);
        for number in 1..=3 {
            shared.put(key(number), IN_PLAY, estimated, 1_000 * number);
        }
        shared.put(key(4), IN_PLAY, proven, 1);
        shared.put(key(5), IN_PLAY, proven, 1);
        let all = |shared: TranspositionTableRef| {
            (1..=6)
                .filter(|&number| shared.get(key(number), IN_PLAY).is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(all(shared), [2, 3, 4, 5]);
        // An estimate replaces the least effort of any kind.
        shared.put(key(6), IN_PLAY, estimated, 1);
        assert_eq!(all(shared), [2, 3, 4, 6]);
    }

    #[test]
    fn bounds_of_equal_depth_are_merged() {
        let mut table = TranspositionTable::new(64, 6);
        let shared = table.share();
        shared.put(key(1), IN_PLAY, entry_with(4, 48, Depth::PROVEN), 1);
        shared.put(key(1), IN_PLAY, entry_with(-48, 10, Depth::PROVEN), 1);
        let both = entry_with(4, 10, Depth::PROVEN);
        assert_eq!(shared.get(key(1), IN_PLAY), Some(both));
        // Bounds of different depths are not merged.
        let shallow = entry_with(-48, 6, Depth::limited(9));
        shared.put(key(1), IN_PLAY, shallow, 1);
        assert_eq!(shared.get(key(1), IN_PLAY), Some(shallow));
    }

    #[test]
    fn fullness_is_the_part_of_slots_with_entries() {
        let clusters = 1000;
        let mut table = TranspositionTable::new(64 * clusters, 6);
        let shared = table.share();
        assert_eq!(shared.fullness(), Some(0));
        let entry = entry_with(2, 4, Depth::PROVEN);
        // Two entries in every second cluster.
        for cluster in (0..clusters as u64).step_by(2) {
            let cluster_hash = cluster * (u64::MAX / clusters as u64) + u64::MAX / 2000;
            for number in 1..=2 {
                let key = PositionKey {
                    cluster_hash,
                    ..key(number)
                };
                shared.put(key, IN_PLAY, entry, 1);
            }
        }
        assert_eq!(shared.fullness(), Some(250));
        assert_eq!(TranspositionTable::new(0, 6).share().fullness(), None);
    }

    #[test]
    fn table_too_small_for_exact_keys_is_disabled() {
        let entry = entry_with(2, 4, Depth::PROVEN);
        for (bytes, houses, is_stored) in [
            (63, 6, false),
            (64, 6, true),
            ((4 << 20) - 1, 7, false),
            (4 << 20, 7, true),
        ] {
            let mut table = TranspositionTable::new(bytes, houses);
            let shared = table.share();
            shared.put(key(7), IN_PLAY, entry, 1);
            let stored = shared.get(key(7), IN_PLAY);
            assert_eq!(
                stored.is_some(),
                is_stored,
                "{bytes} bytes, {houses} houses"
            );
        }
    }
}
