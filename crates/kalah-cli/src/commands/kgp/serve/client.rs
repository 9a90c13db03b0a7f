use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kalah::{House, Position};
use kalah_players::escape_truncated;
use kalah_protocols::kgp::{self, Line, Message, Mode, Session, SessionAction, StateReply};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::super::print_stderr;
use super::super::incoming::IncomingLine;
use super::super::silence::{KeepAlive, KeepAliveAction};
use super::allowance::LineRateLimit;
use super::leaving::Disconnect;
use super::lots::Rng;
use super::problem;
use super::table::GameConfig;
use super::transport::ClientTransport;

/// A client that has come to play, as games see it.
#[derive(Clone, Debug)]
pub(super) struct ClientHandle {
    identity: Arc<ClientIdentity>,
    requests: mpsc::Sender<StateRequest>,
}

/// Who a client is.
#[derive(Debug)]
struct ClientIdentity {
    number: u64,
    name: Option<String>,
    token: Option<String>,
    /// Why it has left, once it has.
    disconnect: OnceLock<Disconnect>,
}

/// A position that a client is asked about.
#[derive(Debug)]
struct StateRequest {
    position: Position,
    reply: oneshot::Sender<ClientReply>,
}

/// What comes of asking a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientReply {
    House(House),
    /// Its last answer names no house of any board.
    InvalidHouse,
    /// It has said nothing in time.
    Timeout,
    Disconnected(Disconnect),
}

impl ClientHandle {
    /// What it calls itself, or else its number.
    pub(super) fn name(&self) -> String {
        let number = self.identity.number;
        (self.identity.name.clone()).unwrap_or_else(|| format!("Client {number}"))
    }

    /// Whether two clients may be of different people: the same ones do not play each other.
    pub(super) fn can_be_paired_with(&self, other: &Self) -> bool {
        self.identity.token.is_none() || self.identity.token != other.identity.token
    }

    pub(super) fn is_same_client(&self, other: &Self) -> bool {
        self.identity.number == other.identity.number
    }

    pub(super) fn is_connected(&self) -> bool {
        !self.requests.is_closed()
    }

    /// Asks for a house; there is an answer when the time is over at the latest.
    pub(super) async fn request_move(&self, position: &Position) -> ClientReply {
        let (answer, answered) = oneshot::channel();
        let question = StateRequest {
            position: position.clone(),
            reply: answer,
        };
        let answered = match self.requests.send(question).await {
            Ok(()) => answered.await.ok(),
            Err(_) => None,
        };
        let gone = || {
            ClientReply::Disconnected(
                self.identity
                    .disconnect
                    .get()
                    .copied()
                    .unwrap_or(Disconnect::HungUp),
            )
        };
        answered.unwrap_or_else(gone)
    }
}

/// A state that waits for its answer.
struct PendingState {
    deadline: Instant,
    position: Position,
    reply: oneshot::Sender<ClientReply>,
}

/// Why there is no more to be heard about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FinishReason {
    /// The client has said so.
    Yield,
    /// The time is over.
    Timeout,
}

/// A connection, and what is going on on it.
struct ClientConnection {
    number: u64,
    config: Arc<GameConfig>,
    new_clients: mpsc::Sender<ClientHandle>,
    session: Session,
    outgoing: mpsc::Sender<String>,
    connected_at: Instant,
    keep_alive: KeepAlive,
    rate_limit: LineRateLimit,
    pending: BTreeMap<u64, PendingState>,
    /// States that are answered, and when that is confirmed by a stop.
    awaiting_stop: VecDeque<(Instant, u64)>,
    /// Set once the client plays.
    identity: Option<Arc<ClientIdentity>>,
    requests: Option<mpsc::Receiver<StateRequest>>,
    rng: Rng,
    /// Problems solved rightly, and solved.
    quiz_score: (u64, u64),
}

/// The time that a client has to say what it has come for.
const MODE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long after its last word on a state a client is told to stop: see [`Session::stop`].
const STOP_DELAY: Duration = Duration::from_millis(500);

/// Questions that wait to be asked: a client plays one game at a time.
const REQUEST_QUEUE: usize = 1;

