//! `kalah kgp connect`: plays on a server as one of its clients.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::Duration;

use kalah::Position;
use kalah_players::{EngineFactory, escape_truncated};
use kalah_protocols::kgp::{
    Argument, Client, ClientAction, KgpBoard, Line, Message, Mode, Text, Word,
};
use kalah_server::kgp::{IncomingLine, KeepAlive, KeepAliveAction, KgpConnection};
use kalah_tables::Variant;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::search::{BackgroundSearch, SearchJob, SearchUpdate};
use crate::args::kgp::KgpConnectArgs;
use crate::args::values::seed_or_random;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning};

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
        let connected_at = Instant::now();
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
