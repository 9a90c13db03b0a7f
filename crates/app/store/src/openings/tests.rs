//! The table of openings against a scan of all games of random databases.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kalah::{ByPlayer, Game, Position, Rules, Side, Termination};
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use rusqlite::Connection;
use tempfile::TempDir;
use test_tools::sample_or_all;

use super::*;
use crate::tests::rooms::new_room;
use crate::tests::{at, new_game, open_at, save};
use crate::{
    DataFolder, GameEditor, GameRoom, GameStore, GameWrite, RoomFormat, RoomWrite, StoredEnding,
};

/// The rows of the table by scope, rules, position and move.
type OpeningRows = BTreeMap<[String; 4], OpeningResults>;

/// Returns the rows of the table.
fn table(connection: &Connection) -> OpeningRows {
    let mut statement = connection.prepare("SELECT * FROM openings").unwrap();
    let rows = statement.query_map([], |row| {
        let key = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        let counts = OpeningResults {
            wins: row.get(4)?,
            ties: row.get(5)?,
            losses: row.get(6)?,
        };
        Ok((key, counts))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// Counts the moves of all games that have ended.
fn scan(connection: &Connection) -> OpeningRows {
    let mut statement = connection.prepare("SELECT id FROM games").unwrap();
    let ids = statement.query_map([], |row| row.get::<_, [u8; 16]>(0));
    let ids: Vec<_> = ids.unwrap().collect::<Result<_, _>>().unwrap();
    let mut rows = OpeningRows::new();
    for id in ids {
        let game = sql::load_game(connection, GameId::from(id));
        let game = game.unwrap().unwrap();
        let [south, north] = PlayerId::ALL.map(|player| game.state.shares[player]);
        let scope = match &game.room {
            Some(room) => room.code.to_string(),
            None if south && north => String::new(),
            None => continue,
        };
        let Some(ending) = game.state.ending else {
            continue;
        };
        let ending = Ending {
            termination: ending.termination,
            winner: ending.winner,
            outcome: None,
        };
        for OpeningMove { key, mv, result } in opening_moves(&game.replay().unwrap(), &ending) {
            let name = [scope.clone(), key.rules, key.position, mv];
            *rows.entry(name).or_default() += result;
        }
    }
    rows
}

fn assert_table_is_scan(folder: &Path) {
    let connection = Connection::open(DataFolder::new(folder).database()).unwrap();
    let (found, expected) = (table(&connection), scan(&connection));
    for (name, counts) in &expected {
        assert_eq!(found.get(name), Some(counts), "{name:?}");
    }
    assert_eq!(found.len(), expected.len());
}

/// Copies the files of a database as they are while its server runs, as after a kill.
fn copy_of_killed(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    copy
}

/// Returns a random game that has not ended, with random plies.
fn random_game(rng: &mut Pcg64Mcg, rooms: &[GameRoom]) -> StoredGame {
    let rules = *[Rules::CS32, Rules::STANDARD, Rules::MANKALAH]
        .choose(rng)
        .unwrap();
    let mut game = Game::new(Position::start(3, 2, rules).unwrap());
    for _ in 0..rng.random_range(0..20) {
        if let Some(mv) = game.position().legal_moves().choose(rng) {
            game.play(mv).unwrap();
        }
    }
    let mut stored = new_game(None, at(1));
    stored.rules = rules.to_string();
    stored.start = "3x2".to_owned();
    if game.outcome().is_some() {
        game.undo();
    }
    let plies = game.plies().iter();
    stored.plies = plies.map(|ply| ply.mv.text(ply.side)).collect();
    stored.room = rooms.choose(rng).filter(|_| rng.random()).cloned();
    // The players of a room are not asked.
    let is_asked = stored.room.is_none();
    stored.state.shares = ByPlayer::from_fn(|_| is_asked && rng.random_range(0..3) > 0);
    stored
}

/// Ends a game by one of the ways in which games end.
fn end(rng: &mut Pcg64Mcg, game: &mut StoredGame) {
    let winner = *[Some(Side::South), Some(Side::North)].choose(rng).unwrap();
    let (termination, winner) = *[
        (Termination::Resign, winner),
        (Termination::Time, winner),
        (Termination::Adjudicated, None),
        (Termination::Unfinished, None),
    ]
    .choose(rng)
    .unwrap();
    let ending = StoredEnding {
        termination,
        winner,
    };
    game.state.finish(ending, at(2));
}

async fn write_state(store: &GameStore, game: &StoredGame) {
    let write = GameWrite::State {
        game: game.id,
        state: Box::new(game.state.clone()),
    };
    store.write(write).await.unwrap();
}

#[tokio::test]
async fn table_is_that_of_a_scan_after_ends_deletions_and_kills() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for _ in 0..sample_or_all(2, 20) {
        let folder = TempDir::new().unwrap();
        let store = open_at(folder.path(), at(0)).unwrap();
        let mut rooms = Vec::new();
        for _ in 0..2 {
            let room = new_room(RoomCode::random(), RoomFormat::Free);
            rooms.push(GameRoom {
                code: room.code.clone(),
                name: room.settings.name.clone(),
                engine_help: room.settings.engine_help,
                takebacks: true,
                number: None,
            });
            let write = GameWrite::Room(RoomWrite::NewRoom(Box::new(room)));
            store.write(write).await.unwrap();
        }
        let mut games = Vec::new();
        for number in 0..120 {
            let mut game = random_game(&mut rng, &rooms);
            // Some games are added with their ends, as those that were played elsewhere.
            let is_added_with_end = number % 4 == 0;
            if is_added_with_end {
                end(&mut rng, &mut game);
            }
            save(&store, &game).await;
            if !is_added_with_end && rng.random_range(0..4) > 0 {
                end(&mut rng, &mut game);
                write_state(&store, &game).await;
                // Later changes, such as the offer of a rematch, do not count it again.
                write_state(&store, &game).await;
            }
            games.push(game);
        }
        let killed = copy_of_killed(folder.path());
        let reopened = open_at(killed.path(), at(3)).unwrap();
        reopened.close().await;
        assert_table_is_scan(killed.path());

        let deleted = games.split_off(90).iter().map(|game| game.id).collect();
        store.write(GameWrite::Delete(deleted)).await.unwrap();
        let room = vec![rooms[0].code.clone()];
        (store.write(GameWrite::Room(RoomWrite::Delete(room))).await).unwrap();
        store.close().await;
        drop(store);
        assert_table_is_scan(folder.path());

        let mut editor = GameEditor::open(&DataFolder::new(folder.path())).unwrap();
        let (removed, rest) = games.split_at(20);
        let removed: Vec<_> = removed.iter().map(|game| game.id).collect();
        editor.delete(&removed).unwrap();
        let running = rest.iter().find(|game| game.state.ending.is_none());
        let ending = StoredEnding {
            termination: Termination::Adjudicated,
            winner: Some(Side::South),
        };
        editor.end(&[running.unwrap().id], ending, at(5)).unwrap();
        drop(editor);
        assert_table_is_scan(folder.path());
    }
}

#[tokio::test]
async fn counts_are_those_of_the_scope() {
    let folder = TempDir::new().unwrap();
    let store = open_at(folder.path(), at(0)).unwrap();
    let mut game = new_game(None, at(0));
    game.plies = vec!["C".to_owned(), "a".to_owned()];
    let ending = StoredEnding {
        termination: Termination::Resign,
        winner: Some(Side::South),
    };
    game.state.finish(ending, at(1));
    save(&store, &game).await;
    let start = Position::start(6, 4, Rules::MANKALAH).unwrap();
    let key = OpeningKey::new(&start);
    let counts = || store.opening_counts(OpeningScope::Server, key.clone());
    assert!(
        counts().await.unwrap().is_empty(),
        "the players do not share it"
    );

    let mut shared = game.clone();
    shared.id = GameId::random();
    shared.state.shares = ByPlayer::new(true, true);
    save(&store, &shared).await;
    let found = counts().await.unwrap();
    let expected = OpeningResults {
        wins: 1,
        ..OpeningResults::default()
    };
    assert_eq!(found, MoveCounts::from([("C".to_owned(), expected)]));
    let room = OpeningScope::Room(RoomCode::random());
    let of_room = store.opening_counts(room, key.clone()).await;
    assert!(of_room.unwrap().is_empty());
}

/// Games that an older version has stored are counted when the database is opened.
#[tokio::test]
async fn games_that_are_not_counted_are_counted_at_the_start() {
    let folder = TempDir::new().unwrap();
    let store = open_at(folder.path(), at(0)).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for _ in 0..20 {
        let mut game = random_game(&mut rng, &[]);
        end(&mut rng, &mut game);
        save(&store, &game).await;
    }
    store.close().await;
    drop(store);
    let connection = Connection::open(DataFolder::new(folder.path()).database()).unwrap();
    (connection.execute_batch("DELETE FROM openings; UPDATE games SET counted = 0")).unwrap();
    drop(connection);
    open_at(folder.path(), at(1)).unwrap().close().await;
    assert_table_is_scan(folder.path());
    let connection = Connection::open(DataFolder::new(folder.path()).database()).unwrap();
    assert!(!table(&connection).is_empty());
}
