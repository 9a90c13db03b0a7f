//! A reference to a game in memory: its state, the commands of players and their subscriptions.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use kalah::PlayerId;
use kalah_store::{GameId, PlayerToken, Timestamp};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::games::command_error::CommandError;
use crate::games::friend_game::FriendGame;
use crate::games::live_game::{
    GameChange, GameCommand, GameConnection, GameUpdate, LiveGame, MAX_SPECTATORS, apply,
    move_message,
};
use crate::games::messages::{GameError, GameStateView, Phrase, ServerMessage};
use crate::games::registry::GameRegistry;
use crate::http::rate_limit::ClientIp;
use crate::rooms::state::room_game::GameSnapshot;

/// A reference to a game in memory, which keeps it there.
#[derive(Debug)]
pub(crate) struct GameHandle {
    pub(super) registry: Arc<GameRegistry>,
    pub(super) live_game: Arc<LiveGame>,
}

/// The result of a command that was not rejected.
#[derive(Debug)]
pub(crate) struct CommandOutcome {
    /// The state of the game as the player who sent the command sees it.
    pub(crate) view: GameStateView,
    /// The message of a ply that was already on disk; subscribers have it.
    pub(crate) repeated: Option<Utf8Bytes>,
}

/// A subscription of a WebSocket connection to a game.
pub(crate) struct Subscription {
    handle: GameHandle,
    connection: GameConnection,
    /// The messages to send first: missed plies and the current state.
    pub(crate) backlog: Vec<Utf8Bytes>,
    /// The messages from then on.
    pub(crate) updates: broadcast::Receiver<GameUpdate>,
}

/// The maximum number of missed plies to send one by one. Clients that missed more receive only the
/// state.
const MAX_BACKLOG_PLIES: usize = 64;

/// Removes the game from memory with its last handle.
impl Drop for GameHandle {
    fn drop(&mut self) {
        let mut live_games = self.registry.lock_live_games();
        if let Entry::Occupied(mut entry) = live_games.entry(self.live_game.id) {
            entry.get_mut().handles -= 1;
            if entry.get().handles == 0 {
                entry.remove();
                self.registry.metrics.open.dec();
            }
        }
    }
}

impl GameHandle {
    /// Returns the id of the game.
    pub(super) fn id(&self) -> GameId {
        self.live_game.id
    }

    /// Returns another handle of the same game.
    fn duplicate(&self) -> Self {
        self.registry.get(self.live_game.id)
    }

    /// Returns the state of the game as the player with `token` sees it, or a spectator.
    pub(crate) async fn view(
        &self,
        token: Option<&PlayerToken>,
    ) -> Result<GameStateView, GameError> {
        let mut slot = self.live_game.game.lock().await;
        let game = self
            .registry
            .take_or_load(&mut slot, self.live_game.id)
            .await?;
        let now = self.registry.time.now();
        let player = token.map(|token| game.player(token)).transpose();
        let view = self
            .live_game
            .view(&game, player.clone().ok().flatten(), now);
        *slot = Some(game);
        match player {
            Ok(_) => Ok(view),
            Err(reason) => Err(GameError::Rejected {
                reason,
                state: Box::new(view),
            }),
        }
    }

    /// Returns the answer to a ping.
    pub(super) fn pong(&self) -> Utf8Bytes {
        self.live_game.pong(self.registry.time.now())
    }

    /// Sends a phrase of a player to all subscribers.
    ///
    /// # Errors
    /// Returns [`GameError::TooManyPhrases`] if the last one was less than a second ago.
    pub(super) async fn send_phrase(
        &self,
        player: PlayerId,
        phrase: Phrase,
    ) -> Result<(), GameError> {
        let mut slot = self.live_game.game.lock().await;
        let game = self.registry.take_or_load(&mut slot, self.id()).await?;
        let is_swapped = game.game().is_swapped();
        *slot = Some(game);
        if !self.live_game.take_phrase(player, self.registry.time.now()) {
            return Err(GameError::TooManyPhrases);
        }
        let side = player.side(is_swapped);
        let message = ServerMessage::Phrase { side, phrase };
        self.live_game.broadcast(&message.to_text());
        Ok(())
    }

