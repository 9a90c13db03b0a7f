//! Search, analysis and computer players for Kalah.
//!
//! The crate never reads a clock, never prints, and starts no more threads than it is given:
//! callers pass a clock as a closure that returns the time since any fixed moment.

mod analysis;
mod board;
mod endgame_tables;
mod engine;
mod limits;
mod players;
mod puzzle;
mod review;
mod search;
mod tt;

pub use analysis::{Bounds, Certainty, Report};
pub use board::perft;
pub use endgame_tables::TableCache;
pub use engine::Engine;
pub use limits::{Goal, Limits};
pub use players::{
    Decision, FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, MinimaxScore, MinimaxTree,
    RandomPlayer, SmartPlayer, TreeTooLarge,
};
pub use puzzle::{Puzzle, PuzzleGenerator};
pub use review::{Accuracy, GameValue, MarginEstimate, Review, ReviewedPly};
