use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use kalah_server::{Server, ServerConfig, ServerLimits};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::description;
use crate::time::real_sleep;

/// A server that runs in the background of a test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    end: CancellationToken,
    ended: JoinHandle<()>,
}

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Longer than anything here takes, unless it hangs.
pub(crate) const FOREVER: Duration = Duration::from_mins(5);

/// Settings with these limits for a server at any port.
pub(crate) fn settings(limits: ServerLimits) -> ServerConfig {
    ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        limits,
        memory: 64 << 20,
        ..ServerConfig::default()
    }
}

impl Running {
    /// A server with the usual limits.
    pub(crate) async fn new() -> Self {
        Self::with(settings(ServerLimits::default())).await
    }

    pub(crate) async fn with(settings: ServerConfig) -> Self {
        let server = Server::bind(&settings).await.expect("a free port");
        let address = server.address();
        let end = CancellationToken::new();
        let ended = tokio::spawn(server.run(end.clone().cancelled_owned()));
        Self {
            address,
            end,
            ended,
        }
    }

    /// Asks it to end.
    pub(crate) fn end(&self) {
        self.end.cancel();
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(self) {
        self.ended.await.expect("no panic");
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("it listens")
    }

    /// The answer to a request on a connection of its own.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        let stream = TokioIo::new(self.connect().await);
        let (mut sender, connection) = http1::handshake(stream).await.expect("a connection");
        let connection = tokio::spawn(connection);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = timeout(FOREVER, sender.send_request(request)).await;
        let (head, body) = answer.expect("in time").expect("an answer").into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        connection.abort();
        let reply = Reply {
            status: head.status,
            headers: head.headers,
            body,
        };
        let is_of_api = kalah_server::routes()
            .iter()
            .any(|(_, known)| *known == path)
            || path.starts_with("/api/");
        if is_of_api || !reply.status.is_success() && !reply.status.is_redirection() {
            let content_type = reply.header("content-type");
            let status = reply.status.as_u16();
            description::check(method.as_str(), &path, status, content_type, &reply.body);
        }
        reply
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        let request = Request::get(path).header("host", "localhost");
        self.send(request.body(Full::default()).expect("a request"))
            .await
    }

    /// The answer to a question in JSON.
    pub(crate) async fn ask(&self, question: &str, body: &(impl ToString + ?Sized)) -> Reply {
        self.send(asking(question, body)).await
    }

    /// What the server counts under a name, labels included.
    pub(crate) async fn count(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or("0").parse().expect("a number")
    }

    /// Waits until it counts so many.
    pub(crate) async fn until_count(&self, name: &str, wanted: f64) {
        let began = Instant::now();
        while (self.count(name).await - wanted).abs() > f64::EPSILON {
            assert!(began.elapsed() < FOREVER, "{name} does not become {wanted}");
            real_sleep(Duration::from_millis(10)).await;
        }
    }
}

/// A request that asks a question.
pub(crate) fn asking(question: &str, body: &(impl ToString + ?Sized)) -> Request<Full<Bytes>> {
    Request::post(format!("/api/v1/{question}"))
        .header("host", "localhost")
        .header(CONTENT_TYPE, "application/json")
        .body(Full::from(body.to_string()))
        .expect("a request")
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Its words for what is wrong.
    pub(crate) fn detail(&self) -> String {
        self.json()["detail"].as_str().expect("words").to_owned()
    }
}
