//! Import and export of games, and their round trip.

mod episodes;
mod export_formats;
mod export_round_trip;
mod import_errors;
mod import_round_trip;
mod random_game;

use kalah::record::Record;
use kalah::{Game, Move, Rules};
use kalah_import::ImportedGames;

use random_game::random_game;

/// A random game on the board of `OpenSpiel`.
fn open_spiel_game(picks: &[usize]) -> Game {
    random_game(6, 4, Rules::STANDARD, picks)
}

fn record(text: &str) -> Record {
    text.parse().expect("a record")
}

fn moves(game: &Game) -> Vec<Move> {
    game.plies().iter().map(|ply| ply.mv).collect()
}

/// Returns the only game of an import without errors.
fn only_game(imported: &ImportedGames) -> Game {
    assert_eq!(imported.errors, [], "{imported:?}");
    assert_eq!(imported.records.len(), 1, "{imported:?}");
    imported.records[0].game()
}
