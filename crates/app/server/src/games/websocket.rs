//! WebSocket connections to games.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::StatusCode;
use kalah_api::JsonObject;
use kalah_store::{GameId, PlayerToken};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

use crate::games::command_error::CommandError;
use crate::games::game_handle::Subscription;
use crate::games::live_game::GameCommand;
use crate::games::messages::{ClientMessage, GameError, Phrase, ServerMessage, parse_name};
use crate::http::error::ProblemResponse;
use crate::http::rate_limit::{ClientIp, ConnectionPermit};
use crate::state::SharedState;

/// The maximum length of a client's message in bytes.
pub(super) const MAX_MESSAGE_BYTES: usize = 1024;
/// The time for a client to send `hello`.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval of pings.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// The time without any message until a client counts as gone: three unanswered pings.
const IDLE_TIMEOUT: Duration = Duration::from_secs(35);
/// The interval in which a connection may send a ping, or a player any message, that the rate limit
/// does not count: a client must learn that its connection is alive, and a player must be able to
/// play, also while others use up the limit of their address.
const FREE_MESSAGE_INTERVAL: Duration = Duration::from_secs(1);
/// The time for a client to confirm the close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Close code: no such game.
const CLOSE_GAME_NOT_FOUND: u16 = 4404;
/// Close code: invalid token.
const CLOSE_INVALID_TOKEN: u16 = 4403;
/// Close code: newer connections of the player have replaced this one.
const CLOSE_REPLACED: u16 = 4409;
/// Close code: too many connections of spectators at the client address.
const CLOSE_TOO_MANY_CONNECTIONS: u16 = 4429;

/// The reason for the end of a connection.
enum CloseReason {
    /// The client is unreachable.
    Disconnected,
    /// The client sent a close frame.
    ClosedByClient,
    /// The server closes the connection with this code and reason.
    ClosedByServer(u16, Cow<'static, str>),
}

impl CloseReason {
    fn closed_by_server(code: u16, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::ClosedByServer(code, reason.into())
    }
}

/// A WebSocket connection to a game.
pub(super) struct WebSocketConnection {
    state: SharedState,
    client_ip: ClientIp,
    /// The permit of a spectator.
    permit: Option<ConnectionPermit>,
    game: GameId,
    socket: WebSocket,
    /// The time of the last message of the client.
    last_received: Instant,
    /// The time of the last message of the client that the rate limit did not count.
    last_free_message: Option<Instant>,
}

impl WebSocketConnection {
    /// Wraps an upgraded socket of a client.
    pub(super) fn new(
        state: SharedState,
        client_ip: ClientIp,
        game: GameId,
        socket: WebSocket,
    ) -> Self {
        Self {
            state,
            client_ip,
            permit: None,
            game,
            socket,
            last_received: Instant::now(),
            last_free_message: None,
        }
    }

    /// Serves the client until it disconnects, is silent for too long, or the server shuts down.
    pub(super) async fn serve(mut self) {
        let shutdown = self.state.shutdown.started.clone();
        let reason = tokio::select! {
            Err(reason) = self.run() => reason,
            () = shutdown.cancelled() => {
                CloseReason::closed_by_server(close_code::RESTART, "the server is restarting")
            }
        };
        match reason {
            CloseReason::Disconnected => {}
            CloseReason::ClosedByClient => drain(self.socket).await,
            CloseReason::ClosedByServer(code, reason) => close(self.socket, code, &reason).await,
        }
    }

