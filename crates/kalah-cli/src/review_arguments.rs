use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah_players::TimeLimit;

use crate::arguments::parse_game_number;
use crate::{EngineArguments, LabelsArgument};

/// `kalah review`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is what a player will have more in the store at the end, with best play of both; those
told here are of the player who began as South. What is not `exact` lies between bounds that are
proven. The game is looked into from its end to its start. Ctrl-C shows what is known so far.

Accuracy is 100 x (1 - seeds lost / seeds at stake): at each ply, the seeds lost are the margin of
the best choice minus that of the one that was made, and the seeds at stake are the margin of the
best choice minus that of the worst. Only plies count of which every choice is proven.

Examples:
  kalah review game.kgn
  kalah review game.kgn --game 2 --time 1m --labels letters
  kalah review game.kgn --json")]
pub struct ReviewArguments {
    /// The record
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Which game of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    pub game: usize,
    /// The most time for each position of the game
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub time: TimeLimit,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub labels: LabelsArgument,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub engine: EngineArguments,
    /// For programs: one line of JSON
    #[arg(long)]
    pub json: bool,
}
