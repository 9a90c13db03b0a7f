//! Computer players for Kalah: the players of the source documents, and a search.
//!
//! Nothing here reads a clock, prints, or starts more threads than it is told to: a clock is handed in as a
//! closure that tells the time since any fixed moment.

mod analysis;
mod any_houses;
mod busy;
mod child;
mod endgames;
mod engine;
mod evaluation;
mod first;
mod found;
mod houses;
mod job;
mod key;
mod level;
mod limits;
mod line;
mod minimax;
mod packed;
mod pages;
mod perft;
mod proof_memory;
mod proof_numbers;
mod puzzle;
mod random;
mod report;
mod review;
mod search;
mod shelf;
mod smart;
mod sowings;
mod stop;
mod tie_break;
mod transposition;
mod tree;
mod word;
mod worth;

pub use engine::Engine;
pub use first::FirstMovePlayer;
pub use level::{LevelNumber, LevelPlayer};
pub use limits::{Goal, Limits};
pub use minimax::MinimaxPlayer;
pub use perft::perft;
pub use puzzle::{Puzzle, PuzzleGenerator};
pub use random::RandomPlayer;
pub use report::{Bounds, Certainty, Report};
pub use review::{Accuracy, GameValue, MarginEstimate, Review, ReviewedPly};
pub use shelf::TableCache;
pub use smart::{Decision, SmartPlayer};
pub use tree::{MinimaxTree, TreeTooLarge};
pub use worth::MinimaxScore;
