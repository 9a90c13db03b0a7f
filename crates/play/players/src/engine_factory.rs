//! Engines that share threads, tables and a stop flag, and amounts of memory such as `512MiB`.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytesize::ByteSize;
use kalah::{Position, Quoted};
use kalah_book::BookSet;
use kalah_engine::{AnalysisGoal, Engine, GoalEngine, GoalResources, Network, TableCache};
use thiserror::Error;

/// An amount of memory such as `16GiB`, `512MiB` or `1GB`; at least 1 MiB.
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

/// The reason why a text is not a [`MemorySize`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseMemorySizeError {
    /// The text is not a number with an optional unit.
    #[error("{} is not an amount of memory such as 512MiB, 1GB or 16GiB", Quoted::new(.0))]
    Invalid(String),
    /// The amount is less than [`MemorySize::MIN`].
    #[error("{} is less than {min}", Quoted::new(.0), min = MemorySize::MIN)]
    TooSmall(String),
}

impl MemorySize {
    /// The minimum amount: 1 MiB.
    pub const MIN: Self = Self(1 << 20);

    /// Returns the amount of `bytes`, or [`MemorySize::MIN`] if that is more.
    pub fn new(bytes: u64) -> Self {
        Self(bytes.max(Self::MIN.0))
    }

    /// Returns the amount in bytes.
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

/// Builds the engines of this process: with a number of threads, an amount of memory each, and
/// endgame tables, a network, opening books and a stop flag that all of them share.
#[derive(Clone, Debug)]
pub struct EngineFactory {
    threads: NonZeroUsize,
    memory: MemorySize,
    group_size: NonZeroUsize,
    table_cache: TableCache,
    network: Arc<Network>,
    books: BookSet,
    max_nodes: Option<u64>,
    max_depth: Option<u32>,
    stop_flag: Arc<AtomicBool>,
}

impl EngineFactory {
    /// Returns a factory for engines with these threads, this much memory each, these tables, and
    /// the embedded opening books.
    pub fn new(threads: NonZeroUsize, memory: MemorySize, table_cache: TableCache) -> Self {
        Self {
            threads,
            memory,
            group_size: NonZeroUsize::MIN,
            table_cache,
            network: Arc::new(Network::embedded()),
            books: BookSet::embedded(),
            max_nodes: None,
            max_depth: None,
            stop_flag: Arc::default(),
        }
    }

    /// Returns the factory with another amount of memory for each engine.
    #[must_use]
    pub fn with_memory(self, memory: MemorySize) -> Self {
        Self { memory, ..self }
    }

    /// Returns the factory with another network of the static evaluation.
    #[must_use]
    pub fn with_network(self, network: Arc<Network>) -> Self {
        Self { network, ..self }
    }

    /// Returns the factory with other opening books.
    #[must_use]
    pub fn with_books(self, books: BookSet) -> Self {
        Self { books, ..self }
    }

    /// Returns the factory with limits of each analysis of its engines, in nodes and in turns. The
    /// engines of a factory with limits share no tables that they build, so that no report depends
    /// on those of other engines.
    #[must_use]
    pub fn with_search_limits(self, max_nodes: Option<u64>, max_depth: Option<u32>) -> Self {
        Self {
            max_nodes,
            max_depth,
            ..self
        }
    }

    /// Returns the factory with another stop flag. Engines end a search soon after it is set.
    #[must_use]
    pub fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }

