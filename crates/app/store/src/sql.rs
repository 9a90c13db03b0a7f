//! The SQL of the store: the database schema with its migrations, the statements, and the mapping
//! of rows to games.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use kalah::{ByPlayer, ClockSetting, PlayerId, Side};
use rusqlite::types::Type;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, named_params, params,
};
use thiserror::Error;

use crate::clock::{FriendClock, FriendClockError, FriendClockSetting, RunningClock, Timestamp};
use crate::error::{GameStoreError, SchemaError};
use crate::model::{GameId, GameState, Offer, StoredEnding, StoredGame, Takeback, TokenHash};
use crate::name::PlayerName;
use crate::openings;
use crate::room::RoomCode;
use crate::room_sql::read_game_room;

/// The time to wait for a lock that another process holds, such as a backup.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The application id in the header of a database: `Kala` in ASCII.
const APPLICATION_ID: i32 = 0x4b61_6c61;

/// The migrations. Entry `n` (from 0) migrates version `n` to `n + 1`; version 0 is an empty
/// database.
///
/// Released entries never change.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("version_1.sql"),
    include_str!("version_2.sql"),
    include_str!("version_3.sql"),
    include_str!("version_4.sql"),
    include_str!("version_5.sql"),
    include_str!("version_6.sql"),
    include_str!("version_7.sql"),
];

/// Returns the number of the latest version.
pub(crate) fn latest_version() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Returns the version of a database without changing it; 0 for an empty one.
fn check_version(connection: &Connection) -> Result<i32, SchemaError> {
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
pub(crate) fn check_file(path: &Path) -> Result<i32, SchemaError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    check_version(&Connection::open_with_flags(path, flags)?)
}

/// Migrates a database to the latest version, completely or not at all.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), SchemaError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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

/// The columns from which [`read_game`] reads games with their rooms.
macro_rules! select_games {
    () => {
        "SELECT games.*, rooms.name AS room_name, rooms.engine_help AS room_engine_help,
            rooms.format AS room_format,
            (SELECT round FROM room_games WHERE game = games.id) AS room_round,
            (SELECT pairing FROM room_games WHERE game = games.id) AS room_pairing,
            (SELECT leg FROM room_games WHERE game = games.id) AS room_leg
        FROM games LEFT JOIN rooms ON rooms.code = games.room"
    };
}

const INSERT: &str = "
    INSERT INTO games (
        id, created_ms, rules, start, spectator_scores, south_token, north_token,
        south_initial_ms, south_increment_ms, north_initial_ms, north_increment_ms,
        by_correspondence, south_left_ms, north_left_ms, changed_ms, south_joined, north_joined,
        room
    ) VALUES (
        :id, :created, :rules, :start, :spectator_scores, :south_token, :north_token,
        :south_initial, :south_increment, :north_initial, :north_increment,
        :by_correspondence, :south_initial, :north_initial, :created, 0, 0, :room
    )";

const UPDATE: &str = "
    UPDATE games SET
        south_left_ms = :south_left, north_left_ms = :north_left,
        running = :running, running_since_ms = :running_since, first_move = :first_move,
        paused = :paused,
        changed_ms = :changed, south_joined = :south_joined, north_joined = :north_joined,
        south_name = :south_name, north_name = :north_name,
        takeback_offered_by = :takeback_offered_by, takeback_declined = :takeback_declined,
        takebacks = :takebacks, termination = :termination, winner = :winner,
        rematch_offered_by = :rematch_offered_by, rematch_declined = :rematch_declined,
        rematch = :rematch, south_shares = :south_shares, north_shares = :north_shares
    WHERE id = :id";

