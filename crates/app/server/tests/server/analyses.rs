//! Analyses as a stream of events, and the share of each client in the engines.

use std::num::NonZeroUsize;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST};
use hyper::http::request::Builder;
use hyper_util::rt::TokioIo;
use kalah_server::{ClientIpSource, ServerConfig, ServerLimits};
use serde_json::{Value, json};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::common::{HANG_TIMEOUT, TestServer, config};
use crate::description::openapi;

const RUNNING: &str = "kalah_engine_requests_running{pool=\"analysis\"}";
const WAITING: &str = "kalah_engine_requests_queued{pool=\"analysis\"}";
const CANCELLED: &str = "kalah_engine_requests_cancelled_total{pool=\"analysis\"}";

/// An analysis that takes an hour.
const LONG: &str = "position=6x6&time=1h";
/// An analysis that ends soon.
const SHORT: &str = "position=3x2&time=1h";

/// Starts a server behind a proxy.
async fn start(workers: usize, queue_length_per_client: usize) -> TestServer {
    TestServer::start(&ServerConfig {
        client_ip_source: ClientIpSource::XForwardedFor,
        ..config(ServerLimits {
            engine_workers: NonZeroUsize::new(workers).expect("a positive number"),
            engine_queue_length_per_client: queue_length_per_client,
            max_engine_time: Duration::from_hours(1),
            ..ServerLimits::default()
        })
    })
    .await
}

/// A stream of events. Dropping it closes the connection.
struct EventStream {
    status: u16,
    content_type: String,
    body: Incoming,
    text: String,
    connection: AbortHandle,
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl EventStream {
    /// Starts an analysis as the client with this address.
    async fn open(server: &TestServer, client: &str, query: &str) -> Self {
        let request = Request::get(format!("/api/v1/analyses?{query}"));
        Self::send(server, client, request, Full::default()).await
    }

    /// Sends a request to an endpoint that searches.
    async fn post(server: &TestServer, client: &str, endpoint: &str, body: &Value) -> Self {
        let request = Request::post(format!("/api/v1/{endpoint}"))
            .header(ACCEPT, "text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        Self::send(server, client, request, Full::from(body.to_string())).await
    }

    async fn send(server: &TestServer, client: &str, request: Builder, body: Full<Bytes>) -> Self {
        let stream = TokioIo::new(server.connect().await);
        let (mut sender, connection) = http1::handshake(stream).await.expect("a connection");
        let connection = tokio::spawn(connection).abort_handle();
        let request = request
            .header(HOST, "localhost")
            .header("x-forwarded-for", client)
            .body(body)
            .expect("a request");
        let response = timeout(HANG_TIMEOUT, sender.send_request(request)).await;
        let (head, body) = response.expect("in time").expect("a response").into_parts();
        let content_type = head.headers.get("content-type").expect("a content type");
        Self {
            status: head.status.as_u16(),
            content_type: content_type.to_str().expect("text").to_owned(),
            body,
            text: String::new(),
            connection,
        }
    }

    /// Returns the name and the data of the next event, or `None` at the end of the stream.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                let field = |name| {
                    let mut lines = event.lines();
                    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                };
                let event = field("event").map(|name| {
                    let data = field("data").expect("data");
                    (name.to_owned(), serde_json::from_str(data).expect("JSON"))
                });
                if event.is_some() {
                    return event;
                }
                continue;
            }
            let frame = timeout(HANG_TIMEOUT, self.body.frame())
                .await
                .expect("in time");
            let data = frame?.expect("no error").into_data().expect("data");
            self.text
                .push_str(std::str::from_utf8(&data).expect("text"));
        }
    }

    /// Returns all further events.
    async fn rest(&mut self) -> Vec<(String, Value)> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

#[tokio::test]
async fn searches_of_clients_that_accept_events_are_streams() {
    let server = start(1, 16).await;
    let first = EventStream::open(&server, "192.0.2.1", LONG).await;
    server.wait_for_metric(RUNNING, 1.0).await;
    let position = "<3,0,0,0,0,1,1,0,0> s";
    let mut choice = EventStream::post(
        &server,
        "192.0.2.2",
        "choose",
        &json!({"position": position, "opponent": "smart", "time": "1h"}),
    )
    .await;
    assert_eq!(
        (choice.status, &*choice.content_type),
        (200, "text/event-stream")
    );
    let (name, data) = choice.next().await.expect("an event");
    assert_eq!((&*name, &data["place"]), ("queued", &json!(1)));
    drop(first);
    let mut puzzle = EventStream::post(
        &server,
        "192.0.2.3",
        "puzzle",
        &json!({"position": "3x2", "seed": 1}),
    )
    .await;
    let mut analysis = EventStream::post(
        &server,
        "192.0.2.4",
        "analyze",
        &json!({"position": position}),
    )
    .await;
    for (endpoint, stream, field) in [
        ("choose", &mut choice, "move"),
        ("puzzle", &mut puzzle, "puzzle"),
        ("analyze", &mut analysis, "margin"),
    ] {
        let events = stream.rest().await;
        for (name, data) in &events {
            openapi::check_event_of("POST", &format!("/api/v1/{endpoint}"), name, data);
        }
        let (name, data) = events.last().expect("an event");
        assert_eq!(name, "done", "{endpoint}");
        assert!(data.get(field).is_some(), "{endpoint}: {data}");
    }
    let invalid = json!({"position": "3x2", "opponent": "none"});
    let refused = EventStream::post(&server, "192.0.2.2", "choose", &invalid).await;
    assert_eq!(
        (refused.status, &*refused.content_type),
        (422, "application/problem+json")
    );
    server.stop().await;
}

