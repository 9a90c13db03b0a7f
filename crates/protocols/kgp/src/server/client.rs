//! A connected client: its session, its deadlines, the problems with which it tests its rules, and
//! the handle by which games request moves.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kalah::{House, Position, Termination};
use kalah_players::escape_truncated;
use rand::seq::IteratorRandom as _;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::connection::{
    IncomingLine, KeepAlive, KeepAliveAction, KgpConnection, TrySendLineError,
};
use crate::message::{Line, Message, Mode};
use crate::server::agent::{AgentKey, AgentProfile, TokenSalt};
use crate::server::config::{GameConfig, is_over_on_server};
use crate::session::{DisconnectReason, Session, SessionAction, StateReply};

/// The time for a client to choose a mode.
const MODE_TIMEOUT: Duration = Duration::from_secs(20);

/// The delay of `stop` after the last reply to a state; [`Session::stop`] gives the reason.
const STOP_DELAY: Duration = Duration::from_millis(500);

/// The number of requests that may wait for a client. A client plays one game at a time.
const REQUEST_QUEUE: usize = 1;

/// The reason why a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disconnect {
    /// The client sent `goodbye`.
    Goodbye,
    /// The client closed the connection, or the connection was lost.
    Closed,
    /// The client violated the protocol.
    ProtocolViolation,
    /// The client chose no mode in time.
    NoMode,
    /// The client did not answer a ping.
    PingTimeout,
    /// The client left too many lines unread.
    SlowReader,
    /// The server shut down.
    ServerShutdown,
}

impl Disconnect {
    /// Returns the termination of a game whose player disconnects for this reason.
    pub(crate) fn termination(self) -> Termination {
        match self {
            Self::Goodbye => Termination::Resign,
            Self::Closed => Termination::Crash,
            Self::ProtocolViolation | Self::NoMode => Termination::Protocol,
            Self::PingTimeout | Self::SlowReader => Termination::Stall,
            Self::ServerShutdown => Termination::Unfinished,
        }
    }
}

impl From<TrySendLineError> for Disconnect {
    fn from(error: TrySendLineError) -> Self {
        match error {
            TrySendLineError::QueueFull => Self::SlowReader,
            TrySendLineError::Closed => Self::Closed,
        }
    }
}

/// A clause with its subject, such as "the client sent goodbye".
impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Goodbye => "the client sent goodbye",
            Self::Closed => "the client closed the connection",
            Self::ProtocolViolation => "the client violated the protocol",
            Self::NoMode => "the client sent no mode",
            Self::PingTimeout => "the client did not answer a ping",
            Self::SlowReader => "the client did not read its lines",
            Self::ServerShutdown => "the server shut down",
        })
    }
}

/// A client that plays, as the matchmaker and games see it.
#[derive(Clone, Debug)]
pub(crate) struct ClientHandle {
    identity: Arc<ClientIdentity>,
    requests: mpsc::Sender<StateRequest>,
}

/// The identity of a client that plays.
#[derive(Debug)]
struct ClientIdentity {
    number: u64,
    /// The name of the client, or its number if it has set no name.
    name: String,
    profile: AgentProfile,
    /// Set when the connection has ended.
    disconnect: OnceLock<Disconnect>,
}

/// A request for a move in a position.
#[derive(Debug)]
struct StateRequest {
    game: GameInfo,
    position: Position,
    reply: oneshot::Sender<ClientReply>,
}

/// The number of a game and the opponent in it, which the client receives.
#[derive(Clone, Debug)]
pub(crate) struct GameInfo {
    pub(crate) number: u64,
    pub(crate) opponent: String,
}

/// The result of a request for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientReply {
    /// The last reply names this house.
    House(House),
    /// The last reply names no house of any board.
    InvalidHouse,
    /// No reply came in time.
    Timeout,
    /// The connection has ended.
    Disconnected(Disconnect),
}

impl ClientIdentity {
    fn new(number: u64, session: &Session, salt: TokenSalt) -> Self {
        let shown_name = session.name().map(escape_truncated);
        let key = match (session.token(), shown_name) {
            (Some(token), _) => AgentKey::Token(salt.hash(token)),
            (None, Some(name)) => AgentKey::Name(name),
            (None, None) => AgentKey::Client(number),
        };
        let name = (session.name()).map_or_else(|| format!("Client {number}"), str::to_owned);
        Self {
            number,
            profile: AgentProfile::new(key, &name, session.authors(), session.description()),
            name,
            disconnect: OnceLock::new(),
        }
    }
}

impl ClientHandle {
    /// Returns the name of the client, or its number if it has set no name.
    pub(crate) fn name(&self) -> &str {
        &self.identity.name
    }

