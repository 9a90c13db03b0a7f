//! Moves, the reasons why they are illegal, and their results.

use thiserror::Error;

use crate::side::{BySide, Side};
use crate::types::{House, Pit, SeedCount};

/// A move of the side to move. One move is one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Sow this house.
    Sow(House),
    /// Exchange sides with the opponent instead of making ply 2, under rules with a swap.
    Swap,
}

/// The reason why a move is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game has ended; no move is legal.
    #[error("the game is over")]
    GameOver,
    /// The board has fewer houses.
    #[error("there is no house {letter} on a board of {houses} houses a side", letter = house.letter(*side))]
    NoSuchHouse {
        /// The side to move.
        side: Side,
        /// The house of the move.
        house: House,
        /// Houses a side.
        houses: u8,
    },
    /// The house has no seeds.
    #[error("house {letter} is empty", letter = house.letter(*side))]
    EmptyHouse {
        /// The side to move.
        side: Side,
        /// The house of the move.
        house: House,
    },
    /// The rules have no swap, or the ply is not ply 2.
    #[error("sides can be exchanged only instead of ply 2, and only under rules with a swap")]
    NoSwap,
}

impl Move {
    /// Returns the text of the move as made by `side`: `C`, `c` or `swap`.
    pub fn text(self, side: Side) -> String {
        match self {
            Self::Sow(house) => house.letter(side).to_string(),
            Self::Swap => "swap".to_owned(),
        }
    }
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveResult {
    /// A house was sown.
    Sown(SowResult),
    /// The two players exchanged sides; no seed moved.
    Swapped,
}

/// The result of a sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SowResult {
    /// The side that sowed.
    pub side: Side,
    /// The house that was sown.
    pub house: House,
    /// The number of seeds that the house held.
    pub seeds: SeedCount,
    /// The pit of the last seed.
    pub last: Pit,
    /// The effect of the last seed.
    pub effect: SowEffect,
    /// If the game ended: the seeds of each row, which were swept into its owner's store.
    pub swept: Option<BySide<SeedCount>>,
}

impl SowResult {
    /// Returns whether the game is over after the sowing.
    pub fn is_game_over(&self) -> bool {
        self.swept.is_some()
    }
}

/// The effect of the last seed of a sowing.
///
/// A game can end with any of them, also with a bonus turn for which no seeds are left.
///
/// `H` and `N` are the types of houses and counts: [`House`] and [`SeedCount`] in a
/// [`Position`](crate::Position), plain numbers where [`Rules`](crate::Rules) judge any board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SowEffect<H = House, N = SeedCount> {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// The last seed captures; the turn passes to the other side.
    Capture(Capture<H, N>),
}

/// A capture: the two houses that are emptied and the seeds that they hold.
///
/// `H` and `N` are the types of houses and counts, as in [`SowEffect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capture<H = House, N = SeedCount> {
    /// The capturer's house in which the last seed fell.
    pub house: H,
    /// The opposite house, which belongs to the other side.
    pub from: H,
    /// Seeds that go to the capturer's store, the last seed included.
    pub seeds: N,
}
