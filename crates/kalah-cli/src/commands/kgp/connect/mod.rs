//! `kalah kgp connect`: plays on a server as one of its clients. The searches run in the background
//! and report better moves while they run.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use kalah::{House, Move, Position};
use kalah_engine::SmartPlayer;
use kalah_players::{EngineFactory, PlayerSpec, TimeLimit, escape_truncated, parse_player_name};
use kalah_protocols::kgp::{
    Argument, Client, ClientAction, KgpBoard, Line, Message, Mode, Text, Word,
};
use kalah_server::kgp::{
    IncomingLine, KeepAlive, KeepAliveAction, KgpAddress, KgpConnection, ParseKgpAddressError,
};
use kalah_tables::Variant;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::args::search::ProgramOptions;
use crate::args::values::seed_or_random;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The command plays until Ctrl-C or until the server says goodbye. It sends a move for each state at
once, and then better moves until the best move is proven or the time is over. It reconnects a lost
connection after increasing pauses of up to a minute, but only if the server has greeted it before.

Examples:
  kalah kgp connect kalah.example.org --name Lisa --token secret
  kalah kgp connect tcp://localhost:2671 --player level:5
  kalah kgp connect ws://localhost:8080/socket --verify")]
pub(super) struct KgpConnectArgs {
    /// The server: HOST, HOST:PORT, or a URL such as `tcp://localhost:2671` or
    /// `ws://localhost/socket`
    #[arg(value_name = "URL", value_parser = parse_server)]
    server: KgpAddress,
    /// The name that the server shows
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    name: Option<String>,
    /// The secret by which the server recognizes you
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Let the server test the rules instead of playing
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    program: ProgramOptions,
    /// The time of smart and level:10 for each move; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    time: TimeLimit,
}

/// The first pause before a reconnection; each further one is twice as long.
const MIN_RECONNECT_DELAY: Duration = Duration::from_secs(1);
const MAX_RECONNECT_DELAY: Duration = Duration::from_mins(1);

/// The maximum number of searches at the same time. Further states get their first legal move.
const MAX_SEARCHES: usize = 32;

/// The reason why a session has ended.
enum SessionEnd {
    /// The server said goodbye.
    Goodbye,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The connection is lost, or could not be opened.
    ConnectionLost(io::Error),
    /// The command cannot go on.
    Failed(CliError),
}

impl From<io::Error> for SessionEnd {
    fn from(error: io::Error) -> Self {
        Self::ConnectionLost(error)
    }
}

impl From<CliError> for SessionEnd {
    fn from(error: CliError) -> Self {
        Self::Failed(error)
    }
}

pub(super) fn run(arguments: &KgpConnectArgs) -> Result<(), CliError> {
    arguments.program.search.tables.check()?;
    let shutdown = interrupt::shutdown_token();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|reason| CliError::Runtime(format!("cannot start the connection: {reason}")))?;
    let result = runtime.block_on(play_on_server(arguments, &shutdown));
    // The name of the server may still be resolved.
    runtime.shutdown_background();
    result
}

/// Plays on the server, and reconnects lost connections.
async fn play_on_server(
    arguments: &KgpConnectArgs,
    shutdown: &CancellationToken,
) -> Result<(), CliError> {
    let server = &arguments.server;
    let mut delay = MIN_RECONNECT_DELAY;
    let mut was_greeted = false;
    loop {
        let connection = tokio::select! {
            connection = KgpConnection::connect(server) => connection,
            () = shutdown.cancelled() => return Ok(()),
        };
        let end = match connection {
            Ok(connection) => {
                print_stderr(&format!("connected to {server}"));
                let mut session = ServerSession::new(arguments, connection)?;
                let end = session.run(shutdown).await;
                if session.client.is_greeted() {
                    was_greeted = true;
                    delay = MIN_RECONNECT_DELAY;
                }
                session.connection.close().await;
                end
            }
            Err(error) => SessionEnd::ConnectionLost(error),
        };
        match end {
            SessionEnd::Goodbye => {
                print_stderr("the server said goodbye");
                return Ok(());
            }
            SessionEnd::Interrupted => return Ok(()),
            SessionEnd::Failed(error) => return Err(error),
            SessionEnd::ConnectionLost(error) if was_greeted => {
                print_warning(&format!("{server}: {error}; trying again in {delay:?}"));
            }
            // There may be no KGP server at this address.
            SessionEnd::ConnectionLost(error) => {
                return Err(CliError::Runtime(format!("{server}: {error}")));
            }
        }
        tokio::select! {
            () = sleep(delay) => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        delay = (delay * 2).min(MAX_RECONNECT_DELAY);
    }
}

/// A connection to the server with the searches for its states.
struct ServerSession<'a> {
    arguments: &'a KgpConnectArgs,
    connection: KgpConnection,
    client: Client,
    /// The running searches by the server's ids of their states.
    searches: BTreeMap<u64, BackgroundSearch>,
    update_sender: UnboundedSender<SearchUpdate>,
    updates: UnboundedReceiver<SearchUpdate>,
    /// Engines with the tables for the last variant.
    engines: Option<(Variant, EngineFactory)>,
    /// The number of searches that were started.
    search_count: u64,
    seed: u64,
}

