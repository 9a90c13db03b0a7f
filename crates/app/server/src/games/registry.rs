//! The registry of all games: loads, saves and hands out live games.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use kalah::{ByPlayer, PlayerId};
use kalah_store::{
    DataFolder, GameId, GameStore, GameWrite, OpenStoreError, PlayerName, PlayerToken,
};
use prometheus_client::registry::Registry;
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::games::friend_game::{FriendGame, FriendGameOptions};
use crate::games::live_game::{
    GameChange, GameCommand, GameConnection, GameUpdate, LiveGame, MAX_SPECTATORS, apply,
    clock_expiry, move_message,
};
use crate::games::messages::{GameError, GameStateView, Phrase, ServerMessage};
use crate::games::time::{Deadlines, TimeSource};
use crate::http::rate_limit::ClientIp;
use crate::metrics::GameMetrics;

/// All games of a server. Games with connections or running requests are in memory, all games are
/// on disk.
#[derive(Debug)]
pub(crate) struct GameRegistry {
    pub(super) store: GameStore,
    pub(super) time: TimeSource,
    pub(super) deadlines: Deadlines,
    pub(super) metrics: GameMetrics,
    /// The games in memory. An entry lives as long as it has handles.
    live_games: Mutex<HashMap<GameId, RegistryEntry>>,
    /// Commands run as tasks, which finish even if their client disconnects.
    tasks: TaskTracker,
    /// The data folder of a server without one. Declared last, so it is deleted last.
    _temporary: Option<TempDir>,
}

/// A game in memory and the number of its handles.
#[derive(Debug)]
struct RegistryEntry {
    live_game: Arc<LiveGame>,
    handles: usize,
}

/// A reference to a game in memory, which keeps it there.
#[derive(Debug)]
pub(crate) struct GameHandle {
    registry: Arc<GameRegistry>,
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

/// A new game and the tokens of its players.
#[derive(Debug)]
pub(crate) struct CreatedGame {
    /// The game as its creator sees it.
    pub(crate) view: GameStateView,
    /// The token of the creator.
    pub(crate) token: PlayerToken,
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

impl GameRegistry {
    /// Opens the games in `folder`, or in a temporary folder. Metrics are registered in
    /// `metrics_registry`, commands run in `tasks`. Requires a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub(crate) fn open(
        folder: Option<&DataFolder>,
        metrics_registry: &mut Registry,
        tasks: TaskTracker,
    ) -> Result<Self, OpenStoreError> {
        let (folder, temporary) = if let Some(folder) = folder {
            (folder.clone(), None)
        } else {
            let temporary = TempDir::new().map_err(OpenStoreError::Temporary)?;
            (DataFolder::new(temporary.path()), Some(temporary))
        };
        let (time, metrics) = (TimeSource::system(), GameMetrics::new(metrics_registry));
        let commit_metrics = metrics.clone();
        let observe = Box::new(move |writes, duration| {
            commit_metrics.record_commit(writes, duration);
        });
        Ok(Self {
            store: GameStore::open(&folder, time.now(), observe)?,
            time,
            deadlines: Deadlines::default(),
            metrics,
            live_games: Mutex::default(),
            tasks,
            _temporary: temporary,
        })
    }

    /// Creates a game whose creator is `player` and has the name `name`.
    pub(crate) async fn create(
        &self,
        options: FriendGameOptions,
        player: PlayerId,
        name: Option<PlayerName>,
    ) -> Result<CreatedGame, GameError> {
        let token = PlayerToken::random();
        let now = self.time.now();
        let mut game = FriendGame::new(options, player, token.hash(), now);
        game.set_name(player, name, now);
        self.store
            .write(GameWrite::NewGame(Box::new(game.to_stored())))
            .await?;
        self.metrics.created.inc();
        let connected = ByPlayer::new(false, false);
        let view = GameStateView::new(&game, Some(player), connected, now);
        Ok(CreatedGame { view, token })
    }

    /// Returns a handle of a game, which need not exist.
    pub(crate) fn get(self: &Arc<Self>, id: GameId) -> GameHandle {
        let mut live_games = self.lock_live_games();
        let entry = live_games.entry(id).or_insert_with(|| {
            self.metrics.open.inc();
            RegistryEntry {
                live_game: Arc::new(LiveGame::new(id)),
                handles: 0,
            }
        });
        entry.handles += 1;
        GameHandle {
            registry: Arc::clone(self),
            live_game: Arc::clone(&entry.live_game),
        }
    }

