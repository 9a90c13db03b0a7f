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

async fn keep(store: &GameStore, game: &FriendGame) {
    let write = GameWrite::NewGame(Box::new(game.to_stored()));
    store.write(write).await.expect("the game is kept");
}

#[tokio::test]
async fn what_is_kept_is_there_after_opening_again() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    keep(&store, &game).await;
    assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));

    let second = [(SOUTH, 1, "C"), (NORTH, 2, "swap"), (SOUTH, 3, "a")];
    for (time, (person, number, mv)) in (1..).zip(second) {
        let made = game.play(person, number, mv, at(time));
        assert_eq!(made, Ok(PlayOutcome::Played), "{mv}");
        store.write(last_ply(&game)).await.expect("the ply is kept");
    }
    game.resign(NORTH, at(9)).expect("the game goes on");
    assert!(matches!(
        game.request_rematch(SOUTH, at(10)),
        Ok(RematchOutcome::Offered)
    ));
    let Ok(RematchOutcome::Created(other)) = game.request_rematch(NORTH, at(11)) else {
        panic!("both have asked for it");
    };
    let write = GameWrite::Rematch {
        game: game.id(),
        state: Box::new(*game.state()),
        other: Box::new(other.to_stored()),
    };
    store.write(write).await.expect("both games are kept");
    store.close().await;
    assert_eq!(
        store.write(GameWrite::Heartbeat(at(12))).await,
        Err(StoreError::Closed)
    );
    drop(store);

    let store = open_at(folder.path(), at(100)).expect("the same store");
    let kept = store.load(game.id()).await.expect("the game is there");
    assert_eq!(kept, game.to_stored());
    let read = FriendGame::from_stored(&kept).expect("a game");
    assert_eq!((read.game(), read.state()), (game.game(), game.state()));
    assert_eq!(store.load(other.id()).await, Ok(other.to_stored()));
}

#[tokio::test]
async fn a_ply_is_made_once_and_only_in_a_game() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(None, at(0));
    game.play(SOUTH, 1, "C", at(1)).expect("a legal choice");
    let nowhere = store.write(last_ply(&game)).await;
    assert_eq!(nowhere, Err(StoreError::GameNotFound(game.id())));
    assert_eq!(
        store.load(game.id()).await,
        Err(StoreError::GameNotFound(game.id()))
    );

    keep(&store, &game).await;
    let again = store.write(last_ply(&game)).await;
    assert!(matches!(again, Err(StoreError::Database(_))), "{again:?}");
    let kept = store.load(game.id()).await.expect("the game is there");
    assert_eq!(kept.plies, ["C"]);
}

#[tokio::test]
async fn writes_that_wait_together_go_to_disk_together_and_fail_alone() {
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
    let nowhere = new_game(None, at(0));
    let write = GameWrite::State {
        game: nowhere.id(),
        state: Box::new(*nowhere.state()),
    };
    let in_vain = Arc::clone(&store);
    tasks.spawn(async move { in_vain.write(write).await.is_err() });
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
async fn a_folder_has_one_server() {
    let folder = TempDir::new().expect("a folder");
    let first = open_at(folder.path(), at(0)).expect("a new store");
    let second = open_at(folder.path(), at(0)).expect_err("the folder is taken");
    let told = second.to_string();
    assert!(
        told.starts_with("another server keeps its games in '"),
        "{told}"
    );
    first.close().await;
    drop(first);
    open_at(folder.path(), at(0)).expect("the folder is free again");
}

#[tokio::test]
async fn no_clock_runs_while_no_server_does() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    game.join(SOUTH, at(1_000));
    game.join(NORTH, at(2_000));
    let without = new_game(None, at(0));
    keep(&store, &game).await;
    keep(&store, &without).await;
    assert_eq!(
        store.running_clocks().await,
        Ok(vec![(game.id(), at(62_000))])
    );
    store
        .write(GameWrite::Heartbeat(at(10_000)))
        .await
        .expect("kept");
    store.close().await;
    drop(store);

    // Ten seconds were played before the downtime. The system time after it may be anything.
    for now in [1_000_000, 5_000] {
        let store = open_at(folder.path(), at(now)).expect("the same store");
        assert_eq!(
            store.running_clocks().await,
            Ok(vec![(game.id(), at(now + 52_000))])
        );
        let kept = store.load(game.id()).await.expect("the game is there");
        let left = kept.state.clock.expect("a clock").remaining(SOUTH, at(now));
        assert_eq!(left, Duration::from_secs(52));
        store.close().await;
    }
}

