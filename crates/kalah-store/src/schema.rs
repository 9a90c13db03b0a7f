//! Versions of the database schema and the migrations between them.

use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

/// The time to wait for a lock that another process holds, such as a backup.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The application id in the header of a database: `Kala` in ASCII.
const APPLICATION_ID: i32 = 0x4b61_6c61;

/// The migrations. Entry `n` (from 0) migrates version `n` to `n + 1`; version 0 is an empty
/// database.
///
/// Released entries never change.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("version_1.sql")];

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

/// Returns the number of the latest version.
pub(crate) fn latest_version() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Returns the version of a database without changing it; 0 for an empty one.
pub(crate) fn check_version(connection: &Connection) -> Result<i32, SchemaError> {
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
    let (application_id, version, schema_version) = match read() {
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == rusqlite::ErrorCode::NotADatabase =>
        {
            return Err(SchemaError::NotADatabase);
        }
        values => values?,
    };
    match (application_id, version) {
        (0, 0) if schema_version == 0 => Ok(0),
        (APPLICATION_ID, 1..) if version <= latest_version() => Ok(version),
        (APPLICATION_ID, 1..) => Err(SchemaError::Newer {
            found: version,
            known: latest_version(),
        }),
        _ => Err(SchemaError::Foreign),
    }
}

/// Returns the version of a database file without changing it.
pub(crate) fn check_file(path: &std::path::Path) -> Result<i32, SchemaError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    check_version(&Connection::open_with_flags(path, flags)?)
}

/// Migrates a database to the latest version, completely or not at all.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), SchemaError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if check_version(&transaction)? < latest_version() {
        migrate_to(&transaction, MIGRATIONS.len())?;
    }
    transaction.commit()?;
    Ok(())
}

/// Migrates a database to `version`.
pub(crate) fn migrate_to(connection: &Connection, version: usize) -> Result<(), SchemaError> {
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
