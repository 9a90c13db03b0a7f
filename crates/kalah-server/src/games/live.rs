use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::StatusCode;
use kalah_api::Object;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

use crate::games::failure::Failure;
use crate::games::hall::{Act, Attendance};
use crate::games::message::{FromClient, FromServer};
use crate::games::{GameId, Refused, Token};
use crate::problem::Problem;
use crate::service::Shared;
use crate::visitor::Visitor;

/// The longest message of a client, in bytes.
pub(super) const MOST_MESSAGE: usize = 1024;
/// The time in which a client has to say who it is.
const HELLO: Duration = Duration::from_secs(10);
/// How often the other end is asked whether it is there.
const PING: Duration = Duration::from_secs(25);
/// How long it may be silent: two pings unanswered.
const SILENT: Duration = Duration::from_mins(1);
/// The time in which a client has to confirm the end.
const GOODBYE: Duration = Duration::from_secs(1);
/// Live connections of one address: a school has one address.
const MOST_OF_VISITOR: usize = 256;

/// There is no such game.
const NO_GAME: u16 = 4404;
/// The token is none of this game.
const NO_TOKEN: u16 = 4403;

/// How many live connections each address has.
#[derive(Debug, Default)]
pub(crate) struct Places(Mutex<HashMap<Visitor, usize>>);

/// One of them.
pub(super) struct Place {
    service: Shared,
    visitor: Visitor,
}

impl Place {
    /// A place for one more connection of `visitor`.
    ///
    /// # Errors
    /// If it has enough of them.
    pub(super) fn take(service: &Shared, visitor: Visitor) -> Result<Self, Problem> {
        let mut places = service.places.open();
        let taken = places.entry(visitor).or_default();
        if *taken >= MOST_OF_VISITOR {
            return Err(Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many live connections come from this address",
            )
            .retry_after(SILENT));
        }
        *taken += 1;
        drop(places);
        Ok(Self {
            service: Arc::clone(service),
            visitor,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Entry::Occupied(mut taken) = self.service.places.open().entry(self.visitor) {
            *taken.get_mut() -= 1;
            if *taken.get() == 0 {
                taken.remove();
            }
        }
    }
}

impl Places {
    fn open(&self) -> MutexGuard<'_, HashMap<Visitor, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a live connection ends.
enum End {
    /// The client cannot be reached.
    Left,
    /// The client says that it goes.
    Goodbye,
    /// The server tells it to go.
    Closed(u16, &'static str),
}

/// A live connection to a game.
pub(super) struct Live {
    place: Place,
    game: GameId,
    socket: WebSocket,
    /// When the other end was heard of last.
    heard: Instant,
}

impl Live {
    /// A connection that has just been made.
    pub(super) fn new(place: Place, game: GameId, socket: WebSocket) -> Self {
        Self {
            place,
            game,
            socket,
            heard: Instant::now(),
        }
    }

    /// Serves the client until it leaves, is silent for too long, or the server ends.
    pub(super) async fn serve(mut self) {
        let closing = self.place.service.ending.closing.clone();
        let end = tokio::select! {
            Err(end) = self.talk() => end,
            () = closing.cancelled() => End::Closed(close_code::RESTART, "the server is restarting"),
        };
        match end {
            End::Left => {}
            End::Goodbye => self.hear_out().await,
            End::Closed(code, reason) => self.say_goodbye(code, reason).await,
        }
    }

    /// Everything that is said until the end.
    async fn talk(&mut self) -> Result<std::convert::Infallible, End> {
        let hello = timeout(HELLO, self.hello()).await;
        let late = End::Closed(close_code::POLICY, "nobody has said hello");
        let (token, since) = hello.map_err(|_| late)??;
        let held = self.place.service.hall.room(self.game);
        let mut attendance = match held.attend(token.as_ref(), since).await {
            Ok(attendance) => attendance,
            Err(failure) => return Err(self.turn_away(failure).await),
        };
        for message in std::mem::take(&mut attendance.before) {
            self.send(message).await?;
        }
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = attendance.told.recv() => match told {
                    Ok(told) => self.send(told.to(attendance.person())).await?,
                    Err(RecvError::Lagged(_)) => {
                        attendance.count_behind();
                        return Err(End::Closed(close_code::POLICY, "too slow"));
                    }
                    Err(RecvError::Closed) => return Err(End::Left),
                },
                message = self.socket.recv() => {
                    if let Some(text) = self.heard(message)? {
                        self.answer(&attendance, token.as_ref(), &text).await?;
                    }
                }
                _ = pings.tick() => {
                    if self.heard.elapsed() > SILENT {
                        return Err(End::Left);
                    }
                    let ping = Message::Ping(axum::body::Bytes::new());
                    self.socket.send(ping).await.map_err(|_| End::Left)?;
                }
            }
        }
    }

    /// The first message.
    async fn hello(&mut self) -> Result<(Option<Token>, Option<usize>), End> {
        loop {
            let message = self.socket.recv().await;
            let Some(text) = self.heard(message)? else {
                continue;
            };
            self.admit().await?;
            let problem = match read(&text) {
                Ok(FromClient::Hello { token: None, since }) => return Ok((None, since)),
                Ok(FromClient::Hello {
                    token: Some(token),
                    since,
                }) => {
                    if let Some(token) = Token::read(&token) {
                        return Ok((Some(token), since));
                    }
                    self.send_problem(&forbidden(&Refused::Token), None).await?;
                    return Err(End::Closed(NO_TOKEN, "no token of this game"));
                }
                Ok(_) => Problem::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "the first message of a live connection is `hello`",
                ),
                Err(problem) => problem,
            };
            self.send_problem(&problem, None).await?;
        }
    }

