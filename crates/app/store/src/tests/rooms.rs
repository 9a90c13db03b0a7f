//! Tests of rooms in the store.

use std::time::Duration;

use kalah::{ClockSetting, PlayerId};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{at, new_game, open_at, save};
use crate::{
    GameId, GameRoom, GameStore, GameStoreError, GameWrite, MemberStatus, PlayerName, PlayerToken,
    RoomCode, RoomFormat, RoomGameNumber, RoomSettings, RoomState, RoomWrite, StoredBye,
    StoredGame, StoredMember, StoredRoom, StoredRoomGame, TokenHash, sql,
};

fn name(text: &str) -> PlayerName {
    text.parse().expect("a name")
}

fn settings(format: RoomFormat) -> RoomSettings {
    RoomSettings {
        name: name("Class 7b"),
        rules: "cs32".to_owned(),
        start: "6x4".to_owned(),
        clock: ClockSetting::new(Duration::from_mins(10), Duration::from_secs(5)),
        format,
        games_per_pairing: 2,
        opening_plies: 3,
        engine_help: false,
        // More than the largest integer of SQLite.
        seed: u64::MAX - 1,
    }
}

pub(crate) fn new_room(code: RoomCode, format: RoomFormat) -> StoredRoom {
    StoredRoom {
        code,
        created: at(1),
        settings: settings(format),
        leader: PlayerToken::random().hash(),
        state: RoomState {
            changed_at: at(1),
            round: 0,
            is_paused: false,
            is_closed: false,
        },
        members: Vec::new(),
        games: Vec::new(),
        byes: Vec::new(),
    }
}

fn member(number: u32, text: &str) -> StoredMember {
    StoredMember {
        number,
        name: name(text),
        token: PlayerToken::random().hash(),
        entered: at(2),
        status: MemberStatus::Active,
        is_bot: number == 2,
    }
}

/// Returns a game of a room and its place, at which the members 1 and 2 play.
fn room_game(room: &StoredRoom, pairing: u32, leg: u8) -> (StoredRoomGame, StoredGame) {
    let mut game = new_game(None, at(5));
    game.room = Some(GameRoom {
        code: room.code.clone(),
        name: room.settings.name.clone(),
        engine_help: room.settings.engine_help,
        takebacks: room.settings.format.allows_takebacks(),
        number: (room.state.round > 0).then_some(RoomGameNumber {
            round: room.state.round,
            pairing,
            leg,
        }),
    });
    let place = StoredRoomGame {
        game: game.id,
        round: room.state.round,
        pairing,
        leg,
        south: 1,
        north: 2,
    };
    (place, game)
}

async fn write(store: &GameStore, write: RoomWrite) -> Result<(), GameStoreError> {
    store.write(GameWrite::Room(write)).await
}

async fn save_room(store: &GameStore, room: &StoredRoom) {
    let new = RoomWrite::NewRoom(Box::new(room.clone()));
    write(store, new).await.expect("a stored room");
    for member in &room.members {
        let member = RoomWrite::Member {
            room: room.code.clone(),
            state: room.state,
            member: member.clone(),
        };
        write(store, member).await.expect("a stored member");
    }
}

/// Returns the write of games and byes, with the state of the room.
fn games_write(
    room: &StoredRoom,
    games: Vec<(StoredRoomGame, StoredGame)>,
    byes: Vec<StoredBye>,
) -> RoomWrite {
    RoomWrite::Games {
        room: room.code.clone(),
        state: room.state,
        games,
        byes,
    }
}

