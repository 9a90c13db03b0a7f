/// What a sowing that has just ended means, before anything else is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardSowEffect {
    /// The turn passes to the other side.
    TurnPasses,
    /// The last seed fell in the own store: the same side sows again.
    BonusTurn,
    /// The last seed, in own house `house`, and the seeds of the other side's house `from`
    /// go to the own store, and the turn passes.
    Capture {
        /// The own house in which the last seed lies, a number from 1.
        house: u32,
        /// The opposite house, a number from 1.
        from: u32,
    },
}

/// Whether a sowing is the first of a game, which some rules treat apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IsFirstPly {
    /// It is ply 1.
    Yes,
    /// It is any later ply.
    No,
}
