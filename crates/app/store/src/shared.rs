//! Records of games that people share under short addresses.

use std::fmt;
use std::str::FromStr;

use kalah::Quoted;
use rusqlite::{Connection, OptionalExtension as _, params};
use thiserror::Error;

use crate::clock::Timestamp;
use crate::error::GameStoreError;

/// The id of a shared record: ten random letters and digits, so that no other one can be guessed.
///
/// ```
/// use kalah_store::SharedId;
///
/// let id = SharedId::random();
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("short".parse::<SharedId>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedId(String);

/// The regular expression of [`SharedId`] as text.
pub const SHARED_ID_PATTERN: &str = "^[A-Za-z0-9]{10}$";

/// The error of parsing a [`SharedId`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not the id of a shared game, which has 10 letters and digits", Quoted::literal(.0))]
pub struct ParseSharedIdError(pub String);

impl SharedId {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    /// The number of characters: 62^10 ids are 2^59.
    const LENGTH: usize = 10;

    /// The largest multiple of the number of characters that a byte can hold. Larger bytes would
    /// favour the first characters.
    const RANDOM_BYTE_LIMIT: u8 = 248;

    /// Creates a random id.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness.
    pub fn random() -> Self {
        let mut id = String::with_capacity(Self::LENGTH);
        while id.len() < Self::LENGTH {
            let mut byte = [0];
            getrandom::fill(&mut byte).expect("a system with randomness");
            if byte[0] < Self::RANDOM_BYTE_LIMIT {
                let index = usize::from(byte[0]) % Self::ALPHABET.len();
                id.push(Self::ALPHABET[index].into());
            }
        }
        Self(id)
    }
}

impl fmt::Display for SharedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for SharedId {
    type Err = ParseSharedIdError;

    fn from_str(text: &str) -> Result<Self, ParseSharedIdError> {
        let is_id =
            text.len() == Self::LENGTH && text.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        if is_id {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseSharedIdError(text.to_owned()))
        }
    }
}

/// A record that people share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRecord {
    /// The record of one game.
    pub text: String,
    /// The time at which it was stored or opened last, exact to a day.
    pub opened: Timestamp,
}

/// A change of the shared records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedWrite {
    /// Stores a record.
    New {
        /// The id.
        id: SharedId,
        /// The record.
        record: SharedRecord,
    },
    /// Stores the time at which a record was opened.
    Opened {
        /// The id.
        id: SharedId,
        /// The time.
        at: Timestamp,
    },
    /// Deletes the records that were not opened since.
    DeleteUnopened {
        /// The time.
        since: Timestamp,
    },
}

const INSERT: &str = "INSERT INTO shared_records (id, text, opened_ms) VALUES (?1, ?2, ?3)";
const UPDATE: &str = "UPDATE shared_records SET opened_ms = max(opened_ms, ?2) WHERE id = ?1";
const DELETE: &str = "DELETE FROM shared_records WHERE opened_ms < ?1";
const SELECT: &str = "SELECT text, opened_ms FROM shared_records WHERE id = ?1";

/// Executes a change.
pub(crate) fn apply(connection: &Connection, write: &SharedWrite) -> Result<(), GameStoreError> {
    match write {
        SharedWrite::New { id, record } => {
            let mut insert = connection.prepare_cached(INSERT)?;
            insert.execute(params![id.0, record.text, record.opened.as_millis()])?;
        }
        SharedWrite::Opened { id, at } => {
            let mut update = connection.prepare_cached(UPDATE)?;
            update.execute(params![id.0, at.as_millis()])?;
        }
        SharedWrite::DeleteUnopened { since } => {
            let mut delete = connection.prepare_cached(DELETE)?;
            delete.execute([since.as_millis()])?;
        }
    }
    Ok(())
}

/// Returns a record; `None` if there is none with this id.
pub(crate) fn select_shared(
    connection: &Connection,
    id: &SharedId,
) -> Result<Option<SharedRecord>, GameStoreError> {
    let mut select = connection.prepare_cached(SELECT)?;
    let record = select.query_row([&id.0], |row| {
        Ok(SharedRecord {
            text: row.get(0)?,
            opened: Timestamp::from_millis(row.get(1)?),
        })
    });
    Ok(record.optional()?)
}

/// Returns the number of records.
pub(crate) fn count_shared(connection: &Connection) -> Result<usize, GameStoreError> {
    let count: i64 =
        connection.query_row("SELECT count(*) FROM shared_records", [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}
