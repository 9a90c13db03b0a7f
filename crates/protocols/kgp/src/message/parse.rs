//! Parsing of lines, and the reasons why a line cannot be parsed.

use std::str::FromStr;

use kalah::{House, ParseSetupReason, Quoted};
use thiserror::Error;

use super::argument::{Argument, Decimal, Text, Word, is_digits, unsigned};
use super::board::KgpBoard;
use super::command::{Message, Mode, UnknownCommand, Version};
use super::line::Line;

/// The maximum number of characters of a line, without its end.
pub const MAX_LINE_CHARS: usize = 16_384;

/// The reason why a text is not a [`Line`]. A server sends it to the client.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseLineReason {
    /// The text has more than [`MAX_LINE_CHARS`] characters.
    #[error("a line has {MAX_LINE_CHARS} characters at most")]
    TooLong,
    /// An id, or a reference to an id, does not fit 64 bits.
    #[error("{} is too large for an id", Quoted::new(.0))]
    Id(String),
    /// There is no command.
    #[error("expected a command, a name of letters and digits")]
    NoCommand,
    /// A string has no closing quote.
    #[error("the closing \" of a string is missing")]
    UnclosedText,
    /// A board has no `>`.
    #[error("the closing > of a board is missing")]
    UnclosedBoard,
    /// The text in brackets is not a board.
    #[error("{} is no board: {reason}", Quoted::new(.text))]
    Board {
        /// The text, with its brackets.
        text: String,
        /// The syntax error.
        reason: ParseSetupReason,
    },
    /// A known command lacks an argument or has one of the wrong type.
    #[error("expected {expected}")]
    InvalidArguments {
        /// The name of the command.
        command: &'static str,
        /// The arguments that it requires.
        expected: &'static str,
    },
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
        message: parse_message(command, parse_arguments(arguments)?)?,
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

/// Parses all arguments of a line. An empty string in quotes is skipped.
fn parse_arguments(text: &str) -> Result<Vec<Argument>, ParseLineReason> {
    let mut arguments = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (argument, after) = match first {
            '"' => parse_string(&rest[1..])?,
            '<' => parse_board(rest)?,
            _ => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (parse_unquoted(&rest[..end]), &rest[end..])
            }
        };
        arguments.extend(argument);
        rest = after.trim_start();
    }
    Ok(arguments)
}

/// Parses an argument that ends at a blank.
fn parse_unquoted(text: &str) -> Option<Argument> {
    if is_digits(unsigned(text))
        && let Ok(number) = text.parse()
    {
        return Some(Argument::Integer(number));
    }
    (Decimal::new(text).map(Argument::Decimal))
        .or_else(|| Word::new(text).map(Argument::Word))
        .or_else(|| Text::new(text).map(Argument::Text))
}

/// Parses a string whose opening quote is already consumed. Returns it with the rest of the line.
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

/// Parses a board. Returns it with the rest of the line.
fn parse_board(text: &str) -> Result<(Option<Argument>, &str), ParseLineReason> {
    let end = text.find('>').ok_or(ParseLineReason::UnclosedBoard)?;
    let (literal, rest) = text.split_at(end + 1);
    let board = KgpBoard::parse(literal).map_err(|reason| ParseLineReason::Board {
        text: literal.to_owned(),
        reason,
    })?;
    Ok((Some(Argument::Board(board)), rest))
}

/// The arguments that commands require, as errors describe them.
const VERSION_ARGUMENTS: &str = "the major version, a whole number";
const MODE_ARGUMENTS: &str = "a mode, such as freeplay";
const MOVE_ARGUMENTS: &str = "the number of a house, from 1 to 26";
const PROBLEM_ARGUMENTS: &str = "a board and the number of a house, from 0 to 25";
const SOLUTION_ARGUMENTS: &str = "a board, and true or false";

