//! A server in the background of a test, and its HTTP and WebSocket clients.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap};
use hyper_util::rt::TokioIo;
use kalah_server::{Server, ServerConfig, ServerLimits};
use kalah_store::{DataFolder, PlayerToken};
use serde_json::{Value, json};
use test_tools::stopped_time::real_sleep;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use tokio_util::sync::CancellationToken;

use crate::description::openapi;

/// The time after which a test counts as hanging. No verdict depends on it otherwise.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_mins(5);

/// A server that runs in the background of a test.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    end: CancellationToken,
    task: JoinHandle<()>,
}

/// A response that was received completely.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The parsed body; null if it is not JSON.
    pub(crate) json: Value,
}

/// A new game and the tokens of its players.
pub(crate) struct GameWithTokens {
    pub(crate) game: String,
    pub(crate) token: String,
    pub(crate) friend_token: String,
    pub(crate) state: Value,
}

/// A WebSocket connection to a game.
pub(crate) struct WebSocketClient(pub(crate) WebSocketStream<TcpStream>);

/// Returns the configuration of a server with these limits on a free port.
pub(crate) fn config(limits: ServerLimits) -> ServerConfig {
    ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        limits,
        memory: 64 << 20,
        ..ServerConfig::default()
    }
}

/// Returns the configuration of a server with games in `folder` and without a rate limit in effect.
pub(crate) fn games_config(folder: Option<&Path>) -> ServerConfig {
    const UNLIMITED: NonZeroU32 = NonZeroU32::new(1_000_000).expect("a positive number");
    ServerConfig {
        data_folder: folder.map(DataFolder::new),
        ..config(ServerLimits {
            requests_per_second: UNLIMITED,
            request_burst: UNLIMITED,
            ..ServerLimits::default()
        })
    }
}

impl TestServer {
    /// Starts a server with default limits.
    pub(crate) async fn with_defaults() -> Self {
        Self::start(&config(ServerLimits::default())).await
    }

    /// Starts a server.
    pub(crate) async fn start(config: &ServerConfig) -> Self {
        let server = Server::bind(config).await.expect("a free port");
        let address = server.address();
        let end = CancellationToken::new();
        let task = tokio::spawn(server.run(end.clone().cancelled_owned()));
        Self { address, end, task }
    }

    /// Begins the shutdown.
    pub(crate) fn shut_down(&self) {
        self.end.cancel();
    }

    /// Waits for the end of a shutdown.
    pub(crate) async fn wait(self) {
        let result = timeout(HANG_TIMEOUT, self.task).await;
        result.expect("an end").expect("no panic");
    }

    /// Shuts down and waits for the end.
    pub(crate) async fn stop(self) {
        self.shut_down();
        self.wait().await;
    }

