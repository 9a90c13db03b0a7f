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
pub use first::First;
pub use level::{Level, LevelNumber};
pub use limits::{Goal, Limits};
pub use minimax::Minimax;
pub use perft::perft;
pub use puzzle::{Puzzle, Puzzles};
pub use random::Random;
pub use report::{Bounds, Certainty, Report};
pub use review::{Accuracy, Outlook, Review, ReviewedPly, Verdict};
pub use shelf::Shelf;
pub use smart::{Decision, Smart};
pub use tree::{Tree, TreeTooLarge};
pub use worth::Worth;
