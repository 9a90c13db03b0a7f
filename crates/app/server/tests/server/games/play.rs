//! Games played over HTTP and WebSocket: moves, rematches, swaps, reconnects and restarts.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, WebSocketClient, games_config};

/// Returns the first move of a position.
fn first_move(position: &Value) -> Option<String> {
    position["legal_moves"][0].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_game_over_two_connections() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server
        .create_game(json!({"position": "3x2", "side": "north"}))
        .await;
    assert_eq!(created.state["you"], "north");
    assert_eq!(created.state["plies"], json!([]));
    let mut north = server.hello_as(&created.game, &created.token).await;
    assert_eq!(north.receive().await["state"]["you"], "north");
    let mut south = server.hello_as(&created.game, &created.friend_token).await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    let state = south.receive().await["state"].clone();
    assert_eq!(state["you"], "south");
    assert_eq!(state["connected"], json!({"south": true, "north": true}));
    // North learns that South has connected.
    while north.receive_type("state").await["state"]["connected"]["south"] != true {}
    assert_eq!(watcher.receive().await["state"]["you"], Value::Null);

    let (mut position, mut ply) = (state["position"].clone(), 0);
    while let Some(mv) = first_move(&position) {
        ply += 1;
        let to_move = position["to_move"].clone();
        let mover = if to_move == "south" {
            &mut south
        } else {
            &mut north
        };
        mover.play_move(ply, &mv).await;
        let mut results = Vec::new();
        for client in [&mut south, &mut north, &mut watcher] {
            results.push(client.receive_type("move").await);
        }
        assert_eq!((&results[0], &results[0]), (&results[1], &results[2]));
        assert_eq!(results[0]["ply"], ply);
        let result = &results[0]["result"];
        assert_eq!((&result["side"], &result["move"]), (&to_move, &json!(mv)));
        position = result["after"].clone();
    }
    for client in [&mut south, &mut north, &mut watcher] {
        let over = client.receive_type("state").await["state"].clone();
        assert_eq!(over["ending"]["termination"], "normal");
        assert_eq!(over["position"], position);
    }
    let state = server.game_state(&created.game, None).await;
    assert_eq!(state.json["plies"].as_array().map(Vec::len), Some(ply));
    assert_eq!(state.json["ending"]["termination"], "normal");
    let late = server
        .play_move(&created.game, &created.token, ply + 1, "a")
        .await;
    assert_eq!(
        (late.status, &late.json["state"]["ending"]),
        (409, &state.json["ending"])
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_move_is_accepted_and_late_move_rejected_with_the_state() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let (game, south, north) = (&created.game, &created.token, &created.friend_token);
    for _ in 0..2 {
        let response = server.play_move(game, south, 1, "A").await;
        assert_eq!(
            (response.status, &response.json["plies"]),
            (200, &json!(["A"]))
        );
    }
    // Another move, a later ply, the opponent's turn, and the opponent's house.
    let cases: [(&String, usize, &str, u16); 7] = [
        (south, 1, "B", 409),
        (south, 0, "A", 409),
        (south, 3, "A", 409),
        (south, 2, "B", 409),
        (north, 1, "A", 409),
        (north, 2, "B", 422),
        (north, 2, "é", 422),
    ];
    for (token, ply, mv, status) in cases {
        let response = server.play_move(game, token, ply, mv).await;
        assert_eq!(response.status, status, "{ply} {mv}: {response:?}");
        let state = &response.json["state"];
        let plies = if status == 409 {
            json!(["A"])
        } else {
            Value::Null
        };
        assert_eq!(state["plies"], plies, "{ply} {mv}");
    }

    // The same over WebSocket.
    let mut client = server.hello_as(game, north).await;
    client.receive_type("state").await;
    client.play_move(2, "a").await;
    let message = client.receive_type("move").await;
    client.play_move(2, "a").await;
    assert_eq!(client.receive().await["result"], message["result"]);
    client.play_move(2, "b").await;
    let problem = client.receive_type("problem").await;
    assert_eq!(
        (&problem["ply"], &problem["problem"]["status"]),
        (&json!(2), &json!(409))
    );
    assert_eq!(problem["problem"]["state"]["plies"], json!(["A", "a"]));
    assert_eq!(problem["problem"]["state"]["you"], "north");
    server.stop().await;
}

/// Plays `moves`; capital letters are moves of South.
async fn play_all(server: &TestServer, game: &str, tokens: [&str; 2], moves: &[&str]) {
    for (ply, mv) in (1..).zip(moves) {
        let is_south = mv.chars().all(char::is_uppercase);
        let token = tokens[usize::from(!is_south)];
        let response = server.play_move(game, token, ply, mv).await;
        assert_eq!(response.status, 200, "{mv}: {}", response.json);
    }
}

/// Returns the plies that arrive before the state.
async fn missed_plies(client: &mut WebSocketClient) -> Vec<Value> {
    let mut plies = Vec::new();
    loop {
        let message = client.receive().await;
        if message["type"] == "state" {
            return plies;
        }
        plies.push(json!([message["ply"], message["result"]["move"]]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnect_receives_missed_plies() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let tokens = [created.token.as_str(), &created.friend_token];
    play_all(&server, &created.game, tokens, &["A", "a", "B"]).await;
    for (hello, plies) in [
        (json!({}), json!([])),
        (json!({"since": 0}), json!([[1, "A"], [2, "a"], [3, "B"]])),
        (
            json!({"since": 2, "token": created.token}),
            json!([[3, "B"]]),
        ),
        (json!({"since": 3}), json!([])),
        (json!({"since": u64::MAX}), json!([])),
    ] {
        let mut client = server.hello(&created.game, &hello).await;
        assert_eq!(
            Value::from(missed_plies(&mut client).await),
            plies,
            "{hello}"
        );
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn game_continues_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let created = server
        .create_game(json!({"rules": "standard", "position": "4x3"}))
        .await;
    let tokens = [created.token.as_str(), &created.friend_token];
    play_all(&server, &created.game, tokens, &["A"]).await;
    let mut client = server.hello_as(&created.game, &created.token).await;
    let before = client.receive_type("state").await["state"].clone();
    server.stop().await;
    // "Service restart", in the IANA registry of WebSocket close codes.
    assert_eq!(client.receive_close().await, Some(1012));

    let server = TestServer::start(&config).await;
    let mut client = server
        .hello(&created.game, &json!({"token": created.token, "since": 1}))
        .await;
    assert_eq!(client.receive().await["state"], before);
    play_all(&server, &created.game, tokens, &["A", "a"]).await;
    assert_eq!(client.receive_type("move").await["ply"], 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rematch_exchanges_the_sides_and_keeps_the_tokens() {
    let server = TestServer::start(&games_config(None)).await;
    let clock = json!({"initial": "5m", "increment": "2s"});
    let created = server
        .create_game(json!({"position": "4x2", "clock": clock}))
        .await;
    let early = server
        .act_on("rematch", &created.game, &created.token, "offer")
        .await;
    assert_eq!(
        (early.status, &early.json["state"]["ending"]),
        (409, &Value::Null)
    );
    let resigned = server.resign(&created.game, &created.friend_token).await;
    assert_eq!(
        resigned.json["ending"],
        json!({"termination": "resign", "winner": "south"})
    );
    assert_eq!(
        server.resign(&created.game, &created.token).await.status,
        409
    );

    let mut client = server.hello(&created.game, &json!({})).await;
    client.receive_type("state").await;
    for _ in 0..2 {
        let offered = server
            .act_on("rematch", &created.game, &created.token, "offer")
            .await;
        assert_eq!(
            offered.json["rematch"],
            json!({"offered_by": "south", "declined_by": null, "game": null})
        );
    }
    assert_eq!(
        client.receive_type("state").await["state"]["rematch"]["offered_by"],
        "south"
    );
    let both = server
        .act_on("rematch", &created.game, &created.friend_token, "offer")
        .await;
    let other = both.json["rematch"]["game"]
        .as_str()
        .expect("a game")
        .to_owned();
    assert_eq!(
        client.receive_type("state").await["state"]["rematch"]["game"],
        other
    );
    let again = server
        .act_on("rematch", &created.game, &created.token, "offer")
        .await;
    assert_eq!(again.json["rematch"]["game"], other);

    let state = server.game_state(&other, Some(&created.token)).await.json;
    assert_eq!(state["you"], "north");
    assert_eq!(
        state["position"]["position"],
        created.state["position"]["position"]
    );
    assert_eq!(state["clock"]["times"]["north"]["initial_ms"], 300_000);
    server
        .assert_play(&other, &created.friend_token, 1, "A", 200)
        .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn token_follows_its_player_through_a_swap() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({"rules": "mankalah"})).await;
    let (game, first, second) = (&created.game, &created.token, &created.friend_token);
    let mut client = server.hello_as(game, first).await;
    client.receive_type("state").await;
    let may_swap = |state: &Value| {
        let moves = state["position"]["legal_moves"].as_array();
        moves.is_some_and(|moves| moves.contains(&json!("swap")))
    };
    assert!(!may_swap(&created.state), "not yet");
    server.assert_play(game, first, 1, "A", 200).await;
    let open = server.game_state(game, Some(second)).await.json;
    assert!(may_swap(&open), "{open}");
    assert_eq!(open["you"], "north");
    let swapped = server.play_move(game, second, 2, "swap").await;
    assert!(!may_swap(&swapped.json), "only once");
    assert_eq!(
        (swapped.status, &swapped.json["you"]),
        (200, &json!("south"))
    );
    // Subscribers receive the swap before the state with exchanged sides.
    let swap = loop {
        let message = client.receive_type("move").await;
        if message["ply"] == 2 {
            break message;
        }
    };
    assert_eq!(
        (&swap["result"]["move"], &swap["result"]["is_swap"]),
        (&json!("swap"), &json!(true))
    );
    let state = loop {
        let state = client.receive_type("state").await["state"].clone();
        if state["plies"] == json!(["A", "swap"]) {
            break state;
        }
    };
    assert_eq!(
        (&state["you"], &state["to_move"]),
        (&json!("north"), &json!("north"))
    );
    assert_eq!(state["connected"], json!({"south": false, "north": true}));
    server.assert_play(game, second, 2, "swap", 200).await;
    server.assert_play(game, second, 3, "a", 409).await;
    server.assert_play(game, first, 3, "a", 200).await;
    let resigned = server.resign(game, first).await;
    assert_eq!(resigned.json["ending"]["winner"], "south");
    server.stop().await;
}

#[tokio::test]
async fn opponent_learns_of_each_disconnection_and_reconnection() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({"side": "north"})).await;
    let mut north = server.hello_as(&created.game, &created.token).await;
    north.receive_type("state").await;
    let mut south = server.hello_as(&created.game, &created.friend_token).await;
    south.receive_type("state").await;
    let is_south_connected = async |north: &mut WebSocketClient| {
        north.receive_type("state").await["state"]["connected"]["south"] == true
    };
    while !is_south_connected(&mut north).await {}
    for _ in 0..2 {
        drop(south);
        assert!(!is_south_connected(&mut north).await);
        south = server.hello_as(&created.game, &created.friend_token).await;
        south.receive_type("state").await;
        assert!(is_south_connected(&mut north).await);
    }
    // A second tab and a spectator are no news.
    let mut tab = server.hello_as(&created.game, &created.friend_token).await;
    tab.receive_type("state").await;
    let mut spectator = server.hello(&created.game, &json!({})).await;
    spectator.receive_type("state").await;
    north.send_json(&json!({"type": "ping"})).await;
    assert_eq!(north.receive().await["type"], "pong");
    drop((south, tab, spectator));
}
