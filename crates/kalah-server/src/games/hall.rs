use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use kalah::Position;
use kalah_api::MoveResultView;
use prometheus_client::registry::Registry;
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;

use crate::games::counts::GameMetrics;
use crate::games::deadlines::Deadlines;
use crate::games::failure::GameError;
use crate::games::message::ServerMessage;
use crate::games::room::{GameUpdate, LiveGame};
use crate::games::{
    ByPlayer, ClockSetting, ClockView, CommandError, DataFolder, FriendGame, GameId, GameStateView,
    GameStore, GameWrite, OpenStoreError, PlayOutcome, PlayerId, PlayerToken, RematchOutcome,
    TimeSource, Timestamp,
};

/// All games of a server: those that somebody looks at are in memory, each in its room, and all are on
/// disk.
#[derive(Debug)]
pub(crate) struct GameRegistry {
    pub(super) store: GameStore,
    pub(super) time: TimeSource,
    pub(super) deadlines: Deadlines,
    pub(super) metrics: GameMetrics,
    /// A room lasts as long as somebody holds it.
    live_games: Mutex<HashMap<GameId, RegistryEntry>>,
    /// What has begun is finished, also when the caller leaves.
    tasks: TaskTracker,
    /// Deleted after all else.
    _temporary: Option<TempDir>,
}

/// A room, and how many hold it.
#[derive(Debug)]
struct RegistryEntry {
    live_game: Arc<LiveGame>,
    handles: usize,
}

/// A room, held as long as this is.
#[derive(Debug)]
pub(crate) struct GameHandle {
    registry: Arc<GameRegistry>,
    pub(super) live_game: Arc<LiveGame>,
}

/// What a person does in a game.
#[derive(Clone, Debug)]
pub(crate) enum GameCommand {
    /// Comes to it.
    Join,
    /// Makes a choice.
    Play {
        /// As which ply, from 1.
        ply: usize,
        /// A house's letter or `swap`.
        mv: String,
    },
    /// Gives the game up.
    Resign,
    /// Asks for another game.
    Rematch,
}

/// What came of an [`Act`].
#[derive(Debug)]
pub(crate) struct CommandOutcome {
    /// Who did it.
    pub(crate) player: Option<PlayerId>,
    /// How the game stands, as they see it.
    pub(crate) view: GameStateView,
    /// The message about the ply, if it was one that had been made before: nobody is told of it again.
    pub(crate) repeated: Option<Utf8Bytes>,
}

/// A new game, and what opens it.
#[derive(Debug)]
pub(crate) struct CreatedGame {
    /// The game as the one who made it sees it.
    pub(crate) view: GameStateView,
    /// For the one who made it.
    pub(crate) token: PlayerToken,
    /// For the other person.
    pub(crate) friend_token: PlayerToken,
}

/// Somebody who looks at a game and is told of what happens in it.
pub(crate) struct Subscription {
    handle: GameHandle,
    player: Option<PlayerId>,
    /// What has happened before: the plies that were missed, and how the game stands.
    pub(crate) backlog: Vec<Utf8Bytes>,
    /// What happens from now on.
    pub(crate) updates: broadcast::Receiver<GameUpdate>,
}

/// What is to be kept and told of an act that was not refused.
enum GameChange {
    Unchanged,
    State,
    Ply,
    Rematch(Box<FriendGame>),
}

/// The most plies that are told one by one to somebody who has missed them; who has missed more is
/// only told how the game stands.
const MAX_BACKLOG_PLIES: usize = 64;

impl GameRegistry {
    /// The games in `folder`, or in one that is deleted with the server if there is none; they are
    /// counted in `registry`, and what has begun is finished in `tasks`. Made within a tokio runtime.
    ///
    /// # Errors
    /// Why the games cannot be opened.
    pub(crate) fn open(
        folder: Option<&DataFolder>,
        registry: &mut Registry,
        tasks: TaskTracker,
    ) -> Result<Self, OpenStoreError> {
        let (folder, temporary) = if let Some(folder) = folder {
            (folder.clone(), None)
        } else {
            let temporary = TempDir::new().map_err(OpenStoreError::Temporary)?;
            (DataFolder::new(temporary.path()), Some(temporary))
        };
        let (time, counts) = (TimeSource::system(), GameMetrics::new(registry));
        let counted = counts.clone();
        let observe = Box::new(move |writes, took| counted.record_commit(writes, took));
        Ok(Self {
            store: GameStore::open(&folder, time.now(), observe)?,
            time,
            deadlines: Deadlines::default(),
            metrics: counts,
            live_games: Mutex::default(),
            tasks,
            _temporary: temporary,
        })
    }

