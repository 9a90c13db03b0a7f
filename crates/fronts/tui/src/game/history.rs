//! The games that are kept without being asked for.

use std::time::Duration;

use kalah::{ByPlayer, ClockSetting};

use super::session::GameSession;

/// The identifier of a kept game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptGameId(pub u64);

/// A game of the history.
#[derive(Clone, Debug)]
pub struct HistoryEntry {
    /// Its identifier; `None` for a game that can be opened, but neither continued nor deleted.
    pub id: Option<KeptGameId>,
    /// The date of the game, as in `2026-11-29`; empty if it is not known.
    pub date: String,
    /// The game and its players.
    pub session: GameSession,
    /// The clocks of an unfinished game.
    pub clock: Option<ClockTimes>,
    /// Whether the game is played in another window.
    pub is_in_use: bool,
}

/// The clocks of a game after a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockTimes {
    /// The setting, which both players have.
    pub setting: ClockSetting,
    /// The time that each player has left.
    pub remaining: ByPlayer<Duration>,
}

impl ClockTimes {
    /// Returns the clocks before the first ply.
    pub const fn new(setting: ClockSetting) -> Self {
        let initial = setting.initial();
        Self {
            setting,
            remaining: ByPlayer::new(initial, initial),
        }
    }
}
