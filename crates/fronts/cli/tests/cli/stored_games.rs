//! `kalah games` and `kalah export` with games that a server has stored, also beside that server.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use kalah::record::Record;
use kalah::{ByPlayer, PlayerId, Rules, Side, Termination};
use kalah_store::{
    DataFolder, FriendClock, FriendClockSetting, GameId, GameState, GameStore, GameWrite,
    PlayerToken, StoredEnding, StoredGame, Timestamp, friend_clock_setting,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Finished, kalah, path_text, run, temp_dir};
use crate::serve::page_server::{PageServer, get_request, post_request, send_request};

/// Creates a game of two players with names, without plies.
fn new_game(names: [&str; 2], clock: Option<FriendClockSetting>) -> StoredGame {
    let now = Timestamp::from(SystemTime::now());
    StoredGame {
        id: GameId::random(),
        created: now,
        rules: Rules::STANDARD.to_string(),
        start: "6x4".to_owned(),
        spectator_scores: false,
        room: None,
        tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
        plies: vec!["C".to_owned(), "F".to_owned(), "b".to_owned()],
        state: GameState {
            joined: ByPlayer::new(true, true),
            names: ByPlayer::new(names[0].parse().ok(), names[1].parse().ok()),
            ..GameState::new(now, clock.map(FriendClock::new))
        },
    }
}

fn resigned(names: [&str; 2]) -> StoredGame {
    let mut game = new_game(names, None);
    game.state.ending = Some(StoredEnding {
        termination: Termination::Resign,
        winner: Some(Side::North),
    });
    game
}

/// Stores games in a folder as a server does, in an order in which each is later than the one
/// before.
fn store(folder: &Path, games: &mut [StoredGame]) {
    let now = Timestamp::from(SystemTime::now());
    let store = GameStore::open(&DataFolder::new(folder), now, Box::new(|_, _| {}));
    let store = store.expect("a store");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (number, game) in (1..).zip(games) {
        game.created = game.created.saturating_add(Duration::from_millis(number));
        let write = GameWrite::NewGame(Box::new(game.clone()));
        runtime.block_on(store.write(write)).expect("a stored game");
    }
    runtime.block_on(store.close());
}