    /// Makes a game for two people, the one who makes it beginning as `person`.
    pub(crate) async fn create(
        &self,
        start: Position,
        clock: Option<ClockSetting>,
        person: PlayerId,
    ) -> Result<CreatedGame, GameError> {
        let tokens = ByPlayer::from_fn(|_| PlayerToken::random());
        let hashes = ByPlayer::from_fn(|person| tokens[person].hash());
        let now = self.time.now();
        let game = FriendGame::new(start, clock, hashes, now);
        self.store
            .write(GameWrite::NewGame(Box::new(game.to_stored())))
            .await?;
        self.metrics.created.inc();
        let nobody = ByPlayer::new(false, false);
        Ok(CreatedGame {
            view: GameStateView::new(&game, Some(person), nobody, now),
            token: tokens[person].clone(),
            friend_token: tokens[person.opponent()].clone(),
        })
    }

    /// The room of a game, whether there is such a game or not.
    pub(crate) fn get(self: &Arc<Self>, id: GameId) -> GameHandle {
        let mut rooms = self.lock_live_games();
        let holding = rooms.entry(id).or_insert_with(|| {
            self.metrics.open.inc();
            RegistryEntry {
                live_game: Arc::new(LiveGame::new(id)),
                handles: 0,
            }
        });
        holding.handles += 1;
        GameHandle {
            registry: Arc::clone(self),
            live_game: Arc::clone(&holding.live_game),
        }
    }

    /// Ends a game whose clock has run out.
    pub(super) async fn end_if_timed_out(self: &Arc<Self>, id: GameId) -> Result<(), GameError> {
        let held = self.get(id);
        let mut place = held.live_game.game.lock().await;
        let mut game = self.take_or_load(&mut place, id).await?;
        self.check_clock(&held.live_game, &mut game).await?;
        self.deadlines.set(id, clock_expiry(&game));
        *place = Some(game);
        Ok(())
    }

    /// Ends the games: all that was accepted is on disk after it.
    pub(crate) async fn close(&self) {
        if let Err(error) = self
            .store
            .write(GameWrite::Heartbeat(self.time.now()))
            .await
        {
            tracing::error!(%error, "the end of the server cannot be kept");
        }
        self.store.close().await;
    }

    /// The game of a room, taken out of it; whoever cannot put it back leaves it to be read again.
    async fn take_or_load(
        &self,
        place: &mut Option<FriendGame>,
        id: GameId,
    ) -> Result<FriendGame, GameError> {
        if let Some(game) = place.take() {
            return Ok(game);
        }
        let saved = self.store.load(id).await?;
        let game = FriendGame::from_stored(&saved)
            .map_err(|reason| GameError::Store(super::StoreError::Damaged { id, reason }))?;
        Ok(game)
    }

    /// Ends a game whose clock has run out, if it has.
    async fn check_clock(&self, room: &LiveGame, game: &mut FriendGame) -> Result<(), GameError> {
        let now = self.time.now();
        if game.check_clock(now) {
            self.save(game, &GameChange::State).await?;
            self.metrics.timed_out.inc();
            room.broadcast_state(game, now);
        }
        Ok(())
    }

