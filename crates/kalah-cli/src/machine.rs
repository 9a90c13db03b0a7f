//! What the machine has, as far as the system tells.

use std::num::NonZeroUsize;
use std::thread;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Memory in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemMemory {
    pub(crate) total: u64,
    /// What is free, with what the system gives back when it is asked.
    pub(crate) available: u64,
}

/// The memory of this machine, or what a container leaves of it.
pub(crate) fn memory() -> Option<SystemMemory> {
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

/// As many threads as the machine has use for.
pub(crate) fn threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
