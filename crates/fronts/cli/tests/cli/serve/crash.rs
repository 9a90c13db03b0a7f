//! A killed server has kept every move that it has acknowledged. A stopped one charges its pause to
//! no player.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use kalah_store::PlayerToken;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::page_server::{PageServer, get_request, post_request, send_request, serve};
use crate::harness::{run, temp_dir, wait_until};

/// The number of times that the server is killed.
const KILLS: u32 = 10;
/// The number of players at the same time, each in an own game.
const PLAYERS: usize = 8;
/// The longest time of a server under load before it is killed.
const MAX_LIFETIME: Duration = Duration::from_millis(700);
/// The time for which a server is stopped, twice the shortest one that it notices.
const PAUSE: Duration = Duration::from_secs(6);

fn start(folder: &Path) -> PageServer {
    PageServer::start(folder, &["--log", "off", "--rate", "1000000"])
}

/// A game with the responses of the server.
struct TestGame {
    id: String,
    tokens: [String; 2],
    /// The acknowledged moves in order.
    acknowledged: Vec<String>,
}

/// Returns the status and the body of a response, or `None` if the server is killed before it has
/// sent all of it.
fn request(address: &str, path: &str, post: Option<(&str, Value)>) -> Option<(u16, Value)> {
    let request = match post {
        None => get_request(path),
        Some((token, body)) => post_request(path, token, &body),
    };
    let response = send_request(address, &request)?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).ok()?))
}

fn create(address: &str) -> Option<TestGame> {
    let body = json!({"clock": {"initial": "1h", "increment": "1s"}});
    let (status, created) = request(address, "/api/v1/games", Some(("", body)))?;
    assert_eq!(status, 201, "{created}");
    let text = |name: &str| created[name].as_str().expect("a string").to_owned();
    let (id, friend_token) = (text("game"), PlayerToken::random().reveal());
    let body = json!({"token": friend_token});
    let (status, joined) = request(
        address,
        &format!("/api/v1/games/{id}/join"),
        Some(("", body)),
    )?;
    assert_eq!(status, 200, "{joined}");
    Some(TestGame {
        id,
        tokens: [text("token"), friend_token],
        acknowledged: Vec::new(),
    })
}

/// Plays one game after another until the server is killed, and returns all of them.
///
/// `acknowledged` counts the moves of all players.
fn play(address: &str, is_killed: &AtomicBool, acknowledged: &AtomicUsize) -> Vec<TestGame> {
    let mut games = Vec::new();
    while !is_killed.load(Ordering::Relaxed) {
        let Some(mut game) = create(address) else {
            break;
        };
        let path = format!("/api/v1/games/{}", game.id);
        let mut state = request(address, &path, None);
        while let Some((_, position)) = state {
            let Some(mv) = position["position"]["legal_moves"][0].as_str() else {
                break;
            };
            let token = &game.tokens[usize::from(position["to_move"] == "north")];
            let body = json!({"ply": game.acknowledged.len() + 1, "move": mv});
            state = request(address, &format!("{path}/plies"), Some((token, body)));
            if let Some((status, response)) = &state {
                assert_eq!(*status, 200, "{response}");
                game.acknowledged.push(mv.to_owned());
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
        }
        games.push(game);
    }
    games
}

/// Checks that the server has all acknowledged moves, and at most one that it could not
/// acknowledge.
fn check(address: &str, game: &TestGame) {
    let path = format!("/api/v1/games/{}", game.id);
    let (status, state) = request(address, &path, None).expect("a response");
    assert_eq!(status, 200, "{state}");
    let plies = state["plies"].as_array().expect("a list");
    let (known, more) = plies
        .split_at_checked(game.acknowledged.len())
        .unwrap_or_else(|| panic!("acknowledged: {:?}, stored: {plies:?}", game.acknowledged));
    assert_eq!(Value::from(known), json!(game.acknowledged));
    assert!(more.len() <= 1, "moves without a request: {more:?}");
}

fn check_database(folder: &Path) {
    let database = Connection::open(folder.join("games.sqlite3")).expect("a database");
    let result: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("a check");
    assert_eq!(result, "ok");
}

#[test]
fn acknowledged_moves_survive_a_killed_server() {
    let folder = temp_dir();
    let mut games: Vec<TestGame> = Vec::new();
    for kill in 0..KILLS {
        let mut server = start(folder.path());
        let address = server.address.clone();
        for game in &games {
            check(&address, game);
        }
        // A random moment.
        let nanos = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("a date")
            .subsec_nanos();
        let lifetime = MAX_LIFETIME * (nanos % 1000) / 1000;
        let (is_killed, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(0));
        let new = thread::scope(|scope| {
            let players: Vec<_> = (0..PLAYERS)
                .map(|_| scope.spawn(|| play(&address, &is_killed, &acknowledged)))
                .collect();
            // Every other server runs until it has acknowledged a move, also on a slow machine.
            if kill % 2 == 0 {
                wait_until("a move is acknowledged", || {
                    acknowledged.load(Ordering::Relaxed) > 0
                });
            }
            thread::sleep(lifetime);
            server.process.kill();
            is_killed.store(true, Ordering::Relaxed);
            let games = players
                .into_iter()
                .map(|player| player.join().expect("no failed assertion"));
            games.flatten().collect::<Vec<_>>()
        });
        println!("kill {kill} after {lifetime:?}: {} games", new.len());
        games.extend(new);
        // The check recovers the database; every other time the next server does so.
        if kill % 2 == 0 {
            check_database(folder.path());
        }
    }
    let server = start(folder.path());
    for game in &games {
        check(&server.address, game);
    }
    // A backup of a running server.
    let copy = temp_dir();
    let file = copy.path().join("games.sqlite3");
    let output = run(serve(folder.path(), &[]).arg("--backup").arg(&file));
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{output:?}"
    );
    drop(server);
    check_database(folder.path());
    let server = start(copy.path());
    for game in &games {
        check(&server.address, game);
    }
    let plies: usize = games.iter().map(|game| game.acknowledged.len()).sum();
    println!("{plies} acknowledged plies in {} games", games.len());
    assert!(plies > 0, "no move was acknowledged in {KILLS} runs");
}

/// Returns the remaining time of the player to move.
#[cfg(unix)]
fn remaining(address: &str, game: &TestGame) -> Duration {
    let (_, state) =
        request(address, &format!("/api/v1/games/{}", game.id), None).expect("a state");
    let side = state["clock"]["running"].as_str().expect("a running clock");
    let remaining = state["clock"][format!("{side}_ms")].as_u64();
    Duration::from_millis(remaining.expect("a time"))
}

#[cfg(unix)]
#[test]
fn pause_of_the_server_is_charged_to_no_player() {
    let folder = temp_dir();
    let server = start(folder.path());
    let game = create(&server.address).expect("a game");
    let path = format!("/api/v1/games/{}/plies", game.id);
    for (ply, token) in (1..).zip(&game.tokens) {
        let body = json!({"ply": ply, "move": if ply == 1 { "A" } else { "a" }});
        let played = request(&server.address, &path, Some((token, body))).expect("a response");
        assert_eq!(played.0, 200, "{}", played.1);
    }
    let start = Instant::now();
    let before = remaining(&server.address, &game);
    server.process.signal("STOP");
    thread::sleep(PAUSE);
    server.process.signal("CONT");
    let charged = before.saturating_sub(remaining(&server.address, &game));
    // A busy machine may delay the requests; the server was stopped for all but this time.
    let elapsed = start.elapsed();
    assert!(charged + PAUSE / 2 < elapsed, "{charged:?} of {elapsed:?}");
}