#[tokio::test]
async fn rooms_members_games_and_byes_survive_reopening() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut rooms = Vec::new();
    for format in RoomFormat::ALL {
        let mut room = new_room(RoomCode::random(), format);
        room.settings.clock = (room.settings.clock).filter(|_| format.has_rounds());
        room.members = vec![member(1, "Ann"), member(2, "Böb"), member(3, "Cem")];
        save_room(&store, &room).await;
        room.state = RoomState {
            changed_at: at(7),
            round: 1,
            is_paused: true,
            is_closed: format == RoomFormat::Swiss,
        };
        // The games are read by pairing and leg, in whatever order they are written.
        let games = [(2, 1), (1, 2), (1, 1)].map(|(pairing, leg)| room_game(&room, pairing, leg));
        room.byes = vec![StoredBye {
            round: 1,
            member: 3,
        }];
        let new = games_write(&room, games.to_vec(), room.byes.clone());
        write(&store, new).await.expect("stored games");
        room.games = games.iter().rev().map(|&(place, _)| place).collect();
        // A member changes name and status, but neither token nor time.
        room.members[2].name = name("Cemre");
        room.members[2].status = MemberStatus::Removed;
        let mut changed = room.members[2].clone();
        changed.token = PlayerToken::random().hash();
        let changed = RoomWrite::Member {
            room: room.code.clone(),
            state: room.state,
            member: changed,
        };
        write(&store, changed).await.expect("a stored member");
        rooms.push((room, games));
    }
    store.close().await;
    drop(store);

    let store = open_at(folder.path(), at(9)).expect("the same store");
    assert_eq!(store.count_rooms().await, Ok(rooms.len()));
    for (room, games) in rooms {
        assert_eq!(store.load_room(room.code.clone()).await, Ok(room));
        for (_, game) in games {
            let loaded = store.load(game.id).await.expect("a stored game");
            assert_eq!(loaded, game);
            let record = loaded.to_record().expect("a game");
            let number = game.room.and_then(|room| room.number).expect("a round");
            assert_eq!(record.tags().get("Event"), Some("Class 7b"));
            assert_eq!(record.tags().get("Round"), Some(&*number.to_string()));
        }
    }
}

#[tokio::test]
async fn failed_write_of_a_room_changes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut room = new_room(RoomCode::random(), RoomFormat::Swiss);
    room.members = vec![member(1, "Ann"), member(2, "Bob")];
    save_room(&store, &room).await;
    let first = room_game(&room, 1, 1);
    let stored = games_write(&room, vec![first.clone()], Vec::new());
    write(&store, stored).await.expect("a stored game");
    room.games = vec![first.0];

    // The second game has the place of the stored one.
    let (other, same_place) = (room_game(&room, 2, 1), room_game(&room, 1, 1));
    let mut later = room.clone();
    later.state.round = 1;
    later.state.changed_at = at(8);
    let bye = StoredBye {
        round: 1,
        member: 2,
    };
    let refused = games_write(&later, vec![other.clone(), same_place], vec![bye]);
    let refused = write(&store, refused).await;
    assert!(
        matches!(refused, Err(GameStoreError::Database(_))),
        "{refused:?}"
    );
    // No room has the code of another one, and none is changed before it exists.
    let same_code = RoomWrite::NewRoom(Box::new(new_room(room.code.clone(), RoomFormat::Free)));
    assert!(write(&store, same_code).await.is_err());
    let unknown = new_room(RoomCode::random(), RoomFormat::Swiss);
    let error = GameStoreError::RoomNotFound(unknown.code.clone());
    for unknown in [
        games_write(&unknown, vec![other.clone()], Vec::new()),
        RoomWrite::State {
            room: unknown.code.clone(),
            state: unknown.state,
        },
        RoomWrite::Member {
            room: unknown.code.clone(),
            state: unknown.state,
            member: member(1, "Ann"),
        },
    ] {
        assert_eq!(write(&store, unknown).await, Err(error.clone()));
    }
    assert_eq!(store.load_room(room.code.clone()).await, Ok(room));
    assert_eq!(store.count_rooms().await, Ok(1));
    let missing = GameStoreError::GameNotFound(other.0.game);
    assert_eq!(store.load(other.0.game).await, Err(missing));
}

#[tokio::test]
async fn games_of_a_room_stay_as_long_as_the_room_except_in_the_lobby() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let [room, lobby] =
        [RoomCode::random(), RoomCode::lobby()].map(|code| new_room(code, RoomFormat::Free));
    let mut games = Vec::new();
    for room in [&room, &lobby] {
        save_room(&store, room).await;
        let game = room_game(room, 1, 1);
        games.push(game.0.game);
        let new = games_write(room, vec![game], Vec::new());
        write(&store, new).await.expect("a stored game");
    }
    let alone = new_game(None, at(5));
    save(&store, &alone).await;
    let mut expired = store
        .expired_games(at(100), at(100), 9)
        .await
        .expect("games");
    expired.sort_unstable_by_key(|id| *id.as_bytes());
    let mut expected = vec![games[1], alone.id];
    expected.sort_unstable_by_key(|id: &GameId| *id.as_bytes());
    assert_eq!(expired, expected);

    // Its game is one of no room after the room was deleted.
    let delete = RoomWrite::Delete(vec![room.code.clone()]);
    write(&store, delete).await.expect("deleted");
    let expired = store
        .expired_games(at(100), at(100), 9)
        .await
        .expect("games");
    assert!(expired.contains(&games[0]), "{expired:?}");
}

