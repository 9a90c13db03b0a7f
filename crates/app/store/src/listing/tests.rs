//! Tests of lists and look-ups, with databases in temporary folders.

use std::fs;

use kalah::{ByPlayer, Side, Termination};
use tempfile::TempDir;

use super::*;
use crate::game_store::GameStore;
use crate::model::{GameWrite, PlayerToken, StoredEnding};
use crate::name::PlayerName;
use crate::room::{GameRoom, RoomFormat, RoomSettings, RoomState, RoomWrite, StoredRoom};
use crate::tests::{at, new_game, open_at, save};

/// The number of random ids with which prefixes are compared.
const RANDOM_IDS: usize = 3000;

fn reader(folder: &TempDir) -> GameReader {
    GameReader::open(&DataFolder::new(folder.path())).expect("stored games")
}

/// Returns the ids of the games that meet a filter.
fn listed(reader: &GameReader, filter: &GameFilter) -> Vec<GameId> {
    let mut ids = Vec::new();
    let visited = reader.visit(filter, |game| {
        ids.push(game.map_or_else(|error| error.id, |game| game.id));
        Ok::<_, GameStoreError>(ControlFlow::Continue(()))
    });
    visited.expect("readable games");
    assert_eq!(reader.count(filter), Ok(ids.len() as u64));
    ids
}

/// Saves a room without members.
async fn save_room(store: &GameStore) -> GameRoom {
    let name: PlayerName = "Club".parse().expect("a name");
    let settings = RoomSettings {
        name: name.clone(),
        rules: "cs32".to_owned(),
        start: "6x4".to_owned(),
        clock: None,
        format: RoomFormat::Free,
        games_per_pairing: 1,
        opening_plies: 0,
        engine_help: false,
        seed: 0,
    };
    let state = RoomState {
        changed_at: at(0),
        round: 0,
        is_paused: false,
        is_closed: false,
    };
    let code = RoomCode::random();
    let room = StoredRoom {
        code: code.clone(),
        created: at(0),
        settings,
        leader: PlayerToken::random().hash(),
        state,
        members: Vec::new(),
        games: Vec::new(),
        byes: Vec::new(),
    };
    let write = GameWrite::Room(RoomWrite::NewRoom(Box::new(room)));
    store.write(write).await.expect("a stored room");
    GameRoom {
        code,
        name,
        engine_help: false,
        takebacks: true,
        number: None,
    }
}

/// Saves games of which each has a name, an ending or neither, and returns them, the latest first.
async fn save_games(folder: &TempDir) -> Vec<StoredGame> {
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let names = ["Ann", "ÄNNE", "Bob", "anna", "100%_", "Zoë"];
    let mut games = Vec::new();
    let room = save_room(&store).await;
    for (number, name) in (1..).zip(names) {
        let mut game = new_game(None, at(number));
        game.room = (number % 3 == 0).then(|| room.clone());
        game.state.names = ByPlayer::new(None, name.parse().ok());
        game.state.changed_at = at(number * 10 % 37);
        game.state.ending = (number % 2 == 0).then_some(StoredEnding {
            termination: Termination::Resign,
            winner: Some(Side::South),
        });
        save(&store, &game).await;
        games.insert(0, game);
    }
    store.close().await;
    games
}

/// The slow twin of the filter in SQL.
fn meets(filter: &GameFilter, game: &StoredGame) -> bool {
    let names = PlayerId::ALL.map(|player| game.state.names[player].as_ref());
    let has_name = |part: &String| {
        let part = part.to_lowercase();
        let mut names = names.iter().flatten();
        names.any(|name| name.as_str().to_lowercase().contains(&part))
    };
    filter
        .is_ended
        .is_none_or(|ended| game.state.ending.is_some() == ended)
        && filter
            .since
            .is_none_or(|since| game.state.changed_at >= since)
        && filter.name.as_ref().is_none_or(has_name)
        && (filter.room.as_ref())
            .is_none_or(|code| game.room.as_ref().is_some_and(|room| room.code == *code))
}

#[tokio::test]
async fn filters_agree_with_their_conditions() {
    let folder = TempDir::new().expect("a folder");
    let games = save_games(&folder).await;
    let reader = reader(&folder);
    let names = [None, Some("ann"), Some("änn"), Some("%"), Some("x")];
    let room = games.iter().find_map(|game| game.room.clone());
    let rooms = [None, room.map(|room| room.code), Some(RoomCode::lobby())];
    let mut numbers = Vec::new();
    for is_ended in [None, Some(false), Some(true)] {
        for since in [None, Some(at(10)), Some(at(13)), Some(at(99))] {
            for name in names {
                let name = name.map(str::to_owned);
                for room in &rooms {
                    let filter = GameFilter {
                        is_ended,
                        name: name.clone(),
                        since,
                        room: room.clone(),
                    };
                    let expected = games.iter().filter(|game| meets(&filter, game));
                    let expected: Vec<GameId> = expected.map(|game| game.id).collect();
                    assert_eq!(listed(&reader, &filter), expected, "{filter:?}");
                    numbers.push(expected.len());
                }
            }
        }
    }
    assert_eq!(reader.count_all(), Ok(games.len() as u64));
    assert!(numbers.contains(&0) && numbers.contains(&1) && numbers.contains(&games.len()));
}