/// Attends to a client from its first line to its last.
pub(super) async fn serve_client(
    mut transport: ClientTransport,
    number: u64,
    address: SocketAddr,
    table: Arc<GameConfig>,
    guests: mpsc::Sender<ClientHandle>,
    closing: CancellationToken,
) {
    print_stderr(&format!("client {number} has come from {address}"));
    let mut client = ClientConnection {
        number,
        session: Session::new(table.only_mode.clone()),
        config: table,
        new_clients: guests,
        outgoing: transport.outgoing.clone(),
        connected_at: Instant::now(),
        keep_alive: KeepAlive::FOR_CLIENT,
        rate_limit: LineRateLimit::UNUSED,
        pending: BTreeMap::new(),
        awaiting_stop: VecDeque::new(),
        identity: None,
        requests: None,
        rng: Rng::default(),
        quiz_score: (0, 0),
    };
    let leaving = match client.run(&mut transport.incoming, &closing).await {
        Ok(never) => match never {},
        Err(leaving) => leaving,
    };
    client.disconnect(leaving);
    drop(client);
    transport.close().await;
}

/// What there is no value of: attending to a client ends by its leaving only.
enum Unreachable {}

impl ClientConnection {
    async fn run(
        &mut self,
        heard: &mut mpsc::Receiver<IncomingLine>,
        closing: &CancellationToken,
    ) -> Result<Unreachable, Disconnect> {
        let greeting = self.session.greet();
        self.send(&greeting)?;
        loop {
            let later = self.rate_limit.retry_at(self.connected_at.elapsed());
            let wake = self.next_deadline(later);
            tokio::select! {
                heard = heard.recv(), if later.is_none() => {
                    let heard = heard.ok_or(Disconnect::HungUp)?;
                    self.handle_line(&heard).await?;
                }
                question = next_request(&mut self.requests) => self.send_state(question)?,
                () = sleep_until(wake) => self.check_deadlines()?,
                () = closing.cancelled() => return Err(Disconnect::ServerShutdown),
            }
        }
    }

    /// When there is something to do at the latest.
    fn next_deadline(&self, later: Option<Duration>) -> Instant {
        let mode = self.session.mode().is_none().then_some(MODE_TIMEOUT);
        let times = [Some(self.keep_alive.next_deadline()), later, mode];
        let times = times
            .into_iter()
            .flatten()
            .map(|time| self.connected_at + time);
        let ends = self.pending.values().map(|open| open.deadline);
        let settled = self.awaiting_stop.front().map(|(time, _)| *time);
        times
            .chain(ends)
            .chain(settled)
            .min()
            .unwrap_or(self.connected_at)
    }

    async fn handle_line(&mut self, heard: &IncomingLine) -> Result<(), Disconnect> {
        let now = self.connected_at.elapsed();
        self.keep_alive.reset(now);
        self.rate_limit.charge(now);
        let deeds = match heard {
            IncomingLine::Line(line) => self.session.handle_line(line),
            IncomingLine::TooLong => self.session.handle_overlong_line(),
            IncomingLine::FrameTooLong => {
                let mut deeds = self.session.handle_overlong_line();
                deeds.push(SessionAction::Disconnect(kgp::DisconnectReason::Protocol));
                deeds
            }
        };
        for deed in deeds {
            match deed {
                SessionAction::Send(line) => self.send(&line)?,
                SessionAction::Start(mode) => self.start_mode(&mode).await?,
                SessionAction::FinishState(state) => {
                    self.finish_state(state, FinishReason::Yield);
                    self.awaiting_stop
                        .push_back((Instant::now() + STOP_DELAY, state));
                }
                SessionAction::ProblemAnswered { correct: rightly } => {
                    self.quiz_score.0 += u64::from(rightly);
                    self.quiz_score.1 += 1;
                    self.send_problem()?;
                }
                SessionAction::ReportError(text) => {
                    let number = self.number;
                    print_stderr(&format!(
                        "client {number} complains: {}",
                        escape_truncated(&text)
                    ));
                }
                SessionAction::Disconnect(kgp::DisconnectReason::Goodbye) => {
                    return Err(Disconnect::Goodbye);
                }
                SessionAction::Disconnect(kgp::DisconnectReason::Protocol) => {
                    return Err(Disconnect::ProtocolViolation);
                }
            }
        }
        Ok(())
    }

    async fn start_mode(&mut self, mode: &Mode) -> Result<(), Disconnect> {
        let number = self.number;
        let name = self.session.name().map(escape_truncated);
        let known = name.as_deref().unwrap_or("nameless");
        if *mode == Mode::Verify {
            print_stderr(&format!(
                "client {number}, {known}, is asked about the rules"
            ));
            return self.send_problem();
        }
        print_stderr(&format!("client {number}, {known}, plays"));
        let (questions, asked) = mpsc::channel(REQUEST_QUEUE);
        let who = Arc::new(ClientIdentity {
            number,
            name: self.session.name().map(str::to_owned),
            token: self.session.token().map(str::to_owned),
            disconnect: OnceLock::new(),
        });
        self.identity = Some(Arc::clone(&who));
        self.requests = Some(asked);
        // Where nobody makes games any more the server ends.
        let guest = ClientHandle {
            identity: who,
            requests: questions,
        };
        self.new_clients
            .send(guest)
            .await
            .map_err(|_| Disconnect::ServerShutdown)
    }