    /// Executes a command of the player with `token`. It is executed, saved and broadcast
    /// completely, even if the caller is cancelled.
    pub(crate) async fn execute(
        &self,
        token: &PlayerToken,
        command: GameCommand,
    ) -> Result<CommandOutcome, GameError> {
        let (handle, token) = (self.duplicate(), token.clone());
        let task = self
            .registry
            .tasks
            .spawn(async move { handle.execute_now(&token, command).await });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a command panicked");
            Err(GameError::Panicked)
        })
    }

    async fn execute_now(
        &self,
        token: &PlayerToken,
        command: GameCommand,
    ) -> Result<CommandOutcome, GameError> {
        let (registry, live_game) = (&self.registry, &self.live_game);
        let mut slot = live_game.game.lock().await;
        let mut game = registry.take_or_load(&mut slot, live_game.id).await?;
        registry.check_clock(live_game, &mut game).await?;
        let now = registry.time.now();
        let ply = match &command {
            GameCommand::Play { ply, .. } => Some(*ply),
            _ => None,
        };
        let was_swapped = game.game().is_swapped();
        let change = apply(&mut game, token, command, now);
        let player = game.player(token).ok();
        let change = match change {
            Ok(change) => change,
            Err(reason) => {
                let state = Box::new(live_game.view(&game, player, now));
                *slot = Some(game);
                return Err(GameError::Rejected { reason, state });
            }
        };
        registry.save(&game, &change).await?;
        let message = ply.and_then(|ply| move_message(&game, ply, now));
        let mut repeated = None;
        match change {
            GameChange::Unchanged => repeated = message,
            GameChange::State
            | GameChange::Join(_)
            | GameChange::Takeback(_)
            | GameChange::Rematch(_) => {
                live_game.broadcast_state(&game, now);
            }
            GameChange::Ply => {
                registry.metrics.plies.inc();
                if let Some(message) = message {
                    live_game.broadcast(&message);
                }
                if game.state().ending.is_some() || game.game().is_swapped() != was_swapped {
                    live_game.broadcast_state(&game, now);
                }
            }
        }
        let state = live_game.view(&game, player, now);
        *slot = Some(game);
        Ok(CommandOutcome {
            view: state,
            repeated,
        })
    }

    /// Changes the game for the leader of its room: `change` is applied, saved and broadcast.
    /// Returns the values of the game after it.
    ///
    /// # Errors
    /// Returns [`GameError::Rejected`] if `change` refuses, and an error if the game cannot be
    /// saved.
    pub(crate) async fn change_as_leader(
        &self,
        change: impl FnOnce(&mut FriendGame, Timestamp) -> Result<(), CommandError>,
    ) -> Result<GameSnapshot, GameError> {
        let (registry, live_game) = (&self.registry, &self.live_game);
        let mut slot = live_game.game.lock().await;
        let mut game = registry.take_or_load(&mut slot, live_game.id).await?;
        registry.check_clock(live_game, &mut game).await?;
        let now = registry.time.now();
        if let Err(reason) = change(&mut game, now) {
            let state = Box::new(live_game.view(&game, None, now));
            *slot = Some(game);
            return Err(GameError::Rejected { reason, state });
        }
        registry.save(&game, &GameChange::State).await?;
        live_game.broadcast_state(&game, now);
        let snapshot = GameSnapshot::from(&game);
        *slot = Some(game);
        Ok(snapshot)
    }

    /// Subscribes the player with `token`, or a spectator, at an address. The backlog contains the
    /// plies after ply `since`.
    pub(crate) async fn subscribe(
        self,
        token: Option<&PlayerToken>,
        since: Option<usize>,
        client: ClientIp,
    ) -> Result<Subscription, GameError> {
        let mut slot = self.live_game.game.lock().await;
        let game = self
            .registry
            .take_or_load(&mut slot, self.live_game.id)
            .await?;
        let now = self.registry.time.now();
        let player = match token.map(|token| game.player(token)).transpose() {
            Ok(player) => player,
            Err(reason) => {
                let state = Box::new(self.live_game.view(&game, None, now));
                *slot = Some(game);
                return Err(GameError::Rejected { reason, state });
            }
        };
        let connection = self.live_game.add_connection(player, client);
        let room = game.room().filter(|room| !room.engine_help);
        if room.is_some() && player.is_some() && connection.is_some() {
            self.registry.without_help.add(client, self.live_game.id);
        }
        let subscription = connection
            .ok_or(GameError::TooManySpectators {
                maximum: MAX_SPECTATORS,
            })
            .map(|connection| {
                if player.is_some_and(|player| self.live_game.connection_count(player) == 1) {
                    self.live_game.broadcast_state(&game, now);
                }
                let ply_count = game.game().plies().len();
                let known = since.unwrap_or(ply_count);
                let missed_plies = known.saturating_add(1)..=ply_count;
                // After a takeback the plies that the client knows may not be those of the game.
                let is_known_line = game.state().takeback_count == 0;
                let missed = missed_plies.clone().count();
                let mut backlog: Vec<_> = if missed > MAX_BACKLOG_PLIES || !is_known_line {
                    Vec::new()
                } else {
                    missed_plies
                        .filter_map(|ply| move_message(&game, ply, now))
                        .collect()
                };
                let state = self.live_game.view(&game, player, now);
                backlog.push(ServerMessage::State { state: &state }.to_text());
                // No ply can be missed: the lock of the game is held.
                (connection, backlog, self.live_game.subscribe())
            });
        *slot = Some(game);
        drop(slot);
        let (connection, backlog, updates) = subscription?;
        self.registry.metrics.websockets.inc();
        Ok(Subscription {
            handle: self,
            connection,
            backlog,
            updates,
        })
    }
}

impl Subscription {
    /// Returns the player of the subscription, or `None` for a spectator.
    pub(crate) fn player(&self) -> Option<PlayerId> {
        self.connection.player
    }

    /// Returns a token that is cancelled when other connections replace this one.
    pub(crate) fn replaced(&self) -> CancellationToken {
        self.connection.replaced.clone()
    }

    /// Returns the handle of the game.
    pub(crate) fn handle(&self) -> &GameHandle {
        &self.handle
    }

    /// Counts that the subscriber was disconnected because it read too slowly.
    pub(crate) fn count_lagged(&self) {
        self.handle.registry.metrics.lagged.inc();
    }
}

/// Removes the connection, and tells the other subscribers if it was the player's last one.
impl Drop for Subscription {
    fn drop(&mut self) {
        self.handle.registry.metrics.websockets.dec();
        if let (Some(_), client) = (self.connection.player, self.connection.client) {
            let game = self.handle.live_game.id;
            self.handle.registry.without_help.remove(client, game);
        }
        if !self.handle.live_game.remove_connection(&self.connection) {
            return;
        }
        let handle = self.handle.duplicate();
        self.handle.registry.tasks.spawn(async move {
            let slot = handle.live_game.game.lock().await;
            if let Some(game) = slot.as_ref() {
                handle
                    .live_game
                    .broadcast_state(game, handle.registry.time.now());
            }
        });
    }
}
