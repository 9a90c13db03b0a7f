//! What a visitor may take: requests, connections, time.

use std::num::NonZeroU32;
use std::time::Duration;

use kalah_server::{ClientIpSource, ServerConfig, ServerLimits};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::common::{HANG_TIMEOUT, TestServer, api_request, config};
use crate::time::{TICKS, stop_time};

/// A short time to wait for something that does not come.
const SHORT: Duration = Duration::from_millis(300);

fn few_requests(at_once: u32) -> ServerLimits {
    let positive = |number| NonZeroU32::new(number).expect("a positive number");
    ServerLimits {
        requests_per_second: positive(1),
        request_burst: positive(at_once),
        ..ServerLimits::default()
    }
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_back() {
    // Nothing is saved up meanwhile.
    let _stopped = stop_time();
    let server = TestServer::start(&config(few_requests(3))).await;
    for _ in 0..3 {
        assert_eq!(server.get("/api/v1/rules").await.status, 200);
    }
    let refused = server.get("/api/v1/rules").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test]
async fn a_question_to_an_engine_counts_for_several() {
    // Nothing is saved up meanwhile.
    let _stopped = stop_time();
    let server = TestServer::start(&config(few_requests(4))).await;
    let question = json!({"position": "2x1", "time": "10ms"});
    assert_eq!(server.post("analyse", &question).await.status, 429);
    assert_eq!(server.post("position", &json!({})).await.status, 200);
}

#[tokio::test]
async fn only_behind_a_proxy_its_word_counts() {
    // Nothing is saved up meanwhile.
    let _stopped = stop_time();
    for (visitors, last) in [
        (ClientIpSource::Connection, 429),
        (ClientIpSource::XForwardedFor, 200),
    ] {
        let server = TestServer::start(&ServerConfig {
            client_ip_source: visitors,
            ..config(few_requests(1))
        })
        .await;
        let mut status = 0;
        for address in ["192.0.2.1", "192.0.2.2"] {
            let mut request = api_request("position", "{}");
            let address = address.parse().expect("a header");
            request.headers_mut().insert("x-forwarded-for", address);
            status = server.send(request).await.status;
        }
        assert_eq!(status, last, "{visitors:?}");
    }
}

#[tokio::test]
async fn one_connection_too_many_is_sent_away() {
    let server = TestServer::start(&config(ServerLimits {
        max_connections: 2,
        ..ServerLimits::default()
    }))
    .await;
    let open = [server.connect().await, server.connect().await];
    let mut third = server.connect().await;
    let mut told = String::new();
    let read = timeout(HANG_TIMEOUT, third.read_to_string(&mut told)).await;
    read.expect("in time").expect("text");
    let (head, body) = told.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let length = format!("content-length: {}", body.len());
    assert!(head.ends_with(&length), "{head}");
    let problem: serde_json::Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(problem["status"], 503);
    drop(open);
    server
        .wait_for_metric("kalah_connections_refused_total", 1.0)
        .await;
}

/// What is read until the other end closes the connection after [`SHORT`], with what is written first. Tokio's clock
/// has to be stopped.
async fn until_closed(server: &TestServer, written: &str) -> String {
    let mut stream = server.connect().await;
    stream.write_all(written.as_bytes()).await.expect("written");
    // The server has taken the connection, beside the one that asks for this.
    server.wait_for_metric("kalah_connections", 2.0).await;
    let mut first = [0];
    // An answer that comes without a time limit is there before that.
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

#[tokio::test]
async fn who_says_nothing_is_not_waited_for() {
    let _stopped = stop_time();
    let server = TestServer::start(&config(ServerLimits {
        head_timeout: SHORT,
        ..ServerLimits::default()
    }))
    .await;
    assert_eq!(until_closed(&server, "").await, "");
    until_closed(&server, "GET /healthz HT").await;
    // Nor is who has been answered already.
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let read = until_closed(&server, request).await;
    assert!(read.starts_with("HTTP/1.1 200 "), "{read}");
}

#[tokio::test]
async fn a_head_that_comes_a_byte_at_a_time_is_not_waited_for() {
    let server = TestServer::start(&config(ServerLimits {
        head_timeout: SHORT,
        ..ServerLimits::default()
    }))
    .await;
    let stream = server.connect().await;
    let (mut read, mut write) = stream.into_split();
    let dripping = tokio::spawn(async move {
        let begin = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ".bytes();
        // Each byte comes well before the time is over, and the end of the head never.
        for byte in begin.chain(std::iter::repeat(b'x')) {
            if write.write_all(&[byte]).await.is_err() {
                break;
            }
            sleep(SHORT / 10).await;
        }
    });
    let start = Instant::now();
    let mut told = Vec::new();
    let end = timeout(HANG_TIMEOUT, read.read_to_end(&mut told)).await;
    // It may be told so, and it may be reset: what is left of its head comes to a closed connection.
    let _ = end.expect("it is closed");
    let took = start.elapsed();
    assert!(SHORT / 2 < took, "{took:?}");
    dripping.abort();
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let _stopped = stop_time();
    let server = TestServer::start(&config(ServerLimits {
        body_timeout: SHORT,
        ..ServerLimits::default()
    }))
    .await;
    let request = "POST /api/v1/sow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 100\r\n\r\n{";
    let read = until_closed(&server, request).await;
    assert!(read.starts_with("HTTP/1.1 408 "), "{read}");
    assert!(read.contains("application/problem+json"), "{read}");
}

#[tokio::test]
async fn who_takes_no_answers_is_dropped() {
    let _stopped = stop_time();
    let server = TestServer::start(&config(ServerLimits {
        write_timeout: SHORT,
        head_timeout: HANG_TIMEOUT,
        ..ServerLimits::default()
    }))
    .await;
    let mut stream = server.connect().await;
    let request = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // More answers than there is room for on the way.
    let requests = request.repeat(900);
    stream
        .write_all(requests.as_bytes())
        .await
        .expect("written");
    server.wait_for_metric("kalah_connections", 2.0).await;
    // The time begins when the server cannot write any more, whenever that is.
    while server.metric("kalah_connections").await > 1.0 {
        advance(SHORT + TICKS).await;
    }
}
