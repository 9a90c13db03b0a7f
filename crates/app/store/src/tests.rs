//! Tests of the store with databases in temporary folders.

pub(crate) mod rooms;
mod shared;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kalah::{ByPlayer, Ending, Game, House, Move, PlayerId, Position, Rules, Side, Termination};
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;

pub(crate) const SOUTH: PlayerId = PlayerId::ALL[0];
pub(crate) const NORTH: PlayerId = PlayerId::ALL[1];

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn open_at(folder: &Path, now: Timestamp) -> Result<GameStore, OpenStoreError> {
    GameStore::open(&DataFolder::new(folder), now, Box::new(|_, _| {}))
}

pub(crate) fn new_game(clock: Option<FriendClockSetting>, now: Timestamp) -> StoredGame {
    StoredGame {
        id: GameId::random(),
        created: now,
        rules: Rules::MANKALAH.to_string(),
        start: "6x4".to_owned(),
        spectator_scores: false,
        room: None,
        tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
        plies: Vec::new(),
        state: GameState::new(now, clock.map(FriendClock::new)),
    }
}

pub(crate) fn clock() -> FriendClockSetting {
    let setting = friend_clock_setting(Duration::from_mins(1), Duration::from_secs(2));
    let setting = setting.expect("a good setting");
    FriendClockSetting::Game(ByPlayer::new(setting, setting))
}

/// Appends a ply of `player` to a game, and returns the write that stores it.
pub(crate) fn play(game: &mut StoredGame, player: PlayerId, mv: &str, now: Timestamp) -> GameWrite {
    game.plies.push(mv.to_owned());
    game.state.changed_at = now;
    game.state.joined[player] = true;
    if let Some(clock) = &mut game.state.clock {
        clock.complete_ply(player.opponent(), now);
        clock.run(player.opponent(), now);
    }
    GameWrite::Ply {
        game: game.id,
        number: game.plies.len(),
        mv: mv.to_owned(),
        state: Box::new(game.state.clone()),
    }
}

/// Ends a game with a rematch, and returns the rematch.
fn create_rematch(game: &mut StoredGame, now: Timestamp) -> StoredGame {
    let rematch = new_game(game.state.clock.map(|clock| clock.setting()), now);
    if let Some(clock) = &mut game.state.clock {
        clock.stop(now);
    }
    game.state.changed_at = now;
    game.state.ending = Some(StoredEnding {
        termination: Termination::Resign,
        winner: Some(Side::South),
    });
    game.state.rematch_offer = Some(Offer {
        by: NORTH,
        is_declined: false,
    });
    game.state.rematch = Some(rematch.id);
    rematch
}

pub(crate) async fn save(store: &GameStore, game: &StoredGame) {
    let write = GameWrite::NewGame(Box::new(game.clone()));
    store.write(write).await.expect("a stored game");
}

#[tokio::test]
async fn saved_games_survive_reopening() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    game.state.names = ByPlayer::new("Ann <b>".parse().ok(), None);
    save(&store, &game).await;
    assert_eq!(store.load(game.id).await, Ok(game.clone()));

    for (time, (player, mv)) in (1..).zip([(SOUTH, "C"), (NORTH, "swap"), (SOUTH, "a")]) {
        let write = play(&mut game, player, mv, at(time));
        store.write(write).await.expect("a stored ply");
        assert_eq!(store.load(game.id).await, Ok(game.clone()), "{mv}");
    }
    let rematch = create_rematch(&mut game, at(11));
    let write = GameWrite::Rematch {
        game: game.id,
        state: Box::new(game.state.clone()),
        other: Box::new(rematch.clone()),
    };
    store.write(write).await.expect("two stored games");
    store.close().await;
    assert_eq!(
        store.write(GameWrite::Heartbeat(at(12))).await,
        Err(GameStoreError::Closed)
    );
    drop(store);

    let store = open_at(folder.path(), at(100)).expect("the same store");
    assert_eq!(store.load(game.id).await, Ok(game));
    assert_eq!(store.load(rematch.id).await, Ok(rematch));
}