impl<'a> ServerSession<'a> {
    fn new(arguments: &'a KgpConnectArgs, connection: KgpConnection) -> Result<Self, CliError> {
        let mode = if arguments.verify {
            Mode::Verify
        } else {
            Mode::Freeplay
        };
        let options = [
            ("info:name", arguments.name.as_deref()),
            ("auth:token", arguments.token.as_deref()),
        ];
        let mut introduction = Vec::new();
        for (option, value) in options {
            let option = Word::new(option)
                .ok_or_else(|| CliError::Usage(format!("{option} is not an option")))?;
            let text = value.and_then(Text::new).map(Argument::Text);
            introduction.extend(text.map(|value| Message::Set { option, value }));
        }
        let (update_sender, updates) = unbounded_channel();
        Ok(Self {
            arguments,
            connection,
            client: Client::new(mode, introduction),
            searches: BTreeMap::new(),
            update_sender,
            updates,
            engines: None,
            search_count: 0,
            seed: seed_or_random(arguments.program.seed),
        })
    }

    async fn run(&mut self, shutdown: &CancellationToken) -> SessionEnd {
        let connected_at = tokio::time::Instant::now();
        let mut keep_alive = KeepAlive::FOR_SERVER;
        loop {
            let result = tokio::select! {
                line = self.connection.receive() => match line {
                    Some(Ok(line)) => {
                        keep_alive.reset(connected_at.elapsed());
                        self.handle_line(&line).await
                    }
                    Some(Err(error)) => Err(error.into()),
                    None => Err(closed_by_server().into()),
                },
                Some(update) = self.updates.recv() => self.send_update(&update).await,
                () = sleep_until(connected_at + keep_alive.next_deadline()) => {
                    self.keep_alive(keep_alive.poll(connected_at.elapsed())).await
                }
                () = shutdown.cancelled() => {
                    // The connection is closed in any case.
                    let _ = self.connection.send(&Line::without_id(Message::Goodbye)).await;
                    Err(SessionEnd::Interrupted)
                }
            };
            if let Err(end) = result {
                return end;
            }
        }
    }

    async fn keep_alive(&mut self, action: KeepAliveAction) -> Result<(), SessionEnd> {
        match action {
            KeepAliveAction::Nothing => Ok(()),
            KeepAliveAction::Ping => Ok(self.connection.send(&self.client.ping()).await?),
            KeepAliveAction::Disconnect => {
                Err(io::Error::new(ErrorKind::TimedOut, "the server is silent").into())
            }
        }
    }

    /// Performs the actions that a line of the server requires.
    async fn handle_line(&mut self, line: &IncomingLine) -> Result<(), SessionEnd> {
        let text = match line {
            IncomingLine::Text(text) => text,
            IncomingLine::TooLong => {
                print_warning("skipped a line that is too long");
                return Ok(());
            }
            IncomingLine::Oversized => {
                let reason = "the server sends a line without end";
                return Err(io::Error::new(ErrorKind::InvalidData, reason).into());
            }
        };
        let line: Line = match text.parse() {
            Ok(line) => line,
            Err(error) => {
                print_warning(&format!("skipped a line: {error}"));
                return Ok(());
            }
        };
        for action in self.client.handle_line(&line) {
            match action {
                ClientAction::Send(line) => self.connection.send(&line).await?,
                ClientAction::Search { state, board } => self.start_search(state, &board).await?,
                ClientAction::StopSearch(state) => {
                    self.searches.remove(&state);
                }
                ClientAction::ReportError(text) => {
                    let text = escape_truncated(&text);
                    print_warning(&format!("the server reports an error: {text}"));
                }
                ClientAction::Disconnect => return Err(SessionEnd::Goodbye),
                ClientAction::UnsupportedVersion(version) => {
                    let message = format!(
                        "the server speaks KGP {}, which is not supported",
                        version.major
                    );
                    return Err(CliError::Runtime(message).into());
                }
            }
        }
        Ok(())
    }

    /// Sends the first legal move of a state, so that the server has a move in any case, and starts
    /// a search for a better one.
    async fn start_search(&mut self, state: u64, board: &KgpBoard) -> Result<(), SessionEnd> {
        let position = match board.position() {
            Ok(position) => position,
            Err(error) => {
                let board = escape_truncated(&board.to_string());
                print_warning(&format!("{board} cannot be played: {error}"));
                return self.finish_state(state).await;
            }
        };
        let (first, second) = {
            let mut houses = position.legal_houses();
            (houses.next(), houses.next())
        };
        if let Some(house) = first
            && let Some(line) = self.client.send_move(state, house)
        {
            self.connection.send(&line).await?;
        }
        if second.is_none() || self.searches.len() >= MAX_SEARCHES {
            return self.finish_state(state).await;
        }
        let engines = self.engines(&position)?;
        self.search_count += 1;
        let player = self.arguments.program.player;
        let limit = player.time_limit.unwrap_or(self.arguments.time);
        let job = SearchJob {
            state,
            search_number: self.search_count,
            position,
            player,
            seed: self.seed.wrapping_add(self.search_count),
            engines,
            limit: limit.get().min(self.arguments.time.get()),
        };
        let search = BackgroundSearch::spawn(job, self.update_sender.clone());
        self.searches.insert(state, search);
        Ok(())
    }

