use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};
use kalah::{Labels, Position, Rules};
use kalah_players::{PlayerSpec, TimeLimit, parse_player_name};

use crate::{
    AnalyzeArguments, ArenaArguments, BenchArguments, CliError, EngineCommandArguments,
    ImportArguments, KgpArguments, MankalahArguments, PuzzleArguments, ReviewArguments,
    ServeArguments, SolveArguments, TablesArgument, TablesArguments, TypedSetup,
};

/// Play Kalah, and look into its positions and games.
///
/// Without a command it is `kalah play`: you are South against the engine, with 6 houses a side and
/// 4 seeds in each, under the rules `cs32`.
#[derive(Clone, Debug, Parser)]
#[command(name = "kalah", version, after_help = EXAMPLES, max_term_width = MAX_HELP_WIDTH)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Longer lines are hard to read.
const MAX_HELP_WIDTH: usize = 100;

const EXAMPLES: &str = "\
Examples:
  kalah                                             play against the engine
  kalah play --south random --north minimax:4       watch two programs play
  kalah show '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s'    draw a position
  kalah analyze 6x4 --time 5s                       how good each move is
  kalah solve 6x4 --rules standard                  prove who wins, and by how much
  kalah perft 6x4 6                                 count sequences of plies
  kalah tree '<3,0,0,2,2,0,2,2,3> n' 2              draw a minimax tree with its values
  kalah replay game.kgn                             tell a recorded game
  kalah review game.kgn                             what each ply of it cost
  kalah import server.log --out games.kgn           games that other programs wrote down
  kalah puzzle                                      find the one move that wins
  kalah frame 6                                     Yale's structure of a board
  kalah rules                                       the rule sets explained
  kalah tables build --seeds 20                     an endgame table
  kalah serve --open                                play in the browser
  kalah engine                                      think for another program
  kalah kgp connect kalah.example.org               play on a server of the Kalah Game Protocol
  kalah kgp serve                                   be such a server, for any number of clients
  kalah mankalah host ./one ./two                   a game of two agents of Manchester's
  kalah arena --engine level:3 --engine cmd=./bot   which of two programs is stronger
  kalah bench                                       how fast the search is here, and two signatures
  kalah bench tables                                how fast endgame tables are built here
  kalah completions bash                            completion for your shell

A position is typed in quotes, because `<` redirects: '<houses a side, South's store, North's store,
South's houses, North's houses> s', rows in sowing order, then who is to move, s or n. 6x4 is the
start with 6 houses a side and 4 seeds in each.";

/// What `kalah` can do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play a game, or watch one
    Play(Box<PlayArguments>),
    /// Draw a position and say who may do what
    Show(ShowArguments),
    /// Find the margin of every move of a position, as far as the time allows
    Analyze(AnalyzeArguments),
    /// Prove the margin of a position
    Solve(SolveArguments),
    /// Count the sequences of plies from a position
    Perft(PerftArguments),
    /// Draw the minimax tree of a position with its values
    Tree(TreeArguments),
    /// Tell a recorded game once more
    Replay(ReplayArguments),
    /// Look back on a recorded game: what each ply cost, and what was better
    Review(ReviewArguments),
    /// Turn what others write down of their games into records
    Import(ImportArguments),
    /// Find the one move that wins, or saves a tie
    Puzzle(PuzzleArguments),
    /// Print Yale's structure of a board: every pit, what comes next and what is opposite
    Frame(FrameArguments),
    /// Explain the rule sets
    Rules(RulesArguments),
    /// Build and use endgame tables: the exact worth of every position with few seeds
    Tables(TablesArguments),
    /// Play in the browser: serve the page to this machine or to others
    Serve(Box<ServeArguments>),
    /// Speak the engine protocol on standard input and output, for programs that lead games
    Engine(EngineCommandArguments),
    /// Play in the Kalah Game Protocol
    Kgp(Box<KgpArguments>),
    /// Play in the protocol of Manchester's COMP34120, as an agent or as the engine
    Mankalah(MankalahArguments),
    /// Let programs play against each other, and learn which is stronger
    Arena(Box<ArenaArguments>),
    /// Measure how fast this program is on this machine
    Bench(BenchArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
}

/// How houses are named and a position is drawn.
#[derive(Clone, Copy, Debug, Args)]
pub struct LabelsArgument {
    /// How houses are named: columns are CS 32's numbers from left to right, letters run in sowing
    /// order (A.. South, a.. North), yale counts from the store (S1, N1)
    #[arg(long, value_name = "LABELS", default_value_t = Labels::Columns, value_parser = labels_parser())]
    pub labels: Labels,
}

fn labels_parser() -> impl TypedValueParser<Value = Labels> {
    PossibleValuesParser::new(Labels::ALL.map(Labels::name)).try_map(|word| word.parse::<Labels>())
}

/// A position with its rules.
#[derive(Clone, Debug, Args)]
pub struct PositionArguments {
    /// The position: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN` for a start such as 6x4
    #[arg(value_name = "POS|MxN")]
    pub position: TypedSetup,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub rules: RulesArgument,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub labels: LabelsArgument,
}

/// The rules to play by.
#[derive(Clone, Copy, Debug, Args)]
pub struct RulesArgument {
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32)]
    pub rules: Rules,
}

impl PositionArguments {
    /// The position, if it can be played.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn to_position(&self) -> Result<Position, CliError> {
        self.position.playable(self.rules.rules)
    }
}

/// `kalah play`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
On a terminal the board fills the screen: letters, arrows and the mouse sow, ? lists all keys, and
Esc opens a menu. Line by line, type a house as it is labelled, or one of the words undo, redo,
hint, help, save FILE, resign, swap, quit.