    /// Returns the flag that stops the searches of all engines of this factory.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop_flag)
    }

    /// Returns the memory of one engine.
    pub fn memory(&self) -> MemorySize {
        self.memory
    }

    /// Returns a copy whose engines get one of `parts` equal parts of the memory, for that many
    /// engines at the same time.
    #[must_use]
    pub fn split_memory(&self, parts: NonZeroUsize) -> Self {
        let parts = u64::try_from(parts.get()).unwrap_or(u64::MAX);
        Self {
            memory: MemorySize::new(self.memory.bytes() / parts),
            ..self.clone()
        }
    }

    /// Returns the factory for `engines` engines that run at the same time and share the memory, as
    /// [`Engine::with_group_size`] describes.
    #[must_use]
    pub fn with_group_size(self, engines: NonZeroUsize) -> Self {
        Self {
            group_size: engines,
            ..self
        }
    }

    /// Returns a copy whose engines begin with the present endgame tables, and share no tables with
    /// those of this factory that are built later.
    #[must_use]
    pub fn fork_tables(&self) -> Self {
        Self {
            table_cache: self.table_cache.fork(),
            ..self.clone()
        }
    }

    /// Returns the factory with another number of threads for each engine.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Returns a new engine with an empty transposition table.
    pub fn build(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        let tables = if self.max_nodes.is_some() || self.max_depth.is_some() {
            self.table_cache.fork()
        } else {
            self.table_cache.clone()
        };
        Engine::new()
            .with_threads(self.threads)
            .with_memory(bytes)
            .with_group_size(self.group_size)
            .with_tables(tables)
            .with_max_nodes(self.max_nodes)
            .with_max_depth(self.max_depth)
            .with_network(Arc::clone(&self.network))
            .with_books(self.books.clone())
            .with_stop_flag(self.stop_flag())
    }

    /// Returns a new engine for the goals of a proof of `start`, with the endgame table that an
    /// analysis with this `goal` uses. It may build the table, until the stop flag is set.
    pub fn build_goal_engine(&self, start: &Position, goal: AnalysisGoal) -> GoalEngine {
        let resources = GoalResources {
            memory_bytes: usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX),
            threads: self.threads,
            tables: &self.table_cache,
            stop_flag: &self.stop_flag,
        };
        GoalEngine::prepare(start, goal, resources)
    }

    /// Returns the threads of one engine.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }
}

#[cfg(test)]
mod tests {
    use kalah_engine::Limits;

    use super::*;

    #[test]
    fn memory_sizes_have_binary_or_decimal_units() {
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
    fn invalid_memory_sizes_are_quoted() {
        const EXPECTED: &str = "is not an amount of memory such as 512MiB, 1GB or 16GiB";
        for (text, message) in [
            ("much", format!("`much` {EXPECTED}")),
            ("", format!("`` {EXPECTED}")),
            ("-1GiB", format!("`-1GiB` {EXPECTED}")),
            ("\u{1b}", format!("`\\u{{1b}}` {EXPECTED}")),
            ("16", "`16` is less than 1.0 MiB".to_owned()),
        ] {
            let error = text.parse::<MemorySize>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn engines_with_limits_depend_on_no_other_engine() {
        let position = Position::start(4, 3, kalah::Rules::CS32).expect("a start");
        let clock = || std::time::Duration::ZERO;
        let factory = EngineFactory::new(NonZeroUsize::MIN, MemorySize::MIN, TableCache::new());
        let limited = factory.clone().with_search_limits(Some(500), None);
        let analyze = |factory: &EngineFactory| {
            let mut engine = factory.build();
            engine.analyze(&position, Limits::default(), &clock)
        };
        let first = analyze(&limited);
        assert!(first.nodes <= 500, "{}", first.nodes);
        assert_eq!(analyze(&limited), first);
        let shallow = analyze(&factory.clone().with_search_limits(None, Some(2)));
        assert_eq!(shallow.depth, 2);
        let whole = analyze(&factory);
        assert!(whole.nodes > first.nodes, "{}", whole.nodes);
    }

    #[test]
    fn split_memory_divides_the_memory_down_to_the_minimum() {
        let memory = "4MiB".parse().expect("a memory size");
        let factory = EngineFactory::new(NonZeroUsize::MIN, memory, TableCache::new());
        for (parts, mebibytes) in [(1, 4), (2, 2), (4, 1), (8, 1)] {
            let parts = NonZeroUsize::new(parts).expect("positive");
            assert_eq!(
                factory.split_memory(parts).memory().bytes(),
                mebibytes << 20
            );
        }
    }
}
