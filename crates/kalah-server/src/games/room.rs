use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{Mutex, broadcast};

use crate::games::message::ServerMessage;
use crate::games::{ByPlayer, FriendGame, GameId, GameStateView, PlayerId, Timestamp};

/// A game that somebody looks at, and those who are to be told of what happens in it.
#[derive(Debug)]
pub(crate) struct LiveGame {
    pub(super) id: GameId,
    /// The game as it is on disk; nothing before it has been read from there, and when it is not known
    /// whether what was to be kept last has been.
    pub(super) game: Mutex<Option<FriendGame>>,
    updates: broadcast::Sender<GameUpdate>,
    /// Live connections of each person, and in all.
    connections_by_player: ByPlayer<AtomicUsize>,
    connection_count: AtomicUsize,
}

/// A message for everybody who looks at a game.
#[derive(Clone, Debug)]
pub(crate) struct GameUpdate {
    players: ByPlayer<Utf8Bytes>,
    spectators: Utf8Bytes,
}

/// What somebody may be behind with before the connection is dropped.
const MAX_LAG: usize = 32;

/// Live connections to one game.
const MAX_CONNECTIONS: usize = 256;

impl LiveGame {
    /// A room for a game that has not been read yet.
    pub(super) fn new(id: GameId) -> Self {
        Self {
            id,
            game: Mutex::new(None),
            updates: broadcast::channel(MAX_LAG).0,
            connections_by_player: ByPlayer::default(),
            connection_count: AtomicUsize::new(0),
        }
    }

    /// How the game stands, as `person` sees it, or somebody who watches.
    pub(super) fn view(
        &self,
        game: &FriendGame,
        person: Option<PlayerId>,
        now: Timestamp,
    ) -> GameStateView {
        let connected = |person| self.connections_by_player[person].load(Ordering::Relaxed) > 0;
        GameStateView::new(game, person, ByPlayer::from_fn(connected), now)
    }

    /// Tells everybody how the game stands.
    pub(super) fn broadcast_state(&self, game: &FriendGame, now: Timestamp) {
        if self.updates.receiver_count() == 0 {
            return;
        }
        let mut view = self.view(game, None, now);
        let others = ServerMessage::State { state: &view }.to_text();
        let swapped = game.game().is_swapped();
        let people = ByPlayer::from_fn(|person| {
            view.you = Some(person.side(swapped));
            ServerMessage::State { state: &view }.to_text()
        });
        self.send(GameUpdate {
            players: people,
            spectators: others,
        });
    }

    /// Tells everybody the same.
    pub(super) fn broadcast(&self, message: &Utf8Bytes) {
        self.send(GameUpdate {
            players: ByPlayer::from_fn(|_| message.clone()),
            spectators: message.clone(),
        });
    }

    fn send(&self, told: GameUpdate) {
        // There may be nobody.
        let _ = self.updates.send(told);
    }

    /// Adds a live connection, and says whether the person had none before; `None` if there are too many.
    pub(super) fn add_connection(&self, person: Option<PlayerId>) -> Option<bool> {
        if self.connection_count.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            self.connection_count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let before =
            person.map(|person| self.connections_by_player[person].fetch_add(1, Ordering::Relaxed));
        Some(before == Some(0))
    }

    /// What is told from now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<GameUpdate> {
        self.updates.subscribe()
    }

    /// Takes a live connection away. Says whether that is news.
    pub(super) fn remove_connection(&self, person: Option<PlayerId>) -> bool {
        self.connection_count.fetch_sub(1, Ordering::Relaxed);
        person.is_some_and(|person| {
            self.connections_by_player[person].fetch_sub(1, Ordering::Relaxed) == 1
        })
    }
}

impl GameUpdate {
    /// The message for `person`, or for somebody who watches.
    pub(crate) fn into_message_for(self, person: Option<PlayerId>) -> Utf8Bytes {
        match person {
            Some(person) => self.players[person].clone(),
            None => self.spectators,
        }
    }
}
