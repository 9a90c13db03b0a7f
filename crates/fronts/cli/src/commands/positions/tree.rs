//! `kalah tree`.

use std::io::Write;

use clap::Args;
use kalah::Side;
use kalah_engine::{MinimaxScore, MinimaxTree};
use kalah_text::{Notation, Palette, TreeDrawing};
use serde::Serialize;

use crate::args::position::PositionArgs;
use crate::args::values::whole_number_parser;
use crate::error::CliError;
use crate::output::messages::write_program_json;

/// The maximum of `kalah tree DEPTH`.
const MAX_TREE_DEPTH: u32 = 32;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A level is a whole turn: a bonus turn stays in the level of the sowing that gave it. Values are
those of the player to move at the top: the difference of the stores at the depth limit, and won or
lost where the game ends. `*` marks the best move of the player to move.

Examples:
  kalah tree 3x2 1
  kalah tree '<3,0,0,2,2,0,2,2,3> n' 2 --rules standard --labels columns
  kalah tree 3x2 2 --json")]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// The depth of the tree in turns
    #[arg(value_parser = whole_number_parser(1, MAX_TREE_DEPTH))]
    depth: u32,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The maximum number of positions of a tree, which limits its memory.
const MAX_POSITIONS: usize = 250_000;

/// `kalah tree --json`.
#[derive(Serialize)]
struct TreeJson {
    position: String,
    rules: String,
    to_move: Side,
    depth: u32,
    value: TreeValueJson,
    best: Option<String>,
    branches: Vec<TreeBranchJson>,
}

#[derive(Serialize)]
struct TreeBranchJson {
    /// The side that made the move.
    side: Side,
    #[serde(rename = "move")]
    mv: String,
    position: String,
    value: TreeValueJson,
    best: Option<String>,
    branches: Vec<TreeBranchJson>,
}

/// `3`, `"won"` or `"lost"`.
#[derive(Serialize)]
#[serde(untagged)]
enum TreeValueJson {
    Difference(i32),
    Outcome(String),
}

impl From<MinimaxScore> for TreeValueJson {
    fn from(score: MinimaxScore) -> Self {
        match score {
            MinimaxScore::Difference(margin) => Self::Difference(margin.seeds()),
            MinimaxScore::Win | MinimaxScore::Loss => Self::Outcome(score.to_string()),
        }
    }
}

/// Returns the best move of the player to move, as text.
fn best_move(tree: &MinimaxTree) -> Option<String> {
    let (side, mv) = tree.children.get(tree.best_child?)?.mv?;
    Some(mv.text(side))
}

fn branches(tree: &MinimaxTree) -> Vec<TreeBranchJson> {
    let branches = tree.children.iter().filter_map(|branch| {
        let (side, mv) = branch.mv?;
        Some(TreeBranchJson {
            side,
            mv: mv.text(side),
            position: branch.position.to_string(),
            value: branch.score.into(),
            best: best_move(branch),
            branches: branches(branch),
        })
    });
    branches.collect()
}

pub(crate) fn run(
    arguments: &TreeArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let tree = MinimaxTree::build(&position, arguments.depth, MAX_POSITIONS)
        .map_err(|reason| CliError::Runtime(reason.to_string()))?;
    if arguments.json {
        let root = TreeJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move: position.to_move(),
            depth: arguments.depth,
            value: tree.score.into(),
            best: best_move(&tree),
            branches: branches(&tree),
        };
        return Ok(write_program_json(output, &root)?);
    }
    let notation = Notation::new(&position, arguments.position.labels());
    let side = palette.name(position.to_move(), &position.to_move().to_string());
    let state = if position.is_over() {
        "The game is over".to_owned()
    } else {
        format!("{side} to move")
    };
    writeln!(output, "{state}: {}", tree.score)?;
    Ok(write!(
        output,
        "{}",
        TreeDrawing::new(&tree, notation, palette)
    )?)
}
