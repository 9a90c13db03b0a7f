//! Computer players for Kalah: the players of the source documents, and a search.
//!
//! Nothing here reads a clock, prints, or starts more threads than it is told to: a clock is handed in as a
//! closure that tells the time since any fixed moment.

mod analysis;
mod board;
mod endgame_tables;
mod engine;
mod limits;
mod players;
mod puzzle;
mod report;
mod review;
mod search;
mod tt;

pub use board::perft;
pub use endgame_tables::TableCache;
pub use engine::Engine;
pub use limits::{Goal, Limits};
pub use players::{
    Decision, FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, MinimaxScore, MinimaxTree,
    RandomPlayer, SmartPlayer, TreeTooLarge,
};
pub use puzzle::{Puzzle, PuzzleGenerator};
pub use report::{Bounds, Certainty, Report};
pub use review::{Accuracy, GameValue, MarginEstimate, Review, ReviewedPly};
