//! The registry of all rooms: loads and saves them, and carries out the commands of leaders and
//! members.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use kalah::{ByPlayer, PlayerId};
use kalah_store::{
    GameId, GameStoreError, GameWrite, MemberStatus, PlayerName, PlayerToken, RoomCode,
    RoomSettings, RoomWrite, StoredMember, Timestamp,
};
use tokio::sync::{Notify, mpsc};

use crate::games::command_error::CommandError;
use crate::games::friend_game::{FriendGame, GameDecision};
use crate::games::messages::GameError;
use crate::games::registry::GameRegistry;
use crate::http::rate_limit::ClientIp;
use crate::rooms::commands::RoomCommand;
use crate::rooms::live_room::{LiveRoom, RoomChange, StandingsText, standings_interval};
use crate::rooms::new_room::lobby_settings;
use crate::rooms::room::{GameSnapshot, NewGames, Newcomer, Room, RoomRole};
use crate::rooms::room_error::{RoomCommandError, RoomError};
use crate::rooms::standings::StandingsView;

/// All rooms of a server. Rooms with connections or running requests are in memory, all rooms are
/// on disk.
#[derive(Debug)]
pub(crate) struct RoomRegistry {
    pub(super) games: Arc<GameRegistry>,
    /// Whether the server has a lobby.
    has_lobby: bool,
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

/// The number of members with which a lobby is replaced by an empty one when the server starts. Its
/// games remain.
const MAX_OLD_LOBBY_MEMBERS: usize = 1_000;

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
    async fn handle_end(&self, live_room: &LiveRoom, room: &mut Room) -> Result<(), RoomError> {
        room.touch(self.games.time.now());
        self.save_state(room).await?;
        live_room.note(RoomChange::Head);
        live_room.note(RoomChange::Standings);
        self.start_second_games(live_room, room).await
    }

