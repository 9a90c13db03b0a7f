use std::io::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kalah::Position;
use kalah_engine::{Engine, TableCache};
use kalah_tables::Variant;

use crate::machine;
use crate::{CliError, EngineArguments, MemorySize, TableSource, TablesArgument};

/// What the engines of this process are made with: threads, memory, and the tables that all of them
/// share.
#[derive(Clone, Debug)]
pub struct EngineFactory {
    threads: NonZeroUsize,
    memory: MemorySize,
    table_cache: TableCache,
    stop_flag: Arc<AtomicBool>,
}

/// Of the machine's memory, what an engine takes where nobody says otherwise.
const DEFAULT_MEMORY_DIVISOR: u64 = 4;

/// The most memory that an engine takes where nobody says otherwise.
const MAX_DEFAULT_MEMORY: u64 = 1 << 30;

/// Of the free memory, what is left to everybody else.
const RESERVED_MEMORY_DIVISOR: u64 = 16;

impl EngineFactory {
    /// As the command line asks for them, to look into games that begin with `position`. Where that
    /// asks for more memory than is free, it is told on standard error.
    pub(crate) fn new(arguments: &EngineArguments, position: &Position) -> Result<Self, CliError> {
        let EngineArguments {
            threads,
            memory,
            tables: TablesArgument { tables },
        } = arguments;
        let default = Self::default();
        Ok(Self {
            threads: threads.unwrap_or(default.threads),
            memory: memory.map_or(default.memory, clamp_to_free_memory),
            table_cache: TableSource::open_cache(
                tables.as_ref(),
                Variant::from_position(position),
            )?,
            stop_flag: default.stop_flag,
        })
    }

    /// The same, with so much memory.
    pub(crate) fn with_memory(self, memory: MemorySize) -> Self {
        Self { memory, ..self }
    }

    /// The same, for engines that come to an end soon once this is set.
    pub(crate) fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }

    /// What tells all who search to come to an end.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop_flag)
    }

    /// The memory that one of them takes.
    pub(crate) fn memory(&self) -> MemorySize {
        self.memory
    }

    /// The same with a part of the memory, for so many engines at the same time.
    pub(crate) fn split_memory(&self, parts: NonZeroUsize) -> Self {
        let parts = u64::try_from(parts.get()).unwrap_or(u64::MAX);
        Self {
            memory: MemorySize::new(self.memory.bytes() / parts),
            ..self.clone()
        }
    }

    /// The same with so many threads.
    pub(crate) fn with_threads(self, threads: NonZeroUsize) -> Self {
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

/// With all threads of the machine, a quarter of its memory, 1 GiB at most, and no tables.
impl Default for EngineFactory {
    fn default() -> Self {
        let all = machine::memory().map_or(u64::MAX, |memory| memory.total);
        Self {
            threads: machine::threads(),
            memory: MemorySize::new((all / DEFAULT_MEMORY_DIVISOR).min(MAX_DEFAULT_MEMORY)),
            table_cache: TableCache::new(),
            stop_flag: Arc::default(),
        }
    }
}

fn clamp_to_free_memory(asked: MemorySize) -> MemorySize {
    let free = machine::memory().map_or(u64::MAX, |memory| memory.available);
    let most = MemorySize::new(free - free / RESERVED_MEMORY_DIVISOR);
    if asked > most {
        // There is nobody left to tell that standard error cannot be written.
        let _ = writeln!(
            anstream::stderr(),
            "warning: {asked} of memory are not free: {most} are taken at most"
        );
    }
    asked.min(most)
}
