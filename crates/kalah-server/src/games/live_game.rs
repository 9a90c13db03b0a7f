//! A game in memory: its subscribers, the commands of players and what they change.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use kalah_api::MoveResultView;
use tokio::sync::{Mutex, broadcast};

use crate::games::clock::Timestamp;
use crate::games::friend_game::{CommandError, FriendGame, PlayOutcome, RematchOutcome};
use crate::games::ids::{ByPlayer, GameId, PlayerId};
use crate::games::messages::{ClockView, GameStateView, ServerMessage};

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
        let connected = |person| {
            self.connections_by_player
                .get(person)
                .load(Ordering::Relaxed)
                > 0
        };
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
        let before = person.map(|person| {
            self.connections_by_player
                .get(person)
                .fetch_add(1, Ordering::Relaxed)
        });
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
            self.connections_by_player
                .get(person)
                .fetch_sub(1, Ordering::Relaxed)
                == 1
        })
    }
}

impl GameUpdate {
    /// The message for `person`, or for somebody who watches.
    pub(crate) fn into_message_for(self, person: Option<PlayerId>) -> Utf8Bytes {
        match person {
            Some(person) => self.players.get(person).clone(),
            None => self.spectators,
        }
    }
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

/// What is to be kept and told of an act that was not refused.
pub(super) enum GameChange {
    Unchanged,
    State,
    Ply,
    Rematch(Box<FriendGame>),
}

pub(super) fn apply(
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
pub(super) fn clock_expiry(game: &FriendGame) -> Option<Timestamp> {
    game.state().clock.and_then(|clock| clock.expires_at())
}

/// The message about ply `number` of a game, if that has been made.
pub(super) fn move_message(game: &FriendGame, number: usize, now: Timestamp) -> Option<Utf8Bytes> {
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
