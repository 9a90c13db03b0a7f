//! A server to visit, and those who visit it.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use kalah_server::games::DataFolder;
use kalah_server::{Server, ServerConfig, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Nothing here takes so long unless it is broken.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

/// A server that runs.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Settings of a server that keeps its games in `folder` and has no limit that a test comes to.
pub(crate) fn settings(folder: Option<&std::path::Path>) -> ServerConfig {
    const MANY: NonZeroU32 = NonZeroU32::new(1_000_000).expect("a positive number");
    ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        data_folder: folder.map(DataFolder::new),
        limits: ServerLimits {
            requests_per_second: MANY,
            request_burst: MANY,
            ..ServerLimits::default()
        },
        ..ServerConfig::default()
    }
}

impl Running {
    pub(crate) async fn start(settings: &ServerConfig) -> Self {
        let server = Server::bind(settings).await.expect("a server");
        let (end, ended) = oneshot::channel();
        Self {
            address: server.address(),
            end,
            task: tokio::spawn(server.run(async {
                let _ = ended.await;
            })),
        }
    }

    /// Asks the server to end, and waits until it has.
    pub(crate) async fn end(self) {
        self.end.send(()).expect("the server runs");
        let ended = timeout(PATIENCE, self.task).await;
        ended.expect("an end").expect("no panic");
    }

    /// Makes a game.
    pub(crate) async fn make(&self, asked: Value) -> Made {
        let answer = post(self.address, "/api/v1/games", None, &asked).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let text = |name: &str| answer.body[name].as_str().expect("a text").to_owned();
        Made {
            game: text("game"),
            token: text("token"),
            friend_token: text("friend_token"),
            state: answer.body["state"].clone(),
        }
    }

    /// How a game stands.
    pub(crate) async fn state(&self, game: &str, token: Option<&str>) -> Answer {
        get(self.address, &format!("/api/v1/games/{game}"), token).await
    }

    /// Sows.
    pub(crate) async fn sow(&self, game: &str, token: &str, ply: usize, mv: &str) -> Answer {
        let path = format!("/api/v1/games/{game}/plies");
        let asked = json!({"ply": ply, "choice": mv});
        post(self.address, &path, Some(token), &asked).await
    }

    /// Does `what` in a game: `resign` or `rematch`.
    pub(crate) async fn ask(&self, game: &str, token: &str, what: &str) -> Answer {
        let path = format!("/api/v1/games/{game}/{what}");
        post(self.address, &path, Some(token), &json!({})).await
    }

    /// A live connection that has said hello.
    pub(crate) async fn hello(&self, game: &str, hello: &Value) -> Live {
        let mut live = self.live(game).await;
        let mut said = hello.clone();
        said["type"] = json!("hello");
        live.say(&said).await;
        live
    }

    /// A live connection.
    pub(crate) async fn live(&self, game: &str) -> Live {
        let stream = TcpStream::connect(self.address).await.expect("a server");
        let url = format!("ws://{}/api/v1/games/{game}/live", self.address);
        let (live, _) = client_async(url, stream).await.expect("a connection");
        Live(live)
    }
}

/// A game that was made.
pub(crate) struct Made {
    pub(crate) game: String,
    pub(crate) token: String,
    pub(crate) friend_token: String,
    pub(crate) state: Value,
}

/// What a request was answered with.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) text: String,
    /// The text, if it is JSON.
    pub(crate) body: Value,
}

pub(crate) async fn get(address: SocketAddr, path: &str, token: Option<&str>) -> Answer {
    request(
        address,
        &format!("GET {path} HTTP/1.1\r\n{}\r\n", headers(token)),
    )
    .await
}

pub(crate) async fn post(
    address: SocketAddr,
    path: &str,
    token: Option<&str>,
    body: &Value,
) -> Answer {
    let (headers, body) = (headers(token), body.to_string());
    let length = body.len();
    let request_text = format!(
        "POST {path} HTTP/1.1\r\n{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    request(address, &request_text).await
}

fn headers(token: Option<&str>) -> String {
    let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
    format!(
        "host: kalah\r\nconnection: close\r\n{}",
        token.unwrap_or_default()
    )
}

/// Sends a request as it is, and reads the answer.
pub(crate) async fn request(address: SocketAddr, text: &str) -> Answer {
    let answer = timeout(PATIENCE, async {
        let mut stream = TcpStream::connect(address).await.expect("a server");
        stream.write_all(text.as_bytes()).await.expect("a reader");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    });
    let answer = answer.await.expect("an answer in time");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).expect("a status");
    Answer {
        status: status.parse().expect("a number"),
        head: head.to_lowercase(),
        text: body.to_owned(),
        body: serde_json::from_str(body).unwrap_or(Value::Null),
    }
}

/// A live connection.
pub(crate) struct Live(pub(crate) WebSocketStream<TcpStream>);

impl Live {
    pub(crate) async fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string()).await;
    }

    pub(crate) async fn say_text(&mut self, text: &str) {
        let message = Message::text(text);
        futures_util::SinkExt::send(&mut self.0, message)
            .await
            .expect("somebody listens");
    }

    pub(crate) async fn sow(&mut self, ply: usize, mv: &str) {
        self.say(&json!({"type": "sow", "ply": ply, "choice": mv}))
            .await;
    }

    /// The next message.
    pub(crate) async fn hear(&mut self) -> Value {
        match self.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no message: {other:?}"),
        }
    }

    /// The next message of a type; others are passed over.
    pub(crate) async fn hear_of(&mut self, kind: &str) -> Value {
        loop {
            let message = self.hear().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// The code with which the server closes the connection; messages before that are passed over.
    pub(crate) async fn hear_close(&mut self) -> Option<u16> {
        loop {
            match self.next().await {
                Some(Ok(Message::Close(frame))) => {
                    return frame.map(|CloseFrame { code, .. }| code.into());
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    async fn next(&mut self) -> Option<Result<Message, Error>> {
        loop {
            let next = timeout(PATIENCE, futures_util::StreamExt::next(&mut self.0));
            match next.await.expect("something in time") {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                message => return message,
            }
        }
    }
}
