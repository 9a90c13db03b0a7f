//! A room in memory: its connections, its changes since the last update, and the updates to its
//! subscribers.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use kalah_store::{GameId, RoomCode, StoredMember, Timestamp};
use tokio::sync::{Mutex, broadcast};
use tokio_util::sync::CancellationToken;

use crate::http::rate_limit::ClientIp;
use crate::rooms::messages::{
    MemberView, Revisions, RoleView, RoomGameView, RoomHeadView, RoomStateView, RoomUpdateView,
    challenges, state_message_start, to_text,
};
use crate::rooms::state::room::Room;
use crate::rooms::state::room_error::RoomCommandError;

/// A room in memory, and the channel to its subscribers.
#[derive(Debug)]
pub(crate) struct LiveRoom {
    /// The room as it is on disk. `None` before it was loaded, and after a failed write, when the
    /// contents of the disk are unknown.
    pub(super) room: Mutex<Option<Room>>,
    code: RoomCode,
    updates: broadcast::Sender<RoomUpdate>,
    /// The changes since the last update.
    pending: std::sync::Mutex<PendingChanges>,
    /// The WebSocket connections of each member, the oldest first.
    members: std::sync::Mutex<HashMap<u32, VecDeque<CancellationToken>>>,
    /// The number of members that entered from each address since the room was loaded.
    entries: std::sync::Mutex<HashMap<ClientIp, usize>>,
    /// The part of the message with the state that is the same for all clients, and its time.
    state: std::sync::Mutex<Option<(Bytes, Timestamp)>>,
    /// The last standings that were computed. The lock is held during the computation, so that many
    /// clients that wait for the same standings cause one.
    pub(super) standings: Mutex<Option<StandingsText>>,
}

/// A message to all subscribers of a room.
#[derive(Clone, Debug)]
pub(crate) enum RoomUpdate {
    /// A round has begun.
    Round(Arc<NewRound>),
    /// Changes.
    Changes {
        /// The message for clients that show no boards; `None` if only boards have changed.
        people: Option<Utf8Bytes>,
        /// The message for clients that show all boards.
        boards: Utf8Bytes,
    },
}

/// A round that has begun.
///
/// Each member of a game receives an update with that game at once. The whole state follows, to one
/// member after another: with 2,000 members it has half a megabyte, and if all received it at once,
/// moves would wait behind it.
#[derive(Debug)]
pub(crate) struct NewRound {
    /// The updates with the own game of members, by their numbers.
    own_games: HashMap<u32, Utf8Bytes>,
    /// The time between the states of two members.
    state_interval: Duration,
    /// The number of members that have a time for the state.
    scheduled: AtomicU32,
}

/// The changes that subscribers do not know, and the numbers of the present state.
#[derive(Debug)]
struct PendingChanges {
    changes: RoomChanges,
    revisions: Revisions,
    /// The number of changes of the standings.
    standings_changes: u64,
    /// The earliest time of the next revision of the standings.
    next_standings: Timestamp,
}

/// The parts of a room that have changed since the last update.
#[expect(clippy::struct_excessive_bools, reason = "each is a part of the room")]
#[derive(Debug, Default)]
struct RoomChanges {
    head: bool,
    members: BTreeSet<u32>,
    /// The games that began, ended or were paused.
    games: BTreeSet<GameId>,
    /// The games whose boards have changed.
    boards: BTreeSet<GameId>,
    challenges: bool,
    /// Whether a round has begun.
    round: bool,
    standings: bool,
}

/// The standings of a room as JSON.
#[derive(Debug)]
pub(super) struct StandingsText {
    /// The number of changes of the standings before.
    pub(super) changes: u64,
    /// The revision at the time of the computation.
    pub(super) revision: u64,
    /// The time of the computation.
    pub(super) time: Timestamp,
    /// The rows as JSON.
    rows: String,
    /// The last response and its revision. All clients that get the same share its bytes.
    response: Option<(u64, Bytes)>,
}

impl StandingsText {
    /// Creates the standings of a computation: their rows as JSON.
    pub(super) const fn new(changes: u64, revision: u64, time: Timestamp, rows: String) -> Self {
        Self {
            changes,
            revision,
            time,
            rows,
            response: None,
        }
    }

