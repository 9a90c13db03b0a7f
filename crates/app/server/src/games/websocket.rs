//! WebSocket connections to games.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::ws::close_code;
use axum::http::StatusCode;
use kalah_store::{GameId, PlayerToken};
use tokio::sync::broadcast::error::RecvError;

use crate::games::command_error::CommandError;
use crate::games::game_handle::Subscription;
use crate::games::live_game::GameCommand;
use crate::games::messages::{ClientMessage, GameError, Phrase, parse_name};
use crate::games::routes::forbidden;
use crate::http::error::ProblemResponse;
use crate::http::live_socket::{ClientSocket, CloseReason, LiveSocket, parse_message};
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// Close code: no such game.
const CLOSE_GAME_NOT_FOUND: u16 = 4404;
/// Close code: invalid token.
const CLOSE_INVALID_TOKEN: u16 = 4403;
/// Close code: newer connections of the player have replaced this one.
const CLOSE_REPLACED: u16 = 4409;

/// A WebSocket connection to a game.
pub(super) struct GameSocket {
    socket: LiveSocket,
    game: GameId,
}

impl GameSocket {
    /// Wraps an upgraded socket of a client.
    pub(super) fn new(
        state: SharedState,
        client_ip: ClientIp,
        game: GameId,
        socket: ClientSocket,
    ) -> Self {
        Self {
            socket: LiveSocket::new(state, client_ip, socket),
            game,
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
        let (token, since) = self.socket.receive_hello(receive_hello).await?;
        if token.is_none() {
            self.socket.acquire_permit().await?;
        }
        let handle = self.socket.server().games.get(self.game);
        let client_ip = self.socket.client_ip();
        let mut subscription = match handle.subscribe(token.as_ref(), since, client_ip).await {
            Ok(subscription) => subscription,
            Err(error) => return Err(self.reject(error).await),
        };
        for message in std::mem::take(&mut subscription.backlog) {
            self.socket.send(message).await?;
        }
        let mut pings = LiveSocket::ping_ticks();
        let replaced = subscription.replaced();
        loop {
            tokio::select! {
                update = subscription.updates.recv() => match update {
                    Ok(update) => {
                        let message = update.into_message_for(subscription.player());
                        self.socket.send(message).await?;
                    }
                    Err(RecvError::Lagged(_)) => {
                        subscription.count_lagged();
                        return Err(CloseReason::closed_by_server(close_code::POLICY, "too slow"));
                    }
                    Err(RecvError::Closed) => return Err(CloseReason::Disconnected),
                },
                () = replaced.cancelled() => return Err(replaced_by_others(&subscription)),
                text = self.socket.receive() => {
                    if let Some(text) = text? {
                        self.handle_message(&subscription, token.as_ref(), &text).await?;
                    }
                }
                _ = pings.tick() => self.socket.ping().await?,
            }
        }
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
        match self.socket.send_problem(&problem, None).await {
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
        let message = parse_message::<ClientMessage>(text);
        let may_be_free =
            subscription.player().is_some() || matches!(message, Ok(ClientMessage::Ping {}));
        if !(may_be_free && self.socket.take_free_message()) {
            self.socket.check_rate_limit().await?;
        }
        let (command, ply) = match message {
            Ok(ClientMessage::Ping {}) => {
                return self.socket.send(subscription.handle().pong()).await;
            }
            Ok(ClientMessage::Phrase { phrase }) => {
                return self.send_phrase(subscription, phrase).await;
            }
            Ok(ClientMessage::Move { ply, mv }) => (GameCommand::Play { ply, mv }, Some(ply)),
            Ok(ClientMessage::Name { name }) => match parse_name(&name) {
                Ok(name) => (GameCommand::SetName(name), None),
                Err(problem) => return self.socket.send_problem(&problem, None).await,
            },
            Ok(ClientMessage::Resign {}) => (GameCommand::Resign, None),
            Ok(ClientMessage::Takeback { action }) => (GameCommand::Takeback(action), None),
            Ok(ClientMessage::Rematch { action }) => (GameCommand::Rematch(action), None),
            Ok(ClientMessage::Hello { .. }) => {
                let problem = ProblemResponse::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "`hello` was already sent",
                );
                return self.socket.send_problem(&problem, None).await;
            }
            Err(problem) => return self.socket.send_problem(&problem, None).await,
        };
        let Some(token) = token else {
            let problem = forbidden(&CommandError::MissingToken);
            return self.socket.send_problem(&problem, ply).await;
        };
        match subscription.handle().execute(token, command).await {
            Ok(outcome) => match outcome.repeated {
                Some(message) => self.socket.send(message).await,
                None => Ok(()),
            },
            Err(error) => self.socket.send_problem(&error.into(), ply).await,
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
            return self.socket.send_problem(&problem, None).await;
        };
        match subscription.handle().send_phrase(player, phrase).await {
            Ok(()) => Ok(()),
            Err(error) => self.socket.send_problem(&error.into(), None).await,
        }
    }
}

/// Receives messages until a valid `hello`.
async fn receive_hello(
    socket: &mut LiveSocket,
) -> Result<(Option<PlayerToken>, Option<usize>), CloseReason> {
    loop {
        let Some(text) = socket.receive().await? else {
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
        socket.check_rate_limit().await?;
        let problem = match message {
            Ok(ClientMessage::Hello { token: None, since }) => return Ok((None, since)),
            Ok(ClientMessage::Hello { token: Some(_), .. }) => {
                let problem = forbidden(&CommandError::InvalidToken);
                socket.send_problem(&problem, None).await?;
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
        socket.send_problem(&problem, None).await?;
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
