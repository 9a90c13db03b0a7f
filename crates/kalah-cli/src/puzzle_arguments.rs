use clap::Args;
use kalah_engine::PuzzleGenerator;

use crate::arguments::whole_number_parser;
use crate::{LabelsArgument, RulesArgument, TypedSetup};

/// `kalah puzzle`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Exactly one move of a puzzle wins, or, where none wins, exactly one saves a tie: that is proven. The
positions come up in games between middling players. A puzzle is rated by the turns that one has to
look ahead to find its move: with so many, and with more up to 6, the player minimax finds it.

Type the house, resign to see the answer, or quit.

Examples:
  kalah puzzle
  kalah puzzle --board 6x6 --least-depth 4 --count 10
  kalah puzzle --rules standard --seed 7 --json")]
pub struct PuzzleArguments {
    /// What the games begin with: `MxN`, M houses a side and N seeds in each, or a position in quotes
    #[arg(long, value_name = "MxN|POS", default_value = "6x4")]
    pub board: TypedSetup,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub rules: RulesArgument,
    /// How many puzzles
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number_parser(1, usize::MAX))]
    pub count: usize,
    /// One has to look so many turns ahead, at least, from 1 to 6
    #[arg(long, value_name = "TURNS", default_value_t = 1, value_parser = whole_number_parser(1, PuzzleGenerator::MAX_DEPTH))]
    pub least_depth: u32,
    /// Gives the same puzzles again
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub seed: Option<u64>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub labels: LabelsArgument,
    /// For programs: a line of JSON for each puzzle, with its answer
    #[arg(long)]
    pub json: bool,
}