    /// Returns the response to a request for the standings.
    pub(super) fn response(&mut self, revision: u64) -> Bytes {
        if let Some((last, response)) = &self.response
            && *last == revision
        {
            return response.clone();
        }
        let rows = &self.rows;
        let response = Bytes::from(format!(r#"{{"revision":{revision},"standings":{rows}}}"#));
        self.response = Some((revision, response.clone()));
        response
    }
}

/// A WebSocket connection of a member.
#[derive(Debug)]
pub(super) struct MemberConnection {
    number: u32,
    /// Cancelled when newer connections of the member replace this one, or the member is removed.
    pub(super) ended: CancellationToken,
}

/// A part of a room that has changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoomChange {
    /// The values of the room itself.
    Head,
    /// A member.
    Member(u32),
    /// The connection of a member.
    Connection(u32),
    /// A game began, ended or was paused.
    Game(GameId),
    /// The board of a game.
    Board(GameId),
    /// The challenges.
    Challenges,
    /// The results of games, or the members who are ranked.
    Standings,
    /// A round has begun.
    Round,
}

/// The number of messages that a subscriber may lag behind. One that lags further receives the
/// whole state.
const MAX_LAG: usize = 32;

/// The time for which the state of a room is not written again: it contains the times of running
/// clocks, and many members who enter together receive the same.
const MAX_STATE_AGE: Duration = Duration::from_millis(500);

/// The number of bytes a second that all members of a room together receive of states at the
/// beginning of a round, and of standings: most of a network of 1 Gbit/s.
const BYTES_PER_SECOND: u64 = 100_000_000;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// The shortest time between two updates of a room.
pub(super) const UPDATE_INTERVAL: Duration = Duration::from_millis(500);

/// The number of bytes of a member in the standings.
const STANDINGS_ROW_BYTES: usize = 200;

/// The number of WebSocket connections that a member keeps. No connection of a member is refused: a
/// further one replaces the oldest.
const MAX_CONNECTIONS_OF_MEMBER: usize = 16;

/// The most members that enter a room from one address: all pupils of a school share one.
const MAX_ENTRIES_PER_ADDRESS: usize = 256;

impl LiveRoom {
    /// Creates the entry of a room that is not loaded yet. The first revision is a time, so that
    /// revisions grow over restarts.
    pub(super) fn new(code: RoomCode, now: Timestamp) -> Self {
        let revision = u64::try_from(now.as_millis()).unwrap_or(0);
        Self {
            room: Mutex::new(None),
            code,
            updates: broadcast::channel(MAX_LAG).0,
            pending: std::sync::Mutex::new(PendingChanges {
                changes: RoomChanges::default(),
                revisions: Revisions {
                    room: revision,
                    standings: revision,
                },
                standings_changes: 0,
                next_standings: now,
            }),
            members: std::sync::Mutex::default(),
            entries: std::sync::Mutex::default(),
            state: std::sync::Mutex::default(),
            standings: Mutex::default(),
        }
    }

    /// Returns the code of the room.
    pub(crate) const fn code(&self) -> &RoomCode {
        &self.code
    }

    /// Notes a change, which the next update contains.
    pub(super) fn note(&self, change: RoomChange) {
        let mut pending = self.lock_pending();
        pending.revisions.room += 1;
        if matches!(change, RoomChange::Standings) {
            pending.standings_changes += 1;
        }
        let changes = &mut pending.changes;
        match change {
            RoomChange::Head => changes.head = true,
            RoomChange::Member(number) | RoomChange::Connection(number) => {
                changes.members.insert(number);
            }
            RoomChange::Game(game) => {
                changes.games.insert(game);
            }
            RoomChange::Board(game) => {
                changes.boards.insert(game);
            }
            RoomChange::Challenges => changes.challenges = true,
            RoomChange::Standings => changes.standings = true,
            RoomChange::Round => changes.round = true,
        }
        drop(pending);
        // A client that receives an older state receives these changes with the next update.
        if !matches!(change, RoomChange::Board(_) | RoomChange::Connection(_)) {
            self.lock_state().take();
        }
    }

    /// Sends the changes since the last update to all subscribers. Returns whether all changes were
    /// sent: those of a room in which a command is executed wait, and so do standings.
    pub(super) fn send_update(&self, now: Timestamp) -> bool {
        let Ok(slot) = self.room.try_lock() else {
            return false;
        };
        let Some(room) = slot.as_ref() else {
            return true;
        };
        let (changes, revisions) = self.take_changes(room, now);
        let are_standings_sent = !self.lock_pending().changes.standings;
        if changes.is_empty() || self.updates.receiver_count() == 0 {
            return are_standings_sent;
        }
        let update = if changes.round {
            RoomUpdate::Round(Arc::new(self.new_round(room, revisions, now)))
        } else {
            self.update(room, &changes, revisions, now)
        };
        // Sending fails if the last subscriber has just gone.
        let _ = self.updates.send(update);
        are_standings_sent
    }

