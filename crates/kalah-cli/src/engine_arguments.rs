use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Position;
use kalah_players::{EngineFactory, MemorySize, TimeLimit, available_threads, system_memory};
use kalah_tables::Variant;

use crate::arguments::{PositionArguments, whole_number_parser};
use crate::table_arguments::MAX_THREADS;
use crate::{CliError, TableSource};

/// Which endgame tables may be read.
#[derive(Clone, Debug, Default, Args)]
pub struct TablesArgument {
    /// The folder with endgame tables to use, or `none` to read no file [default: those that
    /// `kalah tables build` has made]
    #[arg(long, value_name = "DIR|none", value_hint = ValueHint::DirPath, value_parser = table_source_parser())]
    pub tables: Option<TableSource>,
}

fn table_source_parser() -> impl TypedValueParser<Value = TableSource> {
    PathBufValueParser::new().map(TableSource::from)
}

/// What engines may take of the machine.
#[derive(Clone, Debug, Default, Args)]
pub struct EngineArguments {
    /// Threads to search with; more than the machine has do not help [default: as many as it has]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub threads: Option<NonZeroUsize>,
    /// Memory to search with, such as 512MiB or 16GiB [default: a quarter of the machine's, 1GiB at
    /// most]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub tables: TablesArgument,
}

/// The part of the free memory that engines leave to other programs, as a divisor.
const RESERVED_MEMORY_DIVISOR: u64 = 16;

impl EngineArguments {
    /// Returns a factory for engines that look into games from `position`.
    ///
    /// Prints a warning on standard error where more memory is asked for than is free.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder with tables cannot be read.
    pub(crate) fn factory(&self, position: &Position) -> Result<EngineFactory, CliError> {
        let variant = Variant::from_position(position);
        let tables = TableSource::open_cache(self.tables.tables.as_ref(), variant)?;
        let threads = self.threads.unwrap_or_else(available_threads);
        let memory = self.memory.map(clamp_to_free_memory);
        let memory = memory.unwrap_or_else(|| EngineFactory::default().memory());
        Ok(EngineFactory::new(threads, memory, tables))
    }
}

/// Returns the memory that was asked for, or what is free if that is less.
fn clamp_to_free_memory(requested: MemorySize) -> MemorySize {
    let free = system_memory().map_or(u64::MAX, |memory| memory.available);
    let max = MemorySize::new(free - free / RESERVED_MEMORY_DIVISOR);
    if requested > max {
        // An error on standard error cannot be reported anywhere.
        let _ = writeln!(
            anstream::stderr(),
            "warning: {requested} of memory are not free: {max} are taken at most"
        );
    }
    requested.min(max)
}

/// `kalah analyze`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is what the player to move will have more in the store at the end, with best play of both.
What is `exact` is proven; before that there are bounds, which are proven too. `*` marks the best
choice. Ctrl-C shows what is proven so far.

Examples:
  kalah analyze 6x4 --time 5s
  kalah analyze '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --rules standard --labels letters
  kalah analyze 4x3 --tables none --json")]
pub struct AnalyzeArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    /// Stop after this time; the best choice is proven first [default: when every margin is exact]
    #[arg(long, value_name = "DURATION")]
    pub time: Option<TimeLimit>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub engine: EngineArguments,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `kalah solve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is what the player to move will have more in the store at the end, with best play of both.
On a terminal it is shown how far the proof is. Ctrl-C shows what is proven so far. A checkpoint
keeps the proven bounds of the moves, also through a crash: the same command goes on with them, and
begins the step under way again.

Examples:
  kalah solve 6x4 --rules standard
  kalah solve 5x4 --moves --json
  kalah solve 6x5 --memory 16GiB --checkpoint 6x5.checkpoint")]
pub struct SolveArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    /// Prove the margin of every move
    #[arg(long)]
    pub moves: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub engine: EngineArguments,
    /// Keep the proven bounds of the moves in this file, and begin with those that are in it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub checkpoint: Option<PathBuf>,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}
