use std::time::Duration;

use kalah::{Choice, Margin, Side};

/// What an analysis found: plain data for whoever shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The best choice found; `None` if the game is over.
    pub choice: Option<Choice>,
    /// The margin at the end for the player to move, if both play as the analysis expects.
    pub margin: Margin,
    /// Whether the margin is more than an expectation.
    pub certainty: Certainty,
    /// The depth of the last iteration that was finished, in turns; 0 if none was.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Time used, by the clock that was handed in.
    pub time: Duration,
    /// The plies expected from here on, the best choice first; may be cut short.
    pub line: Vec<(Side, Choice)>,
}

/// How far a margin can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Some lines were cut off before the end and estimated.
    Estimate,
    /// Every line that matters was followed to the end of the game: this is the margin.
    Exact,
}