    /// Returns the updates with the own games of members, for the beginning of a round.
    fn new_round(&self, room: &Room, revisions: Revisions, now: Timestamp) -> NewRound {
        let head = RoomHeadView::new(room, revisions.room);
        let mut own_games = HashMap::new();
        for game in room.running_games() {
            // A client may not know the opponent yet, who has just entered.
            let members = [game.place.south, game.place.north].into_iter();
            let text = to_text(&RoomUpdateView {
                revision: revisions.room,
                standings_revision: revisions.standings,
                room: Some(head.clone()),
                members: members
                    .filter_map(|number| Some(self.member_view(room.member(number)?)))
                    .collect(),
                games: vec![RoomGameView::new(game, now)],
                challenges: None,
            });
            own_games.insert(game.place.south, text.clone());
            own_games.insert(game.place.north, text);
        }
        NewRound {
            own_games,
            state_interval: transfer_time(self.state_message_start(room, now).len()),
            scheduled: AtomicU32::new(0),
        }
    }

    /// Returns the update with these changes.
    fn update(
        &self,
        room: &Room,
        changes: &RoomChanges,
        revisions: Revisions,
        now: Timestamp,
    ) -> RoomUpdate {
        let view = |games: &mut dyn Iterator<Item = &GameId>| RoomUpdateView {
            revision: revisions.room,
            standings_revision: revisions.standings,
            room: (changes.head).then(|| RoomHeadView::new(room, revisions.room)),
            members: (changes.members.iter())
                .filter_map(|&number| Some(self.member_view(room.member(number)?)))
                .collect(),
            games: games
                .filter_map(|&game| Some(RoomGameView::new(room.game(game)?, now)))
                .collect(),
            challenges: changes.challenges.then(|| challenges(room)),
        };
        let is_for_people = changes.head
            || changes.challenges
            || changes.standings
            || !changes.members.is_empty()
            || !changes.games.is_empty();
        let boards = changes.games.union(&changes.boards);
        RoomUpdate::Changes {
            people: is_for_people.then(|| to_text(&view(&mut changes.games.iter()))),
            boards: to_text(&view(&mut { boards })),
        }
    }

    /// Takes the changes since the last update, and the numbers of the present state.
    fn take_changes(&self, room: &Room, now: Timestamp) -> (RoomChanges, Revisions) {
        let mut pending = self.lock_pending();
        let mut changes = std::mem::take(&mut pending.changes);
        if changes.standings && now < pending.next_standings {
            changes.standings = false;
            pending.changes.standings = true;
        }
        if changes.standings {
            pending.revisions.standings += 1;
            pending.next_standings = now.saturating_add(standings_interval(room.members().len()));
        }
        let revisions = pending.revisions;
        drop(pending);
        self.lock_state().take();
        (changes, revisions)
    }

    /// Returns the number of changes of the standings.
    pub(super) fn standings_changes(&self) -> u64 {
        self.lock_pending().standings_changes
    }

    /// Returns the present revisions.
    pub(super) fn revisions(&self) -> Revisions {
        self.lock_pending().revisions
    }

    /// Returns the part of the message with the state of the room that is the same for all clients.
    pub(super) fn state_message_start(&self, room: &Room, now: Timestamp) -> Bytes {
        let known = self.lock_state().clone();
        let is_recent = |time: Timestamp| now.saturating_duration_since(time) < MAX_STATE_AGE;
        if let Some((start, time)) = known
            && is_recent(time)
        {
            return start;
        }
        let start = state_message_start(&self.state_view(room, now));
        *self.lock_state() = Some((start.clone(), now));
        start
    }

    /// Returns the state of the room for a client without a role.
    pub(super) fn state_view(&self, room: &Room, now: Timestamp) -> RoomStateView {
        let members = self.lock_members();
        let is_connected = |number| members.contains_key(&number);
        RoomStateView::new(room, self.revisions(), is_connected, now)
    }

    fn member_view(&self, member: &StoredMember) -> MemberView {
        MemberView::new(member, self.is_connected(member.number))
    }

    /// Returns whether a member has a connection.
    pub(super) fn is_connected(&self, number: u32) -> bool {
        self.lock_members().contains_key(&number)
    }

