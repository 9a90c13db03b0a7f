//! Clocks of games. The tests stop and advance Tokio's clock, which the server follows.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_tools::stopped_time::{TICKS, stop_time};
use tokio::task::yield_now;
use tokio::time::advance;

use crate::common::{GameWithTokens, TestServer, games_config};

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

async fn short_game(server: &TestServer) -> GameWithTokens {
    let clock = json!({"initial": "1s", "increment": "1s"});
    server.create_game(json!({"clock": clock})).await
}

/// Connects both players, which starts the clock, and disconnects them.
async fn join_both(server: &TestServer, created: &GameWithTokens) {
    for token in [&created.token, &created.friend_token] {
        let mut client = server.hello_as(&created.game, token).await;
        client.receive_type("state").await;
    }
}

#[tokio::test]
async fn clock_starts_with_both_players_and_expires_without_connections() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let created = short_game(&server).await;
    let mut client = server.hello_as(&created.game, &created.token).await;
    let alone = client.receive_type("state").await["state"]["clock"].clone();
    assert_eq!(
        (&alone["running"], &alone["south_ms"]),
        (&Value::Null, &json!(1000))
    );
    drop(client);
    advance(SECOND + SECOND / 2).await;
    assert_eq!(
        server.game_state(&created.game, None).await.json["ending"],
        Value::Null
    );

    join_both(&server, &created).await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    let running = watcher.receive_type("state").await["state"]["clock"].clone();
    assert_eq!(running["running"], "south");
    advance(SECOND.saturating_sub(TICKS)).await;
    let running = server.game_state(&created.game, None).await.json;
    assert_eq!(running["ending"], Value::Null);
    assert_eq!(running["clock"]["south_ms"], 10);
    advance(2 * TICKS).await;
    let over = loop {
        let state = watcher.receive_type("state").await["state"].clone();
        if state["ending"] != Value::Null {
            break state;
        }
    };
    assert_eq!(
        over["ending"],
        json!({"termination": "time", "winner": "north"})
    );
    let clock = json!({
        "initial_ms": 1000, "increment_ms": 1000, "south_ms": 0, "north_ms": 1000, "running": null
    });
    assert_eq!(over["clock"], clock);
    server
        .assert_play(&created.game, &created.token, 1, "A", 409)
        .await;

    // The same without any connection.
    drop(watcher);
    let created = short_game(&server).await;
    join_both(&server, &created).await;
    server
        .assert_play(&created.game, &created.token, 1, "A", 200)
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
async fn clock_stops_while_the_server_is_down() {
    let _stopped = stop_time();
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let created = server
        .create_game(json!({"clock": {"initial": "2s", "increment": "0s"}}))
        .await;
    join_both(&server, &created).await;
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
