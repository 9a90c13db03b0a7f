//! Rooms: people who enter, leaders, rounds, challenges, results and limits.

mod challenges;
mod class;
mod engine_help;
mod leader_device;
mod limits;
mod results;
mod rounds;

use kalah_store::PlayerToken;
use serde_json::{Value, json};

use crate::common::{TestResponse, TestServer, WebSocketClient};

/// A room of a test server, with the tokens of its leader and members.
pub(crate) struct TestRoom {
    pub(crate) code: String,
    pub(crate) leader: String,
    /// By number from 1.
    pub(crate) members: Vec<String>,
}

impl TestRoom {
    /// Creates a room, which members with these names enter.
    pub(crate) async fn create(server: &TestServer, request: Value, names: &[&str]) -> Self {
        let created = server.post("rooms", &request).await;
        assert_eq!(created.status, 201, "{}", created.json);
        let text = |name: &str| created.json[name].as_str().expect("a text").to_owned();
        let mut room = Self {
            code: text("code"),
            leader: text("leader_token"),
            members: Vec::new(),
        };
        for name in names {
            room.enter(server, name).await;
        }
        room
    }

    /// Lets another member enter.
    pub(crate) async fn enter(&mut self, server: &TestServer, name: &str) {
        let token = PlayerToken::random().reveal();
        let entered = self.enter_with(server, &token, name).await;
        assert_eq!(entered.status, 200, "{}", entered.json);
        self.members.push(token);
        assert_eq!(entered.json["member"], self.members.len());
    }

    /// Enters with a token.
    pub(crate) async fn enter_with(
        &self,
        server: &TestServer,
        token: &str,
        name: &str,
    ) -> TestResponse {
        let body = json!({"token": token, "name": name});
        server
            .post(&format!("rooms/{}/enter", self.code), &body)
            .await
    }

    /// Sends a command with a token.
    pub(crate) async fn command_as(
        &self,
        server: &TestServer,
        token: &str,
        command: &Value,
    ) -> TestResponse {
        let path = format!("rooms/{}/commands", self.code);
        server.post_as(&path, token, command).await
    }

    /// Sends a command of the leader, which succeeds.
    pub(crate) async fn lead(&self, server: &TestServer, command: Value) {
        let response = self.command_as(server, &self.leader, &command).await;
        assert_eq!(response.status, 200, "{command}: {}", response.json);
    }

    /// Sends a command of a member, and returns the status.
    pub(crate) async fn member_command(
        &self,
        server: &TestServer,
        number: usize,
        command: Value,
    ) -> u16 {
        let token = &self.members[number - 1];
        self.command_as(server, token, &command).await.status
    }

    /// Starts a round.
    pub(crate) async fn start_round(&self, server: &TestServer) {
        let command = json!({"command": "start-round", "void_running": false});
        self.lead(server, command).await;
    }

    /// Returns the state of the room.
    pub(crate) async fn state(&self, server: &TestServer) -> Value {
        let state = server.get(&format!("/api/v1/rooms/{}", self.code)).await;
        assert_eq!(state.status, 200, "{}", state.json);
        state.json
    }

    /// Opens a live connection with this `hello`.
    pub(crate) async fn hello(&self, server: &TestServer, fields: &Value) -> WebSocketClient {
        let stream = server.connect().await;
        let url = format!("ws://{}/api/v1/rooms/{}/live", server.address, self.code);
        let connection = tokio_tungstenite::client_async(url, stream).await;
        let mut client = WebSocketClient(connection.expect("a connection").0);
        let mut message = fields.clone();
        message["type"] = json!("hello");
        client.send_json(&message).await;
        client
    }

    /// Plays a game to its end with the first legal moves, and returns the number of its plies.
    pub(crate) async fn play_to_end(&self, server: &TestServer, game: &Value) -> usize {
        let id = game["game"].as_str().expect("an id");
        let member = |side: &str| {
            let number = game[side].as_u64().expect("a number");
            let index = usize::try_from(number - 1).expect("an index");
            &self.members[index]
        };
        let mut state = server.game_state(id, None).await.json;
        while state["ending"].is_null() {
            let ply = state["plies"].as_array().expect("plies").len() + 1;
            let side = state["to_move"].as_str().expect("a side");
            let moves = state["position"]["legal_moves"].as_array().expect("moves");
            let mv = moves[0].as_str().expect("a move").to_owned();
            let played = server.play_move(id, member(side), ply, &mv).await;
            assert_eq!(played.status, 200, "{}", played.json);
            state = played.json;
        }
        state["plies"].as_array().expect("plies").len()
    }

    /// Plays all running games of the present state to their ends.
    pub(crate) async fn play_all(&self, server: &TestServer) {
        for game in games(&self.state(server).await) {
            if game["ending"].is_null() {
                self.play_to_end(server, &game).await;
            }
        }
    }
}

/// Returns the games of a state.
pub(crate) fn games(state: &Value) -> Vec<Value> {
    state["games"].as_array().expect("games").clone()
}
