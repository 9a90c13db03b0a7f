//! Computer players, from a fixed rule to the full engine. This file holds those that do not
//! search.

mod level;
mod minimax;
mod smart;

use std::time::Duration;

use kalah::{Move, Player, Position};
use rand::SeedableRng;
use rand::seq::IteratorRandom as _;
use rand_pcg::Pcg64Mcg;

pub use level::{LevelNumber, LevelPlayer};
pub(crate) use minimax::minimax_move;
pub use minimax::{MinimaxPlayer, MinimaxScore, MinimaxTree, TreeTooLarge};
pub use smart::{Decision, SmartPlayer};

/// A player that sows its first legal house in sowing order.
#[derive(Clone, Debug)]
pub struct FirstMovePlayer {
    name: String,
}

impl FirstMovePlayer {
    /// Creates a player with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Player for FirstMovePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
        position.legal_moves().next()
    }
}

/// A player that makes every legal move with the same probability. Equal seeds give equal games.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    name: String,
    rng: Pcg64Mcg,
}

impl RandomPlayer {
    /// Creates a player whose moves follow from `seed`.
    pub fn new(name: impl Into<String>, seed: u64) -> Self {
        Self {
            name: name.into(),
            rng: Pcg64Mcg::seed_from_u64(seed),
        }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
        position.legal_moves().choose(&mut self.rng)
    }
}
