//! The registry of all rooms: loads and saves them, and follows their games.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use kalah_store::{
    GameId, GameWrite, PlayerToken, RoomCode, RoomSettings, RoomWrite, StoredMember,
};
use tokio::sync::{Notify, mpsc};

use crate::games::friend_game::FriendGame;
use crate::games::messages::GameError;
use crate::games::registry::GameRegistry;
use crate::rooms::live_room::{LiveRoom, RoomChange, StandingsText, standings_interval};
use crate::rooms::state::room::{NewGames, Room};
use crate::rooms::state::room_error::RoomError;
use crate::rooms::state::room_game::GameSnapshot;
use crate::rooms::state::standings::StandingsView;

/// All rooms of a server. Rooms with connections or running requests are in memory, all rooms are
/// on disk.
#[derive(Debug)]
pub(crate) struct RoomRegistry {
    pub(super) games: Arc<GameRegistry>,
    /// Whether the server has a lobby.
    pub(super) has_lobby: bool,
    live_rooms: Mutex<HashMap<RoomCode, Arc<LiveRoom>>>,
    /// Notified when a room has changed.
    pub(super) changed: Notify,
}

/// A change of a game that belongs to a room.
#[derive(Debug)]
pub(crate) struct RoomGameEvent {
    room: RoomCode,
    game: GameId,
    snapshot: GameSnapshot,
}

/// A new room and the token of its leader.
#[derive(Debug)]
pub(crate) struct CreatedRoom {
    /// The room in memory.
    pub(crate) live_room: Arc<LiveRoom>,
    /// The token of the leader.
    pub(crate) token: PlayerToken,
}

/// The most rooms of a server.
const MAX_ROOMS: usize = 1_000;

/// The number of codes that are tried for a new room. Two rooms of 1,000 among 729 million codes
/// have the same one rarely.
const CODE_ATTEMPTS: usize = 10;

/// The time after which the challenge of a member without a connection ends.
const CHALLENGE_GRACE: Duration = Duration::from_mins(1);

impl RoomGameEvent {
    /// Returns the event of a game that has changed; `None` if it belongs to no room.
    pub(crate) fn of(game: &FriendGame) -> Option<Self> {
        Some(Self {
            room: game.room()?.code.clone(),
            game: game.id(),
            snapshot: GameSnapshot::from(game),
        })
    }
}

