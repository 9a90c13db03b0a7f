//! The latency of moves in rooms in which all members play at the same time.
//!
//! ```sh
//! cargo bench -p kalah-server --bench rooms
//! cargo bench -p kalah-server --bench rooms -- 4    # a move every four seconds
//! ```
//!
//! The server runs in a process of its own, with its rooms and games on disk. All members enter
//! within a few seconds, from addresses of their own, and stay connected to the room. Each room has
//! a leader and a projector, both of which show all boards. The leader starts a round; each member
//! connects to its game as soon as a message of the room contains it, and each game has a move
//! every two seconds. Members whose game has ended, the leader and the projector read the standings
//! whenever they have changed, at most once in [`STANDINGS_INTERVAL`], as the page does. At last
//! the server stops, another one continues with its files, and all members connect again.
//!
//! The latency of a move is the time from the moment at which it is due until the opponent receives
//! it. It contains the lateness of the client, the time until the client sends the move.

mod load;

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hyper::Method;
use kalah::{Position, Rules, Side};
use kalah_store::PlayerToken;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;
use serde::Deserialize;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tempfile::TempDir;
use tokio::runtime;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use load::{
    LoadClient, LoadConnection, ServerProcess, SortedDurations, processor_times, serve_if_requested,
};

/// The numbers of rooms and of the members of each that are measured one after another.
const LOADS: [RoomLoad; 2] = [
    RoomLoad {
        rooms: 1,
        members: 2_000,
    },
    RoomLoad {
        rooms: 256,
        members: 8,
    },
];

/// The time between two moves of a game, unless an argument has another number of seconds.
const MOVE_INTERVAL: Duration = Duration::from_secs(2);

/// The time in which all members enter, and in which they connect again after a restart.
const RAMP: Duration = Duration::from_secs(5);

/// The time between the entries and the start of the round.
const PAUSE: Duration = Duration::from_secs(2);

/// The time from the start of the round until no more moves are made.
const MEASUREMENT: Duration = Duration::from_secs(100);

/// The part of it in which the members of a large room receive its state.
const BEGINNING: Duration = Duration::from_secs(15);

/// The shortest time between two requests of a client for the standings.
const STANDINGS_INTERVAL: Duration = Duration::from_secs(2);

/// The interval in which the memory of the server is read.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

/// The networks of members and leaders.
const MEMBER_NETWORK: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 0);
const LEADER_NETWORK: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 0);

fn main() {
    if serve_if_requested() {
        return;
    }
    let seconds = std::env::args().find_map(|argument| argument.parse().ok());
    let interval = seconds.map_or(MOVE_INTERVAL, Duration::from_secs_f64);
    for load in LOADS {
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(load.measure(interval));
    }
}

/// A number of rooms and of the members of each.
#[derive(Clone, Copy)]
struct RoomLoad {
    rooms: u32,
    members: u32,
}

/// A room and the token of its leader.
#[derive(Deserialize)]
struct BenchRoom {
    code: String,
    leader_token: String,
}

/// The part of the response to an entry that the clients need.
#[derive(Deserialize)]
struct EnterReply {
    member: u32,
}

/// A member of a room.
#[derive(Clone)]
struct LoadMember {
    client: LoadClient,
    room: Arc<BenchRoom>,
    token: String,
    /// The number in the room.
    number: u32,
}

/// A client that stays connected to a room.
struct MemberClient {
    client: LoadClient,
    room: Arc<BenchRoom>,
    connection: LoadConnection,
    counts: Arc<LoadCounts>,
    /// The last standings that it has seen, and the time of its last request for standings.
    standings: (String, Instant),
}

/// The numbers that all clients count.
#[derive(Default)]
struct LoadCounts {
    /// The bytes of messages of rooms.
    room_bytes: AtomicU64,
    /// The bytes of standings.
    standings_bytes: AtomicU64,
    failures: AtomicUsize,
}

/// A game that a member has found in a message of its room.
struct FoundGame {
    game: String,
    member: LoadMember,
    side: Side,
    time: Instant,
}

