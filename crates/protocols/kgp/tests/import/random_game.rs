//! Random games.

use kalah::{Game, Move, Position, Rules};

/// A game in which each pick selects one of the legal moves of its ply.
pub(super) fn random_game(houses: u8, seeds: u64, rules: Rules, picks: &[usize]) -> Game {
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
