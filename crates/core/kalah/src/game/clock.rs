//! The clocks of the two players of a game: Fischer's, with one increment for each turn.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::game::time_limit::{ParseTimeLimitError, TimeLimit};
use crate::message_text::Quoted;
use crate::side::{ByPlayer, PlayerId};

/// The time of each player for a game, and the time that is added after each turn.
///
/// A turn is all moves of a player until the other one moves, so a bonus turn adds no time.
///
/// ```
/// use std::time::Duration;
/// use kalah::ClockSetting;
/// let setting: ClockSetting = "5m+3s".parse()?;
/// assert_eq!(setting.initial(), Duration::from_secs(300));
/// assert_eq!(setting.increment(), Duration::from_secs(3));
/// assert_eq!(setting.to_string(), "5m+3s");
/// assert_eq!("90s".parse::<ClockSetting>()?.to_string(), "1m 30s");
/// # Ok::<(), kalah::ParseClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSetting {
    initial: Duration,
    increment: Duration,
}

/// The reason why a text is not a [`ClockSetting`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseClockError {
    /// A part of the text is not a time.
    #[error("{0}; expected a time for the game such as 5m, or with an increment such as 5m+3s")]
    Time(#[from] ParseTimeLimitError),
    /// The time for the game is 0.
    #[error("{} leaves no time for the game", Quoted::new(.0))]
    NoTime(String),
}

impl ClockSetting {
    /// The mark in the text between the time for the game and the increment.
    pub const PLUS: char = '+';

    /// Creates a setting; `None` if `initial` is 0.
    pub const fn new(initial: Duration, increment: Duration) -> Option<Self> {
        if initial.is_zero() {
            return None;
        }
        Some(Self { initial, increment })
    }

    /// Returns the time of each player at the start of the game.
    pub const fn initial(self) -> Duration {
        self.initial
    }

    /// Returns the time that is added after each turn.
    pub const fn increment(self) -> Duration {
        self.increment
    }
}

/// The time for the game, or with an increment after [`ClockSetting::PLUS`]: `5m` or `5m+3s`. Each
/// is a [`TimeLimit`] or a decimal number of seconds.
impl FromStr for ClockSetting {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<Self, ParseClockError> {
        let (initial, increment) = match text.split_once(Self::PLUS) {
            Some((initial, increment)) => (initial, TimeLimit::parse_decimal(increment)?.get()),
            None => (text, Duration::ZERO),
        };
        let initial = TimeLimit::parse_decimal(initial)?.get();
        Self::new(initial, increment).ok_or_else(|| ParseClockError::NoTime(text.to_owned()))
    }
}

impl fmt::Display for ClockSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", humantime::format_duration(self.initial))?;
        if self.increment.is_zero() {
            return Ok(());
        }
        write!(
            f,
            "{}{}",
            Self::PLUS,
            humantime::format_duration(self.increment)
        )
    }
}

/// The clocks of the two players of a game. They have no time source: callers say how much time a
/// player has used.
///
/// ```
/// use std::time::Duration;
/// use kalah::{ClockSetting, GameClock, PlayerId};
/// let [first, second] = PlayerId::ALL;
/// let mut clock = GameClock::new("1m+2s".parse::<ClockSetting>()?);
/// // A move with a bonus turn, and one after which the other player is to move.
/// clock.spend(first, Duration::from_secs(10));
/// clock.complete_ply(first, first);
/// assert_eq!(clock.remaining(first), Duration::from_secs(50));
/// clock.spend(first, Duration::from_secs(5));
/// clock.complete_ply(first, second);
/// assert_eq!(clock.remaining(first), Duration::from_secs(47));
/// # Ok::<(), kalah::ParseClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    settings: ByPlayer<ClockSetting>,
    remaining: ByPlayer<Duration>,
}

impl GameClock {
    /// Creates the clocks of a game that begins, with the same times for both players.
    pub const fn new(setting: ClockSetting) -> Self {
        let remaining = ByPlayer::new(setting.initial, setting.initial);
        Self::from_remaining(ByPlayer::new(setting, setting), remaining)
    }

    /// Creates the clocks of a game that begins, in which each player has times of its own.
    pub fn with_settings(settings: ByPlayer<ClockSetting>) -> Self {
        let remaining = ByPlayer::from_fn(|player| settings[player].initial);
        Self::from_remaining(settings, remaining)
    }

    /// Creates the clocks of a game that goes on with these times.
    pub const fn from_remaining(
        settings: ByPlayer<ClockSetting>,
        remaining: ByPlayer<Duration>,
    ) -> Self {
        Self {
            settings,
            remaining,
        }
    }

    /// Returns the time of each player at the start of the game, and its increment.
    pub const fn settings(&self) -> ByPlayer<ClockSetting> {
        self.settings
    }

    /// Returns the time that a player has left.
    pub fn remaining(&self, player: PlayerId) -> Duration {
        self.remaining[player]
    }

    /// Returns the times that the players have left.
    pub const fn times(&self) -> ByPlayer<Duration> {
        self.remaining
    }

    /// Takes time from the clock of a player, which ends at 0.
    pub fn spend(&mut self, player: PlayerId, time: Duration) {
        self.remaining[player] = self.remaining[player].saturating_sub(time);
    }

    /// Adds the increment to the clock of `player`, who has made a ply, if the turn passes: if the
    /// other player is `next` to move. A ply with a bonus turn adds nothing.
    pub fn complete_ply(&mut self, player: PlayerId, next: PlayerId) {
        if next != player {
            let increment = self.settings[player].increment;
            self.remaining[player] = self.remaining[player].saturating_add(increment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_round_trip_through_text() {
        for (text, written) in [
            ("1m", "1m"),
            ("1m+0s", "1m"),
            ("5m+3s", "5m+3s"),
            ("10s + 1s", "10s+1s"),
            ("10s+0.1s", "10s+100ms"),
            ("24h+24h", "1day+1day"),
        ] {
            let setting: ClockSetting = text.parse().expect(text);
            assert_eq!(setting.to_string(), written);
            assert_eq!(written.parse(), Ok(setting));
        }
    }

    #[test]
    fn bad_settings_are_quoted() {
        let error = |text: &str| {
            text.parse::<ClockSetting>()
                .expect_err("an error")
                .to_string()
        };
        assert_eq!(error("0s+3s"), "`0s+3s` leaves no time for the game");
        for (text, start) in [
            ("5x", "`5x` is not a duration"),
            ("5m+", "`` is not a duration"),
            ("25h", "`25h` is more than a day"),
            ("1m+25h", "`25h` is more than a day"),
        ] {
            let message = error(text);
            assert!(message.starts_with(start), "{message}");
        }
    }
}