    /// Returns the agent, by whose key games are added up.
    pub(crate) fn profile(&self) -> &AgentProfile {
        &self.identity.profile
    }

    /// Returns whether two clients may play each other: not if they have the same token.
    pub(crate) fn can_be_paired_with(&self, other: &Self) -> bool {
        let (key, other_key) = (&self.profile().key, &other.profile().key);
        !matches!(key, AgentKey::Token(_)) || key != other_key
    }

    pub(crate) fn is_same_client(&self, other: &Self) -> bool {
        self.identity.number == other.identity.number
    }

    pub(crate) fn is_connected(&self) -> bool {
        !self.requests.is_closed()
    }

    /// Requests a move. Returns after the time for a state at the latest.
    pub(crate) async fn request_move(&self, game: GameInfo, position: &Position) -> ClientReply {
        let (reply, reply_receiver) = oneshot::channel();
        let request = StateRequest {
            game,
            position: position.clone(),
            reply,
        };
        if self.requests.send(request).await.is_ok()
            && let Ok(reply) = reply_receiver.await
        {
            return reply;
        }
        let reason = self.identity.disconnect.get().copied();
        ClientReply::Disconnected(reason.unwrap_or(Disconnect::Closed))
    }
}

/// A state that waits for its reply.
struct PendingState {
    deadline: Instant,
    position: Position,
    reply: oneshot::Sender<ClientReply>,
}

/// The reason why no more replies to a state are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FinishReason {
    /// The client has sent `yield`.
    Yield,
    /// The time is over.
    Timeout,
}

/// A connection to a client with the state of its session.
struct ClientSession {
    number: u64,
    config: Arc<GameConfig>,
    new_clients: mpsc::Sender<ClientHandle>,
    session: Session,
    connection: KgpConnection,
    connected_at: Instant,
    keep_alive: KeepAlive,
    pending: BTreeMap<u64, PendingState>,
    /// States with a final reply, and the times at which their `stop` is due.
    awaiting_stop: VecDeque<(Instant, u64)>,
    /// Set when the client starts to play.
    identity: Option<Arc<ClientIdentity>>,
    requests: Option<mpsc::Receiver<StateRequest>>,
    rng: Pcg64Mcg,
    correct_solutions: u64,
    solutions: u64,
}

/// Serves a client until its connection ends or `shutdown` is cancelled.
pub(crate) async fn serve_client(
    connection: KgpConnection,
    number: u64,
    config: Arc<GameConfig>,
    new_clients: mpsc::Sender<ClientHandle>,
    shutdown: CancellationToken,
) {
    let mut client = ClientSession {
        number,
        session: Session::new(config.only_mode.clone()),
        rng: Pcg64Mcg::seed_from_u64(config.seed.wrapping_add(number)),
        config,
        new_clients,
        connection,
        connected_at: Instant::now(),
        keep_alive: KeepAlive::FOR_CLIENT,
        pending: BTreeMap::new(),
        awaiting_stop: VecDeque::new(),
        identity: None,
        requests: None,
        correct_solutions: 0,
        solutions: 0,
    };
    let Err(reason) = client.run(&shutdown).await;
    client.disconnect(reason).await;
}

impl ClientSession {
    async fn run(&mut self, shutdown: &CancellationToken) -> Result<Infallible, Disconnect> {
        let greeting = self.session.greet();
        self.send(&greeting)?;
        loop {
            let deadline = self.next_deadline();
            tokio::select! {
                line = self.connection.receive() => match line {
                    Some(Ok(line)) => self.handle_line(&line).await?,
                    Some(Err(_)) | None => return Err(Disconnect::Closed),
                },
                request = next_request(&mut self.requests) => self.send_state(request)?,
                () = sleep_until(deadline) => self.check_deadlines()?,
                () = shutdown.cancelled() => return Err(Disconnect::ServerShutdown),
            }
        }
    }

    /// Returns the time of the next action if the client sends nothing.
    fn next_deadline(&self) -> Instant {
        let keep_alive = self.connected_at + self.keep_alive.next_deadline();
        let mode = self
            .session
            .mode()
            .is_none()
            .then_some(self.connected_at + MODE_TIMEOUT);
        let states = self.pending.values().map(|state| state.deadline);
        let stop = self.awaiting_stop.front().map(|(time, _)| *time);
        states
            .chain(mode)
            .chain(stop)
            .fold(keep_alive, Instant::min)
    }

