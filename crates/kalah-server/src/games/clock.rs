use std::time::Duration;

use thiserror::Error;

use crate::games::{ByPlayer, PlayerId, Timestamp};

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
        let left = self.remaining[person];
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
        Some(running.since.saturating_add(self.remaining[running.player]))
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
            self.remaining[running.player] = left;
        }
        self.running = Some(RunningClock {
            player: person,
            since: now,
        });
    }

    /// Lets nobody's time run any more.
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
}
