//! The errors of proof stores.

use std::io;
use std::path::{Path, PathBuf};

use kalah_tables::TableDamage;
use rusqlite::ErrorCode;
use thiserror::Error;

/// The reason why a proof store cannot be created, opened or written.
#[derive(Debug, Error)]
pub enum ProofStoreError {
    /// There is no file.
    #[error("there is no proof store '{}'", .0.display())]
    NotFound(PathBuf),
    /// The file of a new store exists.
    #[error("'{}' already exists", .0.display())]
    Exists(PathBuf),
    /// The file is not a proof store.
    #[error("'{}' is not a proof store", .0.display())]
    NotAStore(PathBuf),
    /// The store has another version.
    #[error("'{}' is a proof of version {found}, and this program reads version {known}", path.display())]
    Version {
        /// The path of the store.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The version of this program.
        known: i32,
    },
    /// The store proves another position.
    #[error("'{}' proves {stored}, not {expected}", path.display())]
    OtherPosition {
        /// The path of the store.
        path: PathBuf,
        /// The position and the rules of the store.
        stored: String,
        /// Those that are asked for.
        expected: String,
    },
    /// Another process writes the store.
    #[error("'{}' is in use by {holder}", path.display())]
    InUse {
        /// The path of the store.
        path: PathBuf,
        /// The process and its machine.
        holder: String,
    },
    /// The content of the store is not a proof.
    #[error("'{}' is damaged: {damage}", path.display())]
    Damaged {
        /// The path of the store.
        path: PathBuf,
        /// The damage.
        damage: StoreDamage,
    },
    /// The endgame table of the searches turned out to be damaged while they probed it.
    #[error(
        "{0}; earlier results in the store may rest on this table: delete the store and begin again, \
         or check it with `kalah prove check`"
    )]
    DamagedTable(Box<TableDamage>),
    /// The file cannot be read or written.
    #[error("cannot use '{}': {reason}", path.display())]
    Sqlite {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: rusqlite::Error,
    },
    /// The file of a new store cannot be created.
    #[error("cannot create '{}': {reason}", path.display())]
    Create {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The folder of the store does not exist.
    #[error("cannot write '{}': there is no folder '{}'", path.display(), folder.display())]
    NoFolder {
        /// The path of the store.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The file system of the store has no locks, so another process could write it, too, and each
    /// would destroy the results of the other.
    #[error(
        "'{}' is on a file system without locks ({reason}), where two processes could write it at \
         once and lose results; put it on a local disk",
        path.display()
    )]
    NoLocks {
        /// The path of the store.
        path: PathBuf,
        /// The reason of the system.
        reason: io::Error,
    },
    /// The estimate for a new store was stopped.
    #[error("the first estimate was stopped")]
    EstimateStopped,
    /// The lock file of the store cannot be created or locked.
    #[error("cannot write '{}': {reason}", path.display())]
    Lock {
        /// The path of the lock file.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
}

/// Damage of the content of a store.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreDamage {
    /// The file is not a valid database.
    #[error("{0}")]
    Database(String),
    /// The store does not state what it proves.
    #[error("it does not state what it proves")]
    NoStatement,
    /// The rules are invalid.
    #[error("{0}")]
    Rules(String),
    /// A position is invalid.
    #[error("{0}")]
    Position(String),
    /// A goal is not in its normal form.
    #[error("the goal {target:+} of '{position}' is not in its normal form")]
    Goal {
        /// The position.
        position: String,
        /// The target.
        target: i64,
    },
    /// The estimate of the margin is out of range.
    #[error("the estimate {0} is out of range")]
    Estimate(i64),
    /// The goals are not numbered without gaps.
    #[error("goal number {expected} is missing: number {found} follows")]
    Number {
        /// The number of the next goal.
        expected: usize,
        /// The number in the store.
        found: i64,
    },
    /// The goal of a legal move is missing.
    #[error("goal number {id} is expanded, but the goal after its move {mv} is missing")]
    MissingChild {
        /// The number of the goal.
        id: usize,
        /// The move.
        mv: String,
    },
    /// An open leaf has no proof numbers, or impossible ones.
    #[error("goal number {id} has the proof number {proof} and the disproof number {disproof}")]
    Numbers {
        /// The number of the goal.
        id: usize,
        /// The proof number as text, or `none`.
        proof: String,
        /// The disproof number as text, or `none`.
        disproof: String,
    },
    /// The answer of a goal contradicts those of other goals.
    #[error("the answer of goal number {id} contradicts those of other goals")]
    Contradiction {
        /// The number of the goal.
        id: usize,
    },
}

impl ProofStoreError {
    pub(super) fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let damaged = |damage| Self::Damaged {
            path: path.to_owned(),
            damage: StoreDamage::Database(damage),
        };
        match error {
            rusqlite::Error::SqliteFailure(failure, _)
                if matches!(
                    failure.code,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase
                ) =>
            {
                damaged(error.to_string())
            }
            // A table or a column is missing.
            rusqlite::Error::SqlInputError { msg, .. } => damaged(msg),
            rusqlite::Error::SqliteFailure(failure, Some(message))
                if failure.code == ErrorCode::Unknown =>
            {
                damaged(message)
            }
            rusqlite::Error::InvalidColumnType(_, column, kind) => damaged(format!(
                "a value of the column `{column}` has the type {kind}"
            )),
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => damaged(error.to_string()),
            reason => Self::Sqlite {
                path: path.to_owned(),
                reason,
            },
        }
    }
}
