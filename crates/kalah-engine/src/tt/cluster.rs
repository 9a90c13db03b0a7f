//! The memory of a hash table: clusters of slots, one cache line each.

use std::sync::atomic::AtomicU64;

use kalah_tables::prefetch;

use crate::board::key::PositionKey;

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
    /// Whether the table has no clusters.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.clusters.is_empty()
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
