//! Players that do not look ahead.

use std::time::Duration;

use kalah::{Move, Player, Position};
use rand::SeedableRng;
use rand::seq::IteratorRandom as _;
use rand_pcg::Pcg64Mcg;

/// Sows the first legal house in sowing order, whichever side it plays.
#[derive(Clone, Debug)]
pub struct FirstMovePlayer {
    name: String,
}

impl FirstMovePlayer {
    /// A player of that name.
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

/// Makes any legal choice, each as likely as the others; equal seeds play equal games.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    name: String,
    rng: Pcg64Mcg,
}

impl RandomPlayer {
    /// A player of that name whose choices follow from `seed`.
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