    /// Asks about the rules.
    fn send_problem(&mut self) -> Result<(), Disconnect> {
        match problem::random_problem(&self.config.start, &mut self.rng) {
            Some((position, house)) => {
                let line = self.session.send_problem(&position, house);
                self.send(&line)
            }
            None => Ok(()),
        }
    }

    fn send_state(&mut self, question: StateRequest) -> Result<(), Disconnect> {
        let StateRequest {
            position,
            reply: answer,
        } = question;
        let (state, line) = self.session.request_move(&position);
        let ends = Instant::now() + self.config.move_time;
        let open = PendingState {
            deadline: ends,
            position,
            reply: answer,
        };
        self.pending.insert(state, open);
        self.send(&line)
    }

    /// Hands on the last answer to a state. Where a client yields without one, a lot is drawn, as the stock server does:
    /// a client that is in use does so now and then, when its search is quicker than its bookkeeping.
    fn finish_state(&mut self, state: u64, settling: FinishReason) {
        if let Some(settled) = self.session.take_reply(state)
            && let Some(open) = self.pending.remove(&state)
        {
            let answer = match (settled, settling) {
                (StateReply::House(house), _) => ClientReply::House(house),
                (StateReply::InvalidHouse, _) => ClientReply::InvalidHouse,
                (StateReply::Unanswered, FinishReason::Yield) => {
                    let house = problem::random_house(&open.position, &mut self.rng);
                    house.map_or(ClientReply::Timeout, ClientReply::House)
                }
                (StateReply::Unanswered, FinishReason::Timeout) => ClientReply::Timeout,
            };
            // The game may be over.
            let _ = open.reply.send(answer);
        }
    }

    /// Ends the time for a state.
    fn send_stop(&mut self, state: u64) -> Result<(), Disconnect> {
        let line = self.session.stop(state);
        self.send(&line)
    }

    fn check_deadlines(&mut self) -> Result<(), Disconnect> {
        let now = Instant::now();
        let late = self.pending.iter().filter(|(_, open)| open.deadline <= now);
        let late: Vec<u64> = late.map(|(&state, _)| state).collect();
        for state in late {
            self.finish_state(state, FinishReason::Timeout);
            self.send_stop(state)?;
        }
        while let Some((_, state)) = self.awaiting_stop.pop_front_if(|(time, _)| *time <= now) {
            self.send_stop(state)?;
        }
        let time = now - self.connected_at;
        if self.session.mode().is_none() && time >= MODE_TIMEOUT {
            let line = self.session.send_error("no mode was asked for");
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

    /// Nobody waits for a client to read: who does not has to leave.
    fn send(&self, line: &Line) -> Result<(), Disconnect> {
        let sent = self.outgoing.try_send(format!("{line}\r\n"));
        sent.map_err(|error| match error {
            TrySendError::Full(_) => Disconnect::SlowReader,
            TrySendError::Closed(_) => Disconnect::HungUp,
        })
    }

    /// Says goodbye, and tells of it; games learn of it when this is dropped.
    fn disconnect(&mut self, leaving: Disconnect) {
        if let Some(who) = &self.identity {
            // It leaves once.
            let _ = who.disconnect.set(leaving);
        }
        let open = std::mem::take(&mut self.pending).into_keys();
        let settled = std::mem::take(&mut self.awaiting_stop).into_iter();
        let states: Vec<u64> = settled.map(|(_, state)| state).chain(open).collect();
        for state in states {
            // Why it leaves may be why this cannot be said.
            let _ = self.send_stop(state);
        }
        let _ = self.send(&Line::without_id(Message::Goodbye));
        let number = self.number;
        let solved = match self.quiz_score {
            (_, 0) => String::new(),
            (rightly, all) => format!("; {rightly} of {all} problems are solved rightly"),
        };
        print_stderr(&format!("client {number} is gone: {leaving}{solved}"));
    }
}

/// The next question; none ever, while there is nobody to ask any.
async fn next_request(questions: &mut Option<mpsc::Receiver<StateRequest>>) -> StateRequest {
    if let Some(receiver) = questions {
        match receiver.recv().await {
            Some(question) => return question,
            // Nobody plays with this client any more.
            None => *questions = None,
        }
    }
    std::future::pending().await
}
