//! A game in memory: its subscribers, the commands of players and what they change.

use std::collections::{HashMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use kalah::{ByPlayer, PlayerId};
use kalah_api::MoveResultView;
use kalah_store::{GameId, PlayerName, PlayerToken, Takeback, Timestamp};
use tokio::sync::{Mutex, broadcast};
use tokio_util::sync::CancellationToken;

use crate::games::command_error::CommandError;
use crate::games::friend_game::{
    FriendGame, JoinOutcome, PlayOutcome, RematchOutcome, TakebackOutcome,
};
use crate::games::messages::{ClockView, GameStateView, ServerMessage};
use crate::games::offer::OfferAction;
use crate::http::rate_limit::ClientIp;

/// A game in memory, and the channel to its subscribers.
#[derive(Debug)]
pub(crate) struct LiveGame {
    pub(super) id: GameId,
    /// The game as it is on disk. `None` before it was loaded, and after a failed write, when the
    /// contents of the disk are unknown.
    pub(super) game: Mutex<Option<FriendGame>>,
    updates: broadcast::Sender<GameUpdate>,
    /// The WebSocket connections of each player, the oldest first.
    players: std::sync::Mutex<ByPlayer<VecDeque<CancellationToken>>>,
    /// Those of the spectators at each address, the oldest first.
    spectators: std::sync::Mutex<HashMap<ClientIp, VecDeque<CancellationToken>>>,
    /// The time of the last phrase of each player.
    last_phrases: std::sync::Mutex<ByPlayer<Option<Timestamp>>>,
}

/// A WebSocket connection to a game.
#[derive(Debug)]
pub(super) struct GameConnection {
    /// The player; `None` for a spectator.
    pub(super) player: Option<PlayerId>,
    pub(super) client: ClientIp,
    /// Cancelled when newer connections of the player, or spectators at other addresses, replace
    /// this one.
    pub(super) replaced: CancellationToken,
}

/// A message to all subscribers of a game.
#[derive(Clone, Debug)]
pub(crate) struct GameUpdate {
    players: ByPlayer<Utf8Bytes>,
    spectators: Utf8Bytes,
}

/// The number of messages that a subscriber may lag behind.
const MAX_LAG: usize = 32;

/// The maximum number of WebSocket connections of spectators to one game.
pub(super) const MAX_SPECTATORS: usize = 256;

/// The shortest time between two phrases of a player.
const PHRASE_INTERVAL: Duration = Duration::from_secs(1);

/// The number of WebSocket connections that a player keeps. No connection of a player is refused: a
/// further one replaces the oldest.
pub(super) const MAX_CONNECTIONS_OF_PLAYER: usize = 16;

impl LiveGame {
    /// Creates the entry of a game that is not loaded yet.
    pub(super) fn new(id: GameId) -> Self {
        Self {
            id,
            game: Mutex::new(None),
            updates: broadcast::channel(MAX_LAG).0,
            players: std::sync::Mutex::default(),
            spectators: std::sync::Mutex::default(),
            last_phrases: std::sync::Mutex::default(),
        }
    }

    /// Returns the state of the game as `player` sees it, or a spectator.
    pub(super) fn view(
        &self,
        game: &FriendGame,
        player: Option<PlayerId>,
        now: Timestamp,
    ) -> GameStateView {
        let players = self.players();
        let is_connected = ByPlayer::from_fn(|player| !players[player].is_empty());
        drop(players);
        GameStateView::new(game, player, is_connected, now)
    }

    /// Sends the state of the game to all subscribers.
    pub(super) fn broadcast_state(&self, game: &FriendGame, now: Timestamp) {
        if self.updates.receiver_count() == 0 {
            return;
        }
        let mut view = self.view(game, None, now);
        let spectators = ServerMessage::State { state: &view }.to_text();
        let swapped = game.game().is_swapped();
        let players = ByPlayer::from_fn(|player| {
            view.you = Some(player.side(swapped));
            ServerMessage::State { state: &view }.to_text()
        });
        self.send(GameUpdate {
            players,
            spectators,
        });
    }

    /// Sends the same message to all subscribers.
    pub(super) fn broadcast(&self, message: &Utf8Bytes) {
        self.send(GameUpdate {
            players: ByPlayer::from_fn(|_| message.clone()),
            spectators: message.clone(),
        });
    }

    /// Returns whether a player may send a phrase at `now`, and counts it as sent.
    pub(super) fn take_phrase(&self, player: PlayerId, now: Timestamp) -> bool {
        let last_phrases = self.last_phrases.lock();
        let last = &mut last_phrases.unwrap_or_else(PoisonError::into_inner)[player];
        let is_early = last.is_some_and(|last| last.saturating_add(PHRASE_INTERVAL) > now);
        if !is_early {
            *last = Some(now);
        }
        !is_early
    }

    fn send(&self, update: GameUpdate) {
        // Sending fails if the game has no subscribers.
        let _ = self.updates.send(update);
    }

    /// Returns the answer to a ping at `now`, which does not wait for changes of the game.
    pub(super) fn pong(&self, now: Timestamp) -> Utf8Bytes {
        let slot = self.game.try_lock().ok();
        let game = slot.as_deref().and_then(Option::as_ref);
        let clock = game.and_then(|game| {
            let clock = game.state().clock?;
            Some(ClockView::new(&clock, game.game().is_swapped(), now))
        });
        let plies = game.map(|game| game.game().plies().len());
        ServerMessage::Pong { plies, clock }.to_text()
    }

    /// Adds a connection of a player, or of a spectator. If the game has too many spectators, the
    /// oldest one of the address with the most is replaced, as long as that address still has more
    /// than this one. Otherwise it returns `None`.
    pub(super) fn add_connection(
        &self,
        player: Option<PlayerId>,
        client: ClientIp,
    ) -> Option<GameConnection> {
        let replaced = CancellationToken::new();
        match player {
            Some(player) => self.add_player(player, replaced.clone()),
            None => self.add_spectator(client, replaced.clone())?,
        }
        Some(GameConnection {
            player,
            client,
            replaced,
        })
    }

    fn add_player(&self, player: PlayerId, replaced: CancellationToken) {
        let mut players = self.players();
        let connections = &mut players[player];
        connections.push_back(replaced);
        if connections.len() > MAX_CONNECTIONS_OF_PLAYER
            && let Some(oldest) = connections.pop_front()
        {
            oldest.cancel();
        }
    }

    fn add_spectator(&self, client: ClientIp, replaced: CancellationToken) -> Option<()> {
        let mut spectators = self.spectators();
        let count: usize = spectators.values().map(VecDeque::len).sum();
        if count >= MAX_SPECTATORS {
            let own = spectators.get(&client).map_or(0, VecDeque::len);
            let longest = spectators.values_mut().max_by_key(|others| others.len())?;
            if longest.len() <= own + 1 {
                return None;
            }
            longest.pop_front()?.cancel();
        }
        spectators.entry(client).or_default().push_back(replaced);
        Some(())
    }

    /// Returns the number of connections of a player.
    pub(super) fn connection_count(&self, player: PlayerId) -> usize {
        self.players()[player].len()
    }

    /// Subscribes to future messages.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<GameUpdate> {
        self.updates.subscribe()
    }

    /// Removes a connection. Returns true if it was the player's last one.
    pub(super) fn remove_connection(&self, connection: &GameConnection) -> bool {
        // A connection that was replaced is not among the others. This one is found by its token.
        let was_replaced = connection.replaced.is_cancelled();
        connection.replaced.cancel();
        let is_other = |replaced: &CancellationToken| !replaced.is_cancelled();
        let Some(player) = connection.player else {
            let mut spectators = self.spectators();
            if let Some(others) = spectators.get_mut(&connection.client) {
                others.retain(is_other);
                if others.is_empty() {
                    spectators.remove(&connection.client);
                }
            }
            return false;
        };
        let connections = &mut self.players()[player];
        connections.retain(is_other);
        !was_replaced && connections.is_empty()
    }

    fn spectators(&self) -> MutexGuard<'_, HashMap<ClientIp, VecDeque<CancellationToken>>> {
        let spectators = self.spectators.lock();
        spectators.unwrap_or_else(PoisonError::into_inner)
    }

    fn players(&self) -> MutexGuard<'_, ByPlayer<VecDeque<CancellationToken>>> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameUpdate {
    /// Returns the message for `player`, or for a spectator.
    pub(crate) fn into_message_for(self, player: Option<PlayerId>) -> Utf8Bytes {
        match player {
            Some(player) => self.players[player].clone(),
            None => self.spectators,
        }
    }
}

