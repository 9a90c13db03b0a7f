use std::fmt;

use kalah::ParseSetupReason;
use thiserror::Error;

use super::KgpBoard;
use crate::Quoted;

/// What is wrong with a text that is no [`Line`](super::Line).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseLineReason {
    /// Longer than any line.
    #[error("a line has {most} characters at most", most = super::MAX_LINE_CHARS)]
    TooLong,
    /// An id, or a reference to one, that nobody can have given.
    #[error("{} is too large for an id", Quoted::new(.0))]
    Id(String),
    /// Nothing that could be a command.
    #[error("expected a command, a name of letters and digits")]
    NoCommand,
    /// No second quote.
    #[error("the closing \" of a string is missing")]
    UnclosedText,
    /// No `>`.
    #[error("the closing > of a board is missing")]
    UnclosedBoard,
    /// What is in brackets is no board.
    #[error("{} is no board: {reason}", Quoted::new(.text))]
    Board {
        /// What is in brackets.
        text: String,
        /// What is wrong with it.
        reason: ParseSetupReason,
    },
    /// A command that is known, without what it needs.
    #[error("`{command}` needs {needs}")]
    InvalidArguments {
        /// The command.
        command: &'static str,
        /// What it needs.
        needs: &'static str,
    },
}

/// What follows the name of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A whole number.
    Integer(i64),
    /// A number with a point.
    Decimal(Decimal),
    /// A word.
    Word(Word),
    /// A string in double quotes. What stands there bare and is no word is read as if it were one.
    Text(Text),
    /// A board.
    Board(KgpBoard),
}

/// A number with a decimal point, in the digits in which it was written: `0.5`, `-.123`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

/// Letters, digits, `-` and `:`, at least one of them and at most [`Word::MOST_CHARACTERS`], and no number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word(String);

/// What is sent in double quotes: at least one character and at most [`Text::MOST_CHARACTERS`], none of
/// which controls anything, and no blanks around.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(String);

impl Decimal {
    /// The number of a text: a sign or none, digits or none, a point, and digits.
    pub fn new(text: &str) -> Option<Self> {
        let (whole, part) = unsigned(text).split_once('.')?;
        let is_decimal = whole.bytes().all(|byte| byte.is_ascii_digit()) && is_digits(part);
        (is_decimal && text.len() <= Word::MAX_CHARS).then(|| Self(text.to_owned()))
    }

    /// The nearest number that a program calculates with.
    pub fn value(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }
}

impl Word {
    /// The most characters of a word: with two of the longest arguments a line is not too long yet.
    pub const MAX_CHARS: usize = 4096;

    /// A text as a word, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let is_word = !text.is_empty()
            && text.len() <= Self::MAX_CHARS
            && !is_digits(text.strip_prefix('-').unwrap_or(text))
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'));
        is_word.then(|| Self(text.to_owned()))
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// The most characters of a text: with a quoted word and all of them escaped a line is not too long yet.
    pub const MAX_CHARS: usize = 4096;

    /// What can be sent of `text`: characters that control something become blanks, and what is too long
    /// is cut. `None` if nothing is left, as the stock server cannot read an empty string.
    pub fn new(text: &str) -> Option<Self> {
        let tame: String = text
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
        let trimmed = tame.trim();
        (!trimmed.is_empty()).then(|| Self(trimmed.to_owned()))
    }

    /// Without quotes and escapes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Argument {
    /// All arguments of a line. An empty string is none.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, ParseLineReason> {
        let mut arguments = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (argument, after) = match first {
                '"' => parse_string(&rest[1..])?,
                '<' => parse_board(rest)?,
                _ => {
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    (Self::parse_unquoted(&rest[..end]), &rest[end..])
                }
            };
            arguments.extend(argument);
            rest = after.trim_start();
        }
        Ok(arguments)
    }

    /// What stands between blanks.
    fn parse_unquoted(text: &str) -> Option<Self> {
        if is_digits(unsigned(text))
            && let Ok(number) = text.parse()
        {
            return Some(Self::Integer(number));
        }
        (Decimal::new(text).map(Self::Decimal))
            .or_else(|| Word::new(text).map(Self::Word))
            .or_else(|| Text::new(text).map(Self::Text))
    }

    /// The words of an argument that is none but words: a text or a word.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word.as_str()),
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }
}

/// A string up to its closing quote, and what follows that.
fn parse_string(inner: &str) -> Result<(Option<Argument>, &str), ParseLineReason> {
    let mut text = String::new();
    let mut characters = inner.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Ok((Text::new(&text).map(Argument::Text), &inner[index + 1..])),
            '\\' => text.extend(characters.next().map(|(_, escaped)| match escaped {
                'n' | 'r' | 't' => ' ',
                escaped => escaped,
            })),
            character => text.push(character),
        }
    }
    Err(ParseLineReason::UnclosedText)
}

/// A board up to its closing bracket, and what follows that.
fn parse_board(text: &str) -> Result<(Option<Argument>, &str), ParseLineReason> {
    let end = text.find('>').ok_or(ParseLineReason::UnclosedBoard)?;
    let (literal, rest) = text.split_at(end + 1);
    let board = KgpBoard::parse(literal).map_err(|reason| ParseLineReason::Board {
        text: literal.to_owned(),
        reason,
    })?;
    Ok((Some(Argument::Board(board)), rest))
}

/// A number without its sign, if it has one.
fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Digits, at least one.
fn is_digits(text: &str) -> bool {
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

/// In quotes.
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