    /// Keeps what has changed in a game.
    async fn save(&self, game: &FriendGame, done: &GameChange) -> Result<(), GameError> {
        let id = game.id();
        let standing = Box::new(*game.state());
        let write = match (done, game.last_ply()) {
            (GameChange::Unchanged, _) => return Ok(()),
            (GameChange::Ply, Some(ply)) => GameWrite::Ply {
                game: id,
                number: game.game().plies().len(),
                mv: ply.mv.text(ply.side),
                state: standing,
            },
            (GameChange::Rematch(other), _) => GameWrite::Rematch {
                game: id,
                state: standing,
                other: Box::new(other.to_stored()),
            },
            (GameChange::State | GameChange::Ply, _) => GameWrite::State {
                game: id,
                state: standing,
            },
        };
        self.store.write(write).await?;
        self.deadlines.set(id, clock_expiry(game));
        Ok(())
    }

    fn lock_live_games(&self) -> MutexGuard<'_, HashMap<GameId, RegistryEntry>> {
        self.live_games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A room that nobody holds any more is forgotten.
impl Drop for GameHandle {
    fn drop(&mut self) {
        let mut rooms = self.registry.lock_live_games();
        if let Entry::Occupied(mut holding) = rooms.entry(self.live_game.id) {
            holding.get_mut().handles -= 1;
            if holding.get().handles == 0 {
                holding.remove();
                self.registry.metrics.open.dec();
            }
        }
    }
}

impl GameHandle {
    /// The same room, held once more.
    fn duplicate(&self) -> Self {
        self.registry.get(self.live_game.id)
    }

    /// How the game stands, as the person with `token` sees it, or somebody who watches.
    pub(crate) async fn view(
        &self,
        token: Option<&PlayerToken>,
    ) -> Result<GameStateView, GameError> {
        let mut place = self.live_game.game.lock().await;
        let game = self
            .registry
            .take_or_load(&mut place, self.live_game.id)
            .await?;
        let now = self.registry.time.now();
        let person = token.map(|token| game.player(token)).transpose();
        let view = self
            .live_game
            .view(&game, person.clone().ok().flatten(), now);
        *place = Some(game);
        match person {
            Ok(_) => Ok(view),
            Err(refused) => Err(GameError::Rejected {
                reason: refused,
                state: Box::new(view),
            }),
        }
    }

    /// Does something for the person with `token`. It is done, kept and told to the end, also if the
    /// caller leaves.
    pub(crate) async fn execute(
        &self,
        token: &PlayerToken,
        act: GameCommand,
    ) -> Result<CommandOutcome, GameError> {
        let (held, token) = (self.duplicate(), token.clone());
        let task = self
            .registry
            .tasks
            .spawn(async move { held.execute_now(&token, act).await });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "what was to be done in a game has broken off");
            Err(GameError::Panicked)
        })
    }

    async fn execute_now(
        &self,
        token: &PlayerToken,
        act: GameCommand,
    ) -> Result<CommandOutcome, GameError> {
        let (hall, room) = (&self.registry, &self.live_game);
        let mut place = room.game.lock().await;
        let mut game = hall.take_or_load(&mut place, room.id).await?;
        hall.check_clock(room, &mut game).await?;
        let now = hall.time.now();
        let ply = match &act {
            GameCommand::Play { ply, .. } => Some(*ply),
            GameCommand::Join | GameCommand::Resign | GameCommand::Rematch => None,
        };
        let was_swapped = game.game().is_swapped();
        let person = game.player(token);
        let done = match &person {
            Ok(person) => apply(&mut game, *person, act, now),
            Err(refused) => Err(refused.clone()),
        };
        let person = person.ok();
        let done = match done {
            Ok(done) => done,
            Err(refused) => {
                let state = Box::new(room.view(&game, person, now));
                *place = Some(game);
                return Err(GameError::Rejected {
                    reason: refused,
                    state,
                });
            }
        };
        hall.save(&game, &done).await?;
        let message = ply.and_then(|ply| move_message(&game, ply, now));
        let mut repeated = None;
        match done {
            GameChange::Unchanged => repeated = message,
            GameChange::State | GameChange::Rematch(_) => room.broadcast_state(&game, now),
            GameChange::Ply => {
                hall.metrics.plies.inc();
                if let Some(message) = message {
                    room.broadcast(&message);
                }
                if game.state().ending.is_some() || game.game().is_swapped() != was_swapped {
                    room.broadcast_state(&game, now);
                }
            }
        }
        let state = room.view(&game, person, now);
        *place = Some(game);
        Ok(CommandOutcome {
            player: person,
            view: state,
            repeated,
        })
    }

    /// Joins those who are told of what happens, as the person with `token` or as somebody who
    /// watches. Who knows `since` plies already is told of the later ones.
    pub(crate) async fn subscribe(
        self,
        token: Option<&PlayerToken>,
        since: Option<usize>,
    ) -> Result<Subscription, GameError> {
        let person = match token {
            Some(token) => self.execute(token, GameCommand::Join).await?.player,
            None => None,
        };
        let mut place = self.live_game.game.lock().await;
        let game = self
            .registry
            .take_or_load(&mut place, self.live_game.id)
            .await?;
        let now = self.registry.time.now();
        let entered = self.live_game.add_connection(person);
        let answer = entered.ok_or(GameError::TooManyConnections).map(|is_news| {
            if is_news {
                self.live_game.broadcast_state(&game, now);
            }
            let made = game.game().plies().len();
            let known = since.unwrap_or(made);
            let missed = known.saturating_add(1)..=made;
            let mut before: Vec<_> = if missed.clone().count() > MAX_BACKLOG_PLIES {
                Vec::new()
            } else {
                missed
                    .filter_map(|ply| move_message(&game, ply, now))
                    .collect()
            };
            let state = self.live_game.view(&game, person, now);
            before.push(ServerMessage::State { state: &state }.to_text());
            // Nothing happens while the game is out of its place.
            (before, self.live_game.subscribe())
        });
        *place = Some(game);
        drop(place);
        let (before, told) = answer?;
        self.registry.metrics.websockets.inc();
        Ok(Subscription {
            handle: self,
            player: person,
            backlog: before,
            updates: told,
        })
    }
}