#[tokio::test]
async fn reader_shows_one_moment_beside_a_server() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let (first, second) = (new_game(None, at(1)), new_game(None, at(2)));
    save(&store, &first).await;
    let before = reader(&folder);
    save(&store, &second).await;
    assert_eq!(listed(&before, &GameFilter::default()), [first.id]);
    assert_eq!(before.load(first.id), Ok(first.clone()));
    assert_eq!(
        before.load(second.id),
        Err(GameStoreError::GameNotFound(second.id))
    );
    let after = reader(&folder);
    assert_eq!(
        listed(&after, &GameFilter::default()),
        [second.id, first.id]
    );
}

#[tokio::test]
async fn unreadable_game_is_reported_and_others_are_listed() {
    let folder = TempDir::new().expect("a folder");
    let games = save_games(&folder).await;
    let database = Connection::open(DataFolder::new(folder.path()).database()).expect("games");
    let id = games[2].id;
    let update = "UPDATE games SET south_name = char(27) WHERE id = ?1";
    let updated = database.execute(update, [id.as_bytes()]);
    assert_eq!(updated, Ok(1));
    drop(database);
    let mut unreadable = Vec::new();
    let mut readable = 0;
    let visited = reader(&folder).visit(&GameFilter::default(), |game| {
        match game {
            Ok(_) => readable += 1,
            Err(error) => unreadable.push(error),
        }
        Ok::<_, GameStoreError>(ControlFlow::Continue(()))
    });
    visited.expect("a readable database");
    assert_eq!((readable, unreadable.len()), (games.len() - 1, 1));
    assert_eq!(unreadable[0].id, id);
    assert!(unreadable[0].reason.contains("U+001B"), "{unreadable:?}");
}

#[test]
fn older_database_is_read_from_a_copy_and_unchanged() {
    let folder = TempDir::new().expect("a folder");
    let file = DataFolder::new(folder.path()).database();
    for version in 1..sql::MIGRATIONS.len() {
        let database = Connection::open(&file).expect("a database");
        sql::migrate_to(&database, version).expect("an older database");
        drop(database);
        let before = fs::read(&file).expect("a file");
        assert_eq!(listed(&reader(&folder), &GameFilter::default()), []);
        assert_eq!(fs::read(&file).expect("a file"), before);
        fs::remove_file(&file).expect("a file");
    }
}

#[test]
fn missing_and_foreign_databases_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let data = DataFolder::new(folder.path());
    let missing = DataFolder::new(&folder.path().join("missing"));
    let refusal = |data: &DataFolder| GameReader::open(data).expect_err("no games").to_string();
    assert!(refusal(&missing).starts_with("there is no folder '"));
    assert!(!missing.path().exists());
    assert!(refusal(&data).starts_with("there are no games in '"));
    fs::write(data.database(), "").expect("an empty file");
    assert!(refusal(&data).starts_with("there are no games in '"));
    fs::write(data.database(), "games ".repeat(1000)).expect("a text");
    assert!(refusal(&data).ends_with("' is not a database of games"));
    fs::remove_file(data.database()).expect("a file");
    let database = Connection::open(data.database()).expect("a database");
    sql::migrate_to(&database, sql::MIGRATIONS.len()).expect("a new database");
    let later = sql::latest_version() + 1;
    (database.pragma_update(None, "user_version", later)).expect("a database");
    drop(database);
    let message = refusal(&data);
    assert!(message.contains("made by a later version"), "{message}");
    let file = DataFolder::new(&data.database());
    assert!(refusal(&file).ends_with("is not a folder"));
}

#[test]
fn range_of_a_prefix_has_the_ids_that_begin_so() {
    for _ in 0..RANDOM_IDS {
        let (id, other) = (GameId::random(), GameId::random());
        let text = id.to_string();
        for length in [1, 2, 3, 21, 22] {
            let prefix: GameIdPrefix = text[..length].parse().expect("a prefix");
            let [first, last] = prefix.range;
            assert!(first.is_within(id, last) && prefix.is_of(id), "{text}");
            assert_eq!(
                first.is_within(other, last),
                prefix.is_of(other),
                "{text} {other}"
            );
        }
    }
    for text in [
        "",
        "+",
        "ä",
        "AAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAB",
        "A A",
    ] {
        assert!(text.parse::<GameIdPrefix>().is_err(), "{text}");
    }
}

impl GameId {
    /// Returns whether `id` is not before this one and not after `last`.
    fn is_within(self, id: Self, last: Self) -> bool {
        (self..=last).contains(&id)
    }
}

#[tokio::test]
async fn game_is_found_by_an_unambiguous_prefix() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let ids = [
        "AAAAAAAAAAAAAAAAAAAAAA",
        "AAAB_-AAAAAAAAAAAAAAAA",
        "-AAAAAAAAAAAAAAAAAAAAA",
    ];
    let ids = ids.map(|id| id.parse::<GameId>().expect("an id"));
    for id in ids {
        let mut game = new_game(None, at(1));
        game.id = id;
        save(&store, &game).await;
    }
    let reader = reader(&folder);
    let find = |text: &str| reader.find(&text.parse().expect("a prefix"));
    assert_eq!(find("AAAA"), Ok(ids[0]));
    assert_eq!(find("AAAB"), Ok(ids[1]));
    assert_eq!(find("-"), Ok(ids[2]));
    assert_eq!(find(&ids[1].to_string()), Ok(ids[1]));
    let error = find("AAA").expect_err("two games");
    assert_eq!(
        error.to_string(),
        format!(
            "`AAA` is the beginning of several ids: {}, {}",
            ids[0], ids[1]
        )
    );
    let error = find("AAC").expect_err("no game");
    assert_eq!(error.to_string(), "there is no game `AAC`");
}
