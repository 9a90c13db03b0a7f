use std::fmt;
use std::ops::Neg;
use std::time::Duration;

use kalah::{Choice, Margin, Player, Position, Side};
use thiserror::Error;

/// The player of the source documents, and the yardstick for others: plain minimax to a fixed
/// depth on the difference of the stores.
///
/// A level is a whole turn: a bonus turn stays within the level of the sowing that gave it. Among
/// equals it takes the first in sowing order. It looks at no clock. Lines that cannot matter are left
/// out (alpha-beta), which changes the time it takes and nothing else; [`Tree`] leaves out none.
#[derive(Clone, Debug)]
pub struct Minimax {
    name: String,
    levels: u32,
}

/// What plain minimax thinks of a position, for one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// The game ends lost.
    Lost,
    /// Seeds in the own store minus seeds in the other, where the search stops or the game is tied.
    Difference(Margin),
    /// The game ends won.
    Won,
}

/// A minimax tree: a position, what it is worth, and the choices that lead on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The choice that leads here and the side that makes it, `None` at the root.
    pub choice: Option<(Side, Choice)>,
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

impl Minimax {
    /// A player of that name who looks `levels` turns ahead, one at least.
    pub fn new(name: impl Into<String>, levels: u32) -> Self {
        Self {
            name: name.into(),
            levels,
        }
    }
}

impl Player for Minimax {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, position: &Position, _limit: Duration) -> Option<Choice> {
        let mut best = None;
        for choice in position.choices() {
            let least = best.map_or(Worth::Lost, |(least, _)| least);
            let worth = worth_of_choice(position, choice, self.levels.max(1), least, Worth::Won);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, choice));
            }
        }
        best.map(|(_, choice)| choice)
    }
}

/// What a position is worth for its side to move, `levels` turns deep, if that lies between `alpha`
/// and `beta`; else one of these two, the nearer.
fn worth(position: &Position, levels: u32, mut alpha: Worth, beta: Worth) -> Worth {
    if let Some(worth) = at_rest(position, levels) {
        return worth.clamp(alpha, beta);
    }
    for choice in position.choices() {
        if alpha >= beta {
            break;
        }
        alpha = worth_of_choice(position, choice, levels, alpha, beta);
    }
    alpha
}

/// What a legal choice is worth for the player who makes it, on the terms of [`worth`]; `levels` is
/// at least 1.
fn worth_of_choice(
    position: &Position,
    choice: Choice,
    levels: u32,
    alpha: Worth,
    beta: Worth,
) -> Worth {
    let (next, same_player) = after(position, choice);
    if same_player {
        worth(&next, levels, alpha, beta)
    } else {
        -worth(&next, levels - 1, -beta, -alpha)
    }
}

/// What a position is worth for its side to move if the search stops there.
fn at_rest(position: &Position, levels: u32) -> Option<Worth> {
    let lead = position.lead();
    match position.outcome() {
        Some(_) if lead > Margin::ZERO => Some(Worth::Won),
        Some(_) if lead < Margin::ZERO => Some(Worth::Lost),
        None if levels > 0 => None,
        _ => Some(Worth::Difference(lead)),
    }
}

/// The position after a legal choice, and whether the same player chooses again. After a swap the
/// same side does, but the other player.
fn after(position: &Position, choice: Choice) -> (Position, bool) {
    let mut next = position.clone();
    let legal = next.play(choice).is_ok();
    debug_assert!(legal, "only legal choices are searched");
    let same_side = next.to_move() == position.to_move();
    (next, same_side && choice != Choice::Swap)
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
        choice: Option<(Side, Choice)>,
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
        for (index, choice) in tree.position.choices().enumerate() {
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

/// The same, for the other player.
impl Neg for Worth {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Lost => Self::Won,
            Self::Difference(margin) => Self::Difference(-margin),
            Self::Won => Self::Lost,
        }
    }
}

/// `+3`, `0`, `won` or `lost`.
impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => f.pad("lost"),
            Self::Difference(margin) => margin.fmt(f),
            Self::Won => f.pad("won"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use kalah::Rules;

    /// Trees of this many levels are grown in full.
    const LEVELS: u32 = 3;
    const MOST_POSITIONS: usize = 100_000;

    #[test]
    fn the_player_answers_what_the_whole_tree_says() {
        let mut compared = 0;
        for (seed, preset) in (0..60).zip(Rules::PRESETS.iter().cycle()) {
            let mut position = Position::start(4, 3, preset.rules).unwrap();
            let mut random = Random::new("Random", seed);
            while let Some(choice) = random.choose(&position, Duration::ZERO) {
                for levels in 1..=LEVELS {
                    let tree = Tree::grow(&position, levels, MOST_POSITIONS).unwrap();
                    let expected = tree.best.and_then(|best| tree.branches[best].choice);
                    let answer = Minimax::new("Minimax", levels).choose(&position, Duration::ZERO);
                    assert_eq!(
                        answer,
                        expected.map(|(_, choice)| choice),
                        "kalah tree --rules {} '{position}' {levels}",
                        preset.name
                    );
                    compared += 1;
                }
                position.play(choice).unwrap();
            }
        }
        assert!(compared > 1000);
    }

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
