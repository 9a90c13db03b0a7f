//! A room in memory: its connections, its changes since the last update, and the updates to its
//! subscribers.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use kalah_store::{GameId, RoomCode, StoredMember, Timestamp};
use tokio::sync::{Mutex, broadcast};
use tokio_util::sync::CancellationToken;

use crate::http::rate_limit::ClientIp;
use crate::rooms::messages::{
    MemberView, Revisions, RoleView, RoomGameView, RoomHeadView, RoomStateView, RoomUpdateView,
    challenges, state_message, to_text,
};
use crate::rooms::room::Room;
use crate::rooms::room_error::RoomCommandError;

/// A room in memory, and the channel to its subscribers.
#[derive(Debug)]
pub(crate) struct LiveRoom {
    /// The room as it is on disk. `None` before it was loaded, and after a failed write, when the
    /// contents of the disk are unknown.
    pub(super) room: Mutex<Option<Room>>,
    code: RoomCode,
    updates: broadcast::Sender<RoomUpdate>,
    /// The changes since the last update.
    changes: std::sync::Mutex<RoomChanges>,
    /// The WebSocket connections of each member, the oldest first.
    members: std::sync::Mutex<HashMap<u32, VecDeque<CancellationToken>>>,
    /// The number of members that entered from each address since the room was loaded.
    entries: std::sync::Mutex<HashMap<ClientIp, usize>>,
    /// The state for clients without a role, as JSON, and its time.
    state: std::sync::Mutex<Option<(Utf8Bytes, Timestamp)>>,
}

/// A message to all subscribers of a room.
#[derive(Clone, Debug)]
pub(crate) enum RoomUpdate {
    /// The whole state, as that of a client without a role.
    State(Utf8Bytes),
    /// Changes.
    Changes {
        /// The message for clients that show no boards; `None` if only boards have changed.
        people: Option<Utf8Bytes>,
        /// The message for clients that show all boards.
        boards: Utf8Bytes,
    },
}

/// The parts of a room that have changed since the last update.
#[derive(Debug)]
struct RoomChanges {
    head: bool,
    members: BTreeSet<u32>,
    /// The games that began, ended or were paused.
    games: BTreeSet<GameId>,
    /// The games whose boards have changed.
    boards: BTreeSet<GameId>,
    challenges: bool,
    /// Whether a round began, after which subscribers need the whole state.
    round: bool,
    revisions: Revisions,
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
    /// A game began, ended or was paused.
    Game(GameId),
    /// The board of a game.
    Board(GameId),
    /// The challenges.
    Challenges,
    /// The results of games, or the members who are ranked.
    Standings,
    /// A new round, after which subscribers need the whole state.
    Round,
}

/// The number of messages that a subscriber may lag behind. One that lags further receives the
/// whole state.
const MAX_LAG: usize = 32;

/// The time for which the state of a room is not written again: it contains the times of running
/// clocks, and many members who enter together receive the same.
const MAX_STATE_AGE: Duration = Duration::from_millis(500);

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
            changes: std::sync::Mutex::new(RoomChanges {
                head: false,
                members: BTreeSet::new(),
                games: BTreeSet::new(),
                boards: BTreeSet::new(),
                challenges: false,
                round: false,
                revisions: Revisions {
                    room: revision,
                    standings: revision,
                },
            }),
            members: std::sync::Mutex::default(),
            entries: std::sync::Mutex::default(),
            state: std::sync::Mutex::default(),
        }
    }

    /// Returns the code of the room.
    pub(super) const fn code(&self) -> &RoomCode {
        &self.code
    }

    /// Notes a change, which the next update contains.
    pub(super) fn note(&self, change: RoomChange) {
        let mut changes = self.changes();
        changes.revisions.room += 1;
        match change {
            RoomChange::Head => changes.head = true,
            RoomChange::Member(number) => {
                changes.members.insert(number);
            }
            RoomChange::Game(game) => {
                changes.games.insert(game);
            }
            RoomChange::Board(game) => {
                changes.boards.insert(game);
            }
            RoomChange::Challenges => changes.challenges = true,
            RoomChange::Standings => changes.revisions.standings += 1,
            RoomChange::Round => changes.round = true,
        }
        drop(changes);
        self.lock_state().take();
    }

    /// Sends the changes since the last update to all subscribers.
    pub(super) async fn send_update(&self, now: Timestamp) {
        let slot = self.room.lock().await;
        let Some(room) = slot.as_ref() else {
            return;
        };
        let changes = self.take_changes();
        if self.updates.receiver_count() == 0 {
            return;
        }
        let update = if changes.round {
            RoomUpdate::State(self.state_text(room, now))
        } else {
            self.update(room, &changes, now)
        };
        // Sending fails if the last subscriber has just gone.
        let _ = self.updates.send(update);
    }

    /// Returns the update with these changes.
    fn update(&self, room: &Room, changes: &RoomChanges, now: Timestamp) -> RoomUpdate {
        let view = |games: &mut dyn Iterator<Item = &GameId>| RoomUpdateView {
            revision: changes.revisions.room,
            standings_revision: changes.revisions.standings,
            room: (changes.head).then(|| RoomHeadView::new(room, changes.revisions.room)),
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
            || !changes.members.is_empty()
            || !changes.games.is_empty();
        let boards = changes.games.union(&changes.boards);
        RoomUpdate::Changes {
            people: is_for_people.then(|| to_text(&view(&mut changes.games.iter()))),
            boards: to_text(&view(&mut { boards })),
        }
    }

    fn take_changes(&self) -> RoomChanges {
        let mut changes = self.changes();
        let revisions = changes.revisions;
        std::mem::replace(
            &mut *changes,
            RoomChanges {
                head: false,
                members: BTreeSet::new(),
                games: BTreeSet::new(),
                boards: BTreeSet::new(),
                challenges: false,
                round: false,
                revisions,
            },
        )
    }

    /// Returns the present revisions.
    pub(super) fn revisions(&self) -> Revisions {
        self.changes().revisions
    }

    /// Returns the state of the room for a client without a role, as JSON.
    pub(super) fn state_text(&self, room: &Room, now: Timestamp) -> Utf8Bytes {
        let known = self.lock_state().clone();
        let is_recent = |time: Timestamp| now.saturating_duration_since(time) < MAX_STATE_AGE;
        if let Some((text, time)) = known
            && is_recent(time)
        {
            return text;
        }
        let text = to_text(&self.state_view(room, now));
        *self.lock_state() = Some((text.clone(), now));
        text
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
            self.note(RoomChange::Member(number));
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
            self.note(RoomChange::Member(connection.number));
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

    /// Subscribes to future messages.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<RoomUpdate> {
        self.updates.subscribe()
    }

    fn changes(&self) -> MutexGuard<'_, RoomChanges> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_state(&self) -> MutexGuard<'_, Option<(Utf8Bytes, Timestamp)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_members(&self) -> MutexGuard<'_, HashMap<u32, VecDeque<CancellationToken>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RoomUpdate {
    /// Returns the message for a client with a role.
    pub(super) fn message(self, role: RoleView, shows_boards: bool) -> Option<Utf8Bytes> {
        match self {
            Self::State(state) => Some(state_message(&state, role)),
            Self::Changes { boards, .. } if shows_boards => Some(boards),
            Self::Changes { people, .. } => people,
        }
    }
}
