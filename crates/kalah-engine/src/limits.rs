use std::time::Duration;

/// When an analysis has to stop; whatever comes first. Without any it goes on until the margin is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time from the call on, by the clock that is handed in.
    pub time: Option<Duration>,
    /// Turns to look ahead.
    pub depth: Option<u32>,
    /// Positions to search. An analysis limited by these alone always finds the same.
    pub nodes: Option<u64>,
}