    /// Opens a TCP connection.
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a listener")
    }

    /// Sends a request over a new connection, and checks API responses against the description.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> TestResponse {
        let stream = TokioIo::new(self.connect().await);
        let (mut sender, connection) = http1::handshake(stream).await.expect("a connection");
        let connection = tokio::spawn(connection);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = timeout(HANG_TIMEOUT, sender.send_request(request)).await;
        let (head, body) = response.expect("in time").expect("a response").into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        connection.abort();
        let response = TestResponse {
            status: head.status.as_u16(),
            headers: head.headers,
            json: serde_json::from_slice(&body).unwrap_or(Value::Null),
            body,
        };
        let is_api = path.starts_with("/api/")
            || kalah_server::routes()
                .iter()
                .any(|(_, known)| *known == path);
        if is_api || !head.status.is_success() && !head.status.is_redirection() {
            let content_type = response.header("content-type");
            openapi::check(
                method.as_str(),
                &path,
                response.status,
                content_type,
                &response.body,
            );
        }
        response
    }

    /// Sends bytes over a new connection, and reads until the server closes it.
    pub(crate) async fn send_raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.expect("written");
        let mut response = Vec::new();
        let end = timeout(HANG_TIMEOUT, stream.read_to_end(&mut response)).await;
        end.expect("a closed connection").expect("no reset");
        String::from_utf8(response).expect("text")
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.get_as(path, None).await
    }

    /// Sends a GET request with the token of a player.
    async fn get_as(&self, path: &str, token: Option<&str>) -> TestResponse {
        let request = Request::get(path).header(HOST, "localhost");
        let request = request.body(Full::default()).expect("a request");
        self.send(with_token(request, token)).await
    }

    /// Sends a POST request below `/api/v1/`.
    pub(crate) async fn post(&self, path: &str, body: &(impl ToString + ?Sized)) -> TestResponse {
        self.send(api_request(path, body)).await
    }

    /// Sends a POST request below `/api/v1/` with the token of a player.
    pub(crate) async fn post_as(&self, path: &str, token: &str, body: &Value) -> TestResponse {
        self.send(with_token(api_request(path, body), Some(token)))
            .await
    }

    /// Returns the value of a metric, whose name includes the labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or("0").parse().expect("a number")
    }

    /// Waits until a metric has a value.
    pub(crate) async fn wait_for_metric(&self, name: &str, expected: f64) {
        let start = Instant::now();
        while (self.metric(name).await - expected).abs() > f64::EPSILON {
            assert!(start.elapsed() < HANG_TIMEOUT, "{name} is not {expected}");
            real_sleep(Duration::from_millis(10)).await;
        }
    }

    /// Creates a game between friends, which the other player joins.
    pub(crate) async fn create_game(&self, request: Value) -> GameWithTokens {
        let response = self.post("games", &request).await;
        assert_eq!(response.status, 201, "{}", response.json);
        let text = |name: &str| response.json[name].as_str().expect("a text").to_owned();
        let (game, friend_token) = (text("game"), PlayerToken::random().reveal());
        let joined = self.join(&game, &json!({"token": friend_token})).await;
        assert_eq!(joined.status, 200, "{}", joined.json);
        GameWithTokens {
            game,
            token: text("token"),
            friend_token,
            state: response.json["state"].clone(),
        }
    }

    /// Takes the free seat of a game.
    pub(crate) async fn join(&self, game: &str, request: &Value) -> TestResponse {
        self.post(&format!("games/{game}/join"), request).await
    }

    /// Reads the state of a game.
    pub(crate) async fn game_state(&self, game: &str, token: Option<&str>) -> TestResponse {
        self.get_as(&format!("/api/v1/games/{game}"), token).await
    }

    /// Plays a move over HTTP.
    pub(crate) async fn play_move(
        &self,
        game: &str,
        token: &str,
        ply: usize,
        mv: &str,
    ) -> TestResponse {
        let body = json!({"ply": ply, "move": mv});
        self.post_as(&format!("games/{game}/plies"), token, &body)
            .await
    }

    /// Plays a move over HTTP, and checks the status of the response.
    pub(crate) async fn assert_play(
        &self,
        game: &str,
        token: &str,
        ply: usize,
        mv: &str,
        status: u16,
    ) {
        let response = self.play_move(game, token, ply, mv).await;
        assert_eq!(response.status, status, "ply {ply}: {mv}");
    }

    /// Resigns over HTTP.
    pub(crate) async fn resign(&self, game: &str, token: &str) -> TestResponse {
        self.post_as(&format!("games/{game}/resign"), token, &json!({}))
            .await
    }

    /// Acts on the offer of a `takeback` or a `rematch` over HTTP.
    pub(crate) async fn act_on(
        &self,
        offer: &str,
        game: &str,
        token: &str,
        action: &str,
    ) -> TestResponse {
        let path = format!("games/{game}/{offer}");
        self.post_as(&path, token, &json!({"action": action})).await
    }

    /// Opens a WebSocket connection to a game.
    pub(crate) async fn websocket(&self, game: &str) -> WebSocketClient {
        let stream = self.connect().await;
        let url = format!("ws://{}/api/v1/games/{game}/live", self.address);
        let (client, _) = client_async(url, stream).await.expect("a connection");
        WebSocketClient(client)
    }

    /// Opens a WebSocket connection of the player with this token.
    pub(crate) async fn hello_as(&self, game: &str, token: &str) -> WebSocketClient {
        self.hello(game, &json!({"token": token})).await
    }

    /// Opens a WebSocket connection to a game and sends `hello` with these fields.
    pub(crate) async fn hello(&self, game: &str, fields: &Value) -> WebSocketClient {
        let mut client = self.websocket(game).await;
        let mut message = fields.clone();
        message["type"] = json!("hello");
        client.send_json(&message).await;
        client
    }
}

/// Returns a POST request below `/api/v1/`.
pub(crate) fn api_request(path: &str, body: &(impl ToString + ?Sized)) -> Request<Full<Bytes>> {
    Request::post(format!("/api/v1/{path}"))
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, "application/json")
        .body(Full::from(body.to_string()))
        .expect("a request")
}

fn with_token(mut request: Request<Full<Bytes>>, token: Option<&str>) -> Request<Full<Bytes>> {
    if let Some(token) = token {
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    request
}

impl TestResponse {
    /// Returns the value of a header, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).expect("text")
    }

    /// Returns the detail of a problem document.
    pub(crate) fn detail(&self) -> String {
        self.json["detail"].as_str().expect("a detail").to_owned()
    }
}

impl WebSocketClient {
    pub(crate) async fn send_json(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let message = Message::text(text);
        futures_util::SinkExt::send(&mut self.0, message)
            .await
            .expect("an open connection");
    }

    /// Plays a move.
    pub(crate) async fn play_move(&mut self, ply: usize, mv: &str) {
        self.send_json(&json!({"type": "move", "ply": ply, "move": mv}))
            .await;
    }

    /// Receives the next message.
    pub(crate) async fn receive(&mut self) -> Value {
        match self.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("expected a message, received {other:?}"),
        }
    }

    /// Receives messages until one has this type.
    pub(crate) async fn receive_type(&mut self, kind: &str) -> Value {
        loop {
            let message = self.receive().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Receives messages until the server closes the connection, and returns the close code.
    pub(crate) async fn receive_close(&mut self) -> Option<u16> {
        self.receive_close_frame().await.map(|(code, _)| code)
    }

    /// Receives messages until the server closes the connection, and returns the close code and the
    /// reason.
    pub(crate) async fn receive_close_frame(&mut self) -> Option<(u16, String)> {
        loop {
            match self.next().await {
                Some(Ok(Message::Close(frame))) => {
                    return frame
                        .map(|CloseFrame { code, reason }| (code.into(), reason.to_string()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// Returns the next message that is neither a ping nor a pong.
    async fn next(&mut self) -> Option<Result<Message, Error>> {
        loop {
            let next = timeout(HANG_TIMEOUT, futures_util::StreamExt::next(&mut self.0));
            match next.await.expect("a message in time") {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                message => return message,
            }
        }
    }
}
