//! The pings with which clients and the server find lost connections.

use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::{Value, json};
use test_tools::stopped_time::{TICKS, stop_time};
use tokio::time::advance;

use crate::common::{TestServer, games_config};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn ping_is_answered_with_the_number_of_plies_and_the_clock() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let clock = json!({"initial": "60s", "increment": "0s"});
    let created = server.create_game(json!({"clock": clock})).await;
    // The clocks start with the first moves.
    for (token, ply, mv) in [(&created.token, 1, "A"), (&created.friend_token, 2, "a")] {
        server.assert_play(&created.game, token, ply, mv, 200).await;
    }
    let mut south = server.hello_as(&created.game, &created.token).await;
    south.receive_type("state").await;
    let mut north = server.hello_as(&created.game, &created.friend_token).await;
    north.receive_type("state").await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    watcher.receive_type("state").await;
    advance(SECOND * 2).await;
    for client in [&mut south, &mut north, &mut watcher] {
        client.send_json(&json!({"type": "ping"})).await;
        let pong = client.receive_type("pong").await;
        assert_eq!(pong["plies"], 2);
        assert_eq!(pong["clock"]["running"], "south");
        assert_eq!(pong["clock"]["south_ms"], 58_000);
    }

    let without_clock = server.create_game(json!({})).await;
    let mut client = server
        .hello_as(&without_clock.game, &without_clock.token)
        .await;
    client.receive_type("state").await;
    client.send_json(&json!({"type": "ping"})).await;
    let pong = client.receive().await;
    assert_eq!(pong, json!({"type": "pong", "plies": 0}));
}

#[tokio::test]
async fn one_ping_a_second_is_free_and_more_are_counted() {
    const BURST: u32 = 20;
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let mut config = games_config(None);
    config.limits.requests_per_second = NonZeroU32::MIN;
    config.limits.request_burst = NonZeroU32::new(BURST * 10).expect("a positive number");
    let server = TestServer::start(&config).await;
    let created = server.create_game(json!({})).await;
    let mut client = server.hello_as(&created.game, &created.token).await;
    client.receive_type("state").await;

    while server.get("/api/v1/rules").await.status == 200 {}
    client.send_json(&json!({"type": "ping"})).await;
    assert_eq!(client.receive().await["type"], "pong");
    // The next one comes within the same second.
    client.send_json(&json!({"type": "ping"})).await;
    assert_eq!(client.receive().await["problem"]["status"], 429);
    assert_eq!(client.receive_close().await, Some(1008));
}

#[tokio::test]
async fn silent_client_counts_as_gone_after_unanswered_pings() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    watcher.receive_type("state").await;
    // This client reads nothing, and so answers no ping.
    let _silent = server.hello_as(&created.game, &created.token).await;
    let is_connected = |message: &Value| message["state"]["connected"]["south"] == json!(true);
    while !is_connected(&watcher.receive_type("state").await) {}
    let mut passed = Duration::ZERO;
    loop {
        advance(SECOND * 10 + TICKS).await;
        passed += SECOND * 10;
        // The answer shows that the server has read this client's answers to its pings.
        watcher.send_json(&json!({"type": "ping"})).await;
        let message = watcher.receive().await;
        if message["type"] == "state" {
            assert!(!is_connected(&message));
            break;
        }
    }
    assert!(passed <= SECOND * 50, "{passed:?}");
}