    /// Says why nobody can attend, and how that ends.
    async fn turn_away(&mut self, failure: Failure) -> End {
        let end = match &failure {
            Failure::NoGame => End::Closed(NO_GAME, "no such game"),
            Failure::Refused {
                refused: Refused::Token,
                ..
            } => End::Closed(NO_TOKEN, "no token of this game"),
            Failure::Full => End::Closed(close_code::AGAIN, "too many look at this game"),
            _ => End::Closed(close_code::ERROR, "the server failed at this"),
        };
        match self.send_problem(&failure.into(), None).await {
            Ok(()) => end,
            Err(end) => end,
        }
    }

    /// Does what a message asks for.
    async fn answer(
        &mut self,
        attendance: &Attendance,
        token: Option<&Token>,
        text: &str,
    ) -> Result<(), End> {
        self.admit().await?;
        let (act, ply) = match read(text) {
            Ok(FromClient::Sow { ply, choice }) => (Act::Sow { ply, choice }, Some(ply)),
            Ok(FromClient::Resign {}) => (Act::Resign, None),
            Ok(FromClient::Rematch {}) => (Act::Rematch, None),
            Ok(FromClient::Hello { .. }) => {
                let problem = Problem::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "`hello` has been said already",
                );
                return self.send_problem(&problem, None).await;
            }
            Err(problem) => return self.send_problem(&problem, None).await,
        };
        let Some(token) = token else {
            let problem = forbidden(&Refused::NoToken);
            return self.send_problem(&problem, ply).await;
        };
        match attendance.held().act(token, act).await {
            Ok(acted) => match acted.repeated {
                Some(message) => self.send(message).await,
                None => Ok(()),
            },
            Err(failure) => self.send_problem(&failure.into(), ply).await,
        }
    }

    /// Counts a message as one more request of the visitor.
    async fn admit(&mut self) -> Result<(), End> {
        let admitted = self.place.service.admit(self.place.visitor, 1);
        if let Err(problem) = admitted {
            self.send_problem(&problem, None).await?;
            return Err(End::Closed(close_code::POLICY, "too many messages"));
        }
        Ok(())
    }

    /// The text of a message, if it is one with a text.
    fn heard(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<Option<Utf8Bytes>, End> {
        self.heard = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) => Ok(Some(text)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
            Some(Ok(Message::Binary(_))) => Err(End::Closed(
                close_code::UNSUPPORTED,
                "only text is understood",
            )),
            Some(Err(error)) => Err(fault(error)),
            Some(Ok(Message::Close(_))) => Err(End::Goodbye),
            None => Err(End::Left),
        }
    }

    async fn send(&mut self, message: Utf8Bytes) -> Result<(), End> {
        let sent = self.socket.send(Message::Text(message)).await;
        sent.map_err(|_| End::Left)
    }

    async fn send_problem(&mut self, problem: &Problem, ply: Option<usize>) -> Result<(), End> {
        self.send(FromServer::Problem { problem, ply }.text()).await
    }

    /// Ends the connection in order, as far as the client takes part.
    async fn say_goodbye(mut self, code: u16, reason: &'static str) {
        let close = Message::Close(Some(CloseFrame {
            code,
            reason: Utf8Bytes::from_static(reason),
        }));
        // Whoever does not take it is left alone.
        if let Ok(Ok(())) = timeout(GOODBYE, self.socket.send(close)).await {
            self.hear_out().await;
        }
    }

    /// Hears what still comes before the end, which is confirmed to a client that asks for it.
    async fn hear_out(mut self) {
        let rest = async { while let Some(Ok(_)) = self.socket.recv().await {} };
        // Whoever does not confirm it is left alone.
        let _ = timeout(GOODBYE, rest).await;
    }
}

/// How a connection ends over which nothing more can be read.
fn fault(error: axum::Error) -> End {
    match error.into_inner().downcast_ref() {
        Some(Error::Capacity(_)) => {
            End::Closed(close_code::SIZE, "a message has 1024 bytes at most")
        }
        Some(Error::Utf8(_)) => End::Closed(close_code::INVALID, "this is no UTF-8"),
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => End::Left,
        Some(Error::Protocol(_)) => End::Closed(close_code::PROTOCOL, "these are no frames"),
        _ => End::Left,
    }
}

/// What a client says.
fn read(text: &str) -> Result<FromClient, Problem> {
    match serde_json::from_str(text) {
        Ok(Object(message)) => Ok(message),
        Err(error) => {
            let status = match error.classify() {
                serde_json::error::Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            let detail = format!("this is no message: {error}");
            Err(Problem::new(status, detail))
        }
    }
}

fn forbidden(refused: &Refused) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, refused.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_an_object() {
        for list in [
            r#"["hello",null,0]"#,
            r#" ["sow",1,"C"]"#,
            r#"["resign"]"#,
            "[]",
        ] {
            assert!(read(list).is_err(), "{list}");
        }
        assert!(matches!(
            read(r#" {"type":"resign"}"#),
            Ok(FromClient::Resign {})
        ));
    }
}
