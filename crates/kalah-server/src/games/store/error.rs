//! Errors of the store of games.

use std::path::PathBuf;

use thiserror::Error;

use crate::games::friend_game::DamagedGameError;
use crate::games::ids::GameId;
use crate::games::store::folder::LockError;
use crate::games::store::schema::SchemaError;

/// Why the store did not do what it was asked to. What was asked for has not been done, except as
/// [`StoreError::ClosedByServer`] says.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StoreError {
    /// There is no such game, or not any more.
    #[error("there is no game {0}")]
    GameNotFound(GameId),
    /// What was kept of a game is no game.
    #[error("game {id} is damaged: {reason}")]
    Damaged {
        /// Which game.
        id: GameId,
        /// Why it is none.
        reason: DamagedGameError,
    },
    /// The database said no: the disk is full, for example.
    #[error("the database: {0}")]
    Database(String),
    /// The store has been closed, or has failed; whether what was asked for last is done shows when
    /// it is opened again.
    #[error("the store of games is closed")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

/// Why the store cannot be opened. The file is as it was.
#[derive(Debug, Error)]
pub enum OpenStoreError {
    /// The folder cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file in it cannot be used.
    #[error("'{}' {reason}", file.display())]
    Schema {
        /// Which file.
        file: PathBuf,
        /// Why.
        reason: SchemaError,
    },
    /// No folder for games that are not kept longer than the server runs.
    #[error("cannot make a temporary folder: {0}")]
    Temporary(std::io::Error),
    /// No thread for it.
    #[error("cannot start the thread that keeps games: {0}")]
    Thread(std::io::Error),
}
