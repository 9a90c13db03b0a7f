//! Clusters of hash table slots.

use std::sync::atomic::AtomicU64;

use kalah_tables::prefetch;

use crate::board::key::PositionKey;

/// The entries that share a cache line, each the head of a key and a word that is up to whoever keeps it.
pub(crate) type Cluster = [Slot; SLOTS_PER_CLUSTER];

/// See [`Place`]; all bits are 0 where it is empty.
pub(crate) type Slot = [AtomicU64; 2];

const SLOTS_PER_CLUSTER: usize = 4;

const _: () = assert!(size_of::<Cluster>() == 64, "a place is a cache line");

/// The places of some [`ClusterTable`], as the threads of a search share them. Every access is a relaxed atomic one, so
/// that there are no data races, and nobody waits.
#[derive(Clone, Copy)]
pub(crate) struct ClusterTableRef<'a> {
    clusters: &'a [Cluster],
}

impl<'a> ClusterTableRef<'a> {
    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.clusters.is_empty()
    }

    /// Where whatever has this key is kept.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is less than a length")]
    pub(crate) fn cluster(self, key: PositionKey) -> Option<&'a Cluster> {
        let index = (u128::from(key.cluster_hash) * self.clusters.len() as u128) >> u64::BITS;
        self.clusters.get(index as usize)
    }

    /// Says that the place of this key will be asked for soon.
    #[inline]
    pub(crate) fn prefetch(self, key: PositionKey) {
        if let Some(place) = self.cluster(key) {
            prefetch(place);
        }
    }
}

/// Memory of the system for places, empty at first.
pub(crate) struct ClusterTable {
    memory: ClusterMemory,
}

#[cfg(any(unix, windows))]
type ClusterMemory = Option<memmap2::MmapMut>;

#[cfg(not(any(unix, windows)))]
type ClusterMemory = Vec<Cluster>;

#[cfg(any(unix, windows))]
impl ClusterTable {
    /// Memory for so many places, or for none if the system has not as much.
    ///
    /// Places are looked up at random, so that with pages of 4 KiB nearly each look would also
    /// have to look up its page: large pages are asked for where the system has to be asked.
    pub(crate) fn new(places: usize) -> Self {
        let bytes = places.checked_mul(size_of::<Cluster>());
        let memory = bytes
            .filter(|&bytes| bytes > 0)
            .and_then(|bytes| memmap2::MmapMut::map_anon(bytes).ok());
        #[cfg(target_os = "linux")]
        if let Some(memory) = &memory {
            // Without large pages everything works as well, only slower.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Self { memory }
    }

    /// The places.
    pub(crate) fn share(&mut self) -> ClusterTableRef<'_> {
        use zerocopy::FromBytes as _;
        let memory = self.memory.as_mut().map(|memory| &mut memory[..]);
        let places = memory.and_then(|memory| <[Cluster]>::mut_from_bytes(memory).ok());
        ClusterTableRef {
            clusters: places.map_or(&[], |places| places),
        }
    }
}

#[cfg(not(any(unix, windows)))]
impl ClusterTable {
    /// Memory for so many places, or for none if there is not as much.
    pub(crate) fn new(places: usize) -> Self {
        let mut memory = Vec::new();
        if memory.try_reserve_exact(places).is_ok() {
            memory.resize_with(places, Cluster::default);
        }
        Self { memory }
    }

    /// The places.
    pub(crate) fn share(&mut self) -> ClusterTableRef<'_> {
        ClusterTableRef {
            clusters: &self.memory,
        }
    }
}
