use std::fmt;
use std::time::Duration;

use super::words::{Tokens, parse_unsigned, unexpected};
use super::{Expected, ParseUkiError};

/// A time in whole milliseconds.
///
/// ```
/// use std::time::Duration;
/// use kalah_protocols::uki::Milliseconds;
/// let time = Milliseconds::from(Duration::from_micros(1_900));
/// assert_eq!(time.get(), 1);
/// assert_eq!(time.duration(), Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milliseconds(u64);

impl Milliseconds {
    /// So many.
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// How many there are.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// The next word: of a clock that has run out, which shows less than nothing, nothing is left.
    pub(super) fn parse(words: &mut Tokens) -> Result<Self, ParseUkiError> {
        let awaited = Expected::Milliseconds;
        let word = words.require(awaited)?;
        let is_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match word.strip_prefix('-') {
            Some(digits) if is_digits(digits) => Ok(Self(0)),
            _ => (parse_unsigned(word).map(Self)).ok_or_else(|| unexpected(word, awaited)),
        }
    }
}

/// Parts of a millisecond are left out.
impl From<Duration> for Milliseconds {
    fn from(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

/// The number alone.
impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
