//! Time limits such as `5s`, and time controls of tournaments such as `10s+0.1s`.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use kalah::Quoted;
use thiserror::Error;

/// The time for an answer such as `50ms`, `5s` or `1m 30s`; at most a day.
///
/// ```
/// use std::time::Duration;
/// use kalah_players::TimeLimit;
/// let limit: TimeLimit = "1m 30s".parse()?;
/// assert_eq!(limit.get(), Duration::from_secs(90));
/// assert_eq!(limit.to_string(), "1m 30s");
/// # Ok::<(), kalah_players::ParseTimeLimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeLimit(Duration);

/// The reason why a text is not a [`TimeLimit`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseTimeLimitError {
    /// The text is not a duration.
    #[error(
        "{} is not a duration: expected numbers with units, such as 50ms, 5s or 1m 30s",
        Quoted::new(.0)
    )]
    InvalidDuration(String),
    /// The duration is more than [`TimeLimit::MAX`].
    #[error("{} is more than a day", Quoted::new(.0))]
    TooLong(String),
}

impl TimeLimit {
    /// The maximum time limit: a day.
    pub const MAX: Self = Self(Duration::from_hours(24));

    /// Returns the limit as a duration.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl FromStr for TimeLimit {
    type Err = ParseTimeLimitError;

    fn from_str(text: &str) -> Result<Self, ParseTimeLimitError> {
        match humantime::parse_duration(text) {
            Ok(duration) if duration <= Self::MAX.0 => Ok(Self(duration)),
            Ok(_) | Err(humantime::DurationError::NumberOverflow) => {
                Err(ParseTimeLimitError::TooLong(text.to_owned()))
            }
            Err(_) => Err(ParseTimeLimitError::InvalidDuration(text.to_owned())),
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

/// The time or the number of positions that contestants may use for their moves.
///
/// ```
/// use std::time::Duration;
/// use kalah_players::TimeControl;
/// let control: TimeControl = "10s+0.1s".parse()?;
/// let (base, increment) = (Duration::from_secs(10), Duration::from_millis(100));
/// assert_eq!(control, TimeControl::Clock { base, increment });
/// assert_eq!(control.to_string(), "10s+100ms");
/// # Ok::<(), kalah_players::ParseTimeControlError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A time for each move: `1s`.
    PerMove(Duration),
    /// A time for the game and an increment after each move: `10s+0.1s`.
    Clock {
        /// The time for the game.
        base: Duration,
        /// The time that is added after each move.
        increment: Duration,
    },
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
        let control = match text.split_once('+') {
            Some((base, increment)) => Self::Clock {
                base: parse_time(base)?,
                increment: parse_time(increment)?,
            },
            None => Self::PerMove(parse_time(text)?),
        };
        match control {
            Self::PerMove(first) | Self::Clock { base: first, .. } if first.is_zero() => {
                Err(ParseTimeControlError::NoTime(text.to_owned()))
            }
            _ => Ok(control),
        }
    }
}

/// Parses a time. In addition to a [`TimeLimit`], it can be a decimal number of seconds such as
/// `0.1s`.
fn parse_time(text: &str) -> Result<Duration, ParseTimeLimitError> {
    let text = text.trim();
    let seconds = (text.strip_suffix('s')).filter(|number| {
        number.contains('.')
            && number
                .bytes()
                .all(|byte| byte == b'.' || byte.is_ascii_digit())
    });
    let parsed = seconds.and_then(|seconds| seconds.parse().ok());
    match parsed.map(Duration::try_from_secs_f64) {
        Some(Ok(time)) if time <= TimeLimit::MAX.get() => Ok(time),
        _ => text.parse().map(TimeLimit::get),
    }
}

/// The text that parses to the same time control, with times in whole units such as `100ms`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |time: Duration| humantime::format_duration(time).to_string();
        match self {
            Self::PerMove(time) => f.write_str(&text(*time)),
            Self::Clock { base, increment } => write!(f, "{}+{}", text(*base), text(*increment)),
            Self::Nodes(nodes) => write!(f, "{NODES_PREFIX}{nodes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_range_from_zero_to_a_day() {
        for (text, limit) in [
            ("0s", Duration::ZERO),
            ("50ms", Duration::from_millis(50)),
            ("24h", TimeLimit::MAX.get()),
        ] {
            assert_eq!(text.parse(), Ok(TimeLimit(limit)), "{text}");
        }
    }

    #[test]
    fn invalid_time_limits_are_quoted() {
        for (text, message) in [
            ("25h", "`25h` is more than a day"),
            (
                "99999999999999999999s",
                "`99999999999999999999s` is more than a day",
            ),
            (
                "5",
                "`5` is not a duration: expected numbers with units, such as 50ms, 5s or 1m 30s",
            ),
            (
                "",
                "`` is not a duration: expected numbers with units, such as 50ms, 5s or 1m 30s",
            ),
        ] {
            let error = text.parse::<TimeLimit>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

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
