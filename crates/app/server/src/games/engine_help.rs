//! Games whose players have no help of the engine: which of them are played from which address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kalah::{Move, Position, Setup};
use kalah_store::GameId;

use crate::games::friend_game::FriendGame;
use crate::games::registry::GameRegistry;
use crate::http::rate_limit::ClientIp;

/// The running games without engine help, by the addresses from which their players are connected,
/// with the number of those connections.
#[derive(Debug, Default)]
pub(super) struct GamesWithoutHelp(Mutex<HashMap<ClientIp, HashMap<GameId, usize>>>);

impl GamesWithoutHelp {
    /// Adds the connection of a player.
    pub(super) fn add(&self, client: ClientIp, game: GameId) {
        let mut games = self.lock();
        let count = games.entry(client).or_default().entry(game).or_default();
        *count += 1;
    }

    /// Removes the connection of a player, if it was added.
    pub(super) fn remove(&self, client: ClientIp, game: GameId) {
        let mut all = self.lock();
        let Some(games) = all.get_mut(&client) else {
            return;
        };
        if let Some(count) = games.get_mut(&game) {
            *count -= 1;
            if *count == 0 {
                games.remove(&game);
            }
        }
        if games.is_empty() {
            all.remove(&client);
        }
    }

    /// Returns the games that are played from an address.
    fn of(&self, client: ClientIp) -> Vec<GameId> {
        let games = self.lock();
        let games = games.get(&client);
        games.map_or_else(Vec::new, |games| games.keys().copied().collect())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientIp, HashMap<GameId, usize>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameRegistry {
    /// Returns whether a game without engine help is played from an address, and has `position` on
    /// its board or a move after it. The stores do not matter, nor which side is to move from which
    /// row.
    pub(crate) async fn is_without_help(
        self: &Arc<Self>,
        client: ClientIp,
        position: &Position,
    ) -> bool {
        for id in self.without_help.of(client) {
            let handle = self.get(id);
            let slot = handle.live_game.game.lock().await;
            if slot
                .as_ref()
                .is_some_and(|game| is_in_reach(game, position))
            {
                return true;
            }
        }
        false
    }
}

/// Returns whether a running game has `position` on its board or a move after it.
fn is_in_reach(game: &FriendGame, position: &Position) -> bool {
    if game.state().ending.is_some() {
        return false;
    }
    let (present, wanted) = (game.game().position(), houses(position));
    houses(present) == wanted
        || present.legal_moves().any(|mv| {
            let mut next = present.clone();
            mv != Move::Swap && next.play(mv).is_ok() && houses(&next) == wanted
        })
}

/// The seeds in the houses of the side to move and of the other side.
type Houses = [Vec<u64>; 2];

fn houses(position: &Position) -> Houses {
    let mut setup = Setup::from(position);
    let side = position.to_move();
    [side, side.opponent()].map(|side| std::mem::take(&mut setup.rows[side]))
}
