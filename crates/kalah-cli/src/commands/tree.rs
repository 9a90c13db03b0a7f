use std::io::Write;

use kalah_engine::{MinimaxScore, MinimaxTree};
use serde::Serialize;

use super::write_json;
use crate::arguments::TreeArguments;
use crate::{Failure, Naming, Palette};

/// More would neither be read nor fit a small machine's memory.
const MOST_POSITIONS: usize = 250_000;

/// `kalah tree --json`.
#[derive(Serialize)]
struct Root {
    position: String,
    rules: String,
    side: &'static str,
    depth: u32,
    value: Value,
    best: Option<String>,
    branches: Vec<Branch>,
}

#[derive(Serialize)]
struct Branch {
    side: &'static str,
    choice: String,
    position: String,
    value: Value,
    best: Option<String>,
    branches: Vec<Branch>,
}

/// `3`, `"won"` or `"lost"`.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Difference(i32),
    End(String),
}

impl From<MinimaxScore> for Value {
    fn from(worth: MinimaxScore) -> Self {
        match worth {
            MinimaxScore::Difference(margin) => Self::Difference(margin.seeds()),
            MinimaxScore::Win | MinimaxScore::Loss => Self::End(worth.to_string()),
        }
    }
}

/// The choice of the player to move in a tree, as text.
fn best(tree: &MinimaxTree) -> Option<String> {
    let (side, choice) = tree.children.get(tree.best_child?)?.mv?;
    Some(choice.text(side))
}

fn branches(tree: &MinimaxTree) -> Vec<Branch> {
    let named = tree.children.iter().filter_map(|branch| {
        let (side, choice) = branch.mv?;
        Some(Branch {
            side: side.as_str(),
            choice: choice.text(side),
            position: branch.position.to_string(),
            value: branch.score.into(),
            best: best(branch),
            branches: branches(branch),
        })
    });
    named.collect()
}

pub(super) fn run(
    arguments: &TreeArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), Failure> {
    let position = arguments.position.playable()?;
    let tree = MinimaxTree::build(&position, arguments.depth, MOST_POSITIONS)
        .map_err(|reason| Failure::Work(reason.to_string()))?;
    if arguments.json {
        let root = Root {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: position.to_move().as_str(),
            depth: arguments.depth,
            value: tree.score.into(),
            best: best(&tree),
            branches: branches(&tree),
        };
        return write_json(output, &root);
    }
    let naming = Naming::of(&position, arguments.position.labels.labels);
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
    naming: Naming,
    palette: Palette,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let last = tree.children.len().saturating_sub(1);
    for (index, branch) in tree.children.iter().enumerate() {
        let (fork, below) = if index == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let name = branch.mv.map_or_else(String::new, |(side, choice)| {
            let choice = naming.choice(side, choice);
            palette.name(side, &format!("{side} {choice}"))
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
