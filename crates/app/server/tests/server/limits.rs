//! Limits of requests, connections and time per client.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kalah_net::HttpLimits;
use kalah_server::{ClientIpSource, ServerConfig, ServerLimits};
use serde_json::json;
use test_tools::stopped_time::{TICKS, real_sleep, stop_time};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::common::{HANG_TIMEOUT, TestServer, api_request, config};

/// A short time limit of the server, by Tokio's clock where a test has stopped it.
const SHORT: Duration = Duration::from_millis(300);

fn limited_requests(burst: u32) -> ServerLimits {
    let positive = |number| NonZeroU32::new(number).expect("a positive number");
    ServerLimits {
        requests_per_second: positive(1),
        request_burst: positive(burst),
        ..ServerLimits::default()
    }
}

#[tokio::test]
async fn rate_limit_returns_429_with_retry_after() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let server = TestServer::start(&config(limited_requests(3))).await;
    for _ in 0..3 {
        assert_eq!(server.get("/api/v1/rules").await.status, 200);
    }
    let refused = server.get("/api/v1/rules").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test]
async fn engine_request_costs_several_requests() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let server = TestServer::start(&config(limited_requests(4))).await;
    let request = json!({"position": "2x1", "time": "10ms"});
    assert_eq!(server.post("analyze", &request).await.status, 429);
    assert_eq!(server.post("position", &json!({})).await.status, 200);
}

#[tokio::test]
async fn forwarded_header_counts_only_behind_a_proxy() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    for (source, last) in [
        (ClientIpSource::Connection, 429),
        (ClientIpSource::XForwardedFor, 200),
    ] {
        let server = TestServer::start(&ServerConfig {
            client_ip_source: source,
            ..config(limited_requests(1))
        })
        .await;
        let mut status = 0;
        for address in ["192.0.2.1", "192.0.2.2"] {
            let mut request = api_request("position", "{}");
            let address = address.parse().expect("a header");
            request.headers_mut().insert("x-forwarded-for", address);
            status = server.send(request).await.status;
        }
        assert_eq!(status, last, "{source:?}");
    }
}

#[tokio::test]
async fn connection_limit_returns_503() {
    let server = TestServer::start(&config(ServerLimits {
        max_connections: 2,
        ..ServerLimits::default()
    }))
    .await;
    let open = [server.connect().await, server.connect().await];
    let mut third = server.connect().await;
    let mut text = String::new();
    let read = timeout(HANG_TIMEOUT, third.read_to_string(&mut text)).await;
    read.expect("in time").expect("text");
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let length = format!("content-length: {}", body.len());
    assert!(head.ends_with(&length), "{head}");
    let problem: serde_json::Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(problem["status"], 503);
    drop(open);
    server
        .wait_for_metric("kalah_connections_rejected_total", 1.0)
        .await;
}

#[tokio::test]
async fn memory_is_released_after_a_peak_of_connections() {
    static RELEASES: AtomicUsize = AtomicUsize::new(0);
    /// The interval in which the server checks the number of connections.
    const CHECK_INTERVAL: Duration = Duration::from_secs(10);
    const PEAK: usize = 600;
    let _stopped = stop_time();
    let server = TestServer::start(&ServerConfig {
        release_memory: Some(|| {
            RELEASES.fetch_add(1, Ordering::Relaxed);
        }),
        ..config(ServerLimits::default())
    })
    .await;
    let mut open = Vec::new();
    for _ in 0..PEAK {
        open.push(server.connect().await);
    }
    let all = f64::from(u16::try_from(PEAK + 1).expect("a small number"));
    server.wait_for_metric("kalah_connections", all).await;
    advance(CHECK_INTERVAL + TICKS).await;
    drop(open);
    server.wait_for_metric("kalah_connections", 1.0).await;
    assert_eq!(RELEASES.load(Ordering::Relaxed), 0);
    while RELEASES.load(Ordering::Relaxed) == 0 {
        advance(CHECK_INTERVAL + TICKS).await;
        real_sleep(Duration::from_millis(1)).await;
    }
}