impl Subscription {
    /// Who attends; nobody in particular if they watch.
    pub(crate) fn player(&self) -> Option<PlayerId> {
        self.player
    }

    /// The room.
    pub(crate) fn handle(&self) -> &GameHandle {
        &self.handle
    }

    /// Counts that this one is dropped for being behind.
    pub(crate) fn count_lagged(&self) {
        self.handle.registry.metrics.lagged.inc();
    }
}

/// Who leaves is no longer connected, and the others are told.
impl Drop for Subscription {
    fn drop(&mut self) {
        self.handle.registry.metrics.websockets.dec();
        if !self.handle.live_game.remove_connection(self.player) {
            return;
        }
        let held = self.handle.duplicate();
        self.handle.registry.tasks.spawn(async move {
            let place = held.live_game.game.lock().await;
            if let Some(game) = place.as_ref() {
                held.live_game
                    .broadcast_state(game, held.registry.time.now());
            }
        });
    }
}

fn apply(
    game: &mut FriendGame,
    person: PlayerId,
    act: GameCommand,
    now: Timestamp,
) -> Result<GameChange, CommandError> {
    Ok(match act {
        GameCommand::Join if game.join(person, now) => GameChange::State,
        GameCommand::Join => GameChange::Unchanged,
        GameCommand::Play { ply, mv } => match game.play(person, ply, &mv, now)? {
            PlayOutcome::Played => GameChange::Ply,
            PlayOutcome::Repeated => GameChange::Unchanged,
        },
        GameCommand::Resign => {
            game.resign(person, now)?;
            GameChange::State
        }
        GameCommand::Rematch => match game.request_rematch(person, now)? {
            RematchOutcome::Offered => GameChange::State,
            RematchOutcome::Repeated => GameChange::Unchanged,
            RematchOutcome::Created(other) => GameChange::Rematch(other),
        },
    })
}

/// When the clock of a game runs out, if it runs.
fn clock_expiry(game: &FriendGame) -> Option<Timestamp> {
    game.state().clock.and_then(|clock| clock.expires_at())
}