    /// Starts the second games of pairings that are due.
    async fn start_second_games(
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

    /// Creates the lobby, if the server has one and it does not exist, or has
    /// [`MAX_OLD_LOBBY_MEMBERS`]. Its leader's token is discarded.
    pub(crate) async fn open_lobby(&self) -> Result<(), RoomError> {
        if !self.has_lobby {
            return Ok(());
        }
        let code = RoomCode::lobby();
        match self.games.store.load_room(code.clone()).await {
            Ok(lobby) if lobby.members.len() < MAX_OLD_LOBBY_MEMBERS => return Ok(()),
            Ok(_) => {
                let write = RoomWrite::Delete(vec![code.clone()]);
                self.games.store.write(GameWrite::Room(write)).await?;
            }
            Err(GameStoreError::RoomNotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let token = PlayerToken::random();
        self.insert(&code, lobby_settings(), &token).await?;
        Ok(())
    }

    async fn insert(
        &self,
        code: &RoomCode,
        settings: RoomSettings,
        token: &PlayerToken,
    ) -> Result<Arc<LiveRoom>, RoomError> {
        let now = self.games.time.now();
        let room = Room::new(code.clone(), settings, token.hash(), now);
        let room = room.map_err(|reason| RoomError::Damaged(code.clone(), reason))?;
        let write = RoomWrite::NewRoom(Box::new(room.to_stored()));
        self.games.store.write(GameWrite::Room(write)).await?;
        let live_room = self.get(code);
        *live_room.room.lock().await = Some(room);
        Ok(live_room)
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
    pub(super) async fn read<T>(
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
        let is_recent = |known: &&StandingsText| {
            let age = now.saturating_duration_since(known.time);
            known.changes >= wanted || age < interval
        };
        let revision = live_room.revisions().standings;
        if let Some(known) = known.as_ref().filter(is_recent) {
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
        let text = StandingsText {
            changes,
            revision,
            time: now,
            rows,
        };
        let response = text.response(revision);
        *known = Some(text);
        Ok(response)
    }

    /// Removes the entry of a room that does not exist, so that guessed codes take no memory.
    fn forget_missing(&self, live_room: &LiveRoom, error: &RoomError) {
        if matches!(error, RoomError::NotFound(_)) {
            self.forget(live_room.code());
        }
    }

    /// Takes a room out of its slot, loading it if necessary. A caller that does not put it back
    /// causes a reload.
    async fn take_or_load(
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

    /// Lets the owner of a token enter a room, and returns the member's number.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        live_room: &Arc<LiveRoom>,
        token: PlayerToken,
        newcomer: Newcomer,
        client: ClientIp,
    ) -> Result<u32, RoomError> {
        let rooms = Arc::clone(self);
        let live_room = Arc::clone(live_room);
        self.run(async move {
            let mut slot = live_room.room.lock().await;
            let mut room = rooms.take_or_load(&mut slot, &live_room).await?;
            let is_new = !room.is_member(&token);
            let entry = (live_room.check_entry(client, is_new))
                .and_then(|()| room.enter(&token, newcomer, rooms.games.time.now()));
            let entry = match entry {
                Ok(entry) => entry,
                Err(reason) => {
                    *slot = Some(room);
                    return Err(reason.into());
                }
            };
            if let Some(member) = entry.changed {
                live_room.count_entry(client, is_new);
                rooms.save_member(&live_room, &room, member).await?;
                live_room.note(RoomChange::Head);
                // A member who comes back may have a second game to play.
                rooms.start_second_games(&live_room, &mut room).await?;
            }
            *slot = Some(room);
            rooms.changed.notify_one();
            Ok(entry.number)
        })
        .await
    }

    /// Executes a command of the owner of a token. It is executed, saved and shown completely, even
    /// if the caller is cancelled.
    pub(crate) async fn execute(
        self: &Arc<Self>,
        live_room: &Arc<LiveRoom>,
        token: PlayerToken,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        let rooms = Arc::clone(self);
        let live_room = Arc::clone(live_room);
        self.run(async move {
            let mut slot = live_room.room.lock().await;
            let mut room = rooms.take_or_load(&mut slot, &live_room).await?;
            let result = match room.role(&token) {
                Ok(RoomRole::Leader) => rooms.lead(&live_room, &mut room, command).await,
                Ok(RoomRole::Member(number)) => {
                    rooms
                        .take_part(&live_room, &mut room, number, command)
                        .await
                }
                Err(reason) => Err(reason.into()),
            };
            match &result {
                // A rejected command leaves the room unchanged.
                Ok(()) | Err(RoomError::Rejected(_)) => *slot = Some(room),
                // The room on disk may be another one: it is loaded again.
                Err(_) => {}
            }
            rooms.changed.notify_one();
            result
        })
        .await
    }

    /// Runs an operation as a task, which finishes even if the caller is cancelled.
    async fn run<T: Send + 'static>(
        &self,
        operation: impl Future<Output = Result<T, RoomError>> + Send + 'static,
    ) -> Result<T, RoomError> {
        let task = self.games.tasks.spawn(operation);
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "an operation on a room panicked");
            Err(RoomError::Panicked)
        })
    }

    /// Executes a command of the leader.
    async fn lead(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        let now = self.games.time.now();
        match command {
            RoomCommand::StartRound { void_running } => {
                room.require_rounds()?;
                if void_running {
                    self.void_running_games(live_room, room).await?;
                }
                let new = room.start_round(now)?;
                self.save_games(live_room, room, &new).await?;
                live_room.note(RoomChange::Round);
                live_room.note(RoomChange::Standings);
                Ok(())
            }
            RoomCommand::Pause => self.set_paused(live_room, room, true).await,
            RoomCommand::Resume => self.set_paused(live_room, room, false).await,
            RoomCommand::EndGame { game, decision } => {
                if room.game(game).is_none() {
                    return Err(RoomCommandError::NoGame(game).into());
                }
                self.decide(live_room, room, game, decision).await
            }
            RoomCommand::Rename { member, name } => {
                self.rename(live_room, room, member, name).await
            }
            RoomCommand::Remove { member } => {
                self.set_status(live_room, room, member, MemberStatus::Removed)
                    .await?;
                live_room.end_connections(member);
                Ok(())
            }
            RoomCommand::Close => {
                // The games that run go on to their ends.
                if room.state().is_paused {
                    self.set_paused(live_room, room, false).await?;
                }
                room.close(now);
                self.save_state(room).await?;
                live_room.note(RoomChange::Head);
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            _ => Err(RoomCommandError::OnlyMember.into()),
        }
    }

    /// Executes a command of a member.
    async fn take_part(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        match command {
            RoomCommand::Leave => {
                self.set_status(live_room, room, number, MemberStatus::Left)
                    .await
            }
            RoomCommand::SetName { name } => self.rename(live_room, room, number, name).await,
            RoomCommand::Challenge { to } => {
                room.challenge(number, to)?;
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            RoomCommand::WithdrawChallenge => {
                if room.withdraw(number) {
                    live_room.note(RoomChange::Challenges);
                }
                Ok(())
            }
            RoomCommand::DeclineChallenge { from } => {
                room.decline(number, from)?;
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            RoomCommand::AcceptChallenge { from } => {
                let new = room.accept(number, from, self.games.time.now())?;
                live_room.note(RoomChange::Challenges);
                self.save_games(live_room, room, &new).await
            }
            _ => Err(RoomCommandError::OnlyLeader.into()),
        }
    }

    /// Pauses all games of a room, or lets them go on.
    async fn set_paused(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        is_paused: bool,
    ) -> Result<(), RoomError> {
        room.set_paused(is_paused, self.games.time.now())?;
        self.save_state(room).await?;
        live_room.note(RoomChange::Head);
        let running: Vec<_> = room.running_games().map(|game| game.place.game).collect();
        let changes = running.into_iter().map(|id| {
            self.change_game(id, move |game, now| {
                if is_paused {
                    game.pause(now)
                } else {
                    game.resume(now)
                }
            })
        });
        // The writes of all games share commits.
        for (id, snapshot) in futures_util::future::try_join_all(changes).await? {
            room.update_game(id, snapshot);
            live_room.note(RoomChange::Game(id));
        }
        Ok(())
    }

    /// Ends all running games of a room without a result.
    async fn void_running_games(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
    ) -> Result<(), RoomError> {
        let running: Vec<_> = room.running_games().map(|game| game.place.game).collect();
        let changes = running
            .into_iter()
            .map(|id| self.change_game(id, |game, now| game.decide(GameDecision::Void, now)));
        // The writes of all games share commits.
        for (id, snapshot) in futures_util::future::try_join_all(changes).await? {
            room.update_game(id, snapshot);
            live_room.note(RoomChange::Game(id));
        }
        self.handle_end(live_room, room).await
    }

    /// Ends a game of a room by a decision. A game that has ended by itself stays as it is.
    async fn decide(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        id: GameId,
        decision: GameDecision,
    ) -> Result<(), RoomError> {
        let decide = move |game: &mut FriendGame, now| game.decide(decision, now);
        let (_, snapshot) = self.change_game(id, decide).await?;
        if room.update_game(id, snapshot) {
            live_room.note(RoomChange::Game(id));
            self.handle_end(live_room, room).await?;
        }
        Ok(())
    }

    /// Renames a member, also in the running games.
    async fn rename(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        name: PlayerName,
    ) -> Result<(), RoomError> {
        let member = room.rename(number, name.clone(), self.games.time.now())?;
        self.save_member(live_room, room, member).await?;
        let games: Vec<_> = room
            .running_games()
            .filter_map(|game| Some((game.place.game, player_of(game.place, number)?)))
            .collect();
        for (id, player) in games {
            let name = name.clone();
            self.change_game(id, move |game, now| {
                game.set_name(player, Some(name), now);
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Sets the status of a member who leaves or is removed, whose running games the opponents win.
    async fn set_status(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        status: MemberStatus,
    ) -> Result<(), RoomError> {
        let member = room.set_status(number, status, self.games.time.now())?;
        self.save_member(live_room, room, member).await?;
        live_room.note(RoomChange::Head);
        live_room.note(RoomChange::Challenges);
        let games: Vec<_> = room
            .running_games()
            .filter_map(|game| Some((game.place.game, player_of(game.place, number)?)))
            .collect();
        for (id, player) in games {
            let decision = GameDecision::WonBy(player.opponent());
            self.decide(live_room, room, id, decision).await?;
        }
        Ok(())
    }

    /// Changes a game, unless it has ended meanwhile, and returns its values.
    async fn change_game(
        &self,
        id: GameId,
        change: impl FnOnce(&mut FriendGame, Timestamp) -> Result<(), CommandError>,
    ) -> Result<(GameId, GameSnapshot), RoomError> {
        match self.games.get(id).change_as_leader(change).await {
            Ok(snapshot) => Ok((id, snapshot)),
            Err(GameError::Rejected { .. }) => Ok((id, self.games.snapshot(id).await?)),
            Err(error) => Err(error.into()),
        }
    }

    /// Saves new games and byes, and notes them.
    async fn save_games(
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

    async fn save_member(
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

    async fn save_state(&self, room: &Room) -> Result<(), RoomError> {
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

/// Returns the player of a game that a member is.
fn player_of(place: kalah_store::StoredRoomGame, number: u32) -> Option<PlayerId> {
    let members = ByPlayer::new(place.south, place.north);
    let mut players = PlayerId::ALL.into_iter();
    players.find(|&player| members[player] == number)
}
