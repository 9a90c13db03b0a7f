//! Errors of the store of games.

use std::path::PathBuf;

use thiserror::Error;

use crate::games::friend_game::DamagedGameError;
use crate::games::ids::GameId;
use crate::games::store::folder::LockError;
use crate::games::store::schema::SchemaError;

/// The error of an operation on the store. The operation had no effect, except as described at
/// [`StoreError::Closed`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StoreError {
    /// No game has this id.
    #[error("there is no game {0}")]
    GameNotFound(GameId),
    /// A stored game is invalid.
    #[error("game {id} is damaged: {reason}")]
    Damaged {
        /// The id.
        id: GameId,
        /// The reason.
        reason: DamagedGameError,
    },
    /// `SQLite` failed, for example because the disk is full.
    #[error("database error: {0}")]
    Database(String),
    /// The store was closed or failed. The last write may or may not be on disk.
    #[error("the store of games is closed")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

/// The error of opening the store. The database file is unchanged.
#[derive(Debug, Error)]
pub enum OpenStoreError {
    /// The data folder cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database file cannot be used.
    #[error("'{}' {reason}", file.display())]
    Schema {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: SchemaError,
    },
    /// No temporary folder can be created.
    #[error("cannot create a temporary folder: {0}")]
    Temporary(std::io::Error),
    /// The writer thread cannot be started.
    #[error("cannot start the writer thread: {0}")]
    Thread(std::io::Error),
}
