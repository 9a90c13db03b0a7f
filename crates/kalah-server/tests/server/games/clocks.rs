//! Clocks of games. Tokio's clock, by which the server goes, stands still in these tests, and is advanced by them.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::yield_now;
use tokio::time::advance;

use crate::common::{CreatedGame, TestServer, games_config};
use crate::time::{TICKS, stop_time};

/// The shortest clock there is.
const SECOND: Duration = Duration::from_secs(1);
/// The number of games that ended by time-out.
const TIMED_OUT: &str = "kalah_games_run_out_total";

/// Waits until `count` games have ended by time-out, without a request that touches a game.
async fn wait_for_time_outs(server: &TestServer, count: f64) {
    while (server.metric(TIMED_OUT).await - count).abs() > f64::EPSILON {
        yield_now().await;
    }
}

async fn short_game(server: &TestServer) -> CreatedGame {
    let clock = json!({"initial": "1s", "increment": "1s"});
    server.create_game(json!({"clock": clock})).await
}

/// Both people come, so that the clock runs, and leave.
async fn both_come(server: &TestServer, made: &CreatedGame) {
    for token in [&made.token, &made.friend_token] {
        let mut live = server.hello(&made.game, &json!({"token": token})).await;
        live.receive_type("state").await;
    }
}

#[tokio::test]
async fn a_clock_runs_once_both_have_come_and_runs_out_though_nobody_looks() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let made = short_game(&server).await;
    let mut live = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    let alone = live.receive_type("state").await["state"]["clock"].clone();
    assert_eq!(
        (&alone["running"], &alone["south_ms"]),
        (&Value::Null, &json!(1000))
    );
    drop(live);
    advance(SECOND + SECOND / 2).await;
    assert_eq!(
        server.game_state(&made.game, None).await.json["over"],
        Value::Null
    );

    both_come(&server, &made).await;
    let mut watcher = server.hello(&made.game, &json!({})).await;
    let running = watcher.receive_type("state").await["state"]["clock"].clone();
    assert_eq!(running["running"], "south");
    advance(SECOND.saturating_sub(TICKS)).await;
    let running = server.game_state(&made.game, None).await.json;
    assert_eq!(running["over"], Value::Null);
    assert_eq!(running["clock"]["south_ms"], 10);
    advance(2 * TICKS).await;
    let over = loop {
        let state = watcher.receive_type("state").await["state"].clone();
        if state["over"] != Value::Null {
            break state;
        }
    };
    assert_eq!(
        over["over"],
        json!({"termination": "time", "winner": "north"})
    );
    let clock = json!({
        "initial_ms": 1000, "increment_ms": 1000, "south_ms": 0, "north_ms": 1000, "running": null
    });
    assert_eq!(over["clock"], clock);
    assert_eq!(
        server
            .play_move(&made.game, &made.token, 1, "A")
            .await
            .status,
        409
    );

    // The same with nobody at all.
    drop(watcher);
    let made = short_game(&server).await;
    both_come(&server, &made).await;
    assert_eq!(
        server
            .play_move(&made.game, &made.token, 1, "A")
            .await
            .status,
        200
    );
    advance(SECOND + TICKS).await;
    wait_for_time_outs(&server, 2.0).await;
    let state = server.game_state(&made.game, None).await.json;
    assert_eq!(
        state["over"],
        json!({"termination": "time", "winner": "south"})
    );
    server.stop().await;
}

#[tokio::test]
async fn a_clock_stands_still_while_the_server_does() {
    let _stopped = stop_time();
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let made = server
        .create_game(json!({"clock": {"initial": "2s", "increment": "0s"}}))
        .await;
    both_come(&server, &made).await;
    advance(SECOND / 2).await;
    server.stop().await;
    // A server that starts reads the time of day, which no test can stop: more than the clock has left goes by.
    std::thread::sleep(2 * SECOND);

    let server = TestServer::start(&config).await;
    let clock = server.game_state(&made.game, None).await.json["clock"].clone();
    assert_eq!(
        (&clock["south_ms"], &clock["running"]),
        (&json!(1500), &json!("south"))
    );
    // Nobody asks for it: the server ends the game by itself.
    advance(SECOND + SECOND / 2 + TICKS).await;
    wait_for_time_outs(&server, 1.0).await;
    let state = server.game_state(&made.game, None).await.json;
    assert_eq!(state["over"]["termination"], "time");
    server.stop().await;
}
