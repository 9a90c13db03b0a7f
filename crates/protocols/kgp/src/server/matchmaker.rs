//! Pairing of the waiting clients, and the games that run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kalah::{BySide, Side};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::server::client::ClientHandle;
use crate::server::config::GameConfig;
use crate::server::game::{CompletedGame, GameArchive, GamePlayer, play_game};

/// The pause of a client between two games.
const PAUSE_AFTER_GAME: Duration = Duration::from_millis(200);

/// The pause of a client after a forfeit, so that a client that always forfeits at once does not
/// fill the disk with records.
const PAUSE_AFTER_FORFEIT: Duration = Duration::from_secs(2);

/// The maximum number of clients for which an opponent is searched at a time. If none of them has
/// an opponent, the waiting clients have the same token.
const MAX_PAIRING_CANDIDATES: usize = 16;

/// The time until the next check if no client waits.
const IDLE_WAKE_INTERVAL: Duration = Duration::from_hours(1);

/// Starts games between waiting clients.
pub(crate) struct Matchmaker {
    config: Arc<GameConfig>,
    archive: Arc<GameArchive>,
    new_clients: mpsc::Receiver<ClientHandle>,
    waiting: VecDeque<WaitingClient>,
    games: JoinSet<Arc<CompletedGame>>,
    next_game_number: u64,
    /// The number of games that are still to be started, if it is limited.
    games_left: Option<u64>,
    rng: Pcg64Mcg,
    shutdown: CancellationToken,
}

/// A client that waits for a game.
struct WaitingClient {
    client: ClientHandle,
    /// The time from which the client may play.
    ready_at: Instant,
    last_opponent: Option<ClientHandle>,
}

impl Matchmaker {
    pub(crate) fn new(
        config: Arc<GameConfig>,
        archive: Arc<GameArchive>,
        new_clients: mpsc::Receiver<ClientHandle>,
        games_left: Option<u64>,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            next_game_number: archive.first_number(),
            rng: Pcg64Mcg::seed_from_u64(config.seed),
            config,
            archive,
            new_clients,
            waiting: VecDeque::new(),
            games: JoinSet::new(),
            games_left,
            shutdown,
        }
    }

    /// Runs games until the shutdown or the end of the last game.
    pub(crate) async fn run(mut self) {
        let shutdown = self.shutdown.clone();
        while !shutdown.is_cancelled() && !self.is_finished() {
            let wake_time = self.start_ready_games();
            tokio::select! {
                Some(client) = self.new_clients.recv() => self.waiting.push_back(WaitingClient {
                    client,
                    ready_at: Instant::now(),
                    last_opponent: None,
                }),
                Some(completed) = self.games.join_next() => {
                    if let Ok(completed) = completed {
                        self.requeue_clients(&completed);
                    }
                }
                () = sleep_until(wake_time) => {}
                () = shutdown.cancelled() => {}
            }
        }
        while self.games.join_next().await.is_some() {}
    }

    /// Returns whether the last game has ended.
    fn is_finished(&self) -> bool {
        self.games_left == Some(0) && self.games.is_empty()
    }

    /// Starts all games that can start, and returns the time at which another one may.
    fn start_ready_games(&mut self) -> Instant {
        let now = Instant::now();
        self.waiting.retain(|waiting| waiting.client.is_connected());
        while self.games_left != Some(0) {
            let Some(players) = self
                .pair_clients(now)
                .or_else(|| self.pair_with_builtin(now))
            else {
                break;
            };
            self.start_game(players);
        }
        let timeout = self.config.pairing_timeout;
        let times = self
            .waiting
            .iter()
            .flat_map(|waiting| [waiting.ready_at, waiting.ready_at + timeout]);
        times
            .filter(|time| *time > now)
            .min()
            .unwrap_or(now + IDLE_WAKE_INTERVAL)
    }

    /// Removes and returns two clients that may play each other, those with the longest waiting
    /// time first. Two clients that have just played each other do so again only after the pairing
    /// timeout.
    fn pair_clients(&mut self, now: Instant) -> Option<[GamePlayer; 2]> {
        let timeout = self.config.pairing_timeout;
        let can_pair = |one: &WaitingClient, other: &WaitingClient| {
            let is_new = one
                .last_opponent
                .as_ref()
                .is_none_or(|last| !last.is_same_client(&other.client));
            one.client.can_be_paired_with(&other.client)
                && (is_new || one.ready_at + timeout <= now)
        };
        let indexed = self.waiting.iter().enumerate();
        let ready: Vec<_> = indexed
            .filter(|(_, waiting)| waiting.ready_at <= now)
            .collect();
        let mut candidates = ready.iter().take(MAX_PAIRING_CANDIDATES).enumerate();
        let (first, second) = candidates.find_map(|(rank, (first, one))| {
            let mut others = ready[rank + 1..].iter();
            let (second, _) = others.find(|(_, other)| can_pair(one, other))?;
            Some((*first, *second))
        })?;
        // The second index is the larger one.
        let second = self.waiting.remove(second)?;
        let first = self.waiting.remove(first)?;
        Some([
            GamePlayer::Client(first.client),
            GamePlayer::Client(second.client),
        ])
    }

    /// Removes and returns a client after its pairing timeout, together with a built-in player.
    fn pair_with_builtin(&mut self, now: Instant) -> Option<[GamePlayer; 2]> {
        let timeout = self.config.pairing_timeout;
        let has_waited = |waiting: &WaitingClient| waiting.ready_at + timeout <= now;
        let index = self.waiting.iter().position(has_waited)?;
        let opponent = *self.config.opponents.choose(&mut self.rng)?;
        let waiting = self.waiting.remove(index)?;
        Some([
            GamePlayer::Client(waiting.client),
            GamePlayer::Builtin(opponent),
        ])
    }

    /// Starts a game with random sides.
    fn start_game(&mut self, [one, other]: [GamePlayer; 2]) {
        let players = BySide::new(one, other);
        let players = if self.rng.random() {
            players.swapped()
        } else {
            players
        };
        let number = self.next_game_number;
        self.next_game_number += 1;
        self.games_left = self.games_left.map(|left| left.saturating_sub(1));
        let (config, archive) = (Arc::clone(&self.config), Arc::clone(&self.archive));
        let scoreboard = config.scoreboard.clone();
        let (seed, shutdown) = (self.rng.random(), self.shutdown.clone());
        self.games.spawn(async move {
            let completed = Arc::new(play_game(config, number, players, seed, shutdown).await);
            tracing::info!("{completed}");
            let stored = Arc::clone(&completed);
            // The archive logs its errors.
            let _ = tokio::task::spawn_blocking(move || archive.store_game(&stored)).await;
            if let Some(scoreboard) = scoreboard {
                completed.end_on(&scoreboard);
            }
            completed
        });
    }

    /// Lets the clients of a game wait for their next one.
    fn requeue_clients(&mut self, completed: &CompletedGame) {
        let now = Instant::now();
        for side in Side::ALL {
            let GamePlayer::Client(client) = &completed.players[side] else {
                continue;
            };
            let has_forfeited = completed
                .forfeit
                .as_ref()
                .is_some_and(|(loser, _)| *loser == side);
            let pause = if has_forfeited {
                PAUSE_AFTER_FORFEIT
            } else {
                PAUSE_AFTER_GAME
            };
            let last_opponent = match &completed.players[side.opponent()] {
                GamePlayer::Client(opponent) => Some(opponent.clone()),
                GamePlayer::Builtin(_) => None,
            };
            self.waiting.push_back(WaitingClient {
                client: client.clone(),
                ready_at: now + pause,
                last_opponent,
            });
        }
    }
}
