use std::io::Write;

use kalah_engine::{MinimaxScore, MinimaxTree};
use serde::Serialize;

use super::write_json;
use crate::arguments::TreeArguments;
use crate::{CliError, Notation, Palette};

/// More would neither be read nor fit a small machine's memory.
const MAX_POSITIONS: usize = 250_000;

/// `kalah tree --json`.
#[derive(Serialize)]
struct TreeJson {
    position: String,
    rules: String,
    side: &'static str,
    depth: u32,
    value: TreeValueJson,
    best: Option<String>,
    branches: Vec<TreeBranchJson>,
}

#[derive(Serialize)]
struct TreeBranchJson {
    side: &'static str,
    #[serde(rename = "choice")]
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
    fn from(worth: MinimaxScore) -> Self {
        match worth {
            MinimaxScore::Difference(margin) => Self::Difference(margin.seeds()),
            MinimaxScore::Win | MinimaxScore::Loss => Self::Outcome(worth.to_string()),
        }
    }
}

/// The choice of the player to move in a tree, as text.
fn best_move(tree: &MinimaxTree) -> Option<String> {
    let (side, mv) = tree.children.get(tree.best_child?)?.mv?;
    Some(mv.text(side))
}

fn branches(tree: &MinimaxTree) -> Vec<TreeBranchJson> {
    let named = tree.children.iter().filter_map(|branch| {
        let (side, mv) = branch.mv?;
        Some(TreeBranchJson {
            side: side.as_str(),
            mv: mv.text(side),
            position: branch.position.to_string(),
            value: branch.score.into(),
            best: best_move(branch),
            branches: branches(branch),
        })
    });
    named.collect()
}

pub(super) fn run(
    arguments: &TreeArguments,
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
            side: position.to_move().as_str(),
            depth: arguments.depth,
            value: tree.score.into(),
            best: best_move(&tree),
            branches: branches(&tree),
        };
        return write_json(output, &root);
    }
    let naming = Notation::new(&position, arguments.position.labels.labels);
    let side = palette.name(position.to_move(), &position.to_move().to_string());
    let state = if position.is_over() {
        "The game is over".to_owned()
    } else {
        format!("{side} to move")
    };
    writeln!(output, "{state}: {}", tree.score)?;
    draw(&tree, "", naming, palette, output)
}

/// Draws what is below a tree, each line behind `indent`.
fn draw(
    tree: &MinimaxTree,
    indent: &str,
    naming: Notation,
    palette: Palette,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let last = tree.children.len().saturating_sub(1);
    for (index, branch) in tree.children.iter().enumerate() {
        let (fork, below) = if index == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let name = branch.mv.map_or_else(String::new, |(side, mv)| {
            let mv = naming.format_move(side, mv);
            palette.name(side, &format!("{side} {mv}"))
        });
        let best = if tree.best_child == Some(index) {
            " *"
        } else {
            ""
        };
        let over = if branch.position.is_over() {
            " (game over)"
        } else {
            ""
        };
        writeln!(output, "{indent}{fork}{name}: {}{over}{best}", branch.score)?;
        draw(branch, &format!("{indent}{below}"), naming, palette, output)?;
    }
    Ok(())
}
