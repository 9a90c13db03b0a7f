use std::time::Duration;

/// When an analysis has to stop; whatever comes first. Without any it goes on until it has proven its
/// goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time from the call on, by the clock that is handed in.
    pub time: Option<Duration>,
    /// Turns to look ahead; an analysis with such a limit estimates what lies beyond.
    pub depth: Option<u32>,
    /// Positions to search. With one thread, an analysis limited by these alone always finds the same.
    pub nodes: Option<u64>,
    /// What is to be proven.
    pub goal: Goal,
}

/// What an analysis tries to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The margin of the best choice.
    #[default]
    BestMargin,
    /// For whoever has to choose: first which choice is the best, and then its margin.
    BestMove,
    /// As [`Self::Move`], and of every other choice whether it is as good.
    Ties,
    /// The margin of every choice, that of the best one first.
    AllMargins,
}