#[tokio::test]
async fn unequal_clocks_correspondence_and_first_moves_survive_reopening() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let setting = |seconds| {
        let increment = Duration::from_secs(1);
        friend_clock_setting(Duration::from_secs(seconds), increment).expect("a good setting")
    };
    let unequal = FriendClockSetting::Game(ByPlayer::new(setting(60), setting(30)));
    let days = FriendClockSetting::correspondence(14).expect("a good setting");
    for setting in [unequal, days] {
        let mut game = new_game(Some(setting), at(0));
        game.spectator_scores = true;
        save(&store, &game).await;
        assert_eq!(store.load(game.id).await, Ok(game.clone()));
        let clock = game.state.clock.as_mut().expect("a clock");
        clock.await_first_move(NORTH, at(3));
        let expiry = clock.expires_at().expect("a running clock");
        game.state.joined = ByPlayer::new(true, true);
        let token = PlayerToken::random().hash();
        let write = GameWrite::Join {
            game: game.id,
            player: NORTH,
            token,
            state: Box::new(game.state.clone()),
        };
        store.write(write).await.expect("a stored game");
        game.tokens[NORTH] = token;
        assert_eq!(store.load(game.id).await, Ok(game.clone()));
        let running = store.running_clocks().await.expect("the clocks");
        assert!(running.contains(&(game.id, expiry)), "{running:?}");
        let expired = store.expired_games(at(0), at(1_000_000), 10).await;
        assert_eq!(expired, Ok(vec![]), "a running clock ends its game");
    }
}

#[tokio::test]
async fn closed_store_is_one_file() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    store.load(GameId::random()).await.expect_err("no game");
    let has_log = || folder.path().join("games.sqlite3-wal").exists();
    assert!(has_log());
    store.close().await;
    assert!(!has_log());
    let error = store
        .load(GameId::random())
        .await
        .expect_err("it is closed");
    assert!(matches!(error, GameStoreError::Closed), "{error}");
    store.close().await;
}

#[tokio::test]
async fn takeback_removes_plies_and_is_recorded() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    save(&store, &game).await;
    for (time, (player, mv)) in (1..).zip([(SOUTH, "C"), (NORTH, "a"), (SOUTH, "B")]) {
        let write = play(&mut game, player, mv, at(time));
        store.write(write).await.expect("a stored ply");
    }
    game.plies.truncate(1);
    game.state.changed_at = at(9);
    game.state.takeback_count = 1;
    let takeback = Takeback {
        by: NORTH,
        plies_left: 1,
        moves: vec!["a".to_owned(), "B".to_owned()],
    };
    let write = GameWrite::Takeback {
        game: game.id,
        takeback,
        state: Box::new(game.state.clone()),
    };
    store.write(write.clone()).await.expect("a stored takeback");
    // The number of a takeback is unique.
    assert!(store.write(write).await.is_err());
    let write = play(&mut game, NORTH, "d", at(10));
    store.write(write).await.expect("another ply 2");
    game.state.takeback = Some(Offer {
        by: SOUTH,
        is_declined: true,
    });
    let write = GameWrite::State {
        game: game.id,
        state: Box::new(game.state.clone()),
    };
    store.write(write).await.expect("a stored offer");
    store.close().await;
    drop(store);

    let store = open_at(folder.path(), at(10)).expect("the same store");
    assert_eq!(store.load(game.id).await, Ok(game));
    let connection = Connection::open(folder.path().join("games.sqlite3")).expect("a database");
    let event: (i64, String, i64, String) = connection
        .query_row(
            "SELECT at_ms, player, plies_left, moves FROM takebacks",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .expect("one takeback");
    assert_eq!(event, (9, "north".to_owned(), 1, "a B".to_owned()));
}

