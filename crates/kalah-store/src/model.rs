//! Games as the store keeps them, and the writes that change them.

use kalah::{ByPlayer, PlayerId, Side, Termination};

use crate::clock::{GameClock, Timestamp};
use crate::ids::{GameId, TokenHash};

/// A game as the store keeps it. Rules, position and moves are text, which later versions can
/// parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The id.
    pub id: GameId,
    /// The time of creation.
    pub created: Timestamp,
    /// The rules as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// The hashes of the players' tokens.
    pub tokens: ByPlayer<TokenHash>,
    /// The moves of all plies, as text.
    pub plies: Vec<String>,
    /// The state besides the plies.
    pub state: GameState,
}

/// The mutable state of a game besides its plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The time of the last change.
    pub changed_at: Timestamp,
    /// The clock, if the game has one.
    pub clock: Option<GameClock>,
    /// The players who have joined.
    pub joined: ByPlayer<bool>,
    /// The ending, after the end of the game.
    pub ending: Option<StoredEnding>,
    /// The players who requested a rematch.
    pub rematch_requested: ByPlayer<bool>,
    /// The rematch, once both players have requested it.
    pub rematch: Option<GameId>,
}

impl GameState {
    /// Returns the state of a new game.
    pub const fn new(created: Timestamp, clock: Option<GameClock>) -> Self {
        Self {
            changed_at: created,
            clock,
            joined: ByPlayer::new(false, false),
            ending: None,
            rematch_requested: ByPlayer::new(false, false),
            rematch: None,
        }
    }

    /// Returns the player who requested a rematch and waits for the opponent.
    pub fn rematch_offered_by(&self) -> Option<PlayerId> {
        if self.rematch.is_some() {
            return None;
        }
        PlayerId::ALL
            .into_iter()
            .find(|&player| self.rematch_requested[player])
    }
}

/// The ending of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEnding {
    /// The way the game ended.
    pub termination: Termination,
    /// The side that won, by the sides at the end; `None` for a tie.
    pub winner: Option<Side>,
}

/// A write to the store, applied completely or not at all.
#[derive(Clone, Debug)]
pub enum GameWrite {
    /// Insert a game.
    NewGame(Box<StoredGame>),
    /// Append a ply and update the state.
    Ply {
        /// The id.
        game: GameId,
        /// The number of the ply, counted from 1. The primary key rejects a second ply with the
        /// same number.
        number: usize,
        /// The move as text.
        mv: String,
        /// The state after the ply.
        state: Box<GameState>,
    },
    /// Update the state without a ply.
    State {
        /// The id.
        game: GameId,
        /// The new state.
        state: Box<GameState>,
    },
    /// Insert a rematch and update the state of the first game, which refers to it.
    Rematch {
        /// The id of the first game.
        game: GameId,
        /// The new state of the first game.
        state: Box<GameState>,
        /// The rematch.
        other: Box<StoredGame>,
    },
    /// Delete games.
    Delete(Vec<GameId>),
    /// Record that the server runs at this time.
    Heartbeat(Timestamp),
}
