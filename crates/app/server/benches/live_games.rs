//! The latency of moves in games between friends, for several numbers of games, and beside
//! analyses.
//!
//! ```sh
//! cargo bench -p kalah-server --bench live_games
//! ```
//!
//! The server runs in a process of its own, with its games on disk. Each game has two WebSocket
//! connections and a move every two seconds; a finished game is followed by a new one with new
//! connections. The latency of a move is the time from the moment at which it is due to its
//! confirmation, which follows the write to disk. It contains the lateness of the client, the time
//! from the moment at which a move is due until the client sends it, which shows how far the client
//! delays the results: a busy client is late to read a confirmation as it is late to send a move.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use kalah::{Position, Rules, Side};
use kalah_server::{ClientIpSource, ServerConfig};
use kalah_store::PlayerToken;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;
use serde::Deserialize;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// The numbers of games, and of clients that request one analysis after another, that are measured
/// one after another.
const LOADS: [Load; 5] = {
    const fn load(games: u32, analyses: u32) -> Load {
        Load { games, analyses }
    }
    [
        load(1_000, 0),
        load(3_500, 0),
        load(5_000, 0),
        load(6_500, 0),
        load(5_000, 4),
    ]
};

/// The time between two moves of a game.
const MOVE_INTERVAL: Duration = Duration::from_secs(2);

/// The time in which all games begin.
const RAMP: Duration = Duration::from_secs(30);

/// The time after [`RAMP`] in which moves are measured.
const MEASUREMENT: Duration = Duration::from_mins(1);

/// The header in which a proxy reports the address of a client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The size of the buffer of a client's connection.
const READ_BUFFER_BYTES: usize = 4 << 10;

/// The argument with which this program is the server.
const SERVER_ARGUMENT: &str = "server";

fn main() {
    if std::env::args().nth(1).as_deref() == Some(SERVER_ARGUMENT) {
        serve();
        return;
    }
    println!(
        "{:>7} {:>8} {:>7} {:>6}  {:^30}  {:^30}  {:^16}",
        "", "", "", "", "latency of a move", "lateness of the client", "processor time"
    );
    println!(
        "{:>7} {:>8} {:>7} {:>6}  {:>9} {:>9} {:>10}  {:>9} {:>9} {:>10}  {:>7} {:>8}",
        "games",
        "analyses",
        "moves/s",
        "failed",
        "50 %",
        "99 %",
        "longest",
        "50 %",
        "99 %",
        "longest",
        "server",
        "client"
    );
    for load in LOADS {
        let server = ServerProcess::start();
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(load.measure(&server))
            .print(load);
    }
}

/// Runs a server until its input ends, and prints its address.
fn serve() {
    let config = ServerConfig {
        address: SocketAddr::from(([127, 0, 0, 1], 0)).into(),
        client_ip_source: ClientIpSource::XForwardedFor,
        ..ServerConfig::default()
    };
    let end_of_input = async {
        let _ = tokio::io::stdin().read(&mut [0]).await;
    };
    kalah_server::serve(&config, end_of_input, |address| println!("{address}")).expect("a server");
}

/// A server in another process, which ends when this is dropped.
struct ServerProcess {
    child: Child,
    address: SocketAddr,
}

