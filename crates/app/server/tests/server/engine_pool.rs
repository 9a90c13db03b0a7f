//! The queue of the engine pool.

use std::num::NonZeroUsize;
use std::time::Duration;

use kalah_server::ServerLimits;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::common::{TestServer, config};

const RUNNING: &str = "kalah_engine_requests_running{pool=\"analysis\"}";
const WAITING: &str = "kalah_engine_requests_queued{pool=\"analysis\"}";
const CANCELLED: &str = "kalah_engine_requests_cancelled_total{pool=\"analysis\"}";

/// Starts a server with one worker and one place in the queue.
async fn start_with_one_worker() -> TestServer {
    TestServer::start(&config(ServerLimits {
        engine_workers: NonZeroUsize::MIN,
        engine_queue_length_per_client: 1,
        max_engine_time: Duration::from_hours(1),
        ..ServerLimits::default()
    }))
    .await
}

/// Sends a request that takes an hour, without waiting for the response.
async fn start_long_analysis(server: &TestServer) -> TcpStream {
    let body = json!({"position": "6x6", "time": "1h"}).to_string();
    let request = format!(
        "POST /api/v1/analyze HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = server.connect().await;
    stream.write_all(request.as_bytes()).await.expect("written");
    stream
}

#[tokio::test]
async fn full_queue_rejects_requests_without_delaying_others() {
    let server = start_with_one_worker().await;
    let first = start_long_analysis(&server).await;
    server.wait_for_metric(RUNNING, 1.0).await;
    let second = start_long_analysis(&server).await;
    server.wait_for_metric(WAITING, 1.0).await;
    let refused = server.post("analyze", &json!({})).await;
    assert_eq!(refused.status, 429);
    let expected = "too many engine requests from this address are waiting: the maximum is 1";
    assert_eq!(refused.detail(), expected);
    // The time limit of the running request, less the time that has passed.
    let retry_after: u32 = refused.header("retry-after").parse().expect("a number");
    assert!((1..=3600).contains(&retry_after), "{retry_after}");
    let refused = server
        .post("choose", &json!({"opponent": "level:10"}))
        .await;
    assert_eq!(refused.status, 429);

    assert_eq!(server.post("move", &json!({"move": "C"})).await.status, 200);
    let quick = json!({"opponent": "level:9"});
    assert_eq!(server.post("choose", &quick).await.status, 200);
    // A game between friends needs no engine.
    let created = server.create_game(json!({})).await;
    let played = server
        .play_move(&created.game, &created.token, 1, "A")
        .await;
    assert_eq!(played.status, 200);
    // The other requests are still running and waiting.
    server.wait_for_metric(RUNNING, 1.0).await;
    server.wait_for_metric(WAITING, 1.0).await;
    drop((first, second));
}

#[tokio::test]
async fn disconnect_cancels_the_request() {
    let server = start_with_one_worker().await;
    let first = start_long_analysis(&server).await;
    server.wait_for_metric(RUNNING, 1.0).await;
    let waiting = start_long_analysis(&server).await;
    server.wait_for_metric(WAITING, 1.0).await;
    drop(waiting);
    server.wait_for_metric(WAITING, 0.0).await;
    drop(first);
    server.wait_for_metric(RUNNING, 0.0).await;
    server.wait_for_metric(CANCELLED, 2.0).await;
    let cancelled_requests =
        "kalah_requests_total{method=\"POST\",route=\"/api/v1/analyze\",status=\"499\"}";
    server.wait_for_metric(cancelled_requests, 2.0).await;
    let next = server
        .post("analyze", &json!({"position": "3x2", "time": "5s"}))
        .await;
    assert_eq!(next.status, 200);
}
