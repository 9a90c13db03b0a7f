//! Games of the engine against itself from random openings.

use std::sync::Arc;
use std::time::Duration;

use kalah::{Gain, Move, Position, Rules, Side};
use kalah_engine::{Engine, Limits, Network, Report};
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::sample::Sample;

/// The settings that all games have in common.
pub(super) struct GameSettings {
    pub(super) network: Arc<Network>,
    /// Nodes of the search of each position.
    pub(super) nodes: u64,
    /// Seed of all random choices.
    pub(super) seed: u64,
}

/// Boards that people play, as houses a side and seeds in each.
const COMMON_BOARDS: [(u8, u64); 12] = [
    (6, 4),
    (6, 5),
    (6, 6),
    (5, 5),
    (5, 8),
    (7, 7),
    (8, 3),
    (8, 8),
    (10, 10),
    (12, 12),
    (14, 3),
    (6, 4),
];

/// The share of games on them. Others have up to 14 houses a side, and a few more.
const COMMON_BOARD_RATE: f64 = 0.6;
const LARGE_BOARD_RATE: f64 = 0.05;

/// The rules of the games: the first two plies alone tell `mankalah` from `standard`.
const RULES: [Rules; 4] = [
    Rules::CS32,
    Rules::STANDARD,
    Rules::STANDARD,
    Rules::EMPTY_CAPTURE,
];

/// The probability of a random move in place of the engine's.
const RANDOM_MOVE_RATE: f64 = 0.05;

/// The probability that a position also yields a sample of a position a few random plies later, as
/// a search meets it, and the greatest number of these plies.
const SIDE_LINE_RATE: f64 = 0.5;
const MAX_SIDE_LINE_PLIES: u32 = 4;

/// Memory of the engine in bytes.
const MEMORY_BYTES: usize = 32 << 20;

impl GameSettings {
    /// Plays the game of this number and returns its samples. Equal settings and numbers yield
    /// equal games.
    pub(super) fn play(&self, game: u64) -> Vec<Sample> {
        let mut random = Pcg64::seed_from_u64(self.seed.wrapping_mul(1 << 32).wrapping_add(game));
        let mut engine = Engine::new()
            .with_memory(MEMORY_BYTES)
            .with_network(Arc::clone(&self.network));
        let mut position = random_opening(&mut random);
        let mut played = Vec::new();
        let mut side_lines = Vec::new();
        while !position.is_over() {
            let report = self.search(&mut engine, &position);
            if random.random_bool(SIDE_LINE_RATE)
                && let Some(end) = side_line(&position, &mut random)
            {
                let report = self.search(&mut engine, &end);
                side_lines.push(sample(&end, &report));
            }
            let best = report
                .best_move
                .filter(|_| !random.random_bool(RANDOM_MOVE_RATE));
            let mv = best.or_else(|| random_move(&position, &mut random));
            played.push(sample(&position, &report));
            play(
                &mut position,
                mv.expect("a game that is not over has a move"),
            );
        }
        let end = south_lead(&position);
        for sample in &mut played {
            let gain = end - south_lead(&sample.position);
            let gain = match sample.position.to_move() {
                Side::South => gain,
                Side::North => -gain,
            };
            sample.result = Some(Gain::new(gain));
        }
        played.append(&mut side_lines);
        played
    }

    fn search(&self, engine: &mut Engine, position: &Position) -> Report {
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        engine.analyze(position, limits, &|| Duration::ZERO)
    }
}

/// Returns the sample of a position that does not occur in a game.
fn sample(position: &Position, report: &Report) -> Sample {
    Sample {
        score: position.gain(report.raw_margin),
        is_proven: report.bounds.is_exact(),
        result: None,
        position: position.clone(),
    }
}

/// Returns a position after up to three random plies for each house of a side.
fn random_opening(random: &mut Pcg64) -> Position {
    let (houses, seeds) = if random.random_bool(COMMON_BOARD_RATE) {
        *COMMON_BOARDS.choose(random).expect("there are boards")
    } else if random.random_bool(LARGE_BOARD_RATE) {
        (random.random_range(1..=26), random.random_range(1..=8))
    } else {
        (random.random_range(2..=14), random.random_range(1..=12))
    };
    let rules = *RULES.choose(random).expect("there are rules");
    let mut position = Position::start(houses, seeds, rules).expect("the board is valid");
    for _ in 0..random.random_range(0..=3 * u32::from(houses)) {
        match random_move(&position, random) {
            Some(mv) => play(&mut position, mv),
            None => break,
        }
    }
    position
}

/// Returns the position after a few random plies, unless the game is over then.
fn side_line(position: &Position, random: &mut Pcg64) -> Option<Position> {
    let mut end = position.clone();
    for _ in 0..random.random_range(1..=MAX_SIDE_LINE_PLIES) {
        let mv = random_move(&end, random)?;
        play(&mut end, mv);
    }
    (!end.is_over()).then_some(end)
}

pub(crate) fn random_move(position: &Position, random: &mut Pcg64) -> Option<Move> {
    position.legal_moves().choose(random)
}

pub(crate) fn play(position: &mut Position, mv: Move) {
    position.play(mv).expect("only legal moves are chosen");
}

/// Returns South's lead.
pub(crate) fn south_lead(position: &Position) -> i32 {
    let lead = position.lead().seeds();
    match position.to_move() {
        Side::South => lead,
        Side::North => -lead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> GameSettings {
        GameSettings {
            network: Arc::new(Network::embedded()),
            nodes: 10,
            seed: 7,
        }
    }

    fn bytes_of(game: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for sample in settings().play(game) {
            sample.encode(&mut bytes);
        }
        bytes
    }

    #[test]
    fn equal_numbers_yield_equal_games() {
        let games: Vec<_> = (0..8).map(bytes_of).collect();
        assert_eq!(games, (0..8).map(bytes_of).collect::<Vec<_>>());
        assert_ne!(games[0], games[1]);
    }

    #[test]
    fn results_are_the_gains_of_the_whole_game() {
        for game in 0..8 {
            let samples = settings().play(game);
            let played = samples.iter().filter_map(|sample| {
                let lead = south_lead(&sample.position);
                let gain = sample.result?.seeds();
                Some(match sample.position.to_move() {
                    Side::South => lead + gain,
                    Side::North => lead - gain,
                })
            });
            let ends: Vec<i32> = played.collect();
            assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{ends:?}");
        }
    }

    #[test]
    fn samples_have_64_bytes_that_begin_with_the_houses() {
        let samples = settings().play(3);
        let bytes = bytes_of(3);
        assert_eq!(bytes.len(), 64 * samples.len());
        let (encoded, _) = bytes.as_chunks::<64>();
        for (sample, bytes) in samples.iter().zip(encoded) {
            assert_eq!(bytes[0], sample.position.houses());
            let seeds: u32 = bytes[12..].iter().map(|&seeds| u32::from(seeds)).sum();
            assert_eq!(seeds, u32::from(sample.position.seeds_in_play()));
        }
    }
}