    /// Checks that another member may enter from an address. One who comes back always may.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::AddressFull`] if too many have entered.
    pub(super) fn check_entry(
        &self,
        client: ClientIp,
        is_new: bool,
    ) -> Result<(), RoomCommandError> {
        let entries = self.lock_entries();
        let count = entries.get(&client).copied().unwrap_or(0);
        if is_new && count >= MAX_ENTRIES_PER_ADDRESS {
            let maximum = MAX_ENTRIES_PER_ADDRESS;
            return Err(RoomCommandError::AddressFull { maximum });
        }
        Ok(())
    }

    /// Counts a member who has entered from an address.
    pub(super) fn count_entry(&self, client: ClientIp, is_new: bool) {
        if is_new {
            *self.lock_entries().entry(client).or_default() += 1;
        }
    }

    fn lock_entries(&self) -> MutexGuard<'_, HashMap<ClientIp, usize>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection of a member.
    pub(super) fn add_member(&self, number: u32) -> MemberConnection {
        let ended = CancellationToken::new();
        let mut members = self.lock_members();
        let connections = members.entry(number).or_default();
        connections.push_back(ended.clone());
        let is_first = connections.len() == 1;
        if connections.len() > MAX_CONNECTIONS_OF_MEMBER
            && let Some(oldest) = connections.pop_front()
        {
            oldest.cancel();
        }
        drop(members);
        if is_first {
            self.note(RoomChange::Connection(number));
        }
        MemberConnection { number, ended }
    }

    /// Removes a connection of a member. Returns whether it was the last one.
    pub(super) fn remove_member(&self, connection: &MemberConnection) -> bool {
        connection.ended.cancel();
        let mut members = self.lock_members();
        let Some(connections) = members.get_mut(&connection.number) else {
            return false;
        };
        connections.retain(|other| !other.is_cancelled());
        let is_last = connections.is_empty();
        if is_last {
            members.remove(&connection.number);
        }
        drop(members);
        if is_last {
            self.note(RoomChange::Connection(connection.number));
        }
        is_last
    }

    /// Ends all connections of a member who is removed.
    pub(super) fn end_connections(&self, number: u32) {
        let connections = self.lock_members().remove(&number);
        for connection in connections.into_iter().flatten() {
            connection.cancel();
        }
    }

    /// Ends all connections of members, and forgets from where they entered: another lobby has
    /// replaced theirs.
    pub(super) fn end_all_members(&self) {
        let members = std::mem::take(&mut *self.lock_members());
        for connection in members.into_values().flatten() {
            connection.cancel();
        }
        self.lock_entries().clear();
    }

    /// Subscribes to future messages.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<RoomUpdate> {
        self.updates.subscribe()
    }

    fn lock_pending(&self) -> MutexGuard<'_, PendingChanges> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_state(&self) -> MutexGuard<'_, Option<(Bytes, Timestamp)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_members(&self) -> MutexGuard<'_, HashMap<u32, VecDeque<CancellationToken>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the time in which all members of a room together receive this number of bytes.
fn transfer_time(bytes: usize) -> Duration {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    Duration::from_nanos(bytes.saturating_mul(NANOS_PER_SECOND) / BYTES_PER_SECOND)
}

/// Returns the shortest time between two revisions of the standings of a room with this number of
/// members, each of which all may read: none for up to 500, and eight seconds for 2,000.
pub(super) fn standings_interval(members: usize) -> Duration {
    let row_bytes = members.saturating_mul(STANDINGS_ROW_BYTES);
    let time = transfer_time(members.saturating_mul(row_bytes));
    if time <= UPDATE_INTERVAL {
        Duration::ZERO
    } else {
        time
    }
}

impl RoomChanges {
    fn is_empty(&self) -> bool {
        let is_changed = self.head || self.challenges || self.round || self.standings;
        !is_changed && self.members.is_empty() && self.games.is_empty() && self.boards.is_empty()
    }
}

impl NewRound {
    /// Returns the update with the game of a client that is a member.
    pub(super) fn own_game(&self, role: RoleView) -> Option<Utf8Bytes> {
        self.own_games.get(&role.member?).cloned()
    }

    /// Returns the time from now until the client receives the whole state: none for leaders and
    /// watchers.
    pub(super) fn state_delay(&self, role: RoleView) -> Duration {
        if role.leader || role.member.is_none() {
            return Duration::ZERO;
        }
        let before = self.scheduled.fetch_add(1, Ordering::Relaxed);
        self.state_interval.saturating_mul(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_of_large_rooms_alone_are_delayed() {
        assert_eq!(standings_interval(60), Duration::ZERO);
        assert_eq!(standings_interval(500), Duration::ZERO);
        assert_eq!(standings_interval(2_000), Duration::from_secs(8));
    }
}
