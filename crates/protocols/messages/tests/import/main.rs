//! Import of the games that other programs have logged.

mod errors;
mod formats;
mod kgp;
mod random_game;
mod server_logs;

use kalah::{Game, Move};
use kalah_import::ImportedGames;

use random_game::random_game;

fn moves(game: &Game) -> Vec<Move> {
    game.plies().iter().map(|ply| ply.mv).collect()
}

/// Returns the only game of an import without errors.
fn only_game(imported: &ImportedGames) -> Game {
    assert_eq!(imported.errors, [], "{imported:?}");
    assert_eq!(imported.records.len(), 1, "{imported:?}");
    imported.records[0].game()
}
