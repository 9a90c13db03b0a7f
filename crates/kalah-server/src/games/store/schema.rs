//! Versions of the database schema and the migrations between them.

use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

/// A backup in another process can hold the database up for a moment.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What says in the header of a file that it is a database of this program: `Kala` in ASCII.
const APPLICATION_ID: i32 = 0x4b61_6c61;

/// How each version of the tables is made from the one before it, the first one from nothing. The
/// number of a version is its place in the list, from 1.
///
/// What has been released is never changed: a change is one more entry.
pub(super) const MIGRATIONS: &[&str] = &[include_str!("version_1.sql")];

/// Why a file is not used as the store of games. It is left as it is.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// It is something else.
    #[error("is no database of games")]
    NotADatabase,
    /// Another program's.
    #[error("is a database of another program")]
    Foreign,
    /// It was made by a later version of this program.
    #[error(
        "is of version {found}, which a later version of Kalah has made, and this one knows none later than {known}"
    )]
    Newer {
        /// Its version.
        found: i32,
        /// The last version that is known here.
        known: i32,
    },
    /// It cannot be read or brought up to date.
    #[error("cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
}

/// The number of the last version.
pub(super) fn latest_version() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Looks at a database without changing it, and returns the version of its tables: 0 if it is empty.
pub(super) fn check_version(connection: &Connection) -> Result<i32, SchemaError> {
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0))
    };
    let read = || {
        Ok((
            pragma("application_id")?,
            pragma("user_version")?,
            pragma("schema_version")?,
        ))
    };
    let (application, version, changes) = match read() {
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == rusqlite::ErrorCode::NotADatabase =>
        {
            return Err(SchemaError::NotADatabase);
        }
        numbers => numbers?,
    };
    match (application, version) {
        (0, 0) if changes == 0 => Ok(0),
        (APPLICATION_ID, 1..) if version <= latest_version() => Ok(version),
        (APPLICATION_ID, 1..) => Err(SchemaError::Newer {
            found: version,
            known: latest_version(),
        }),
        _ => Err(SchemaError::Foreign),
    }
}

/// Looks at the file of a database without changing it, as [`check`].
pub(super) fn check_file(path: &std::path::Path) -> Result<i32, SchemaError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    check_version(&Connection::open_with_flags(path, flags)?)
}

/// Brings the tables up to the last version, all of the way or not at all.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), SchemaError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if check_version(&transaction)? < latest_version() {
        migrate_to(&transaction, MIGRATIONS.len())?;
    }
    transaction.commit()?;
    Ok(())
}

/// Brings the tables of an older version up to `version`.
pub(super) fn migrate_to(connection: &Connection, version: usize) -> Result<(), SchemaError> {
    let found = usize::try_from(check_version(connection)?).unwrap_or(0);
    let steps = MIGRATIONS.iter().take(version).skip(found);
    for (number, step) in (found + 1..).zip(steps) {
        connection.execute_batch(step)?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        connection.pragma_update(None, "user_version", number)?;
    }
    Ok(())
}
