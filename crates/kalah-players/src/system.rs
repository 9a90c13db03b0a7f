//! Memory and threads of the machine.

use std::num::NonZeroUsize;
use std::thread;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The memory of the machine, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SystemMemory {
    /// All memory, or the limit of the container.
    pub total: u64,
    /// Free memory, with the memory that the system can reclaim.
    pub available: u64,
}

/// Returns the memory of this machine or container; `None` if the system does not report it.
pub fn system_memory() -> Option<SystemMemory> {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(memory).ok()?;
    let (mut all, mut free) = (system.total_memory(), system.available_memory());
    // A container may allow less than the machine has. What it keeps of files it gives back.
    if let Some(limits) = system.cgroup_limits() {
        all = all.min(limits.total_memory);
        free = free.min(limits.total_memory.saturating_sub(limits.rss));
    }
    Some(SystemMemory {
        total: all,
        available: free,
    })
}

/// Returns the number of threads that the machine runs in parallel, at least 1.
pub fn available_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
