use std::time::Duration;

use thiserror::Error;

use crate::games::{ByPerson, Moment, Person};

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
    const SHORTEST: Duration = Duration::from_secs(1);
    /// For more, a game without a clock is the better one.
    const LONGEST: Duration = Duration::from_hours(24);
    /// The same.
    const LARGEST_INCREMENT: Duration = Duration::from_hours(1);

    /// A clock with `initial` at the start and `increment` for each turn, counted in milliseconds.
    ///
    /// # Errors
    /// Which of the two is out of range.
    pub fn new(initial: Duration, increment: Duration) -> Result<Self, ClockSettingError> {
        if !(Self::SHORTEST..=Self::LONGEST).contains(&initial) {
            return Err(ClockSettingError::Initial);
        }
        if increment > Self::LARGEST_INCREMENT {
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
pub struct Clock {
    setting: ClockSetting,
    /// What each had left when the clock was looked at last.
    left: ByPerson<Duration>,
    running: Option<Running>,
}

/// Who is thinking, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Whose time runs.
    pub person: Person,
    /// From when on it is to be counted.
    pub since: Moment,
}

impl Clock {
    /// A clock that has not run yet.
    pub const fn new(setting: ClockSetting) -> Self {
        let left = ByPerson::new(setting.initial, setting.initial);
        Self::kept(setting, left, None)
    }

    /// A clock as it was kept.
    pub const fn kept(
        setting: ClockSetting,
        left: ByPerson<Duration>,
        running: Option<Running>,
    ) -> Self {
        Self {
            setting,
            left,
            running,
        }
    }

    /// Its times at the start and for each turn.
    pub const fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Whose time runs, and since when.
    pub const fn running(&self) -> Option<Running> {
        self.running
    }

    /// What each person had left when the clock began to run for who is thinking.
    pub const fn kept_left(&self) -> ByPerson<Duration> {
        self.left
    }

    /// What `person` has left.
    pub fn left(&self, person: Person, now: Moment) -> Duration {
        let left = *self.left.of(person);
        match self.running {
            Some(running) if running.person == person => {
                left.saturating_sub(now.since(running.since))
            }
            _ => left,
        }
    }

    /// When the person who is thinking will have no time left.
    pub fn runs_out(&self) -> Option<Moment> {
        let running = self.running?;
        Some(running.since.after(*self.left.of(running.person)))
    }

    /// Whether the person who is thinking has no time left.
    pub fn has_run_out(&self, now: Moment) -> bool {
        self.runs_out().is_some_and(|end| end <= now)
    }

    /// Lets the time of `person` run from `now` on. A turn that passes to them from the other person
    /// is paid with the increment.
    pub fn turn(&mut self, person: Person, now: Moment) {
        if let Some(running) = self.running {
            let mut left = self.left(running.person, now);
            if running.person != person {
                left += self.setting.increment;
            }
            *self.left.of_mut(running.person) = left;
        }
        self.running = Some(Running { person, since: now });
    }

    /// Lets nobody's time run any more.
    pub fn stop(&mut self, now: Moment) {
        if let Some(running) = self.running {
            *self.left.of_mut(running.person) = self.left(running.person, now);
            self.running = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Person = Person::ALL[0];
    const SECOND: Person = Person::ALL[1];

    fn at(seconds: i64) -> Moment {
        Moment::from_millis(seconds * 1000)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock() -> Clock {
        let setting = ClockSetting::new(seconds(60), seconds(5)).expect("a good setting");
        Clock::new(setting)
    }

    #[test]
    fn time_runs_for_who_is_to_move_and_a_turn_is_paid_once() {
        let mut clock = clock();
        assert_eq!(
            (clock.left(FIRST, at(99)), clock.runs_out()),
            (seconds(60), None)
        );
        clock.turn(FIRST, at(100));
        assert_eq!(clock.left(FIRST, at(110)), seconds(50));
        assert_eq!(clock.left(SECOND, at(110)), seconds(60));
        // A bonus turn.
        clock.turn(FIRST, at(110));
        assert_eq!(clock.left(FIRST, at(110)), seconds(50));
        clock.turn(SECOND, at(120));
        assert_eq!(clock.left(FIRST, at(130)), seconds(45));
        assert_eq!(clock.left(SECOND, at(130)), seconds(50));
        clock.stop(at(130));
        assert_eq!(clock.left(SECOND, at(200)), seconds(50));
        assert_eq!(clock.running(), None);
    }

    #[test]
    fn it_runs_out_to_the_millisecond() {
        let mut clock = clock();
        clock.turn(SECOND, at(7));
        assert_eq!(clock.runs_out(), Some(at(67)));
        assert!(!clock.has_run_out(Moment::from_millis(66_999)));
        assert!(clock.has_run_out(at(67)));
        assert_eq!(clock.left(SECOND, at(1000)), Duration::ZERO);
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
