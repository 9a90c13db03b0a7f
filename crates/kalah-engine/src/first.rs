use std::time::Duration;

use kalah::{Move, Player, Position};

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
