//! A WebSocket of a client: its messages, its limits, and its end.

use std::borrow::Cow;
use std::convert::Infallible;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use kalah_api::JsonObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

use crate::http::error::ProblemResponse;
use crate::http::origin::check_origin;
use crate::http::rate_limit::{ClientIp, ConnectionPermit};
use crate::state::SharedState;

/// The maximum length of a client's message in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;
/// The read buffer of each WebSocket connection in bytes, larger than any message.
const READ_BUFFER_BYTES: usize = 2 * MAX_MESSAGE_BYTES;
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

/// Close code: too many connections of spectators at the client address.
const CLOSE_TOO_MANY_CONNECTIONS: u16 = 4429;

/// The reason for the end of a connection.
pub(crate) enum CloseReason {
    /// The client is unreachable.
    Disconnected,
    /// The client sent a close frame.
    ClosedByClient,
    /// The server closes the connection with this code and reason.
    ClosedByServer(u16, Cow<'static, str>),
}

impl CloseReason {
    pub(crate) fn closed_by_server(code: u16, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::ClosedByServer(code, reason.into())
    }
}

/// A WebSocket of a client.
pub(crate) struct LiveSocket {
    state: SharedState,
    client_ip: ClientIp,
    /// The permit of a spectator.
    permit: Option<ConnectionPermit>,
    socket: WebSocket,
    /// The time of the last message of the client.
    last_received: Instant,
    /// The time of the last message of the client that the rate limit did not count.
    last_free_message: Option<Instant>,
}

/// A message of the server about a message of the client that it refuses.
#[derive(Serialize)]
#[serde(tag = "type", rename = "problem")]
struct ProblemMessage<'a> {
    /// The reason.
    problem: &'a ProblemResponse,
    /// The ply of a rejected move.
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
}

/// Accepts a WebSocket and serves it with `serve`, which the server waits for on shutdown.
///
/// # Errors
/// Returns a problem if the request opens no WebSocket, or comes from a page of another host.
pub(crate) fn accept<F: Future<Output = ()> + Send>(
    state: &SharedState,
    headers: &HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    serve: impl FnOnce(WebSocket) -> F + Send + 'static,
) -> Result<Response, ProblemResponse> {
    let upgrade = upgrade.map_err(|rejection| no_websocket(&rejection))?;
    check_origin(headers)?;
    let task = state.shutdown.tasks.token();
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        serve(socket).await;
        drop(task);
    }))
}

/// Returns the problem of a request that does not open a WebSocket.
fn no_websocket(rejection: &WebSocketUpgradeRejection) -> ProblemResponse {
    use WebSocketUpgradeRejection as Rejection;
    let reason = match rejection {
        Rejection::InvalidConnectionHeader(_) => "the header `Connection` is not `upgrade`",
        Rejection::InvalidUpgradeHeader(_) => "the header `Upgrade` is not `websocket`",
        Rejection::InvalidWebSocketVersionHeader(_) => {
            "the header `Sec-WebSocket-Version` is not `13`"
        }
        Rejection::WebSocketKeyHeaderMissing(_) => "it has no header `Sec-WebSocket-Key`",
        Rejection::ConnectionNotUpgradable(_) => "its connection cannot become one",
        _ => "it is not a `GET` request of HTTP 1.1",
    };
    let detail = format!("the request does not open a WebSocket: {reason}");
    ProblemResponse::new(rejection.status(), detail)
}

impl LiveSocket {
    /// Wraps an upgraded socket of a client.
    pub(crate) fn new(state: SharedState, client_ip: ClientIp, socket: WebSocket) -> Self {
        Self {
            state,
            client_ip,
            permit: None,
            socket,
            last_received: Instant::now(),
            last_free_message: None,
        }
    }

    /// Returns the state of the server.
    pub(crate) fn server(&self) -> &SharedState {
        &self.state
    }

    /// Returns the client.
    pub(crate) fn client_ip(&self) -> ClientIp {
        self.client_ip
    }

    /// Runs `exchange`, which exchanges messages until the connection ends, or until the server
    /// shuts down. Returns the reason of the end.
    pub(crate) async fn until_end(
        server: &SharedState,
        exchange: impl Future<Output = Result<Infallible, CloseReason>>,
    ) -> CloseReason {
        tokio::select! {
            Err(reason) = exchange => reason,
            () = server.shutdown.started.cancelled() => {
                CloseReason::closed_by_server(close_code::RESTART, "the server is restarting")
            }
        }
    }

