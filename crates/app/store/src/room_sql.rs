//! The SQL of rooms: the statements, and the mapping of rows to rooms.

use std::time::Duration;

use kalah::ClockSetting;
use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};

use crate::clock::{FriendClockError, Timestamp};
use crate::error::GameStoreError;
use crate::model::{GameId, StoredGame, TokenHash};
use crate::openings;
use crate::room::{
    GameRoom, MemberStatus, RoomCode, RoomFormat, RoomGameNumber, RoomSettings, RoomState,
    RoomWrite, StoredBye, StoredMember, StoredRoom, StoredRoomGame,
};
use crate::sql::{
    InvalidWordError, conversion_error, insert_game, millis, read_duration, read_text,
};

const INSERT: &str = "
    INSERT INTO rooms (
        code, created_ms, name, rules, start, initial_ms, increment_ms, format, games_per_pairing,
        opening_plies, engine_help, seed, leader_token, changed_ms, round, paused, closed
    ) VALUES (
        :code, :created, :name, :rules, :start, :initial, :increment, :format, :games_per_pairing,
        :opening_plies, :engine_help, :seed, :leader_token, :created, 0, 0, 0
    )";
const UPDATE: &str = "
    UPDATE rooms SET changed_ms = :changed, round = :round, paused = :paused, closed = :closed
    WHERE code = :code";
const UPSERT_MEMBER: &str = "
    INSERT INTO room_members (room, number, name, token, entered_ms, bot, status)
    VALUES (:room, :number, :name, :token, :entered, :bot, :status)
    ON CONFLICT (room, number) DO UPDATE SET name = excluded.name, status = excluded.status";
const INSERT_GAME: &str = "
    INSERT INTO room_games (game, room, round, pairing, leg, south_member, north_member)
    VALUES (:game, :room, :round, :pairing, :leg, :south, :north)";
const INSERT_BYE: &str = "INSERT INTO room_byes (room, round, member) VALUES (?1, ?2, ?3)";
const SELECT: &str = "SELECT * FROM rooms WHERE code = ?1";
const SELECT_MEMBERS: &str = "SELECT * FROM room_members WHERE room = ?1 ORDER BY number";
const SELECT_GAMES: &str = "
    SELECT * FROM room_games WHERE room = ?1 ORDER BY round, pairing, leg";
const SELECT_BYES: &str = "SELECT * FROM room_byes WHERE room = ?1 ORDER BY round, member";
const SELECT_OLD: &str = "
    SELECT code FROM rooms WHERE changed_ms < :old AND code <> :lobby LIMIT :limit";
const COUNT: &str = "SELECT count(*) FROM rooms";
const DELETE: &str = "DELETE FROM rooms WHERE code = ?1";

/// Applies a write.
pub(crate) fn apply(connection: &Connection, write: &RoomWrite) -> Result<(), GameStoreError> {
    match write {
        RoomWrite::NewRoom(room) => insert_room(connection, room),
        RoomWrite::State { room, state } => update_state(connection, room, state),
        RoomWrite::Member {
            room,
            state,
            member,
        } => {
            update_state(connection, room, state)?;
            upsert_member(connection, room, member)
        }
        RoomWrite::Games {
            room,
            state,
            games,
            byes,
        } => {
            update_state(connection, room, state)?;
            for (place, game) in games {
                insert_room_game(connection, room, place, game)?;
            }
            byes.iter()
                .try_for_each(|bye| insert_bye(connection, room, *bye))
        }
        RoomWrite::Delete(rooms) => rooms.iter().try_for_each(|room| {
            connection
                .prepare_cached(DELETE)?
                .execute([room.as_str()])?;
            openings::delete_room(connection, room)
        }),
    }
}

fn insert_room(connection: &Connection, room: &StoredRoom) -> Result<(), GameStoreError> {
    let settings = &room.settings;
    connection.prepare_cached(INSERT)?.execute(named_params! {
        ":code": room.code.as_str(),
        ":created": room.created.as_millis(),
        ":name": settings.name.as_str(),
        ":rules": settings.rules,
        ":start": settings.start,
        ":initial": settings.clock.map(|clock| millis(clock.initial())),
        ":increment": settings.clock.map(|clock| millis(clock.increment())),
        ":format": settings.format.as_str(),
        ":games_per_pairing": settings.games_per_pairing,
        ":opening_plies": settings.opening_plies,
        ":engine_help": settings.engine_help,
        ":seed": settings.seed.cast_signed(),
        ":leader_token": room.leader.as_bytes(),
    })?;
    update_state(connection, &room.code, &room.state)
}

