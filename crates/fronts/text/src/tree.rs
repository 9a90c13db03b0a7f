//! A minimax tree as text.

use std::fmt;

use kalah_engine::MinimaxTree;

use crate::describe::Notation;
use crate::palette::Palette;

/// A drawing of the branches of a minimax tree, one in a line. `*` marks the best one.
#[derive(Clone, Copy, Debug)]
pub struct TreeDrawing<'a> {
    tree: &'a MinimaxTree,
    notation: Notation,
    palette: Palette,
}

impl<'a> TreeDrawing<'a> {
    /// Creates the drawing of the branches below the root.
    pub fn new(tree: &'a MinimaxTree, notation: Notation, palette: Palette) -> Self {
        Self {
            tree,
            notation,
            palette,
        }
    }

    /// Writes the branches of `tree`, with `indent` before each line.
    fn write(&self, tree: &MinimaxTree, indent: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = tree.children.len().saturating_sub(1);
        for (index, branch) in tree.children.iter().enumerate() {
            let (fork, below) = if index == last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            let name = branch.mv.map_or_else(String::new, |(side, mv)| {
                let mv = self.notation.format_move(side, mv);
                self.palette.name(side, &format!("{side} {mv}"))
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
            writeln!(f, "{indent}{fork}{name}: {}{over}{best}", branch.score)?;
            self.write(branch, &format!("{indent}{below}"), f)?;
        }
        Ok(())
    }
}

impl fmt::Display for TreeDrawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(self.tree, "", f)
    }
}
