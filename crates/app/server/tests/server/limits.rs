//! Limits of requests, connections and time per client.

use std::num::NonZeroU32;
use std::path::Path;
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
async fn files_of_the_page_have_a_limit_of_their_own() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let server = TestServer::start(&config(limited_requests(1))).await;
    for _ in 0..10 {
        assert_eq!(server.get("/sw.js").await.status, 200);
    }
    assert_eq!(server.get("/sw.js").await.status, 429);
    assert_eq!(server.get("/api/v1/rules").await.status, 200);
    assert_eq!(server.get("/api/v1/rules").await.status, 429);
}

/// Returns the paths of the files that a first visit to the page loads.
async fn page_paths(server: &TestServer) -> Vec<String> {
    let text = server.get("/").await.text();
    let named = text.split('"').skip(1).step_by(2);
    let files = named.filter(|name| {
        let extension = Path::new(name).extension();
        extension.is_some_and(|it| {
            ["css", "js", "svg", "webmanifest"]
                .iter()
                .any(|&file| it == file)
        })
    });
    let files = files.map(|name| format!("/{name}"));
    ["/", "/sw.js"]
        .map(str::to_owned)
        .into_iter()
        .chain(files)
        .collect()
}

#[tokio::test]
async fn class_of_sixty_behind_one_address_stays_within_the_rate() {
    const PUPILS: usize = 60;
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let server = TestServer::with_defaults().await;
    let paths = page_paths(&server).await;
    assert!(paths.len() > 5, "{paths:?}");
    // Each pupil also asks for the rules.
    for _ in 0..PUPILS {
        for path in paths.iter().map(String::as_str).chain(["/api/v1/rules"]) {
            assert_eq!(server.get(path).await.status, 200, "{path}");
        }
    }
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
async fn new_game_and_whole_game_cost_several_requests() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    let server = TestServer::start(&config(limited_requests(52 + 3))).await;
    let created = server.create_game(json!({})).await;
    assert_eq!(server.post("games", &json!({})).await.status, 429);
    let record = json!({"text": "1. CF a *"});
    // The refused request has cost one, too.
    assert_eq!(server.post("read", &record).await.status, 429);
    assert_eq!(server.game_state(&created.game, None).await.status, 200);
    assert_eq!(server.game_state(&created.game, None).await.status, 429);

    let server = TestServer::start(&config(limited_requests(3))).await;
    assert_eq!(server.post("read", &record).await.status, 200);
    assert_eq!(server.post("read", &record).await.status, 429);
}

#[tokio::test]
async fn each_message_costs_a_request() {
    // The stopped clock regains no requests.
    let _stopped = stop_time();
    // A game that a friend joins, and the messages of a player beyond one in each second.
    let server = TestServer::start(&config(limited_requests(52 + 2))).await;
    let created = server.create_game(json!({})).await;
    let mut client = server.hello_as(&created.game, &created.token).await;
    client.receive_type("state").await;
    for _ in 0..=2 {
        client.play_move(1, "no house").await;
        let problem = client.receive_type("problem").await;
        assert_eq!(problem["problem"]["status"], 422, "{problem}");
    }
    client.play_move(1, "A").await;
    let problem = client.receive_type("problem").await;
    assert_eq!(problem["problem"]["status"], 429, "{problem}");
    let close = client.receive_close_frame().await;
    assert_eq!(close, Some((1008, "too many messages".to_owned())));
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
async fn new_connections_displace_idle_ones() {
    let server = TestServer::start(&config(ServerLimits {
        max_connections: 4,
        ..ServerLimits::default()
    }))
    .await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(server.connect().await);
        assert_eq!(server.get("/healthz").await.status, 200);
    }
    // The oldest connections were closed.
    for mut stream in idle.drain(..10) {
        let read = timeout(HANG_TIMEOUT, stream.read_to_end(&mut Vec::new())).await;
        assert_eq!(read.expect("in time").expect("no reset"), 0);
    }
    assert!(server.metric("kalah_connections").await <= 4.0);
}

#[tokio::test]
async fn connection_limit_returns_503_while_all_connections_are_busy() {
    let server = TestServer::start(&config(ServerLimits {
        max_connections: 2,
        ..ServerLimits::default()
    }))
    .await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect().await;
        // The server waits for the body.
        let head = "POST /api/v1/position HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
                    content-type: application/json\r\ncontent-length: 2\r\n\r\n";
        stream.write_all(head.as_bytes()).await.expect("written");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 100");
        open.push(stream);
    }
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
