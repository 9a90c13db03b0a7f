use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::visit::{Made, PATIENCE, Running, settings};

/// The shortest clock there is.
const SECOND: Duration = Duration::from_secs(1);

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

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_runs_once_both_have_come_and_runs_out_though_nobody_looks() {
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
    sleep(SECOND + SECOND / 2).await;
    assert_eq!(
        server.state(&made.game, None).await.body["over"],
        Value::Null
    );

    let began = Instant::now();
    both_come(&server, &made).await;
    let mut watcher = server.hello(&made.game, &json!({})).await;
    let running = watcher.hear_of("state").await["state"]["clock"].clone();
    assert_eq!(running["running"], "south");
    let over = loop {
        let state = watcher.hear_of("state").await["state"].clone();
        if state["over"] != Value::Null {
            break state;
        }
    };
    assert!(began.elapsed() >= SECOND);
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
    let made = short_game(&server).await;
    both_come(&server, &made).await;
    assert_eq!(
        server.sow(&made.game, &made.token, 1, "A").await.status,
        200
    );
    sleep(SECOND + SECOND / 2).await;
    let state = server.state(&made.game, None).await.body;
    assert_eq!(
        state["over"],
        json!({"termination": "time", "winner": "south"})
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_stands_still_while_the_server_does() {
    let folder = TempDir::new().expect("a folder");
    let settings = settings(Some(folder.path()));
    let server = Running::start(&settings).await;
    let made = server
        .make(json!({"clock": {"initial": "2s", "increment": "0s"}}))
        .await;
    both_come(&server, &made).await;
    server.end().await;
    sleep(2 * SECOND).await;

    let server = Running::start(&settings).await;
    let began = Instant::now();
    let clock = server.state(&made.game, None).await.body["clock"].clone();
    let left = clock["south_ms"].as_u64().expect("a number");
    assert!((500..=2000).contains(&left), "{clock}");
    assert_eq!(clock["running"], "south");
    // Nobody asks for it: the server ends the game by itself.
    sleep(Duration::from_millis(left) + SECOND / 4).await;
    let state = server.state(&made.game, None).await.body;
    assert_eq!(state["over"]["termination"], "time");
    assert!(began.elapsed() < PATIENCE);
    server.end().await;
}
