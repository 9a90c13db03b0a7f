//! Threads, memory and endgame tables of a search, and the commands `kalah analyze`, `kalah solve`
//! and `kalah engine`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Position;
use kalah_players::{
    EngineFactory, MemorySize, PlayerSpec, TimeLimit, available_threads, system_memory,
};
use kalah_tables::Variant;

use super::position::PositionArgs;
use super::values::{MAX_THREADS, parse_engine_player, parse_program_player, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::TableSource;
use crate::output::messages::print_warning;

/// The part of the free memory that a search leaves to other programs, as a divisor.
const RESERVED_MEMORY_DIVISOR: u64 = 16;

/// The option `--tables`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TablesOption {
    /// The folder with endgame tables, or `none` to read no file [default: the folder of
    /// `kalah tables build`]
    #[arg(long, value_name = "DIR|none", value_hint = ValueHint::DirPath, value_parser = table_source_parser())]
    pub(crate) tables: Option<TableSource>,
}

fn table_source_parser() -> impl TypedValueParser<Value = TableSource> {
    PathBufValueParser::new().map(TableSource::from)
}

/// The resources of a search.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SearchOptions {
    /// Threads of the search; more than the machine has do not help [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Memory of the search, such as 512MiB or 16GiB [default: a quarter of the machine's memory,
    /// at most 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<MemorySize>,
    #[command(flatten)]
    pub(crate) tables: TablesOption,
}

impl SearchOptions {
    /// Returns a factory of engines for games that go on from `position`.
    ///
    /// Prints a warning if the memory of the command line is more than the free memory.
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

/// Returns `requested`, or the free memory if that is less.
fn clamp_to_free_memory(requested: MemorySize) -> MemorySize {
    let free = system_memory().map_or(u64::MAX, |memory| memory.available);
    let max = MemorySize::new(free - free / RESERVED_MEMORY_DIVISOR);
    if requested > max {
        print_warning(&format!(
            "{requested} of memory are not available: the search uses {max}"
        ));
    }
    requested.min(max)
}

/// The built-in player of a command that plays without a person, and the resources of its search.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramOptions {
    /// The player: first, random, minimax:DEPTH, level:1 (weak) to level:10 (smart), or smart,
    /// which can have a time of its own, as in smart:100ms
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_program_player)]
    pub(crate) player: PlayerSpec,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) search: SearchOptions,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. An `exact` margin is proven. Otherwise the output has proven bounds. `*`
marks the best move. Ctrl-C stops the analysis and prints the bounds proven so far.

Examples:
  kalah analyze 6x4 --time 5s
  kalah analyze '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --rules standard --labels letters
  kalah analyze 4x3 --tables none --json")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Stop after this time; the best move is proven first [default: stop when every margin is
    /// exact]
    #[arg(long, value_name = "DURATION")]
    pub(crate) time: Option<TimeLimit>,
    #[command(flatten)]
    pub(crate) search: SearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. On a terminal, a line shows the progress of the proof. Ctrl-C stops the
proof and prints the bounds proven so far. A checkpoint file keeps the proven bounds of the moves,
also after a crash: the same command resumes from them and repeats only the interrupted step.

Examples:
  kalah solve 6x4 --rules standard
  kalah solve 5x4 --moves --json
  kalah solve 6x5 --memory 16GiB --checkpoint 6x5.checkpoint")]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Prove the margin of every move
    #[arg(long)]
    pub(crate) moves: bool,
    #[command(flatten)]
    pub(crate) search: SearchOptions,
    /// Keep the proven bounds of the moves in this file, and resume from the bounds in it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The engine reads lines of the engine protocol until the input ends or it reads `quit`.
docs/engine-protocol.md describes the protocol and has an engine of a hundred lines in Python. The
command `setoption` sets the same options as the command line.

Examples:
  kalah engine
  kalah engine --player level:4 --seed 7
  kalah engine --threads 4 --memory 2GiB --tables none")]
pub(crate) struct EngineArgs {
    /// The player: smart, first, random, minimax:DEPTH, or level:1 (weak) to level:10 (smart)
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_engine_player)]
    pub(crate) player: PlayerSpec,
    /// Threads of the search of smart; its results are reproducible only with one thread
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub(crate) threads: NonZeroUsize,
    /// Memory of the search of smart, such as 64MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB")]
    pub(crate) memory: MemorySize,
    #[command(flatten)]
    pub(crate) tables: TablesOption,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub(crate) seed: Option<u64>,
}
