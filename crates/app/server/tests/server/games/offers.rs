//! Offers of takebacks and rematches, over HTTP and WebSocket.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, WebSocketClient, games_config};

/// Receives states until `condition` holds, and returns that state.
async fn state_with(client: &mut WebSocketClient, condition: impl Fn(&Value) -> bool) -> Value {
    loop {
        let state = client.receive_type("state").await["state"].take();
        if condition(&state) {
            return state;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn accepted_takeback_reaches_all_clients_and_survives_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let created = server.create_game(json!({})).await;
    let (game, south, north) = (&created.game, &created.token, &created.friend_token);
    let mut one = server.hello_as(game, south).await;
    let mut two = server.hello_as(game, north).await;
    let mut watcher = server.hello(game, &json!({})).await;
    let early = server.act_on("takeback", game, south, "offer").await;
    assert_eq!(
        (early.status, early.detail().as_str()),
        (409, "you have made no move that could be taken back")
    );
    for (token, ply, mv) in [(south, 1, "C"), (south, 2, "A"), (north, 3, "a")] {
        server.assert_play(game, token, ply, mv, 200).await;
    }
    let action = |action: &str| json!({"type": "takeback", "action": action});
    one.send_json(&action("offer")).await;
    let offered = state_with(&mut two, |state| state["takeback"]["offered_by"] == "south").await;
    assert_eq!(
        offered["takeback"],
        json!({"offered_by": "south", "declined_by": null, "plies_left": 1})
    );
    two.send_json(&action("decline")).await;
    let declined = state_with(&mut one, |state| {
        state["takeback"]["declined_by"] == "north"
    })
    .await;
    assert_eq!(declined["takeback"]["offered_by"], Value::Null);
    let again = server.act_on("takeback", game, south, "offer").await;
    assert_eq!(
        (again.status, again.detail().as_str()),
        (409, "the other player has declined this offer")
    );
    let own = server.act_on("takeback", game, north, "offer").await;
    assert_eq!(own.json["takeback"]["plies_left"], 2);
    let accepted = server.act_on("takeback", game, south, "accept").await;
    assert_eq!(accepted.json["plies"], json!(["C", "A"]));
    let seen = state_with(&mut watcher, |state| {
        state["plies"] == json!(["C", "A"]) && state["takeback"]["offered_by"] == Value::Null
    })
    .await;
    assert_eq!(seen["to_move"], "north");
    let none = server.act_on("takeback", game, south, "accept").await;
    assert_eq!(none.status, 409);
    assert_eq!(none.json["state"]["plies"], json!(["C", "A"]));
    server.assert_play(game, north, 3, "b", 200).await;
    server.stop().await;

    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    // A client that knows the plies of before the takeback gets the state alone.
    let mut late = server.hello(game, &json!({"since": 2})).await;
    let first = late.receive().await;
    assert_eq!(
        (&first["type"], &first["state"]["plies"]),
        (&json!("state"), &json!(["C", "A", "b"]))
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rematch_is_declined_withdrawn_and_offered_by_the_other_player() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let created = server.create_game(json!({})).await;
    let (game, south, north) = (&created.game, &created.token, &created.friend_token);
    server.resign(game, south).await;
    let offers = [
        (south, "offer", 200, json!(["south", null])),
        (south, "withdraw", 200, json!([null, null])),
        (south, "withdraw", 409, Value::Null),
        (north, "accept", 409, Value::Null),
        (south, "offer", 200, json!(["south", null])),
        (south, "accept", 409, Value::Null),
        (north, "decline", 200, json!([null, "north"])),
        (south, "offer", 409, Value::Null),
    ];
    for (token, action, status, expected) in offers {
        let response = server.act_on("rematch", game, token, action).await;
        assert_eq!(response.status, status, "{action}");
        if status == 200 {
            let rematch = &response.json["rematch"];
            assert_eq!(
                json!([rematch["offered_by"], rematch["declined_by"]]),
                expected
            );
        }
    }
    server.stop().await;

    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let state = server.game_state(game, None).await.json;
    assert_eq!(state["rematch"]["declined_by"], "north");
    server.act_on("rematch", game, north, "offer").await;
    let accepted = server.act_on("rematch", game, south, "accept").await;
    assert!(accepted.json["rematch"]["game"].is_string());
    assert_eq!(accepted.json["rematch"]["offered_by"], Value::Null);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_actions_are_rejected() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    for offer in ["takeback", "rematch"] {
        let path = format!("games/{}/{offer}", created.game);
        for body in [
            json!({}),
            json!({"action": "undo"}),
            json!({"action": "offer", "ply": 1}),
        ] {
            let response = server.post_as(&path, &created.token, &body).await;
            assert_eq!(response.status, 422, "{body}");
        }
    }
    server.stop().await;
}
