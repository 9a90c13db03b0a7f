//! The clocks of a game on the screen.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use kalah::{BySide, Quoted, Side};
use kalah_players::{ParseTimeLimitError, TimeLimit};
use thiserror::Error;

/// The time of each player for a game, and the time that is added after each move.
///
/// ```
/// use std::time::Duration;
/// use kalah_tui::ClockSetting;
/// let setting: ClockSetting = "5m+3s".parse()?;
/// assert_eq!(setting.base, Duration::from_secs(300));
/// assert_eq!(setting.increment, Duration::from_secs(3));
/// assert_eq!(setting.to_string(), "5m+3s");
/// assert_eq!("90s".parse::<ClockSetting>()?.to_string(), "1m 30s");
/// # Ok::<(), kalah_tui::ParseClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSetting {
    /// The time for the game, which is not 0.
    pub base: Duration,
    /// The time that is added after each move.
    pub increment: Duration,
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
    const fn new(base_seconds: u64, increment_seconds: u64) -> Self {
        Self {
            base: Duration::from_secs(base_seconds),
            increment: Duration::from_secs(increment_seconds),
        }
    }

    /// The settings that the dialog for a new game offers.
    pub(crate) const SUGGESTIONS: [Self; 6] = [
        Self::new(60, 0),
        Self::new(180, 2),
        Self::new(300, 0),
        Self::new(300, 3),
        Self::new(600, 0),
        Self::new(900, 10),
    ];
}

impl FromStr for ClockSetting {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<Self, ParseClockError> {
        let (base, increment) = match text.split_once('+') {
            Some((base, increment)) => (base, increment.parse::<TimeLimit>()?.get()),
            None => (text, Duration::ZERO),
        };
        let base = base.parse::<TimeLimit>()?.get();
        if base.is_zero() {
            return Err(ParseClockError::NoTime(text.to_owned()));
        }
        Ok(Self { base, increment })
    }
}

impl fmt::Display for ClockSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", humantime::format_duration(self.base))?;
        if self.increment.is_zero() {
            return Ok(());
        }
        write!(f, "+{}", humantime::format_duration(self.increment))
    }
}

/// The clocks of both players, by the sides on which they began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameClock {
    setting: ClockSetting,
    remaining: BySide<Duration>,
    /// The times after each number of plies, from 0.
    history: Vec<BySide<Duration>>,
    /// The player whose clock runs, and since when.
    running: Option<(Side, Duration)>,
}

/// A program divides its time by this number of moves.
const MOVES_TO_PLAN: u32 = 25;

/// The part of the increment that a program plans to use, in percent.
const USED_INCREMENT_PERCENT: u32 = 80;

impl GameClock {
    pub(crate) fn new(setting: ClockSetting) -> Self {
        Self {
            setting,
            remaining: BySide::from_fn(|_| setting.base),
            history: vec![BySide::from_fn(|_| setting.base)],
            running: None,
        }
    }

    pub(crate) fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Returns the time that a player has left at the time `now`.
    pub(crate) fn remaining(&self, player: Side, now: Duration) -> Duration {
        let used = match self.running {
            Some((running, since)) if running == player => now.saturating_sub(since),
            _ => Duration::ZERO,
        };
        self.remaining[player].saturating_sub(used)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Lets the clock of this player run and stops that of the other one.
    pub(crate) fn run(&mut self, player: Option<Side>, now: Duration) {
        if self.running.map(|(running, _)| running) == player {
            return;
        }
        if let Some((stopped, _)) = self.running {
            self.remaining[stopped] = self.remaining(stopped, now);
        }
        self.running = player.map(|player| (player, now));
    }

    /// Stops the clock of a player who has moved, and adds the increment.
    pub(crate) fn complete_move(&mut self, player: Side, now: Duration) {
        self.run(None, now);
        self.remaining[player] = self.remaining[player].saturating_add(self.setting.increment);
        self.history.push(self.remaining);
    }

    /// Restores the times after this number of plies, to which the game was undone. Redone plies take
    /// no time.
    pub(crate) fn restore(&mut self, plies: usize) {
        self.running = None;
        self.history.resize(plies + 1, self.remaining);
        if let Some(remaining) = self.history.last() {
            self.remaining = *remaining;
        }
    }

    /// Returns the player whose time has run out.
    pub(crate) fn expired_player(&self, now: Duration) -> Option<Side> {
        let (player, _) = self.running?;
        self.remaining(player, now).is_zero().then_some(player)
    }

    /// Returns the time that a program uses for its next move.
    pub(crate) fn time_for_move(&self, player: Side, now: Duration) -> Duration {
        let increment = self.setting.increment * USED_INCREMENT_PERCENT / 100;
        let remaining = self.remaining(player, now);
        (remaining / MOVES_TO_PLAN + increment).min(remaining / 2)
    }
}

/// Formats the time left on a clock: `4:07`, `1:02:03`, or `9.4` in the last ten seconds.
pub(crate) fn format_clock(time: Duration) -> String {
    const SHOW_TENTHS_BELOW: Duration = Duration::from_secs(10);
    if time < SHOW_TENTHS_BELOW {
        return format!("{}.{}", time.as_secs(), time.subsec_millis() / 100);
    }
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn only_the_running_clock_loses_time() {
        let mut clock = GameClock::new(ClockSetting::new(60, 2));
        clock.run(Some(Side::South), seconds(10));
        assert_eq!(clock.remaining(Side::South, seconds(25)), seconds(45));
        assert_eq!(clock.remaining(Side::North, seconds(25)), seconds(60));
        clock.complete_move(Side::South, seconds(30));
        clock.run(Some(Side::North), seconds(31));
        assert_eq!(clock.remaining(Side::South, seconds(50)), seconds(42));
        assert_eq!(clock.remaining(Side::North, seconds(50)), seconds(41));
        assert_eq!(clock.expired_player(seconds(90)), None);
        assert_eq!(clock.expired_player(seconds(91)), Some(Side::North));
    }

    #[test]
    fn an_undo_restores_the_times() {
        let mut clock = GameClock::new(ClockSetting::new(60, 30));
        clock.run(Some(Side::South), seconds(0));
        clock.complete_move(Side::South, seconds(10));
        assert_eq!(clock.remaining(Side::South, seconds(10)), seconds(80));
        clock.restore(0);
        assert_eq!(clock.remaining(Side::South, seconds(10)), seconds(60));
        // A redo takes and adds no time.
        clock.restore(1);
        assert_eq!(clock.remaining(Side::South, seconds(10)), seconds(60));
    }

    #[test]
    fn a_program_never_plans_more_than_half_of_its_time() {
        let clock = GameClock::new(ClockSetting::new(60, 0));
        assert_eq!(
            clock.time_for_move(Side::South, seconds(0)),
            Duration::from_millis(2400)
        );
        let clock = GameClock::new(ClockSetting::new(1, 30));
        assert_eq!(
            clock.time_for_move(Side::South, seconds(0)),
            Duration::from_millis(500)
        );
    }

    #[test]
    fn times_are_formatted_as_on_a_clock() {
        for (millis, text) in [
            (0, "0.0"),
            (9_400, "9.4"),
            (10_000, "0:10"),
            (247_900, "4:07"),
            (3_723_000, "1:02:03"),
        ] {
            assert_eq!(format_clock(Duration::from_millis(millis)), text);
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
        assert!(
            error("5x").starts_with("`5x` is not a duration"),
            "{}",
            error("5x")
        );
        assert!(
            error("5m+").starts_with("`` is not a duration"),
            "{}",
            error("5m+")
        );
    }
}