const UPDATE_SOUTH_TOKEN: &str = "UPDATE games SET south_token = ?2 WHERE id = ?1";
const UPDATE_NORTH_TOKEN: &str = "UPDATE games SET north_token = ?2 WHERE id = ?1";
const SELECT: &str = concat!(select_games!(), " WHERE games.id = ?1");
const INSERT_PLY: &str = "INSERT INTO plies (game, ply, move) VALUES (?1, ?2, ?3)";
const DELETE_PLIES: &str = "DELETE FROM plies WHERE game = ?1 AND ply > ?2";
const INSERT_TAKEBACK: &str = "
    INSERT INTO takebacks (game, number, at_ms, player, plies_left, moves)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const SELECT_PLIES: &str = "SELECT move FROM plies WHERE game = ?1 ORDER BY ply";
const UPSERT_HEARTBEAT: &str = "
    INSERT INTO heartbeat (id, at_ms) VALUES (1, ?1)
    ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms";

/// Clocks stop while the server is down: the start of each turn is moved by the downtime, which
/// starts at the last heartbeat or at the start of the turn, whichever is later. This also holds if
/// the system time was set back.
const SKIP_DOWNTIME: &str = "
    UPDATE games SET
        running_since_ms = running_since_ms + :now - max(heartbeat.at_ms, running_since_ms)
    FROM heartbeat WHERE running_since_ms IS NOT NULL";

const SELECT_RUNNING: &str = concat!(select_games!(), " WHERE running_since_ms IS NOT NULL");

const SELECT_EXPIRED: &str = "
    SELECT id FROM games
    WHERE (room IS NULL OR room = :lobby)
        AND (changed_ms < :old
            OR changed_ms < :unplayed AND running_since_ms IS NULL
                AND NOT EXISTS (SELECT 1 FROM plies WHERE game = games.id))
    LIMIT :limit";

const DELETE: &str = "DELETE FROM games WHERE id = ?1";

/// Inserts a game with its plies.
pub(crate) fn insert_game(
    connection: &Connection,
    game: &StoredGame,
) -> Result<(), GameStoreError> {
    let [south, north] = PlayerId::ALL;
    let setting = game.state.clock.map(|clock| clock.setting());
    let settings = setting.map(|setting| match setting {
        FriendClockSetting::Game(settings) => settings,
        FriendClockSetting::Move(setting) => ByPlayer::new(setting, setting),
    });
    let initial = |player| settings.map(|settings| millis(settings[player].initial()));
    let increment = |player| settings.map(|settings| millis(settings[player].increment()));
    connection.prepare_cached(INSERT)?.execute(named_params! {
        ":id": game.id.as_bytes(),
        ":created": game.created.as_millis(),
        ":rules": game.rules,
        ":start": game.start,
        ":spectator_scores": game.spectator_scores,
        ":south_token": game.tokens[south].as_bytes(),
        ":north_token": game.tokens[north].as_bytes(),
        ":south_initial": initial(south),
        ":south_increment": increment(south),
        ":north_initial": initial(north),
        ":north_increment": increment(north),
        ":by_correspondence": matches!(setting, Some(FriendClockSetting::Move(_))),
        ":room": game.room.as_ref().map(|room| room.code.as_str()),
    })?;
    for (number, mv) in (1..).zip(&game.plies) {
        insert_ply(connection, game.id, number, mv)?;
    }
    update_state(connection, game.id, &game.state)
}

/// Inserts a ply of a game.
pub(crate) fn insert_ply(
    connection: &Connection,
    id: GameId,
    number: usize,
    mv: &str,
) -> Result<(), GameStoreError> {
    let mut statement = connection.prepare_cached(INSERT_PLY)?;
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    statement.execute(params![id.as_bytes(), number, mv])?;
    Ok(())
}

/// Gives the seat of a player to the owner of a token.
pub(crate) fn update_token(
    connection: &Connection,
    id: GameId,
    player: PlayerId,
    token: TokenHash,
) -> Result<(), GameStoreError> {
    let update = match player.started_as {
        Side::South => UPDATE_SOUTH_TOKEN,
        Side::North => UPDATE_NORTH_TOKEN,
    };
    let mut statement = connection.prepare_cached(update)?;
    statement.execute(params![id.as_bytes(), token.as_bytes()])?;
    Ok(())
}