impl ServerProcess {
    fn start() -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        let mut child = Command::new(program)
            .arg(SERVER_ARGUMENT)
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
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The number of games, and of clients that request one analysis after another.
#[derive(Clone, Copy)]
struct Load {
    games: u32,
    analyses: u32,
}

impl Load {
    async fn measure(self, server: &ServerProcess) -> LoadResult {
        let start = Instant::now();
        let begin = start + RAMP;
        let period = Period {
            begin,
            end: begin + MEASUREMENT,
        };
        let failed = Arc::new(AtomicUsize::new(0));
        let mut tables = JoinSet::new();
        for index in 0..self.games {
            let mut table = FriendPair {
                client: LoadClient {
                    server: server.address,
                    address: Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 0).to_bits() + index),
                },
                due: start + RAMP * index / self.games,
                period,
                random: Pcg32::seed_from_u64(index.into()),
                moves: Vec::new(),
            };
            let failed = Arc::clone(&failed);
            tables.spawn(async move {
                while table.due < period.end {
                    if table.play_game().await.is_none() {
                        failed.fetch_add(1, Ordering::Relaxed);
                        table.due += MOVE_INTERVAL;
                    }
                }
                table.moves
            });
        }
        let mut analyses = JoinSet::new();
        for index in 0..self.analyses {
            let client = LoadClient {
                server: server.address,
                address: Ipv4Addr::from_bits(Ipv4Addr::new(10, 1, 0, 0).to_bits() + index),
            };
            analyses.spawn(async move {
                sleep_until(begin).await;
                loop {
                    client
                        .post(
                            "/api/v1/analyze",
                            r#"{"position":"6x6","time":"5s"}"#.to_owned(),
                        )
                        .await;
                }
            });
        }
        let processes = [server.child.id(), std::process::id()];
        sleep_until(period.begin).await;
        let [server_before, client_before] = processor_times(processes);
        sleep_until(period.end).await;
        let [server_after, client_after] = processor_times(processes);
        analyses.shutdown().await;
        let moves = tables.join_all().await.concat();
        let sorted = |duration: fn(&MeasuredMove) -> Duration| {
            let mut durations: Vec<Duration> = moves.iter().map(duration).collect();
            durations.sort_unstable();
            durations
        };
        LoadResult {
            latencies: sorted(|played| played.latency),
            latenesses: sorted(|played| played.lateness),
            failed: failed.load(Ordering::Relaxed),
            server_time: server_after.saturating_sub(server_before),
            client_time: client_after.saturating_sub(client_before),
        }
    }
}

/// The results of a load.
struct LoadResult {
    /// The latencies of all measured moves, in ascending order.
    latencies: Vec<Duration>,
    /// The latenesses of the client for the same moves, in ascending order.
    latenesses: Vec<Duration>,
    /// The number of games that ended with an error.
    failed: usize,
    /// The processor time of the server during the measurement.
    server_time: Duration,
    /// The processor time of this process during the measurement.
    client_time: Duration,
}

impl LoadResult {
    fn print(&self, load: Load) {
        let Load { games, analyses } = load;
        let rate = self.latencies.len() as u64 / MEASUREMENT.as_secs();
        print!("{games:>7} {analyses:>8} {rate:>7} {:>6}", self.failed);
        for durations in [&self.latencies, &self.latenesses] {
            let last = durations.len() - 1;
            let [half, most, longest] =
                [50, 99, 100].map(|percent| durations[last * percent / 100].as_secs_f64() * 1e3);
            print!("  {half:>6.1} ms {most:>6.1} ms {longest:>7.1} ms");
        }
        let (server, client) = (self.server_time, self.client_time);
        println!(
            "  {:>5.1} s {:>6.1} s",
            server.as_secs_f64(),
            client.as_secs_f64()
        );
    }
}

/// Returns the processor times that processes have taken so far.
fn processor_times<const N: usize>(processes: [u32; N]) -> [Duration; N] {
    let processes = processes.map(Pid::from_u32);
    let mut system = System::new().expect("a supported system");
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&processes), false, what);
    processes.map(|process| {
        let process = system.process(process).expect("a process");
        Duration::from_millis(process.accumulated_cpu_time())
    })
}

/// The time in which moves are measured.
#[derive(Clone, Copy)]
struct Period {
    begin: Instant,
    end: Instant,
}

/// A measured move.
#[derive(Clone, Copy)]
struct MeasuredMove {
    latency: Duration,
    lateness: Duration,
}

/// Two friends who play one game after another.
struct FriendPair {
    client: LoadClient,
    /// The time at which the next move, or the next game, is due.
    due: Instant,
    period: Period,
    random: Pcg32,
    moves: Vec<MeasuredMove>,
}

/// The part of a new game that the clients need.
#[derive(Deserialize)]
struct BenchGame {
    game: String,
    token: String,
}

