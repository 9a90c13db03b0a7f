//! The configuration of a server, and the ends of its games.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kalah::{Ending, FirstPlyRules, Move, Position, Side, Termination};
use kalah_net::{HostName, ListenAddress, PauseWatch};
use kalah_players::{EngineFactory, PlayerSpec};
use kalah_store::DataFolder;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::message::Mode;
use crate::server::agent::TokenSalt;
use crate::server::scoreboard::Scoreboard;

/// The configuration of a [`KgpServer`](crate::server::KgpServer).
#[derive(Clone, Debug)]
pub struct KgpServerConfig {
    /// The address to bind for clients over TCP.
    pub tcp_address: ListenAddress,
    /// The address to bind for clients over a WebSocket, if any.
    pub web_socket_address: Option<ListenAddress>,
    /// The address to bind for the page with the agents and the games, if any.
    pub page_address: Option<ListenAddress>,
    /// The hosts that requests for the page may name, besides `localhost`, loopback addresses, the
    /// host of `page_address`, and the address at which a connection arrives.
    pub page_hosts: Vec<HostName>,
    /// The start of all games.
    pub start: Position,
    /// The time of a player for each state.
    pub move_time: Duration,
    /// The time that a client waits for another client before it plays a built-in player, or again
    /// its last opponent.
    pub pairing_timeout: Duration,
    /// The only mode that the server supports; `None` allows both.
    pub only_mode: Option<Mode>,
    /// The built-in players, of which each game has a random one. Without any, clients play only
    /// each other.
    pub opponents: Vec<PlayerSpec>,
    /// The engines of built-in players, with the memory of one search.
    pub engines: EngineFactory,
    /// The maximum number of searches at the same time.
    pub max_searches: NonZeroUsize,
    /// The number of games after which the server ends, if any.
    pub max_games: Option<NonZeroU64>,
    /// The maximum number of connections.
    pub max_clients: usize,
    /// The folder of the records of all games and of the results of agents, if any. A server
    /// continues the numbers and the statistics that it finds there.
    pub record_folder: Option<PathBuf>,
    /// The folder in which finished games are stored like games between friends, if any.
    pub data_folder: Option<DataFolder>,
    /// The seed of all random draws.
    pub seed: u64,
}

/// The error of a [`KgpServerConfig`] with which no game is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KgpServerConfigError {
    /// The rules have a swap.
    #[error("the protocol has no swap: choose rules without it")]
    Swap,
    /// The time for a state is zero.
    #[error("the time for a state is 0s")]
    NoMoveTime,
    /// The start is finished.
    #[error("a game from this start is over before the first move")]
    Finished,
    /// All moves from the start are forced.
    #[error("a game from this start has only forced moves")]
    Forced,
}

/// The shortest time between two observations of the clock that counts as a pause of the process.
const MIN_PAUSE: Duration = Duration::from_secs(1);

/// The configuration of all games of a server.
#[derive(Debug)]
pub(crate) struct GameConfig {
    pub(crate) start: Position,
    pub(crate) move_time: Duration,
    pub(crate) pairing_timeout: Duration,
    pub(crate) only_mode: Option<Mode>,
    pub(crate) opponents: Vec<PlayerSpec>,
    pub(crate) seed: u64,
    /// The agents and games, if the server has a page.
    pub(crate) scoreboard: Option<Arc<Scoreboard>>,
    /// The salt of the tokens of clients.
    pub(crate) token_salt: TokenSalt,
    /// The pauses of the process, in which no player's time runs.
    pub(crate) pauses: PauseWatch,
    engines: EngineFactory,
    search_permits: Arc<Semaphore>,
}

impl GameConfig {
    /// Checks a configuration and returns the part that games use.
    ///
    /// # Errors
    /// Returns an error if no game is possible.
    pub(crate) fn new(config: &KgpServerConfig) -> Result<Self, KgpServerConfigError> {
        let start = &config.start;
        // The protocol has no swap, and its server says which side is to move after ply 1.
        let FirstPlyRules {
            swap,
            first_bonus: _,
        } = start.rules().first_ply_rules;
        if swap {
            return Err(KgpServerConfigError::Swap);
        }
        if config.move_time.is_zero() {
            return Err(KgpServerConfigError::NoMoveTime);
        }
        if start.is_over() {
            return Err(KgpServerConfigError::Finished);
        }
        if !has_choice_of_moves(start) {
            return Err(KgpServerConfigError::Forced);
        }
        Ok(Self {
            start: start.clone(),
            move_time: config.move_time,
            pairing_timeout: config.pairing_timeout,
            only_mode: config.only_mode.clone(),
            opponents: config.opponents.clone(),
            seed: config.seed,
            scoreboard: (config.page_address.as_ref())
                .map(|_| Arc::new(Scoreboard::new(start.clone()))),
            token_salt: TokenSalt::random(),
            pauses: PauseWatch::new(Instant::now(), MIN_PAUSE),
            engines: config.engines.clone().with_threads(NonZeroUsize::MIN),
            search_permits: Arc::new(Semaphore::new(config.max_searches.get())),
        })
    }

