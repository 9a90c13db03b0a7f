//! Plain mode: prompts for moves and prints games as lines of text.

mod input;
mod printer;
mod prompt;

pub use printer::{GamePrinter, print_game};
pub use prompt::{Echo, HumanPlayer};