#[tokio::test]
async fn events_arrive_in_order() {
    let server = start(1, 16).await;
    let first = EventStream::open(&server, "192.0.2.1", LONG).await;
    server.wait_for_metric(RUNNING, 1.0).await;
    let mut waiting = EventStream::open(&server, "192.0.2.2", LONG).await;
    server.wait_for_metric(WAITING, 1.0).await;
    let mut stream = EventStream::open(&server, "192.0.2.3", SHORT).await;
    assert_eq!(
        (stream.status, &*stream.content_type),
        (200, "text/event-stream")
    );
    let expect_place = async |stream: &mut EventStream, place| {
        let (name, data) = stream.next().await.expect("an event");
        assert_eq!((&*name, &data["place"]), ("queued", &json!(place)));
        openapi::check_event("queued", &data);
        data["expected_seconds"].as_f64().expect("a number")
    };
    let hours = |seconds: f64| (seconds / 3600.0).ceil();
    assert!(hours(expect_place(&mut waiting, 1).await) <= 1.0);
    let long_wait = expect_place(&mut stream, 2).await;
    assert!(3600.0 < long_wait && hours(long_wait) <= 2.0, "{long_wait}");
    drop(waiting);
    assert!(hours(expect_place(&mut stream, 1).await) <= 1.0);
    drop(first);

    let mut events = stream.rest().await;
    let (name, result) = events.pop().expect("an event");
    assert_eq!((&*name, &result["exact"]), ("done", &json!(true)));
    openapi::check_event("done", &result);
    assert!(!events.is_empty());
    for (name, snapshot) in events {
        assert_eq!(name, "snapshot");
        openapi::check_event("snapshot", &snapshot);
        assert_eq!(snapshot["position"], result["position"]);
    }
}

#[tokio::test]
async fn disconnect_stops_the_search() {
    let server = start(1, 16).await;
    let mut running = EventStream::open(&server, "192.0.2.1", LONG).await;
    assert_eq!(running.next().await.expect("an event").0, "snapshot");
    let waiting = EventStream::open(&server, "192.0.2.1", LONG).await;
    server.wait_for_metric(WAITING, 1.0).await;
    drop(waiting);
    server.wait_for_metric(WAITING, 0.0).await;
    drop(running);
    server.wait_for_metric(RUNNING, 0.0).await;
    server.wait_for_metric(CANCELLED, 2.0).await;
}

#[tokio::test]
async fn invalid_parameters_are_problems_before_the_stream() {
    let server = start(1, 16).await;
    for (query, detail) in [
        ("position=6x", "`6x`"),
        ("rules=chess", "`chess`"),
        ("time=5", "`5`"),
        ("time=61m", "`61m` is more than the maximum of 1h"),
        ("prove=worst", "`prove`: `worst` is an unknown value"),
        ("houses=6", "`houses` is an unknown key"),
    ] {
        let response = server.get(&format!("/api/v1/analyses?{query}")).await;
        assert_eq!(response.status, 422, "{query}");
        assert!(response.detail().contains(detail), "{}", response.text());
        assert_eq!(response.header("content-type"), "application/problem+json");
    }
}

#[tokio::test]
async fn client_with_many_requests_leaves_an_engine_to_others() {
    let server = start(2, 2).await;
    let mut streams = Vec::new();
    for waiting in [0.0, 1.0, 2.0] {
        streams.push(EventStream::open(&server, "192.0.2.1", LONG).await);
        server.wait_for_metric(RUNNING, 1.0).await;
        server.wait_for_metric(WAITING, waiting).await;
    }
    let refused = EventStream::open(&server, "192.0.2.1", LONG).await;
    assert_eq!(
        (refused.status, &*refused.content_type),
        (429, "application/problem+json")
    );
    for _ in 0..3 {
        let mut other = EventStream::open(&server, "192.0.2.2", SHORT).await;
        let events = other.rest().await;
        assert!(
            events.iter().all(|(name, _)| name != "queued"),
            "{events:?}"
        );
        assert_eq!(events.last().expect("an event").0, "done");
    }
    server.wait_for_metric(RUNNING, 1.0).await;
    server.wait_for_metric(WAITING, 2.0).await;
}
