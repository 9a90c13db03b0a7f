//! A connection of a client: its lines, its searches and its deadlines.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::Duration;

use kalah::{Position, TimeLimit, Variant};
use kalah_players::{EngineFactory, escape_truncated};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::client::error::ClientError;
use crate::client::report::ClientReport;
use crate::client::search::{BackgroundSearch, SearchJob, SearchPool, SearchUpdate};
use crate::client::settings::ClientSettings;
use crate::connection::{IncomingLine, KeepAlive, KeepAliveAction, KgpConnection};
use crate::message::{KgpBoard, Line, Message, Text};
use crate::session::{Client, ClientAction};

/// The factor of the idle limit while the opponent in a game is to move: it may think for long, or
/// may have left.
const UNFINISHED_GAME_FACTOR: u32 = 5;

/// The comment on a forced move.
const ONLY_MOVE_COMMENT: &str = "the only legal move";

/// The reason why a session has ended.
pub(super) enum SessionEnd {
    /// The server said goodbye.
    Goodbye,
    /// The shutdown was requested.
    Interrupted,
    /// No line about a game or a problem has come for this time, which follows from the idle limit.
    Idle(Duration),
    /// The connection is lost, or could not be opened.
    ConnectionLost(io::Error),
    /// The client cannot go on.
    Failed(ClientError),
}

impl From<io::Error> for SessionEnd {
    fn from(error: io::Error) -> Self {
        Self::ConnectionLost(error)
    }
}

impl From<ClientError> for SessionEnd {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

/// A connection to the server with the searches for its states. All times are durations since its
/// start.
pub(super) struct ServerSession<'a, 'output> {
    settings: &'a ClientSettings<'a>,
    connection: KgpConnection,
    connected_at: Instant,
    client: Client,
    report: &'a mut ClientReport<'output>,
    /// The timer of pings; `None` if the server does not know them.
    keep_alive: Option<KeepAlive>,
    /// The time of the last line about a game or a problem.
    active_at: Duration,
    /// The factor of the idle limit since then: 1, or [`UNFINISHED_GAME_FACTOR`].
    idle_factor: u32,
    /// Whether the server has sent such a line.
    has_played: bool,
    /// The threads and the memory of the searches of all connections.
    search_pool: &'a SearchPool,
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

impl<'a, 'output> ServerSession<'a, 'output> {
    pub(super) fn new(
        settings: &'a ClientSettings<'a>,
        connection: KgpConnection,
        report: &'a mut ClientReport<'output>,
        search_pool: &'a SearchPool,
    ) -> Self {
        let (update_sender, updates) = unbounded_channel();
        Self {
            settings,
            connection,
            connected_at: Instant::now(),
            client: Client::new(settings.mode.clone(), settings.introduction.messages()),
            report,
            keep_alive: Some(KeepAlive::FOR_SERVER),
            active_at: Duration::ZERO,
            idle_factor: 1,
            has_played: false,
            search_pool,
            searches: BTreeMap::new(),
            update_sender,
            updates,
            engines: None,
            search_count: 0,
            seed: (settings.seed)(),
        }
    }

    /// Returns whether the server has sent a supported version of the protocol.
    pub(super) fn is_greeted(&self) -> bool {
        self.client.is_greeted()
    }

    /// Returns whether the server has sent a line about a game or a problem.
    pub(super) fn has_played(&self) -> bool {
        self.has_played
    }

    /// Serves the connection to its end.
    pub(super) async fn run(&mut self, shutdown: &CancellationToken) -> SessionEnd {
        loop {
            let deadline = self.connected_at + self.next_deadline();
            let result = tokio::select! {
                line = self.connection.receive() => match line {
                    Some(Ok(line)) => self.handle_line(&line).await,
                    Some(Err(error)) => Err(error.into()),
                    None => Err(closed_by_server().into()),
                },
                Some(update) = self.updates.recv() => {
                    self.handle_update(update);
                    self.send_due_lines().await
                }
                () = sleep_until(deadline) => self.check_deadlines().await,
                () = shutdown.cancelled() => {
                    // After a failure the session ends, too.
                    let _ = self.send(&Line::without_id(Message::Goodbye)).await;
                    Err(SessionEnd::Interrupted)
                }
            };
            if let Err(end) = result {
                return end;
            }
        }
    }

