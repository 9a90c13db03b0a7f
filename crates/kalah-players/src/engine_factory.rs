//! Engines that share tables, threads and a stop flag.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kalah_engine::{Engine, TableCache};

use crate::MemorySize;
#[cfg(feature = "process")]
use crate::system::{available_threads, system_memory};

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
