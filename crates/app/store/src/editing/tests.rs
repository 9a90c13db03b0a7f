//! Tests of changes, with databases in temporary folders.

use std::time::Duration;

use kalah::{Side, Termination};
use tempfile::TempDir;

use super::*;
use crate::model::{GameWrite, Offer};
use crate::tests::{NORTH, SOUTH, at, clock, new_game, open_at, play, save};

const UNFINISHED: StoredEnding = StoredEnding {
    termination: Termination::Unfinished,
    winner: None,
};

fn editor(folder: &TempDir) -> GameEditor {
    GameEditor::open(&DataFolder::new(folder.path())).expect("an unused folder")
}

async fn stored(folder: &TempDir, id: GameId) -> Result<StoredGame, GameStoreError> {
    let store = open_at(folder.path(), at(1_000_000)).expect("the same store");
    store.load(id).await
}

/// Saves a game whose clock runs for North since 1 s, with the last heartbeat at 4 s.
async fn save_running(folder: &TempDir) -> StoredGame {
    let store = open_at(folder.path(), at(0)).expect("a new store");
    let mut game = new_game(Some(clock()), at(0));
    save(&store, &game).await;
    let write = play(&mut game, SOUTH, "A", at(1000));
    store.write(write).await.expect("a stored ply");
    game.state.takeback = Some(Offer {
        by: SOUTH,
        is_declined: false,
    });
    let state = Box::new(game.state.clone());
    let id = game.id;
    let write = GameWrite::State { game: id, state };
    store.write(write).await.expect("a stored offer");
    let heartbeat = GameWrite::Heartbeat(at(4000));
    store.write(heartbeat).await.expect("a heartbeat");
    store.close().await;
    game
}

#[tokio::test]
async fn end_stops_the_clock_at_the_time_at_which_the_server_stopped() {
    let folder = TempDir::new().expect("a folder");
    let game = save_running(&folder).await;
    let ended = editor(&folder).end(&[game.id], UNFINISHED, at(90_000));
    let ended = ended.expect("a running game");
    let loaded = stored(&folder, game.id).await.expect("a game");
    assert_eq!(ended, std::slice::from_ref(&loaded));
    let state = loaded.state;
    assert_eq!((state.ending, state.takeback), (Some(UNFINISHED), None));
    assert_eq!(state.changed_at, at(90_000));
    let clock = state.clock.expect("a clock");
    assert_eq!(clock.running(), None);
    let used = Duration::from_secs(3);
    let left = Duration::from_mins(1).saturating_sub(used);
    assert_eq!(clock.remaining(NORTH, at(99_000)), left);
}

#[tokio::test]
async fn end_of_several_games_is_all_or_nothing() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (save_running(&folder).await, save_running(&folder).await);
    let won = StoredEnding {
        termination: Termination::Adjudicated,
        winner: Some(Side::North),
    };
    let mut editor = editor(&folder);
    editor
        .end(&[second.id], won, at(10))
        .expect("a running game");
    let error = editor.end(&[first.id, second.id], UNFINISHED, at(11));
    assert_eq!(error, Err(EditGamesError::Ended(second.id)));
    let unknown = GameId::random();
    let error = editor.delete(&[first.id, unknown]);
    assert_eq!(error, Err(GameStoreError::GameNotFound(unknown).into()));
    assert_eq!(editor.load(first.id).expect("a game").state.ending, None);
    assert_eq!(
        editor.load(second.id).expect("a game").state.ending,
        Some(won)
    );
}

#[tokio::test]
async fn delete_removes_games_with_their_plies_and_references() {
    let folder = TempDir::new().expect("a folder");
    let mut games = [save_running(&folder).await, save_running(&folder).await];
    let store = open_at(folder.path(), at(0)).expect("the same store");
    games[0].state.rematch = Some(games[1].id);
    let state = Box::new(games[0].state.clone());
    let game = games[0].id;
    let write = GameWrite::State { game, state };
    store.write(write).await.expect("a reference");
    drop(store);
    let mut editor = editor(&folder);
    editor.delete(&[games[1].id]).expect("a game");
    assert_eq!(editor.load(game).expect("a game").state.rematch, None);
    let plies = "SELECT COUNT(*) FROM plies";
    let plies: i64 = (editor.connection.query_row(plies, [], |row| row.get(0))).expect("a count");
    assert_eq!(plies, 1);
}

#[tokio::test]
async fn names_are_changed_removed_or_kept() {
    let folder = TempDir::new().expect("a folder");
    let game = save_running(&folder).await;
    let name = |text: &str| text.parse::<PlayerName>().expect("a name");
    let both = ByPlayer::new(NameChange::Set(name("Ann")), NameChange::Set(name("Bob")));
    let mut editor = editor(&folder);
    editor.rename(game.id, &both, at(1)).expect("a game");
    let one = ByPlayer::new(NameChange::Keep, NameChange::Remove);
    let renamed = editor.rename(game.id, &one, at(2)).expect("a game");
    drop(editor);
    assert_eq!(renamed.state.names, ByPlayer::new(Some(name("Ann")), None));
    assert_eq!(renamed.state.changed_at, at(2));
    let loaded = stored(&folder, game.id).await.expect("a game");
    assert_eq!(loaded.state.names, renamed.state.names);
}

#[tokio::test]
async fn changes_are_refused_beside_a_server_and_without_games() {
    let folder = TempDir::new().expect("a folder");
    let data = DataFolder::new(folder.path());
    let error = GameEditor::open(&data).expect_err("no games");
    assert!(matches!(error, OpenGamesError::NoGames(_)), "{error}");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    let _server = open_at(folder.path(), at(0)).expect("a new store");
    let error = GameEditor::open(&data).expect_err("a folder in use");
    assert!(
        error
            .to_string()
            .starts_with("another server uses the folder"),
        "{error}"
    );
}
