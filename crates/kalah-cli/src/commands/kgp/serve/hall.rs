use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kalah::{BySide, Side};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::super::print_stderr;
use super::archive::GameArchive;
use super::client::ClientHandle;
use super::game::{CompletedGame, GamePlayer, play_game};
use super::lots::Rng;
use super::table::GameConfig;

/// Where clients wait until they play.
pub(super) struct Matchmaker {
    config: Arc<GameConfig>,
    archive: Arc<GameArchive>,
    new_clients: mpsc::Receiver<ClientHandle>,
    waiting: VecDeque<WaitingClient>,
    games: JoinSet<Arc<CompletedGame>>,
    next_game_number: u64,
    /// Games that are still to be begun, if there is an end to them.
    games_left: Option<u64>,
    rng: Rng,
    shutdown: CancellationToken,
}

/// A client that waits for a game.
struct WaitingClient {
    client: ClientHandle,
    /// Since when it may play.
    ready_at: Instant,
    /// Whom it has met last.
    last_opponent: Option<ClientHandle>,
}

/// The pause between two games of a client.
const PAUSE_AFTER_GAME: Duration = Duration::from_millis(200);

/// The pause of a client that has lost by a fault: one that does so at once fills no disk.
const PAUSE_AFTER_FORFEIT: Duration = Duration::from_secs(2);

/// Clients for whom a partner is looked for at a time: where there is none for so many, they are of one token.
const MAX_PAIRING_CANDIDATES: usize = 16;

/// When nobody waits.
const IDLE_WAKE_INTERVAL: Duration = Duration::from_hours(1);

impl Matchmaker {
    pub(super) fn new(
        config: Arc<GameConfig>,
        archive: Arc<GameArchive>,
        new_clients: mpsc::Receiver<ClientHandle>,
        games_left: Option<u64>,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            next_game_number: archive.first_number(),
            config,
            archive,
            new_clients,
            waiting: VecDeque::new(),
            games: JoinSet::new(),
            games_left,
            rng: Rng::default(),
            shutdown,
        }
    }

    /// Lets clients play until the server ends or the last game has ended.
    pub(super) async fn run(mut self) {
        let closing = self.shutdown.clone();
        while !closing.is_cancelled() && !self.is_finished() {
            let wake = self.start_ready_games();
            tokio::select! {
                client = self.new_clients.recv() => {
                    let ready_at = Instant::now();
                    let waiting = client.map(|client| WaitingClient { client, ready_at, last_opponent: None });
                    self.waiting.extend(waiting);
                }
                Some(played) = self.games.join_next(), if !self.games.is_empty() => {
                    if let Ok(played) = played {
                        self.requeue_clients(&played);
                    }
                }
                () = sleep_until(wake) => {}
                () = closing.cancelled() => {}
            }
        }
        while self.games.join_next().await.is_some() {}
    }

    /// Whether the last game has ended.
    fn is_finished(&self) -> bool {
        self.games_left == Some(0) && self.games.is_empty()
    }

    /// Begins all games that can begin, and says when another one may.
    fn start_ready_games(&mut self) -> Instant {
        let now = Instant::now();
        self.waiting.retain(|waiting| waiting.client.is_connected());
        while self.games_left != Some(0) {
            let Some(seats) = self
                .pair_clients(now)
                .or_else(|| self.pair_with_builtin(now))
            else {
                break;
            };
            self.start_game(seats);
        }
        let wait = self.config.pairing_timeout;
        let times = self
            .waiting
            .iter()
            .flat_map(|waiting| [waiting.ready_at, waiting.ready_at + wait]);
        times
            .filter(|time| *time > now)
            .min()
            .unwrap_or(now + IDLE_WAKE_INTERVAL)
    }

    /// Two clients that may meet, those who have waited longest first. The same two meet again only after they have
    /// waited for somebody else.
    fn pair_clients(&mut self, now: Instant) -> Option<[GamePlayer; 2]> {
        let wait = self.config.pairing_timeout;
        let is_ready = |waiting: &&WaitingClient| waiting.ready_at <= now;
        let may_meet = |one: &WaitingClient, other: &WaitingClient| {
            let is_new = one
                .last_opponent
                .as_ref()
                .is_none_or(|last| !last.is_same_client(&other.client));
            one.client.can_be_paired_with(&other.client) && (is_new || one.ready_at + wait <= now)
        };
        let ready = self.waiting.iter().enumerate();
        let ready: Vec<_> = ready.filter(|(_, waiting)| is_ready(waiting)).collect();
        let mut firsts = ready.iter().take(MAX_PAIRING_CANDIDATES).enumerate();
        let (first, second) = firsts.find_map(|(place, (first, one))| {
            let mut others = ready[place + 1..].iter();
            let (second, _) = others.find(|(_, other)| may_meet(one, other))?;
            Some((*first, *second))
        })?;
        let second = self.waiting.remove(second)?;
        let first = self.waiting.remove(first)?;
        Some([
            GamePlayer::Client(first.client),
            GamePlayer::Client(second.client),
        ])
    }

    /// A client that has waited for too long for another one, and one of ours.
    fn pair_with_builtin(&mut self, now: Instant) -> Option<[GamePlayer; 2]> {
        let wait = self.config.pairing_timeout;
        let has_waited = |waiting: &WaitingClient| waiting.ready_at + wait <= now;
        let index = self.waiting.iter().position(has_waited)?;
        let ours = *self.rng.choose(&self.config.opponents)?;
        let waiting = self.waiting.remove(index)?;
        Some([
            GamePlayer::Client(waiting.client),
            GamePlayer::Builtin(ours),
        ])
    }

    fn start_game(&mut self, [one, other]: [GamePlayer; 2]) {
        let is_turned = self.rng.below(2) == 0;
        let seats = BySide::new(one, other);
        let seats = if is_turned { seats.swapped() } else { seats };
        let number = self.next_game_number;
        self.next_game_number += 1;
        self.games_left = self.games_left.map(|left| left.saturating_sub(1));
        let (table, archive) = (Arc::clone(&self.config), Arc::clone(&self.archive));
        let (seed, closing) = (self.rng.next_u64(), self.shutdown.clone());
        self.games.spawn(async move {
            let played = Arc::new(play_game(table, number, seats, seed, closing).await);
            print_stderr(&played.to_string());
            let kept = Arc::clone(&played);
            // It tells by itself what goes wrong.
            let _ = tokio::task::spawn_blocking(move || archive.store_game(&kept)).await;
            played
        });
    }

    /// Lets the clients of a game wait for the next one.
    fn requeue_clients(&mut self, played: &CompletedGame) {
        let now = Instant::now();
        for side in Side::ALL {
            if let GamePlayer::Client(guest) = &played.players[side] {
                let is_at_fault = played
                    .forfeit
                    .as_ref()
                    .is_some_and(|(loser, _)| *loser == side);
                let pause = if is_at_fault {
                    PAUSE_AFTER_FORFEIT
                } else {
                    PAUSE_AFTER_GAME
                };
                let last = match &played.players[side.opponent()] {
                    GamePlayer::Client(other) => Some(other.clone()),
                    GamePlayer::Builtin(_) => None,
                };
                self.waiting.push_back(WaitingClient {
                    client: guest.clone(),
                    ready_at: now + pause,
                    last_opponent: last,
                });
            }
        }
    }
}