/// Removes the plies of a takeback, and inserts the takeback.
pub(crate) fn insert_takeback(
    connection: &Connection,
    id: GameId,
    takeback: &Takeback,
    state: &GameState,
) -> Result<(), GameStoreError> {
    let plies_left = i64::try_from(takeback.plies_left).unwrap_or(i64::MAX);
    connection
        .prepare_cached(DELETE_PLIES)?
        .execute(params![id.as_bytes(), plies_left])?;
    connection
        .prepare_cached(INSERT_TAKEBACK)?
        .execute(params![
            id.as_bytes(),
            state.takeback_count,
            state.changed_at.as_millis(),
            takeback.by.started_as.as_str(),
            plies_left,
            takeback.moves.join(" "),
        ])?;
    Ok(())
}

/// Updates the state of a game.
pub(crate) fn update_state(
    connection: &Connection,
    id: GameId,
    state: &GameState,
) -> Result<(), GameStoreError> {
    let [south, north] = PlayerId::ALL;
    let remaining = state.clock.map(|clock| clock.remaining_at_turn_start());
    let running = state.clock.and_then(|clock| clock.running());
    let rows = connection.prepare_cached(UPDATE)?.execute(named_params! {
        ":id": id.as_bytes(),
        ":south_left": remaining.map(|remaining| millis(remaining[south])),
        ":north_left": remaining.map(|remaining| millis(remaining[north])),
        ":running": running.map(|running| running.player.started_as.as_str()),
        ":running_since": running.map(|running| running.since.as_millis()),
        ":first_move": running.is_some_and(|running| running.is_first_move),
        ":paused": state.is_paused,
        ":changed": state.changed_at.as_millis(),
        ":south_joined": state.joined[south],
        ":north_joined": state.joined[north],
        ":south_name": state.names[south].as_ref().map(PlayerName::as_str),
        ":north_name": state.names[north].as_ref().map(PlayerName::as_str),
        ":termination": state.ending.map(|ending| ending.termination.as_str()),
        ":winner": state.ending.and_then(|ending| ending.winner).map(Side::as_str),
        ":takeback_offered_by": state.takeback.map(|offer| offer.by.started_as.as_str()),
        ":takeback_declined": state.takeback.is_some_and(|offer| offer.is_declined),
        ":takebacks": state.takeback_count,
        ":rematch_offered_by": state.rematch_offer.map(|offer| offer.by.started_as.as_str()),
        ":rematch_declined": state.rematch_offer.is_some_and(|offer| offer.is_declined),
        ":rematch": state.rematch.as_ref().map(GameId::as_bytes),
        ":south_shares": state.shares[south],
        ":north_shares": state.shares[north],
    })?;
    match rows {
        0 => Err(GameStoreError::GameNotFound(id)),
        _ => Ok(()),
    }
}

/// Reads a game in one transaction.
pub(crate) fn select_game(
    connection: &mut Connection,
    id: GameId,
) -> Result<Option<StoredGame>, GameStoreError> {
    Ok(load_game(&*connection.transaction()?, id)?)
}

/// Reads a game. The caller has begun a transaction, in which its row and its plies agree.
pub(crate) fn load_game(
    connection: &Connection,
    id: GameId,
) -> Result<Option<StoredGame>, rusqlite::Error> {
    let game = connection
        .prepare_cached(SELECT)?
        .query_row([id.as_bytes()], read_game)
        .optional()?;
    let Some(mut game) = game else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(SELECT_PLIES)?;
    let plies = statement.query_map([id.as_bytes()], |row| row.get(0))?;
    game.plies = plies.collect::<Result<_, _>>()?;
    Ok(Some(game))
}

/// Records that the server runs at this time.
pub(crate) fn upsert_heartbeat(
    connection: &Connection,
    now: Timestamp,
) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(UPSERT_HEARTBEAT)?
        .execute([now.as_millis()])?;
    Ok(())
}

