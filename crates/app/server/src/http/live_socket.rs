//! A WebSocket of a client: its messages, its limits, and its end.

use std::borrow::Cow;
use std::convert::Infallible;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade, close_code};
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, UPGRADE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use kalah_api::JsonObject;
use kalah_parse::parse_json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::http::error::ProblemResponse;
use crate::http::origin::check_origin;
use crate::http::rate_limit::{ClientIp, ConnectionPermit};
use crate::state::SharedState;

/// The maximum length of a client's message in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;
/// The read buffer of each WebSocket connection in bytes, larger than any message.
const READ_BUFFER_BYTES: usize = 2 * MAX_MESSAGE_BYTES;
/// The most bytes of a frame. The write buffer of each connection keeps the size of its largest
/// frame, therefore a longer message has several.
const MAX_FRAME_BYTES: usize = 16 << 10;
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

/// The stream of messages of an accepted WebSocket.
pub(crate) type ClientSocket = WebSocketStream<TokioIo<Upgraded>>;

/// A request that opens a WebSocket.
pub(crate) struct SocketUpgrade {
    /// The key from which the client computes the accepting answer.
    key: HeaderValue,
    upgrade: OnUpgrade,
}

/// A WebSocket of a client.
pub(crate) struct LiveSocket {
    state: SharedState,
    client_ip: ClientIp,
    /// The permit of a spectator.
    permit: Option<ConnectionPermit>,
    socket: ClientSocket,
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

/// Reads the request.
///
/// # Errors
/// Returns a problem if the request opens no WebSocket, or comes from a page of another host.
impl<S: Send + Sync> FromRequestParts<S> for SocketUpgrade {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        let upgrade = parts.extensions.get::<OnUpgrade>().cloned();
        // This extractor checks the request. It is not used further, because its socket cannot send
        // a message in several frames.
        let checked = WebSocketUpgrade::from_request_parts(parts, state).await;
        drop(checked.map_err(|rejection| no_websocket(&rejection))?);
        check_origin(&parts.headers)?;
        let key = parts.headers.get(SEC_WEBSOCKET_KEY);
        Ok(Self {
            key: key.expect("the checked request has a key").clone(),
            upgrade: upgrade.expect("the checked connection can be upgraded"),
        })
    }
}

