//! Reads the store of a proof: the `SQLite` file that `kalah prove` writes.
//!
//! `crates/core/proof/src/store/schema.sql` describes its tables.

use std::path::Path;

use kalah::reference::ReferencePosition;
use kalah::{Rules, Setup};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use crate::certificate::{Certificate, CertificateEntry, Evidence, Statement};
use crate::error::{Damage, ReadError};
use crate::goal::{Goal, MAX_TARGET};

/// The application id in the header of a store: `KPrf` in ASCII.
const APPLICATION_ID: i32 = 0x4b50_7266;

/// The version of the tables.
const VERSION: i32 = 1;

/// The answer of `PRAGMA quick_check` for a file without damage.
const CHECK_PASSED: &str = "ok";

/// Either error of a row: that of `SQLite`, or that of its content.
enum RowError {
    Sqlite(rusqlite::Error),
    Damage(Damage),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Damage> for RowError {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

/// Reads the proof of a store, which another process can be writing.
pub(crate) fn read(path: &Path) -> Result<Certificate, ReadError> {
    let sqlite = |error| from_sqlite(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    // All queries see the same state of the file.
    let transaction = connection.transaction().map_err(sqlite)?;
    let pragma = |name: &str| {
        transaction.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0))
    };
    if pragma("application_id").map_err(sqlite)? != APPLICATION_ID {
        return Err(ReadError::NotAProof(path.to_owned()));
    }
    let version = pragma("user_version").map_err(sqlite)?;
    if version != VERSION {
        return Err(ReadError::Version {
            path: path.to_owned(),
            found: version.to_string(),
            known: VERSION,
        });
    }
    read_tables(&transaction).map_err(|error| match error {
        RowError::Sqlite(error) => sqlite(error),
        RowError::Damage(damage) => ReadError::Damaged {
            path: path.to_owned(),
            damage,
        },
    })
}

fn read_tables(connection: &Connection) -> Result<Certificate, RowError> {
    let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != CHECK_PASSED {
        // The last line names the damage.
        let damage = check.lines().last().unwrap_or_default();
        return Err(Damage::Database(damage.to_owned()).into());
    }
    let statement = read_statement(connection)?;
    let mut certificate = Certificate::new(statement, None);
    let query = "SELECT id, position, target, answer, expanded FROM goals ORDER BY id";
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    let mut next_id = 0;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if id != next_id {
            return Err(Damage::Number {
                expected: next_id,
                found: id,
            }
            .into());
        }
        let (position, target): (String, i64) = (row.get(1)?, row.get(2)?);
        let goal = parse_goal(&position, target, certificate.statement())?;
        let entry = CertificateEntry {
            answer: row.get(3)?,
            evidence: if row.get(4)? {
                Evidence::MovesOrSearch
            } else {
                Evidence::Search
            },
        };
        if !certificate.insert(goal, entry) {
            return Err(Damage::Repeated { position, target }.into());
        }
        next_id += 1;
    }
    Ok(certificate)
}

fn read_statement(connection: &Connection) -> Result<Statement, RowError> {
    let query = "SELECT position, rules, all_moves FROM proof";
    let row = connection.query_row(query, [], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get(2)?,
        ))
    });
    let (position, rules, all_moves) = row.optional()?.ok_or(Damage::NoStatement)?;
    Ok(parse_statement(&position, &rules, all_moves)?)
}

/// Parses the statement of a proof.
pub(crate) fn parse_statement(
    position: &str,
    rules: &str,
    all_moves: bool,
) -> Result<Statement, Damage> {
    let rules: Rules = (rules.parse()).map_err(|reason| Damage::Text(format!("{reason}")))?;
    let setup = parse_setup(position)?;
    Statement::new(&setup, rules, all_moves).ok_or_else(|| invalid(&setup, rules))
}

/// Parses a goal of a proof, which must have its normal form.
pub(crate) fn parse_goal(
    position: &str,
    target: i64,
    statement: &Statement,
) -> Result<Goal, Damage> {
    let (setup, rules) = (parse_setup(position)?, statement.rules());
    if setup.rows.south.len() != statement.position().rows.south.len() {
        return Err(Damage::Board {
            position: position.to_owned(),
        });
    }
    let reference =
        ReferencePosition::from_setup(&setup, rules).ok_or_else(|| invalid(&setup, rules))?;
    let not_normal = || Damage::NormalForm {
        position: position.to_owned(),
        target,
    };
    let small = i32::try_from(target).ok();
    let small = small.filter(|target| target.unsigned_abs() <= MAX_TARGET.unsigned_abs());
    let goal = Goal::new(&reference, small.ok_or_else(not_normal)?);
    let is_normal = goal.position() == &setup && i64::from(goal.target()) == target;
    is_normal.then_some(goal).ok_or_else(not_normal)
}

fn parse_setup(text: &str) -> Result<Setup, Damage> {
    text.parse()
        .map_err(|reason: kalah::ParseSetupError| Damage::Text(reason.to_string()))
}

/// Returns the reasons why a setup is not a valid position.
fn invalid(setup: &Setup, rules: Rules) -> Damage {
    let reason = setup.position(rules).err();
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    Damage::Text(format!("position '{setup}'{reason}"))
}

fn from_sqlite(path: &Path, error: rusqlite::Error) -> ReadError {
    let damaged = |damage| ReadError::Damaged {
        path: path.to_owned(),
        damage: Damage::Database(damage),
    };
    let path = path.to_owned();
    match error {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == ErrorCode::NotADatabase => {
            ReadError::NotAProof(path)
        }
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.code == ErrorCode::DatabaseCorrupt =>
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
        rusqlite::Error::IntegralValueOutOfRange(..) | rusqlite::Error::Utf8Error(..) => {
            damaged(error.to_string())
        }
        reason => ReadError::Sqlite { path, reason },
    }
}