    /// Exchanges messages until the connection ends.
    async fn run(&mut self) -> Result<std::convert::Infallible, CloseReason> {
        let hello = timeout(HELLO_TIMEOUT, self.receive_hello()).await;
        let timed_out = CloseReason::closed_by_server(close_code::POLICY, "no `hello` in time");
        let (token, since) = hello.map_err(|_| timed_out)??;
        if token.is_none() {
            self.acquire_permit().await?;
        }
        let handle = self.state.games.get(self.game);
        let mut subscription = match handle
            .subscribe(token.as_ref(), since, self.client_ip)
            .await
        {
            Ok(subscription) => subscription,
            Err(error) => return Err(self.reject(error).await),
        };
        for message in std::mem::take(&mut subscription.backlog) {
            self.send(message).await?;
        }
        let mut pings = interval(PING_INTERVAL);
        let replaced = subscription.replaced();
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                update = subscription.updates.recv() => match update {
                    Ok(update) => self.send(update.into_message_for(subscription.player())).await?,
                    Err(RecvError::Lagged(_)) => {
                        subscription.count_lagged();
                        return Err(CloseReason::closed_by_server(close_code::POLICY, "too slow"));
                    }
                    Err(RecvError::Closed) => return Err(CloseReason::Disconnected),
                },
                () = replaced.cancelled() => return Err(replaced_by_others(&subscription)),
                message = self.socket.recv() => {
                    if let Some(text) = self.accept_message(message)? {
                        self.handle_message(&subscription, token.as_ref(), &text).await?;
                    }
                }
                _ = pings.tick() => {
                    if self.last_received.elapsed() > IDLE_TIMEOUT {
                        return Err(CloseReason::Disconnected);
                    }
                    let ping = Message::Ping(axum::body::Bytes::new());
                    self.socket.send(ping).await.map_err(|_| CloseReason::Disconnected)?;
                }
            }
        }
    }

    /// Receives messages until a valid `hello`.
    async fn receive_hello(&mut self) -> Result<(Option<PlayerToken>, Option<usize>), CloseReason> {
        loop {
            let message = self.socket.recv().await;
            let Some(text) = self.accept_message(message)? else {
                continue;
            };
            let message = parse_message(&text);
            // The first message of a player is not counted, nor is the request that opened the
            // connection.
            if let Ok(ClientMessage::Hello {
                token: Some(token),
                since,
            }) = &message
                && let Some(token) = PlayerToken::parse(token)
            {
                return Ok((Some(token), *since));
            }
            self.check_rate_limit().await?;
            let problem = match message {
                Ok(ClientMessage::Hello { token: None, since }) => return Ok((None, since)),
                Ok(ClientMessage::Hello { token: Some(_), .. }) => {
                    self.send_problem(&forbidden(&CommandError::InvalidToken), None)
                        .await?;
                    return Err(CloseReason::closed_by_server(
                        CLOSE_INVALID_TOKEN,
                        "invalid token",
                    ));
                }
                Ok(_) => ProblemResponse::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "the first message must be `hello`",
                ),
                Err(problem) => problem,
            };
            self.send_problem(&problem, None).await?;
        }
    }

    /// Counts this connection for the limit of spectators of the address. Players are not counted,
    /// so that spectators at their address do not take their places.
    async fn acquire_permit(&mut self) -> Result<(), CloseReason> {
        self.permit = self.state.spectator_limiter.try_acquire(self.client_ip);
        if self.permit.is_some() {
            return Ok(());
        }
        let maximum = self.state.limits.max_spectators_per_client;
        let detail =
            format!("this address has {maximum} live connections of spectators, the maximum");
        let problem = ProblemResponse::new(StatusCode::TOO_MANY_REQUESTS, &*detail);
        self.send_problem(&problem, None).await?;
        Err(CloseReason::closed_by_server(
            CLOSE_TOO_MANY_CONNECTIONS,
            detail,
        ))
    }

    /// Sends the reason of a failed subscription, and returns the close code.
    async fn reject(&mut self, error: GameError) -> CloseReason {
        let (code, reason) = match &error {
            GameError::NotFound(_) => (CLOSE_GAME_NOT_FOUND, Some("no such game")),
            GameError::Rejected {
                reason: CommandError::InvalidToken,
                ..
            } => (CLOSE_INVALID_TOKEN, Some("invalid token")),
            GameError::TooManySpectators { .. } => (close_code::AGAIN, None),
            _ => (close_code::ERROR, Some("internal error")),
        };
        let problem = error.into();
        match self.send_problem(&problem, None).await {
            Ok(()) => match reason {
                Some(reason) => CloseReason::closed_by_server(code, reason),
                None => CloseReason::closed_by_server(code, problem.detail().to_owned()),
            },
            Err(reason) => reason,
        }
    }

    /// Executes a command of the client.
    async fn handle_message(
        &mut self,
        subscription: &Subscription,
        token: Option<&PlayerToken>,
        text: &str,
    ) -> Result<(), CloseReason> {
        let message = parse_message(text);
        let may_be_free =
            subscription.player().is_some() || matches!(message, Ok(ClientMessage::Ping {}));
        if !(may_be_free && self.take_free_message()) {
            self.check_rate_limit().await?;
        }
        let (command, ply) = match message {
            Ok(ClientMessage::Ping {}) => return self.send(subscription.handle().pong()).await,
            Ok(ClientMessage::Phrase { phrase }) => {
                return self.send_phrase(subscription, phrase).await;
            }
            Ok(ClientMessage::Move { ply, mv }) => (GameCommand::Play { ply, mv }, Some(ply)),
            Ok(ClientMessage::Name { name }) => match parse_name(&name) {
                Ok(name) => (GameCommand::SetName(name), None),
                Err(problem) => return self.send_problem(&problem, None).await,
            },
            Ok(ClientMessage::Resign {}) => (GameCommand::Resign, None),
            Ok(ClientMessage::Takeback { action }) => (GameCommand::Takeback(action), None),
            Ok(ClientMessage::Rematch { action }) => (GameCommand::Rematch(action), None),
            Ok(ClientMessage::Hello { .. }) => {
                let problem = ProblemResponse::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "`hello` was already sent",
                );
                return self.send_problem(&problem, None).await;
            }
            Err(problem) => return self.send_problem(&problem, None).await,
        };
        let Some(token) = token else {
            let problem = forbidden(&CommandError::MissingToken);
            return self.send_problem(&problem, ply).await;
        };
        match subscription.handle().execute(token, command).await {
            Ok(outcome) => match outcome.repeated {
                Some(message) => self.send(message).await,
                None => Ok(()),
            },
            Err(error) => self.send_problem(&error.into(), ply).await,
        }
    }

    /// Sends a phrase of the client to all subscribers of the game.
    async fn send_phrase(
        &mut self,
        subscription: &Subscription,
        phrase: Phrase,
    ) -> Result<(), CloseReason> {
        let Some(player) = subscription.player() else {
            let problem = forbidden(&CommandError::MissingToken);
            return self.send_problem(&problem, None).await;
        };
        match subscription.handle().send_phrase(player, phrase).await {
            Ok(()) => Ok(()),
            Err(error) => self.send_problem(&error.into(), None).await,
        }
    }

    /// Returns whether the rate limit does not count a message that comes now.
    fn take_free_message(&mut self) -> bool {
        let now = Instant::now();
        let last = self.last_free_message;
        let is_free = last.is_none_or(|last| now.duration_since(last) >= FREE_MESSAGE_INTERVAL);
        if is_free {
            self.last_free_message = Some(now);
        }
        is_free
    }

    /// Charges a message to the rate limit of the client.
    async fn check_rate_limit(&mut self) -> Result<(), CloseReason> {
        let result = self.state.check_rate_limit(self.client_ip, NonZeroU32::MIN);
        if let Err(problem) = result {
            self.send_problem(&problem, None).await?;
            return Err(CloseReason::closed_by_server(
                close_code::POLICY,
                "too many messages",
            ));
        }
        Ok(())
    }

    /// Returns the text of a message, or `None` for pings and pongs.
    fn accept_message(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<Option<Utf8Bytes>, CloseReason> {
        self.last_received = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) => Ok(Some(text)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
            Some(Ok(Message::Binary(_))) => Err(CloseReason::closed_by_server(
                close_code::UNSUPPORTED,
                "only text messages are supported",
            )),
            Some(Err(error)) => Err(close_reason(error)),
            Some(Ok(Message::Close(_))) => Err(CloseReason::ClosedByClient),
            None => Err(CloseReason::Disconnected),
        }
    }

    async fn send(&mut self, message: Utf8Bytes) -> Result<(), CloseReason> {
        let sent = self.socket.send(Message::Text(message)).await;
        sent.map_err(|_| CloseReason::Disconnected)
    }

    async fn send_problem(
        &mut self,
        problem: &ProblemResponse,
        ply: Option<usize>,
    ) -> Result<(), CloseReason> {
        self.send(ServerMessage::Problem { problem, ply }.to_text())
            .await
    }
}

