//! `kalah tables` and `kalah bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use kalah::Rules;
use kalah_players::available_threads;
use kalah_tables::{Table, Variant};

use super::position::PositionArgs;
use super::values::{MAX_THREADS, whole_number_parser};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables build --seeds 20
  kalah tables info
  kalah tables verify
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'")]
pub(crate) struct TablesArgs {
    #[command(subcommand)]
    pub(crate) command: TablesCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum TablesCommand {
    /// Build a table, or resume an interrupted build
    Build(TablesBuildArgs),
    /// Describe a table, or list all tables of a folder
    Info(TablesInfoArgs),
    /// Check a table for damage: verify its checksums and compute random entries again
    Verify(TablesVerifyArgs),
    /// Look up the margins of a position and of each of its moves
    Probe(TablesProbeArgs),
}

/// The option `--dir`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TableFolderOption {
    /// The folder of the tables [default: `tables` in the user's data folder of this program]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

/// The table to build, and the threads to build it with.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct NewTableOptions {
    /// Houses a side, from 1 to 7
    #[arg(long, value_name = "HOUSES", default_value_t = 6, value_parser = whole_number_parser(1, Table::MAX_HOUSES))]
    pub(crate) houses: u8,
    /// The maximum number of seeds in the houses; each further seed makes the table half as large
    /// again
    #[arg(long, value_name = "SEEDS", default_value_t = 24, value_parser = whole_number_parser(0, Table::MAX_SEEDS))]
    pub(crate) seeds: u8,
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32)]
    pub(crate) rules: Rules,
    /// Threads of the build; more than the machine has do not help [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
}

impl NewTableOptions {
    /// Returns the variant of the table.
    pub(crate) fn variant(&self) -> Variant {
        Variant::new(self.houses, self.rules)
    }

    /// Returns the number of threads of the build.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(available_threads)
    }
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The file gets its name when the table is complete. The build saves its work after each number of
seeds: after Ctrl-C or a crash, the same command resumes there.

Examples:
  kalah tables build
  kalah tables build --houses 6 --seeds 20 --rules standard --dir tables")]
pub(crate) struct TablesBuildArgs {
    #[command(flatten)]
    pub(crate) table: NewTableOptions,
    #[command(flatten)]
    pub(crate) folder: TableFolderOption,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables info
  kalah tables info kalah-6-houses-24-seeds-cs32.table --json")]
pub(crate) struct TablesInfoArgs {
    /// The file of a table [default: all tables of the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) folder: TableFolderOption,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables verify
  kalah tables verify kalah-6-houses-24-seeds-cs32.table --entries 1000000 --seed 7")]
pub(crate) struct TablesVerifyArgs {
    /// The file of a table [default: all tables of the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) folder: TableFolderOption,
    /// The number of random entries of each table to compute again
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) entries: u64,
    /// The seed of the choice of these entries
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players.

Examples:
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s' --rules standard --json")]
pub(crate) struct TablesProbeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    #[command(flatten)]
    pub(crate) folder: TableFolderOption,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a command, it solves a fixed suite of positions of all sizes and rules, with one thread and
without files. It prints two signatures: a hash of all margins, which never changes, and the number
of nodes (positions searched), which changes only with the search. The hash is XXH3 (64 bits) of the
lines that --margins prints.

Examples:
  kalah bench
  kalah bench --margins
  kalah bench tables --seeds 20"
)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: Option<BenchCommand>,
    /// Also print every position with the margins of its moves
    #[arg(long)]
    pub(crate) margins: bool,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Measure the time and the memory that building an endgame table takes
    Tables(BenchTablesArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The table is built in memory and dropped. With --dir it is also written to a file, as
`kalah tables build` does; the time of writing is printed separately, and the file is deleted.

Examples:
  kalah bench tables
  kalah bench tables --seeds 20 --rules standard --threads 1 --dir .")]
pub(crate) struct BenchTablesArgs {
    #[command(flatten)]
    pub(crate) table: NewTableOptions,
    /// A folder: measure writing a file there, too
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}