#[test]
fn finished_game_is_loaded_with_its_ending() {
    let directory = TempDir::new().expect("a folder");
    let folder = DataFolder::new(directory.path());
    let games = FinishedGameStore::open(&folder, at(5)).expect("a new store");
    assert!(FinishedGameStore::open(&folder, at(5)).is_err());
    let mut game = Game::new(Position::start(6, 4, Rules::STANDARD).expect("a start"));
    let house = House::new(1).expect("from 1 to 26");
    game.play(Move::Sow(house)).expect("it has seeds");
    let ending = Ending {
        termination: Termination::Illegal,
        winner: Some(Side::South),
        outcome: None,
    };
    let id = games.save(&game, ending, at(6)).expect("a stored game");
    drop(games);

    let store = open_at(folder.path(), at(7)).expect("the same store");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let loaded = runtime.block_on(store.load(id)).expect("a stored game");
    assert_eq!(
        (loaded.rules, loaded.start, loaded.plies),
        (
            Rules::STANDARD.to_string(),
            game.start().to_string(),
            vec!["A".to_owned()]
        )
    );
    let expected = StoredEnding {
        termination: Termination::Illegal,
        winner: Some(Side::South),
    };
    assert_eq!(
        (loaded.created, loaded.state.ending),
        (at(6), Some(expected))
    );
}

#[tokio::test]
async fn ply_is_saved_once_and_only_for_a_known_game() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(None, at(0));
    let write = play(&mut game, SOUTH, "C", at(1));
    let unknown = store.write(write.clone()).await;
    assert_eq!(unknown, Err(GameStoreError::GameNotFound(game.id)));
    assert_eq!(
        store.load(game.id).await,
        Err(GameStoreError::GameNotFound(game.id))
    );

    save(&store, &game).await;
    let repeated = store.write(write).await;
    assert!(
        matches!(repeated, Err(GameStoreError::Database(_))),
        "{repeated:?}"
    );
    let loaded = store.load(game.id).await.expect("the game is there");
    assert_eq!(loaded.plies, ["C"]);
}

#[tokio::test]
async fn concurrent_writes_share_commits_but_not_failures() {
    let folder = TempDir::new().expect("a folder");
    let commits = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&commits);
    let count = move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let data = DataFolder::new(folder.path());
    let store = Arc::new(GameStore::open(&data, at(0), Box::new(count)).expect("a new store"));
    let games: Vec<_> = (0..500).map(|_| new_game(None, at(0))).collect();
    let mut tasks = tokio::task::JoinSet::new();
    // One write that fails among many that succeed.
    let unknown = new_game(None, at(0));
    let write = GameWrite::State {
        game: unknown.id,
        state: Box::new(unknown.state),
    };
    let failing_store = Arc::clone(&store);
    tasks.spawn(async move { failing_store.write(write).await.is_err() });
    for game in &games {
        let (store, game) = (Arc::clone(&store), Box::new(game.clone()));
        tasks.spawn(async move { store.write(GameWrite::NewGame(game)).await.is_ok() });
    }
    assert!(
        tasks
            .join_all()
            .await
            .into_iter()
            .all(|as_expected| as_expected)
    );
    for game in &games {
        assert_eq!(store.load(game.id).await, Ok(game.clone()));
    }
    let commits = commits.load(Ordering::Relaxed);
    assert!(commits < games.len() / 2, "{commits} commits for 500 games");
}

#[tokio::test]
async fn folder_is_locked_for_one_server() {
    let folder = TempDir::new().expect("a folder");
    let first = open_at(folder.path(), at(0)).expect("a new store");
    let error = open_at(folder.path(), at(0)).expect_err("the folder is taken");
    let message = error.to_string();
    assert!(
        message.starts_with("another server uses the folder '"),
        "{message}"
    );
    first.close().await;
    drop(first);
    open_at(folder.path(), at(0)).expect("the folder is free again");
}

