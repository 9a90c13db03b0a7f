use kalah::{Side, Termination};

use crate::games::{ByPlayer, GameClock, GameId, PlayerId, Timestamp, TokenHash};

/// A game as it is kept: texts where the game's own text forms say it, so that a later version reads
/// them too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// Which game.
    pub id: GameId,
    /// When it was made.
    pub created: Timestamp,
    /// Its rules, as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// What is kept of each person's token.
    pub tokens: ByPlayer<TokenHash>,
    /// The choices made, as text, the first one first.
    pub plies: Vec<String>,
    /// What else changes as it is played.
    pub state: GameState,
}

/// What changes in a game as it is played, apart from its plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// When it changed last.
    pub changed_at: Timestamp,
    /// Its clock, if it has one.
    pub clock: Option<GameClock>,
    /// Which people have come to it.
    pub joined: ByPlayer<bool>,
    /// How it ended, once it has.
    pub ending: Option<StoredEnding>,
    /// Who has asked for another game.
    pub rematch_requested: ByPlayer<bool>,
    /// The other game, once both have asked for it.
    pub rematch: Option<GameId>,
}

impl GameState {
    /// That of a game to which nobody has come yet.
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

    /// The one person who has asked for another game and waits for the other.
    pub fn rematch_offered_by(&self) -> Option<PlayerId> {
        if self.rematch.is_some() {
            return None;
        }
        PlayerId::ALL
            .into_iter()
            .find(|&person| self.rematch_requested[person])
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEnding {
    /// In which way.
    pub termination: Termination,
    /// Who won as the people sat at the end; `None` for a tie.
    pub winner: Option<Side>,
}
