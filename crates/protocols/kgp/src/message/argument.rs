//! The arguments of a command.

use std::fmt;

use super::board::KgpBoard;

/// An argument of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A whole number.
    Integer(i64),
    /// A number with a decimal point.
    Decimal(Decimal),
    /// A word.
    Word(Word),
    /// A string in double quotes. An unquoted argument of any other form is parsed as a string,
    /// too.
    Text(Text),
    /// A board.
    Board(KgpBoard),
}

/// A number with a decimal point such as `0.5` or `-.123`. It keeps the digits as they were
/// written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

/// A word of ASCII letters, digits, `-` and `:` that is not a number. It has 1 to
/// [`Word::MAX_CHARS`] characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word(String);

/// A string that is sent in double quotes. It has 1 to [`Text::MAX_CHARS`] characters, no control
/// characters, and no blanks at its ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(String);

impl Decimal {
    /// Parses an optional sign, optional digits, a point, and digits.
    pub fn new(text: &str) -> Option<Self> {
        let (whole, part) = unsigned(text).split_once('.')?;
        let is_decimal = whole.bytes().all(|byte| byte.is_ascii_digit()) && is_digits(part);
        (is_decimal && text.len() <= Word::MAX_CHARS).then(|| Self(text.to_owned()))
    }

    /// Returns the nearest floating-point number.
    pub fn value(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }
}

impl Word {
    /// The maximum number of characters of a word. A line with two arguments of maximum length
    /// still fits [`MAX_LINE_CHARS`](super::MAX_LINE_CHARS).
    pub const MAX_CHARS: usize = 4096;

    /// Returns the text as a word, or `None` if it is not one.
    pub fn new(text: &str) -> Option<Self> {
        let is_word = !text.is_empty()
            && text.len() <= Self::MAX_CHARS
            && !is_digits(text.strip_prefix('-').unwrap_or(text))
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'));
        is_word.then(|| Self(text.to_owned()))
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// The maximum number of characters of a string. A line with a word and a string of maximum
    /// length still fits [`MAX_LINE_CHARS`](super::MAX_LINE_CHARS) if every character of the string
    /// is escaped.
    pub const MAX_CHARS: usize = 4096;

    /// Converts a text to a string that can be sent: control characters become blanks, and a long
    /// text is cut. Returns `None` if nothing is left, because the reference server cannot parse an
    /// empty string.
    pub fn new(text: &str) -> Option<Self> {
        let printable: String = text
            .chars()
            .take(Self::MAX_CHARS)
            .map(|character| {
                if character.is_control() {
                    ' '
                } else {
                    character
                }
            })
            .collect();
        let trimmed = printable.trim();
        (!trimmed.is_empty()).then(|| Self(trimmed.to_owned()))
    }

    /// Returns the text without quotes and escapes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Argument {
    /// Returns the text of a word or a string, and `None` for other arguments.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word.as_str()),
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }
}

/// Strips the sign of a number, if it has one.
pub(super) fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Returns whether a text consists of ASCII digits, at least one.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Decimal(number) => f.write_str(&number.0),
            Self::Word(word) => word.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Board(board) => board.fmt(f),
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes the string in quotes, with its escapes.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            if matches!(character, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{character}")?;
        }
        f.write_str("\"")
    }
}
