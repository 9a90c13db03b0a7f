//! The share of a client in the engines while another client asks without end.
//!
//! ```sh
//! cargo bench -p kalah-server --bench fairness
//! ```
//!
//! One client address keeps 24 analyses of six seconds each requested at all times, and another one
//! streams one analysis of five seconds after another. The benchmark prints the times of the first
//! snapshot and of the result, on an idle server and beside the greedy client. Analyses of the same
//! rules and houses share endgame tables, so that only the first one of them builds tables.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use kalah_server::{ClientIpSource, Server, ServerConfig};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// The number of requests that the greedy client keeps open.
const GREEDY_REQUESTS: usize = 24;

/// The pause of the greedy client after a refused request.
const GREEDY_PAUSE: Duration = Duration::from_millis(100);

/// The time after which the greedy client has filled its queue.
const WARM_UP: Duration = Duration::from_secs(1);

/// The positions of the measured analyses, which no opening book has.
const POSITIONS: [&str; 4] = ["7x5", "7x5", "6x7", "7x3"];

/// Requests to a server.
#[derive(Clone, Copy)]
struct FairnessClient {
    server: SocketAddr,
    /// The address of the client, as a proxy reports it.
    address: &'static str,
}

impl FairnessClient {
    async fn send(self, request: hyper::http::request::Builder, body: &str) -> Response<Incoming> {
        let stream = TcpStream::connect(self.server).await.expect("a server");
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .expect("a connection");
        tokio::spawn(connection);
        let request = request
            .header(HOST, "localhost")
            .header("x-forwarded-for", self.address)
            .body(Full::<Bytes>::from(body.to_owned()))
            .expect("a request");
        sender.send_request(request).await.expect("a response")
    }

    /// Requests one analysis after another.
    async fn ask_without_end(self) {
        loop {
            let request = Request::post("/api/v1/analyze").header(CONTENT_TYPE, "application/json");
            let response = self
                .send(request, r#"{"position":"7x6","time":"6s"}"#)
                .await;
            let is_refused = !response.status().is_success();
            let _ = response.into_body().collect().await;
            if is_refused {
                sleep(GREEDY_PAUSE).await;
            }
        }
    }

    /// Streams an analysis, and returns the times of its first snapshot and of its result.
    async fn stream(self, rules: &str, position: &str) -> (Duration, Duration) {
        let start = Instant::now();
        let path = format!("/api/v1/analyses?rules={rules}&position={position}&time=5s");
        let mut body = self.send(Request::get(path), "").await.into_body();
        let mut first_snapshot = None;
        while let Some(Ok(frame)) = body.frame().await {
            let text = frame.into_data().unwrap_or_default();
            if text.starts_with(b"event: snapshot") || text.starts_with(b"event: done") {
                first_snapshot.get_or_insert_with(|| start.elapsed());
            }
        }
        (first_snapshot.expect("a snapshot"), start.elapsed())
    }
}

#[tokio::main]
async fn main() {
    let config = ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        client_ip_source: ClientIpSource::XForwardedFor,
        ..ServerConfig::default()
    };
    let server = Server::bind(&config).await.expect("a free port");
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    let client = |name| FairnessClient {
        server: address,
        address: name,
    };
    println!("                 rules position  first snapshot    result");
    for (load, rules, greedy_requests) in [
        ("idle server", "cs32", 0),
        ("greedy client", "standard", GREEDY_REQUESTS),
    ] {
        for _ in 0..greedy_requests {
            tokio::spawn(client("192.0.2.1").ask_without_end());
        }
        sleep(WARM_UP).await;
        for position in POSITIONS {
            let (first, result) = client("192.0.2.2").stream(rules, position).await;
            let (first, result) = (first.as_millis(), result.as_millis());
            println!("{load:13} {rules:>8} {position:>8} {first:>12} ms {result:>6} ms");
        }
    }
}
