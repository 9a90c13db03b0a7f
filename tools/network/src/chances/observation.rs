//! Positions of games of the engine against itself with their estimates and results.

use std::cmp::Ordering;
use std::time::Duration;

use kalah::{Margin, Position, Rules, SeedCount, Side};
use kalah_engine::{Bounds, Engine, GameValue, Limits, ResultModel};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::samples::{play, random_move, south_lead};

/// The boards of the games, as houses a side and seeds in each.
pub(super) const BOARDS: [(u8, u64); 10] = [
    (4, 4),
    (5, 5),
    (6, 4),
    (8, 3),
    (6, 5),
    (6, 6),
    (5, 8),
    (8, 8),
    (10, 10),
    (12, 12),
];

const RULES: [Rules; 3] = [Rules::CS32, Rules::STANDARD, Rules::EMPTY_CAPTURE];

/// Memory of the engine in bytes.
const MEMORY_BYTES: usize = 32 << 20;

/// The estimate of a position whose result is not proven, and the result of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Observation {
    /// The index of the board in [`BOARDS`].
    pub(super) board: usize,
    seeds_in_play: SeedCount,
    estimate: Margin,
    bounds: Bounds,
    /// The result for the side to move: greater for a win, and less for a loss.
    result: Ordering,
}

impl Observation {
    /// Returns the probabilities of a win and of a loss by `model`.
    pub(super) fn win_and_loss(&self, model: ResultModel) -> [f64; 2] {
        let (houses, _) = BOARDS[self.board];
        let scale = model.error_scale(houses, self.seeds_in_play);
        model.win_and_loss(self.estimate, self.bounds, scale)
    }

    /// Returns the probability of the result by `model`.
    pub(super) fn likelihood(&self, model: ResultModel) -> f64 {
        let [win, loss] = self.win_and_loss(model);
        match self.result {
            Ordering::Greater => win,
            Ordering::Equal => 1.0 - win - loss,
            Ordering::Less => loss,
        }
    }

    pub(super) fn is_win(&self) -> bool {
        self.result == Ordering::Greater
    }
}

/// Plays the game of this number and returns the observations of its positions. Equal arguments
/// yield equal games.
pub(super) fn play_game(seed: u64, game: u64, nodes: u64) -> Vec<Observation> {
    let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(1 << 32).wrapping_add(game));
    let mut engine = Engine::new().with_memory(MEMORY_BYTES);
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let board = random.random_range(0..BOARDS.len());
    let mut position = random_opening(board, &mut random);
    let mut observations = Vec::new();
    while !position.is_over() {
        let report = engine.analyze(&position, limits, &|| Duration::ZERO);
        if GameValue::from_bounds(report.bounds).is_none() {
            let observation = Observation {
                board,
                seeds_in_play: position.seeds_in_play(),
                estimate: report.margin(),
                bounds: report.bounds,
                result: Ordering::Equal,
            };
            observations.push((position.to_move(), observation));
        }
        let best = report.best_move;
        play(
            &mut position,
            best.expect("a game that is not over has a move"),
        );
    }
    let south = south_lead(&position).cmp(&0);
    let with_result = |(side, observation): (Side, Observation)| Observation {
        result: match side {
            Side::South => south,
            Side::North => south.reverse(),
        },
        ..observation
    };
    observations.into_iter().map(with_result).collect()
}

/// Returns a position after up to three random plies for each house of a side.
fn random_opening(board: usize, random: &mut Pcg64) -> Position {
    let (houses, seeds) = BOARDS[board];
    let rules = *RULES.choose(random).expect("there are rules");
    let mut position = Position::start(houses, seeds, rules).expect("the board is valid");
    for _ in 0..random.random_range(2..=3 * u32::from(houses)) {
        if let Some(mv) = random_move(&position, random) {
            play(&mut position, mv);
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_yield_equal_games() {
        let games: Vec<_> = (0..6).map(|game| play_game(1, game, 20)).collect();
        assert_eq!(
            games,
            (0..6)
                .map(|game| play_game(1, game, 20))
                .collect::<Vec<_>>()
        );
        assert_ne!(games[0], games[1]);
    }
}