    /// Ends the connection.
    pub(crate) async fn end(self, reason: CloseReason) {
        match reason {
            CloseReason::Disconnected => {}
            CloseReason::ClosedByClient => drain(self.socket).await,
            CloseReason::ClosedByServer(code, reason) => close(self.socket, code, &reason).await,
        }
    }

    /// Waits for the first message, which `receive` reads.
    ///
    /// # Errors
    /// Returns the reason of the end if `receive` fails or the message does not arrive in time.
    pub(crate) async fn receive_hello<T>(
        &mut self,
        receive: impl AsyncFnOnce(&mut Self) -> Result<T, CloseReason>,
    ) -> Result<T, CloseReason> {
        let hello = timeout(HELLO_TIMEOUT, receive(self)).await;
        hello.unwrap_or_else(|_| {
            Err(CloseReason::closed_by_server(
                close_code::POLICY,
                "no `hello` in time",
            ))
        })
    }

    /// Receives the next text; `None` is a ping or a pong.
    ///
    /// # Errors
    /// Returns the reason of the end if the client sends anything else.
    pub(crate) async fn receive(&mut self) -> Result<Option<Utf8Bytes>, CloseReason> {
        let message = self.socket.recv().await;
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

    /// Returns the ticks at which [`Self::ping`] is due.
    pub(crate) fn ping_ticks() -> Interval {
        let mut ticks = interval(PING_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks
    }

    /// Sends a ping.
    ///
    /// # Errors
    /// Returns the reason of the end if the client has been silent for too long.
    pub(crate) async fn ping(&mut self) -> Result<(), CloseReason> {
        if self.last_received.elapsed() > IDLE_TIMEOUT {
            return Err(CloseReason::Disconnected);
        }
        let ping = Message::Ping(axum::body::Bytes::new());
        let sent = self.socket.send(ping).await;
        sent.map_err(|_| CloseReason::Disconnected)
    }

    /// Sends a text.
    ///
    /// # Errors
    /// Returns the reason of the end if the client is unreachable.
    pub(crate) async fn send(&mut self, message: Utf8Bytes) -> Result<(), CloseReason> {
        let sent = self.socket.send(Message::Text(message)).await;
        sent.map_err(|_| CloseReason::Disconnected)
    }

    /// Sends the reason why a message of the client is refused, with the ply of a rejected move.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub(crate) async fn send_problem(
        &mut self,
        problem: &ProblemResponse,
        ply: Option<usize>,
    ) -> Result<(), CloseReason> {
        let text = serde_json::to_string(&ProblemMessage { problem, ply });
        let text = text.expect("strings and numbers can always be written");
        self.send(text.into()).await
    }

    /// Counts this connection for the limit of spectators of the address. Players and members are
    /// not counted, so that spectators at their address do not take their places.
    ///
    /// # Errors
    /// Returns the reason of the end if the address has too many.
    pub(crate) async fn acquire_permit(&mut self) -> Result<(), CloseReason> {
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

    /// Returns whether the rate limit does not count a message that comes at this time.
    pub(crate) fn take_free_message(&mut self) -> bool {
        let now = Instant::now();
        let last = self.last_free_message;
        let is_free = last.is_none_or(|last| now.duration_since(last) >= FREE_MESSAGE_INTERVAL);
        if is_free {
            self.last_free_message = Some(now);
        }
        is_free
    }

    /// Charges a message to the rate limit of the client.
    ///
    /// # Errors
    /// Returns the reason of the end if the client exceeds its rate.
    pub(crate) async fn check_rate_limit(&mut self) -> Result<(), CloseReason> {
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
///
/// # Errors
/// Returns a problem unless the text is a JSON object that fits.
pub(crate) fn parse_message<T: DeserializeOwned>(text: &str) -> Result<T, ProblemResponse> {
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "lowercase")]
    enum TestMessage {
        Move { ply: usize },
        Resign {},
    }

    #[test]
    fn message_must_be_a_json_object() {
        for list in [r#" ["move",1]"#, r#"["resign"]"#, "[]", "", "{"] {
            assert!(parse_message::<TestMessage>(list).is_err(), "{list}");
        }
        assert!(matches!(
            parse_message(r#" {"type":"resign"}"#),
            Ok(TestMessage::Resign {})
        ));
        assert!(matches!(
            parse_message(r#"{"type":"move","ply":3}"#),
            Ok(TestMessage::Move { ply: 3 })
        ));
    }
}