Examples:
  kalah play --board 3x2 --north first --south-name Marge
  kalah play --position '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n' --rules standard --labels letters
  kalah play --south random --north smart:100ms --seed 7 --no-pause
  kalah play --north level:3
  kalah play --record game.kgn
  kalah play --resume game.kgn")]
pub struct PlayArguments {
    /// Start with M houses a side and N seeds in each
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board)]
    pub board: TypedSetup,
    /// Start from this position instead: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN`
    #[arg(long, value_name = "POS", conflicts_with = "board")]
    pub position: Option<TypedSetup>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub rules: RulesArgument,
    /// Who begins as South: human, first, random, minimax:DEPTH, level:1 (weak) to level:10 (smart), or
    /// smart, also with its own time, such as smart:100ms; each turn that minimax looks ahead, up to
    /// 12, takes several times longer [default: who played South in the game that is resumed, or else human]
    #[arg(long, value_name = "PLAYER")]
    pub south: Option<PlayerSpec>,
    /// Who begins as North, likewise [default: who played North in the game that is resumed, or
    /// else smart]
    #[arg(long, value_name = "PLAYER")]
    pub north: Option<PlayerSpec>,
    /// What South is called
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub south_name: Option<String>,
    /// What North is called
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub north_name: Option<String>,
    /// The time that smart and level:10 have for each answer
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub time: TimeLimit,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub tables: TablesArgument,
    /// Makes random players and levels play the same game again
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub seed: Option<u64>,
    /// How houses are named: columns are CS 32's numbers from left to right, letters run in sowing
    /// order (A.. South, a.. North), yale counts from the store (S1, N1) [default: letters on the
    /// screen, and columns line by line]
    #[arg(long, value_name = "LABELS", value_parser = labels_parser())]
    pub labels: Option<Labels>,
    /// Do not wait for ENTER between the turns of two programs
    #[arg(long)]
    pub no_pause: bool,
    /// Line by line instead of a screen full, as it is anyway where input or output is no terminal
    #[arg(long)]
    pub plain: bool,
    /// Show a sowing on the screen at once, and not seed by seed
    #[arg(long)]
    pub no_animation: bool,
    /// Keep a record of the game in this file, ply by ply; games that are in it already stay there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
    /// Go on with the last game of this record, and go on recording it there
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["board", "position", "rules"]
    )]
    pub resume: Option<PathBuf>,
}

/// `kalah show`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah show 6x4
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --labels yale
  kalah show '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --json")]
pub struct ShowArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `kalah perft`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each line is a number of plies and how many sequences of exactly so many there are; a swap is a ply.
Where no sequence is so long, the lines end.

Examples:
  kalah perft 6x4 6
  kalah perft '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' 5 --rules standard --divide
  kalah perft 6x4 6 --json")]
pub struct PerftArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    /// The most plies to count
    #[arg(value_parser = whole_number_parser(1, MAX_PERFT_DEPTH))]
    pub depth: u32,
    /// Also say how many of the longest sequences begin with each choice
    #[arg(long)]
    pub divide: bool,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Nobody lives to see so many plies counted, unless there is hardly a choice.
const MAX_PERFT_DEPTH: u32 = 1000;

/// `kalah tree`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A level is a whole turn: a bonus turn stays within the level of the sowing that gave it. A value is
what the position is worth to the player to move at the top: the difference of the stores where the
tree ends, won or lost where the game does. `*` marks the choice of the player to move.

Examples:
  kalah tree 3x2 1
  kalah tree '<3,0,0,2,2,0,2,2,3> n' 2 --rules standard --labels letters
  kalah tree 3x2 2 --json")]
pub struct TreeArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub position: PositionArguments,
    /// How many turns to look ahead
    #[arg(value_parser = whole_number_parser(1, MAX_TREE_DEPTH))]
    pub depth: u32,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Only a tree of hardly any choices is so high and still read.
const MAX_TREE_DEPTH: u32 = 32;

/// `kalah replay`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah replay game.kgn
  kalah replay game.kgn --game 2 --to 10 --labels letters
  kalah replay game.kgn --json")]
pub struct ReplayArguments {
    /// The record
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Stop after so many plies
    #[arg(long, value_name = "PLY", value_parser = whole_number_parser(usize::MIN, usize::MAX))]
    pub to: Option<usize>,
    /// Which game of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    pub game: usize,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub labels: LabelsArgument,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `kalah frame`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah frame 6
  kalah frame 6 --json")]
pub struct FrameArguments {
    /// Houses a side
    #[arg(value_name = "HOUSES", value_parser = whole_number_parser(1, MAX_FRAME_HOUSES))]
    pub houses: u32,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// More would be a flood of lines, and no use.
const MAX_FRAME_HOUSES: u32 = 10_000;

/// `kalah rules`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah rules
  kalah rules --json")]
pub struct RulesArguments {
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `kalah completions`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah completions bash > ~/.local/share/bash-completion/completions/kalah
  kalah completions zsh")]
pub struct CompletionsArguments {
    /// Which shell
    pub shell: clap_complete::Shell,
}

/// A start: `MxN` and nothing else.
pub(crate) fn parse_board(text: &str) -> Result<TypedSetup, String> {
    if text.trim_start().starts_with('<') {
        return Err(format!("`{text}` is a position: give it with --position"));
    }
    text.parse()
        .map_err(|reason: kalah::ParseSetupError| reason.to_string())
}

/// A number from `least` to `most`.
pub(crate) fn whole_number_parser<N>(
    least: N,
    most: N,
) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Copy,
{
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("it must be a whole number from {least} to {most}")),
    }
}

/// A number from 1.
pub(crate) fn parse_game_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("games are numbered from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}
