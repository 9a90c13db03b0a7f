//! Amounts of memory such as `512MiB`.

use std::fmt;
use std::str::FromStr;

use bytesize::ByteSize;
use thiserror::Error;

/// An amount of memory: `16GiB`, `512MiB`, `1GB`; a mebibyte at least.
///
/// ```
/// use kalah_players::MemorySize;
/// let size: MemorySize = "1.5GiB".parse()?;
/// assert_eq!(size.bytes(), 3 << 29);
/// assert_eq!(size.to_string(), "1.5 GiB");
/// # Ok::<(), kalah_players::ParseMemorySizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemorySize(u64);

/// Why a text is no [`MemorySize`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseMemorySizeError {
    /// It is no amount.
    #[error("`{0}` is no amount of memory such as 512MiB, 1GB or 16GiB")]
    Invalid(String),
    /// Nothing can be done with so little.
    #[error("`{0}` is less than {min}", min = MemorySize::MIN)]
    TooSmall(String),
}

impl MemorySize {
    /// The least.
    pub const MIN: Self = Self(1 << 20);

    /// So many bytes, or the least.
    pub fn new(bytes: u64) -> Self {
        Self(bytes.max(Self::MIN.0))
    }

    /// The amount in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for MemorySize {
    type Err = ParseMemorySizeError;

    fn from_str(text: &str) -> Result<Self, ParseMemorySizeError> {
        match text.parse::<ByteSize>() {
            Ok(size) if size.as_u64() >= Self::MIN.0 => Ok(Self(size.as_u64())),
            Ok(_) => Err(ParseMemorySizeError::TooSmall(text.to_owned())),
            Err(_) => Err(ParseMemorySizeError::Invalid(text.to_owned())),
        }
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteSize(self.0).display().iec().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units_of_either_kind() {
        for (text, bytes) in [
            ("1MiB", 1 << 20),
            ("512 MiB", 512 << 20),
            ("16GiB", 16 << 30),
            ("1GB", 1_000_000_000),
            ("2097152", 2 << 20),
        ] {
            assert_eq!(text.parse(), Ok(MemorySize(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_quoted() {
        for (text, message) in [
            (
                "much",
                "`much` is no amount of memory such as 512MiB, 1GB or 16GiB",
            ),
            ("", "`` is no amount of memory such as 512MiB, 1GB or 16GiB"),
            (
                "-1GiB",
                "`-1GiB` is no amount of memory such as 512MiB, 1GB or 16GiB",
            ),
            ("16", "`16` is less than 1.0 MiB"),
        ] {
            let error = text.parse::<MemorySize>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
