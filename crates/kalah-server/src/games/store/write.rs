use crate::games::{GameId, Moment, Saved, Standing};

/// Something that the store is to keep, all of it or nothing.
#[derive(Clone, Debug)]
pub enum Write {
    /// A new game.
    Game(Box<Saved>),
    /// One more ply of a game, and how the game stands after it.
    Ply {
        /// Which game.
        game: GameId,
        /// Which ply, from 1. A game has one ply of a number, whoever asks for another.
        number: usize,
        /// What was chosen, as text.
        choice: String,
        /// How the game stands now.
        standing: Box<Standing>,
    },
    /// How a game stands, its plies being as they were.
    Standing {
        /// Which game.
        game: GameId,
        /// How it stands now.
        standing: Box<Standing>,
    },
    /// Another game between the same people, and how the first one stands now that it names the other.
    Rematch {
        /// The first game.
        game: GameId,
        /// How that stands.
        standing: Box<Standing>,
        /// The other one.
        other: Box<Saved>,
    },
    /// These games are not to be kept any longer.
    Delete(Vec<GameId>),
    /// The server is running.
    Alive(Moment),
}
