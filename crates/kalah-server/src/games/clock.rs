//! Time in games: timestamps, the time source, game clocks and their deadlines.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::games::ids::{ByPlayer, GameId, PlayerId};

/// A point in time as games are kept with it, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment so many milliseconds after the start of 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the start of 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment so much later, as late as one can be told at the most.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// The moment so much earlier, as early as one can be told at the most.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// The time from `earlier` to this moment, nothing if that is no earlier one.
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

/// Tells games what time it is: the time of day at the start, and from then on a clock that no
/// correction of the time of day moves.
///
/// It goes with tokio's clock, so that a test can turn it on.
#[derive(Clone, Copy, Debug)]
pub struct TimeSource {
    start: Timestamp,
    start_instant: Instant,
}

impl TimeSource {
    /// A clock that shows `start` now. Made within a tokio runtime.
    pub fn new(start: Timestamp) -> Self {
        Self {
            start,
            start_instant: Instant::now(),
        }
    }

    /// A clock that shows the time of day. A time of day before 1970 counts as the start of 1970.
    pub fn system() -> Self {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self::new(Timestamp::from_millis(0).saturating_add(since_1970.unwrap_or_default()))
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.start.saturating_add(self.start_instant.elapsed())
    }

    /// When it will be `moment` on tokio's clock; now, if that has gone by.
    pub fn instant(&self, moment: Timestamp) -> Instant {
        self.start_instant + moment.saturating_duration_since(self.start)
    }
}

/// How much time the people of a game have: so much at the start, and so much more for each turn
/// (Fischer's way).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSetting {
    initial: Duration,
    increment: Duration,
}

/// Times that make no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClockSettingError {
    /// A time at the start that is too short or too long.
    #[error("a clock starts with a time from 1s to 24h")]
    Initial,
    /// Too much for each turn.
    #[error("a turn adds 1h to a clock at most")]
    Increment,
}

impl ClockSetting {
    /// Nobody can play in less.
    const MIN_INITIAL: Duration = Duration::from_secs(1);
    /// For more, a game without a clock is the better one.
    const MAX_INITIAL: Duration = Duration::from_hours(24);
    /// The same.
    const MAX_INCREMENT: Duration = Duration::from_hours(1);

    /// A clock with `initial` at the start and `increment` for each turn, counted in milliseconds.
    ///
    /// # Errors
    /// Which of the two is out of range.
    pub fn new(initial: Duration, increment: Duration) -> Result<Self, ClockSettingError> {
        if !(Self::MIN_INITIAL..=Self::MAX_INITIAL).contains(&initial) {
            return Err(ClockSettingError::Initial);
        }
        if increment > Self::MAX_INCREMENT {
            return Err(ClockSettingError::Increment);
        }
        Ok(Self { initial, increment })
    }

    /// The time at the start.
    pub const fn initial(self) -> Duration {
        self.initial
    }

    /// What each turn adds.
    pub const fn increment(self) -> Duration {
        self.increment
    }
}

/// The clock of a game: what each person has left, and since when one of them is thinking.
///
/// It stands still until both people have come to the game. A turn adds its increment once, when it
/// passes to the other person: bonus turns make no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    setting: ClockSetting,
    /// What each had left when the clock was looked at last.
    remaining: ByPlayer<Duration>,
    running: Option<RunningClock>,
}

/// Who is thinking, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningClock {
    /// Whose time runs.
    pub player: PlayerId,
    /// From when on it is to be counted.
    pub since: Timestamp,
}

impl GameClock {
    /// A clock that has not run yet.
    pub const fn new(setting: ClockSetting) -> Self {
        let left = ByPlayer::new(setting.initial, setting.initial);
        Self::from_stored(setting, left, None)
    }

    /// A clock as it was kept.
    pub const fn from_stored(
        setting: ClockSetting,
        remaining: ByPlayer<Duration>,
        running: Option<RunningClock>,
    ) -> Self {
        Self {
            setting,
            remaining,
            running,
        }
    }

    /// Its times at the start and for each turn.
    pub const fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Whose time runs, and since when.
    pub const fn running(&self) -> Option<RunningClock> {
        self.running
    }

    /// What each person had left when the clock began to run for who is thinking.
    pub const fn remaining_at_turn_start(&self) -> ByPlayer<Duration> {
        self.remaining
    }

    /// What `person` has left.
    pub fn remaining(&self, person: PlayerId, now: Timestamp) -> Duration {
        let left = *self.remaining.get(person);
        match self.running {
            Some(running) if running.player == person => {
                left.saturating_sub(now.saturating_duration_since(running.since))
            }
            _ => left,
        }
    }

    /// When the person who is thinking will have no time left.
    pub fn expires_at(&self) -> Option<Timestamp> {
        let running = self.running?;
        Some(
            running
                .since
                .saturating_add(*self.remaining.get(running.player)),
        )
    }

    /// Whether the person who is thinking has no time left.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|end| end <= now)
    }

    /// Lets the time of `person` run from `now` on. A turn that passes to them from the other person
    /// is paid with the increment.
    pub fn start_turn(&mut self, person: PlayerId, now: Timestamp) {
        if let Some(running) = self.running {
            let mut left = self.remaining(running.player, now);
            if running.player != person {
                left += self.setting.increment;
            }
            *self.remaining.get_mut(running.player) = left;
        }
        self.running = Some(RunningClock {
            player: person,
            since: now,
        });
    }

    /// Lets nobody's time run any more.
    pub fn stop(&mut self, now: Timestamp) {
        if let Some(running) = self.running {
            *self.remaining.get_mut(running.player) = self.remaining(running.player, now);
            self.running = None;
        }
    }
}

