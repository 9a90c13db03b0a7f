//! WebSocket connections to rooms.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::ws::close_code;
use axum::http::StatusCode;
use kalah_store::{PlayerToken, RoomCode};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::http::error::ProblemResponse;
use crate::http::live_socket::{ClientSocket, CloseReason, LiveSocket, parse_message};
use crate::http::rate_limit::ClientIp;
use crate::rooms::live_room::{LiveRoom, MemberConnection, RoomUpdate};
use crate::rooms::messages::{RoleView, RoomClientMessage, state_message_end};
use crate::rooms::registry::RoomRegistry;
use crate::rooms::routes::check_guesses;
use crate::rooms::state::room::RoomRole;
use crate::rooms::state::room_error::{RoomCommandError, RoomError};
use crate::state::SharedState;

/// Close code: no such room.
const CLOSE_ROOM_NOT_FOUND: u16 = 4404;
/// Close code: invalid token.
const CLOSE_INVALID_TOKEN: u16 = 4403;
/// Close code: newer connections of the member have replaced this one.
const CLOSE_REPLACED: u16 = 4409;
/// Close code: the leader has removed the member.
const CLOSE_REMOVED: u16 = 4410;

/// The answer to a ping.
const PONG: &str = r#"{"type":"pong"}"#;

/// A WebSocket connection to a room.
pub(super) struct RoomSocket {
    socket: LiveSocket,
    code: RoomCode,
}

/// The first message of a client.
struct Hello {
    member: Option<PlayerToken>,
    leader: Option<PlayerToken>,
    shows_boards: bool,
}

/// A subscription of a client to a room.
struct RoomSubscription {
    rooms: Arc<RoomRegistry>,
    live_room: Arc<LiveRoom>,
    member: Option<MemberConnection>,
    role: RoleView,
    updates: broadcast::Receiver<RoomUpdate>,
}

/// Removes the connection of a member, whose challenge ends if the member stays away.
impl Drop for RoomSubscription {
    fn drop(&mut self) {
        let Some(connection) = &self.member else {
            return;
        };
        if self.live_room.remove_member(connection) {
            self.rooms.changed.notify_one();
            if let Some(number) = self.role.member {
                self.rooms
                    .end_challenge_later(Arc::clone(&self.live_room), number);
            }
        }
    }
}

impl RoomSocket {
    /// Wraps an upgraded socket of a client.
    pub(super) fn new(
        state: SharedState,
        client_ip: ClientIp,
        code: RoomCode,
        socket: ClientSocket,
    ) -> Self {
        Self {
            socket: LiveSocket::new(state, client_ip, socket),
            code,
        }
    }

    /// Serves the client until it disconnects, is silent for too long, or the server shuts down.
    pub(super) async fn serve(mut self) {
        let server = Arc::clone(self.socket.server());
        let reason = LiveSocket::until_end(&server, self.run()).await;
        self.socket.end(reason).await;
    }

    /// Exchanges messages until the connection ends.
    async fn run(&mut self) -> Result<Infallible, CloseReason> {
        let hello = self.socket.receive_hello(receive_hello).await?;
        if hello.member.is_none() && hello.leader.is_none() {
            self.check_guesses().await?;
            self.socket.acquire_permit().await?;
        }
        let mut subscription = match self.subscribe(&hello).await {
            Ok(subscription) => subscription,
            Err(error) => {
                // A token of another room tells as little as none.
                if is_guess(&error) {
                    self.check_guesses().await?;
                }
                return Err(self.reject(error).await);
            }
        };
        self.send_state(&subscription).await?;
        let ended = match &subscription.member {
            Some(connection) => connection.ended.clone(),
            None => CancellationToken::new(),
        };
        let mut pings = LiveSocket::ping_ticks();
        let mut state_time = None;
        loop {
            tokio::select! {
                update = subscription.updates.recv() => match update {
                    Ok(RoomUpdate::Round(round)) => {
                        let role = subscription.role;
                        if let Some(message) = round.own_game(role) {
                            self.socket.send(message).await?;
                        }
                        state_time = Some(Instant::now() + round.state_delay(role));
                    }
                    Ok(RoomUpdate::Changes { people, boards }) => {
                        let message = if hello.shows_boards { Some(boards) } else { people };
                        if let Some(message) = message {
                            self.socket.send(message).await?;
                        }
                    }
                    // The whole state replaces the updates that the client has missed.
                    Err(RecvError::Lagged(_)) => self.send_state(&subscription).await?,
                    Err(RecvError::Closed) => return Err(CloseReason::Disconnected),
                },
                () = wait_until(state_time) => {
                    state_time = None;
                    self.send_state(&subscription).await?;
                }
                () = ended.cancelled() => return Err(self.end_of_member(&hello).await),
                text = self.socket.receive() => {
                    if let Some(text) = text? {
                        self.handle_message(&text).await?;
                    }
                }
                _ = pings.tick() => self.socket.ping().await?,
            }
        }
    }

    /// Checks that a client without a token has not sent too many codes without a room.
    async fn check_guesses(&mut self) -> Result<(), CloseReason> {
        let (server, client_ip) = (self.socket.server(), self.socket.client_ip());
        if let Err(problem) = check_guesses(server, client_ip, &self.code) {
            self.socket.send_problem(&problem, None).await?;
            let reason = "too many codes without a room";
            return Err(CloseReason::closed_by_server(close_code::POLICY, reason));
        }
        Ok(())
    }

