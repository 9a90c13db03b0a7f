use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Argument, MAX_LINE_CHARS, Message, ParseLineReason};
use crate::Quoted;

/// A line of the protocol, without its end.
///
/// What precedes the command is written as it is meant: `4`, `4@2`, `@2`, or nothing. Ids are unique for
/// their sender; servers give even ones and clients odd ones by convention.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The id that its sender gives it.
    pub id: Option<u64>,
    /// The id of the other side's line to which it belongs.
    pub reference: Option<u64>,
    /// What is said.
    pub message: Message,
}

/// Why a text is no [`Line`](super::Line), with the text as far as it is needed to recognise it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {reason}", Quoted::new(.text))]
pub struct ParseLineError {
    /// The beginning of the text.
    pub text: String,
    /// The id that its sender gives it, if that can be read.
    pub id: Option<u64>,
    /// The id of the line to which it belongs, if that can be read.
    pub reference: Option<u64>,
    /// What is wrong with it.
    pub reason: ParseLineReason,
}

impl Line {
    /// A line with no id that belongs to no other.
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

impl FromStr for Line {
    type Err = ParseLineError;

    /// Reads a line with or without its end, with any blanks between its parts.
    ///
    /// # Errors
    /// What is wrong; a command that nobody knows is no error, nor is one with too many arguments.
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

/// Characters of a bad line that an error keeps: more than it quotes.
const MAX_KEPT_CHARS: usize = 100;

/// Reads a line; what precedes the command is also told where the rest cannot be read.
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
        // What follows could be taken for it.
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

/// The digits at the beginning as an id, if there are any, and the rest.
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
