//! The time source of the server, and the deadlines of game clocks.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use kalah::ObservedTime;
use kalah_net::PauseWatch;
use kalah_store::{GameId, Timestamp};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The interval at which the server observes its clock.
pub(super) const OBSERVATION_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two observations that counts as a pause: two observations are missing.
/// Schedulers let a ready thread of a busy machine wait for some time slices of a few milliseconds,
/// so a delay of two seconds is no load. A shorter pause is charged to the player to move.
const MIN_PAUSE: Duration = OBSERVATION_INTERVAL.saturating_mul(3);

/// The clock of the server: the time of day at the start, continued by a monotonic clock, so that
/// adjustments of the system time have no effect.
///
/// The clock stands still while the process does not run, because it was stopped, or its virtual
/// machine was suspended: such a pause is no player's thinking time. Until the next start it lags
/// behind the time of day by all pauses. On Linux the monotonic clock itself does not advance while
/// the machine is suspended, so that there is no pause to notice. The clock follows that of Tokio,
/// which tests can pause and advance.
#[derive(Debug)]
pub(crate) struct TimeSource {
    start: Timestamp,
    start_instant: Instant,
    /// `None` for a clock that never stands still.
    pauses: Option<PauseWatch>,
}

impl TimeSource {
    /// Creates a clock that shows `start` now and never stands still. Requires a Tokio runtime.
    pub(crate) fn new(start: Timestamp) -> Self {
        Self {
            start,
            start_instant: Instant::now(),
            pauses: None,
        }
    }

    /// Creates a clock that shows the system time, or the Unix epoch if the system time is earlier.
    /// A reading that is three seconds later than the previous one counts as a pause, so it has to
    /// be read every [`OBSERVATION_INTERVAL`].
    pub(crate) fn system() -> Self {
        let time = Self::new(SystemTime::now().into());
        Self {
            pauses: Some(PauseWatch::new(time.start_instant, MIN_PAUSE)),
            ..time
        }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        let ObservedTime { now, paused } = self.observe();
        self.start.saturating_add(now.saturating_sub(paused))
    }

    /// Returns the total time of the pauses so far.
    pub(crate) fn paused(&self) -> Duration {
        self.observe().paused
    }

    /// Returns the instant of a timestamp on Tokio's clock if there is no further pause, or the
    /// start of this clock if the timestamp is earlier.
    pub(crate) fn instant(&self, time: Timestamp) -> Instant {
        self.start_instant + self.paused() + time.saturating_duration_since(self.start)
    }

    /// Returns the time since the start, and the total time of the pauses in it.
    fn observe(&self) -> ObservedTime {
        match &self.pauses {
            Some(pauses) => pauses.observe(),
            None => ObservedTime {
                now: self.start_instant.elapsed(),
                paused: Duration::ZERO,
            },
        }
    }
}

/// The expiry times of all running clocks, also of games that are not in memory.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    set: Mutex<DeadlineSet>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct DeadlineSet {
    by_game: HashMap<GameId, Timestamp>,
    by_time: BTreeSet<(Timestamp, GameId)>,
}

impl Deadlines {
    /// Sets or removes the expiry time of a game.
    pub(crate) fn set(&self, game: GameId, time: Option<Timestamp>) {
        let mut set = self.lock();
        let previous = match time {
            Some(time) => set.by_game.insert(game, time),
            None => set.by_game.remove(&game),
        };
        if previous == time {
            return;
        }
        if let Some(previous) = previous {
            set.by_time.remove(&(previous, game));
        }
        if let Some(time) = time {
            set.by_time.insert((time, game));
            if set.by_time.first() == Some(&(time, game)) {
                self.changed.notify_one();
            }
        }
    }

    /// Returns the earliest expiry time; `None` if no clock runs.
    pub(crate) fn earliest(&self) -> Option<Timestamp> {
        self.lock().by_time.first().map(|&(time, _)| time)
    }

    /// Waits until the clock of a game expires, and removes its expiry time.
    pub(crate) async fn next_expired(&self, time: &TimeSource) -> GameId {
        loop {
            let earliest = self.lock().by_time.first().copied();
            let Some((expiry, game)) = earliest else {
                self.changed.notified().await;
                continue;
            };
            if expiry <= time.now() {
                self.set(game, None);
                return game;
            }
            tokio::select! {
                () = tokio::time::sleep_until(time.instant(expiry)) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, DeadlineSet> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_source_follows_tokios_clock() {
        let time = TimeSource::new(Timestamp::from_millis(5_000));
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(time.now(), Timestamp::from_millis(5_250));
        let later = time.now().saturating_add(Duration::from_secs(1));
        assert_eq!(time.instant(later) - Instant::now(), Duration::from_secs(1));
        let earlier = Timestamp::from_millis(-7);
        assert!(time.instant(earlier) <= Instant::now());
    }

    #[tokio::test]
    async fn system_time_is_later_than_this_test() {
        const WRITTEN: Timestamp = Timestamp::from_millis(1_700_000_000_000);
        assert!(TimeSource::system().now() > WRITTEN);
    }

    #[tokio::test(start_paused = true)]
    async fn clock_stands_still_in_a_pause() {
        let time = TimeSource::system();
        let start = time.now();
        let deadline = start.saturating_add(Duration::from_secs(10));
        let observed = Duration::from_secs(2);
        for _ in 0..3 {
            tokio::time::advance(observed).await;
            time.now();
        }
        assert_eq!(time.now(), start.saturating_add(3 * observed));
        assert_eq!(time.paused(), Duration::ZERO);
        let pause = Duration::from_mins(1);
        tokio::time::advance(pause).await;
        assert_eq!(time.now(), start.saturating_add(3 * observed));
        assert_eq!(time.paused(), pause);
        let rest = Duration::from_secs(10).saturating_sub(3 * observed);
        assert_eq!(time.instant(deadline) - Instant::now(), rest);
    }

    #[tokio::test(start_paused = true)]
    async fn games_expire_in_order() {
        let time = TimeSource::new(Timestamp::from_millis(0));
        let deadlines = Deadlines::default();
        let [earliest, second, third, never] =
            [1, 2, 3, 4].map(|number| GameId::from([number; 16]));
        let at = Timestamp::from_millis;
        deadlines.set(third, Some(at(30)));
        deadlines.set(never, Some(at(5)));
        deadlines.set(earliest, Some(at(40)));
        deadlines.set(earliest, Some(at(10)));
        deadlines.set(never, None);
        let earlier = async {
            tokio::time::sleep(Duration::from_millis(15)).await;
            deadlines.set(second, Some(at(20)));
        };
        let all = async {
            for (game, expiry) in [(earliest, at(10)), (second, at(20)), (third, at(30))] {
                assert_eq!(deadlines.next_expired(&time).await, game);
                let late = time.now().saturating_duration_since(expiry);
                assert!(
                    expiry <= time.now() && late < Duration::from_millis(3),
                    "{late:?}"
                );
            }
        };
        tokio::join!(earlier, all);
        assert_eq!(deadlines.earliest(), None);
    }
}
