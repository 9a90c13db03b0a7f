//! Clocks of games. Tokio's clock, by which the server goes, stands still in these tests, and is advanced by them.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::yield_now;
use tokio::time::advance;

use crate::time::{TICKS, stop_time};
use crate::visit::{Made, Running, get, settings};

/// The shortest clock there is.
const SECOND: Duration = Duration::from_secs(1);
/// The number of games that a clock has ended.
const RUN_OUT: &str = "kalah_games_run_out_total ";

/// Waits, without a look at any game, until so many games have been ended by their clock.
async fn wait_for_run_out(server: &Running, games: u32) {
    let wanted = format!("\n{RUN_OUT}{games}\n");
    while !(get(server.address, "/metrics", None).await.text).contains(&wanted) {
        yield_now().await;
    }
}

async fn short_game(server: &Running) -> Made {
    let clock = json!({"initial": "1s", "increment": "1s"});
    server.make(json!({"clock": clock})).await
}

/// Both people come, so that the clock runs, and leave.
async fn both_come(server: &Running, made: &Made) {
    for token in [&made.token, &made.friend_token] {
        let mut live = server.hello(&made.game, &json!({"token": token})).await;
        live.hear_of("state").await;
    }
}

#[tokio::test]
async fn a_clock_runs_once_both_have_come_and_runs_out_though_nobody_looks() {
    let _stopped = stop_time();
    let server = Running::start(&settings(None)).await;
    let made = short_game(&server).await;
    let mut live = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    let alone = live.hear_of("state").await["state"]["clock"].clone();
    assert_eq!(
        (&alone["running"], &alone["south_ms"]),
        (&Value::Null, &json!(1000))
    );
    drop(live);
    advance(SECOND + SECOND / 2).await;
    assert_eq!(
        server.state(&made.game, None).await.body["over"],
        Value::Null
    );

    both_come(&server, &made).await;
    let mut watcher = server.hello(&made.game, &json!({})).await;
    let running = watcher.hear_of("state").await["state"]["clock"].clone();
    assert_eq!(running["running"], "south");
    advance(SECOND.saturating_sub(TICKS)).await;
    let running = server.state(&made.game, None).await.body;
    assert_eq!(running["over"], Value::Null);
    assert_eq!(running["clock"]["south_ms"], 10);
    advance(2 * TICKS).await;
    let over = loop {
        let state = watcher.hear_of("state").await["state"].clone();
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
        server.sow(&made.game, &made.token, 1, "A").await.status,
        409
    );

    // The same with nobody at all.
    drop(watcher);
    let made = short_game(&server).await;
    both_come(&server, &made).await;
    assert_eq!(
        server.sow(&made.game, &made.token, 1, "A").await.status,
        200
    );
    advance(SECOND + TICKS).await;
    wait_for_run_out(&server, 2).await;
    let state = server.state(&made.game, None).await.body;
    assert_eq!(
        state["over"],
        json!({"termination": "time", "winner": "south"})
    );
    server.end().await;
}

#[tokio::test]
async fn a_clock_stands_still_while_the_server_does() {
    let _stopped = stop_time();
    let folder = TempDir::new().expect("a folder");
    let settings = settings(Some(folder.path()));
    let server = Running::start(&settings).await;
    let made = server
        .make(json!({"clock": {"initial": "2s", "increment": "0s"}}))
        .await;
    both_come(&server, &made).await;
    advance(SECOND / 2).await;
    server.end().await;
    // A server that starts reads the time of day, which no test can stop: more than the clock has left goes by.
    std::thread::sleep(2 * SECOND);

    let server = Running::start(&settings).await;
    let clock = server.state(&made.game, None).await.body["clock"].clone();
    assert_eq!(
        (&clock["south_ms"], &clock["running"]),
        (&json!(1500), &json!("south"))
    );
    // Nobody asks for it: the server ends the game by itself.
    advance(SECOND + SECOND / 2 + TICKS).await;
    wait_for_run_out(&server, 1).await;
    let state = server.state(&made.game, None).await.body;
    assert_eq!(state["over"]["termination"], "time");
    server.end().await;
}
