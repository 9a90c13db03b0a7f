use crate::games::{GameId, GameState, StoredGame, Timestamp};

/// Something that the store is to keep, all of it or nothing.
#[derive(Clone, Debug)]
pub enum GameWrite {
    /// A new game.
    NewGame(Box<StoredGame>),
    /// One more ply of a game, and how the game stands after it.
    Ply {
        /// Which game.
        game: GameId,
        /// Which ply, from 1. A game has one ply of a number, whoever asks for another.
        number: usize,
        /// What was chosen, as text.
        mv: String,
        /// How the game stands now.
        state: Box<GameState>,
    },
    /// How a game stands, its plies being as they were.
    State {
        /// Which game.
        game: GameId,
        /// How it stands now.
        state: Box<GameState>,
    },
    /// Another game between the same people, and how the first one stands now that it names the other.
    Rematch {
        /// The first game.
        game: GameId,
        /// How that stands.
        state: Box<GameState>,
        /// The other one.
        other: Box<StoredGame>,
    },
    /// These games are not to be kept any longer.
    Delete(Vec<GameId>),
    /// The server is running.
    Heartbeat(Timestamp),
}
