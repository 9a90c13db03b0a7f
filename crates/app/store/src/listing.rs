//! Reads of stored games for commands, also beside a running server: lists with filters, and games
//! by their ids.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use kalah::{PlayerId, Quoted};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, named_params, params};
use tempfile::TempDir;
use thiserror::Error;

use crate::clock::Timestamp;
use crate::error::{GameStoreError, OpenGamesError, SchemaError};
use crate::folder::{DataFolder, copy_database};
use crate::model::{GameId, StoredGame, Takeback};
use crate::room::RoomCode;
use crate::sql::{self, BUSY_TIMEOUT};

/// The conditions of a list of games. A game in the list meets all of them; the default has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Whether the games have ended.
    pub is_ended: Option<bool>,
    /// A part of the name of one of the players, in capital or small letters.
    pub name: Option<String>,
    /// The earliest time of the last change.
    pub since: Option<Timestamp>,
    /// The room to which the games belong.
    pub room: Option<RoomCode>,
}

/// The games of a data folder at one moment, read-only. A server may use the folder meanwhile.
///
/// An older database is not migrated: the games are read from a migrated copy in the folder for
/// temporary files.
///
/// While it is open, `SQLite` keeps all changes of the server in its write-ahead log.
#[derive(Debug)]
pub struct GameReader {
    connection: Connection,
    /// The folder of the copy of an older database, removed when this is dropped.
    _copy: Option<TempDir>,
}

/// A game that cannot be read, because a value in its row is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct UnreadableGameError {
    /// The id.
    pub id: GameId,
    /// The reason.
    pub reason: String,
}

/// A takeback with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedTakeback {
    /// The time at which it was accepted.
    pub at: Timestamp,
    /// The takeback.
    pub takeback: Takeback,
}

const SELECT_LISTED: &str = "
    SELECT id, south_name, north_name FROM games
    WHERE (:ended IS NULL OR (termination IS NOT NULL) = :ended)
        AND (:since IS NULL OR changed_ms >= :since)
        AND (:room IS NULL OR room = :room)
    ORDER BY created_ms DESC, id";
const COUNT: &str = "SELECT COUNT(*) FROM games";
const SELECT_ID_RANGE: &str = "
    SELECT id FROM games WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";
const SELECT_HEARTBEAT: &str = "SELECT at_ms FROM heartbeat";
const SELECT_TAKEBACKS: &str = "
    SELECT at_ms, player, plies_left, moves FROM takebacks WHERE game = ?1 ORDER BY number";

impl GameReader {
    /// Opens the games in `folder`.
    ///
    /// # Errors
    /// There is no folder or no database, or it cannot be read. All files are unchanged.
    pub fn open(folder: &DataFolder) -> Result<Self, OpenGamesError> {
        let version = folder.check_games()?;
        let file = folder.database();
        if version == sql::latest_version() {
            let connection = connect(&file).map_err(|error| folder.schema_error(error))?;
            return Ok(Self {
                connection,
                _copy: None,
            });
        }
        let copy = TempDir::new().map_err(OpenGamesError::Temporary)?;
        let copied = DataFolder::new(copy.path()).database();
        let read = || {
            copy_database(&file, &copied)?;
            sql::migrate(&mut Connection::open(&copied)?)?;
            connect(&copied)
        };
        Ok(Self {
            connection: read().map_err(|error| folder.schema_error(error))?,
            _copy: Some(copy),
        })
    }

