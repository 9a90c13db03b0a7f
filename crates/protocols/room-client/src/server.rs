//! Requests and live connections to a server.

use std::io;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use kalah_net::{ClientStream, TlsTrust};
use kalah_parse::parse_json;
use kalah_store::PlayerToken;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::address::RoomAddress;
use crate::error::RoomClientError;
use crate::messages::Problem;

/// The time for a connection, a response, and the handshake of a WebSocket.
const IO_TIMEOUT: Duration = Duration::from_secs(20);

/// The silence after which a connection counts as lost: the server sends a ping every ten seconds.
const MAX_SILENCE: Duration = Duration::from_secs(35);

/// The largest response in bytes: the state of a room of 2,000 people has half a megabyte.
const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// The close code for a member that the leader has removed.
const CLOSE_REMOVED: u16 = 4410;

/// The server of a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomServer {
    address: RoomAddress,
    token: PlayerToken,
    trust: TlsTrust,
}

/// A WebSocket to a room or a game.
pub(crate) struct LiveConnection(WebSocketStream<ClientStream>);

/// The way a connection ended.
#[derive(Debug)]
pub(crate) enum ConnectionEnd {
    /// It was lost, or the server restarts.
    Lost,
    /// The leader has removed the member.
    Removed,
}

impl RoomServer {
    /// Creates the server of a room for the member with a token.
    pub(crate) fn new(address: RoomAddress, token: PlayerToken, trust: TlsTrust) -> Self {
        Self {
            address,
            token,
            trust,
        }
    }

    /// Sends a request about the room.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, refuses, or responds with something else.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        request: &str,
        body: &Value,
    ) -> Result<T, RoomClientError> {
        let path = format!("rooms/{}/{request}", self.address.code());
        let request = Request::post(self.address.api_path(&path))
            .header(HOST, self.address.authority())
            .header(CONTENT_TYPE, "application/json")
            .header(AUTHORIZATION, format!("Bearer {}", self.token.reveal()))
            .body(Full::<Bytes>::from(body.to_string()))
            .map_err(|error| self.protocol_error(error.to_string()))?;
        let send = timeout(IO_TIMEOUT, self.send(request));
        let (is_success, body) = send
            .await
            .map_err(|_| self.connection_error(io::ErrorKind::TimedOut.into()))??;
        if is_success {
            return parse_json(&body).map_err(|error| self.protocol_error(error.to_string()));
        }
        let problem: Problem = parse_json(&body)
            .map_err(|_| self.protocol_error("an error without a problem document".to_owned()))?;
        Err(RoomClientError::Refused {
            address: self.address.clone(),
            detail: problem.detail,
        })
    }

    /// Sends a request over a new connection, and returns whether it succeeded and the body.
    async fn send(&self, request: Request<Full<Bytes>>) -> Result<(bool, Bytes), RoomClientError> {
        let stream = self.connect().await?;
        let failed = |error: hyper::Error| self.connection_error(io::Error::other(error));
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(failed)?;
        let connection = tokio::spawn(connection);
        let response = sender.send_request(request).await.map_err(failed)?;
        let is_success = response.status().is_success();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES);
        let body = body.collect().await;
        connection.abort();
        let body = body.map_err(|error| self.connection_error(io::Error::other(error)))?;
        Ok((is_success, body.to_bytes()))
    }

    async fn connect(&self) -> Result<ClientStream, RoomClientError> {
        let connected = match timeout(IO_TIMEOUT, self.open_stream()).await {
            Ok(connected) => connected,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        connected.map_err(|error| self.connection_error(error))
    }

    async fn open_stream(&self) -> io::Result<ClientStream> {
        let stream = TcpStream::connect(self.address.host_and_port()).await?;
        // Without this option messages are only delayed.
        let _ = stream.set_nodelay(true);
        match self.address.encrypted_host() {
            Some(host) => self.trust.encrypt(stream, &host).await,
            None => Ok(ClientStream::Plain(stream)),
        }
    }

    /// Opens a WebSocket to the room.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or refuses.
    pub(crate) async fn follow_room(&self) -> Result<LiveConnection, RoomClientError> {
        self.open(&format!("rooms/{}/live", self.address.code()))
            .await
    }

    /// Opens a WebSocket to a game.
    ///
    /// # Errors
    /// As [`Self::follow_room`].
    pub(crate) async fn follow_game(&self, game: &str) -> Result<LiveConnection, RoomClientError> {
        self.open(&format!("games/{game}/live")).await
    }

    async fn open(&self, path: &str) -> Result<LiveConnection, RoomClientError> {
        let stream = self.connect().await?;
        let (authority, path) = (self.address.authority(), self.address.api_path(path));
        let handshake = client_async(format!("ws://{authority}{path}"), stream);
        let Ok(opened) = timeout(IO_TIMEOUT, handshake).await else {
            return Err(self.connection_error(io::ErrorKind::TimedOut.into()));
        };
        let (socket, _) = opened.map_err(|error| self.connection_error(io::Error::other(error)))?;
        let mut connection = LiveConnection(socket);
        let hello = serde_json::json!({"type": "hello", "token": self.token.reveal()});
        let sent = connection.send(&hello).await;
        sent.map_err(|_| self.connection_error(io::ErrorKind::ConnectionReset.into()))?;
        Ok(connection)
    }

    /// Returns the error of a connection.
    fn connection_error(&self, reason: io::Error) -> RoomClientError {
        RoomClientError::Connection {
            address: self.address.clone(),
            reason,
        }
    }

    /// Returns the error of a message that the client cannot read.
    pub(crate) fn protocol_error(&self, reason: String) -> RoomClientError {
        RoomClientError::Protocol {
            address: self.address.clone(),
            reason,
        }
    }
}

impl LiveConnection {
    /// Sends a message.
    ///
    /// # Errors
    /// Returns [`ConnectionEnd::Lost`] if the connection is lost.
    pub(crate) async fn send(&mut self, message: &impl Serialize) -> Result<(), ConnectionEnd> {
        let text = serde_json::to_string(message).map_err(|_| ConnectionEnd::Lost)?;
        let sent = self.0.send(Message::text(text)).await;
        sent.map_err(|_| ConnectionEnd::Lost)
    }

    /// Receives the text of the next message.
    ///
    /// # Errors
    /// Returns the reason of the end of the connection.
    pub(crate) async fn receive(&mut self) -> Result<String, ConnectionEnd> {
        loop {
            let next = timeout(MAX_SILENCE, self.0.next()).await;
            match next.map_err(|_| ConnectionEnd::Lost)? {
                Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
                Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == CLOSE_REMOVED => {
                    return Err(ConnectionEnd::Removed);
                }
                Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed | _)) | None => {
                    return Err(ConnectionEnd::Lost);
                }
                Some(Ok(_)) => {}
            }
        }
    }
}
