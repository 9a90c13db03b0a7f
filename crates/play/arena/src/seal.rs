//! The seals of a tournament: each line of its journal has a hash of itself and of all lines before
//! it, and its settings have one of their own.

use std::fmt;
use std::str::FromStr;

use kalah::Quoted;
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The seal of a line of a [`Journal`](crate::Journal), of the settings of a tournament, or of a
/// whole tournament, as 64 hexadecimal digits.
///
/// That of a line is the SHA-256 hash of the seal of the line before it and of the bytes of the
/// line before its last field, which has the seal. So a line cannot be changed, added, removed or
/// moved without a change of all seals after it. The seal of the last line is that of the whole
/// journal, and [`Seal::of_tournament`] joins it with that of the settings: a tournament whose seal
/// was noted is the same as long as it has this seal.
///
/// ```
/// use kalah_arena::Seal;
/// let mut seal = Seal::START;
/// let line = seal.seal(r#"{"game":1}"#);
/// assert_eq!(line, format!(r#"{{"game":1,"seal":"{seal}"}}"#));
/// assert_eq!(seal, Seal::START.next(r#"{"game":1"#));
/// assert_eq!(seal.to_string().parse::<Seal>()?, seal);
/// assert!("0123".parse::<Seal>().is_err());
/// # Ok::<(), kalah_arena::ParseSealError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal([u8; SEAL_BYTES]);

/// A text is not a [`Seal`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not a seal: expected {SEAL_DIGITS} hexadecimal digits", Quoted::new(.0))]
pub struct ParseSealError(pub String);

/// The number of bytes of a SHA-256 hash.
const SEAL_BYTES: usize = 32;

/// The number of digits of a seal.
const SEAL_DIGITS: usize = 2 * SEAL_BYTES;

/// The text between the other fields of a line and its seal.
const SEAL_FIELD: &str = ",\"seal\":\"";

/// The text behind the seal.
const LINE_END: &str = "\"}";

impl Seal {
    /// The seal before the first line: only zeros.
    pub const START: Self = Self([0; SEAL_BYTES]);

    /// Returns the seal of a line behind the line with this seal. `fields` is the text of the line
    /// before its seal.
    #[must_use]
    pub fn next(self, fields: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.digits());
        hash.update(fields);
        Self(hash.finalize().into())
    }

    /// Returns the seal of a tournament: the hash of the digits of the seals of its settings and of
    /// the last line of its journal.
    #[must_use]
    pub fn of_tournament(settings: Self, journal: Self) -> Self {
        settings.next(&journal.to_string())
    }

    /// Returns the digits in ASCII.
    fn digits(self) -> [u8; SEAL_DIGITS] {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";

        let mut digits = [0; SEAL_DIGITS];
        for (byte, pair) in self.0.into_iter().zip(digits.as_chunks_mut().0) {
            *pair = [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 0xf)],
            ];
        }
        digits
    }

    /// Returns a JSON object with other fields as a line behind the line with this seal, without a
    /// line end. The seal becomes that of the line.
    ///
    /// # Panics
    /// If the text does not end with a brace.
    pub fn seal(&mut self, object: &str) -> String {
        let fields = object.strip_suffix('}').expect("a JSON object");
        *self = self.next(fields);
        format!("{fields}{SEAL_FIELD}{self}{LINE_END}")
    }
}

impl Default for Seal {
    fn default() -> Self {
        Self::START
    }
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

impl FromStr for Seal {
    type Err = ParseSealError;

    fn from_str(text: &str) -> Result<Self, ParseSealError> {
        let error = || ParseSealError(text.to_owned());
        let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() != SEAL_DIGITS || !is_hexadecimal {
            return Err(error());
        }
        let mut bytes = [0; SEAL_BYTES];
        for (byte, start) in bytes.iter_mut().zip((0..).step_by(2)) {
            let digits = text.get(start..start + 2).ok_or_else(error)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| error())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Seal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A line of a journal and its seal.
pub(crate) struct SealedLine<'a> {
    /// The text of the line before its seal, or the whole line if it has none.
    fields: &'a str,
    /// The seal that the line has.
    found: Option<&'a str>,
}

/// Whether a line has the seal that it must have behind the line before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SealState {
    /// It has this seal.
    Intact(Seal),
    /// It has the seal of another text, or of a text behind other lines; the value is the seal that
    /// it has, if that is one.
    Broken(Option<Seal>),
    /// It has no seal.
    Missing,
}

impl<'a> SealedLine<'a> {
    /// Splits a line, whose line end can be missing.
    pub(crate) fn split(line: &'a [u8]) -> Self {
        let text = str::from_utf8(line).unwrap_or_default().trim_end();
        let parts = text.rsplit_once(SEAL_FIELD);
        let parts = parts.and_then(|(fields, end)| Some((fields, end.strip_suffix(LINE_END)?)));
        match parts {
            Some((fields, seal)) => Self {
                fields,
                found: Some(seal),
            },
            None => Self {
                fields: text,
                found: None,
            },
        }
    }

    /// Compares the seal with that of the line behind the line with the seal `before`.
    pub(crate) fn state(&self, before: Seal) -> SealState {
        let Some(found) = self.found else {
            return SealState::Missing;
        };
        let expected = before.next(self.fields);
        if found.as_bytes() == expected.digits() {
            SealState::Intact(expected)
        } else {
            SealState::Broken(found.parse().ok())
        }
    }

    /// Returns the JSON object without its seal.
    pub(crate) fn object(&self) -> String {
        match self.found {
            Some(_) => format!("{}}}", self.fields),
            None => self.fields.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seal_is_the_hash_of_the_digits_before_and_of_the_fields() {
        // printf '%064d{"game":1' 0 | sha256sum
        let expected = "02c5ac433c74e68f5ad61e9c9d5596d391e03883ffe7e8b8aadb8e5bd2efb7a2";
        let fields = r#"{"game":1"#;
        assert_eq!(Seal::START.next(fields).to_string(), expected);
        assert_eq!(expected.parse(), Ok(Seal::START.next(fields)));
        for text in ["", &expected[1..], &expected.replace('0', "+"), "ä"] {
            assert!(text.parse::<Seal>().is_err(), "{text}");
        }
    }

    #[test]
    fn lines_with_another_seal_or_none_are_distinguished() {
        let first = Seal::START.next(r#"{"a":1"#);
        let mut second = first;
        let line = second.seal(r#"{"b":2}"#);
        let split = SealedLine::split(line.as_bytes());
        assert_eq!(split.object(), r#"{"b":2}"#);
        assert_eq!(split.state(first), SealState::Intact(second));
        assert_eq!(split.state(Seal::START), SealState::Broken(Some(second)));
        let no_seal = line.replacen(&second.to_string(), "x", 1);
        let split = SealedLine::split(no_seal.as_bytes());
        assert_eq!(split.state(first), SealState::Broken(None));
        let plain = SealedLine::split(b"{\"b\":2}\n");
        assert_eq!(
            (plain.state(first), plain.object()),
            (SealState::Missing, "{\"b\":2}".to_owned())
        );
    }
}
