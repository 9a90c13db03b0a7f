use crate::{BySide, House, Pit, SeedCount, Side};

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
pub enum SowEffect {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// A capture; the turn passes to the other side.
    Capture(Capture),
}

/// What was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capture {
    /// The capturer's house in which the last seed fell.
    pub house: House,
    /// The other side's house that was emptied.
    pub from: House,
    /// Seeds that went to the capturer's store, the last seed included.
    pub seeds: SeedCount,
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