    /// Reports the games that have no end yet, and closes the connection.
    pub(super) async fn close(self, end: &SessionEnd) -> Result<(), ClientError> {
        match end {
            SessionEnd::Interrupted => self.report.interrupt_session()?,
            SessionEnd::Idle(_) | SessionEnd::Goodbye => {
                // The games in which the opponent was to move are over.
                self.report.end_waiting_games()?;
                self.report.finish_session()?;
            }
            // The opponent may still have been to move.
            SessionEnd::ConnectionLost(_) | SessionEnd::Failed(_) => {
                self.report.finish_session()?;
            }
        }
        self.connection.close().await;
        Ok(())
    }

    fn now(&self) -> Duration {
        self.connected_at.elapsed()
    }

    fn note_activity(&mut self) {
        self.active_at = self.now();
        self.idle_factor = 1;
    }

    /// Returns the time of the next action if neither the server nor a search sends anything.
    fn next_deadline(&self) -> Duration {
        let keep_alive = self.keep_alive.as_ref().map(KeepAlive::next_deadline);
        let deadlines = [
            self.client.next_deadline(),
            keep_alive,
            self.idle_deadline(),
        ];
        let next = deadlines.into_iter().flatten().min();
        // An hour later the session looks again.
        next.unwrap_or_else(|| self.now() + Duration::from_hours(1))
    }

    /// Returns the time without a game after which the session is idle; `None` while the server
    /// waits for a move, and while its answer to a ping shows whether it still runs.
    fn idle_limit(&self) -> Option<Duration> {
        let is_pinged = self
            .keep_alive
            .as_ref()
            .is_some_and(KeepAlive::is_ping_sent);
        let is_idle = !is_pinged && !self.client.has_open_states();
        let limit = self.settings.idle_limit.filter(|_| is_idle)?;
        Some(limit * self.idle_factor)
    }

    /// Returns the time at which the session is idle, if nothing comes until then.
    fn idle_deadline(&self) -> Option<Duration> {
        Some(self.active_at + self.idle_limit()?)
    }

    async fn check_deadlines(&mut self) -> Result<(), SessionEnd> {
        self.send_due_lines().await?;
        let now = self.now();
        let action = self.keep_alive.as_mut().map(|timer| timer.poll(now));
        match action.unwrap_or(KeepAliveAction::Nothing) {
            KeepAliveAction::Nothing => {}
            KeepAliveAction::Ping => {
                let ping = self.client.ping();
                return self.send(&ping).await;
            }
            KeepAliveAction::Disconnect => {
                return Err(io::Error::new(ErrorKind::TimedOut, "the server is silent").into());
            }
        }
        let Some(limit) = self
            .idle_limit()
            .filter(|limit| self.active_at + *limit <= now)
        else {
            return Ok(());
        };
        if self.idle_factor == 1 && self.report.has_unfinished_game() {
            self.idle_factor = UNFINISHED_GAME_FACTOR;
            return Ok(());
        }
        // After a failure the session ends, too.
        let _ = self.send(&Line::without_id(Message::Goodbye)).await;
        Err(SessionEnd::Idle(limit))
    }

    async fn send(&mut self, line: &Line) -> Result<(), SessionEnd> {
        self.report.handle_sent(line)?;
        Ok(self.connection.send(line).await?)
    }

    /// Sends the answers to states whose time has come.
    async fn send_due_lines(&mut self) -> Result<(), SessionEnd> {
        for line in self.client.take_due_lines(self.now()) {
            self.note_activity();
            self.send(&line).await?;
        }
        Ok(())
    }

