//! Times for an answer, such as `5s`.

use std::fmt;
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

#[cfg(test)]
mod tests {
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
