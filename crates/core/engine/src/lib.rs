//! Search, analysis and computer players for Kalah.
//!
//! The crate never reads a clock, never prints, and starts no more threads than it is given:
//! callers pass a clock as a closure that returns the time since any fixed moment.

mod analysis;
mod board;
mod endgame_tables;
mod evaluation;
mod goal_search;
mod players;
mod puzzle;
mod review;
mod search;
mod tt;

pub use analysis::{
    AnalysisGoal, Bounds, Certainty, Engine, Estimates, Limits, MoveReport, Report, ResultChances,
    ResultModel,
};
pub use endgame_tables::TableCache;
pub use evaluation::{Network, NetworkError};
pub use goal_search::{GoalEngine, GoalResources, GoalResult, GoalSearcher};
pub use players::{
    Decision, FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, MinimaxScore, MinimaxTree,
    RandomPlayer, SmartPlayer, TreeTooLarge,
};
pub use puzzle::{
    NoPuzzle, ParsePuzzleThemeError, Puzzle, PuzzleFeatures, PuzzleGenerator, PuzzleRating,
    PuzzleTheme,
};
pub use review::{
    Accuracy, Commentary, GamePhase, GameValue, GradeCounts, LevelEstimate, MarginEstimate,
    MoveGrade, PhaseAccuracy, PlyCosts, Reason, Review, ReviewedPly,
};
pub use search::proof_cost::ProofCostModel;
pub use search::proof_numbers::ProofNumbers;
pub use search::shared_entries::{SharedEntry, SharedEntryError};
