//! Programs in a room of a real server: rounds, challenges, failures, and the end of the room.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use kalah_net::TlsTrust;
use kalah_players::{ContestantSpec, MemorySize, Shutdown};
use kalah_room_client::{GameTally, RoomClientError, RoomClientSettings, run_client};
use kalah_server::{Server, ServerConfig};
use kalah_store::PlayerToken;
use serde_json::{Value, json};
use test_tools::tls_proxy::TlsProxy;
use tokio::net::TcpStream;
use tokio::task::{LocalSet, spawn_local};
use tokio_util::sync::CancellationToken;

/// A server with a room, until it is dropped.
struct ServedRoom {
    address: SocketAddr,
    code: String,
    leader: String,
    end: CancellationToken,
}

impl Drop for ServedRoom {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl ServedRoom {
    /// Starts a server and creates a room on it.
    async fn create(request: Value) -> Self {
        let config = ServerConfig {
            address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
            memory: 64 << 20,
            ..ServerConfig::default()
        };
        let server = Server::bind(&config).await.expect("a free port");
        let (address, end) = (server.address(), CancellationToken::new());
        tokio::spawn(server.run(end.clone().cancelled_owned()));
        let (status, created) = post(address, "rooms", None, &request).await;
        assert_eq!(status, 201, "{created}");
        let text = |name: &str| created[name].as_str().expect("a text").to_owned();
        let (code, leader) = (text("code"), text("leader_token"));
        Self {
            address,
            code,
            leader,
            end,
        }
    }

    /// Returns the settings of a client with this player.
    fn settings(&self, name: &str, player: &str) -> RoomClientSettings {
        let address = format!("http://{}/#room={}", self.address, self.code);
        RoomClientSettings {
            address: address.parse().expect("an address"),
            trust: TlsTrust::certificates([]).expect("no certificates"),
            name: name.parse().expect("a name"),
            token: PlayerToken::random(),
            player: ContestantSpec::parse(player, &[]).expect("a player"),
            memory: MemorySize::MIN,
            seed: 7,
            move_time: Duration::from_millis(100),
            challenges_all: false,
        }
    }

    /// Sends a command with a token.
    async fn command(&self, token: &str, command: Value) -> u16 {
        let path = format!("rooms/{}/commands", self.code);
        post(self.address, &path, Some(token), &command).await.0
    }

