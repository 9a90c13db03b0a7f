use kalah::{Move, Position, Side};
use thiserror::Error;

use crate::MinimaxScore;
use crate::worth::{leaf_score, play};

/// A minimax tree: a position, what it is worth, and the choices that lead on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimaxTree {
    /// The choice that leads here and the side that makes it, `None` at the root.
    pub mv: Option<(Side, Move)>,
    /// The position.
    pub position: Position,
    /// What it is worth for the player to move at the root.
    pub score: MinimaxScore,
    /// One tree for each choice, in the order of [`Position::legal_moves`]; none where the search stops.
    pub children: Vec<MinimaxTree>,
    /// Which of the branches the player to move takes.
    pub best_child: Option<usize>,
}

/// A minimax tree that would be larger than was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a tree of {depth} levels has more than {max_positions} positions")]
pub struct TreeTooLarge {
    /// How deep it should be.
    pub depth: u32,
    /// How many positions it may have.
    pub max_positions: usize,
}

impl MinimaxTree {
    /// The tree of all choices, `levels` turns deep and of at most `most_positions` positions.
    ///
    /// # Errors
    /// If it would be larger.
    pub fn build(
        position: &Position,
        levels: u32,
        most_positions: usize,
    ) -> Result<Self, TreeTooLarge> {
        let mut left = most_positions;
        Self::build_subtree(position.clone(), None, levels, &mut left).ok_or(TreeTooLarge {
            depth: levels,
            max_positions: most_positions,
        })
    }

    /// A tree whose worths are for its own side to move; `None` once no positions are `left`.
    fn build_subtree(
        position: Position,
        choice: Option<(Side, Move)>,
        levels: u32,
        left: &mut usize,
    ) -> Option<Self> {
        *left = left.checked_sub(1)?;
        let at_rest = leaf_score(&position, levels);
        let mut tree = Self {
            mv: choice,
            score: at_rest.unwrap_or(MinimaxScore::Loss),
            children: Vec::new(),
            best_child: None,
            position,
        };
        if at_rest.is_some() {
            return Some(tree);
        }
        let side = tree.position.to_move();
        for (index, choice) in tree.position.legal_moves().enumerate() {
            let (next, same_player) = play(&tree.position, choice);
            let levels = if same_player { levels } else { levels - 1 };
            let mut branch = Self::build_subtree(next, Some((side, choice)), levels, left)?;
            if !same_player {
                branch.negate_scores();
            }
            if tree.best_child.is_none() || branch.score > tree.score {
                tree.score = branch.score;
                tree.best_child = Some(index);
            }
            tree.children.push(branch);
        }
        Some(tree)
    }

    fn negate_scores(&mut self) {
        self.score = -self.score;
        for branch in &mut self.children {
            branch.negate_scores();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::Rules;

    const MOST_POSITIONS: usize = 1_000;

    #[test]
    fn a_win_is_worth_more_than_any_difference() {
        // C ends the game 4-3 at once; A banks nothing.
        let position = "<3,3,3,1,0,1,0,0,0> s"
            .parse::<kalah::Setup>()
            .unwrap()
            .position(Rules::CS32)
            .unwrap();
        let tree = MinimaxTree::build(&position, 2, MOST_POSITIONS).unwrap();
        assert_eq!(tree.score, MinimaxScore::Win);
        let too_large = MinimaxTree::build(&position, 2, 2).unwrap_err();
        assert_eq!(
            too_large.to_string(),
            "a tree of 2 levels has more than 2 positions"
        );
    }
}