/// A command of a player.
#[derive(Clone, Debug)]
pub(crate) enum GameCommand {
    /// Take the free seat.
    Join {
        /// The name of the player.
        name: Option<PlayerName>,
        /// Whether the player lets the game count in the opening statistics of the server.
        shares: bool,
    },
    /// Play a move.
    Play {
        /// The number of the ply, counted from 1.
        ply: usize,
        /// The letter of a house or `swap`.
        mv: String,
    },
    /// Set or delete the name of the player.
    SetName(Option<PlayerName>),
    /// Resign.
    Resign,
    /// Act on the offer of a takeback.
    Takeback(OfferAction),
    /// Act on the offer of a rematch.
    Rematch(OfferAction),
}

/// The change of a game by a command, to be saved and broadcast.
pub(super) enum GameChange {
    Unchanged,
    State,
    Join(PlayerId),
    Ply,
    Takeback(Takeback),
    Rematch(Box<FriendGame>),
}

/// Applies a command of the owner of a token to a game.
///
/// # Errors
/// Returns the reason of a rejected command, which leaves the game unchanged.
pub(super) fn apply(
    game: &mut FriendGame,
    token: &PlayerToken,
    command: GameCommand,
    now: Timestamp,
) -> Result<GameChange, CommandError> {
    let player = game.player(token);
    Ok(match command {
        GameCommand::Join { name, shares } => match game.join(token, name, now)? {
            JoinOutcome::Joined(player) => {
                game.set_shares(player, shares);
                GameChange::Join(player)
            }
            JoinOutcome::Repeated(_) => GameChange::Unchanged,
        },
        GameCommand::Play { ply, mv } => match game.play(player?, ply, &mv, now)? {
            PlayOutcome::Played => GameChange::Ply,
            PlayOutcome::Repeated => GameChange::Unchanged,
        },
        GameCommand::SetName(name) => {
            if game.set_name(player?, name, now) {
                GameChange::State
            } else {
                GameChange::Unchanged
            }
        }
        GameCommand::Resign => {
            game.resign(player?, now)?;
            GameChange::State
        }
        GameCommand::Takeback(action) => match game.take_back(player?, action, now)? {
            TakebackOutcome::Changed => GameChange::State,
            TakebackOutcome::Repeated => GameChange::Unchanged,
            TakebackOutcome::TakenBack(takeback) => GameChange::Takeback(takeback),
        },
        GameCommand::Rematch(action) => match game.rematch(player?, action, now)? {
            RematchOutcome::Changed => GameChange::State,
            RematchOutcome::Repeated => GameChange::Unchanged,
            RematchOutcome::Created(other) => GameChange::Rematch(other),
        },
    })
}