#[tokio::test]
async fn old_rooms_are_deleted_with_their_members_and_their_games_stay() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut old = new_room(RoomCode::random(), RoomFormat::Swiss);
    old.members = vec![member(1, "Ann"), member(2, "Bob")];
    let lobby = new_room(RoomCode::lobby(), RoomFormat::Free);
    let mut recent = new_room(RoomCode::random(), RoomFormat::Swiss);
    recent.members = vec![member(1, "Cem")];
    recent.state.changed_at = at(50);
    for room in [&old, &lobby, &recent] {
        save_room(&store, room).await;
    }
    let (place, mut game) = room_game(&old, 1, 1);
    let bye = StoredBye {
        round: 1,
        member: 2,
    };
    let new = games_write(&old, vec![(place, game.clone())], vec![bye]);
    write(&store, new).await.expect("a stored game");

    assert_eq!(store.old_rooms(at(1), 9).await, Ok(vec![]));
    assert_eq!(store.old_rooms(at(2), 9).await, Ok(vec![old.code.clone()]));
    let mut all = store.old_rooms(at(51), 9).await.expect("rooms");
    all.sort_unstable();
    let mut expected = vec![old.code.clone(), recent.code.clone()];
    expected.sort_unstable();
    assert_eq!(all, expected);
    assert_eq!(
        store.old_rooms(at(51), 1).await.map(|rooms| rooms.len()),
        Ok(1)
    );

    // A code without a room is deleted as well.
    let delete = RoomWrite::Delete(vec![old.code.clone(), RoomCode::random()]);
    write(&store, delete).await.expect("deleted");
    let missing = GameStoreError::RoomNotFound(old.code.clone());
    assert_eq!(store.load_room(old.code.clone()).await, Err(missing));
    game.room = None;
    assert_eq!(store.load(game.id).await, Ok(game));
    assert_eq!(store.load_room(recent.code.clone()).await, Ok(recent));
    store.close().await;
    let connection = Connection::open(folder.path().join("games.sqlite3")).expect("a database");
    for table in ["room_members", "room_games", "room_byes"] {
        let count = format!("SELECT count(*) FROM {table} WHERE room = ?1");
        let count: i64 = connection
            .query_row(&count, [old.code.as_str()], |row| row.get(0))
            .expect("a number");
        assert_eq!(count, 0, "{table}");
    }
}

#[tokio::test]
async fn deleted_game_leaves_its_room() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let room = new_room(RoomCode::random(), RoomFormat::Free);
    save_room(&store, &room).await;
    let games = [room_game(&room, 1, 1), room_game(&room, 2, 1)];
    let new = games_write(&room, games.to_vec(), Vec::new());
    write(&store, new).await.expect("stored games");
    let [(deleted, _), (kept, _)] = games;
    store
        .write(GameWrite::Delete(vec![deleted.game]))
        .await
        .expect("deleted");
    let loaded = store.load_room(room.code).await.expect("the room");
    assert_eq!(loaded.games, [kept]);
}

#[tokio::test]
async fn games_of_version_4_belong_to_no_room() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("games.sqlite3");
    let connection = Connection::open(&file).expect("a database");
    sql::migrate_to(&connection, 4).expect("an old version");
    let (id, hash) = ([7_u8; 16], [8_u8; TokenHash::BYTES]);
    connection
        .execute(
            "INSERT INTO games (
                id, created_ms, rules, start, south_token, north_token, changed_ms, south_joined,
                north_joined, by_correspondence, first_move, spectator_scores
            ) VALUES (?1, 1, 'cs32', '6x4', ?2, ?2, 2, 1, 1, 0, 0, 1)",
            rusqlite::params![id, hash],
        )
        .expect("a game");
    connection
        .execute(
            "INSERT INTO plies (game, ply, move) VALUES (?1, 1, 'C')",
            [id],
        )
        .expect("a ply");
    drop(connection);
    let store = open_at(folder.path(), at(5)).expect("the store");
    let game = store.load(GameId::from(id)).await.expect("the game");
    assert_eq!((game.room, game.state.is_paused), (None, false));
    assert_eq!(game.plies, ["C"]);
    assert!(game.state.joined[PlayerId::ALL[1]]);
    assert_eq!(store.count_rooms().await, Ok(0));
    let room = new_room(RoomCode::random(), RoomFormat::Ladder);
    save_room(&store, &room).await;
    assert_eq!(store.load_room(room.code.clone()).await, Ok(room));
}
