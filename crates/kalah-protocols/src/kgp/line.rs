//! Lines with their ids, and the numbering of the lines that one end of a connection sends.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::argument::{Argument, MAX_LINE_CHARS, ParseLineReason};
use super::message::Message;
use crate::Quoted;

/// A line of the protocol, without its end.
///
/// The command is preceded by the ids: `4`, `4@2`, `@2`, or nothing. An id is unique for its
/// sender. By convention servers use even ids and clients use odd ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The id of the line.
    pub id: Option<u64>,
    /// The id of the other side's line to which this line refers.
    pub reference: Option<u64>,
    /// The command with its arguments.
    pub message: Message,
}

/// An error of parsing a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {reason}", Quoted::new(.text))]
pub struct ParseLineError {
    /// The beginning of the text.
    pub text: String,
    /// The id of the line, if it could be parsed.
    pub id: Option<u64>,
    /// The id of the line to which it refers, if it could be parsed.
    pub reference: Option<u64>,
    /// The reason.
    pub reason: ParseLineReason,
}

impl Line {
    /// Creates a line that has no id and refers to no other line.
    pub fn without_id(message: Message) -> Self {
        Self {
            id: None,
            reference: None,
            message,
        }
    }
}

impl From<Message> for Line {
    fn from(message: Message) -> Self {
        Self::without_id(message)
    }
}

/// The number of characters of a bad line that an error keeps: more than [`Quoted`] shows.
const MAX_KEPT_CHARS: usize = 100;

impl FromStr for Line {
    type Err = ParseLineError;

    /// Parses a line with or without its end, with any blanks between its parts.
    ///
    /// # Errors
    /// If the line does not follow the grammar, or a known command lacks an argument. An unknown
    /// command and additional arguments are not errors.
    fn from_str(text: &str) -> Result<Self, ParseLineError> {
        let text = text.trim();
        let (mut id, mut reference) = (None, None);
        parse_line(text, &mut id, &mut reference).map_err(|reason| ParseLineError {
            text: text.chars().take(MAX_KEPT_CHARS).collect(),
            id,
            reference,
            reason,
        })
    }
}

/// Parses a line. The ids are set even if the rest of the line has an error.
fn parse_line(
    text: &str,
    id: &mut Option<u64>,
    reference: &mut Option<u64>,
) -> Result<Line, ParseLineReason> {
    if text.chars().nth(MAX_LINE_CHARS).is_some() {
        return Err(ParseLineReason::TooLong);
    }
    let mut rest;
    (*id, rest) = parse_id(text)?;
    rest = rest.trim_start();
    if let Some(after) = rest.strip_prefix('@') {
        (*reference, rest) = parse_id(after)?;
        // Without digits behind `@`, the next word could be mistaken for the reference.
        reference.ok_or(ParseLineReason::NoCommand)?;
    }
    let rest = rest.trim_start();
    let end = rest
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let (command, arguments) = rest.split_at(end);
    if command.is_empty() || arguments.starts_with(|character: char| !character.is_whitespace()) {
        return Err(ParseLineReason::NoCommand);
    }
    Ok(Line {
        id: *id,
        reference: *reference,
        message: Message::parse(command, Argument::parse_all(arguments)?)?,
    })
}

/// Parses the id at the beginning of a text, if there is one. Returns it with the rest of the text.
fn parse_id(text: &str) -> Result<(Option<u64>, &str), ParseLineReason> {
    let end = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return Ok((None, rest));
    }
    match digits.parse() {
        Ok(id) => Ok((Some(id), rest)),
        Err(_) => Err(ParseLineReason::Id(digits.to_owned())),
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        if let Some(reference) = self.reference {
            write!(f, "@{reference}")?;
        }
        if self.id.is_some() || self.reference.is_some() {
            f.write_str(" ")?;
        }
        self.message.fmt(f)
    }
}

/// The ids of the lines that one end of a connection sends.
#[derive(Clone, Debug)]
pub(super) struct LineIds {
    next: u64,
}

impl LineIds {
    /// A client uses odd ids.
    pub(super) const CLIENT: Self = Self { next: 1 };
    /// A server uses even ids.
    pub(super) const SERVER: Self = Self { next: 2 };

    const STEP: u64 = 2;

    /// Returns the id of the next line.
    pub(super) fn next_id(&self) -> u64 {
        self.next
    }

    /// Creates a line with the next id.
    pub(super) fn line(&mut self, reference: Option<u64>, message: Message) -> Line {
        let id = self.next;
        self.next = id.wrapping_add(Self::STEP);
        Line {
            id: Some(id),
            reference,
            message,
        }
    }

    /// Returns whether a line with this id may have been sent: the id is smaller than the next one
    /// and has its parity.
    pub(super) fn may_have_sent(&self, id: u64) -> bool {
        id < self.next && id % Self::STEP == self.next % Self::STEP
    }
}
