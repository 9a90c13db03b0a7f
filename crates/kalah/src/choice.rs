use thiserror::Error;

use crate::{House, Side};

/// What a player answers when it is asked to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Sow this house.
    Sow(House),
    /// Exchange sides instead of making ply 2, where the rules have it.
    Swap,
}

/// Why a choice is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// Nothing can be chosen any more.
    #[error("the game is over")]
    GameOver,
    /// The board is smaller.
    #[error("there is no house {letter} on a board of {houses} houses a side", letter = house.letter(*side))]
    NoSuchHouse {
        /// Whose house was asked for.
        side: Side,
        /// Which.
        house: House,
        /// How many houses a side there are.
        houses: u8,
    },
    /// The house has no seeds.
    #[error("house {letter} is empty", letter = house.letter(*side))]
    EmptyHouse {
        /// Whose house was asked for.
        side: Side,
        /// Which.
        house: House,
    },
    /// The rules know no swap, or this is not ply 2.
    #[error("sides can be exchanged only instead of ply 2, and only under rules with a swap")]
    NoSwap,
}

impl Move {
    /// The choice as text, made by `side`: `C`, `c` or `swap`.
    pub fn text(self, side: Side) -> String {
        match self {
            Self::Sow(house) => house.letter(side).to_string(),
            Self::Swap => "swap".to_owned(),
        }
    }
}
