//! Engines that share tables, threads and a stop flag, and the memory and threads for them.

use bytesize::ByteSize;
use kalah_engine::{Engine, TableCache};
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(feature = "process")]
use std::thread;
#[cfg(feature = "process")]
use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use thiserror::Error;

/// An amount of memory: `16GiB`, `512MiB`, `1GB`; a mebibyte at least.
///
/// ```
/// use kalah_players::MemorySize;
/// let size: MemorySize = "1.5GiB".parse()?;
/// assert_eq!(size.bytes(), 3 << 29);
/// assert_eq!(size.to_string(), "1.5 GiB");
/// # Ok::<(), kalah_players::ParseMemorySizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemorySize(u64);

/// Why a text is no [`MemorySize`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseMemorySizeError {
    /// It is no amount.
    #[error("`{0}` is no amount of memory such as 512MiB, 1GB or 16GiB")]
    Invalid(String),
    /// Nothing can be done with so little.
    #[error("`{0}` is less than {min}", min = MemorySize::MIN)]
    TooSmall(String),
}

impl MemorySize {
    /// The least.
    pub const MIN: Self = Self(1 << 20);

    /// So many bytes, or the least.
    pub fn new(bytes: u64) -> Self {
        Self(bytes.max(Self::MIN.0))
    }

    /// The amount in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for MemorySize {
    type Err = ParseMemorySizeError;

    fn from_str(text: &str) -> Result<Self, ParseMemorySizeError> {
        match text.parse::<ByteSize>() {
            Ok(size) if size.as_u64() >= Self::MIN.0 => Ok(Self(size.as_u64())),
            Ok(_) => Err(ParseMemorySizeError::TooSmall(text.to_owned())),
            Err(_) => Err(ParseMemorySizeError::Invalid(text.to_owned())),
        }
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteSize(self.0).display().iec().fmt(f)
    }
}

#[cfg(feature = "process")]
/// The memory of the machine, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SystemMemory {
    /// All memory, or the limit of the container.
    pub total: u64,
    /// Free memory, with the memory that the system can reclaim.
    pub available: u64,
}

#[cfg(feature = "process")]
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

#[cfg(feature = "process")]
/// Returns the number of threads that the machine runs in parallel, at least 1.
pub fn available_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What the engines of this process are made with: threads, memory, and the tables that all of them
/// share.
#[derive(Clone, Debug)]
pub struct EngineFactory {
    threads: NonZeroUsize,
    memory: MemorySize,
    table_cache: TableCache,
    stop_flag: Arc<AtomicBool>,
}

#[cfg(feature = "process")]
/// Of the machine's memory, what an engine takes where nobody says otherwise.
const DEFAULT_MEMORY_DIVISOR: u64 = 4;

#[cfg(feature = "process")]
/// The most memory that an engine takes where nobody says otherwise.
const MAX_DEFAULT_MEMORY: u64 = 1 << 30;

impl EngineFactory {
    /// Returns a factory for engines with these threads, this much memory each and these tables.
    pub fn new(threads: NonZeroUsize, memory: MemorySize, table_cache: TableCache) -> Self {
        Self {
            threads,
            memory,
            table_cache,
            stop_flag: Arc::default(),
        }
    }

    /// The same, with so much memory.
    #[must_use]
    pub fn with_memory(self, memory: MemorySize) -> Self {
        Self { memory, ..self }
    }

    /// The same, for engines that come to an end soon once this is set.
    #[must_use]
    pub fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }

    /// What tells all who search to come to an end.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop_flag)
    }

    /// The memory that one of them takes.
    pub fn memory(&self) -> MemorySize {
        self.memory
    }

    /// The same with a part of the memory, for so many engines at the same time.
    #[must_use]
    pub fn split_memory(&self, parts: NonZeroUsize) -> Self {
        let parts = u64::try_from(parts.get()).unwrap_or(u64::MAX);
        Self {
            memory: MemorySize::new(self.memory.bytes() / parts),
            ..self.clone()
        }
    }

    /// The same with so many threads.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// An engine that has seen nothing yet.
    pub fn build(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        Engine::new()
            .with_threads(self.threads)
            .with_memory(bytes)
            .with_tables(self.table_cache.clone())
            .with_stop_flag(self.stop_flag())
    }
}

#[cfg(feature = "process")]
/// With all threads of the machine, a quarter of its memory, 1 GiB at most, and no tables.
impl Default for EngineFactory {
    fn default() -> Self {
        let all = system_memory().map_or(u64::MAX, |memory| memory.total);
        Self {
            threads: available_threads(),
            memory: MemorySize::new((all / DEFAULT_MEMORY_DIVISOR).min(MAX_DEFAULT_MEMORY)),
            table_cache: TableCache::new(),
            stop_flag: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units_of_either_kind() {
        for (text, bytes) in [
            ("1MiB", 1 << 20),
            ("512 MiB", 512 << 20),
            ("16GiB", 16 << 30),
            ("1GB", 1_000_000_000),
            ("2097152", 2 << 20),
        ] {
            assert_eq!(text.parse(), Ok(MemorySize(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_quoted() {
        for (text, message) in [
            (
                "much",
                "`much` is no amount of memory such as 512MiB, 1GB or 16GiB",
            ),
            ("", "`` is no amount of memory such as 512MiB, 1GB or 16GiB"),
            (
                "-1GiB",
                "`-1GiB` is no amount of memory such as 512MiB, 1GB or 16GiB",
            ),
            ("16", "`16` is less than 1.0 MiB"),
        ] {
            let error = text.parse::<MemorySize>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
