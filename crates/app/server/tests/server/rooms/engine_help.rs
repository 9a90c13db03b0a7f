//! Help of the engine during the games of a room.

use serde_json::{Value, json};

use crate::common::{TestServer, games_config};
use crate::rooms::{TestRoom, games};

/// Starts a room with a game of two members, and returns it with its game.
async fn room_with_game(server: &TestServer, engine_help: bool) -> (TestRoom, Value) {
    let request = json!({
        "name": "Class", "format": "swiss", "position": "3x3", "engine_help": engine_help,
    });
    let room = TestRoom::create(server, request, &["Ann", "Bob"]).await;
    room.start_round(server).await;
    let game = games(&room.state(server).await)[0].clone();
    (room, game)
}

/// Returns the status of the proven margins of the moves of an opening.
async fn explore(server: &TestServer, position: &str) -> u16 {
    let request = json!({"position": position, "rules": "cs32"});
    server.post("explore", &request).await.status
}

/// Returns the status of an analysis.
async fn analyze(server: &TestServer, position: &Value) -> u16 {
    let request = json!({"position": position, "rules": "cs32", "time": "100ms"});
    server.post("analyze", &request).await.status
}

#[tokio::test]
async fn positions_of_running_games_are_not_analyzed_for_their_players() {
    let server = TestServer::start(&games_config(None)).await;
    let (room, game) = room_with_game(&server, false).await;
    let start = json!("3x3");
    assert_eq!(
        analyze(&server, &start).await,
        200,
        "no player is connected"
    );
    let id = game["game"].as_str().expect("an id");
    let mut player = server.hello_as(id, &room.members[0]).await;
    player.receive_type("state").await;
    assert_eq!(analyze(&server, &start).await, 409);
    let problem = json!({"position": start, "rules": "cs32", "opponent": "smart"});
    let problem = server.post("choose", &problem).await;
    assert_eq!(problem.json["type"], "/problems/engine-help-off");
    // The same houses with other seeds in the stores, and the position after a move.
    let position = json!("<3,9,5,3,3,3,3,3,3> s");
    assert_eq!(analyze(&server, &position).await, 409);
    assert_eq!(analyze(&server, &json!("<3,0,0,3,3,0,4,4,4> n")).await, 200);
    let after = json!({"position": "3x3", "rules": "cs32", "move": "A"});
    let after = server.post("move", &after).await.json;
    assert_eq!(
        analyze(&server, &after["after"]["position"]).await,
        409,
        "{after}"
    );
    assert_eq!(analyze(&server, &json!("4x3")).await, 200);
    assert_eq!(explore(&server, "3x3").await, 409);
    assert_eq!(explore(&server, "4x3").await, 200);
    room.play_to_end(&server, &game).await;
    assert_eq!(analyze(&server, &start).await, 200);
    server.stop().await;
}

#[tokio::test]
async fn engine_help_can_be_allowed() {
    let server = TestServer::start(&games_config(None)).await;
    let (room, game) = room_with_game(&server, true).await;
    let id = game["game"].as_str().expect("an id");
    let mut player = server.hello_as(id, &room.members[0]).await;
    let state = player.receive_type("state").await;
    assert_eq!(
        state["state"]["room"],
        json!({"code": room.code, "name": "Class", "engine_help": true, "takebacks": false})
    );
    assert_eq!(analyze(&server, &json!("3x3")).await, 200);
    for offer in ["takeback", "rematch"] {
        let refused = server.act_on(offer, id, &room.members[0], "offer").await;
        assert_eq!(refused.status, 409, "{offer}");
    }
    server.stop().await;
}
