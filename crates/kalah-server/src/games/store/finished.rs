//! Finished games from elsewhere, kept beside those between friends.

use kalah::{ByPlayer, Ending, Game};

use crate::games::clock::Timestamp;
use crate::games::ids::{GameId, PlayerToken};
use crate::games::model::{GameState, GameWrite, StoredEnding, StoredGame};
use crate::games::store::error::{OpenStoreError, StoreError};
use crate::games::store::folder::DataFolder;
use crate::games::store::game_store::GameStore;

/// A store of games that were played elsewhere, for example on a KGP server. A server on the same
/// folder shows and reviews them under their ids. Their tokens are random and discarded.
///
/// The data folder is locked for other servers until this is dropped.
#[derive(Debug)]
pub struct FinishedGameStore(GameStore);

impl FinishedGameStore {
    /// Opens the games in `folder`, like [`GameStore::open`].
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub fn open(folder: &DataFolder, now: Timestamp) -> Result<Self, OpenStoreError> {
        GameStore::open(folder, now, Box::new(|_, _| {})).map(Self)
    }

    /// Saves a finished game and returns its id after it is on disk. Blocks, so it must not be
    /// called in asynchronous code.
    ///
    /// # Errors
    /// Returns an error if the game cannot be written.
    pub fn save(&self, game: &Game, ending: Ending, now: Timestamp) -> Result<GameId, StoreError> {
        let plies = game.plies().iter();
        let stored = StoredGame {
            id: GameId::random(),
            created: now,
            rules: game.start().rules().to_string(),
            start: game.start().to_string(),
            tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
            plies: plies.map(|ply| ply.mv.text(ply.side)).collect(),
            state: GameState {
                ending: Some(StoredEnding {
                    termination: ending.termination,
                    winner: ending.winner,
                }),
                joined: ByPlayer::new(true, true),
                ..GameState::new(now, None)
            },
        };
        let id = stored.id;
        self.0
            .write_blocking(GameWrite::NewGame(Box::new(stored)))?;
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use kalah::{House, Move, Position, Rules, Side, Termination};

    use super::*;
    use crate::games::friend_game::FriendGame;

    #[test]
    fn saved_game_is_loaded_as_finished() {
        let directory = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::new(directory.path());
        let now = Timestamp::from_millis(5);
        let games = FinishedGameStore::open(&folder, now).expect("a new store");
        assert!(FinishedGameStore::open(&folder, now).is_err());
        let mut game = Game::new(Position::start(6, 4, Rules::STANDARD).expect("a start"));
        let house = House::new(1).expect("from 1 to 26");
        game.play(Move::Sow(house)).expect("it has seeds");
        let ending = Ending {
            termination: Termination::Illegal,
            winner: Some(Side::South),
            outcome: None,
        };
        let id = games.save(&game, ending, now).expect("a stored game");
        drop(games);

        let store = GameStore::open(&folder, now, Box::new(|_, _| {})).expect("an open store");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let stored = runtime.block_on(store.load(id)).expect("a stored game");
        let loaded = FriendGame::from_stored(&stored).expect("a game");
        assert_eq!(loaded.game(), &game);
        assert_eq!(loaded.player_to_move(), None);
        let ending = loaded.state().ending.expect("an ending");
        assert_eq!(
            (ending.termination, ending.winner),
            (ending.termination, ending.winner)
        );
    }
}
