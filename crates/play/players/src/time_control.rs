//! Time controls of tournaments such as `10s+0.1s`.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use kalah::{ClockSetting, ParseClockError, ParseTimeLimitError, Quoted, TimeLimit};
use thiserror::Error;

/// The time or the number of positions that contestants may use for their moves.
///
/// ```
/// use kalah_players::TimeControl;
/// let control: TimeControl = "10s+0.1s".parse()?;
/// assert_eq!(control, TimeControl::Clock("10s+100ms".parse().expect("a clock")));
/// assert_eq!(control.to_string(), "10s+100ms");
/// # Ok::<(), kalah_players::ParseTimeControlError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A time for each move: `1s`.
    PerMove(Duration),
    /// A time for the game and an increment for each turn: `10s+0.1s`.
    Clock(ClockSetting),
    /// A number of positions to search for each move, in any time: `nodes=10000`.
    Nodes(NonZeroU64),
}

/// The reason why a text is not a [`TimeControl`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseTimeControlError {
    /// A part of the text is not a time.
    #[error(
        "{0}; expected a time for each move such as 1s, a clock such as 10s+0.1s, or nodes=10000"
    )]
    Time(#[from] ParseTimeLimitError),
    /// The text after `nodes=` is not a positive number.
    #[error("{} is not a positive number of positions", Quoted::new(.0))]
    Nodes(String),
    /// The time for the first move is 0.
    #[error("{} leaves no time for a move", Quoted::new(.0))]
    NoTime(String),
}

const NODES_PREFIX: &str = "nodes=";

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<Self, ParseTimeControlError> {
        if let Some(number) = text.strip_prefix(NODES_PREFIX) {
            let nodes = number.parse().map(Self::Nodes);
            return nodes.map_err(|_| ParseTimeControlError::Nodes(number.to_owned()));
        }
        let no_time = || ParseTimeControlError::NoTime(text.to_owned());
        if text.contains(ClockSetting::PLUS) {
            return text.parse().map(Self::Clock).map_err(|error| match error {
                ParseClockError::Time(error) => error.into(),
                ParseClockError::NoTime(_) => no_time(),
            });
        }
        let time = TimeLimit::parse_decimal(text)?.get();
        if time.is_zero() {
            return Err(no_time());
        }
        Ok(Self::PerMove(time))
    }
}

impl TimeControl {
    /// Returns the time in the words of records and tables, such as `1s a move`.
    ///
    /// ```
    /// use kalah_players::TimeControl;
    /// for (text, words) in [
    ///     ("0.5s", "500ms a move"),
    ///     ("1m+1s", "1m+1s"),
    ///     ("nodes=5000", "5000 nodes a move"),
    /// ] {
    ///     assert_eq!(text.parse::<TimeControl>()?.describe(), words);
    /// }
    /// # Ok::<(), kalah_players::ParseTimeControlError>(())
    /// ```
    pub fn describe(self) -> String {
        match self {
            Self::PerMove(_) => format!("{self} a move"),
            Self::Clock(_) => self.to_string(),
            Self::Nodes(nodes) => format!("{nodes} nodes a move"),
        }
    }
}

/// The text that parses to the same time control, with times in whole units such as `100ms`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = humantime::format_duration;
        match self {
            Self::PerMove(time) => text(*time).fmt(f),
            // Also an increment of 0, without which the text would be a time for each move.
            Self::Clock(setting) => {
                let (initial, increment) = (text(setting.initial()), text(setting.increment()));
                write!(f, "{initial}{}{increment}", ClockSetting::PLUS)
            }
            Self::Nodes(nodes) => write!(f, "{NODES_PREFIX}{nodes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_round_trip_through_text() {
        for (text, written) in [
            ("1s", "1s"),
            ("0.25s", "250ms"),
            ("1m+0s", "1m+0s"),
            ("10s+0.1s", "10s+100ms"),
            ("10s + 1s", "10s+1s"),
            ("nodes=5000", "nodes=5000"),
        ] {
            let control: TimeControl = text.parse().expect(text);
            assert_eq!(control.to_string(), written);
            assert_eq!(written.parse(), Ok(control));
        }
    }

    #[test]
    fn invalid_time_controls_are_rejected() {
        use ParseTimeControlError as Error;
        type IsExpected = fn(&Error) -> bool;
        let cases: [(IsExpected, &[&str]); 3] = [
            (
                |error| matches!(error, Error::Time(_)),
                &["", "soon", "1", "+1s", "1s+", "0..1s", "1e9.s"],
            ),
            (
                |error| matches!(error, Error::Nodes(_)),
                &["nodes=", "nodes=0", "nodes=-1", "nodes=x"],
            ),
            (|error| matches!(error, Error::NoTime(_)), &["0s", "0s+1s"]),
        ];
        for (is_expected, texts) in cases {
            for text in texts {
                let error = text.parse::<TimeControl>().expect_err(text);
                assert!(is_expected(&error), "{text}: {error}");
            }
        }
    }
}