/// Sends `written`, advances Tokio's clock by [`SHORT`], and returns everything that the server
/// sends until it closes the connection. The clock must be stopped.
async fn until_closed(server: &TestServer, written: &str) -> String {
    let mut stream = server.connect().await;
    stream.write_all(written.as_bytes()).await.expect("written");
    // Besides this connection, the one that reads the metrics is open.
    server.wait_for_metric("kalah_connections", 2.0).await;
    let mut first = [0];
    // A response that waits for no time limit arrives before the clock advances.
    let begun = written.ends_with("\r\n\r\n");
    let length = if begun {
        stream.read(&mut first).await.expect("an answer")
    } else {
        0
    };
    advance(SHORT + TICKS).await;
    let mut read = String::from_utf8(first[..length].to_vec()).expect("text");
    stream.read_to_string(&mut read).await.expect("text");
    read
}

/// Starts a server that waits only a [`SHORT`] time for the head of a request.
async fn server_with_short_head_timeout() -> TestServer {
    let http = HttpLimits {
        head_timeout: SHORT,
        ..HttpLimits::default()
    };
    TestServer::start(&config(ServerLimits {
        http,
        ..ServerLimits::default()
    }))
    .await
}

#[tokio::test]
async fn idle_connection_is_closed() {
    let _stopped = stop_time();
    let server = server_with_short_head_timeout().await;
    assert_eq!(until_closed(&server, "").await, "");
    until_closed(&server, "GET /healthz HT").await;
    // An idle connection is closed, too.
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let read = until_closed(&server, request).await;
    assert!(read.starts_with("HTTP/1.1 200 "), "{read}");
}

#[tokio::test]
async fn slow_head_times_out() {
    let server = server_with_short_head_timeout().await;
    let stream = server.connect().await;
    let (mut read, mut write) = stream.into_split();
    let dripping = tokio::spawn(async move {
        let begin = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ".bytes();
        // Each byte arrives well within the limit, but the head never ends.
        for byte in begin.chain(std::iter::repeat(b'x')) {
            if write.write_all(&[byte]).await.is_err() {
                break;
            }
            sleep(SHORT / 10).await;
        }
    });
    let start = Instant::now();
    let mut text = Vec::new();
    let end = timeout(HANG_TIMEOUT, read.read_to_end(&mut text)).await;
    // The client may receive a response or a reset, because the connection closes while it sends.
    let _ = end.expect("a closed connection");
    let elapsed = start.elapsed();
    assert!(SHORT / 2 < elapsed, "{elapsed:?}");
    dripping.abort();
}

#[tokio::test]
async fn missing_body_times_out() {
    let _stopped = stop_time();
    let server = TestServer::start(&config(ServerLimits {
        body_timeout: SHORT,
        ..ServerLimits::default()
    }))
    .await;
    let request = "POST /api/v1/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 100\r\n\r\n{";
    let read = until_closed(&server, request).await;
    assert!(read.starts_with("HTTP/1.1 408 "), "{read}");
    assert!(read.contains("application/problem+json"), "{read}");
}

#[tokio::test]
async fn connection_is_closed_when_the_client_stops_reading() {
    let _stopped = stop_time();
    let server = TestServer::start(&config(ServerLimits {
        http: HttpLimits {
            write_timeout: SHORT,
            head_timeout: HANG_TIMEOUT,
            ..HttpLimits::default()
        },
        ..ServerLimits::default()
    }))
    .await;
    let mut stream = server.connect().await;
    let request = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // More responses than the buffers of both sockets hold.
    let requests = request.repeat(900);
    stream
        .write_all(requests.as_bytes())
        .await
        .expect("written");
    server.wait_for_metric("kalah_connections", 2.0).await;
    // The time limit starts when the server cannot write any more.
    while server.metric("kalah_connections").await > 1.0 {
        advance(SHORT + TICKS).await;
    }
}
