//! Opening statistics: of shared games, of rooms, and of running games without engine help.

use kalah_store::PlayerToken;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};
use crate::rooms::{TestRoom, games};

/// Returns the statistics of the server or of a room for the start of 6x4.
async fn openings(server: &TestServer, path: &str) -> Value {
    let request = json!({"rules": "standard", "position": "6x4"});
    let response = server.post(path, &request).await;
    assert_eq!(response.status, 200, "{}", response.json);
    response.json
}

/// Plays a ply in a game of two players with these consents, and resigns. Returns the state before
/// the end.
async fn play_shared(server: &TestServer, creator: bool, friend: bool) -> Value {
    let request = json!({"rules": "standard", "position": "6x4", "shares": creator});
    let created = server.post("games", &request).await.json;
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let (game, token) = (text("game"), text("token"));
    let joining = json!({"token": PlayerToken::random().reveal(), "shares": friend});
    let joined = server.join(&game, &joining).await;
    assert_eq!(joined.status, 200, "{}", joined.json);
    server.play_move(&game, &token, 1, "C").await;
    assert_eq!(server.resign(&game, &token).await.status, 200);
    joined.json
}

#[tokio::test(flavor = "multi_thread")]
async fn games_count_if_both_players_agree_and_positions_have_three() {
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let none = json!({"games": 0, "moves": []});
    for (creator, friend, consent) in [
        (false, false, "none"),
        (true, false, "offered"),
        (false, true, "offered"),
        (true, true, "agreed"),
        (true, true, "agreed"),
    ] {
        let state = play_shared(&server, creator, friend).await;
        assert_eq!(state["statistics"], consent);
        assert_eq!(openings(&server, "openings").await, none, "too few games");
    }
    play_shared(&server, true, true).await;
    let three = json!({
        "games": 3,
        "moves": [{"move": "C", "wins": 0, "ties": 0, "losses": 3}],
    });
    assert_eq!(openings(&server, "openings").await, three);
    server.stop().await;
    let server = TestServer::start(&config).await;
    assert_eq!(
        openings(&server, "openings").await,
        three,
        "after a restart"
    );
    let invalid = json!({"position": "6x"});
    assert_eq!(server.post("openings", &invalid).await.status, 422);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rematch_has_the_consent_of_both_players() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"rules": "standard", "shares": true});
    let created = server.post("games", &request).await.json;
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let (game, token) = (text("game"), text("token"));
    let friend = PlayerToken::random().reveal();
    let joining = json!({"token": friend, "shares": true});
    server.join(&game, &joining).await;
    server.resign(&game, &token).await;
    for token in [&token, &friend] {
        server.act_on("rematch", &game, token, "offer").await;
    }
    let state = server.game_state(&game, None).await.json;
    let rematch = state["rematch"]["game"].as_str().expect("a rematch");
    let rematch = server.game_state(rematch, None).await.json;
    assert_eq!(rematch["statistics"], "agreed");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_of_a_room_count_in_it_and_not_on_the_server() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({
        "name": "Class", "format": "swiss", "rules": "standard", "position": "6x4",
        "engine_help": false,
    });
    let room = TestRoom::create(&server, request, &["Ann", "Bob"]).await;
    let path = format!("rooms/{}/openings", room.code);
    room.start_round(&server).await;
    let game = games(&room.state(&server).await)[0].clone();
    let id = game["game"].as_str().expect("an id");
    let mut player = server.hello_as(id, &room.members[0]).await;
    player.receive_type("state").await;
    // The position of a running game without engine help has no statistics for its players.
    let start = json!({"rules": "standard", "position": "6x4"});
    for path in [path.as_str(), "openings"] {
        assert_eq!(server.post(path, &start).await.status, 409, "{path}");
    }
    room.play_to_end(&server, &game).await;
    let counted = openings(&server, &path).await;
    assert_eq!(counted["games"], 1);
    assert_eq!(counted["moves"][0]["move"], "A");
    assert_eq!(openings(&server, "openings").await["games"], 0);
    let unknown = server.post("rooms/AAAAAA/openings", &start).await;
    assert_eq!(unknown.status, 404);
    server.stop().await;
}