/// The message about ply `number` of a game, if that has been made.
fn move_message(game: &FriendGame, number: usize, now: Timestamp) -> Option<Utf8Bytes> {
    let plies = game.game().plies();
    let ply = plies.get(number.checked_sub(1)?)?;
    let mut position = match number.checked_sub(2) {
        Some(before) => plies.get(before)?.after.clone(),
        None => game.game().start().clone(),
    };
    let sown = MoveResultView::play(&mut position, ply.mv).ok()?;
    let is_last = number == plies.len();
    let clock = game.state().clock.filter(|_| is_last);
    let swapped = game.game().is_swapped();
    let message = ServerMessage::Move {
        ply: number,
        result: &sown,
        clock: clock.map(|clock| ClockView::new(&clock, swapped, now)),
    };
    Some(message.to_text())
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use kalah::Rules;

    use super::*;

    async fn hall_with_a_game() -> (Arc<GameRegistry>, GameId, PlayerToken) {
        let (mut registry, tasks) = (Registry::default(), TaskTracker::new());
        let hall = Arc::new(GameRegistry::open(None, &mut registry, tasks).expect("a hall"));
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let made = hall
            .create(start, None, PlayerId::ALL[0])
            .await
            .expect("a game");
        let id = made.view.game.parse().expect("a name");
        (hall, id, made.token)
    }

    fn first_ply() -> GameCommand {
        GameCommand::Play {
            ply: 1,
            mv: "A".to_owned(),
        }
    }

    #[tokio::test]
    async fn what_has_begun_is_done_though_its_caller_leaves() {
        let (hall, id, token) = hall_with_a_game().await;
        let mut watcher = hall.get(id).subscribe(None, None).await.expect("a place");
        let held = hall.get(id);
        {
            // Once is enough for it to be begun, and not to be done.
            let mut acting = std::pin::pin!(held.execute(&token, first_ply()));
            let acted = std::future::poll_fn(|context| Poll::Ready(acting.as_mut().poll(context)));
            assert!(acted.await.is_pending());
        }
        drop(held);
        watcher.updates.recv().await.expect("the ply is told");
        let kept = hall.store.load(id).await.expect("the game is kept");
        assert_eq!(kept.plies, ["A"]);
    }

    #[tokio::test]
    async fn a_room_lasts_as_long_as_somebody_is_in_it() {
        let (hall, id, token) = hall_with_a_game().await;
        let (first, second) = (hall.get(id), hall.get(id));
        assert!(Arc::ptr_eq(&first.live_game, &second.live_game));
        drop(first);
        second
            .execute(&token, first_ply())
            .await
            .expect("a legal choice");
        assert_eq!(hall.metrics.open.get(), 1);
        drop(second);
        hall.tasks.close();
        hall.tasks.wait().await;
        assert_eq!(
            (hall.metrics.open.get(), hall.lock_live_games().len()),
            (0, 0)
        );
        let state = hall.get(id).view(None).await.expect("the game");
        assert_eq!(state.plies, ["A"]);
    }

    #[tokio::test]
    async fn who_takes_nothing_falls_behind_and_holds_nobody_up() {
        let (hall, id, _) = hall_with_a_game().await;
        let held = hall.get(id);
        let mut slow = hall.get(id).subscribe(None, None).await.expect("a place");
        for _ in 0..1000 {
            held.live_game.broadcast(&Utf8Bytes::from_static("news"));
        }
        let lagged = slow.updates.recv().await;
        assert!(matches!(
            lagged,
            Err(broadcast::error::RecvError::Lagged(_))
        ));
    }

    #[tokio::test]
    async fn a_game_that_cannot_be_kept_is_as_it_was() {
        let (hall, id, token) = hall_with_a_game().await;
        let held = hall.get(id);
        let before = held.view(None).await.expect("the game");
        hall.store
            .write(GameWrite::Delete(vec![id]))
            .await
            .expect("deleted");
        assert_eq!(held.view(None).await.expect("in memory"), before);
        let acted = held.execute(&token, first_ply()).await;
        assert!(matches!(acted, Err(GameError::NotFound)), "{acted:?}");
        // What is not known to be on disk is not believed.
        assert!(matches!(held.view(None).await, Err(GameError::NotFound)));
        hall.close().await;
        let closed = hall.get(id).execute(&token, first_ply()).await;
        assert!(closed.is_err(), "{closed:?}");
    }
}
