use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use kalah::Rules;
use kalah_tables::{Table, Variant};

use crate::arguments::{PositionArguments, whole_number_parser};

/// `kalah tables`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables build --seeds 20
  kalah tables info
  kalah tables verify
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'")]
pub struct TablesArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: TablesCommand,
}

/// What `kalah tables` can do.
#[derive(Clone, Debug, Subcommand)]
pub enum TablesCommand {
    /// Build a table, or go on with one whose building was broken off
    Build(BuildTableArguments),
    /// Tell what is in a table, or which tables there are
    Info(TableInfoArguments),
    /// Look for damage: by checksums, and by deriving random entries anew
    Verify(VerifyTableArguments),
    /// Look a position up: its margin, and that of each choice
    Probe(ProbeTableArguments),
}

/// Where tables are kept.
#[derive(Clone, Debug, Args)]
pub struct TableFolderArgument {
    /// The folder with the tables [default: `tables` among the user's data of this program]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// Which table to build, and how.
#[derive(Clone, Copy, Debug, Args)]
pub struct NewTableArguments {
    /// Houses a side, from 1 to 7
    #[arg(long, value_name = "HOUSES", default_value_t = 6, value_parser = whole_number_parser(1, Table::MAX_HOUSES))]
    pub houses: u8,
    /// The most seeds in the houses; each more makes the table half as large again
    #[arg(long, value_name = "SEEDS", default_value_t = 24, value_parser = whole_number_parser(0, Table::MAX_SEEDS))]
    pub seeds: u8,
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32)]
    pub rules: Rules,
    /// Threads to compute with; more than the machine has do not help [default: as many as it has]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub threads: Option<NonZeroUsize>,
}

/// As many as all but the largest machines have use for.
pub(crate) const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

impl NewTableArguments {
    /// What the table is to be about.
    pub fn variant(&self) -> Variant {
        Variant::new(self.houses, self.rules)
    }

    /// Threads to compute with: so many as were asked for, or as the machine has.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
            .unwrap_or_else(kalah_players::available_threads)
    }
}

/// `kalah tables build`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A table has its name only when it is complete. What is done is kept after each number of seeds:
the same command goes on from there after Ctrl-C or a crash.

Examples:
  kalah tables build
  kalah tables build --houses 6 --seeds 20 --rules standard --dir tables")]
pub struct BuildTableArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub table: NewTableArguments,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub folder: TableFolderArgument,
}

/// `kalah tables info`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables info
  kalah tables info kalah-6-houses-24-seeds-cs32.table --json")]
pub struct TableInfoArguments {
    /// A table [default: all that are in the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub folder: TableFolderArgument,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `kalah tables verify`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables verify
  kalah tables verify kalah-6-houses-24-seeds-cs32.table --entries 1000000 --seed 7")]
pub struct VerifyTableArguments {
    /// A table [default: all that are in the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub folder: TableFolderArgument,
    /// How many random entries of each table to derive anew
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub entries: u64,
    /// Which entries these are
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// `kalah tables probe`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is what the player to move will have more in the store at the end, with best play of both.

Examples:
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s' --rules standard --json")]
pub struct ProbeTableArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub folder: TableFolderArgument,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}
