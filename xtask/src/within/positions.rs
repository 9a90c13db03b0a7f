use std::time::Duration;

use kalah::{Player, Position, Rules, SetupError, Side};
use kalah_engine::{LevelNumber, LevelPlayer, RandomPlayer};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// Levels that play: the strongest of those that look at no clock.
const LEVELS: std::ops::RangeInclusive<u8> = 3..=9;

/// Before they do, up to so many plies are random, so that no two games are alike.
const MAX_RANDOM_PLIES: usize = 3;

/// Games one after the other that may bring nothing new: on tiny boards there are not so many positions.
const MAX_GAMES_WITHOUT_NEW_POSITION: u64 = 1_000;

/// Different positions that play reaches: the start, and one of each of many games between players of
/// several levels, always the same. There is a choice in each of them. Early plies, which are
/// harder to see through, are about three times as likely as late ones.
pub(super) fn sample_positions(
    houses: u8,
    seeds: u64,
    rules: Rules,
    count: usize,
) -> Result<Vec<Position>, SetupError> {
    let start = Position::start(houses, seeds, rules)?;
    let mut generator = Pcg64Mcg::seed_from_u64(seeds);
    let mut positions = Vec::new();
    let (mut seed, mut last_new) = (0, 0);
    while positions.len() < count && seed - last_new < MAX_GAMES_WITHOUT_NEW_POSITION {
        let candidate = if seed == 0 {
            Some(start.clone())
        } else {
            let played = play_game(&start, seed, &mut generator);
            let plies = played.len();
            let ply = (0..2).map(|_| generator.random_range(0..plies)).min();
            ply.and_then(|ply| played.into_iter().nth(ply))
        };
        let candidate = candidate.filter(|position| position.legal_moves().nth(1).is_some());
        if let Some(position) = candidate.filter(|position| !positions.contains(position)) {
            positions.push(position);
            last_new = seed;
        }
        seed += 1;
    }
    Ok(positions)
}

/// The positions of a game, from the start on.
fn play_game(start: &Position, seed: u64, generator: &mut Pcg64Mcg) -> Vec<Position> {
    let mut level = |seed| {
        let number = LevelNumber::new(generator.random_range(LEVELS)).unwrap_or(LevelNumber::MIN);
        LevelPlayer::new("level", number, seed, || Duration::ZERO)
    };
    let (mut south, mut north) = (level(seed), level(!seed));
    let mut random = RandomPlayer::new("random", seed);
    let random_plies = generator.random_range(0..=MAX_RANDOM_PLIES);
    let mut position = start.clone();
    let mut positions = vec![position.clone()];
    loop {
        let player: &mut dyn Player = if positions.len() <= random_plies {
            &mut random
        } else if position.to_move() == Side::South {
            &mut south
        } else {
            &mut north
        };
        let mv = player.choose_move(&position, Duration::ZERO);
        let went_on = mv.is_some_and(|mv| position.play(mv).is_ok());
        if !went_on || position.is_over() {
            return positions;
        }
        positions.push(position.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_differ_and_are_always_the_same() {
        let positions = sample_positions(4, 3, Rules::CS32, 20).unwrap();
        assert_eq!(positions.len(), 20);
        assert_eq!(positions[0], Position::start(4, 3, Rules::CS32).unwrap());
        for (index, position) in positions.iter().enumerate() {
            assert!(position.legal_moves().count() > 1, "{position}");
            assert!(!positions[..index].contains(position), "{position} twice");
        }
        assert_eq!(sample_positions(4, 3, Rules::CS32, 20).unwrap(), positions);
    }

    #[test]
    fn a_tiny_board_has_few() {
        let positions = sample_positions(2, 1, Rules::STANDARD, 1_000).unwrap();
        assert!((1..20).contains(&positions.len()), "{}", positions.len());
    }
}