    /// Subscribes a client to the room.
    async fn subscribe(&mut self, hello: &Hello) -> Result<RoomSubscription, RoomError> {
        let rooms = Arc::clone(&self.socket.server().rooms);
        let live_room = rooms.get(&self.code);
        let role = rooms.read(&live_room, |room| {
            let mut role = RoleView::default();
            for token in [&hello.member, &hello.leader].into_iter().flatten() {
                match room.role(token)? {
                    RoomRole::Leader => role.leader = true,
                    RoomRole::Member(number) => role.member = Some(number),
                }
            }
            Ok::<_, RoomCommandError>(role)
        });
        let role = role.await??;
        let updates = live_room.subscribe();
        let member = role.member.map(|number| live_room.add_member(number));
        rooms.changed.notify_one();
        Ok(RoomSubscription {
            rooms,
            live_room,
            member,
            role,
            updates,
        })
    }

    /// Sends the whole state of the room.
    async fn send_state(&mut self, subscription: &RoomSubscription) -> Result<(), CloseReason> {
        let RoomSubscription {
            rooms,
            live_room,
            role,
            ..
        } = subscription;
        let now = rooms.games.time.now();
        let start = rooms.read(live_room, |room| live_room.state_message_start(room, now));
        match start.await {
            Ok(start) => {
                let parts = [start, state_message_end(*role)];
                self.socket.send_parts(parts).await
            }
            Err(error) => Err(self.reject(error).await),
        }
    }

    /// Sends the reason of a failure, and returns the close code.
    async fn reject(&mut self, error: RoomError) -> CloseReason {
        let (code, reason) = match &error {
            RoomError::NotFound(_) => (CLOSE_ROOM_NOT_FOUND, "no such room"),
            RoomError::Rejected(RoomCommandError::Removed) => (CLOSE_REMOVED, "removed"),
            RoomError::Rejected(_) => (CLOSE_INVALID_TOKEN, "invalid token"),
            _ => (close_code::ERROR, "internal error"),
        };
        if code == CLOSE_ROOM_NOT_FOUND && !self.code.is_lobby() {
            let server = self.socket.server();
            server.guess_limiter.charge(self.socket.client_ip());
        }
        match self.socket.send_problem(&error.into(), None).await {
            Ok(()) => CloseReason::closed_by_server(code, reason),
            Err(reason) => reason,
        }
    }

    /// Returns why the connection of a member ends.
    async fn end_of_member(&mut self, hello: &Hello) -> CloseReason {
        let rooms = Arc::clone(&self.socket.server().rooms);
        let live_room = rooms.get(&self.code);
        let role = rooms.read(&live_room, |room| {
            hello.member.as_ref().map(|token| room.role(token))
        });
        let (code, reason) = match role.await {
            Ok(Some(Err(RoomCommandError::Removed))) => (CLOSE_REMOVED, "removed"),
            // Another lobby has replaced that of the member.
            Ok(Some(Err(RoomCommandError::InvalidToken))) => (CLOSE_INVALID_TOKEN, "invalid token"),
            _ => (
                CLOSE_REPLACED,
                "newer connections of the member have replaced this one",
            ),
        };
        CloseReason::closed_by_server(code, reason)
    }

    async fn handle_message(&mut self, text: &str) -> Result<(), CloseReason> {
        if !self.socket.take_free_message() {
            self.socket.check_rate_limit().await?;
        }
        match parse_message(text) {
            Ok(RoomClientMessage::Ping {}) => self.socket.send(PONG.into()).await,
            Ok(RoomClientMessage::Hello { .. }) => {
                let problem = ProblemResponse::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "`hello` was already sent",
                );
                self.socket.send_problem(&problem, None).await
            }
            Err(problem) => self.socket.send_problem(&problem, None).await,
        }
    }
}

/// Waits until a time; for ever without one.
async fn wait_until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Returns whether a client knows nothing of the room: neither that it exists, nor a token of it.
fn is_guess(error: &RoomError) -> bool {
    use RoomError::{NotFound, Rejected};
    matches!(
        error,
        NotFound(_) | Rejected(RoomCommandError::InvalidToken)
    )
}

/// Receives messages until a valid `hello`.
async fn receive_hello(socket: &mut LiveSocket) -> Result<Hello, CloseReason> {
    loop {
        let Some(text) = socket.receive().await? else {
            continue;
        };
        socket.check_rate_limit().await?;
        let problem = match parse_message(&text) {
            Ok(RoomClientMessage::Hello {
                token,
                leader,
                boards,
            }) => {
                let parse = |text: Option<String>| text.map(|text| PlayerToken::parse(&text));
                let (member, leader) = (parse(token), parse(leader));
                if member != Some(None) && leader != Some(None) {
                    return Ok(Hello {
                        member: member.flatten(),
                        leader: leader.flatten(),
                        shows_boards: boards,
                    });
                }
                let problem = RoomCommandError::InvalidToken.into();
                socket.send_problem(&problem, None).await?;
                return Err(CloseReason::closed_by_server(
                    CLOSE_INVALID_TOKEN,
                    "invalid token",
                ));
            }
            Ok(RoomClientMessage::Ping {}) => ProblemResponse::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "the first message must be `hello`",
            ),
            Err(problem) => problem,
        };
        socket.send_problem(&problem, None).await?;
    }
}
