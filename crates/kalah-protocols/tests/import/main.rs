//! Import of the games that other programs have logged.

mod episodes;
mod errors;
mod formats;
mod kgp;
mod round_trip;
mod server_logs;

use kalah::{Game, Move, Position, Rules};
use kalah_protocols::import::ImportedGames;

/// A game in which each pick selects one of the legal moves of its ply.
fn random_game(houses: u8, seeds: u64, rules: Rules, picks: &[usize]) -> Game {
    let mut game = Game::new(Position::start(houses, seeds, rules).expect("a start"));
    for pick in picks {
        let moves: Vec<Move> = game.position().legal_moves().collect();
        if moves.is_empty() {
            break;
        }
        game.play(moves[pick % moves.len()]).expect("it is legal");
    }
    game
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
