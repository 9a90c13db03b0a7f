use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, WebSocketClient, games_config};

/// The first choice of a state or of what a sowing led to.
fn first_choice(position: &Value) -> Option<String> {
    position["choices"][0].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_over_two_live_connections() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server
        .create_game(json!({"position": "3x2", "side": "north"}))
        .await;
    assert_eq!(made.state["you"], "north");
    assert_eq!(made.state["plies"], json!([]));
    let mut north = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    assert_eq!(north.receive().await["state"]["you"], "north");
    let mut south = server
        .hello(&made.game, &json!({"token": made.friend_token}))
        .await;
    let mut watcher = server.hello(&made.game, &json!({})).await;
    let state = south.receive().await["state"].clone();
    assert_eq!(state["you"], "south");
    assert_eq!(state["connected"], json!({"south": true, "north": true}));
    // North is told that South has come.
    while north.receive_type("state").await["state"]["connected"]["south"] != true {}
    assert_eq!(watcher.receive().await["state"]["you"], Value::Null);

    let (mut position, mut ply) = (state["position"].clone(), 0);
    while let Some(mv) = first_choice(&position) {
        ply += 1;
        let to_move = position["side"].clone();
        let mover = if to_move == "south" {
            &mut south
        } else {
            &mut north
        };
        mover.play_move(ply, &mv).await;
        let mut told = Vec::new();
        for live in [&mut south, &mut north, &mut watcher] {
            told.push(live.receive_type("sown").await);
        }
        assert_eq!((&told[0], &told[0]), (&told[1], &told[2]));
        assert_eq!(told[0]["ply"], ply);
        let sown = &told[0]["sown"];
        assert_eq!((&sown["side"], &sown["choice"]), (&to_move, &json!(mv)));
        position = sown["after"].clone();
    }
    for live in [&mut south, &mut north, &mut watcher] {
        let over = live.receive_type("state").await["state"].clone();
        assert_eq!(over["over"]["termination"], "normal");
        assert_eq!(over["position"], position);
    }
    let state = server.game_state(&made.game, None).await;
    assert_eq!(state.json["plies"].as_array().map(Vec::len), Some(ply));
    assert_eq!(state.json["over"]["termination"], "normal");
    let late = server
        .play_move(&made.game, &made.token, ply + 1, "a")
        .await;
    assert_eq!(
        (late.status, &late.json["state"]["over"]),
        (409, &state.json["over"])
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sowing_is_made_once_and_a_late_one_is_refused_with_the_state() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    let (game, south, north) = (&made.game, &made.token, &made.friend_token);
    for _ in 0..2 {
        let answer = server.play_move(game, south, 1, "A").await;
        assert_eq!((answer.status, &answer.json["plies"]), (200, &json!(["A"])));
    }
    // Another choice, a ply that has not come yet, the other's turn, and the other's house.
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
        let answer = server.play_move(game, token, ply, mv).await;
        assert_eq!(answer.status, status, "{ply} {mv}: {answer:?}");
        let state = &answer.json["state"];
        let plies = if status == 409 {
            json!(["A"])
        } else {
            Value::Null
        };
        assert_eq!(state["plies"], plies, "{ply} {mv}");
    }

    // The same over a live connection.
    let mut live = server.hello(game, &json!({"token": north})).await;
    live.receive_type("state").await;
    live.play_move(2, "a").await;
    let sown = live.receive_type("sown").await;
    live.play_move(2, "a").await;
    assert_eq!(live.receive().await["sown"], sown["sown"]);
    live.play_move(2, "b").await;
    let problem = live.receive_type("problem").await;
    assert_eq!(
        (&problem["ply"], &problem["problem"]["status"]),
        (&json!(2), &json!(409))
    );
    assert_eq!(problem["problem"]["state"]["plies"], json!(["A", "a"]));
    assert_eq!(problem["problem"]["state"]["you"], "north");
    server.stop().await;
}

/// Makes the first `moves` of South and North by turns.
async fn sow_all(server: &TestServer, game: &str, tokens: [&str; 2], moves: &[&str]) {
    for (ply, mv) in (1..).zip(moves) {
        let is_south = mv.chars().all(char::is_uppercase);
        let token = tokens[usize::from(!is_south)];
        let answer = server.play_move(game, token, ply, mv).await;
        assert_eq!(answer.status, 200, "{mv}: {}", answer.json);
    }
}

