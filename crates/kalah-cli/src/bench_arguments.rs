use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use crate::NewTableArguments;

/// `kalah bench`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah bench tables --seeds 20")]
pub struct BenchArguments {
    /// What to measure.
    #[command(subcommand)]
    pub command: BenchCommand,
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
