//! Time limits such as `5s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::message_text::Quoted;

/// The time for an answer such as `50ms`, `5s` or `1m 30s`; at most a day.
///
/// ```
/// use std::time::Duration;
/// use kalah::TimeLimit;
/// let limit: TimeLimit = "1m 30s".parse()?;
/// assert_eq!(limit.get(), Duration::from_secs(90));
/// assert_eq!(limit.to_string(), "1m 30s");
/// # Ok::<(), kalah::ParseTimeLimitError>(())
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

    /// Parses a time that can also be a decimal number of seconds, such as `0.1s`.
    ///
    /// # Errors
    /// If the text is not a time, or more than a day.
    pub fn parse_decimal(text: &str) -> Result<Self, ParseTimeLimitError> {
        let text = text.trim();
        let seconds = (text.strip_suffix('s')).filter(|number| {
            number.contains('.')
                && number
                    .bytes()
                    .all(|byte| byte == b'.' || byte.is_ascii_digit())
        });
        let parsed = seconds.and_then(|seconds| seconds.parse().ok());
        match parsed.map(Duration::try_from_secs_f64) {
            Some(Ok(time)) if time <= Self::MAX.0 => Ok(Self(time)),
            _ => text.parse(),
        }
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
    fn decimal_seconds_are_times() {
        for (text, millis) in [("0.1s", 100), (" 1.5s ", 1500), (".25s", 250), ("2s", 2000)] {
            let limit = TimeLimit(Duration::from_millis(millis));
            assert_eq!(TimeLimit::parse_decimal(text), Ok(limit), "{text}");
        }
        for text in [
            "1.5", "-0.5s", "1.5e1s", "1.2.3s", "+1.0s", "1e1s", "86400.5s",
        ] {
            assert!(TimeLimit::parse_decimal(text).is_err(), "{text}");
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
}
