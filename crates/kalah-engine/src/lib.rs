//! Computer players for Kalah: the players of the source documents, and a search.
//!
//! Nothing here reads a clock, prints, or starts a thread by itself: a clock is handed in as a
//! closure that tells the time since any fixed moment.

mod any_houses;
mod endgames;
mod engine;
mod evaluation;
mod first;
mod houses;
mod key;
mod limits;
mod minimax;
mod packed;
mod pages;
mod perft;
mod prefetch;
mod random;
mod report;
mod search;
mod smart;
mod sowings;
mod stop;
mod transposition;
mod tree;
mod word;
mod worth;

pub use engine::Engine;
pub use first::First;
pub use limits::Limits;
pub use minimax::Minimax;
pub use perft::perft;
pub use random::Random;
pub use report::{Certainty, Report};
pub use smart::Smart;
pub use tree::{Tree, TreeTooLarge};
pub use worth::Worth;
