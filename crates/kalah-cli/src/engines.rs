use std::io::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kalah::Position;
use kalah_engine::{Engine, TableCache};
use kalah_tables::Variant;

use crate::machine;
use crate::{EngineArguments, Failure, MemorySize, TableSource, TablesArgument};

/// What the engines of this process are made with: threads, memory, and the tables that all of them
/// share.
#[derive(Clone, Debug)]
pub struct Engines {
    threads: NonZeroUsize,
    memory: MemorySize,
    tables: TableCache,
    flag: Arc<AtomicBool>,
}

/// Of the machine's memory, what an engine takes where nobody says otherwise.
const QUARTER: u64 = 4;

/// The most memory that an engine takes where nobody says otherwise.
const MOST_MEMORY: u64 = 1 << 30;

/// Of the free memory, what is left to everybody else.
const LEFT_FREE: u64 = 16;

impl Engines {
    /// As the command line asks for them, to look into games that begin with `position`. Where that
    /// asks for more memory than is free, it is told on standard error.
    pub(crate) fn new(arguments: &EngineArguments, position: &Position) -> Result<Self, Failure> {
        let EngineArguments {
            threads,
            memory,
            tables: TablesArgument { tables },
        } = arguments;
        let default = Self::default();
        Ok(Self {
            threads: threads.unwrap_or(default.threads),
            memory: memory.map_or(default.memory, no_more_than_is_free),
            tables: TableSource::shelf(tables.as_ref(), Variant::from_position(position))?,
            flag: default.flag,
        })
    }

    /// The same, with so much memory.
    pub(crate) fn with_memory(self, memory: MemorySize) -> Self {
        Self { memory, ..self }
    }

    /// The same, for engines that come to an end soon once this is set.
    pub(crate) fn with_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self { flag, ..self }
    }

    /// What tells all who search to come to an end.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// The memory that one of them takes.
    pub(crate) fn memory(&self) -> MemorySize {
        self.memory
    }

    /// The same with a part of the memory, for so many engines at the same time.
    pub(crate) fn in_parts(&self, parts: NonZeroUsize) -> Self {
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
    pub fn engine(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        Engine::new()
            .with_threads(self.threads)
            .with_memory(bytes)
            .with_tables(self.tables.clone())
            .with_stop_flag(self.flag())
    }
}

/// With all threads of the machine, a quarter of its memory, 1 GiB at most, and no tables.
impl Default for Engines {
    fn default() -> Self {
        let all = machine::memory().map_or(u64::MAX, |memory| memory.all);
        Self {
            threads: machine::threads(),
            memory: MemorySize::new((all / QUARTER).min(MOST_MEMORY)),
            tables: TableCache::new(),
            flag: Arc::default(),
        }
    }
}

fn no_more_than_is_free(asked: MemorySize) -> MemorySize {
    let free = machine::memory().map_or(u64::MAX, |memory| memory.free);
    let most = MemorySize::new(free - free / LEFT_FREE);
    if asked > most {
        // There is nobody left to tell that standard error cannot be written.
        let _ = writeln!(
            anstream::stderr(),
            "warning: {asked} of memory are not free: {most} are taken at most"
        );
    }
    asked.min(most)
}