/// A measured move.
#[derive(Clone, Copy)]
struct RoomMove {
    /// The time at which it was due.
    due: Instant,
    latency: Duration,
    lateness: Duration,
}

/// A game of two members.
struct RoomPair {
    game: String,
    south: LoadMember,
    north: LoadMember,
    /// The time at which the next move is due.
    due: Instant,
    interval: Duration,
    end: Instant,
    random: Pcg32,
    moves: Vec<RoomMove>,
}

impl RoomLoad {
    /// Measures the load, and prints the results.
    async fn measure(self, interval: Duration) {
        println!("{} rooms of {} members", self.rooms, self.members);
        let folder = TempDir::new().expect("a folder");
        let server = ServerProcess::start(folder.path());
        let counts = Arc::new(LoadCounts::default());
        let rooms = self.create_rooms(&server).await;
        let members = self.enter(&server, &rooms, &counts).await;
        let (found_sender, mut found) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for (member, mut client) in members {
            let found = found_sender.clone();
            clients.spawn(async move {
                client.follow_as(member, found).await;
                client.counts.failures.fetch_add(1, Ordering::Relaxed);
            });
        }
        show_boards(&server, &rooms, &counts, &mut clients).await;
        sleep(PAUSE).await;
        print_bytes(
            "memory of the server with all connected",
            memory_of(server.id()),
        );
        let bytes = counts.room_bytes.swap(0, Ordering::Relaxed);
        print_bytes("messages of rooms until then", bytes);

        let processes = [server.id(), std::process::id()];
        let before = processor_times(processes);
        let start = Instant::now();
        let peak = spawn_peak_memory(server.id(), &mut clients);
        start_rounds(&server, &rooms, &mut clients);
        let (games, mut pairs) = self.pair(&mut found, start, interval, &counts).await;
        let mut moves = Vec::new();
        while let Some(pair) = pairs.join_next().await {
            moves.extend(pair.expect("a pair"));
        }
        print_moves(&moves, start);
        let after = processor_times(processes);
        let times = [0, 1].map(|process: usize| {
            let time = after[process].saturating_sub(before[process]);
            time.as_secs_f64()
        });
        println!(
            "  processor time: server {:.1} s, client {:.1} s",
            times[0], times[1]
        );
        print_bytes("highest memory of the server", peak.load(Ordering::Relaxed));
        print_bytes(
            "messages of rooms",
            counts.room_bytes.load(Ordering::Relaxed),
        );
        print_bytes("standings", counts.standings_bytes.load(Ordering::Relaxed));
        clients.shutdown().await;

        let stop = Instant::now();
        drop(server);
        println!(
            "  stop of the server: {:.1} s",
            stop.elapsed().as_secs_f64()
        );
        let server = ServerProcess::start(folder.path());
        connect_again(&server, games, &counts).await;
        println!("  failures: {}", counts.failures.load(Ordering::Relaxed));
    }

    /// Waits until all members have found their games, and starts these. Returns the members with
    /// the ids of their games, and the pairs, which return their moves.
    async fn pair(
        self,
        found: &mut mpsc::UnboundedReceiver<FoundGame>,
        start: Instant,
        interval: Duration,
        counts: &Arc<LoadCounts>,
    ) -> (Vec<(String, LoadMember)>, JoinSet<Vec<RoomMove>>) {
        let mut times = Vec::new();
        let mut firsts: HashMap<String, FoundGame> = HashMap::new();
        let mut pairs = JoinSet::new();
        let mut games = Vec::new();
        for _ in 0..self.rooms * self.members {
            let one = found.recv().await.expect("all members find a game");
            times.push(one.time.duration_since(start));
            games.push((one.game.clone(), one.member.clone()));
            let Some(other) = firsts.remove(&one.game) else {
                firsts.insert(one.game.clone(), one);
                continue;
            };
            let (south, north) = match one.side {
                Side::South => (one.member, other.member),
                Side::North => (other.member, one.member),
            };
            let random = Pcg32::seed_from_u64(u64::from(south.client.address.to_bits()));
            let mut pair = RoomPair {
                game: one.game,
                south,
                north,
                due: one.time,
                interval,
                end: start + MEASUREMENT,
                random,
                moves: Vec::new(),
            };
            let counts = Arc::clone(counts);
            pairs.spawn(async move {
                if pair.play().await.is_none() {
                    counts.failures.fetch_add(1, Ordering::Relaxed);
                }
                pair.moves
            });
        }
        print_times("start of the round until the member's game", times);
        (games, pairs)
    }

