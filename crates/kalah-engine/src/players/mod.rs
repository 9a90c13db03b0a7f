//! Computer players, from a fixed rule to the full engine.

mod level;
mod minimax;
mod simple;
mod smart;

pub use level::{LevelNumber, LevelPlayer};
pub use minimax::{MinimaxPlayer, MinimaxScore, MinimaxTree, TreeTooLarge};
pub use simple::{FirstMovePlayer, RandomPlayer};
pub use smart::{Decision, SmartPlayer};