#[tokio::test]
async fn old_games_are_found_and_deleted_with_what_belongs_to_them() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let (unplayed, mut played, mut rematched) = (
        new_game(None, at(50)),
        new_game(None, at(40)),
        new_game(None, at(90)),
    );
    played.play(SOUTH, 1, "C", at(50)).expect("a legal choice");
    rematched.resign(SOUTH, at(95)).expect("the game goes on");
    rematched
        .request_rematch(SOUTH, at(96))
        .expect("it has ended");
    let Ok(RematchOutcome::Created(other)) = rematched.request_rematch(NORTH, at(97)) else {
        panic!("both have asked for it");
    };
    for game in [&unplayed, &played, &other, &rematched] {
        keep(&store, game).await;
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

    let gone = vec![unplayed.id(), played.id(), other.id(), unplayed.id()];
    store
        .write(GameWrite::Delete(gone.clone()))
        .await
        .expect("deleted");
    for id in gone {
        assert_eq!(store.load(id).await, Err(StoreError::GameNotFound(id)));
    }
    let kept = store.load(rematched.id()).await.expect("the game is there");
    assert_eq!(kept.state.rematch, None);
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
fn what_is_no_database_of_games_is_left_as_it_is() {
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
    let others: Make = |path| {
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
            "is no database of games",
        ),
        (
            |path| fs::write(path, [7; 5000]).expect("a file"),
            "is no database of games",
        ),
        (
            newer,
            "is of version 99, which a later version of Kalah has made, and this one knows none later than 1",
        ),
        (foreign, "is a database of another program"),
        (others, "is a database of another program"),
    ];
    for (make, told) in cases {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("games.sqlite3");
        make(&file);
        let before = files(folder.path());
        let error = open_at(folder.path(), at(0)).expect_err("no database of games");
        assert_eq!(error.to_string(), format!("'{}' {told}", file.display()));
        let data = DataFolder::new(folder.path());
        let copy = folder.path().join("copy");
        let error = back_up(&data, &copy).expect_err("no database of games");
        assert_eq!(error.to_string(), format!("'{}' {told}", file.display()));
        assert!(files(folder.path()) == before, "changed: {told}");
    }
}

#[tokio::test]
async fn every_older_version_is_brought_up_to_date() {
    for version in 0..schema::MIGRATIONS.len() {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("games.sqlite3");
        let connection = Connection::open(&file).expect("a database");
        schema::migrate_to(&connection, version).expect("an old version");
        drop(connection);
        let store = open_at(folder.path(), at(0)).expect("an older store");
        let game = new_game(Some(clock()), at(0));
        keep(&store, &game).await;
        assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));
        assert_eq!(
            schema::check_file(&file).ok(),
            Some(schema::latest_version())
        );
    }
}

#[tokio::test]
async fn a_backup_is_whole_and_can_be_opened() {
    let folder = TempDir::new().expect("a folder");
    let elsewhere = TempDir::new().expect("a folder");
    let data = DataFolder::new(folder.path());
    let copy = elsewhere.path().join("games.sqlite3");
    let nothing = back_up(&data, &copy).expect_err("no games yet");
    assert!(
        nothing.to_string().starts_with("there are no games in '"),
        "{nothing}"
    );

    // The store is open, and its last write is in the write-ahead log.
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let game = new_game(None, at(0));
    keep(&store, &game).await;
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
        let among = back_up(&data, &folder.path().join(name)).expect_err(name);
        let told = among.to_string();
        assert!(told.contains("lies where the games are kept"), "{told}");
    }
    let nowhere = elsewhere.path().join("none/games");
    let error = back_up(&data, &nowhere).expect_err("no such folder");
    assert!(error.to_string().starts_with("cannot write '"), "{error}");
    assert_eq!(store.load(game.id()).await, Ok(game.to_stored()));
}
