use kalah::{Move, Position, Side};
use thiserror::Error;

use crate::Worth;
use crate::worth::{after, at_rest};

/// A minimax tree: a position, what it is worth, and the choices that lead on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The choice that leads here and the side that makes it, `None` at the root.
    pub choice: Option<(Side, Move)>,
    /// The position.
    pub position: Position,
    /// What it is worth for the player to move at the root.
    pub worth: Worth,
    /// One tree for each choice, in the order of [`Position::choices`]; none where the search stops.
    pub branches: Vec<Tree>,
    /// Which of the branches the player to move takes.
    pub best: Option<usize>,
}

/// A minimax tree that would be larger than was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a tree of {levels} levels has more than {most_positions} positions")]
pub struct TreeTooLarge {
    /// How deep it should be.
    pub levels: u32,
    /// How many positions it may have.
    pub most_positions: usize,
}

impl Tree {
    /// The tree of all choices, `levels` turns deep and of at most `most_positions` positions.
    ///
    /// # Errors
    /// If it would be larger.
    pub fn grow(
        position: &Position,
        levels: u32,
        most_positions: usize,
    ) -> Result<Self, TreeTooLarge> {
        let mut left = most_positions;
        Self::grow_branch(position.clone(), None, levels, &mut left).ok_or(TreeTooLarge {
            levels,
            most_positions,
        })
    }

    /// A tree whose worths are for its own side to move; `None` once no positions are `left`.
    fn grow_branch(
        position: Position,
        choice: Option<(Side, Move)>,
        levels: u32,
        left: &mut usize,
    ) -> Option<Self> {
        *left = left.checked_sub(1)?;
        let at_rest = at_rest(&position, levels);
        let mut tree = Self {
            choice,
            worth: at_rest.unwrap_or(Worth::Lost),
            branches: Vec::new(),
            best: None,
            position,
        };
        if at_rest.is_some() {
            return Some(tree);
        }
        let side = tree.position.to_move();
        for (index, choice) in tree.position.legal_moves().enumerate() {
            let (next, same_player) = after(&tree.position, choice);
            let levels = if same_player { levels } else { levels - 1 };
            let mut branch = Self::grow_branch(next, Some((side, choice)), levels, left)?;
            if !same_player {
                branch.tell_of_other_player();
            }
            if tree.best.is_none() || branch.worth > tree.worth {
                tree.worth = branch.worth;
                tree.best = Some(index);
            }
            tree.branches.push(branch);
        }
        Some(tree)
    }

    fn tell_of_other_player(&mut self) {
        self.worth = -self.worth;
        for branch in &mut self.branches {
            branch.tell_of_other_player();
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
        let tree = Tree::grow(&position, 2, MOST_POSITIONS).unwrap();
        assert_eq!(tree.worth, Worth::Won);
        let too_large = Tree::grow(&position, 2, 2).unwrap_err();
        assert_eq!(
            too_large.to_string(),
            "a tree of 2 levels has more than 2 positions"
        );
    }
}
