//! Export of game records, and its inverse, the import of the exported texts.

mod formats;
#[path = "../import/random_game.rs"]
mod random_game;
mod round_trip;

use kalah::record::Record;
use kalah::{Game, Rules};

/// A random game on the board of `OpenSpiel`.
fn open_spiel_game(picks: &[usize]) -> Game {
    random_game::random_game(6, 4, Rules::STANDARD, picks)
}

fn record(text: &str) -> Record {
    text.parse().expect("a record")
}
