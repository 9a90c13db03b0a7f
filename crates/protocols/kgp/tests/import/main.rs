//! Import of the logs of clients and servers.

mod errors;
mod random_game;
mod server_logs;
mod transcripts;

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