/// The type and the ply of a message of the server.
#[derive(Deserialize)]
struct ReceivedMessage<'a> {
    r#type: &'a str,
    ply: Option<usize>,
}

impl FriendPair {
    /// Plays a game to its end, or to the end of the measurement. Returns `None` after an error.
    async fn play_game(&mut self) -> Option<()> {
        sleep_until(self.due).await;
        let created = self.create_game().await?;
        let friend_token = PlayerToken::random().reveal();
        let path = format!("/api/v1/games/{}/join", created.game);
        let body = format!(r#"{{"token":"{friend_token}"}}"#);
        self.client.post(&path, body).await?;
        let mut south = self.client.connect(&created.game, &created.token).await?;
        let mut north = self.client.connect(&created.game, &friend_token).await?;
        let mut position = Position::start(6, 4, Rules::default()).expect("a start");
        for ply in 1.. {
            self.due += MOVE_INTERVAL;
            if position.is_over() || self.due >= self.period.end {
                break;
            }
            let legal_moves: Vec<_> = position.legal_moves().collect();
            let mv = legal_moves[self.random.random_range(..legal_moves.len())];
            let side = position.to_move();
            position.play(mv).expect("a legal move");
            let text = mv.text(side);
            sleep_until(self.due).await;
            let lateness = self.due.elapsed();
            let (mover, other) = match side {
                Side::South => (&mut south, &mut north),
                Side::North => (&mut north, &mut south),
            };
            mover
                .send(format!(r#"{{"type":"move","ply":{ply},"move":"{text}"}}"#))
                .await?;
            mover.receive_move(ply).await?;
            let latency = self.due.elapsed();
            other.receive_move(ply).await?;
            if self.due >= self.period.begin {
                self.moves.push(MeasuredMove { latency, lateness });
            }
        }
        Some(())
    }

    async fn create_game(&self) -> Option<BenchGame> {
        let body = r#"{"clock":{"initial":"10m","increment":"5s"}}"#;
        let response = self.client.post("/api/v1/games", body.to_owned()).await?;
        serde_json::from_slice(&response).ok()
    }
}

/// A client of the server.
#[derive(Clone, Copy)]
struct LoadClient {
    server: SocketAddr,
    /// The address of the client, as a proxy reports it. Rate limits count by it.
    address: Ipv4Addr,
}

impl LoadClient {
    /// Sends a request and returns the body of the response, or `None` after an error.
    async fn post(self, path: &str, body: String) -> Option<Bytes> {
        let stream = TcpStream::connect(self.server).await.ok()?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let request = Request::post(path)
            .header(HOST, "localhost")
            .header(CONTENT_TYPE, "application/json")
            .header(FORWARDED_FOR, self.address.to_string())
            .body(Full::<Bytes>::from(body))
            .expect("a request");
        let response = sender.send_request(request).await.ok()?;
        Some(response.into_body().collect().await.ok()?.to_bytes())
    }

    /// Opens the live connection of the player with `token`, or returns `None` after an error.
    async fn connect(self, game: &str, token: &str) -> Option<LivePlayer> {
        let url = format!("ws://{}/api/v1/games/{game}/live", self.server);
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
        let mut player = LivePlayer(stream);
        let hello = format!(r#"{{"type":"hello","token":"{token}"}}"#);
        player.send(hello).await?;
        Some(player)
    }
}

/// The live connection of a player.
struct LivePlayer(WebSocketStream<TcpStream>);

impl LivePlayer {
    async fn send(&mut self, message: String) -> Option<()> {
        self.0.send(Message::text(message)).await.ok()
    }

    /// Receives messages until the message of ply `ply`.
    async fn receive_move(&mut self, ply: usize) -> Option<()> {
        loop {
            let Message::Text(text) = self.0.next().await?.ok()? else {
                continue;
            };
            let message: ReceivedMessage<'_> = serde_json::from_str(&text).ok()?;
            match message.r#type {
                "move" if message.ply == Some(ply) => return Some(()),
                "problem" => return None,
                _ => {}
            }
        }
    }
}