/// Parses a command and its arguments. Additional arguments are ignored.
fn parse_message(command: &str, arguments: Vec<Argument>) -> Result<Message, ParseLineReason> {
    let invalid = |command, expected| ParseLineReason::InvalidArguments { command, expected };
    Ok(match (command, arguments.as_slice()) {
        ("kgp", [Argument::Integer(major), rest @ ..]) => {
            let part = |at: usize| match rest.get(at) {
                Some(Argument::Integer(number)) => u32::try_from(*number).unwrap_or(0),
                _ => 0,
            };
            let major = u32::try_from(*major).map_err(|_| invalid("kgp", VERSION_ARGUMENTS))?;
            Message::Kgp(Version {
                major,
                minor: part(0),
                patch: part(1),
            })
        }
        ("kgp", _) => return Err(invalid("kgp", VERSION_ARGUMENTS)),
        ("mode", [mode, ..]) => match mode.as_text() {
            Some("freeplay") => Message::Mode(Mode::Freeplay),
            Some("verify") => Message::Mode(Mode::Verify),
            Some(other) => {
                let word = Word::new(other).ok_or_else(|| invalid("mode", MODE_ARGUMENTS))?;
                Message::Mode(Mode::Other(word))
            }
            None => return Err(invalid("mode", MODE_ARGUMENTS)),
        },
        ("mode", []) => return Err(invalid("mode", MODE_ARGUMENTS)),
        ("state", [Argument::Board(board), ..]) => Message::State(board.clone()),
        ("state", _) => return Err(invalid("state", "a board")),
        ("stop", _) => Message::Stop,
        ("move", [number, ..]) => {
            let house = parse_house(number, 1);
            Message::Move(house.ok_or_else(|| invalid("move", MOVE_ARGUMENTS))?)
        }
        ("move", []) => return Err(invalid("move", MOVE_ARGUMENTS)),
        ("yield", _) => Message::Yield,
        ("problem", [Argument::Board(board), number, ..]) => Message::Problem {
            board: board.clone(),
            house: parse_house(number, 0).ok_or_else(|| invalid("problem", PROBLEM_ARGUMENTS))?,
        },
        ("problem", _) => return Err(invalid("problem", PROBLEM_ARGUMENTS)),
        ("solution", [Argument::Board(board), bonus_turn, ..]) => Message::Solution {
            board: board.clone(),
            bonus_turn: parse_bool(bonus_turn)
                .ok_or_else(|| invalid("solution", SOLUTION_ARGUMENTS))?,
        },
        ("solution", _) => return Err(invalid("solution", SOLUTION_ARGUMENTS)),
        ("ping", _) => Message::Ping,
        ("pong", _) => Message::Pong,
        ("ok", _) => Message::Ok,
        ("error", _) => {
            let texts: Vec<String> = arguments.iter().map(argument_text).collect();
            Message::error(&texts.join(" "))
        }
        ("goodbye", _) => Message::Goodbye,
        // Some clients quote the name of the option.
        ("set", [option, value, ..]) if let Some(option) = option.as_text().and_then(Word::new) => {
            let value = value.clone();
            Message::Set { option, value }
        }
        _ => Message::Unknown(UnknownCommand {
            command: command.to_owned(),
            arguments,
        }),
    })
}

/// Parses a house from its number, counted from `first`, which is 0 or 1.
fn parse_house(number: &Argument, first: u32) -> Option<House> {
    let Argument::Integer(number) = number else {
        return None;
    };
    let from_one = u32::try_from(*number).ok()?.checked_add(1 - first)?;
    House::new(from_one)
}

fn parse_bool(argument: &Argument) -> Option<bool> {
    match argument {
        // The draft of the protocol writes 0 and 1.
        Argument::Integer(number) => Some(*number != 0),
        argument => argument.as_text()?.parse().ok(),
    }
}

/// Returns the text of an argument without quotes.
fn argument_text(argument: &Argument) -> String {
    match argument.as_text() {
        Some(words) => words.to_owned(),
        None => argument.to_string(),
    }
}
