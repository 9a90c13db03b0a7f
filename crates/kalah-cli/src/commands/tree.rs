use std::io::Write;

use kalah_engine::{Tree, Worth};
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

impl From<Worth> for Value {
    fn from(worth: Worth) -> Self {
        match worth {
            Worth::Difference(margin) => Self::Difference(margin.seeds()),
            Worth::Won | Worth::Lost => Self::End(worth.to_string()),
        }
    }
}

/// The choice of the player to move in a tree, as text.
fn best(tree: &Tree) -> Option<String> {
    let (side, choice) = tree.branches.get(tree.best?)?.choice?;
    Some(choice.text(side))
}

fn branches(tree: &Tree) -> Vec<Branch> {
    let named = tree.branches.iter().filter_map(|branch| {
        let (side, choice) = branch.choice?;
        Some(Branch {
            side: side.as_str(),
            choice: choice.text(side),
            position: branch.position.to_string(),
            value: branch.worth.into(),
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
    let tree = Tree::grow(&position, arguments.depth, MOST_POSITIONS)
        .map_err(|reason| Failure::Work(reason.to_string()))?;
    if arguments.json {
        let root = Root {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: position.to_move().as_str(),
            depth: arguments.depth,
            value: tree.worth.into(),
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
    writeln!(output, "{state}: {}", tree.worth)?;
    draw(&tree, "", naming, palette, output)
}

/// Draws what is below a tree, each line behind `indent`.
fn draw(
    tree: &Tree,
    indent: &str,
    naming: Naming,
    palette: Palette,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let last = tree.branches.len().saturating_sub(1);
    for (index, branch) in tree.branches.iter().enumerate() {
        let (fork, below) = if index == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let name = branch.choice.map_or_else(String::new, |(side, choice)| {
            let choice = naming.choice(side, choice);
            palette.name(side, &format!("{side} {choice}"))
        });
        let best = if tree.best == Some(index) { " *" } else { "" };
        let over = if branch.position.is_over() {
            " (game over)"
        } else {
            ""
        };
        writeln!(output, "{indent}{fork}{name}: {}{over}{best}", branch.worth)?;
        draw(branch, &format!("{indent}{below}"), naming, palette, output)?;
    }
    Ok(())
}