    /// Ends a game if its clock has expired.
    pub(super) async fn end_if_timed_out(self: &Arc<Self>, id: GameId) -> Result<(), GameError> {
        let handle = self.get(id);
        let mut slot = handle.live_game.game.lock().await;
        let mut game = self.take_or_load(&mut slot, id).await?;
        self.check_clock(&handle.live_game, &mut game).await?;
        self.deadlines.set(id, clock_expiry(&game));
        *slot = Some(game);
        Ok(())
    }

    /// Sends the states of all games with a running clock to their subscribers.
    pub(super) async fn broadcast_clocks(self: &Arc<Self>) {
        let games: Vec<GameId> = self.lock_live_games().keys().copied().collect();
        for id in games {
            let handle = self.get(id);
            let slot = handle.live_game.game.lock().await;
            if let Some(game) = slot.as_ref().filter(|game| clock_expiry(game).is_some()) {
                handle.live_game.broadcast_state(game, self.time.now());
            }
        }
    }

    /// Closes the store after all accepted writes are on disk.
    pub(crate) async fn close(&self) {
        if let Err(error) = self
            .store
            .write(GameWrite::Heartbeat(self.time.now()))
            .await
        {
            tracing::error!(%error, "cannot write the last heartbeat");
        }
        self.store.close().await;
    }

    /// Takes a game out of its slot, loading it if necessary. A caller that does not put it back
    /// causes a reload.
    async fn take_or_load(
        &self,
        slot: &mut Option<FriendGame>,
        id: GameId,
    ) -> Result<FriendGame, GameError> {
        if let Some(game) = slot.take() {
            return Ok(game);
        }
        let stored = self.store.load(id).await?;
        let game =
            FriendGame::from_stored(&stored).map_err(|reason| GameError::Damaged { id, reason })?;
        Ok(game)
    }

    /// Ends a game if its clock has expired, saves it and broadcasts the state.
    async fn check_clock(
        &self,
        live_game: &LiveGame,
        game: &mut FriendGame,
    ) -> Result<(), GameError> {
        let now = self.time.now();
        if game.check_clock(now) {
            self.save(game, &GameChange::State).await?;
            self.metrics.timed_out.inc();
            live_game.broadcast_state(game, now);
        }
        Ok(())
    }

    /// Writes the change of a game to disk.
    async fn save(&self, game: &FriendGame, change: &GameChange) -> Result<(), GameError> {
        let id = game.id();
        let state = Box::new(game.state().clone());
        let write = match (change, game.last_ply()) {
            (GameChange::Unchanged, _) => return Ok(()),
            (GameChange::Ply, Some(ply)) => GameWrite::Ply {
                game: id,
                number: game.game().plies().len(),
                mv: ply.mv.text(ply.side),
                state,
            },
            (GameChange::Takeback(takeback), _) => GameWrite::Takeback {
                game: id,
                takeback: takeback.clone(),
                state,
            },
            (&GameChange::Join(player), _) => GameWrite::Join {
                game: id,
                player,
                token: game.token_hash(player),
                state,
            },
            (GameChange::Rematch(other), _) => GameWrite::Rematch {
                game: id,
                state,
                other: Box::new(other.to_stored()),
            },
            (GameChange::State | GameChange::Ply, _) => GameWrite::State { game: id, state },
        };
        self.store.write(write).await?;
        self.deadlines.set(id, clock_expiry(game));
        if let GameChange::Rematch(other) = change {
            self.deadlines.set(other.id(), clock_expiry(other));
        }
        Ok(())
    }

    fn lock_live_games(&self) -> MutexGuard<'_, HashMap<GameId, RegistryEntry>> {
        self.live_games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

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

#[cfg(test)]
mod tests {
    use std::task::Poll;
    use std::time::Duration;

    use kalah::{Position, Rules};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::games::background::start_background_tasks;

    const CLIENT: ClientIp = ClientIp::OVERFLOW;

