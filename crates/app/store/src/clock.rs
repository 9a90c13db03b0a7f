//! Time in games: timestamps, and the clocks of games between friends.

use std::time::{Duration, SystemTime};

use kalah::{ByPlayer, ClockSetting, GameClock, PlayerId};
use thiserror::Error;

/// A point in time in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the timestamp `duration` later, saturating at the latest one.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// Returns the timestamp `duration` earlier, saturating at the earliest one.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

/// Returns the Unix epoch for earlier system times.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH);
        Self(0).saturating_add(since_epoch.unwrap_or_default())
    }
}

/// The shortest playable initial time.
const MIN_INITIAL: Duration = Duration::from_secs(1);
/// The longest initial time. Slower games need no clock.
const MAX_INITIAL: Duration = Duration::from_hours(24);
/// The longest increment. Slower games need no clock.
const MAX_INCREMENT: Duration = Duration::from_hours(1);

/// The reason why games between friends do not have a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FriendClockError {
    /// The initial time is out of range.
    #[error("a clock starts with a time from 1s to 24h")]
    Initial,
    /// The increment is out of range.
    #[error("a turn adds 1h to a clock at most")]
    Increment,
}

/// Returns the setting of the clock of a game between friends. The clock counts in milliseconds.
///
/// # Errors
/// Returns the component that is out of range.
pub fn friend_clock_setting(
    initial: Duration,
    increment: Duration,
) -> Result<ClockSetting, FriendClockError> {
    if !(MIN_INITIAL..=MAX_INITIAL).contains(&initial) {
        return Err(FriendClockError::Initial);
    }
    if increment > MAX_INCREMENT {
        return Err(FriendClockError::Increment);
    }
    ClockSetting::new(initial, increment).ok_or(FriendClockError::Initial)
}

/// The clock of a game between friends: the times of its players, and the start of the current
/// turn.
///
/// The clock starts when both players have joined. A clock that does not run adds no increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FriendClock {
    /// The times at the start of the current turn.
    clock: GameClock,
    running: Option<RunningClock>,
}

/// The player whose time runs, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningClock {
    /// The player whose time runs.
    pub player: PlayerId,
    /// The start of the turn or of the last bonus turn.
    pub since: Timestamp,
}

impl FriendClock {
    /// Creates a clock that does not run yet.
    pub const fn new(setting: ClockSetting) -> Self {
        Self {
            clock: GameClock::new(setting),
            running: None,
        }
    }

    /// Restores a clock from the store.
    pub const fn from_stored(
        setting: ClockSetting,
        remaining: ByPlayer<Duration>,
        running: Option<RunningClock>,
    ) -> Self {
        Self {
            clock: GameClock::from_remaining(setting, remaining),
            running,
        }
    }

    /// Returns the initial time and increment.
    pub const fn setting(&self) -> ClockSetting {
        self.clock.setting()
    }

    /// Returns the player whose time runs, and since when.
    pub const fn running(&self) -> Option<RunningClock> {
        self.running
    }

    /// Returns the remaining times at [`RunningClock::since`].
    pub const fn remaining_at_turn_start(&self) -> ByPlayer<Duration> {
        self.clock.times()
    }

    /// Returns the remaining time of a player.
    pub fn remaining(&self, player: PlayerId, now: Timestamp) -> Duration {
        let remaining = self.clock.remaining(player);
        match self.running {
            Some(running) if running.player == player => {
                remaining.saturating_sub(now.saturating_duration_since(running.since))
            }
            _ => remaining,
        }
    }

    /// Returns the time at which the running player has no time left.
    pub fn expires_at(&self) -> Option<Timestamp> {
        let running = self.running?;
        let remaining = self.clock.remaining(running.player);
        Some(running.since.saturating_add(remaining))
    }

    /// Whether the running player has no time left.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|expiry| expiry <= now)
    }

    /// Starts the time of `player` at `now`, and stops that of the other player.
    pub fn run(&mut self, player: PlayerId, now: Timestamp) {
        self.stop(now);
        self.running = Some(RunningClock { player, since: now });
    }

    /// Stops the clock after a ply of the player whose time runs, after which `next` is to move.
    pub fn complete_ply(&mut self, next: PlayerId, now: Timestamp) {
        if let Some(running) = self.running {
            self.stop(now);
            self.clock.complete_ply(running.player, next);
        }
    }

    /// Stops the clock.
    pub fn stop(&mut self, now: Timestamp) {
        if let Some(running) = self.running.take() {
            let used = now.saturating_duration_since(running.since);
            self.clock.spend(running.player, used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: PlayerId = PlayerId::ALL[0];
    const SECOND: PlayerId = PlayerId::ALL[1];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock() -> FriendClock {
        let setting = friend_clock_setting(seconds(60), seconds(5)).expect("a good setting");
        FriendClock::new(setting)
    }

    #[test]
    fn timestamps_saturate() {
        let (earlier, later) = (Timestamp::from_millis(-7), at(1));
        assert_eq!(later.saturating_duration_since(earlier).as_millis(), 1007);
        assert_eq!(earlier.saturating_duration_since(later), Duration::ZERO);
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(Timestamp::from(epoch + seconds(1)), at(1));
        assert_eq!(Timestamp::from(epoch - seconds(1)), at(0));
    }

    #[test]
    fn clock_runs_for_the_player_to_move_and_adds_the_increment_once() {
        let mut clock = clock();
        assert_eq!(
            (clock.remaining(FIRST, at(99)), clock.expires_at()),
            (seconds(60), None)
        );
        // A clock that does not run adds no increment.
        clock.complete_ply(SECOND, at(100));
        assert_eq!(clock.remaining(FIRST, at(100)), seconds(60));
        clock.run(FIRST, at(100));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        assert_eq!(clock.remaining(SECOND, at(110)), seconds(60));
        // A bonus turn.
        clock.complete_ply(FIRST, at(110));
        clock.run(FIRST, at(110));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        clock.complete_ply(SECOND, at(120));
        clock.run(SECOND, at(120));
        assert_eq!(clock.remaining(FIRST, at(130)), seconds(45));
        assert_eq!(clock.remaining(SECOND, at(130)), seconds(50));
        clock.stop(at(130));
        assert_eq!(clock.remaining(SECOND, at(200)), seconds(50));
        assert_eq!(clock.running(), None);
    }

    #[test]
    fn clock_expires_to_the_millisecond() {
        let mut clock = clock();
        clock.run(SECOND, at(7));
        assert_eq!(clock.expires_at(), Some(at(67)));
        assert!(!clock.has_expired(Timestamp::from_millis(66_999)));
        assert!(clock.has_expired(at(67)));
        assert_eq!(clock.remaining(SECOND, at(1000)), Duration::ZERO);
    }

    #[test]
    fn settings_out_of_range_are_rejected() {
        let hour = Duration::from_hours(1);
        for (initial, increment, error) in [
            (Duration::from_millis(999), hour, FriendClockError::Initial),
            (24 * hour + seconds(1), hour, FriendClockError::Initial),
            (hour, hour + seconds(1), FriendClockError::Increment),
        ] {
            assert_eq!(friend_clock_setting(initial, increment), Err(error));
        }
        assert!(friend_clock_setting(seconds(1), Duration::ZERO).is_ok());
        assert!(friend_clock_setting(24 * hour, hour).is_ok());
    }
}