/// Moves running clocks by the downtime of the server.
pub(crate) fn skip_downtime(
    connection: &Connection,
    now: Timestamp,
) -> Result<(), rusqlite::Error> {
    connection.execute(SKIP_DOWNTIME, named_params! {":now": now.as_millis()})?;
    Ok(())
}

/// Returns all games with a running clock, and the time at which it expires.
pub(crate) fn select_running(
    connection: &Connection,
) -> Result<Vec<(GameId, Timestamp)>, GameStoreError> {
    let mut statement = connection.prepare(SELECT_RUNNING)?;
    let games = statement.query_map([], |row| {
        let game = read_game(row)?;
        let expiry = game.state.clock.and_then(|clock| clock.expires_at());
        Ok(expiry.map(|expiry| (game.id, expiry)))
    })?;
    Ok(games
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?)
}

/// Returns at most `limit` games that have not changed since `old`, or since `unplayed` if they
/// have no plies and no running clock. The games of a room except the lobby remain as long as it.
pub(crate) fn select_expired(
    connection: &Connection,
    old: Timestamp,
    unplayed: Timestamp,
    limit: usize,
) -> Result<Vec<GameId>, GameStoreError> {
    let mut statement = connection.prepare_cached(SELECT_EXPIRED)?;
    let games = statement.query_map(
        named_params! {
            ":old": old.as_millis(),
            ":unplayed": unplayed.as_millis(),
            ":lobby": RoomCode::lobby().as_str(),
            ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
        },
        |row| row.get::<_, [u8; 16]>(0),
    )?;
    let games = games.map(|id| id.map(GameId::from));
    Ok(games.collect::<Result<_, _>>()?)
}

/// Deletes a game, if it exists, and takes it out of the opening statistics.
pub(crate) fn delete(connection: &Connection, id: GameId) -> Result<(), GameStoreError> {
    openings::uncount_game(connection, id)?;
    connection
        .prepare_cached(DELETE)?
        .execute([id.as_bytes()])?;
    Ok(())
}

fn read_game(row: &Row<'_>) -> Result<StoredGame, rusqlite::Error> {
    let clock = read_clock(row)?;
    let ending = match row.get::<_, Option<String>>("termination")? {
        None => None,
        Some(text) => Some(StoredEnding {
            termination: text
                .parse()
                .map_err(|error| conversion_error(row, "termination", error))?,
            winner: read_side(row, "winner")?,
        }),
    };
    let created = Timestamp::from_millis(row.get("created_ms")?);
    Ok(StoredGame {
        id: GameId::from(row.get::<_, [u8; 16]>("id")?),
        created,
        rules: row.get("rules")?,
        start: row.get("start")?,
        spectator_scores: row.get("spectator_scores")?,
        room: read_game_room(row)?,
        tokens: ByPlayer::new(
            TokenHash::from(row.get::<_, [u8; TokenHash::BYTES]>("south_token")?),
            TokenHash::from(row.get::<_, [u8; TokenHash::BYTES]>("north_token")?),
        ),
        plies: Vec::new(),
        state: GameState {
            changed_at: Timestamp::from_millis(row.get("changed_ms")?),
            clock,
            joined: ByPlayer::new(row.get("south_joined")?, row.get("north_joined")?),
            is_paused: row.get("paused")?,
            names: ByPlayer::new(read_name(row, "south_name")?, read_name(row, "north_name")?),
            shares: ByPlayer::new(row.get("south_shares")?, row.get("north_shares")?),
            ending,
            takeback: read_offer(row, "takeback_offered_by", "takeback_declined")?,
            takeback_count: row.get("takebacks")?,
            rematch_offer: read_offer(row, "rematch_offered_by", "rematch_declined")?,
            rematch: row.get::<_, Option<[u8; 16]>>("rematch")?.map(GameId::from),
        },
    })
}