/// The plies that are told before the state.
async fn missed(live: &mut WebSocketClient) -> Vec<Value> {
    let mut plies = Vec::new();
    loop {
        let message = live.receive().await;
        if message["type"] == "state" {
            return plies;
        }
        plies.push(json!([message["ply"], message["sown"]["choice"]]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_is_told_what_was_missed() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    let tokens = [made.token.as_str(), &made.friend_token];
    sow_all(&server, &made.game, tokens, &["A", "a", "B"]).await;
    for (hello, plies) in [
        (json!({}), json!([])),
        (json!({"since": 0}), json!([[1, "A"], [2, "a"], [3, "B"]])),
        (json!({"since": 2, "token": made.token}), json!([[3, "B"]])),
        (json!({"since": 3}), json!([])),
        (json!({"since": u64::MAX}), json!([])),
    ] {
        let mut live = server.hello(&made.game, &hello).await;
        assert_eq!(Value::from(missed(&mut live).await), plies, "{hello}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_goes_on_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let made = server
        .create_game(json!({"rules": "standard", "position": "4x3"}))
        .await;
    let tokens = [made.token.as_str(), &made.friend_token];
    sow_all(&server, &made.game, tokens, &["A"]).await;
    let mut live = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    let before = live.receive_type("state").await["state"].clone();
    server.stop().await;
    // "Service restart", in the registry of WebSocket close codes.
    assert_eq!(live.receive_close().await, Some(1012));

    let server = TestServer::start(&config).await;
    let mut live = server
        .hello(&made.game, &json!({"token": made.token, "since": 1}))
        .await;
    assert_eq!(live.receive().await["state"], before);
    sow_all(&server, &made.game, tokens, &["A", "a"]).await;
    assert_eq!(live.receive_type("sown").await["ply"], 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_game_has_the_sides_exchanged_and_the_same_people() {
    let server = TestServer::start(&games_config(None)).await;
    let clock = json!({"initial": "5m", "increment": "2s"});
    let made = server
        .create_game(json!({"position": "4x2", "clock": clock}))
        .await;
    let early = server.game_action(&made.game, &made.token, "rematch").await;
    assert_eq!(
        (early.status, &early.json["state"]["over"]),
        (409, &Value::Null)
    );
    let resigned = server
        .game_action(&made.game, &made.friend_token, "resign")
        .await;
    assert_eq!(
        resigned.json["over"],
        json!({"termination": "resign", "winner": "south"})
    );
    assert_eq!(
        server
            .game_action(&made.game, &made.token, "resign")
            .await
            .status,
        409
    );

    let mut live = server.hello(&made.game, &json!({})).await;
    live.receive_type("state").await;
    for _ in 0..2 {
        let offered = server.game_action(&made.game, &made.token, "rematch").await;
        assert_eq!(
            offered.json["rematch"],
            json!({"offered_by": "south", "game": null})
        );
    }
    assert_eq!(
        live.receive_type("state").await["state"]["rematch"]["offered_by"],
        "south"
    );
    let both = server
        .game_action(&made.game, &made.friend_token, "rematch")
        .await;
    let other = both.json["rematch"]["game"]
        .as_str()
        .expect("a game")
        .to_owned();
    assert_eq!(
        live.receive_type("state").await["state"]["rematch"]["game"],
        other
    );
    let again = server.game_action(&made.game, &made.token, "rematch").await;
    assert_eq!(again.json["rematch"]["game"], other);

    let state = server.game_state(&other, Some(&made.token)).await.json;
    assert_eq!(state["you"], "north");
    assert_eq!(
        state["position"]["position"],
        made.state["position"]["position"]
    );
    assert_eq!(state["clock"]["initial_ms"], 300_000);
    assert_eq!(
        server
            .play_move(&other, &made.friend_token, 1, "A")
            .await
            .status,
        200
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_keeps_its_person_through_a_swap() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({"rules": "mankalah"})).await;
    let (game, first, second) = (&made.game, &made.token, &made.friend_token);
    let mut live = server.hello(game, &json!({"token": first})).await;
    live.receive_type("state").await;
    let may_swap = |state: &Value| {
        let moves = state["position"]["choices"].as_array();
        moves.is_some_and(|moves| moves.contains(&json!("swap")))
    };
    assert!(!may_swap(&made.state), "not yet");
    assert_eq!(server.play_move(game, first, 1, "A").await.status, 200);
    let open = server.game_state(game, Some(second)).await.json;
    assert!(may_swap(&open), "{open}");
    assert_eq!(open["you"], "north");
    let swapped = server.play_move(game, second, 2, "swap").await;
    assert!(!may_swap(&swapped.json), "only once");
    assert_eq!(
        (swapped.status, &swapped.json["you"]),
        (200, &json!("south"))
    );
    // Whoever looks on is told that it was made before how the people sit now.
    let made = loop {
        let sown = live.receive_type("sown").await;
        if sown["ply"] == 2 {
            break sown;
        }
    };
    assert_eq!(
        (&made["sown"]["choice"], &made["sown"]["swapped"]),
        (&json!("swap"), &json!(true))
    );
    let state = loop {
        let state = live.receive_type("state").await["state"].clone();
        if state["plies"] == json!(["A", "swap"]) {
            break state;
        }
    };
    assert_eq!(
        (&state["you"], &state["side_to_move"]),
        (&json!("north"), &json!("north"))
    );
    assert_eq!(state["connected"], json!({"south": false, "north": true}));
    assert_eq!(server.play_move(game, second, 2, "swap").await.status, 200);
    assert_eq!(server.play_move(game, second, 3, "a").await.status, 409);
    assert_eq!(server.play_move(game, first, 3, "a").await.status, 200);
    let resigned = server.game_action(game, first, "resign").await;
    assert_eq!(resigned.json["over"]["winner"], "south");
    server.stop().await;
}
