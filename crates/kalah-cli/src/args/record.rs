//! Commands on recorded games: `kalah replay`, `kalah review` and `kalah import`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Rules;
use kalah_players::TimeLimit;
use kalah_protocols::import::ImportFormat;

use super::position::LabelsOption;
use super::search::SearchOptions;
use super::values::{parse_game_number, whole_number_parser};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah replay game.kgn
  kalah replay game.kgn --game 2 --to 10 --labels letters
  kalah replay game.kgn --json")]
pub(crate) struct ReplayArgs {
    /// The record file
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Stop after this ply
    #[arg(long, value_name = "PLY", value_parser = whole_number_parser(usize::MIN, usize::MAX))]
    pub(crate) to: Option<usize>,
    /// The number of the game in the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    pub(crate) game: usize,
    #[command(flatten)]
    pub(crate) labels: LabelsOption,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which a player is ahead at the end of the game, with best play of
both players. The margins of the review are those of the player that began as South. A margin that
is not `exact` has proven bounds. The review analyzes the game from its end to its start. Ctrl-C
stops it and prints the bounds proven so far.

Accuracy is 100 x (1 - seeds lost / seeds at stake). The seeds lost by a ply are the margin of the
best move minus the margin of the move made, and its seeds at stake are the margin of the best move
minus that of the worst. Only plies count for which the margin of every move is proven.

Examples:
  kalah review game.kgn
  kalah review game.kgn --game 2 --time 1m --labels letters
  kalah review game.kgn --json")]
pub(crate) struct ReviewArgs {
    /// The record file
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The number of the game in the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    pub(crate) game: usize,
    /// The maximum time for each position of the game
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub(crate) time: TimeLimit,
    #[command(flatten)]
    pub(crate) labels: LabelsOption,
    #[command(flatten)]
    pub(crate) search: SearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
kgp is a log of a client or a server of the Kalah Game Protocol: lines of the protocol after any
prefix. The log of a client lacks the plies between two states; the import searches for them, and if
several orders are possible it takes one.

mankalah is a log of an engine or an agent of Manchester's protocol: the messages of one agent or of
both.

openspiel is lists of actions, 1 to 6 for South's houses and 8 to 13 for North's on 6x4: one game a
line with blanks or commas between the numbers, one number a line with blank lines between games,
JSON, or episodes of Kaggle.

Standard error has each error with its line number. The other games are imported, and the exit code
is 1.

Examples:
  kalah import server.log --out games.kgn
  kalah import agent.log --from mankalah
  echo '3 6 9 12 1' | kalah import - --from openspiel")]
pub(crate) struct ImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The format of the games [default: detected from the text]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<ImportFormat>,
    /// The rules of the games [default: mankalah for mankalah, standard for kgp and openspiel]
    #[arg(long, value_name = "PRESET")]
    pub(crate) rules: Option<Rules>,
    /// Append the records to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = ImportFormat> {
    PossibleValuesParser::new(ImportFormat::ALL.map(ImportFormat::name))
        .try_map(|word| word.parse::<ImportFormat>())
}
