use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kalah::{BySide, Side};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::super::tell_stderr;
use super::archive::Archive;
use super::client::Guest;
use super::game::{Played, Seat, play};
use super::lots::Lots;
use super::table::Table;

/// Where clients wait until they play.
pub(super) struct Hall {
    table: Arc<Table>,
    archive: Arc<Archive>,
    arriving: mpsc::Receiver<Guest>,
    waiting: VecDeque<Waiting>,
    games: JoinSet<Arc<Played>>,
    number: u64,
    /// Games that are still to be begun, if there is an end to them.
    left: Option<u64>,
    lots: Lots,
    closing: CancellationToken,
}

/// A client that waits for a game.
struct Waiting {
    guest: Guest,
    /// Since when it may play.
    since: Instant,
    /// Whom it has met last.
    last: Option<Guest>,
}

/// The pause between two games of a client.
const PAUSE: Duration = Duration::from_millis(200);

/// The pause of a client that has lost by a fault: one that does so at once fills no disk.
const PAUSE_AFTER_FAULT: Duration = Duration::from_secs(2);

/// Clients for whom a partner is looked for at a time: where there is none for so many, they are of one token.
const MOST_FIRSTS: usize = 16;

/// When nobody waits.
const LONG: Duration = Duration::from_hours(1);

impl Hall {
    pub(super) fn new(
        table: Arc<Table>,
        archive: Arc<Archive>,
        arriving: mpsc::Receiver<Guest>,
        left: Option<u64>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            number: archive.first_number(),
            table,
            archive,
            arriving,
            waiting: VecDeque::new(),
            games: JoinSet::new(),
            left,
            lots: Lots::default(),
            closing,
        }
    }

    /// Lets clients play until the server ends or the last game has ended.
    pub(super) async fn run(mut self) {
        let closing = self.closing.clone();
        while !closing.is_cancelled() && !self.has_ended() {
            let wake = self.pair();
            tokio::select! {
                guest = self.arriving.recv() => {
                    let since = Instant::now();
                    let waiting = guest.map(|guest| Waiting { guest, since, last: None });
                    self.waiting.extend(waiting);
                }
                Some(played) = self.games.join_next(), if !self.games.is_empty() => {
                    if let Ok(played) = played {
                        self.take_back(&played);
                    }
                }
                () = sleep_until(wake) => {}
                () = closing.cancelled() => {}
            }
        }
        while self.games.join_next().await.is_some() {}
    }

    /// Whether the last game has ended.
    fn has_ended(&self) -> bool {
        self.left == Some(0) && self.games.is_empty()
    }

    /// Begins all games that can begin, and says when another one may.
    fn pair(&mut self) -> Instant {
        let now = Instant::now();
        self.waiting.retain(|waiting| waiting.guest.is_there());
        while self.left != Some(0) {
            let Some(seats) = self.two_clients(now).or_else(|| self.one_client(now)) else {
                break;
            };
            self.begin(seats);
        }
        let wait = self.table.wait;
        let times = self
            .waiting
            .iter()
            .flat_map(|waiting| [waiting.since, waiting.since + wait]);
        times.filter(|time| *time > now).min().unwrap_or(now + LONG)
    }

    /// Two clients that may meet, those who have waited longest first. The same two meet again only after they have
    /// waited for somebody else.
    fn two_clients(&mut self, now: Instant) -> Option<[Seat; 2]> {
        let wait = self.table.wait;
        let is_ready = |waiting: &&Waiting| waiting.since <= now;
        let may_meet = |one: &Waiting, other: &Waiting| {
            let is_new = one.last.as_ref().is_none_or(|last| !last.is(&other.guest));
            one.guest.may_meet(&other.guest) && (is_new || one.since + wait <= now)
        };
        let ready = self.waiting.iter().enumerate();
        let ready: Vec<_> = ready.filter(|(_, waiting)| is_ready(waiting)).collect();
        let mut firsts = ready.iter().take(MOST_FIRSTS).enumerate();
        let (first, second) = firsts.find_map(|(place, (first, one))| {
            let mut others = ready[place + 1..].iter();
            let (second, _) = others.find(|(_, other)| may_meet(one, other))?;
            Some((*first, *second))
        })?;
        let second = self.waiting.remove(second)?;
        let first = self.waiting.remove(first)?;
        Some([Seat::Guest(first.guest), Seat::Guest(second.guest)])
    }

    /// A client that has waited for too long for another one, and one of ours.
    fn one_client(&mut self, now: Instant) -> Option<[Seat; 2]> {
        let wait = self.table.wait;
        let has_waited = |waiting: &Waiting| waiting.since + wait <= now;
        let index = self.waiting.iter().position(has_waited)?;
        let ours = *self.lots.pick(&self.table.opponents)?;
        let waiting = self.waiting.remove(index)?;
        Some([Seat::Guest(waiting.guest), Seat::Ours(ours)])
    }

    fn begin(&mut self, [one, other]: [Seat; 2]) {
        let is_turned = self.lots.below(2) == 0;
        let seats = BySide::new(one, other);
        let seats = if is_turned { seats.swapped() } else { seats };
        let number = self.number;
        self.number += 1;
        self.left = self.left.map(|left| left.saturating_sub(1));
        let (table, archive) = (Arc::clone(&self.table), Arc::clone(&self.archive));
        let (seed, closing) = (self.lots.draw(), self.closing.clone());
        self.games.spawn(async move {
            let played = Arc::new(play(table, number, seats, seed, closing).await);
            tell_stderr(&played.to_string());
            let kept = Arc::clone(&played);
            // It tells by itself what goes wrong.
            let _ = tokio::task::spawn_blocking(move || archive.keep(&kept)).await;
            played
        });
    }

    /// Lets the clients of a game wait for the next one.
    fn take_back(&mut self, played: &Played) {
        let now = Instant::now();
        for side in Side::ALL {
            if let Seat::Guest(guest) = &played.seats[side] {
                let is_at_fault = played
                    .fault
                    .as_ref()
                    .is_some_and(|(loser, _)| *loser == side);
                let pause = if is_at_fault {
                    PAUSE_AFTER_FAULT
                } else {
                    PAUSE
                };
                let last = match &played.seats[side.opponent()] {
                    Seat::Guest(other) => Some(other.clone()),
                    Seat::Ours(_) => None,
                };
                self.waiting.push_back(Waiting {
                    guest: guest.clone(),
                    since: now + pause,
                    last,
                });
            }
        }
    }
}
