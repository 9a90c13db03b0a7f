//! Time in games: timestamps and game clocks.

use std::time::{Duration, SystemTime};

use kalah::{ByPlayer, PlayerId};
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

/// A Fischer clock: an initial time per player and an increment per turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSetting {
    initial: Duration,
    increment: Duration,
}

/// The error of an invalid [`ClockSetting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClockSettingError {
    /// The initial time is out of range.
    #[error("a clock starts with a time from 1s to 24h")]
    Initial,
    /// The increment is out of range.
    #[error("a turn adds 1h to a clock at most")]
    Increment,
}

impl ClockSetting {
    /// The shortest playable initial time.
    const MIN_INITIAL: Duration = Duration::from_secs(1);
    /// The longest initial time. Slower games need no clock.
    const MAX_INITIAL: Duration = Duration::from_hours(24);
    /// The longest increment. Slower games need no clock.
    const MAX_INCREMENT: Duration = Duration::from_hours(1);

    /// Creates a clock setting. The clock counts in milliseconds.
    ///
    /// # Errors
    /// Returns the component that is out of range.
    pub fn new(initial: Duration, increment: Duration) -> Result<Self, ClockSettingError> {
        if !(Self::MIN_INITIAL..=Self::MAX_INITIAL).contains(&initial) {
            return Err(ClockSettingError::Initial);
        }
        if increment > Self::MAX_INCREMENT {
            return Err(ClockSettingError::Increment);
        }
        Ok(Self { initial, increment })
    }

    /// Returns the initial time of each player.
    pub const fn initial(self) -> Duration {
        self.initial
    }

    /// Returns the time added for each turn.
    pub const fn increment(self) -> Duration {
        self.increment
    }
}

/// The clock of a game: the remaining time of each player, and the start of the current turn.
///
/// The clock starts when both players have joined. The increment is added once per turn, when the
/// turn passes to the other player; bonus turns belong to the same turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    setting: ClockSetting,
    /// The remaining times at the start of the current turn.
    remaining: ByPlayer<Duration>,
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

impl GameClock {
    /// Creates a clock that does not run yet.
    pub const fn new(setting: ClockSetting) -> Self {
        let remaining = ByPlayer::new(setting.initial, setting.initial);
        Self::from_stored(setting, remaining, None)
    }

    /// Restores a clock from the store.
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

    /// Returns the initial time and increment.
    pub const fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Returns the player whose time runs, and since when.
    pub const fn running(&self) -> Option<RunningClock> {
        self.running
    }

    /// Returns the remaining times at [`RunningClock::since`].
    pub const fn remaining_at_turn_start(&self) -> ByPlayer<Duration> {
        self.remaining
    }

    /// Returns the remaining time of a player.
    pub fn remaining(&self, player: PlayerId, now: Timestamp) -> Duration {
        let remaining = self.remaining[player];
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
        Some(running.since.saturating_add(self.remaining[running.player]))
    }

    /// Whether the running player has no time left.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|expiry| expiry <= now)
    }

    /// Starts the time of `player` at `now`. If the turn passes from the other player, that player
    /// receives the increment.
    pub fn start_turn(&mut self, player: PlayerId, now: Timestamp) {
        if let Some(running) = self.running {
            let mut remaining = self.remaining(running.player, now);
            if running.player != player {
                remaining += self.setting.increment;
            }
            self.remaining[running.player] = remaining;
        }
        self.running = Some(RunningClock { player, since: now });
    }

    /// Stops the clock.
    pub fn stop(&mut self, now: Timestamp) {
        if let Some(running) = self.running {
            self.remaining[running.player] = self.remaining(running.player, now);
            self.running = None;
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

    fn clock() -> GameClock {
        let setting = ClockSetting::new(seconds(60), seconds(5)).expect("a good setting");
        GameClock::new(setting)
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
    fn clock_expires_to_the_millisecond() {
        let mut clock = clock();
        clock.start_turn(SECOND, at(7));
        assert_eq!(clock.expires_at(), Some(at(67)));
        assert!(!clock.has_expired(Timestamp::from_millis(66_999)));
        assert!(clock.has_expired(at(67)));
        assert_eq!(clock.remaining(SECOND, at(1000)), Duration::ZERO);
    }

    #[test]
    fn settings_out_of_range_are_rejected() {
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
}