    /// Creates the rooms.
    async fn create_rooms(self, server: &ServerProcess) -> Vec<Arc<BenchRoom>> {
        let mut rooms = Vec::new();
        for index in 0..self.rooms {
            let client = LoadClient::new(server.address, LEADER_NETWORK, index);
            let body =
                r#"{"name":"Load","format":"swiss","clock":{"initial":"10m","increment":"5s"}}"#;
            let created = client.request(Method::POST, "/api/v1/rooms", None, body.to_owned());
            let created = created.await.expect("a room");
            rooms.push(Arc::new(serde_json::from_slice(&created).expect("a room")));
        }
        rooms
    }

    /// Lets all members enter and connect within [`RAMP`].
    async fn enter(
        self,
        server: &ServerProcess,
        rooms: &[Arc<BenchRoom>],
        counts: &Arc<LoadCounts>,
    ) -> Vec<(LoadMember, MemberClient)> {
        let start = Instant::now();
        let mut entries = JoinSet::new();
        let all = self.rooms * self.members;
        for (index, room) in (0..all).zip(rooms.iter().cycle()) {
            let client = LoadClient::new(server.address, MEMBER_NETWORK, index);
            let (room, counts) = (Arc::clone(room), Arc::clone(counts));
            let due = start + RAMP * index / all;
            entries.spawn(async move {
                sleep_until(due).await;
                let (member, entered) = LoadMember::enter(client, &room, index, due).await?;
                let hello = format!(r#"{{"type":"hello","token":"{}"}}"#, member.token);
                let connected = MemberClient::connect(client, &room, hello, &counts).await?;
                Some((member, connected, entered, due.elapsed()))
            });
        }
        let entries = entries.join_all().await;
        let entries: Vec<_> = entries.into_iter().flatten().collect();
        assert_eq!(entries.len(), all as usize, "members could not enter");
        print_times(
            "entry of a member",
            entries.iter().map(|&(_, _, entered, _)| entered),
        );
        print_times(
            "  until the state of the room",
            entries.iter().map(|entry| entry.3),
        );
        entries
            .into_iter()
            .map(|(member, connected, ..)| (member, connected))
            .collect()
    }
}

/// Connects a leader and a projector to each room, both of which show all boards.
async fn show_boards(
    server: &ServerProcess,
    rooms: &[Arc<BenchRoom>],
    counts: &Arc<LoadCounts>,
    clients: &mut JoinSet<()>,
) {
    for (index, room) in (0..).zip(rooms) {
        let leader = format!(r#""leader":"{}","#, room.leader_token);
        for token in [leader.as_str(), ""] {
            let hello = format!(r#"{{"type":"hello",{token}"boards":true}}"#);
            let client = LoadClient::new(server.address, LEADER_NETWORK, index);
            let connected = MemberClient::connect(client, room, hello, counts).await;
            let mut client = connected.expect("a live connection");
            clients.spawn(async move {
                client.follow().await;
                client.counts.failures.fetch_add(1, Ordering::Relaxed);
            });
        }
    }
}

/// Starts a round in each room.
fn start_rounds(server: &ServerProcess, rooms: &[Arc<BenchRoom>], clients: &mut JoinSet<()>) {
    for (index, room) in (0..).zip(rooms) {
        let client = LoadClient::new(server.address, LEADER_NETWORK, index);
        let path = format!("/api/v1/rooms/{}/commands", room.code);
        let body = r#"{"command":"start-round"}"#.to_owned();
        let token = room.leader_token.clone();
        clients.spawn(async move {
            let started = client.request(Method::POST, &path, Some(&token), body);
            started.await.expect("a round");
        });
    }
}

/// Reads the memory of a process from time to time, and returns the highest value.
fn spawn_peak_memory(process: u32, clients: &mut JoinSet<()>) -> Arc<AtomicU64> {
    let peak = Arc::new(AtomicU64::new(0));
    let highest = Arc::clone(&peak);
    clients.spawn(async move {
        loop {
            highest.fetch_max(memory_of(process), Ordering::Relaxed);
            sleep(SAMPLE_INTERVAL).await;
        }
    });
    peak
}

/// Connects all members to their rooms and games after a restart.
async fn connect_again(
    server: &ServerProcess,
    all: Vec<(String, LoadMember)>,
    counts: &Arc<LoadCounts>,
) {
    let start = Instant::now();
    let mut connections = JoinSet::new();
    let count = u32::try_from(all.len()).expect("some thousand members");
    for (index, (game, member)) in (0..count).zip(all) {
        let due = start + RAMP * index / count;
        let counts = Arc::clone(counts);
        let address = server.address;
        connections.spawn(async move {
            sleep_until(due).await;
            let client = LoadClient {
                server: address,
                ..member.client
            };
            let hello = format!(r#"{{"type":"hello","token":"{}"}}"#, member.token);
            let room = MemberClient::connect(client, &member.room, hello, &counts).await;
            let game = client.connect_to_game(&game, &member.token).await;
            let state = match game {
                Some(mut game) => game.receive().await.map(|_| game),
                None => None,
            };
            if room.is_none() || state.is_none() {
                counts.failures.fetch_add(1, Ordering::Relaxed);
            }
            // The connections stay open.
            (due.elapsed(), room, state)
        });
    }
    let connected = connections.join_all().await;
    print_times(
        "restart: a member until the states of room and game",
        connected.iter().map(|&(time, ..)| time),
    );
}

impl LoadMember {
    /// Enters a room. Returns the time since `due`, too, or `None` after an error.
    async fn enter(
        client: LoadClient,
        room: &Arc<BenchRoom>,
        index: u32,
        due: Instant,
    ) -> Option<(Self, Duration)> {
        let token = PlayerToken::random().reveal();
        let path = format!("/api/v1/rooms/{}/enter", room.code);
        let body = format!(r#"{{"token":"{token}","name":"LoadMember {index}"}}"#);
        let entered = client.request(Method::POST, &path, None, body).await?;
        let time = due.elapsed();
        let EnterReply { member: number } = serde_json::from_slice(&entered).ok()?;
        let room = Arc::clone(room);
        let member = Self {
            client,
            room,
            token,
            number,
        };
        Some((member, time))
    }

    /// Returns the id of the member's game in a message of the room, and the member's side.
    fn find_game(&self, text: &str) -> Option<(String, Side)> {
        let number = self.number;
        let south = format!(r#""leg":1,"south":{number},"north":"#);
        let north = format!(r#","north":{number},"plies":"#);
        let (place, side) = match text.find(&south) {
            Some(place) => (place, Side::South),
            None => (text.find(&north)?, Side::North),
        };
        let (_, rest) = text[..place].rsplit_once(r#""game":""#)?;
        let (game, _) = rest.split_once('"')?;
        Some((game.to_owned(), side))
    }
}

impl MemberClient {
    /// Connects to a room and receives its state. Returns `None` after an error.
    async fn connect(
        client: LoadClient,
        room: &Arc<BenchRoom>,
        hello: String,
        counts: &Arc<LoadCounts>,
    ) -> Option<Self> {
        let path = format!("/api/v1/rooms/{}/live", room.code);
        let mut connected = Self {
            client,
            room: Arc::clone(room),
            connection: client.connect(&path, hello).await?,
            counts: Arc::clone(counts),
            standings: (String::new(), Instant::now()),
        };
        connected.receive().await?;
        Some(connected)
    }

    async fn receive(&mut self) -> Option<impl AsRef<str> + use<>> {
        let text = self.connection.receive().await?;
        let bytes = u64::try_from(text.len()).unwrap_or(0);
        self.counts.room_bytes.fetch_add(bytes, Ordering::Relaxed);
        Some(text)
    }

    /// Receives messages, and reports the game of a member. Returns after an error.
    async fn follow_as(
        &mut self,
        member: LoadMember,
        found: mpsc::UnboundedSender<FoundGame>,
    ) -> Option<std::convert::Infallible> {
        let (game, side) = loop {
            let text = self.receive().await?;
            if let Some(game) = member.find_game(text.as_ref()) {
                break game;
            }
        };
        let own = format!(r#""game":"{game}""#);
        let time = Instant::now();
        let found_game = FoundGame {
            game,
            member,
            side,
            time,
        };
        found.send(found_game).ok()?;
        // The next message with the game says that it has ended.
        while !self.receive().await?.as_ref().contains(&own) {}
        self.follow().await
    }

    /// Receives messages, and reads the standings when they have changed. Returns after an error.
    async fn follow(&mut self) -> Option<std::convert::Infallible> {
        loop {
            let text = self.receive().await?;
            let (_, rest) = text.as_ref().split_once(r#""standings_revision":"#)?;
            let revision = rest.split(',').next()?;
            let (known, time) = &self.standings;
            if known != revision && time.elapsed() >= STANDINGS_INTERVAL {
                self.standings = (revision.to_owned(), Instant::now());
                let path = format!("/api/v1/rooms/{}/standings", self.room.code);
                let request = self.client.request(Method::GET, &path, None, String::new());
                let bytes = u64::try_from(request.await?.len()).unwrap_or(0);
                self.counts
                    .standings_bytes
                    .fetch_add(bytes, Ordering::Relaxed);
            }
        }
    }
}

impl RoomPair {
    /// Plays the game to its end, or to the end of the measurement. Returns `None` after an error.
    async fn play(&mut self) -> Option<()> {
        let south = self
            .south
            .client
            .connect_to_game(&self.game, &self.south.token);
        let north = self
            .north
            .client
            .connect_to_game(&self.game, &self.north.token);
        let (mut south, mut north) = (south.await?, north.await?);
        // Their states come first. A move before them would be in them.
        south.receive().await?;
        north.receive().await?;
        self.due = Instant::now() + self.interval.mul_f64(self.random.random());
        let mut position = Position::start(6, 4, Rules::default()).expect("a start");
        for ply in 1.. {
            if position.is_over() || self.due >= self.end {
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
            other.receive_move(ply).await?;
            let latency = self.due.elapsed();
            mover.receive_move(ply).await?;
            self.moves.push(RoomMove {
                due: self.due,
                latency,
                lateness,
            });
            self.due += self.interval;
        }
        Some(())
    }
}

/// Returns the memory of a process in bytes.
fn memory_of(process: u32) -> u64 {
    let process = Pid::from_u32(process);
    let mut system = System::new().expect("a supported system");
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, what);
    system.process(process).expect("a process").memory()
}

/// Prints the latencies of moves, those at the beginning of the round, while members receive its
/// whole state, apart from the others.
fn print_moves(moves: &[RoomMove], start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    println!("  moves: {}, in {seconds:.0} s", moves.len());
    let (first, later): (Vec<&RoomMove>, Vec<_>) =
        (moves.iter()).partition(|played| played.due < start + BEGINNING);
    for (name, moves) in [("at the beginning", first), ("later", later)] {
        let latencies = moves.iter().map(|played| played.latency);
        print_times(&format!("latency of a move {name}"), latencies);
        let latenesses = moves.iter().map(|played| played.lateness);
        print_times("  lateness of the client in it", latenesses);
    }
}

fn print_times(name: &str, times: impl IntoIterator<Item = Duration>) {
    let times = SortedDurations::new(times);
    let [half, most, longest] = times.percentiles();
    println!(
        "  {name} ({}): 50 % {half:.1} ms, 99 % {most:.1} ms, longest {longest:.1} ms",
        times.count()
    );
}

#[expect(clippy::cast_precision_loss, reason = "it is printed with one digit")]
fn print_bytes(name: &str, bytes: u64) {
    println!("  {name}: {:.1} MiB", bytes as f64 / f64::from(1 << 20));
}