#[tokio::test]
async fn clocks_stop_while_the_server_is_down() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    let running = game.state.clock.as_mut().expect("a clock");
    running.run(SOUTH, at(2_000));
    let without = new_game(None, at(0));
    save(&store, &game).await;
    save(&store, &without).await;
    assert_eq!(
        store.running_clocks().await,
        Ok(vec![(game.id, at(62_000))])
    );
    store
        .write(GameWrite::Heartbeat(at(10_000)))
        .await
        .expect("written");
    store.close().await;
    drop(store);

    // Ten seconds were played before the downtime. The system time after it may be anything.
    for now in [1_000_000, 5_000] {
        let store = open_at(folder.path(), at(now)).expect("the same store");
        assert_eq!(
            store.running_clocks().await,
            Ok(vec![(game.id, at(now + 52_000))])
        );
        let loaded = store.load(game.id).await.expect("the game is there");
        let remaining = loaded
            .state
            .clock
            .expect("a clock")
            .remaining(SOUTH, at(now));
        assert_eq!(remaining, Duration::from_secs(52));
        store.close().await;
    }
}

#[tokio::test]
async fn expired_games_are_deleted_with_their_plies() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let (unplayed, mut played, mut rematched) = (
        new_game(None, at(50)),
        new_game(None, at(40)),
        new_game(None, at(90)),
    );
    play(&mut played, SOUTH, "C", at(50));
    let rematch = create_rematch(&mut rematched, at(97));
    for game in [&unplayed, &played, &rematch, &rematched] {
        save(&store, game).await;
    }
    assert_eq!(store.expired_games(at(50), at(50), 9).await, Ok(vec![]));
    assert_eq!(
        store.expired_games(at(50), at(51), 9).await,
        Ok(vec![unplayed.id])
    );
    assert_eq!(
        store
            .expired_games(at(51), at(51), 9)
            .await
            .map(|games| games.len()),
        Ok(2)
    );
    assert_eq!(
        store
            .expired_games(at(51), at(51), 1)
            .await
            .map(|games| games.len()),
        Ok(1)
    );

    let deleted = vec![unplayed.id, played.id, rematch.id, unplayed.id];
    store
        .write(GameWrite::Delete(deleted.clone()))
        .await
        .expect("deleted");
    for id in deleted {
        assert_eq!(store.load(id).await, Err(GameStoreError::GameNotFound(id)));
    }
    let loaded = store.load(rematched.id).await.expect("the game is there");
    assert_eq!(loaded.state.rematch, None);
    let plies = "SELECT count(*) FROM plies";
    let connection = Connection::open(folder.path().join("games.sqlite3")).expect("a database");
    let plies: i64 = connection
        .query_row(plies, [], |row| row.get(0))
        .expect("a number");
    assert_eq!(plies, 0);
}

/// Returns the names and contents of all files of a folder, without the lock file.
fn files(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = folder.read_dir().expect("a folder");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry");
        (entry.file_name(), fs::read(entry.path()).expect("a file"))
    };
    let mut files: Vec<_> = entries.map(read).collect();
    files.sort();
    files.retain(|(name, _)| name != "games.lock");
    files
}

#[test]
fn foreign_files_are_rejected_unchanged() {
    type Make = fn(&Path);
    let newer: Make = |path| {
        let mut connection = Connection::open(path).expect("a database");
        sql::migrate(&mut connection).expect("an empty database");
        connection
            .pragma_update(None, "user_version", 99)
            .expect("a number");
    };
    let foreign: Make = |path| {
        let connection = Connection::open(path).expect("a database");
        connection
            .execute_batch("CREATE TABLE games (id)")
            .expect("a table");
    };
    let foreign_id: Make = |path| {
        let connection = Connection::open(path).expect("a database");
        connection
            .pragma_update(None, "application_id", 7)
            .expect("a number");
        connection
            .pragma_update(None, "user_version", 1)
            .expect("a number");
    };
    let cases: [(Make, &str); 5] = [
        (
            |path| fs::write(path, "not games\n").expect("a file"),
            "is not a database of games",
        ),
        (
            |path| fs::write(path, [7; 5000]).expect("a file"),
            "is not a database of games",
        ),
        (
            newer,
            "has version 99, made by a later version of Kalah; this one supports versions up to 7",
        ),
        (foreign, "is a database of another program"),
        (foreign_id, "is a database of another program"),
    ];
    for (make, message) in cases {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("games.sqlite3");
        make(&file);
        let before = files(folder.path());
        let error = open_at(folder.path(), at(0)).expect_err("no database of games");
        assert_eq!(error.to_string(), format!("'{}' {message}", file.display()));
        let data = DataFolder::new(folder.path());
        let copy = folder.path().join("copy");
        let error = back_up(&data, &copy).expect_err("no database of games");
        assert_eq!(error.to_string(), format!("'{}' {message}", file.display()));
        assert!(files(folder.path()) == before, "changed: {message}");
    }
}