    /// Returns the number of all games.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn count_all(&self) -> Result<u64, GameStoreError> {
        let count: i64 = self.connection.query_row(COUNT, [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Returns the number of games that meet a filter.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn count(&self, filter: &GameFilter) -> Result<u64, GameStoreError> {
        let mut count = 0;
        self.visit_ids(filter, |_| {
            count += 1;
            Ok::<_, GameStoreError>(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    /// Calls `visit` for each game that meets a filter, the latest one first, until it breaks. One
    /// game at a time is in memory.
    ///
    /// # Errors
    /// The database cannot be read, or `visit` fails.
    pub fn visit<E: From<GameStoreError>>(
        &self,
        filter: &GameFilter,
        mut visit: impl FnMut(Result<StoredGame, UnreadableGameError>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.visit_ids(filter, |id| match sql::load_game(&self.connection, id) {
            Ok(Some(game)) => visit(Ok(game)),
            Ok(None) => Err(GameStoreError::GameNotFound(id).into()),
            Err(error) if is_invalid_value(&error) => visit(Err(UnreadableGameError {
                id,
                reason: error.to_string(),
            })),
            Err(error) => Err(GameStoreError::from(error).into()),
        })
    }

    fn visit_ids<E: From<GameStoreError>>(
        &self,
        filter: &GameFilter,
        mut visit: impl FnMut(GameId) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let fail = |error: rusqlite::Error| E::from(error.into());
        let mut statement = self
            .connection
            .prepare_cached(SELECT_LISTED)
            .map_err(fail)?;
        let parameters = named_params! {
            ":ended": filter.is_ended,
            ":since": filter.since.map(Timestamp::as_millis),
            ":room": filter.room.as_ref().map(RoomCode::as_str),
        };
        let part = filter.name.as_ref().map(|name| name.to_lowercase());
        let mut rows = statement.query(parameters).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            if part.as_ref().is_some_and(|part| !has_name(row, part)) {
                continue;
            }
            let id = GameId::from(row.get::<_, [u8; 16]>("id").map_err(fail)?);
            if visit(id)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Loads a game.
    ///
    /// # Errors
    /// Returns [`GameStoreError::GameNotFound`], or another error if the game cannot be read.
    pub fn load(&self, id: GameId) -> Result<StoredGame, GameStoreError> {
        sql::load_game(&self.connection, id)?.ok_or(GameStoreError::GameNotFound(id))
    }

    /// Returns the game whose id begins with a text.
    ///
    /// # Errors
    /// No id begins so, or several do.
    pub fn find(&self, prefix: &GameIdPrefix) -> Result<GameId, FindGameError> {
        find_game(&self.connection, prefix)
    }

    /// Returns the last time at which a server with these games ran, after which no clock runs;
    /// `None` if none has. A running server is at most a minute ahead of it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn last_heartbeat(&self) -> Result<Option<Timestamp>, GameStoreError> {
        let at = self
            .connection
            .query_row(SELECT_HEARTBEAT, [], |row| row.get(0));
        Ok(at.optional()?.map(Timestamp::from_millis))
    }

    /// Returns the takebacks of a game, the earliest one first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn takebacks(&self, id: GameId) -> Result<Vec<TimedTakeback>, GameStoreError> {
        let mut statement = self.connection.prepare_cached(SELECT_TAKEBACKS)?;
        let takebacks = statement.query_map([id.as_bytes()], |row| {
            let side = sql::read_side(row, "player")?;
            let moves: String = row.get("moves")?;
            let plies_left: u32 = row.get("plies_left")?;
            Ok(TimedTakeback {
                at: Timestamp::from_millis(row.get("at_ms")?),
                takeback: Takeback {
                    by: side.map_or(PlayerId::ALL[0], PlayerId::new),
                    plies_left: usize::try_from(plies_left).unwrap_or(usize::MAX),
                    moves: moves.split_whitespace().map(str::to_owned).collect(),
                },
            })
        })?;
        Ok(takebacks.collect::<Result<_, _>>()?)
    }
}

/// Opens a database of the latest version at its present moment.
fn connect(file: &std::path::Path) -> Result<Connection, SchemaError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A transaction shows one moment, which its first read determines.
    connection.execute_batch("BEGIN")?;
    connection.query_row(COUNT, [], |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

/// Returns whether one of the names in a row contains `part`, which is in small letters.
fn has_name(row: &Row<'_>, part: &str) -> bool {
    let mut columns = ["south_name", "north_name"].into_iter();
    columns.any(|column| match row.get_ref(column) {
        Ok(ValueRef::Text(name)) => {
            let name = String::from_utf8_lossy(name).to_lowercase();
            name.contains(part)
        }
        _ => false,
    })
}

/// Returns whether an error is about a value of a row, so that other rows can be read.
fn is_invalid_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// The beginning of the id of a game, 1 to 22 letters, digits, `-` and `_`.
///
/// ```
/// use kalah_store::{GameId, GameIdPrefix};
/// let id: GameId = "AbCdefghijklmnopqrstuw".parse()?;
/// let prefix: GameIdPrefix = "AbC".parse().expect("the beginning of an id");
/// assert!(prefix.is_of(id));
/// assert!("A+".parse::<GameIdPrefix>().is_err());
/// # Ok::<(), kalah_store::ParseGameIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameIdPrefix {
    text: String,
    /// The first and the last id that begin so.
    range: [GameId; 2],
}

/// The error of parsing a [`GameIdPrefix`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0} is not the beginning of a game id, which has 22 letters, digits, `-` and `_`")]
pub struct ParseGameIdPrefixError(pub Quoted);

/// The length of an id as text.
const ID_LENGTH: usize = 22;
/// The digits of zero and of 63 in base64url.
const ZERO_DIGIT: &str = "A";
const LAST_DIGIT: &str = "_";
/// The last digit of the largest id: 128 bits have two bits for it, the upper ones of its six.
const LAST_FINAL_DIGIT: &str = "w";

impl GameIdPrefix {
    /// Returns whether an id begins so.
    pub fn is_of(&self, id: GameId) -> bool {
        id.to_string().starts_with(&self.text)
    }
}

impl FromStr for GameIdPrefix {
    type Err = ParseGameIdPrefixError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdPrefixError> {
        let missing = ID_LENGTH.checked_sub(text.len());
        let bounds = match missing {
            _ if text.is_empty() => None,
            None => None,
            Some(0) => Some([text.to_owned(), text.to_owned()]),
            Some(missing) => Some([
                format!("{text}{}", ZERO_DIGIT.repeat(missing)),
                format!("{text}{}{LAST_FINAL_DIGIT}", LAST_DIGIT.repeat(missing - 1)),
            ]),
        };
        let range =
            bounds.and_then(|[first, last]| Some([first.parse().ok()?, last.parse().ok()?]));
        let range = range.ok_or_else(|| ParseGameIdPrefixError(Quoted::new(text)))?;
        Ok(Self {
            text: text.to_owned(),
            range,
        })
    }
}

impl fmt::Display for GameIdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The maximum number of ids that [`FindGameError::Ambiguous`] names.
const MAX_CANDIDATES: usize = 10;

/// The reason why no game is found by the beginning of its id.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FindGameError {
    /// No id begins so.
    #[error("there is no game `{0}`")]
    NotFound(GameIdPrefix),
    /// Several ids begin so. At most ten of them are named.
    #[error(
        "`{prefix}` is the beginning of several ids: {}",
        candidate_list(candidates)
    )]
    Ambiguous {
        /// The beginning.
        prefix: GameIdPrefix,
        /// The ids, in the order of their bits.
        candidates: Vec<GameId>,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] GameStoreError),
}

fn candidate_list(candidates: &[GameId]) -> String {
    let named = candidates.iter().take(MAX_CANDIDATES);
    let mut list = named.map(GameId::to_string).collect::<Vec<_>>().join(", ");
    if candidates.len() > MAX_CANDIDATES {
        list += " and others";
    }
    list
}

/// Returns the game whose id begins with a text.
pub(crate) fn find_game(
    connection: &Connection,
    prefix: &GameIdPrefix,
) -> Result<GameId, FindGameError> {
    let [first, last] = &prefix.range;
    let limit = i64::try_from(MAX_CANDIDATES + 1).unwrap_or(i64::MAX);
    let select = || {
        let mut statement = connection.prepare_cached(SELECT_ID_RANGE)?;
        let ids = statement
            .query_map(params![first.as_bytes(), last.as_bytes(), limit], |row| {
                row.get::<_, [u8; 16]>(0).map(GameId::from)
            })?;
        ids.collect::<Result<Vec<_>, rusqlite::Error>>()
    };
    let candidates = select().map_err(GameStoreError::from)?;
    match candidates[..] {
        [] => Err(FindGameError::NotFound(prefix.clone())),
        [id] => Ok(id),
        _ => Err(FindGameError::Ambiguous {
            prefix: prefix.clone(),
            candidates,
        }),
    }
}

#[cfg(test)]
mod tests;
