//! Memory and threads of the machine, and engines by default.

use std::num::NonZeroUsize;
use std::thread;

use kalah_engine::TableCache;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::engine_factory::{EngineFactory, MemorySize};

/// The memory of the machine in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SystemMemory {
    /// All memory, or the limit of the container.
    pub total: u64,
    /// Free memory, including the memory that the system can reclaim.
    pub available: u64,
}

/// Returns the memory of this machine or container; `None` if the system does not report it.
pub fn system_memory() -> Option<SystemMemory> {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(refresh).ok()?;
    let (mut total, mut available) = (system.total_memory(), system.available_memory());
    // The limit of a container can be below the memory of the machine. `rss` leaves out cached
    // files, because the system reclaims their memory.
    if let Some(limits) = system.cgroup_limits() {
        total = total.min(limits.total_memory);
        available = available.min(limits.total_memory.saturating_sub(limits.rss));
    }
    Some(SystemMemory { total, available })
}

/// The part of the free memory that a search leaves to other programs, as a divisor.
const RESERVED_MEMORY_DIVISOR: u64 = 16;

/// Returns `requested`, or the free memory, without a part for other programs, if that is less.
pub fn clamp_to_free_memory(requested: MemorySize) -> MemorySize {
    let free = system_memory().map_or(u64::MAX, |memory| memory.available);
    requested.min(MemorySize::new(usable_memory(free)))
}

/// Returns the part of free memory that a search may take.
fn usable_memory(free: u64) -> u64 {
    free - free / RESERVED_MEMORY_DIVISOR
}

/// Returns the number of threads that the machine runs in parallel, at least 1.
pub fn available_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The divisor of the machine's memory that gives the default memory of an engine.
const DEFAULT_MEMORY_DIVISOR: u64 = 4;

/// The maximum default memory of an engine in bytes: 1 GiB.
const MAX_DEFAULT_MEMORY: u64 = 1 << 30;

/// All threads of the machine, a quarter of its memory up to 1 GiB, and no tables.
impl Default for EngineFactory {
    fn default() -> Self {
        let total = system_memory().map_or(u64::MAX, |memory| memory.total);
        let bytes = (total / DEFAULT_MEMORY_DIVISOR).min(MAX_DEFAULT_MEMORY);
        Self::new(
            available_threads(),
            MemorySize::new(bytes),
            TableCache::new(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_leaves_a_part_of_the_free_memory() {
        assert_eq!(usable_memory(0), 0);
        assert_eq!(usable_memory(16 << 30), 15 << 30);
        assert_eq!(clamp_to_free_memory(MemorySize::MIN), MemorySize::MIN);
        let most = clamp_to_free_memory(MemorySize::new(u64::MAX));
        let total = system_memory().map_or(u64::MAX, |memory| memory.total);
        assert!(most.bytes() < total, "{most:?}");
    }
}
