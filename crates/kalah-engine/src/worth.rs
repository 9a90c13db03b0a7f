use std::fmt;
use std::ops::Neg;

use kalah::{Margin, Move, Position};

/// What plain minimax thinks of a position, for one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MinimaxScore {
    /// The game ends lost.
    Loss,
    /// Seeds in the own store minus seeds in the other, where the search stops or the game is tied.
    Difference(Margin),
    /// The game ends won.
    Win,
}

/// The same, for the other player.
impl Neg for MinimaxScore {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Difference(margin) => Self::Difference(-margin),
            Self::Win => Self::Loss,
        }
    }
}

/// `+3`, `0`, `won` or `lost`.
impl fmt::Display for MinimaxScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss => f.pad("lost"),
            Self::Difference(margin) => margin.fmt(f),
            Self::Win => f.pad("won"),
        }
    }
}

/// What a position is worth for its side to move if the search stops there.
pub(crate) fn leaf_score(position: &Position, levels: u32) -> Option<MinimaxScore> {
    let lead = position.lead();
    match position.outcome() {
        Some(_) if lead > Margin::ZERO => Some(MinimaxScore::Win),
        Some(_) if lead < Margin::ZERO => Some(MinimaxScore::Loss),
        None if levels > 0 => None,
        _ => Some(MinimaxScore::Difference(lead)),
    }
}

/// The position after a legal choice, and whether the same player chooses again. After a swap the
/// same side does, but the other player.
pub(crate) fn play(position: &Position, choice: Move) -> (Position, bool) {
    let mut next = position.clone();
    let legal = next.play(choice).is_ok();
    debug_assert!(legal, "only legal choices are searched");
    let same_side = next.to_move() == position.to_move();
    (next, same_side && choice != Move::Swap)
}
