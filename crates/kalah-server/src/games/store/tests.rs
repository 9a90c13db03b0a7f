use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kalah::{Position, Rules};
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::games::{
    ByPlayer, ClockSetting, FriendGame, GameWrite, PlayOutcome, PlayerId, PlayerToken,
    RematchOutcome, Timestamp,
};

const SOUTH: PlayerId = PlayerId::ALL[0];
const NORTH: PlayerId = PlayerId::ALL[1];

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn open_at(folder: &Path, now: Timestamp) -> Result<GameStore, OpenStoreError> {
    GameStore::open(&DataFolder::new(folder), now, Box::new(|_, _| {}))
}

fn new_game(clock: Option<ClockSetting>, now: Timestamp) -> FriendGame {
    let start = Position::start(6, 4, Rules::MANKALAH).expect("a start");
    let tokens = ByPlayer::from_fn(|_| PlayerToken::random().hash());
    FriendGame::new(start, clock, tokens, now)
}

fn clock() -> ClockSetting {
    let setting = ClockSetting::new(Duration::from_mins(1), Duration::from_secs(2));
    setting.expect("a good setting")
}

fn last_ply(game: &FriendGame) -> GameWrite {
    let ply = game.last_ply().expect("a ply");
    GameWrite::Ply {
        game: game.id(),
        number: game.game().plies().len(),
        mv: ply.mv.text(ply.side),
        state: Box::new(*game.state()),
    }
}

async fn save(store: &GameStore, game: &FriendGame) {
    let write = GameWrite::NewGame(Box::new(game.to_stored()));
    store.write(write).await.expect("a stored game");
}

#[tokio::test]
async fn saved_games_survive_reopening() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    save(&store, &game).await;
    assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));

    let moves = [(SOUTH, 1, "C"), (NORTH, 2, "swap"), (SOUTH, 3, "a")];
    for (time, (player, number, mv)) in (1..).zip(moves) {
        let result = game.play(player, number, mv, at(time));
        assert_eq!(result, Ok(PlayOutcome::Played), "{mv}");
        store.write(last_ply(&game)).await.expect("a stored ply");
    }
    game.resign(NORTH, at(9)).expect("the game goes on");
    assert!(matches!(
        game.request_rematch(SOUTH, at(10)),
        Ok(RematchOutcome::Offered)
    ));
    let Ok(RematchOutcome::Created(rematch)) = game.request_rematch(NORTH, at(11)) else {
        panic!("both players requested it");
    };
    let write = GameWrite::Rematch {
        game: game.id(),
        state: Box::new(*game.state()),
        other: Box::new(rematch.to_stored()),
    };
    store.write(write).await.expect("two stored games");
    store.close().await;
    assert_eq!(
        store.write(GameWrite::Heartbeat(at(12))).await,
        Err(StoreError::Closed)
    );
    drop(store);

    let store = open_at(folder.path(), at(100)).expect("the same store");
    let loaded = store.load(game.id()).await.expect("the game is there");
    assert_eq!(loaded, game.to_stored());
    let read = FriendGame::from_stored(&loaded).expect("a game");
    assert_eq!((read.game(), read.state()), (game.game(), game.state()));
    assert_eq!(store.load(rematch.id()).await, Ok(rematch.to_stored()));
}

#[tokio::test]
async fn ply_is_saved_once_and_only_for_a_known_game() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(None, at(0));
    game.play(SOUTH, 1, "C", at(1)).expect("a legal move");
    let unknown = store.write(last_ply(&game)).await;
    assert_eq!(unknown, Err(StoreError::GameNotFound(game.id())));
    assert_eq!(
        store.load(game.id()).await,
        Err(StoreError::GameNotFound(game.id()))
    );

    save(&store, &game).await;
    let repeated = store.write(last_ply(&game)).await;
    assert!(
        matches!(repeated, Err(StoreError::Database(_))),
        "{repeated:?}"
    );
    let loaded = store.load(game.id()).await.expect("the game is there");
    assert_eq!(loaded.plies, ["C"]);
}

#[tokio::test]
async fn concurrent_writes_share_commits_but_not_failures() {
    let folder = TempDir::new().expect("a folder");
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&commits);
    let count = move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let data = DataFolder::new(folder.path());
    let store = Arc::new(GameStore::open(&data, at(0), Box::new(count)).expect("a new store"));
    let games: Vec<_> = (0..500).map(|_| new_game(None, at(0))).collect();
    let mut tasks = tokio::task::JoinSet::new();
    // One write that fails among many that succeed.
    let unknown = new_game(None, at(0));
    let write = GameWrite::State {
        game: unknown.id(),
        state: Box::new(*unknown.state()),
    };
    let failing_store = Arc::clone(&store);
    tasks.spawn(async move { failing_store.write(write).await.is_err() });
    for game in &games {
        let (store, saved) = (Arc::clone(&store), Box::new(game.to_stored()));
        tasks.spawn(async move { store.write(GameWrite::NewGame(saved)).await.is_ok() });
    }
    assert!(
        tasks
            .join_all()
            .await
            .into_iter()
            .all(|as_expected| as_expected)
    );
    for game in &games {
        assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));
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
    game.join(SOUTH, at(1_000));
    game.join(NORTH, at(2_000));
    let without = new_game(None, at(0));
    save(&store, &game).await;
    save(&store, &without).await;
    assert_eq!(
        store.running_clocks().await,
        Ok(vec![(game.id(), at(62_000))])
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
            Ok(vec![(game.id(), at(now + 52_000))])
        );
        let loaded = store.load(game.id()).await.expect("the game is there");
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
    played.play(SOUTH, 1, "C", at(50)).expect("a legal move");
    rematched.resign(SOUTH, at(95)).expect("the game goes on");
    rematched
        .request_rematch(SOUTH, at(96))
        .expect("it has ended");
    let Ok(RematchOutcome::Created(rematch)) = rematched.request_rematch(NORTH, at(97)) else {
        panic!("both players requested it");
    };
    for game in [&unplayed, &played, &rematch, &rematched] {
        save(&store, game).await;
    }
    assert_eq!(store.expired_games(at(50), at(50), 9).await, Ok(vec![]));
    assert_eq!(
        store.expired_games(at(50), at(51), 9).await,
        Ok(vec![unplayed.id()])
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

    let deleted = vec![unplayed.id(), played.id(), rematch.id(), unplayed.id()];
    store
        .write(GameWrite::Delete(deleted.clone()))
        .await
        .expect("deleted");
    for id in deleted {
        assert_eq!(store.load(id).await, Err(StoreError::GameNotFound(id)));
    }
    let loaded = store.load(rematched.id()).await.expect("the game is there");
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
        schema::migrate(&mut connection).expect("an empty database");
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
            "has version 99, made by a later version of Kalah; this one supports versions up to 1",
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
    for version in 0..schema::MIGRATIONS.len() {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("games.sqlite3");
        let connection = Connection::open(&file).expect("a database");
        schema::migrate_to(&connection, version).expect("an old version");
        drop(connection);
        let store = open_at(folder.path(), at(0)).expect("an older store");
        let game = new_game(Some(clock()), at(0));
        save(&store, &game).await;
        assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));
        assert_eq!(
            schema::check_file(&file).ok(),
            Some(schema::latest_version())
        );
    }
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
    assert_eq!(copied.load(game.id()).await, Ok(game.to_stored()));

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
    assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));
}
