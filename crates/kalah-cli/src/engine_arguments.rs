use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};

use crate::arguments::{PositionArguments, whole_number_parser};
use crate::table_arguments::MAX_THREADS;
use crate::{MemorySize, TableSource, TimeLimit};

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