fn update_state(
    connection: &Connection,
    room: &RoomCode,
    state: &RoomState,
) -> Result<(), GameStoreError> {
    let rows = connection.prepare_cached(UPDATE)?.execute(named_params! {
        ":code": room.as_str(),
        ":changed": state.changed_at.as_millis(),
        ":round": state.round,
        ":paused": state.is_paused,
        ":closed": state.is_closed,
    })?;
    match rows {
        0 => Err(GameStoreError::RoomNotFound(room.clone())),
        _ => Ok(()),
    }
}

fn upsert_member(
    connection: &Connection,
    room: &RoomCode,
    member: &StoredMember,
) -> Result<(), GameStoreError> {
    let mut statement = connection.prepare_cached(UPSERT_MEMBER)?;
    statement.execute(named_params! {
        ":room": room.as_str(),
        ":number": member.number,
        ":name": member.name.as_str(),
        ":token": member.token.as_bytes(),
        ":entered": member.entered.as_millis(),
        ":bot": member.is_bot,
        ":status": member.status.as_str(),
    })?;
    Ok(())
}

fn insert_room_game(
    connection: &Connection,
    room: &RoomCode,
    place: &StoredRoomGame,
    game: &StoredGame,
) -> Result<(), GameStoreError> {
    insert_game(connection, game)?;
    let mut statement = connection.prepare_cached(INSERT_GAME)?;
    statement.execute(named_params! {
        ":game": place.game.as_bytes(),
        ":room": room.as_str(),
        ":round": place.round,
        ":pairing": place.pairing,
        ":leg": place.leg,
        ":south": place.south,
        ":north": place.north,
    })?;
    Ok(())
}

fn insert_bye(
    connection: &Connection,
    room: &RoomCode,
    bye: StoredBye,
) -> Result<(), GameStoreError> {
    let mut statement = connection.prepare_cached(INSERT_BYE)?;
    statement.execute(params![room.as_str(), bye.round, bye.member])?;
    Ok(())
}

/// Reads a room with its members and the places of its games in one transaction.
pub(crate) fn select_room(
    connection: &mut Connection,
    code: &RoomCode,
) -> Result<Option<StoredRoom>, GameStoreError> {
    let transaction = connection.transaction()?;
    let room = transaction
        .prepare_cached(SELECT)?
        .query_row([code.as_str()], read_room)
        .optional()?;
    let Some(mut room) = room else {
        return Ok(None);
    };
    room.members = select_all(&transaction, SELECT_MEMBERS, code, read_member)?;
    room.games = select_all(&transaction, SELECT_GAMES, code, read_room_game)?;
    room.byes = select_all(&transaction, SELECT_BYES, code, |row| {
        Ok(StoredBye {
            round: row.get("round")?,
            member: row.get("member")?,
        })
    })?;
    Ok(Some(room))
}