    async fn handle_line(&mut self, line: &IncomingLine) -> Result<(), Disconnect> {
        self.keep_alive.reset(self.connected_at.elapsed());
        let actions = match line {
            IncomingLine::Text(text) => self.session.handle_line(text),
            IncomingLine::TooLong => self.session.handle_overlong_line(),
            IncomingLine::Oversized => {
                let mut actions = self.session.handle_overlong_line();
                actions.push(SessionAction::Disconnect(DisconnectReason::Protocol));
                actions
            }
        };
        for action in actions {
            self.perform(action).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, action: SessionAction) -> Result<(), Disconnect> {
        match action {
            SessionAction::Send(line) => self.send(&line),
            SessionAction::Start(mode) => self.start_mode(&mode).await,
            SessionAction::FinishState(state) => {
                self.finish_state(state, FinishReason::Yield);
                self.awaiting_stop
                    .push_back((Instant::now() + STOP_DELAY, state));
                Ok(())
            }
            SessionAction::ProblemAnswered { correct } => {
                self.correct_solutions += u64::from(correct);
                self.solutions += 1;
                self.send_problem()
            }
            SessionAction::ReportError(text) => {
                let text = escape_truncated(&text);
                tracing::info!(client = self.number, "the client reported an error: {text}");
                Ok(())
            }
            SessionAction::Disconnect(DisconnectReason::Goodbye) => Err(Disconnect::Goodbye),
            SessionAction::Disconnect(DisconnectReason::Protocol) => {
                Err(Disconnect::ProtocolViolation)
            }
        }
    }

    async fn start_mode(&mut self, mode: &Mode) -> Result<(), Disconnect> {
        let number = self.number;
        let name = self.session.name().map(escape_truncated);
        let name = name.map_or_else(|| ", unnamed".to_owned(), |name| format!(": {name}"));
        if *mode == Mode::Verify {
            tracing::info!(client = number, "verifies the rules{name}");
            return self.send_problem();
        }
        tracing::info!(client = number, "plays{name}");
        let (request_sender, requests) = mpsc::channel(REQUEST_QUEUE);
        let salt = self.config.token_salt;
        let identity = Arc::new(ClientIdentity::new(number, &self.session, salt));
        if let Some(scoreboard) = &self.config.scoreboard {
            scoreboard.connect(&identity.profile);
        }
        self.identity = Some(Arc::clone(&identity));
        self.requests = Some(requests);
        let handle = ClientHandle {
            identity,
            requests: request_sender,
        };
        // Without a matchmaker the server is about to end.
        let sent = self.new_clients.send(handle).await;
        sent.map_err(|_| Disconnect::ServerShutdown)
    }

    /// Sends a random problem, if there is one from the start of this server.
    fn send_problem(&mut self) -> Result<(), Disconnect> {
        match random_problem(&self.config.start, &mut self.rng) {
            Some((position, house)) => {
                let line = self.session.send_problem(&position, house);
                self.send(&line)
            }
            None => Ok(()),
        }
    }

    fn send_state(&mut self, request: StateRequest) -> Result<(), Disconnect> {
        let StateRequest {
            game,
            position,
            reply,
        } = request;
        for line in self.session.announce_game(game.number, &game.opponent) {
            self.send(&line)?;
        }
        let (state, line) = self.session.request_move(&position);
        let pending = PendingState {
            deadline: Instant::now() + self.config.move_time,
            position,
            reply,
        };
        self.pending.insert(state, pending);
        self.send(&line)
    }

    /// Passes the last reply to a state to the game. For a client that yields without a move, this
    /// draws one, as FAU's server does: at least one existing client yields too early if its search
    /// ends before its bookkeeping.
    fn finish_state(&mut self, state: u64, reason: FinishReason) {
        if let Some(reply) = self.session.take_reply(state)
            && let Some(pending) = self.pending.remove(&state)
        {
            let reply = match (reply, reason) {
                (StateReply::House(house), _) => ClientReply::House(house),
                (StateReply::InvalidHouse, _) => ClientReply::InvalidHouse,
                (StateReply::Unanswered, FinishReason::Yield) => {
                    let house = random_house(&pending.position, &mut self.rng);
                    house.map_or(ClientReply::Timeout, ClientReply::House)
                }
                (StateReply::Unanswered, FinishReason::Timeout) => ClientReply::Timeout,
            };
            // The game may be over.
            let _ = pending.reply.send(reply);
        }
    }

    /// Tells the client that replies to a state are ignored from now on.
    fn send_stop(&mut self, state: u64) -> Result<(), Disconnect> {
        let line = self.session.stop(state);
        self.send(&line)
    }

    /// Performs the actions that are due.
    fn check_deadlines(&mut self) -> Result<(), Disconnect> {
        let now = Instant::now();
        let pending = self.pending.iter();
        let expired = pending.filter(|(_, pending)| pending.deadline <= now);
        let expired: Vec<u64> = expired.map(|(&state, _)| state).collect();
        for state in expired {
            self.finish_state(state, FinishReason::Timeout);
            self.send_stop(state)?;
        }
        while let Some((_, state)) = self.awaiting_stop.pop_front_if(|(time, _)| *time <= now) {
            self.send_stop(state)?;
        }
        let time = now - self.connected_at;
        if self.session.mode().is_none() && time >= MODE_TIMEOUT {
            let line = self.session.send_error("no mode was requested");
            self.send(&line)?;
            return Err(Disconnect::NoMode);
        }
        match self.keep_alive.poll(time) {
            KeepAliveAction::Nothing => Ok(()),
            KeepAliveAction::Ping => {
                let line = self.session.ping();
                self.send(&line)
            }
            KeepAliveAction::Disconnect => {
                let line = self.session.send_error("the ping was not answered");
                self.send(&line)?;
                Err(Disconnect::PingTimeout)
            }
        }
    }

    /// Sends a line. The server never waits for a client to read: a client that does not read is
    /// disconnected.
    fn send(&self, line: &Line) -> Result<(), Disconnect> {
        Ok(self.connection.try_send(line)?)
    }

    /// Sends `stop` for all states and `goodbye`, and closes the connection. Games learn the reason
    /// as soon as the receiver of requests is dropped.
    async fn disconnect(mut self, reason: Disconnect) {
        if let Some(identity) = &self.identity {
            // A connection ends only once.
            let _ = identity.disconnect.set(reason);
            if let Some(scoreboard) = &self.config.scoreboard {
                scoreboard.disconnect(&identity.profile.key);
            }
        }
        let awaiting_stop = std::mem::take(&mut self.awaiting_stop).into_iter();
        let pending = std::mem::take(&mut self.pending).into_keys();
        let states: Vec<u64> = awaiting_stop
            .map(|(_, state)| state)
            .chain(pending)
            .collect();
        for state in states {
            // The connection may be closed already.
            let _ = self.send_stop(state);
        }
        let _ = self.send(&Line::without_id(Message::Goodbye));
        drop(self.requests.take());
        let score = match self.solutions {
            0 => String::new(),
            total => format!("; {} of {total} problems solved", self.correct_solutions),
        };
        tracing::info!(client = self.number, "disconnected: {reason}{score}");
        self.connection.close().await;
    }
}

/// Waits for the next request; forever, if the client does not play.
async fn next_request(requests: &mut Option<mpsc::Receiver<StateRequest>>) -> StateRequest {
    if let Some(receiver) = requests {
        match receiver.recv().await {
            Some(request) => return request,
            // No game uses this client any more.
            None => *requests = None,
        }
    }
    std::future::pending().await
}

/// The maximum number of plies before a problem, fewer than most games have.
const MAX_PROBLEM_PLIES: usize = 30;

/// The number of attempts after which a start is one from which nearly every sowing ends the game.
const MAX_PROBLEM_ATTEMPTS: usize = 100;

/// Returns a problem for a client that tests its implementation of the rules: a random position and
/// a house to sow in it, or `None` if none is found. The sowing does not end the game, because
/// programs sweep the rest of a finished game differently.
fn random_problem(start: &Position, rng: &mut impl Rng) -> Option<(Position, House)> {
    for _ in 0..MAX_PROBLEM_ATTEMPTS {
        let mut position = start.clone();
        for _ in 0..rng.random_range(0..MAX_PROBLEM_PLIES) {
            match random_sowing(&position, rng) {
                Some((_, after)) => position = after,
                None => break,
            }
        }
        if let Some((house, _)) = random_sowing(&position, rng) {
            return Some((position, house));
        }
    }
    None
}

/// Returns a random house and the position after its sowing, or `None` if the sowing ends the game.
fn random_sowing(position: &Position, rng: &mut impl Rng) -> Option<(House, Position)> {
    let house = random_house(position, rng)?;
    let mut after = position.clone();
    after.sow(house).ok()?;
    (!is_over_on_server(&after)).then_some((house, after))
}

/// Returns a random legal house, or `None` if the game is over.
fn random_house(position: &Position, rng: &mut impl Rng) -> Option<House> {
    position.legal_houses().choose(rng)
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    #[test]
    fn no_problem_ends_the_game() {
        let start = Position::start(3, 2, Rules::STANDARD).expect("a start");
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for _ in 0..100 {
            let (mut position, house) = random_problem(&start, &mut rng).expect("a problem");
            position.sow(house).expect("a legal house");
            assert!(!is_over_on_server(&position));
        }
        let last_move = "<2,0,0,0,1,1,0> s"
            .parse::<kalah::Setup>()
            .expect("a setup");
        let start = last_move.position(Rules::STANDARD).expect("a position");
        assert!(random_problem(&start, &mut rng).is_none());
    }
}
