//! Positions, rules and labels on the command line, and the commands on a position that need no
//! engine: `kalah show`, `kalah perft` and `kalah tree`.

use clap::Args;
use kalah::{Labels, Position, Rules};

use super::values::{TypedSetup, labels_parser, whole_number_parser};
use crate::error::CliError;

/// The maximum of `kalah perft DEPTH`.
const MAX_PERFT_DEPTH: u32 = 1000;

/// The maximum of `kalah tree DEPTH`.
const MAX_TREE_DEPTH: u32 = 32;

/// The option `--labels`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LabelsOption {
    /// Names of the houses: columns are CS 32's numbers from left to right, letters run in sowing
    /// order (A.. South, a.. North), yale counts from the store (S1, N1)
    #[arg(long, value_name = "LABELS", default_value_t = Labels::Columns, value_parser = labels_parser())]
    pub(crate) labels: Labels,
}

/// The option `--rules`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RulesOption {
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32)]
    pub(crate) rules: Rules,
}

/// A position with its rules and labels.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionArgs {
    /// The position: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN` for a start such as
    /// 6x4
    #[arg(value_name = "POS|MxN")]
    pub(crate) position: TypedSetup,
    #[command(flatten)]
    pub(crate) rules: RulesOption,
    #[command(flatten)]
    pub(crate) labels: LabelsOption,
}

impl PositionArgs {
    /// Returns the position under the rules of the command line.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the position is not playable.
    pub(crate) fn to_position(&self) -> Result<Position, CliError> {
        self.position.playable(self.rules.rules)
    }
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah show 6x4
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --labels yale
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --json")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each line has a number of plies and the number of sequences with exactly that many plies. A swap is
a ply. The output ends with the first number of sequences that is 0.

Examples:
  kalah perft 6x4 6
  kalah perft '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' 5 --rules standard --divide
  kalah perft 6x4 6 --json")]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The maximum number of plies
    #[arg(value_parser = whole_number_parser(1, MAX_PERFT_DEPTH))]
    pub(crate) depth: u32,
    /// Also print how many of the longest sequences begin with each move
    #[arg(long)]
    pub(crate) divide: bool,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A level is a whole turn: a bonus turn stays in the level of the sowing that gave it. Values are
those of the player to move at the top: the difference of the stores at the depth limit, and won or
lost where the game ends. `*` marks the best move of the player to move.

Examples:
  kalah tree 3x2 1
  kalah tree '<3,0,0,2,2,0,2,2,3> n' 2 --rules standard --labels letters
  kalah tree 3x2 2 --json")]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The depth of the tree in turns
    #[arg(value_parser = whole_number_parser(1, MAX_TREE_DEPTH))]
    pub(crate) depth: u32,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}