impl RoomRegistry {
    /// Creates the registry of the rooms whose games are in `games`.
    pub(crate) fn new(games: Arc<GameRegistry>, has_lobby: bool) -> Self {
        Self {
            games,
            has_lobby,
            live_rooms: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Follows the games of all rooms. Runs until the registry of games is dropped.
    pub(crate) async fn follow_games(
        self: Arc<Self>,
        mut events: mpsc::UnboundedReceiver<RoomGameEvent>,
    ) {
        while let Some(event) = events.recv().await {
            match self.handle_event(event).await {
                // A deleted room has no more use for its games.
                Ok(()) | Err(RoomError::NotFound(_)) => {}
                Err(error) => tracing::error!(?error, "a room cannot follow its game"),
            }
        }
    }

    async fn handle_event(self: &Arc<Self>, event: RoomGameEvent) -> Result<(), RoomError> {
        let RoomGameEvent {
            room: code,
            game,
            snapshot,
        } = event;
        // A room that is not in memory reads its games when it is loaded. Only the end of a game
        // may begin another one.
        let known = self.lock_live_rooms().get(&code).cloned();
        let live_room = match known {
            Some(live_room) => live_room,
            None if snapshot.ending.is_some() => self.get(&code),
            None => return Ok(()),
        };
        let mut slot = live_room.room.lock().await;
        let mut room = self.take_or_load(&mut slot, &live_room).await?;
        let before = room.game(game).map(|game| game.snapshot.is_paused);
        let has_ended = room.update_game(game, snapshot.clone());
        live_room.note(if has_ended || before != Some(snapshot.is_paused) {
            RoomChange::Game(game)
        } else {
            RoomChange::Board(game)
        });
        if has_ended {
            self.handle_end(&live_room, &mut room).await?;
        }
        *slot = Some(room);
        self.changed.notify_one();
        Ok(())
    }

    /// Starts the second games of pairings after the end of a game.
    pub(super) async fn handle_end(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
    ) -> Result<(), RoomError> {
        room.touch(self.games.time.now());
        self.save_state(room).await?;
        live_room.note(RoomChange::Head);
        live_room.note(RoomChange::Standings);
        self.start_second_games(live_room, room).await
    }

    /// Starts the second games of pairings that are due.
    pub(super) async fn start_second_games(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
    ) -> Result<(), RoomError> {
        let new = room.start_second_games(self.games.time.now())?;
        if new.games.is_empty() {
            return Ok(());
        }
        self.save_games(live_room, room, &new).await
    }

    /// Creates a room.
    pub(crate) async fn create(&self, settings: RoomSettings) -> Result<CreatedRoom, RoomError> {
        if self.games.store.count_rooms().await? >= MAX_ROOMS {
            return Err(RoomError::TooManyRooms { maximum: MAX_ROOMS });
        }
        let token = PlayerToken::random();
        let mut last_error = None;
        for _ in 0..CODE_ATTEMPTS {
            let code = RoomCode::random();
            match self.insert(&code, settings.clone(), &token).await {
                Ok(live_room) => return Ok(CreatedRoom { live_room, token }),
                Err(error) => last_error = Some(error),
            }
        }
        Err(last_error.unwrap_or(RoomError::Panicked))
    }

    async fn insert(
        &self,
        code: &RoomCode,
        settings: RoomSettings,
        token: &PlayerToken,
    ) -> Result<Arc<LiveRoom>, RoomError> {
        let room = self.save_new(code, settings, token).await?;
        let live_room = self.get(code);
        *live_room.room.lock().await = Some(room);
        Ok(live_room)
    }

    /// Saves a new room, and returns it.
    pub(super) async fn save_new(
        &self,
        code: &RoomCode,
        settings: RoomSettings,
        token: &PlayerToken,
    ) -> Result<Room, RoomError> {
        let now = self.games.time.now();
        let room = Room::new(code.clone(), settings, token.hash(), now);
        let room = room.map_err(|reason| RoomError::Damaged(code.clone(), reason))?;
        let write = RoomWrite::NewRoom(Box::new(room.to_stored()));
        self.games.store.write(GameWrite::Room(write)).await?;
        Ok(room)
    }

    /// Returns the entry of a room, which need not exist.
    pub(crate) fn get(&self, code: &RoomCode) -> Arc<LiveRoom> {
        let mut live_rooms = self.lock_live_rooms();
        let entry = live_rooms.entry(code.clone());
        Arc::clone(
            entry.or_insert_with(|| Arc::new(LiveRoom::new(code.clone(), self.games.time.now()))),
        )
    }

    /// Removes the rooms from memory that have neither connections nor running requests.
    pub(super) fn forget_unused(&self) {
        self.lock_live_rooms()
            .retain(|_, live_room| Arc::strong_count(live_room) > 1);
    }

    /// Removes a deleted room from memory.
    pub(super) fn forget(&self, code: &RoomCode) {
        self.lock_live_rooms().remove(code);
    }

    /// Returns all rooms in memory.
    pub(super) fn all_live(&self) -> Vec<Arc<LiveRoom>> {
        self.lock_live_rooms().values().cloned().collect()
    }

    /// Calls `read` with a room.
    pub(crate) async fn read<T>(
        &self,
        live_room: &LiveRoom,
        read: impl FnOnce(&Room) -> T,
    ) -> Result<T, RoomError> {
        let mut slot = live_room.room.lock().await;
        let room = match self.take_or_load(&mut slot, live_room).await {
            Ok(room) => room,
            Err(error) => {
                drop(slot);
                self.forget_missing(live_room, &error);
                return Err(error);
            }
        };
        let value = read(&room);
        *slot = Some(room);
        Ok(value)
    }

    /// Returns the standings of a room as JSON. They are computed on a thread of their own, and
    /// once for all clients that wait for them.
    pub(super) async fn standings(&self, live_room: &LiveRoom) -> Result<Bytes, RoomError> {
        let wanted = live_room.standings_changes();
        let mut known = live_room.standings.lock().await;
        let interval = |room: &Room| standings_interval(room.members().len());
        let interval = self.read(live_room, interval).await?;
        let now = self.games.time.now();
        let is_recent = |known: &&mut StandingsText| {
            let age = now.saturating_duration_since(known.time);
            known.changes >= wanted || age < interval
        };
        let revision = live_room.revisions().standings;
        if let Some(known) = known.as_mut().filter(is_recent) {
            // Old standings keep their revision, so that the client asks for the next ones.
            let is_present = known.changes >= wanted;
            return Ok(known.response(if is_present { revision } else { known.revision }));
        }
        let changes = live_room.standings_changes();
        let room = self.read(live_room, Clone::clone).await?;
        let compute = move || serde_json::to_string(&StandingsView::new(&room, 0).standings);
        let json = tokio::task::spawn_blocking(compute).await;
        let json = json.map_err(|error| error.to_string());
        let json = json.and_then(|json| json.map_err(|error| error.to_string()));
        let rows = json.map_err(|error| {
            tracing::error!(%error, "the standings of a room cannot be computed");
            RoomError::Panicked
        })?;
        let text = StandingsText::new(changes, revision, now, rows);
        Ok(known.insert(text).response(revision))
    }

    /// Removes the entry of a room that does not exist, so that guessed codes take no memory.
    fn forget_missing(&self, live_room: &LiveRoom, error: &RoomError) {
        if matches!(error, RoomError::NotFound(_)) {
            self.forget(live_room.code());
        }
    }

    /// Takes a room out of its slot, loading it if necessary. A caller that does not put it back
    /// causes a reload.
    pub(super) async fn take_or_load(
        &self,
        slot: &mut Option<Room>,
        live_room: &LiveRoom,
    ) -> Result<Room, RoomError> {
        if let Some(room) = slot.take() {
            return Ok(room);
        }
        let code = live_room.code();
        if code.is_lobby() && !self.has_lobby {
            return Err(RoomError::NotFound(code.clone()));
        }
        let stored = self.games.store.load_room(code.clone()).await?;
        let mut snapshots = HashMap::with_capacity(stored.games.len());
        for place in &stored.games {
            match self.games.snapshot(place.game).await {
                Ok(snapshot) => {
                    snapshots.insert(place.game, snapshot);
                }
                Err(GameError::NotFound(_)) => {}
                Err(GameError::Damaged { id, reason }) => {
                    // One game that cannot be read does not hide the others.
                    tracing::error!(%id, %reason, "a stored game is damaged");
                }
                Err(error) => return Err(error.into()),
            }
        }
        let mut room = Room::from_stored(stored, snapshots)
            .map_err(|reason| RoomError::Damaged(code.clone(), reason))?;
        // The server may have stopped between the two games of a pairing.
        self.start_second_games(live_room, &mut room).await?;
        Ok(room)
    }

    /// Runs an operation as a task, which finishes even if the caller is cancelled.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        operation: impl Future<Output = Result<T, RoomError>> + Send + 'static,
    ) -> Result<T, RoomError> {
        let task = self.games.tasks.spawn(operation);
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "an operation on a room panicked");
            Err(RoomError::Panicked)
        })
    }

    /// Saves new games and byes, and notes them.
    pub(super) async fn save_games(
        &self,
        live_room: &LiveRoom,
        room: &Room,
        new: &NewGames,
    ) -> Result<(), RoomError> {
        if new.games.is_empty() && new.byes.is_empty() {
            return self.save_state(room).await;
        }
        let games = new.games.iter();
        let write = RoomWrite::Games {
            room: room.code().clone(),
            state: room.state(),
            games: games
                .map(|(place, game)| (*place, game.to_stored()))
                .collect(),
            byes: new.byes.clone(),
        };
        self.games.store.write(GameWrite::Room(write)).await?;
        for (place, game) in &new.games {
            self.games.started(game);
            live_room.note(RoomChange::Game(place.game));
        }
        live_room.note(RoomChange::Head);
        Ok(())
    }

    pub(super) async fn save_member(
        &self,
        live_room: &LiveRoom,
        room: &Room,
        member: StoredMember,
    ) -> Result<(), RoomError> {
        let number = member.number;
        let write = RoomWrite::Member {
            room: room.code().clone(),
            state: room.state(),
            member,
        };
        self.games.store.write(GameWrite::Room(write)).await?;
        live_room.note(RoomChange::Member(number));
        live_room.note(RoomChange::Standings);
        Ok(())
    }

    pub(super) async fn save_state(&self, room: &Room) -> Result<(), RoomError> {
        let write = RoomWrite::State {
            room: room.code().clone(),
            state: room.state(),
        };
        Ok(self.games.store.write(GameWrite::Room(write)).await?)
    }

    /// Ends the challenge of a member who stays without a connection for a minute.
    pub(super) fn end_challenge_later(self: &Arc<Self>, live_room: Arc<LiveRoom>, number: u32) {
        let rooms = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(CHALLENGE_GRACE).await;
            if live_room.is_connected(number) {
                return;
            }
            let mut slot = live_room.room.lock().await;
            let has_ended = slot.as_mut().is_some_and(|room| room.withdraw(number));
            drop(slot);
            if has_ended {
                live_room.note(RoomChange::Challenges);
                rooms.changed.notify_one();
            }
        });
    }

    fn lock_live_rooms(&self) -> MutexGuard<'_, HashMap<RoomCode, Arc<LiveRoom>>> {
        self.live_rooms
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
