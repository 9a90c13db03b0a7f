//! Positions from random games.

use std::time::Duration;

use kalah::{Player, Position, Rules};
use kalah_engine::RandomPlayer;

/// Plays up to `plies` random plies from the start of a game and returns the position.
pub(crate) fn random_position(
    houses: u8,
    seeds: u64,
    rules: Rules,
    plies: u64,
    seed: u64,
) -> Position {
    let mut position = Position::start(houses, seeds, rules).unwrap();
    let mut random = RandomPlayer::new("Random", seed);
    for _ in 0..plies {
        let Some(mv) = random.choose_move(&position, Duration::ZERO) else {
            break;
        };
        position.play(mv).unwrap();
    }
    position
}
