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

mod load;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::Method;
use kalah::{Position, Rules, Side};
use kalah_store::PlayerToken;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;
use serde::Deserialize;
use tempfile::TempDir;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use load::{LoadClient, ServerProcess, SortedDurations, processor_times, serve_if_requested};

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

fn main() {
    if serve_if_requested() {
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
        let folder = TempDir::new().expect("a folder");
        let server = ServerProcess::start(folder.path());
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(load.measure(&server))
            .print(load);
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
                client: LoadClient::new(server.address, Ipv4Addr::new(10, 0, 0, 0), index),
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
            let client = LoadClient::new(server.address, Ipv4Addr::new(10, 1, 0, 0), index);
            analyses.spawn(async move {
                sleep_until(begin).await;
                loop {
                    client
                        .request(
                            Method::POST,
                            "/api/v1/analyze",
                            None,
                            r#"{"position":"6x6","time":"5s"}"#.to_owned(),
                        )
                        .await;
                }
            });
        }
        let processes = [server.id(), std::process::id()];
        sleep_until(period.begin).await;
        let [server_before, client_before] = processor_times(processes);
        sleep_until(period.end).await;
        let [server_after, client_after] = processor_times(processes);
        analyses.shutdown().await;
        let moves = tables.join_all().await.concat();
        LoadResult {
            latencies: SortedDurations::new(moves.iter().map(|played| played.latency)),
            latenesses: SortedDurations::new(moves.iter().map(|played| played.lateness)),
            failed: failed.load(Ordering::Relaxed),
            server_time: server_after.saturating_sub(server_before),
            client_time: client_after.saturating_sub(client_before),
        }
    }
}

/// The results of a load.
struct LoadResult {
    /// The latencies of all measured moves.
    latencies: SortedDurations,
    /// The latenesses of the client for the same moves.
    latenesses: SortedDurations,
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
        let rate = self.latencies.count() as u64 / MEASUREMENT.as_secs();
        print!("{games:>7} {analyses:>8} {rate:>7} {:>6}", self.failed);
        for durations in [&self.latencies, &self.latenesses] {
            let [half, most, longest] = durations.percentiles();
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

impl FriendPair {
    /// Plays a game to its end, or to the end of the measurement. Returns `None` after an error.
    async fn play_game(&mut self) -> Option<()> {
        sleep_until(self.due).await;
        let created = self.create_game().await?;
        let friend_token = PlayerToken::random().reveal();
        let path = format!("/api/v1/games/{}/join", created.game);
        let body = format!(r#"{{"token":"{friend_token}"}}"#);
        self.client.request(Method::POST, &path, None, body).await?;
        let mut south = self
            .client
            .connect_to_game(&created.game, &created.token)
            .await?;
        let mut north = self
            .client
            .connect_to_game(&created.game, &friend_token)
            .await?;
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
            mover.play_move(ply, &text).await?;
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
        let created = self
            .client
            .request(Method::POST, "/api/v1/games", None, body.to_owned());
        let response = created.await?;
        serde_json::from_slice(&response).ok()
    }
}