fn select_all<T>(
    connection: &Connection,
    sql: &str,
    code: &RoomCode,
    read: impl Fn(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Vec<T>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([code.as_str()], |row| read(row))?;
    rows.collect()
}

/// Returns the codes of at most `limit` rooms that have not changed since `old`, except the lobby.
pub(crate) fn select_old_rooms(
    connection: &Connection,
    old: Timestamp,
    limit: usize,
) -> Result<Vec<RoomCode>, GameStoreError> {
    let mut statement = connection.prepare_cached(SELECT_OLD)?;
    let rooms = statement.query_map(
        named_params! {
            ":old": old.as_millis(),
            ":lobby": RoomCode::lobby().as_str(),
            ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
        },
        |row| read_code(row, "code"),
    )?;
    Ok(rooms.collect::<Result<_, _>>()?)
}

/// Returns the number of rooms.
pub(crate) fn count_rooms(connection: &Connection) -> Result<usize, GameStoreError> {
    let count: i64 = connection
        .prepare_cached(COUNT)?
        .query_row([], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Reads the room of a game from a row of games that are joined with their rooms.
pub(crate) fn read_game_room(row: &Row<'_>) -> Result<Option<GameRoom>, rusqlite::Error> {
    if row.get::<_, Option<String>>("room")?.is_none() {
        return Ok(None);
    }
    Ok(Some(GameRoom {
        code: read_code(row, "room")?,
        name: read_text(row, "room_name")?,
        engine_help: row.get("room_engine_help")?,
        takebacks: read_format(row, "room_format")?.allows_takebacks(),
        number: read_number(row)?,
    }))
}

/// Reads the number of a game from a row of games that are joined with their rooms.
fn read_number(row: &Row<'_>) -> Result<Option<RoomGameNumber>, rusqlite::Error> {
    let round: Option<u32> = row.get("room_round")?;
    let Some(round @ 1..) = round else {
        return Ok(None);
    };
    Ok(Some(RoomGameNumber {
        round,
        pairing: row.get("room_pairing")?,
        leg: row.get("room_leg")?,
    }))
}

fn read_room(row: &Row<'_>) -> Result<StoredRoom, rusqlite::Error> {
    let seed: i64 = row.get("seed")?;
    Ok(StoredRoom {
        code: read_code(row, "code")?,
        created: Timestamp::from_millis(row.get("created_ms")?),
        settings: RoomSettings {
            name: read_text(row, "name")?,
            rules: row.get("rules")?,
            start: row.get("start")?,
            clock: read_clock(row)?,
            format: read_format(row, "format")?,
            games_per_pairing: row.get("games_per_pairing")?,
            opening_plies: row.get("opening_plies")?,
            engine_help: row.get("engine_help")?,
            seed: seed.cast_unsigned(),
        },
        leader: TokenHash::from(row.get::<_, [u8; TokenHash::BYTES]>("leader_token")?),
        state: RoomState {
            changed_at: Timestamp::from_millis(row.get("changed_ms")?),
            round: row.get("round")?,
            is_paused: row.get("paused")?,
            is_closed: row.get("closed")?,
        },
        members: Vec::new(),
        games: Vec::new(),
        byes: Vec::new(),
    })
}

fn read_clock(row: &Row<'_>) -> Result<Option<ClockSetting>, rusqlite::Error> {
    let times = (
        read_duration(row, "initial_ms")?,
        read_duration(row, "increment_ms")?,
    );
    let (Some(initial), Some(increment)): (Option<Duration>, Option<Duration>) = times else {
        return Ok(None);
    };
    let setting = ClockSetting::new(initial, increment);
    setting
        .map(Some)
        .ok_or_else(|| conversion_error(row, "initial_ms", FriendClockError::Initial))
}

fn read_member(row: &Row<'_>) -> Result<StoredMember, rusqlite::Error> {
    let status: String = row.get("status")?;
    Ok(StoredMember {
        number: row.get("number")?,
        name: read_text(row, "name")?,
        token: TokenHash::from(row.get::<_, [u8; TokenHash::BYTES]>("token")?),
        entered: Timestamp::from_millis(row.get("entered_ms")?),
        is_bot: row.get("bot")?,
        status: MemberStatus::from_word(&status)
            .ok_or_else(|| conversion_error(row, "status", InvalidWordError(status)))?,
    })
}

fn read_room_game(row: &Row<'_>) -> Result<StoredRoomGame, rusqlite::Error> {
    Ok(StoredRoomGame {
        game: GameId::from(row.get::<_, [u8; 16]>("game")?),
        round: row.get("round")?,
        pairing: row.get("pairing")?,
        leg: row.get("leg")?,
        south: row.get("south_member")?,
        north: row.get("north_member")?,
    })
}

fn read_format(row: &Row<'_>, column: &str) -> Result<RoomFormat, rusqlite::Error> {
    let word: String = row.get(column)?;
    RoomFormat::from_word(&word)
        .ok_or_else(|| conversion_error(row, column, InvalidWordError(word)))
}

fn read_code(row: &Row<'_>, column: &str) -> Result<RoomCode, rusqlite::Error> {
    read_text(row, column)
}
