use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use crate::NewTableArguments;

/// `kalah bench`.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a command it solves a fixed suite of positions, of all sizes and rules, with one thread and
no files, and prints two signatures: a hash of all margins, which must never change, and the number
of nodes (positions searched), which changes with the search and with nothing else. The hash is XXH3
(64 bits) of the lines that --margins shows.

Examples:
  kalah bench
  kalah bench --margins
  kalah bench tables --seeds 20"
)]
pub struct BenchArguments {
    /// What to measure; the search if there is none.
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub suite: BenchSuiteArguments,
}

/// `kalah bench` without a command.
#[derive(Clone, Copy, Debug, Args)]
pub struct BenchSuiteArguments {
    /// Also show every position with the margins of its moves
    #[arg(long)]
    pub margins: bool,
}

/// What `kalah bench` can measure.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure how fast an endgame table is built, and how much memory that takes
    Tables(BenchTablesArguments),
}

/// `kalah bench tables`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The table is built in memory and thrown away. With --dir it is also written into a file, as
`kalah tables build` does it; that time is told by itself, and the file is removed.

Examples:
  kalah bench tables
  kalah bench tables --seeds 20 --rules standard --threads 1 --dir .")]
pub struct BenchTablesArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub table: NewTableArguments,
    /// A folder: measure writing into a file there, too
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