/// Accepts a WebSocket and serves it with `serve`, which the server waits for on shutdown.
pub(crate) fn accept<F: Future<Output = ()> + Send>(
    state: &SharedState,
    SocketUpgrade { key, upgrade }: SocketUpgrade,
    serve: impl FnOnce(ClientSocket) -> F + Send + 'static,
) -> Response {
    let task = state.shutdown.tasks.token();
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(MAX_FRAME_BYTES)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    tokio::spawn(async move {
        // The upgrade fails if the client disconnects before it.
        if let Ok(stream) = upgrade.await {
            let stream = TokioIo::new(stream);
            let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config));
            serve(socket.await).await;
        }
        drop(task);
    });
    let accepted = [(SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes()))];
    let protocol = [(CONNECTION, "upgrade"), (UPGRADE, "websocket")];
    (StatusCode::SWITCHING_PROTOCOLS, protocol, accepted).into_response()
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
    pub(crate) fn new(state: SharedState, client_ip: ClientIp, socket: ClientSocket) -> Self {
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
        let message = self.socket.next().await;
        self.last_received = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) => Ok(Some(text.as_str().into())),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => Err(CloseReason::closed_by_server(
                close_code::UNSUPPORTED,
                "only text messages are supported",
            )),
            Some(Err(error)) => Err(close_reason(&error)),
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
        let sent = self.socket.send(Message::Ping(Bytes::new())).await;
        sent.map_err(|_| CloseReason::Disconnected)
    }

    /// Sends a text.
    ///
    /// # Errors
    /// Returns the reason of the end if the client is unreachable.
    pub(crate) async fn send(&mut self, message: Utf8Bytes) -> Result<(), CloseReason> {
        self.send_parts([message.into()]).await
    }

    /// Sends a text that consists of these parts, which are not empty. Connections share the bytes
    /// of a part: each copies no more than a frame at a time.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub(crate) async fn send_parts<const N: usize>(
        &mut self,
        parts: [Bytes; N],
    ) -> Result<(), CloseReason> {
        for frame in text_frames(parts) {
            let sent = self.socket.feed(Message::Frame(frame)).await;
            sent.map_err(|_| CloseReason::Disconnected)?;
        }
        let flushed = self.socket.flush().await;
        flushed.map_err(|_| CloseReason::Disconnected)
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

/// Returns the frames of a text that consists of these parts.
fn text_frames<const N: usize>(parts: [Bytes; N]) -> impl Iterator<Item = Frame> {
    let chunks = parts.into_iter().flat_map(|part| {
        let starts = (0..part.len()).step_by(MAX_FRAME_BYTES);
        starts.map(move |start| part.slice(start..part.len().min(start + MAX_FRAME_BYTES)))
    });
    let mut chunks = chunks.enumerate().peekable();
    std::iter::from_fn(move || {
        let (index, chunk) = chunks.next()?;
        let data = if index == 0 {
            Data::Text
        } else {
            Data::Continue
        };
        let is_final = chunks.peek().is_none();
        Some(Frame::message(chunk, OpCode::Data(data), is_final))
    })
}

/// Sends a close frame and waits for the confirmation.
async fn close(mut socket: ClientSocket, code: u16, reason: &str) {
    let close = Message::Close(Some(CloseFrame {
        code: code.into(),
        reason: reason.into(),
    }));
    // A client that does not accept the frame is disconnected.
    if let Ok(Ok(())) = timeout(CLOSE_TIMEOUT, socket.send(close)).await {
        drain(socket).await;
    }
}

/// Reads until the client closes the connection. The WebSocket implementation answers a close
/// frame.
async fn drain(mut socket: ClientSocket) {
    let rest = async { while let Some(Ok(_)) = socket.next().await {} };
    // A client that does not confirm the close is disconnected.
    let _ = timeout(CLOSE_TIMEOUT, rest).await;
}

/// Returns the close code for a read error.
fn close_reason(error: &Error) -> CloseReason {
    match error {
        Error::Capacity(_) => {
            CloseReason::closed_by_server(close_code::SIZE, "messages are limited to 1024 bytes")
        }
        Error::Utf8(_) => CloseReason::closed_by_server(close_code::INVALID, "invalid UTF-8"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => CloseReason::Disconnected,
        Error::Protocol(_) => CloseReason::closed_by_server(close_code::PROTOCOL, "protocol error"),
        _ => CloseReason::Disconnected,
    }
}

/// Parses a message of a client.
///
/// # Errors
/// Returns a problem unless the text is a JSON object that fits.
pub(crate) fn parse_message<T: DeserializeOwned>(text: &str) -> Result<T, ProblemResponse> {
    match parse_json(text.as_bytes()) {
        Ok(JsonObject(message)) => Ok(message),
        Err(error) => {
            let status = if error.is_syntax() {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::UNPROCESSABLE_ENTITY
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

    /// Each text arrives whole, in frames of which none is longer than the maximum.
    #[tokio::test]
    async fn frames_of_a_text_are_its_parts_in_order() {
        const MAX: usize = MAX_FRAME_BYTES;
        // A frame may end within a character, which has three bytes.
        for lengths in [[1, 1], [MAX / 3, 1], [MAX, 1], [MAX + 1, MAX]] {
            let parts = lengths.map(|length| "€".repeat(length));
            let frames = text_frames(parts.clone().map(Bytes::from)).collect::<Vec<_>>();
            assert!(frames.iter().all(|frame| frame.payload().len() <= MAX));
            let (near, far) = tokio::io::duplex(MAX);
            let mut server = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
            let mut client = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
            let write = async {
                for frame in frames {
                    server.feed(Message::Frame(frame)).await?;
                }
                server.flush().await
            };
            let (written, received) = tokio::join!(write, client.next());
            written.expect("an open connection");
            let received = received.expect("a message").expect("valid frames");
            assert_eq!(received, Message::text(parts.concat()), "{lengths:?}");
        }
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
