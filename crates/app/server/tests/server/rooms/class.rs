//! A class of 60 pupils behind one address, with the default limits.

use futures_util::future::join_all;
use kalah_server::ServerLimits;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::common::{TestServer, WebSocketClient, config};
use crate::rooms::{TestRoom, games};

/// The number of pupils.
const PUPILS: u32 = 60;

/// The number of games of a pairing.
const GAMES_PER_PAIRING: u32 = 2;

/// A pupil in the class room.
struct Pupil {
    number: u32,
    token: String,
}

#[tokio::test]
async fn class_of_60_behind_one_address_loads_plays_and_watches() {
    let server = TestServer::start(&config(ServerLimits::default())).await;
    let request = json!({
        "name": "Class 7b", "format": "swiss", "position": "3x1",
        "games_per_pairing": GAMES_PER_PAIRING,
    });
    let mut room = TestRoom::create(&server, request, &[]).await;
    join_all((0..PUPILS).map(|_| load_page(&server))).await;
    for number in 1..=PUPILS {
        room.state(&server).await;
        room.enter(&server, &format!("Pupil {number}")).await;
    }
    // All are connected before the round begins.
    let connected = Barrier::new(room.members.len() + 1);
    let room = &room;
    let pupils = (1..).zip(&room.members).map(|(number, token)| Pupil {
        number,
        token: token.clone(),
    });
    let plays = pupils.map(|pupil| pupil.take_part(&server, room, &connected));
    tokio::join!(join_all(plays), lead_round(&server, room, &connected));
    let standings = read_standings(&server, room).await;
    let points = standings.iter().filter_map(|row| row["points"].as_f64());
    let games = f64::from(PUPILS / 2 * GAMES_PER_PAIRING);
    assert!(
        (points.sum::<f64>() - games).abs() < f64::EPSILON,
        "{standings:?}"
    );
    server.stop().await;
}

/// Starts a round when all are connected, and waits for the end of its games with a live connection
/// that shows all boards.
async fn lead_round(server: &TestServer, room: &TestRoom, connected: &Barrier) {
    let hello = json!({"leader": room.leader, "boards": true});
    let mut live_room = room.hello(server, &hello).await;
    live_room.receive_type("state").await;
    connected.wait().await;
    room.start_round(server).await;
    loop {
        let message = live_room.receive().await;
        let heads = [&message["room"], &message["state"]];
        if heads
            .iter()
            .any(|head| head["round"] == 1 && head["next_round"] == "ready")
        {
            return;
        }
    }
}

/// Returns the rows of the standings.
async fn read_standings(server: &TestServer, room: &TestRoom) -> Vec<Value> {
    let path = format!("/api/v1/rooms/{}/standings", room.code);
    let standings = server.get(&path).await;
    assert_eq!(standings.status, 200, "{}", standings.json);
    standings.json["standings"]
        .as_array()
        .expect("rows")
        .clone()
}

/// Loads the document and its files as a browser does.
async fn load_page(server: &TestServer) {
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    let text = page.text();
    let attributes = [" src=\"", " href=\""].into_iter();
    let values = attributes.flat_map(|attribute| text.split(attribute).skip(1));
    let names = values.filter_map(|rest| rest.split('"').next());
    let files: Vec<_> = names
        .filter(|name| !name.starts_with('#') && !name.contains(':'))
        .collect();
    assert!(files.len() > 3, "{files:?}");
    for file in files {
        let path = format!("/{file}");
        assert_eq!(server.get(&path).await.status, 200, "{path}");
    }
}

impl Pupil {
    /// Plays both games of a round, watches another board, and reads the standings.
    async fn take_part(self, server: &TestServer, room: &TestRoom, connected: &Barrier) {
        let hello = json!({"token": self.token});
        let mut live_room = room.hello(server, &hello).await;
        live_room.receive_type("state").await;
        connected.wait().await;
        for leg in 1..=GAMES_PER_PAIRING {
            let game = self.wait_for_game(&mut live_room, leg).await;
            self.play(server, &game).await;
        }
        let state = room.state(server).await;
        let is_other = |game: &&Value| game["south"] != self.number && game["north"] != self.number;
        let all = games(&state);
        let other = all.iter().find(is_other).expect("another game");
        let other = other["game"].as_str().expect("an id");
        server
            .hello(other, &json!({}))
            .await
            .receive_type("state")
            .await;
        let rows = read_standings(server, room).await;
        assert_eq!(rows.len(), room.members.len());
        live_room.send_json(&json!({"type": "ping"})).await;
        live_room.receive_type("pong").await;
    }

    /// Returns the id of the pupil's running game with this number in its pairing.
    async fn wait_for_game(&self, live_room: &mut WebSocketClient, leg: u32) -> String {
        loop {
            let message = live_room.receive().await;
            let known = [&message["games"], &message["state"]["games"]];
            let mut known = known.into_iter().filter_map(Value::as_array).flatten();
            let is_own = |game: &&Value| {
                (game["south"] == self.number || game["north"] == self.number) && game["leg"] == leg
            };
            if let Some(game) = known.find(is_own) {
                return game["game"].as_str().expect("an id").to_owned();
            }
        }
    }

    /// Plays a game to its end with the first legal moves.
    async fn play(&self, server: &TestServer, game: &str) {
        let mut client = server.hello_as(game, &self.token).await;
        let mut state = client.receive_type("state").await["state"].clone();
        let you = state["you"].clone();
        let mut position = state["position"].take();
        let mut plies = state["plies"].as_array().expect("plies").len();
        let mut sent = 0;
        while position["is_over"] == false {
            let ply = plies + 1;
            if position["to_move"] == you && sent < ply {
                let mv = position["legal_moves"][0].as_str().expect("a move");
                client.play_move(ply, mv).await;
                sent = ply;
            }
            let mut message = client.receive().await;
            assert_ne!(message["type"], "problem", "{message}");
            if message["type"] == "move" {
                plies += 1;
                assert_eq!(message["ply"], plies);
                position = message["result"]["after"].take();
            }
        }
    }
}