/// Returns the time at which the running clock of a game expires.
pub(super) fn clock_expiry(game: &FriendGame) -> Option<Timestamp> {
    game.state().clock.and_then(|clock| clock.expires_at())
}

/// Returns the message about ply `number` of a game, or `None` if it was not played yet.
pub(super) fn move_message(game: &FriendGame, number: usize, now: Timestamp) -> Option<Utf8Bytes> {
    let plies = game.game().plies();
    let ply = plies.get(number.checked_sub(1)?)?;
    let mut position = match number.checked_sub(2) {
        Some(index) => plies.get(index)?.after.clone(),
        None => game.game().start().clone(),
    };
    let result = MoveResultView::play(&mut position, ply.mv).ok()?;
    let is_last = number == plies.len();
    let clock = game.state().clock.filter(|_| is_last);
    let swapped = game.game().is_swapped();
    let message = ServerMessage::Move {
        ply: number,
        result: &result,
        clock: clock.map(|clock| ClockView::new(&clock, swapped, now)),
    };
    Some(message.to_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> ClientIp {
        ClientIp::new([192, 0, 2, number].into())
    }

    #[test]
    fn spectators_of_one_address_make_room_for_others() {
        let game = LiveGame::new(GameId::random());
        let watch = |number| game.add_connection(None, client(number));
        let greedy: Vec<_> = (0..MAX_SPECTATORS)
            .map(|_| watch(1).expect("a place"))
            .collect();
        assert!(watch(1).is_none());
        let other = watch(2).expect("a place");
        let replaced = |index: usize| greedy[index].replaced.is_cancelled();
        assert!(replaced(0) && !replaced(1));
        assert!(!game.remove_connection(&greedy[0]));
        assert!(watch(1).is_none());
        game.remove_connection(&other);
        let again = watch(1).expect("a place");
        game.remove_connection(&again);
        for connection in &greedy {
            game.remove_connection(connection);
        }
        assert!(game.spectators().is_empty());
    }
}
