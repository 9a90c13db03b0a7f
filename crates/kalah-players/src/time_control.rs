//! Time limits such as `5s`, and time controls of tournaments such as `10s+0.1s`.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// The time that somebody has for an answer: `50ms`, `5s`, `1m`; a day at most.
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

/// Why a text is no [`TimeLimit`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseTimeLimitError {
    /// It is no duration.
    #[error("`{text}` is no duration such as 50ms, 5s or 1m: {reason}")]
    InvalidDuration {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: humantime::DurationError,
    },
    /// Nobody waits so long.
    #[error("`{0}` is more than a day")]
    TooLong(String),
}

impl TimeLimit {
    /// The longest.
    pub const MAX: Self = Self(Duration::from_hours(24));

    /// The limit as a plain duration.
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
            Err(reason) => Err(ParseTimeLimitError::InvalidDuration {
                text: text.to_owned(),
                reason,
            }),
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

/// What contestants may take for their choices.
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
    /// So long for every choice: `1s`.
    PerMove(Duration),
    /// So long for a game, and so much more after every choice: `10s+0.1s`.
    Clock {
        /// For the game.
        base: Duration,
        /// After every choice.
        increment: Duration,
    },
    /// So many positions for every choice, however long that takes: `nodes=10000`.
    Nodes(NonZeroU64),
}

/// Why a text is no [`TimeControl`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseTimeControlError {
    /// A part of it is no time.
    #[error(
        "{0}; a time for each choice such as 1s, a clock such as 10s+0.1s, or nodes=10000 is expected"
    )]
    Time(#[from] ParseTimeLimitError),
    /// No number of positions.
    #[error("`{0}` is no number of positions, from 1")]
    Nodes(String),
    /// No time at all.
    #[error("`{0}` leaves no time to choose")]
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

/// A time, also in parts of a second such as `0.1s`.
fn parse_time(text: &str) -> Result<Duration, ParseTimeLimitError> {
    let text = text.trim();
    let seconds = (text.strip_suffix('s')).filter(|number| {
        number.contains('.') && number.bytes().all(|it| it == b'.' || it.is_ascii_digit())
    });
    let parsed = seconds.and_then(|seconds| seconds.parse().ok());
    match parsed.map(Duration::try_from_secs_f64) {
        Some(Ok(time)) if time <= TimeLimit::MAX.get() => Ok(time),
        _ => text.parse().map(TimeLimit::get),
    }
}

/// As it is asked for.
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
mod time_limit_tests {
    use super::*;

    #[test]
    fn limits_are_from_nothing_to_a_day() {
        for (text, limit) in [
            ("0s", Duration::ZERO),
            ("50ms", Duration::from_millis(50)),
            ("24h", TimeLimit::MAX.get()),
        ] {
            assert_eq!(text.parse(), Ok(TimeLimit(limit)), "{text}");
        }
    }

    #[test]
    fn what_is_no_limit_is_quoted() {
        for (text, message) in [
            ("25h", "`25h` is more than a day"),
            (
                "99999999999999999999s",
                "`99999999999999999999s` is more than a day",
            ),
            (
                "5",
                "`5` is no duration such as 50ms, 5s or 1m: time unit needed, for example 5sec or 5ms",
            ),
            (
                "",
                "`` is no duration such as 50ms, 5s or 1m: value was empty",
            ),
        ] {
            let error = text.parse::<TimeLimit>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}

#[cfg(test)]
mod time_control_tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
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
    fn what_is_no_time_is_refused_in_words() {
        for text in [
            "", "soon", "1", "0s", "0s+1s", "+1s", "1s+", "nodes=", "nodes=0", "nodes=-1",
            "nodes=x", "0..1s", "1e9.s",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