/// Returns why a connection ends whose place others have taken.
fn replaced_by_others(subscription: &Subscription) -> CloseReason {
    if subscription.player().is_some() {
        let reason = "newer connections of the player have replaced this one";
        CloseReason::closed_by_server(CLOSE_REPLACED, reason)
    } else {
        let reason = "a spectator at another address has replaced this one";
        CloseReason::closed_by_server(close_code::AGAIN, reason)
    }
}

/// Sends a close frame and waits for the confirmation.
async fn close(mut socket: WebSocket, code: u16, reason: &str) {
    let close = Message::Close(Some(CloseFrame {
        code,
        reason: reason.into(),
    }));
    // A client that does not accept the frame is disconnected.
    if let Ok(Ok(())) = timeout(CLOSE_TIMEOUT, socket.send(close)).await {
        drain(socket).await;
    }
}

/// Reads until the client closes the connection. The WebSocket implementation answers a close
/// frame.
async fn drain(mut socket: WebSocket) {
    let rest = async { while let Some(Ok(_)) = socket.recv().await {} };
    // A client that does not confirm the close is disconnected.
    let _ = timeout(CLOSE_TIMEOUT, rest).await;
}

/// Returns the close code for a read error.
fn close_reason(error: axum::Error) -> CloseReason {
    match error.into_inner().downcast_ref() {
        Some(Error::Capacity(_)) => {
            CloseReason::closed_by_server(close_code::SIZE, "messages are limited to 1024 bytes")
        }
        Some(Error::Utf8(_)) => CloseReason::closed_by_server(close_code::INVALID, "invalid UTF-8"),
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
            CloseReason::Disconnected
        }
        Some(Error::Protocol(_)) => {
            CloseReason::closed_by_server(close_code::PROTOCOL, "protocol error")
        }
        _ => CloseReason::Disconnected,
    }
}

/// Parses a message of a client.
fn parse_message(text: &str) -> Result<ClientMessage, ProblemResponse> {
    match serde_json::from_str(text) {
        Ok(JsonObject(message)) => Ok(message),
        Err(error) => {
            let status = match error.classify() {
                serde_json::error::Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            let detail = format!("invalid message: {error}");
            Err(ProblemResponse::new(status, detail))
        }
    }
}

fn forbidden(error: &CommandError) -> ProblemResponse {
    ProblemResponse::new(StatusCode::FORBIDDEN, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_must_be_a_json_object() {
        for list in [
            r#"["hello",null,0]"#,
            r#" ["move",1,"C"]"#,
            r#"["resign"]"#,
            "[]",
        ] {
            assert!(parse_message(list).is_err(), "{list}");
        }
        assert!(matches!(
            parse_message(r#" {"type":"resign"}"#),
            Ok(ClientMessage::Resign {})
        ));
    }
}