    /// Returns engines for the variant of a position. Tables are opened again only for another
    /// variant.
    fn engines(&mut self, position: &Position) -> Result<EngineFactory, CliError> {
        let variant = Variant::from_position(position);
        let engines = match self.engines.take() {
            Some((last_variant, engines)) if last_variant == variant => engines,
            _ => self.arguments.program.search.factory(position)?,
        };
        let (_, engines) = self.engines.insert((variant, engines));
        Ok(engines.clone())
    }

    /// Tells the server that no better move of a state follows.
    async fn finish_state(&mut self, state: u64) -> Result<(), SessionEnd> {
        if let Some(line) = self.client.send_yield(state) {
            self.connection.send(&line).await?;
        }
        Ok(())
    }

    /// Sends the report of a search, unless the search was stopped meanwhile.
    async fn send_update(&mut self, update: &SearchUpdate) -> Result<(), SessionEnd> {
        let search = self.searches.get(&update.state);
        if search.is_none_or(|search| search.search_number != update.search_number) {
            return Ok(());
        }
        let Some(house) = update.house else {
            self.searches.remove(&update.state);
            return self.finish_state(update.state).await;
        };
        if let Some(line) = self.client.send_move(update.state, house) {
            self.connection.send(&line).await?;
        }
        Ok(())
    }
}

fn closed_by_server() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")
}

/// Parses the address of a server. clap quotes the input itself.
fn parse_server(text: &str) -> Result<KgpAddress, String> {
    let expected = ParseKgpAddressError::EXPECTED_FORMAT;
    text.parse().map_err(|_| format!("expected {expected}"))
}

/// The parts of the time limit after which a search reports its best move.
const TIME_DIVISORS: [u32; 3] = [16, 4, 1];

/// The part of the memory of engines that each search gets, because several run at the same time.
const MEMORY_DIVISOR: u64 = 4;

/// A report of a search.
struct SearchUpdate {
    /// The server's id of the state.
    state: u64,
    /// The number of the search, because a server may use the id of a state again.
    search_number: u64,
    /// The best house so far, or `None` after the end of the search.
    house: Option<House>,
}

/// The parameters of a search.
struct SearchJob {
    state: u64,
    search_number: u64,
    position: Position,
    player: PlayerSpec,
    seed: u64,
    engines: EngineFactory,
    limit: Duration,
}

/// A running search, which stops when this is dropped.
struct BackgroundSearch {
    stop_flag: Arc<AtomicBool>,
    search_number: u64,
}

impl BackgroundSearch {
    /// Starts a search on a thread of its own.
    fn spawn(job: SearchJob, updates: UnboundedSender<SearchUpdate>) -> Self {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (stop, search_number) = (Arc::clone(&stop_flag), job.search_number);
        thread::spawn(move || {
            let send = |house| {
                // Without a receiver the session is over.
                let _ = updates.send(SearchUpdate {
                    state: job.state,
                    search_number,
                    house,
                });
            };
            job.run(&stop, &|house| send(Some(house)));
            send(None);
        });
        Self {
            stop_flag,
            search_number,
        }
    }
}

impl Drop for BackgroundSearch {
    fn drop(&mut self) {
        self.stop_flag.store(true, Ordering::Relaxed);
    }
}

impl SearchJob {
    fn run(&self, stop: &Arc<AtomicBool>, report: &dyn Fn(House)) {
        if self.player.uses_clock() {
            self.search(stop, report);
        } else {
            let name = self.player.default_name();
            let player = self.player.build_player(&name, self.seed, &self.engines);
            let mv = player.and_then(|mut player| player.choose_move(&self.position, self.limit));
            if let Some(Move::Sow(house)) = mv {
                report(house);
            }
        }
    }

    /// Reports better houses until the best one is proven or the time is over.
    fn search(&self, stop: &Arc<AtomicBool>, report: &dyn Fn(House)) {
        let start = Instant::now();
        let memory = self.engines.memory().bytes() / MEMORY_DIVISOR;
        let engine = (self.engines.build())
            .with_memory(usize::try_from(memory).unwrap_or(usize::MAX))
            .with_stop_flag(Arc::clone(stop));
        let mut player = SmartPlayer::with_engine("", engine, move || start.elapsed());
        let mut reported = None;
        for divisor in TIME_DIVISORS {
            let time = (self.limit / divisor).saturating_sub(start.elapsed());
            let Some(decision) = player.decide(&self.position, time) else {
                return;
            };
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if let Move::Sow(house) = decision.mv
                && reported.replace(house) != Some(house)
            {
                report(house);
            }
            if decision.is_best {
                return;
            }
        }
    }
}
