//! A server in a process of its own and its clients, for programs that measure it under load.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};

use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use kalah_server::{ClientIpSource, ServerConfig};
use kalah_store::DataFolder;
use serde::Deserialize;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// The header in which a proxy reports the address of a client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The size of the buffer of a client's connection.
const READ_BUFFER_BYTES: usize = 4 << 10;

/// The argument with which a load program is the server. The folder of its games follows.
const SERVER_ARGUMENT: &str = "server";

/// Runs a server until its input ends, and prints its address, if this process is one. Returns
/// whether it is.
pub(crate) fn serve_if_requested() -> bool {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [name, folder] = arguments.as_slice() else {
        return false;
    };
    if name != SERVER_ARGUMENT {
        return false;
    }
    let config = ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        client_ip_source: ClientIpSource::XForwardedFor,
        data_folder: Some(DataFolder::new(Path::new(folder))),
        ..ServerConfig::default()
    };
    let end_of_input = async {
        let _ = tokio::io::stdin().read(&mut [0]).await;
    };
    kalah_server::serve(&config, end_of_input, |address| println!("{address}")).expect("a server");
    true
}

/// A server in another process, which ends when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl ServerProcess {
    /// Starts a server with the games in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        let mut child = Command::new(program)
            .arg(SERVER_ARGUMENT)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.trim().parse().expect("an address");
        Self { child, address }
    }

    /// Returns the id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Returns the processor times that processes have taken so far.
pub(crate) fn processor_times<const N: usize>(processes: [u32; N]) -> [Duration; N] {
    let processes = processes.map(Pid::from_u32);
    let mut system = System::new().expect("a supported system");
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&processes), false, what);
    processes.map(|process| {
        let process = system.process(process).expect("a process");
        Duration::from_millis(process.accumulated_cpu_time())
    })
}

/// Durations in ascending order.
pub(crate) struct SortedDurations(Vec<Duration>);

impl SortedDurations {
    /// Sorts durations, of which there is at least one.
    pub(crate) fn new(durations: impl IntoIterator<Item = Duration>) -> Self {
        let mut durations: Vec<_> = durations.into_iter().collect();
        durations.sort_unstable();
        Self(durations)
    }

    /// Returns the number of durations.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the median, the 99th percentile and the maximum in milliseconds; zero if there are
    /// none.
    pub(crate) fn percentiles(&self) -> [f64; 3] {
        [50, 99, 100].map(|percent| {
            let last = self.0.len().saturating_sub(1);
            let duration = self.0.get(last * percent / 100);
            duration.map_or(0.0, Duration::as_secs_f64) * 1e3
        })
    }
}

/// A client of the server.
#[derive(Clone, Copy)]
pub(crate) struct LoadClient {
    pub(crate) server: SocketAddr,
    /// The address of the client, as a proxy reports it. Rate limits count by it.
    pub(crate) address: Ipv4Addr,
}

impl LoadClient {
    /// Returns the client number `index` of a network.
    pub(crate) fn new(server: SocketAddr, network: Ipv4Addr, index: u32) -> Self {
        Self {
            server,
            address: Ipv4Addr::from_bits(network.to_bits() + index),
        }
    }

    /// Sends a request, with a token if there is one, and returns the body of a successful
    /// response, or `None` after an error.
    pub(crate) async fn request(
        self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: String,
    ) -> Option<Bytes> {
        let stream = TcpStream::connect(self.server).await.ok()?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "localhost")
            .header(CONTENT_TYPE, "application/json")
            .header(FORWARDED_FOR, self.address.to_string());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::<Bytes>::from(body)).expect("a request");
        let response = sender.send_request(request).await.ok()?;
        let is_success = response.status().is_success();
        let body = response.into_body().collect().await.ok()?.to_bytes();
        is_success.then_some(body)
    }

    /// Opens a live connection at a path, and sends `hello`. Returns `None` after an error.
    pub(crate) async fn connect(self, path: &str, hello: String) -> Option<LoadConnection> {
        let url = format!("ws://{}{path}", self.server);
        let mut request = url.into_client_request().expect("a URL");
        let address = self.address.to_string().parse().expect("a header value");
        request.headers_mut().insert(FORWARDED_FOR, address);
        let stream = TcpStream::connect(self.server).await.ok()?;
        stream.set_nodelay(true).ok()?;
        // The default buffer of 128 KiB would take 1 GiB for all connections.
        let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES);
        let (stream, _) = client_async_with_config(request, stream, Some(config))
            .await
            .ok()?;
        let mut connection = LoadConnection(stream);
        connection.send(hello).await?;
        Some(connection)
    }

    /// Opens the live connection of the player with `token` to a game.
    pub(crate) async fn connect_to_game(self, game: &str, token: &str) -> Option<LoadConnection> {
        let path = format!("/api/v1/games/{game}/live");
        let hello = format!(r#"{{"type":"hello","token":"{token}"}}"#);
        self.connect(&path, hello).await
    }
}

/// A live connection to a game or a room.
pub(crate) struct LoadConnection(WebSocketStream<TcpStream>);

/// The type and the ply of a message of the server.
#[derive(Deserialize)]
struct ReceivedMessage<'a> {
    r#type: &'a str,
    ply: Option<usize>,
}

impl LoadConnection {
    /// Sends a text.
    pub(crate) async fn send(&mut self, message: String) -> Option<()> {
        self.0.send(Message::text(message)).await.ok()
    }

    /// Receives the next text.
    pub(crate) async fn receive(&mut self) -> Option<Utf8Bytes> {
        loop {
            if let Message::Text(text) = self.0.next().await?.ok()? {
                return Some(text);
            }
        }
    }

    /// Plays a move.
    pub(crate) async fn play_move(&mut self, ply: usize, mv: &str) -> Option<()> {
        self.send(format!(r#"{{"type":"move","ply":{ply},"move":"{mv}"}}"#))
            .await
    }

    /// Receives messages until the message of ply `ply`.
    pub(crate) async fn receive_move(&mut self, ply: usize) -> Option<()> {
        loop {
            let text = self.receive().await?;
            let message: ReceivedMessage<'_> = serde_json::from_str(&text).ok()?;
            match message.r#type {
                "move" if message.ply == Some(ply) => return Some(()),
                "problem" => return None,
                _ => {}
            }
        }
    }
}
