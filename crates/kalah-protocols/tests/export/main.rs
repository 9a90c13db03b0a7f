//! Export of game records, and its inverse, the import of the exported texts.

mod formats;
mod round_trip;

use kalah::record::Record;
use kalah::{Game, Move, Position, Rules};

/// A game in which each pick selects one of the legal moves of its ply.
fn random_game(picks: &[usize]) -> Game {
    let mut game = Game::new(Position::start(6, 4, Rules::STANDARD).expect("a start"));
    for pick in picks {
        let moves: Vec<Move> = game.position().legal_moves().collect();
        if moves.is_empty() {
            break;
        }
        game.play(moves[pick % moves.len()]).expect("it is legal");
    }
    game
}

fn record(text: &str) -> Record {
    text.parse().expect("a record")
}