    /// Returns the move of a built-in player, or `None` if the player fails.
    pub(crate) async fn choose_move(
        &self,
        spec: PlayerSpec,
        position: &Position,
        seed: u64,
    ) -> Option<Move> {
        let permits = Arc::clone(&self.search_permits);
        let permit = permits.acquire_owned().await.ok()?;
        let (engines, position) = (self.engines.clone(), position.clone());
        let limit = spec
            .time_limit
            .map_or(self.move_time, |own| own.get().min(self.move_time));
        let search = move || {
            let mut player = spec.build_player(&spec.default_name(), seed, &engines)?;
            let mv = player.choose_move(&position, limit);
            drop(permit);
            mv
        };
        tokio::task::spawn_blocking(search).await.ok().flatten()
    }
}

/// Returns whether a game from `start` reaches a position with several legal moves. Otherwise it is
/// over as soon as it has begun, and clients would play games without end.
fn has_choice_of_moves(start: &Position) -> bool {
    let mut position = start.clone();
    while !is_over_on_server(&position) {
        let forced_move = {
            let mut moves = position.legal_moves();
            match (moves.next(), moves.next()) {
                (Some(forced), None) => forced,
                (first, _) => return first.is_some(),
            }
        };
        if position.play(forced_move).is_err() {
            return false;
        }
    }
    false
}

/// Returns the end of a game on a server in this position: by the rules, or because a store has
/// more than half of all seeds. `None` while the game goes on.
pub(crate) fn server_ending(position: &Position) -> Option<Ending> {
    if let Some(outcome) = position.outcome() {
        return Some(Ending {
            termination: Termination::Normal,
            winner: outcome.winner(),
            outcome: Some(outcome),
        });
    }
    let half = position.total().get() / 2;
    let mut sides = Side::ALL.into_iter();
    let winner = sides.find(|&side| position.store(side).get() > half)?;
    Some(Ending {
        termination: Termination::Adjudicated,
        winner: Some(winner),
        outcome: None,
    })
}

/// Returns whether a game on a server is over in this position.
pub(crate) fn is_over_on_server(position: &Position) -> bool {
    server_ending(position).is_some()
}

#[cfg(test)]
mod tests {
    use kalah::Rules;
    use kalah_engine::TableCache;
    use kalah_players::MemorySize;

    use super::*;

    fn config(houses: u8, seeds: u64, rules: Rules) -> KgpServerConfig {
        KgpServerConfig {
            tcp_address: "127.0.0.1:0".parse().expect("an address"),
            web_socket_address: None,
            page_address: None,
            page_hosts: Vec::new(),
            start: Position::start(houses, seeds, rules).expect("a start"),
            move_time: Duration::from_secs(1),
            pairing_timeout: Duration::ZERO,
            only_mode: None,
            opponents: vec!["first".parse().expect("a player")],
            engines: EngineFactory::new(
                NonZeroUsize::MIN,
                MemorySize::new(1 << 20),
                TableCache::new(),
            ),
            max_searches: NonZeroUsize::MIN,
            max_games: None,
            max_clients: 1,
            record_folder: None,
            data_folder: None,
            seed: 1,
        }
    }

    #[test]
    fn configurations_without_possible_games_are_rejected() {
        let error = |config: &KgpServerConfig| GameConfig::new(config).err();
        assert_eq!(error(&config(6, 4, Rules::STANDARD)), None);
        assert_eq!(
            error(&config(7, 7, Rules::MANKALAH)),
            Some(KgpServerConfigError::Swap)
        );
        assert_eq!(
            error(&config(6, 0, Rules::STANDARD)),
            Some(KgpServerConfigError::Finished)
        );
        assert_eq!(
            error(&config(1, 1, Rules::STANDARD)),
            Some(KgpServerConfigError::Forced)
        );
        let config = KgpServerConfig {
            move_time: Duration::ZERO,
            ..config(6, 4, Rules::STANDARD)
        };
        assert_eq!(error(&config), Some(KgpServerConfigError::NoMoveTime));
    }
}