/// When the clocks that run will run out, whether anybody looks at their games or not.
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
    /// Notes when the clock of a game runs out, if it runs.
    pub(crate) fn set(&self, game: GameId, moment: Option<Timestamp>) {
        let mut set = self.lock();
        let before = match moment {
            Some(moment) => set.by_game.insert(game, moment),
            None => set.by_game.remove(&game),
        };
        if before == moment {
            return;
        }
        if let Some(before) = before {
            set.by_time.remove(&(before, game));
        }
        if let Some(moment) = moment {
            set.by_time.insert((moment, game));
            if set.by_time.first() == Some(&(moment, game)) {
                self.changed.notify_one();
            }
        }
    }

    /// Whether any clock runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().by_game.is_empty()
    }

    /// Waits until the clock of a game has run out, and forgets it.
    pub(crate) async fn next_expired(&self, time: &TimeSource) -> GameId {
        loop {
            let first = self.lock().by_time.first().copied();
            let Some((moment, game)) = first else {
                self.changed.notified().await;
                continue;
            };
            if moment <= time.now() {
                self.set(game, None);
                return game;
            }
            tokio::select! {
                () = tokio::time::sleep_until(time.instant(moment)) => {}
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
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_goes_with_tokios_clock() {
        let time = TimeSource::new(Timestamp::from_millis(5_000));
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(time.now(), Timestamp::from_millis(5_250));
        let later = time.now().saturating_add(Duration::from_secs(1));
        assert_eq!(time.instant(later) - Instant::now(), Duration::from_secs(1));
        let earlier = Timestamp::from_millis(-7);
        assert!(time.instant(earlier) <= Instant::now());
        assert_eq!(earlier.saturating_duration_since(later), Duration::ZERO);
    }

    #[tokio::test]
    async fn the_time_of_day_is_later_than_this_test_was_written() {
        const WRITTEN: Timestamp = Timestamp::from_millis(1_700_000_000_000);
        assert!(TimeSource::system().now() > WRITTEN);
    }

    const FIRST: PlayerId = PlayerId::ALL[0];
    const SECOND: PlayerId = PlayerId::ALL[1];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock() -> GameClock {
        let setting = ClockSetting::new(seconds(60), seconds(5)).expect("a good setting");
        GameClock::new(setting)
    }

    #[test]
    fn time_runs_for_who_is_to_move_and_a_turn_is_paid_once() {
        let mut clock = clock();
        assert_eq!(
            (clock.remaining(FIRST, at(99)), clock.expires_at()),
            (seconds(60), None)
        );
        clock.start_turn(FIRST, at(100));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        assert_eq!(clock.remaining(SECOND, at(110)), seconds(60));
        // A bonus turn.
        clock.start_turn(FIRST, at(110));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        clock.start_turn(SECOND, at(120));
        assert_eq!(clock.remaining(FIRST, at(130)), seconds(45));
        assert_eq!(clock.remaining(SECOND, at(130)), seconds(50));
        clock.stop(at(130));
        assert_eq!(clock.remaining(SECOND, at(200)), seconds(50));
        assert_eq!(clock.running(), None);
    }

    #[test]
    fn it_runs_out_to_the_millisecond() {
        let mut clock = clock();
        clock.start_turn(SECOND, at(7));
        assert_eq!(clock.expires_at(), Some(at(67)));
        assert!(!clock.has_expired(Timestamp::from_millis(66_999)));
        assert!(clock.has_expired(at(67)));
        assert_eq!(clock.remaining(SECOND, at(1000)), Duration::ZERO);
    }

    #[test]
    fn settings_have_limits() {
        let hour = Duration::from_hours(1);
        for (initial, increment, error) in [
            (Duration::from_millis(999), hour, ClockSettingError::Initial),
            (24 * hour + seconds(1), hour, ClockSettingError::Initial),
            (hour, hour + seconds(1), ClockSettingError::Increment),
        ] {
            assert_eq!(ClockSetting::new(initial, increment), Err(error));
        }
        assert!(ClockSetting::new(seconds(1), Duration::ZERO).is_ok());
        assert!(ClockSetting::new(24 * hour, hour).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn games_come_in_the_order_in_which_they_run_out() {
        let time = TimeSource::new(Timestamp::from_millis(0));
        let deadlines = Deadlines::default();
        let [first, second, third, never] = [1, 2, 3, 4].map(|number| GameId::from([number; 16]));
        let at = Timestamp::from_millis;
        deadlines.set(third, Some(at(30)));
        deadlines.set(never, Some(at(5)));
        deadlines.set(first, Some(at(40)));
        deadlines.set(first, Some(at(10)));
        deadlines.set(never, None);
        let earlier = async {
            tokio::time::sleep(Duration::from_millis(15)).await;
            deadlines.set(second, Some(at(20)));
        };
        let all = async {
            for (game, moment) in [(first, at(10)), (second, at(20)), (third, at(30))] {
                assert_eq!(deadlines.next_expired(&time).await, game);
                let late = time.now().saturating_duration_since(moment);
                assert!(
                    moment <= time.now() && late < Duration::from_millis(3),
                    "{late:?}"
                );
            }
        };
        tokio::join!(earlier, all);
        assert!(deadlines.is_empty());
    }
}
