//! Errors of the store of games.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::model::GameId;
use crate::room::RoomCode;
use crate::shared::SharedId;

/// The error of an operation on the store. The operation had no effect, except as described at
/// [`GameStoreError::Closed`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GameStoreError {
    /// No game has this id.
    #[error("there is no game {0}")]
    GameNotFound(GameId),
    /// No room has this code.
    #[error("there is no room {0}")]
    RoomNotFound(RoomCode),
    /// No shared record has this id.
    #[error("there is no shared game {0}")]
    SharedNotFound(SharedId),
    /// `SQLite` failed, for example because the disk is full.
    #[error("database error: {0}")]
    Database(String),
    /// The store was closed or failed. The last write may or may not be on disk.
    #[error("the store of games is closed")]
    Closed,
}

impl From<rusqlite::Error> for GameStoreError {
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
    Temporary(io::Error),
    /// The writer thread cannot be started.
    #[error("cannot start the writer thread: {0}")]
    Thread(io::Error),
}

/// The error of opening the games of a folder for a command. All files are unchanged.
#[derive(Debug, Error)]
pub enum OpenGamesError {
    /// The folder does not exist.
    #[error("there is no folder '{}'", .0.display())]
    NoFolder(PathBuf),
    /// The folder has no database.
    #[error("there are no games in '{}'", .0.display())]
    NoGames(PathBuf),
    /// The folder cannot be locked.
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
    Temporary(io::Error),
}

/// The reason why a database file cannot be used. The file is unchanged.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// The file is not a database.
    #[error("is not a database of games")]
    NotADatabase,
    /// The file is a database of another program.
    #[error("is a database of another program")]
    Foreign,
    /// The database was made by a later version of this program.
    #[error(
        "has version {found}, made by a later version of Kalah; this one supports versions up to {known}"
    )]
    Newer {
        /// The version of the file.
        found: i32,
        /// The latest version that this program supports.
        known: i32,
    },
    /// The database cannot be read or migrated.
    #[error("cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
}

/// The error of a system without a folder for application data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this system has no folder for application data")]
pub struct NoDataFolderError;

/// The error of locking a data folder.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another server uses the folder.
    #[error("another server uses the folder '{}'", .0.display())]
    InUse(PathBuf),
    /// The path is a file.
    #[error("'{}' is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The file system of the folder has no locks, so another server could write the games, too,
    /// and each would destroy the plies of the other.
    #[error(
        "the folder '{}' is on a file system without locks ({reason}), where two servers could \
         write it at once and lose games; choose a folder on a local disk",
        folder.display()
    )]
    NoLocks {
        /// The folder.
        folder: PathBuf,
        /// The reason of the system.
        reason: io::Error,
    },
    /// The folder cannot be created or written.
    #[error("cannot use the folder '{}': {reason}", folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        reason: io::Error,
    },
}

/// The error of a backup. An existing file is unchanged.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The folder contains no games.
    #[error("there are no games in '{}'", .0.display())]
    NoGames(PathBuf),
    /// The database cannot be used.
    #[error("'{}' {reason}", file.display())]
    Schema {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: SchemaError,
    },
    /// The target lies in the data folder, whose files must not be replaced.
    #[error("'{}' is in the folder of the games: choose a file in another folder", .0.display())]
    InsideDataFolder(PathBuf),
    /// The target is a folder.
    #[error("'{}' is a folder: choose a file in it", .0.display())]
    IsFolder(PathBuf),
    /// The copy failed.
    #[error("cannot copy the games: {0}")]
    Copy(#[from] rusqlite::Error),
    /// The copy is damaged, and so is the database.
    #[error("the copy of the games is damaged: {0}")]
    Damaged(String),
    /// The target cannot be written.
    #[error("cannot write '{}': {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: io::Error,
    },
}