/// Runs `kalah` with arguments and the data folder.
fn games(folder: &Path, arguments: &[&str]) -> Finished {
    let mut command = kalah(arguments);
    run(command.arg("--data").arg(folder))
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

/// Returns the body of a response of a server that must succeed.
fn body(server: &PageServer, request: &str) -> Value {
    let response = send_request(&server.address, request).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    assert!(head.starts_with("HTTP/1.1 20"), "{response}");
    serde_json::from_str(body).expect("JSON")
}

/// Creates a game on a server with a clock, and joins it. Returns its id and both tokens.
fn create_game(server: &PageServer) -> (String, [String; 2]) {
    let new = json!({"clock": {"initial": "1h", "increment": "1s"}, "name": "Ann"});
    let created = body(server, &post_request("/api/v1/games", "", &new));
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let (id, friend) = (text("game"), PlayerToken::random().reveal());
    let join = json!({"token": friend, "name": "Bob"});
    body(
        server,
        &post_request(&format!("/api/v1/games/{id}/join"), "", &join),
    );
    (id, [text("token"), friend])
}

fn game_path(id: &str) -> String {
    format!("/api/v1/games/{id}")
}

#[test]
fn games_are_listed_and_exported_beside_a_server() {
    let data = temp_dir();
    let server = PageServer::start(data.path(), &["--log", "off"]);
    let (id, tokens) = create_game(&server);
    let ply = json!({"ply": 1, "move": "C"});
    body(
        &server,
        &post_request(&format!("{}/plies", game_path(&id)), &tokens[0], &ply),
    );

    let listed = games(data.path(), &["games", "list", "--json"]).success();
    let [game] = &json_lines(&listed)[..] else {
        panic!("one game: {listed}");
    };
    let values = ["id", "south", "north", "state", "moves"].map(|key| game[key].as_str());
    assert_eq!(values, [&*id, "Ann", "Bob", "running", "C"].map(Some));
    let description = with_ids(data.path(), &["games", "show", "--json", "--", &id]).json();
    assert_eq!(description["clock"], "1h+1s");
    assert_eq!(description["position"], "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s");
    let text = games(data.path(), &["export", "--all"]).success();
    let record: Record = text.parse().expect("a record");
    assert_eq!(record.tags().get("Game"), Some(id.as_str()));
    for secret in tokens {
        assert!(
            ![&listed, &text, &description.to_string()]
                .iter()
                .any(|text| text.contains(&secret))
        );
    }

    // Changes would be lost, because the server has the game in its memory.
    for arguments in [
        &["games", "end", "--", &id][..],
        &["games", "delete", "--yes", "--", &id],
        &["games", "names", "--south", "Eve", "--", &id],
    ] {
        let message = with_ids(data.path(), arguments).failure(1);
        assert!(message.contains("stop it to change its games"), "{message}");
    }
    let state = body(&server, &get_request(&game_path(&id)));
    assert_eq!(
        (&state["ending"], &state["names"]["south"]),
        (&Value::Null, &json!("Ann"))
    );
}

/// Runs a command whose ids follow `--`, with the data folder before them.
fn with_ids(folder: &Path, arguments: &[&str]) -> Finished {
    let [games, command, rest @ ..] = arguments else {
        panic!("a command");
    };
    run(kalah([*games, *command, "--data", path_text(folder)]).args(rest))
}

#[test]
fn server_shows_a_game_that_was_ended_and_renamed_while_it_was_stopped() {
    let data = temp_dir();
    let mut server = PageServer::start(data.path(), &["--log", "off"]);
    let (id, tokens) = create_game(&server);
    let (won, _) = create_game(&server);
    let plies = format!("{}/plies", game_path(&id));
    for (number, (token, mv)) in (1..).zip([(0, "A"), (1, "a"), (0, "B")]) {
        let ply = json!({"ply": number, "move": mv});
        body(&server, &post_request(&plies, &tokens[token], &ply));
    }
    server.process.kill();
    drop(server);

    let ended = with_ids(data.path(), &["games", "end", "--", &id]).success();
    assert_eq!(
        ended,
        format!("ended {id}: Ann - Bob, 3 plies, Unfinished 1-0\n")
    );
    let adjudicated = ["games", "end", "--winner", "north", "--", &won];
    let adjudicated = with_ids(data.path(), &adjudicated).success();
    assert!(
        adjudicated.contains("North (Bob) wins by adjudication"),
        "{adjudicated}"
    );
    let names = ["games", "names", "--south", "Eve", "--north", "", "--", &id];
    let renamed = with_ids(data.path(), &names).success();
    assert_eq!(
        renamed,
        format!("renamed {id}\nSouth: Eve, before: Ann\nNorth: ?, before: Bob\n")
    );

    let server = PageServer::start(data.path(), &["--log", "off"]);
    let state = body(&server, &get_request(&game_path(&id)));
    assert_eq!(
        state["ending"],
        json!({"termination": "unfinished", "winner": null})
    );
    assert_eq!(state["names"], json!({"south": "Eve", "north": null}));
    let clock = &state["clock"];
    assert!(clock["running"].is_null(), "{clock}");
    let later = body(&server, &get_request(&game_path(&id)));
    assert_eq!(&later["clock"], clock);
    let state = body(&server, &get_request(&game_path(&won)));
    assert_eq!(
        state["ending"],
        json!({"termination": "adjudicated", "winner": "north"})
    );
    let ply = post_request(&plies, &tokens[1], &json!({"ply": 4, "move": "b"}));
    let response = send_request(&server.address, &ply).expect("a response");
    assert!(response.starts_with("HTTP/1.1 409 "), "{response}");
}

#[test]
fn changes_of_several_games_are_all_or_nothing() {
    let data = temp_dir();
    let mut stored = [resigned(["Ann", "Bob"]), new_game(["Carl", "Dora"], None)];
    store(data.path(), &mut stored);
    let [ended, running] = stored.map(|game| game.id.to_string());
    let message = with_ids(data.path(), &["games", "end", "--", &running, &ended]).failure(1);
    assert_eq!(
        message,
        format!("error: the game {ended} has ended already\n")
    );
    let delete = ["games", "delete", "--yes", "--", &running, &"A".repeat(22)];
    with_ids(data.path(), &delete).failure(1);
    let count = || json_lines(&games(data.path(), &["games", "list", "--json"]).success()).len();
    assert_eq!(count(), 2);
    let listed = games(data.path(), &["games", "list", "--running", "--json"]);
    assert!(listed.stdout.contains(&running), "{listed:?}");
    let names = ["games", "names", "--json", "--south", "Eve", "--", &running];
    let renamed = json_lines(&with_ids(data.path(), &names).success());
    assert_eq!(
        (&renamed[0]["id"], &renamed[0]["south"]),
        (&json!(running), &json!("Eve"))
    );
    let end = ["games", "end", "--json", "--winner", "tie", "--", &running];
    let [game] = &*json_lines(&with_ids(data.path(), &end).success()) else {
        panic!("one line");
    };
    assert_eq!(
        (&game["id"], &game["termination"]),
        (&json!(running), &json!("adjudicated"))
    );
    // An id that is given twice counts once.
    let delete = [
        "games", "delete", "--yes", "--json", "--", &running, &ended, &running,
    ];
    let deleted = json_lines(&with_ids(data.path(), &delete).success());
    let ids: Vec<_> = deleted.iter().map(|game| game["id"].clone()).collect();
    assert_eq!(ids, [json!(running), json!(ended)]);
    let empty = games(data.path(), &["games", "list"]);
    assert_eq!(
        (empty.stdout.as_str(), &*empty.stderr),
        ("", "note: no game is stored\n")
    );
}

#[cfg(unix)]
#[test]
fn delete_asks_on_a_terminal() {
    use crate::harness::{finish_session, spawn_on_terminal};

    let data = temp_dir();
    let mut stored = [resigned(["Ann", "Bob"])];
    store(data.path(), &mut stored);
    let id = stored[0].id.to_string();
    let command = || {
        kalah([
            "games",
            "delete",
            "--data",
            path_text(data.path()),
            "--",
            &id,
        ])
    };
    let mut session = spawn_on_terminal(command());
    session
        .exp_string("Delete 1 game for ever? [y/N] ")
        .expect("a question");
    session.send_line("").expect("an open terminal");
    let output = session.exp_eof().expect("the end of the program");
    assert!(output.contains("error: no game was deleted"), "{output}");
    let mut session = spawn_on_terminal(command());
    session.exp_string("[y/N] ").expect("a question");
    session.send_line("y").expect("an open terminal");
    let output = finish_session(session);
    assert!(
        output.contains(&format!("deleted {id}: Ann - Bob")),
        "{output}"
    );
}

/// Stores games with names that are hard to write, and returns the folder and the games, the latest
/// one first.
fn games_of_hard_names() -> (TempDir, Vec<StoredGame>) {
    let data = temp_dir();
    let names = [
        ["=1+2", "@SUM(A1)"],
        ["+49", "-x"],
        ["a, \"b\"", "[x] {y} \\"],
        ["'=1", "O'Neil <b>&amp;"],
        ["李小龍", "\u{1f469}\u{200d}\u{1f52c}"],
    ];
    let mut games: Vec<_> = names.into_iter().map(resigned).collect();
    store(data.path(), &mut games);
    games.reverse();
    (data, games)
}

fn names_of(game: &StoredGame) -> [String; 2] {
    PlayerId::ALL.map(|player| {
        game.state.names[player]
            .as_ref()
            .expect("a name")
            .to_string()
    })
}

#[test]
fn exported_names_are_read_back_from_each_format() {
    let (data, stored) = games_of_hard_names();
    let expected: Vec<_> = stored.iter().map(names_of).collect();

    let file = data.path().with_extension("kgn");
    let export = ["export", "--out", path_text(&file)];
    let exported = games(data.path(), &export);
    assert_eq!(exported.stderr, "games exported: 5\n");
    let summary = games(data.path(), &[&export[..], &["--json"]].concat());
    assert_eq!(summary.stderr, "");
    let summary = summary.json();
    assert_eq!(
        (&summary["games"], &summary["format"]),
        (&5.into(), &"kgn".into())
    );
    assert_eq!(
        (&summary["errors"], &summary["file"]),
        (&json!([]), &path_text(&file).into())
    );
    let text = fs::read_to_string(&file).expect("a file");
    fs::remove_file(&file).expect("a file");
    let records = Record::parse_all(&text).expect("records");
    let names = records.iter().map(|record| {
        ["South", "North"].map(|tag| record.tags().get(tag).expect("a name").to_owned())
    });
    assert_eq!(names.collect::<Vec<_>>(), expected);
    for (record, game) in records.iter().zip(&stored) {
        assert_eq!(record.ending().winner, Some(Side::North));
        assert_eq!(record.tags().get("Game"), Some(&*game.id.to_string()));
    }

    let text = games(data.path(), &["export", "--format", "json"]).success();
    let names = json_lines(&text)
        .into_iter()
        .map(|game| ["south", "north"].map(|key| game[key].as_str().expect("a name").to_owned()));
    assert_eq!(names.collect::<Vec<_>>(), expected);

    let text = games(data.path(), &["export", "--format", "csv"]).success();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().expect("a head").get(3), Some("south"));
    let names = reader.records().map(|row| {
        let row = row.expect("a row");
        assert!(
            row.iter()
                .all(|cell| !cell.starts_with(['=', '+', '-', '@'])),
            "{row:?}"
        );
        [&row[3], &row[4]].map(|cell| cell.strip_prefix('\'').unwrap_or(cell).to_owned())
    });
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn damaged_game_is_reported_and_the_others_are_exported() {
    let data = temp_dir();
    let mut stored = [
        resigned(["Ann", "Bob"]),
        resigned(["Eve", "Eve"]),
        resigned(["Carl", "Dora"]),
    ];
    stored[1].plies.push("C".to_owned());
    store(data.path(), &mut stored);
    let folder = temp_dir();
    let file = folder.path().join("games.csv");
    fs::write(&file, "an older export\n").expect("a file");
    let message = games(
        data.path(),
        &["export", "--format", "csv", "-o", path_text(&file)],
    );
    let id = stored[1].id;
    assert_eq!(
        message.failure(1),
        format!(
            "error: game {id}: ply 4: `C` is no move of North\n\
             error: not all games are exported: 2 games, without 1 damaged one\n"
        )
    );
    assert_eq!(
        fs::read_to_string(&file).expect("a file").lines().count(),
        3
    );
    let listed = games(data.path(), &["games", "list", "--name", "eve", "--json"]);
    let [game] = &json_lines(&listed.stdout)[..] else {
        panic!("one game: {listed:?}");
    };
    assert_eq!(
        (&game["id"], &game["state"]),
        (&json!(id.to_string()), &json!("damaged"))
    );
    with_ids(
        data.path(),
        &["games", "delete", "--yes", "--", &id.to_string()],
    )
    .success();
    games(data.path(), &["export"]).success();
}

#[test]
fn failed_export_leaves_the_older_file() {
    let data = temp_dir();
    store(data.path(), &mut [resigned(["Ann", "Bob"])]);
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, "an older export\n").expect("a file");
    let missing = folder.path().join("missing");
    games(&missing, &["export", "-o", path_text(&file)]).failure(1);
    let inside = data.path().join("games.sqlite3");
    let message = games(data.path(), &["export", "-o", path_text(&inside)]).failure(1);
    assert!(
        message.contains("is in the folder of the games"),
        "{message}"
    );
    assert_eq!(
        fs::read_to_string(&file).expect("a file"),
        "an older export\n"
    );
    assert!(!missing.exists());
    games(data.path(), &["export"]).success();
}

#[test]
fn clock_of_a_stopped_server_does_not_run() {
    let data = temp_dir();
    let setting = friend_clock_setting(Duration::from_mins(5), Duration::ZERO).expect("a setting");
    let setting = FriendClockSetting::Game(ByPlayer::new(setting, setting));
    let mut game = new_game(["Ann", "Bob"], Some(setting));
    let hours = Duration::from_hours(3);
    let then = Timestamp::from(SystemTime::now()).saturating_sub(hours);
    let clock = game.state.clock.as_mut().expect("a clock");
    clock.run(PlayerId::ALL[1], then);
    let folder = DataFolder::new(data.path());
    let store = GameStore::open(&folder, then, Box::new(|_, _| {})).expect("a store");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let id = game.id.to_string();
    let write = GameWrite::NewGame(Box::new(game));
    runtime.block_on(store.write(write)).expect("a stored game");
    runtime.block_on(store.close());
    drop(store);
    let description = with_ids(data.path(), &["games", "show", "--json", "--", &id]).json();
    assert_eq!(
        (
            &description["north_left_ms"],
            &description["clock_runs_for"]
        ),
        (&json!(300_000), &json!("north"))
    );
}
