use thiserror::Error;

use crate::side::{BySide, Side};
use crate::types::{House, Pit, SeedCount};

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

/// What a sowing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SowResult {
    /// Who sowed.
    pub side: Side,
    /// The house that was sown.
    pub house: House,
    /// How many seeds it held.
    pub seeds: SeedCount,
    /// Where the last seed fell.
    pub last: Pit,
    /// What that meant.
    pub effect: SowEffect,
    /// If the game ended: how many seeds of each row were swept into its owner's store.
    pub swept: Option<BySide<SeedCount>>,
}

/// What the last seed of a sowing brought about.
///
/// A game can end with any of them, also with a bonus turn that nothing is left for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SowEffect<H = House, N = SeedCount> {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// A capture; the turn passes to the other side.
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

/// What a choice did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveResult {
    /// A house was sown.
    Sown(SowResult),
    /// The two players exchanged sides; no seed moved.
    Swapped,
}

impl SowResult {
    /// Whether the game is over after it.
    pub fn is_game_over(&self) -> bool {
        self.swept.is_some()
    }
}