    async fn registry_with_a_game() -> (Arc<GameRegistry>, GameId, PlayerToken) {
        let (mut metrics_registry, tasks) = (Registry::default(), TaskTracker::new());
        let games = GameRegistry::open(None, &mut metrics_registry, tasks).expect("a registry");
        let games = Arc::new(games);
        let options = FriendGameOptions {
            start: Position::start(6, 4, Rules::CS32).expect("a start"),
            clock: None,
            spectator_scores: false,
        };
        let created = games
            .create(options, PlayerId::ALL[0], None)
            .await
            .expect("a game");
        let id = created.view.game.parse().expect("a name");
        (games, id, created.token)
    }

    fn first_ply() -> GameCommand {
        GameCommand::Play {
            ply: 1,
            mv: "A".to_owned(),
        }
    }

    #[tokio::test]
    async fn command_finishes_after_its_caller_is_cancelled() {
        let (games, id, token) = registry_with_a_game().await;
        let mut watcher = games
            .get(id)
            .subscribe(None, None, CLIENT)
            .await
            .expect("a subscription");
        let handle = games.get(id);
        {
            // One poll starts the command without finishing it.
            let mut future = std::pin::pin!(handle.execute(&token, first_ply()));
            let outcome =
                std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
            assert!(outcome.await.is_pending());
        }
        drop(handle);
        watcher.updates.recv().await.expect("an update");
        let stored = games.store.load(id).await.expect("a stored game");
        assert_eq!(stored.plies, ["A"]);
    }

    #[tokio::test]
    async fn live_game_is_dropped_with_its_last_handle() {
        let (games, id, token) = registry_with_a_game().await;
        let (first, second) = (games.get(id), games.get(id));
        assert!(Arc::ptr_eq(&first.live_game, &second.live_game));
        drop(first);
        second
            .execute(&token, first_ply())
            .await
            .expect("a legal move");
        assert_eq!(games.metrics.open.get(), 1);
        drop(second);
        games.tasks.close();
        games.tasks.wait().await;
        assert_eq!(
            (games.metrics.open.get(), games.lock_live_games().len()),
            (0, 0)
        );
        let state = games.get(id).view(None).await.expect("the game");
        assert_eq!(state.plies, ["A"]);
    }

    #[tokio::test(start_paused = true)]
    async fn clock_is_observed_while_a_broadcast_waits_for_a_game() {
        let (games, id, _) = registry_with_a_game().await;
        let shutdown = CancellationToken::new();
        start_background_tasks(&games, &shutdown)
            .await
            .expect("no running clocks");
        let handle = games.get(id);
        let locked = handle.live_game.game.lock().await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let pause = Duration::from_mins(1);
        tokio::time::advance(pause).await;
        let paused = games.time.paused();
        assert!(paused >= pause, "{paused:?}");
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(games.time.paused(), paused);
        drop(locked);
        shutdown.cancel();
    }

    #[tokio::test]
    async fn slow_subscriber_lags_without_blocking_others() {
        let (games, id, _) = registry_with_a_game().await;
        let handle = games.get(id);
        let mut slow = games
            .get(id)
            .subscribe(None, None, CLIENT)
            .await
            .expect("a subscription");
        for _ in 0..1000 {
            handle.live_game.broadcast(&Utf8Bytes::from_static("news"));
        }
        let lagged = slow.updates.recv().await;
        assert!(matches!(
            lagged,
            Err(broadcast::error::RecvError::Lagged(_))
        ));
    }

    #[tokio::test]
    async fn failed_write_leaves_the_game_unchanged() {
        let (games, id, token) = registry_with_a_game().await;
        let handle = games.get(id);
        let before = handle.view(None).await.expect("the game");
        games
            .store
            .write(GameWrite::Delete(vec![id]))
            .await
            .expect("deleted");
        assert_eq!(handle.view(None).await.expect("in memory"), before);
        let outcome = handle.execute(&token, first_ply()).await;
        assert!(
            matches!(outcome, Err(GameError::NotFound(_))),
            "{outcome:?}"
        );
        // A state that may not be on disk is not kept in memory.
        assert!(matches!(
            handle.view(None).await,
            Err(GameError::NotFound(_))
        ));
        games.close().await;
        let closed = games.get(id).execute(&token, first_ply()).await;
        assert!(closed.is_err(), "{closed:?}");
    }
}
