//! Changes of stored games by the operator of a server, while no server runs: ends, names, and
//! deletions.

use kalah::{ByPlayer, PlayerId};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use thiserror::Error;

use crate::clock::Timestamp;
use crate::error::{GameStoreError, OpenGamesError, SchemaError};
use crate::folder::{DataFolder, FolderLock};
use crate::listing::{FindGameError, GameIdPrefix, find_game};
use crate::model::{GameId, GameState, StoredEnding, StoredGame};
use crate::name::PlayerName;
use crate::openings;
use crate::sql::{self, BUSY_TIMEOUT};

/// The stored games of a data folder for changes. The folder is locked for servers until this is
/// dropped. Each method changes all games that it names, or none.
#[derive(Debug)]
pub struct GameEditor {
    connection: Connection,
    _lock: FolderLock,
}

/// The reason why games are not changed. All of them are as before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EditGamesError {
    /// A game that should end has ended.
    #[error("the game {0} has ended already")]
    Ended(GameId),
    /// A game does not exist, or the database cannot be read or written.
    #[error(transparent)]
    Store(#[from] GameStoreError),
}

impl From<rusqlite::Error> for EditGamesError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A change of the name of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameChange {
    /// The name stays.
    Keep,
    /// The name is removed.
    Remove,
    /// This is the name.
    Set(PlayerName),
}

impl GameEditor {
    /// Locks `folder` and opens its games. An older database is migrated, as a server does it.
    ///
    /// # Errors
    /// There is no folder or no database, another process uses it, or it cannot be used. Nothing is
    /// created.
    pub fn open(folder: &DataFolder) -> Result<Self, OpenGamesError> {
        folder.check_games()?;
        let lock = folder.lock()?;
        let connection = connect(folder).map_err(|error| folder.schema_error(error))?;
        Ok(Self {
            connection,
            _lock: lock,
        })
    }

    /// Returns the game whose id begins with a text.
    ///
    /// # Errors
    /// No id begins so, or several do.
    pub fn find(&self, prefix: &GameIdPrefix) -> Result<GameId, FindGameError> {
        find_game(&self.connection, prefix)
    }

    /// Loads a game.
    ///
    /// # Errors
    /// Returns [`GameStoreError::GameNotFound`], or another error if the game cannot be read.
    pub fn load(&self, id: GameId) -> Result<StoredGame, GameStoreError> {
        load(&self.connection, id)
    }

    /// Ends games at `now`, and stops their clocks. As everywhere, no time of a clock runs while no
    /// server runs. Returns the games after the change.
    ///
    /// # Errors
    /// One of the games has ended or cannot be read, or the changes cannot be written.
    pub fn end(
        &mut self,
        games: &[GameId],
        ending: StoredEnding,
        now: Timestamp,
    ) -> Result<Vec<StoredGame>, EditGamesError> {
        let transaction = self.begin()?;
        sql::skip_downtime(&transaction, now)?;
        sql::upsert_heartbeat(&transaction, now)?;
        let end = |&id: &GameId| {
            let mut game = load(&transaction, id)?;
            if game.state.ending.is_some() {
                return Err(EditGamesError::Ended(id));
            }
            game.state.finish(ending, now);
            sql::update_state(&transaction, id, &game.state)?;
            openings::count_game(&transaction, id)?;
            Ok(game)
        };
        let ended = games.iter().map(end).collect::<Result<_, _>>()?;
        transaction.commit()?;
        Ok(ended)
    }

    /// Changes or removes names of the players of a game, by the sides on which they started.
    /// Returns the game after the change.
    ///
    /// # Errors
    /// The game cannot be read, or the change cannot be written.
    pub fn rename(
        &mut self,
        id: GameId,
        names: &ByPlayer<NameChange>,
        now: Timestamp,
    ) -> Result<StoredGame, EditGamesError> {
        let transaction = self.begin()?;
        let mut game = load(&transaction, id)?;
        for player in PlayerId::ALL {
            game.state.names[player] = match &names[player] {
                NameChange::Keep => continue,
                NameChange::Remove => None,
                NameChange::Set(name) => Some(name.clone()),
            };
        }
        game.state.changed_at = now;
        sql::update_state(&transaction, id, &game.state)?;
        transaction.commit()?;
        Ok(game)
    }

    /// Deletes games, also unreadable ones.
    ///
    /// # Errors
    /// One of the games does not exist, or the change cannot be written.
    pub fn delete(&mut self, games: &[GameId]) -> Result<(), EditGamesError> {
        let transaction = self.begin()?;
        for &id in games {
            sql::delete(&transaction, id)?;
            if transaction.changes() == 0 {
                return Err(GameStoreError::GameNotFound(id).into());
            }
        }
        transaction.commit()?;
        Ok(())
    }

    fn begin(&mut self) -> Result<Transaction<'_>, rusqlite::Error> {
        (self.connection).transaction_with_behavior(TransactionBehavior::Immediate)
    }
}

fn connect(folder: &DataFolder) -> Result<Connection, SchemaError> {
    let mut connection = Connection::open(folder.database())?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    sql::migrate(&mut connection)?;
    Ok(connection)
}

fn load(connection: &Connection, id: GameId) -> Result<StoredGame, GameStoreError> {
    sql::load_game(connection, id)?.ok_or(GameStoreError::GameNotFound(id))
}

impl GameState {
    /// Ends the game at `now`: an offer of a takeback is void, and the clock stops.
    pub fn finish(&mut self, ending: StoredEnding, now: Timestamp) {
        self.ending = Some(ending);
        self.takeback = None;
        self.is_paused = false;
        self.changed_at = now;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
    }
}

#[cfg(test)]
mod tests;
