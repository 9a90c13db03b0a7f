//! What a player may take for one move.

use std::time::Duration;

use kalah::Position;
use kalah_protocols::uki::Go;

use crate::time_management::time_for_move;

/// The limits of a player for one move.
#[derive(Clone, Copy, Debug)]
pub struct MoveLimits {
    /// The limits as the engine protocol sends them.
    pub go: Go,
    /// The time after which the player has lost, apart from a grace period; `None` without a clock.
    pub time: Option<Duration>,
    /// The time after which the player counts as stalled.
    pub timeout: Duration,
}

impl MoveLimits {
    /// Returns the time for this move for players that manage no clock of their own; `None` is unlimited.
    pub fn time_for_move(&self, position: &Position) -> Option<Duration> {
        match self.go.clocks {
            Some(_) => time_for_move(&self.go, position, true),
            None => self.time,
        }
    }
}
