//! The registry of all games: loads, saves and hands out live games.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kalah::{ByPlayer, PlayerId};
use kalah_store::{
    DataFolder, GameId, GameStore, GameWrite, OpenStoreError, PlayerName, PlayerToken,
};
use prometheus_client::registry::Registry;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::games::engine_help::GamesWithoutHelp;
use crate::games::friend_game::{FriendGame, FriendGameOptions};
use crate::games::game_handle::GameHandle;
use crate::games::live_game::{GameChange, LiveGame, clock_expiry};
use crate::games::messages::{GameError, GameStateView};
use crate::games::time::{Deadlines, TimeSource};
use crate::metrics::GameMetrics;
use crate::rooms::registry::RoomGameEvent;
use crate::rooms::state::room_game::GameSnapshot;

/// All games of a server. Games with connections or running requests are in memory, all games are
/// on disk.
#[derive(Debug)]
pub(crate) struct GameRegistry {
    pub(crate) store: GameStore,
    pub(crate) time: TimeSource,
    pub(super) deadlines: Deadlines,
    pub(super) metrics: GameMetrics,
    /// The games in memory. An entry lives as long as it has handles.
    live_games: Mutex<HashMap<GameId, RegistryEntry>>,
    /// Commands run as tasks, which finish even if their client disconnects.
    pub(crate) tasks: TaskTracker,
    pub(super) without_help: GamesWithoutHelp,
    /// The changes of games that belong to rooms, once the rooms follow them.
    room_events: OnceLock<mpsc::UnboundedSender<RoomGameEvent>>,
    /// The data folder of a server without one. Declared last, so it is deleted last.
    _temporary: Option<TempDir>,
}

/// A game in memory and the number of its handles.
#[derive(Debug)]
pub(super) struct RegistryEntry {
    live_game: Arc<LiveGame>,
    pub(super) handles: usize,
}

/// A new game and the tokens of its players.
#[derive(Debug)]
pub(crate) struct CreatedGame {
    /// The game as its creator sees it.
    pub(crate) view: GameStateView,
    /// The token of the creator.
    pub(crate) token: PlayerToken,
}

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
            without_help: GamesWithoutHelp::default(),
            room_events: OnceLock::new(),
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

    /// Returns the changes of games that belong to rooms, from then on. Only the first call has
    /// them.
    pub(crate) fn room_events(&self) -> mpsc::UnboundedReceiver<RoomGameEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // The receiver of a later call is closed.
        let _ = self.room_events.set(sender);
        receiver
    }

    /// Starts to watch the clock of a new game, which is on disk.
    pub(crate) fn started(&self, game: &FriendGame) {
        self.metrics.created.inc();
        self.deadlines.set(game.id(), clock_expiry(game));
    }

    /// Returns the values of a game that change while it is played.
    ///
    /// # Errors
    /// Returns an error if the game cannot be read.
    pub(crate) async fn snapshot(self: &Arc<Self>, id: GameId) -> Result<GameSnapshot, GameError> {
        let handle = self.get(id);
        let mut slot = handle.live_game.game.lock().await;
        let game = self.take_or_load(&mut slot, id).await?;
        let snapshot = GameSnapshot::from(&game);
        *slot = Some(game);
        Ok(snapshot)
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
    pub(super) async fn take_or_load(
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
    pub(super) async fn check_clock(
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
    pub(super) async fn save(
        &self,
        game: &FriendGame,
        change: &GameChange,
    ) -> Result<(), GameError> {
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
        if let (Some(event), Some(events)) = (RoomGameEvent::of(game), self.room_events.get()) {
            // The rooms do not follow their games during a shutdown.
            let _ = events.send(event);
        }
        Ok(())
    }

    pub(super) fn lock_live_games(&self) -> MutexGuard<'_, HashMap<GameId, RegistryEntry>> {
        self.live_games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;
    use std::time::Duration;

    use axum::extract::ws::Utf8Bytes;
    use kalah::{Position, Rules};
    use tokio::sync::broadcast;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::games::background::start_background_tasks;
    use crate::games::live_game::GameCommand;
    use crate::http::rate_limit::ClientIp;

    const CLIENT: ClientIp = ClientIp::OVERFLOW;

    async fn registry_with_a_game() -> (Arc<GameRegistry>, GameId, PlayerToken) {
        let (mut metrics_registry, tasks) = (Registry::default(), TaskTracker::new());
        let games = GameRegistry::open(None, &mut metrics_registry, tasks).expect("a registry");
        let games = Arc::new(games);
        let options = FriendGameOptions {
            start: Position::start(6, 4, Rules::CS32).expect("a start"),
            clock: None,
            spectator_scores: false,
            shares: false,
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
