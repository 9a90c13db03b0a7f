//! Commands for a person at the terminal: `kalah play` and `kalah puzzle`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::Labels;
use kalah_engine::PuzzleGenerator;
use kalah_players::{PlayerSpec, TimeLimit, parse_player_name};

use super::position::{LabelsOption, RulesOption};
use super::search::TablesOption;
use super::values::{TypedSetup, labels_parser, parse_board, whole_number_parser};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
On a terminal, the board fills the screen: letters, arrows and the mouse sow, ? lists all keys, and
Esc opens a menu. In line mode, type the label of a house, or one of the words undo, redo, hint,
help, save FILE, resign, swap, quit.

Examples:
  kalah play --board 3x2 --north first --south-name Marge
  kalah play --position '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n' --rules standard --labels letters
  kalah play --south random --north smart:100ms --seed 7 --no-pause
  kalah play --north level:3
  kalah play --record game.kgn
  kalah play --resume game.kgn")]
pub(crate) struct PlayArgs {
    /// The start: M houses a side and N seeds in each house
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board)]
    pub(crate) board: TypedSetup,
    /// The position to start from: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN`
    #[arg(long, value_name = "POS", conflicts_with = "board")]
    pub(crate) position: Option<TypedSetup>,
    #[command(flatten)]
    pub(crate) rules: RulesOption,
    /// The player that begins as South: human, first, random, minimax:DEPTH, level:1 (weak) to
    /// level:10 (smart), or smart, which can have a time of its own, as in smart:100ms; DEPTH is at
    /// most 12, and each level of depth takes several times as long as the one before [default:
    /// South's player of the game that is resumed, otherwise human]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) south: Option<PlayerSpec>,
    /// The player that begins as North, likewise [default: North's player of the game that is
    /// resumed, otherwise smart]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) north: Option<PlayerSpec>,
    /// The name of the player that begins as South
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub(crate) south_name: Option<String>,
    /// The name of the player that begins as North
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub(crate) north_name: Option<String>,
    /// The time of smart and level:10 for each move
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub(crate) time: TimeLimit,
    #[command(flatten)]
    pub(crate) tables: TablesOption,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub(crate) seed: Option<u64>,
    /// Names of the houses: columns are CS 32's numbers from left to right, letters run in sowing
    /// order (A.. South, a.. North), yale counts from the store (S1, N1) [default: letters on the
    /// screen, columns in line mode]
    #[arg(long, value_name = "LABELS", value_parser = labels_parser())]
    pub(crate) labels: Option<Labels>,
    /// Do not wait for ENTER between the turns of two programs
    #[arg(long)]
    pub(crate) no_pause: bool,
    /// Use line mode instead of the screen; it is the default if input or output is not a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Show a sowing on the screen at once instead of seed by seed
    #[arg(long)]
    pub(crate) no_animation: bool,
    /// Append a record of the game to this file and update it after every ply
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<PathBuf>,
    /// Resume the last game of this record file and continue its record
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["board", "position", "rules"]
    )]
    pub(crate) resume: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It is proven that exactly one move of a puzzle wins or, where no move wins, that exactly one saves a
tie. The positions come from games between players of medium strength. The depth of a puzzle is the
number of turns to look ahead for its move: at this depth, and at every larger one up to 6, the
player minimax finds it.

Type the house, resign to see the answer, or quit.

Examples:
  kalah puzzle
  kalah puzzle --board 6x6 --least-depth 4 --count 10
  kalah puzzle --rules standard --seed 7 --json")]
pub(crate) struct PuzzleArgs {
    /// The start of the games: `MxN`, M houses a side and N seeds in each, or a position in quotes
    #[arg(long, value_name = "MxN|POS", default_value = "6x4")]
    pub(crate) board: TypedSetup,
    #[command(flatten)]
    pub(crate) rules: RulesOption,
    /// The number of puzzles
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number_parser(1, usize::MAX))]
    pub(crate) count: usize,
    /// The minimum depth of a puzzle in turns, from 1 to 6
    #[arg(long, value_name = "TURNS", default_value_t = 1, value_parser = whole_number_parser(1, PuzzleGenerator::MAX_DEPTH))]
    pub(crate) least_depth: u32,
    /// The seed of the puzzles: the same seed gives the same puzzles [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) labels: LabelsOption,
    /// Print one line of JSON for each puzzle, with its answer
    #[arg(long)]
    pub(crate) json: bool,
}
