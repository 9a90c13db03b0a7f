//! Clocks of games. The tests stop and advance Tokio's clock, which the server follows.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_tools::stopped_time::{TICKS, stop_time};
use tokio::task::yield_now;
use tokio::time::advance;

use crate::common::{GameWithTokens, TestServer, WebSocketClient, games_config};

/// The shortest initial time.
const SECOND: Duration = Duration::from_secs(1);
/// The number of games that ended by time-out.
const TIMED_OUT: &str = "kalah_games_timed_out_total";

/// Waits until `count` games have ended by time-out, without a request that touches a game.
async fn wait_for_time_outs(server: &TestServer, count: f64) {
    while (server.metric(TIMED_OUT).await - count).abs() > f64::EPSILON {
        yield_now().await;
    }
}

/// Creates a game with a clock of one second, and makes the first move of each player.
async fn short_game(server: &TestServer) -> GameWithTokens {
    let clock = json!({"initial": "1s", "increment": "1s"});
    let created = server.create_game(json!({"clock": clock})).await;
    play_first_moves(server, &created).await;
    created
}

/// Makes the first move of each player, after which the clock of South runs.
async fn play_first_moves(server: &TestServer, created: &GameWithTokens) {
    for (token, ply, mv) in [(&created.token, 1, "A"), (&created.friend_token, 2, "a")] {
        server.assert_play(&created.game, token, ply, mv, 200).await;
    }
}

/// Receives states until the game is over, and returns that state.
async fn final_state(watcher: &mut WebSocketClient) -> Value {
    loop {
        let state = watcher.receive_type("state").await["state"].take();
        if state["ending"] != Value::Null {
            return state;
        }
    }
}

#[tokio::test]
async fn clock_starts_with_the_first_moves_and_expires_without_connections() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let clock = json!({"initial": "1s", "increment": "1s"});
    let created = server.create_game(json!({"clock": clock})).await;
    advance(5 * SECOND).await;
    play_first_moves(&server, &created).await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    let running = watcher.receive_type("state").await["state"]["clock"].clone();
    assert_eq!(running["running"], "south");
    assert_eq!(running["first_move_ms"], Value::Null);
    advance(SECOND.saturating_sub(TICKS)).await;
    let running = server.game_state(&created.game, None).await.json;
    assert_eq!(running["ending"], Value::Null);
    assert_eq!(running["clock"]["south_ms"], 10);
    advance(2 * TICKS).await;
    let over = final_state(&mut watcher).await;
    assert_eq!(
        over["ending"],
        json!({"termination": "time", "winner": "north"})
    );
    let times = json!({"initial_ms": 1000, "increment_ms": 1000});
    let clock = json!({
        "times": {"south": times, "north": times}, "by_correspondence": false,
        "south_ms": 0, "north_ms": 1000, "running": null, "first_move_ms": null
    });
    assert_eq!(over["clock"], clock);
    server
        .assert_play(&created.game, &created.token, 3, "A", 409)
        .await;

    // The same without any connection.
    drop(watcher);
    let created = short_game(&server).await;
    server
        .assert_play(&created.game, &created.token, 3, "C", 200)
        .await;
    advance(SECOND + TICKS).await;
    wait_for_time_outs(&server, 2.0).await;
    let state = server.game_state(&created.game, None).await.json;
    assert_eq!(
        state["ending"],
        json!({"termination": "time", "winner": "south"})
    );
    server.stop().await;
}

#[tokio::test]
async fn game_without_a_first_move_ends_without_a_result() {
    const FIRST_MOVE: Duration = Duration::from_mins(10);
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let clock = json!({"initial": "5s", "increment": "0s"});
    let created = server.create_game(json!({"clock": clock})).await;
    // A longer step would count as a pause of the process.
    let step = 2 * SECOND;
    let steps = FIRST_MOVE.as_secs() / step.as_secs();
    for left in (1..=steps).rev() {
        let state = server.game_state(&created.game, None).await.json;
        let clock = &state["clock"];
        assert_eq!(
            (&clock["first_move_ms"], &clock["south_ms"]),
            (&json!(left * 2_000), &json!(5000))
        );
        advance(step).await;
    }
    advance(TICKS).await;
    wait_for_time_outs(&server, 1.0).await;
    let over = server.game_state(&created.game, None).await.json;
    assert_eq!(
        over["ending"],
        json!({"termination": "unfinished", "winner": null})
    );
    server.stop().await;
}

#[tokio::test]
async fn unequal_clocks_and_correspondence() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({
        "side": "north",
        "clock": {"initial": "9m", "increment": "3s"},
        "friend_clock": {"initial": "2m", "increment": "0s"},
    });
    let created = server.create_game(request).await;
    let clock = &created.state["clock"];
    assert_eq!(
        (&clock["south_ms"], &clock["north_ms"]),
        (&json!(120_000), &json!(540_000))
    );
    let created = server.create_game(json!({"days_per_move": 2})).await;
    assert_eq!(created.state["clock"]["by_correspondence"], true);
    let day_ms = 24 * 60 * 60 * 1000;
    assert_eq!(created.state["clock"]["south_ms"], 2 * day_ms);
    let state = server.game_state(&created.game, None).await.json;
    assert_eq!(state["clock"]["first_move_ms"], 2 * day_ms);
    for (request, detail) in [
        (
            json!({"days_per_move": 15}),
            "a move by correspondence has 1 to 14 days, not `15`",
        ),
        (
            json!({"days_per_move": 1, "clock": {"initial": "9m", "increment": "3s"}}),
            "`days_per_move` and a clock are given, but a game has one of the two",
        ),
        (
            json!({"friend_clock": {"initial": "9m", "increment": "3s"}}),
            "`friend_clock` is given without `clock`, the clock of the creator",
        ),
    ] {
        let response = server.post("games", &request).await;
        assert_eq!((response.status, response.detail().as_str()), (422, detail));
    }
    server.stop().await;
}

#[tokio::test]
async fn clock_stops_while_the_server_is_down() {
    let _stopped = stop_time();
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let created = server
        .create_game(json!({"clock": {"initial": "2s", "increment": "0s"}}))
        .await;
    play_first_moves(&server, &created).await;
    advance(SECOND / 2).await;
    server.stop().await;
    // A starting server reads the system time, which a test cannot stop: wait in real time for more
    // than the remaining time.
    std::thread::sleep(2 * SECOND);

    let server = TestServer::start(&config).await;
    let clock = server.game_state(&created.game, None).await.json["clock"].clone();
    assert_eq!(
        (&clock["south_ms"], &clock["running"]),
        (&json!(1500), &json!("south"))
    );
    // The server ends the game without a request.
    advance(SECOND + SECOND / 2 + TICKS).await;
    wait_for_time_outs(&server, 1.0).await;
    let state = server.game_state(&created.game, None).await.json;
    assert_eq!(state["ending"]["termination"], "time");
    server.stop().await;
}