    /// Performs the actions that a line of the server requires.
    async fn handle_line(&mut self, line: &IncomingLine) -> Result<(), SessionEnd> {
        let now = self.now();
        if let Some(timer) = &mut self.keep_alive {
            timer.reset(now);
        }
        let text = match line {
            IncomingLine::Text(text) => text,
            IncomingLine::TooLong => {
                self.report.warn("skipped a line that is too long");
                self.report.log_skipped()?;
                return Ok(());
            }
            IncomingLine::Oversized => {
                self.report.log_skipped()?;
                let reason = "the server sends a line without end";
                return Err(io::Error::new(ErrorKind::InvalidData, reason).into());
            }
        };
        self.report.log_received(text)?;
        let line: Line = match text.parse() {
            Ok(line) => line,
            Err(error) => {
                self.report.warn(&format!("skipped a line: {error}"));
                return Ok(());
            }
        };
        if let Message::State(_) | Message::Stop | Message::Problem { .. } = line.message {
            self.note_activity();
            self.has_played = true;
        }
        self.report.handle_received(&line)?;
        for action in self.client.handle_line(&line, now) {
            self.perform(action).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, action: ClientAction) -> Result<(), SessionEnd> {
        match action {
            ClientAction::Send(line) => self.send(&line).await,
            ClientAction::Search { state, board } => Ok(self.start_search(state, &board)?),
            ClientAction::StopSearch(state) => {
                self.searches.remove(&state);
                Ok(())
            }
            ClientAction::StopPinging => {
                self.keep_alive = None;
                Ok(())
            }
            ClientAction::ReportError(text) => {
                let text = escape_truncated(&text);
                self.report
                    .warn(&format!("the server reports an error: {text}"));
                Ok(())
            }
            ClientAction::Disconnect => Err(SessionEnd::Goodbye),
            ClientAction::UnsupportedVersion(version) => {
                let major = version.major;
                Err(ClientError::UnsupportedVersion { major }.into())
            }
        }
    }

    /// Sets the first legal move of a state, so that the server has a move in any case, and starts
    /// a search for a better one.
    fn start_search(&mut self, state: u64, board: &KgpBoard) -> Result<(), ClientError> {
        let position = match board.position() {
            Ok(position) => position,
            Err(error) => {
                let board = escape_truncated(&board.to_string());
                self.report
                    .warn(&format!("{board} cannot be played: {error}"));
                self.client.finish(state);
                return Ok(());
            }
        };
        let (first, is_forced) = {
            let mut houses = position.legal_houses();
            (houses.next(), houses.next().is_none())
        };
        if let Some(house) = first {
            let comment = Text::new(ONLY_MOVE_COMMENT).filter(|_| is_forced);
            self.client.set_move(state, house, comment);
        }
        if is_forced {
            self.client.finish(state);
            return Ok(());
        }
        let engines = self.engines(&position)?;
        let player = self.settings.player;
        let Some(slot) = self.search_pool.take_slot(player, engines.memory()) else {
            self.client.finish(state);
            return Ok(());
        };
        self.search_count += 1;
        let move_time = self.settings.move_time;
        let own_time = player.time_limit.map(TimeLimit::get);
        let job = SearchJob {
            state,
            search_number: self.search_count,
            position,
            player,
            seed: self.seed.wrapping_add(self.search_count),
            engines,
            slot,
            limit: own_time.map_or(move_time, |own| own.min(move_time)),
        };
        match BackgroundSearch::spawn(job, self.update_sender.clone()) {
            Ok(search) => {
                self.searches.insert(state, search);
            }
            Err(error) => {
                self.report
                    .warn(&format!("cannot start the thread of a search: {error}"));
                self.client.finish(state);
            }
        }
        Ok(())
    }

    /// Returns engines for the variant of a position. Tables are opened again only for another
    /// variant.
    fn engines(&mut self, position: &Position) -> Result<EngineFactory, ClientError> {
        let variant = Variant::from_position(position);
        let engines = match self.engines.take() {
            Some((last_variant, engines)) if last_variant == variant => engines,
            _ => (self.settings.engines)(position).map_err(ClientError::Engines)?,
        };
        let (_, engines) = self.engines.insert((variant, engines));
        Ok(engines.clone())
    }

    /// Handles the report of a search, unless the search was stopped meanwhile.
    fn handle_update(&mut self, update: SearchUpdate) {
        let search = self.searches.get(&update.state);
        if search.is_none_or(|search| search.search_number != update.search_number) {
            return;
        }
        if let Some(best) = update.best {
            self.client.set_move(update.state, best.house, best.comment);
        } else {
            self.searches.remove(&update.state);
            self.client.finish(update.state);
        }
    }
}

fn closed_by_server() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")
}
