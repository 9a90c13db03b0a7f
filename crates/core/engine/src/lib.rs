//! Search, analysis and computer players for Kalah.
//!
//! The crate never reads a clock, never prints, and starts no more threads than it is given:
//! callers pass a clock as a closure that returns the time since any fixed moment.

mod analysis;
mod board;
mod endgame_tables;
mod engine;
mod goal_search;
mod limits;
mod lines;
mod move_estimates;
mod players;
mod puzzle;
mod report;
mod reporter;
mod request;
mod review;
mod search;
mod table_builder;
mod tt;

pub use endgame_tables::TableCache;
pub use engine::Engine;
pub use goal_search::{GoalEngine, GoalResources, GoalResult, GoalSearcher};
pub use limits::{AnalysisGoal, Estimates, Limits};
pub use players::{
    Decision, FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, MinimaxScore, MinimaxTree,
    RandomPlayer, SmartPlayer, TreeTooLarge,
};
pub use puzzle::{Puzzle, PuzzleFeatures, PuzzleGenerator, PuzzleRating};
pub use report::{Bounds, Certainty, MoveReport, Report};
pub use review::{
    Accuracy, GameValue, GradeCounts, MarginEstimate, MoveGrade, Review, ReviewedPly,
};
pub use search::proof_numbers::ProofNumbers;