#[tokio::test]
async fn older_versions_are_migrated() {
    for version in 0..sql::MIGRATIONS.len() {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("games.sqlite3");
        let connection = Connection::open(&file).expect("a database");
        sql::migrate_to(&connection, version).expect("an old version");
        drop(connection);
        let store = open_at(folder.path(), at(0)).expect("an older store");
        let game = new_game(Some(clock()), at(0));
        save(&store, &game).await;
        assert_eq!(store.load(game.id).await, Ok(game.clone()));
        assert_eq!(sql::check_file(&file).ok(), Some(sql::latest_version()));
    }
}

#[tokio::test]
async fn games_of_version_1_are_kept() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("games.sqlite3");
    let connection = Connection::open(&file).expect("a database");
    sql::migrate_to(&connection, 1).expect("an old version");
    let (id, hash) = ([7_u8; 16], [8_u8; TokenHash::BYTES]);
    connection
        .execute(
            "INSERT INTO games (
                id, created_ms, rules, start, south_token, north_token, changed_ms, south_joined,
                north_joined, south_rematch_requested, north_rematch_requested, termination
            ) VALUES (?1, 1, 'cs32', '6x4', ?2, ?2, 2, 1, 0, 0, 1, 'resign')",
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
    assert_eq!(game.plies, ["C"]);
    assert_eq!(game.state.names, ByPlayer::new(None, None));
    let offer = Offer {
        by: NORTH,
        is_declined: false,
    };
    assert_eq!(game.state.rematch_offer, Some(offer));
    assert_eq!((game.state.takeback, game.state.takeback_count), (None, 0));
}

#[tokio::test]
async fn backup_is_complete_and_can_be_opened() {
    let folder = TempDir::new().expect("a folder");
    let elsewhere = TempDir::new().expect("a folder");
    let data = DataFolder::new(folder.path());
    let copy = elsewhere.path().join("games.sqlite3");
    let error = back_up(&data, &copy).expect_err("no games yet");
    assert!(
        error.to_string().starts_with("there are no games in '"),
        "{error}"
    );

    // The store is open, and its last write is in the write-ahead log.
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let game = new_game(None, at(0));
    save(&store, &game).await;
    fs::write(&copy, "an older copy").expect("a file");
    back_up(&data, &copy).expect("a copy");
    let names: Vec<_> = files(elsewhere.path())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["games.sqlite3"]);
    let copied = open_at(elsewhere.path(), at(0)).expect("a store");
    assert_eq!(copied.load(game.id).await, Ok(game.clone()));

    // The write-ahead log must not be replaced either: it contains the last write.
    for name in ["games.sqlite3", "games.sqlite3-wal", "copy"] {
        let error = back_up(&data, &folder.path().join(name)).expect_err(name);
        let message = error.to_string();
        assert!(
            message.contains("is in the folder of the games"),
            "{message}"
        );
    }
    let unknown = elsewhere.path().join("none/games");
    let error = back_up(&data, &unknown).expect_err("no such folder");
    assert!(error.to_string().starts_with("cannot write '"), "{error}");
    assert_eq!(store.load(game.id).await, Ok(game.clone()));
}