fn read_clock(row: &Row<'_>) -> Result<Option<FriendClock>, rusqlite::Error> {
    let Some(south) = read_clock_setting(row, "south_initial_ms", "south_increment_ms")? else {
        return Ok(None);
    };
    let setting = if row.get("by_correspondence")? {
        FriendClockSetting::Move(south)
    } else {
        let north = read_clock_setting(row, "north_initial_ms", "north_increment_ms")?;
        FriendClockSetting::Game(ByPlayer::new(south, north.unwrap_or(south)))
    };
    let remaining = ByPlayer::new(
        read_duration(row, "south_left_ms")?.unwrap_or_default(),
        read_duration(row, "north_left_ms")?.unwrap_or_default(),
    );
    let since: Option<i64> = row.get("running_since_ms")?;
    let is_first_move = row.get("first_move")?;
    let running = match (read_side(row, "running")?, since) {
        (Some(side), Some(since)) => Some(RunningClock {
            player: PlayerId::new(side),
            since: Timestamp::from_millis(since),
            is_first_move,
        }),
        _ => None,
    };
    Ok(Some(FriendClock::from_stored(setting, remaining, running)))
}

fn read_clock_setting(
    row: &Row<'_>,
    initial: &str,
    increment: &str,
) -> Result<Option<ClockSetting>, rusqlite::Error> {
    let times = (read_duration(row, initial)?, read_duration(row, increment)?);
    let (Some(initial_time), Some(increment)) = times else {
        return Ok(None);
    };
    let setting = ClockSetting::new(initial_time, increment);
    setting
        .map(Some)
        .ok_or_else(|| conversion_error(row, initial, FriendClockError::Initial))
}

pub(crate) fn read_duration(
    row: &Row<'_>,
    column: &str,
) -> Result<Option<Duration>, rusqlite::Error> {
    let millis: Option<i64> = row.get(column)?;
    let read = |millis| {
        let millis = u64::try_from(millis).map_err(|error| conversion_error(row, column, error))?;
        Ok(Duration::from_millis(millis))
    };
    millis.map(read).transpose()
}

pub(crate) fn read_side(row: &Row<'_>, column: &str) -> Result<Option<Side>, rusqlite::Error> {
    let text: Option<String> = row.get(column)?;
    // A constraint of the table allows only these values.
    let read = |text: String| match text.as_str() {
        "south" => Ok(Side::South),
        "north" => Ok(Side::North),
        _ => Err(conversion_error(row, column, InvalidWordError(text))),
    };
    text.map(read).transpose()
}

fn read_offer(
    row: &Row<'_>,
    player: &str,
    declined: &str,
) -> Result<Option<Offer>, rusqlite::Error> {
    let is_declined = row.get(declined)?;
    Ok(read_side(row, player)?.map(|side| Offer {
        by: PlayerId::new(side),
        is_declined,
    }))
}

fn read_name(row: &Row<'_>, column: &str) -> Result<Option<PlayerName>, rusqlite::Error> {
    let text: Option<String> = row.get(column)?;
    let read = |text: String| {
        text.parse()
            .map_err(|error| conversion_error(row, column, error))
    };
    text.map(read).transpose()
}

/// Reads a column whose text is parsed.
pub(crate) fn read_text<T>(row: &Row<'_>, column: &str) -> Result<T, rusqlite::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: String = row.get(column)?;
    text.parse()
        .map_err(|error| conversion_error(row, column, error))
}

/// A word that a column may not have.
#[derive(Debug, Error)]
#[error("`{0}` is not a word of this column")]
pub(crate) struct InvalidWordError(pub(crate) String);

/// Returns the error of a column with an invalid value.
pub(crate) fn conversion_error(
    row: &Row<'_>,
    column: &str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    let index = row.as_ref().column_index(column).unwrap_or_default();
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error))
}

/// Returns a duration as a column stores it. Clocks hold a few days at most.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