    /// Sends a command of the leader until it succeeds.
    async fn lead(&self, command: Value) {
        while self.command(&self.leader, command.clone()).await != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Sends a request, and returns the status and the body.
async fn post(address: SocketAddr, path: &str, token: Option<&str>, body: &Value) -> (u16, Value) {
    let stream = TcpStream::connect(address).await.expect("a server");
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.expect("a connection");
    tokio::spawn(connection);
    let mut request = Request::post(format!("/api/v1/{path}"))
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, "application/json");
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request.body(Full::<Bytes>::from(body.to_string()));
    let response = sender.send_request(request.expect("a request")).await;
    let response = response.expect("a response");
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a body");
    (
        status,
        serde_json::from_slice(&body.to_bytes()).expect("JSON"),
    )
}

/// The lines that a client has reported.
type ClientLines = Rc<RefCell<Vec<String>>>;

/// Runs a client until it ends.
async fn run(
    settings: RoomClientSettings,
    lines: ClientLines,
    shutdown: CancellationToken,
) -> Result<GameTally, RoomClientError> {
    let mut report = |line: &str| {
        lines.borrow_mut().push(line.to_owned());
        Ok(())
    };
    run_client(&settings, &mut report, &shutdown, &Shutdown::default()).await
}

#[tokio::test]
async fn programs_play_rounds_until_the_room_is_closed() {
    LocalSet::new()
        .run_until(async {
            let request = json!({
                "name": "Course", "format": "swiss", "position": "4x2", "games_per_pairing": 2,
                "clock": {"initial": "5m", "increment": "0s"}, "rules": "mankalah",
            });
            let room = ServedRoom::create(request).await;
            let (lines, never) = (ClientLines::default(), CancellationToken::new());
            let one = spawn_local(run(
                room.settings("First", "first"),
                Rc::clone(&lines),
                never.clone(),
            ));
            let other = spawn_local(run(
                room.settings("Level", "level:2"),
                ClientLines::default(),
                never,
            ));
            for _ in 0..2 {
                room.lead(json!({"command": "start-round"})).await;
            }
            // The round after the last one can begin only when all games have ended.
            room.lead(json!({"command": "start-round"})).await;
            room.lead(json!({"command": "start-round", "void_running": true}))
                .await;
            room.lead(json!({"command": "close"})).await;
            let one = one.await.expect("no panic").expect("games");
            let other = other.await.expect("no panic").expect("games");
            let lines = lines.borrow();
            assert_eq!((one.won, one.tied), (other.lost, other.tied), "{lines:#?}");
            assert!(one.won + one.lost + one.tied >= 5, "{lines:#?}");
            assert!(lines[1].contains("against Level"), "{lines:#?}");
        })
        .await;
}

/// Lets a person enter, and returns the token.
async fn enter(room: &ServedRoom, name: &str) -> String {
    let token = PlayerToken::random().reveal();
    state_for(room, &token, name).await;
    token
}

/// Enters, also again with the same token, and returns the state of the room.
async fn state_for(room: &ServedRoom, token: &str, name: &str) -> Value {
    let path = format!("rooms/{}/enter", room.code);
    let body = json!({"token": token, "name": name});
    let (status, response) = post(room.address, &path, None, &body).await;
    assert_eq!(status, 200, "{response}");
    response["state"].clone()
}

/// Sends a command of a person until the server answers with this status.
async fn command_until(room: &ServedRoom, token: &str, command: Value, status: u16) {
    while room.command(token, command.clone()).await != status {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn program_accepts_a_challenge_wins_and_leaves() {
    LocalSet::new()
        .run_until(async {
            let room = ServedRoom::create(json!({"name": "Club", "position": "3x2"})).await;
            let (lines, stop) = (ClientLines::default(), CancellationToken::new());
            let ann = enter(&room, "Ann").await;
            let robot = spawn_local(run(
                room.settings("Robot", "first"),
                Rc::clone(&lines),
                stop.clone(),
            ));
            let challenge = json!({"command": "challenge", "to": 2});
            command_until(&room, &ann, challenge.clone(), 200).await;
            // The game has begun when its players can make no further challenge.
            command_until(&room, &ann, challenge, 409).await;
            let state = state_for(&room, &ann, "Ann").await;
            let game = state["games"][0]["game"].as_str().expect("an id");
            let path = format!("games/{game}/plies");
            let ply = json!({"ply": 1, "move": "A"});
            let (status, played) = post(room.address, &path, Some(&ann), &ply).await;
            assert_eq!(status, 200, "{played}");
            while state_for(&room, &ann, "Ann").await["games"][0]["plies"] == 1 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            // The other player wins.
            command_until(&room, &ann, json!({"command": "leave"}), 200).await;
            while lines.borrow().len() < 3 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            stop.cancel();
            let tally = robot.await.expect("no panic").expect("it leaves");
            let lines = lines.take();
            assert_eq!(tally.won + tally.lost + tally.tied, 1, "{lines:#?}");
            assert!(lines[1].ends_with("against Ann"), "{lines:#?}");
            // The program has left.
            let again = json!({"command": "challenge", "to": 2});
            assert_eq!(room.command(&ann, again).await, 409);
        })
        .await;
}

#[tokio::test]
async fn program_challenges_all() {
    LocalSet::new()
        .run_until(async {
            let room = ServedRoom::create(json!({"name": "Club", "position": "3x2"})).await;
            let stop = CancellationToken::new();
            let ann = enter(&room, "Ann").await;
            let mut settings = room.settings("Robot", "first");
            settings.challenges_all = true;
            let robot = spawn_local(run(settings, ClientLines::default(), stop.clone()));
            let accept = json!({"command": "accept-challenge", "from": 2});
            command_until(&room, &ann, accept, 200).await;
            stop.cancel();
            robot.await.expect("no panic").expect("it leaves");
        })
        .await;
}

#[tokio::test]
async fn program_that_challenges_all_accepts_the_challenge_of_a_person() {
    LocalSet::new()
        .run_until(async {
            let room = ServedRoom::create(json!({"name": "Club", "position": "3x2"})).await;
            let stop = CancellationToken::new();
            let ann = enter(&room, "Ann").await;
            let open = json!({"command": "challenge", "to": null});
            assert_eq!(room.command(&ann, open.clone()).await, 200);
            let mut settings = room.settings("Robot", "first");
            settings.challenges_all = true;
            let robot = spawn_local(run(settings, ClientLines::default(), stop.clone()));
            // The game has begun when its players can make no further challenge.
            command_until(&room, &ann, open, 409).await;
            stop.cancel();
            robot.await.expect("no panic").expect("it leaves");
        })
        .await;
}

#[tokio::test]
async fn refusals_of_the_server_are_quoted() {
    let room = ServedRoom::create(json!({"name": "Club"})).await;
    enter(&room, "Robot").await;
    let never = CancellationToken::new();
    let (settings, lines) = (room.settings("Robot", "first"), ClientLines::default());
    let taken = run(settings, lines, never.clone()).await;
    let error = taken.expect_err("the name is taken");
    assert!(error.to_string().contains("called `Robot`"), "{error}");
    let mut wrong = room.settings("Robot", "first");
    let address = format!("http://{}/#room=ZZZZZZ", room.address);
    wrong.address = address.parse().expect("an address");
    let error = run(wrong, ClientLines::default(), never)
        .await
        .expect_err("no such room");
    let expected = "there is no room `ZZZZZZ`";
    assert!(error.to_string().contains(expected), "{error}");
}

#[tokio::test]
async fn program_plays_over_encrypted_connections() {
    LocalSet::new()
        .run_until(async {
            let room = ServedRoom::create(json!({"name": "Club", "position": "3x2"})).await;
            let proxy = TlsProxy::start(room.address).await;
            let stop = CancellationToken::new();
            let ann = enter(&room, "Ann").await;
            let mut settings = room.settings("Robot", "first");
            let address = format!("https://localhost:{}/room/{}", proxy.port, room.code);
            settings.address = address.parse().expect("an address");
            settings.challenges_all = true;

            // It does not send the name of the program to a server that it does not trust.
            let refused = run(settings.clone(), ClientLines::default(), stop.clone()).await;
            let error = refused.expect_err("no trusted certificate").to_string();
            assert!(error.contains("certificate"), "{error}");

            settings.trust = TlsTrust::certificates([&*proxy.certificate]).expect("valid");
            let robot = spawn_local(run(settings, ClientLines::default(), stop.clone()));
            let accept = json!({"command": "accept-challenge", "from": 2});
            command_until(&room, &ann, accept, 200).await;
            stop.cancel();
            robot.await.expect("no panic").expect("it leaves");
        })
        .await;
}
