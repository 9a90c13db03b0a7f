//! A server that is killed at any moment has kept every sowing that it has acknowledged.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How often the server is killed.
const KILLS: u32 = 10;
/// Those who play at the same time, each in a game of their own.
const PLAYERS: usize = 8;
/// The longest that a server lives under load before it is killed.
const LONGEST_LIFE: Duration = Duration::from_millis(700);
/// No answer takes so long unless something is broken.
const PATIENCE: Duration = Duration::from_mins(5);

/// A server of its own.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_kalah"))
            .args([
                "serve",
                "--addr",
                "127.0.0.1:0",
                "--log",
                "off",
                "--rate",
                "1000000",
            ])
            .arg("--data")
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command");
        let mut line = String::new();
        let output = process.stdout.as_mut().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        Self {
            address: address
                .parse()
                .unwrap_or_else(|_| panic!("no address: {line:?}")),
            process,
        }
    }

    /// Ends it as a power failure does, as far as a process can tell.
    fn kill(mut self) {
        self.process.kill().expect("a process that runs");
        self.process.wait().expect("its end");
    }
}

/// A game, and what its server has said of it.
struct Played {
    game: String,
    tokens: [String; 2],
    /// The plies that were acknowledged, in order.
    acknowledged: Vec<String>,
}

/// Asks a server; `None` if it is gone before it has answered.
fn ask(address: SocketAddr, path: &str, asked: Option<(&str, Value)>) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let text = match asked {
        None => format!("GET {path} HTTP/1.1\r\nhost: kalah\r\nconnection: close\r\n\r\n"),
        Some((token, body)) => {
            let (body, authorization) = (
                body.to_string(),
                match token {
                    "" => String::new(),
                    token => format!("authorization: Bearer {token}\r\n"),
                },
            );
            let length = body.len();
            format!(
                "POST {path} HTTP/1.1\r\nhost: kalah\r\nconnection: close\r\n{authorization}\
                 content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
    };
    stream.write_all(text.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    // A body that has broken off was not an answer.
    Some((status, serde_json::from_str(body).ok()?))
}

/// A new game, with all that is to be remembered of it.
fn make(address: SocketAddr) -> Option<Played> {
    let asked = json!({"clock": {"initial": "1h", "increment": "1s"}});
    let (status, made) = ask(address, "/api/v1/games", Some(("", asked)))?;
    assert_eq!(status, 201, "{made}");
    let text = |name: &str| made[name].as_str().expect("a text").to_owned();
    Some(Played {
        game: text("game"),
        tokens: [text("token"), text("friend_token")],
        acknowledged: Vec::new(),
    })
}

/// Plays one game after another until the server is gone, and returns all of them.
///
/// `acknowledged` counts the plies of all players.
fn play(address: SocketAddr, gone: &AtomicBool, acknowledged: &AtomicUsize) -> Vec<Played> {
    let mut games = Vec::new();
    while !gone.load(Ordering::Relaxed) {
        let Some(mut played) = make(address) else {
            break;
        };
        let path = format!("/api/v1/games/{}", played.game);
        let mut state = ask(address, &path, None);
        while let Some((_, position)) = state {
            let Some(mv) = position["position"]["choices"][0].as_str() else {
                break;
            };
            let token = &played.tokens[usize::from(position["side_to_move"] == "north")];
            let sowing = json!({"ply": played.acknowledged.len() + 1, "choice": mv});
            state = ask(address, &format!("{path}/plies"), Some((token, sowing)));
            if let Some((status, answer)) = &state {
                assert_eq!(*status, 200, "{answer}");
                played.acknowledged.push(mv.to_owned());
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
        }
        games.push(played);
    }
    games
}

/// Every acknowledged ply is there, and at most one that was not acknowledged any more.
fn check(address: SocketAddr, played: &Played) {
    let path = format!("/api/v1/games/{}", played.game);
    let (status, state) = ask(address, &path, None).expect("an answer");
    assert_eq!(status, 200, "{state}");
    let plies = state["plies"].as_array().expect("a list");
    let (known, more) = plies
        .split_at_checked(played.acknowledged.len())
        .unwrap_or_else(|| panic!("acknowledged: {:?}, there: {plies:?}", played.acknowledged));
    assert_eq!(Value::from(known), json!(played.acknowledged));
    assert!(more.len() <= 1, "never asked for: {more:?}");
}

fn check_database(folder: &Path) {
    let database = Connection::open(folder.join("games.sqlite3")).expect("a database");
    let sound: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("a check");
    assert_eq!(sound, "ok");
}

#[test]
fn what_was_acknowledged_outlives_a_server_that_is_killed() {
    let folder = TempDir::new().expect("a folder");
    let mut games: Vec<Played> = Vec::new();
    for kill in 0..KILLS {
        let server = Server::start(folder.path());
        let address = server.address;
        for played in &games {
            check(address, played);
        }
        // Any moment: this is not a test of certain ones.
        let nanos = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("a date")
            .subsec_nanos();
        let life = LONGEST_LIFE * (nanos % 1000) / 1000;
        let (gone, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(0));
        let new = thread::scope(|scope| {
            let players: Vec<_> = (0..PLAYERS)
                .map(|_| scope.spawn(|| play(address, &gone, &acknowledged)))
                .collect();
            // Every other server lives until something is acknowledged, however slow the machine is.
            let began = Instant::now();
            while kill % 2 == 0 && acknowledged.load(Ordering::Relaxed) == 0 {
                assert!(began.elapsed() < PATIENCE, "nothing is acknowledged");
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(life);
            server.kill();
            gone.store(true, Ordering::Relaxed);
            let games = players
                .into_iter()
                .map(|player| player.join().expect("no failed assertion"));
            games.flatten().collect::<Vec<_>>()
        });
        println!("kill {kill} after {life:?}: {} games", new.len());
        games.extend(new);
        // Every other time the next server finds the database as the last one left it.
        if kill % 2 == 0 {
            check_database(folder.path());
        }
    }
    let server = Server::start(folder.path());
    for played in &games {
        check(server.address, played);
    }
    // A copy while a server is at work.
    let copy = TempDir::new().expect("a folder");
    let file = copy.path().join("games.sqlite3");
    let copied = Command::new(env!("CARGO_BIN_EXE_kalah"))
        .arg("serve")
        .args([OsStr::new("--data"), folder.path().as_os_str()])
        .args([OsStr::new("--backup"), file.as_os_str()])
        .output()
        .expect("the command");
    assert!(
        copied.status.success() && copied.stdout.is_empty(),
        "{copied:?}"
    );
    server.kill();
    check_database(folder.path());
    let server = Server::start(copy.path());
    for played in &games {
        check(server.address, played);
    }
    server.kill();
    let plies: usize = games.iter().map(|played| played.acknowledged.len()).sum();
    println!("{plies} acknowledged plies in {} games", games.len());
    assert!(plies > 0, "nothing was acknowledged in {KILLS} lives");
}
