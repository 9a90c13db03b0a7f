use std::fmt;
use std::ops::Neg;

use kalah::{Margin, Move, Position};

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

/// What a position is worth for its side to move if the search stops there.
pub(crate) fn at_rest(position: &Position, levels: u32) -> Option<Worth> {
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
pub(crate) fn after(position: &Position, choice: Move) -> (Position, bool) {
    let mut next = position.clone();
    let legal = next.play(choice).is_ok();
    debug_assert!(legal, "only legal choices are searched");
    let same_side = next.to_move() == position.to_move();
    (next, same_side && choice != Move::Swap)
}
