//! Lines with their ids, the commands as values, and the numbering of the lines that one end of a
//! connection sends.

use std::fmt;
use std::str::FromStr;

use kalah::{House, Quoted};
use thiserror::Error;

use super::argument::{Argument, KgpBoard, MAX_LINE_CHARS, ParseLineReason, Text, Word};

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

/// A command with its arguments, from a server or a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// `kgp`, the first line of a server: the version of its protocol.
    Kgp(Version),
    /// `mode`, from a client: the purpose of the connection.
    Mode(Mode),
    /// `state`, from the server: a request for a move.
    State(KgpBoard),
    /// `stop`, from the server: the time for the referenced state is over.
    Stop,
    /// `move`, from a client: the house to sow, numbered from 1. A later `move` replaces it.
    Move(House),
    /// `yield`, from a client: the last `move` for the referenced state is final.
    Yield,
    /// `problem`, from the server in verify mode: a request for the result of a sowing. This is the
    /// only command that numbers houses from 0.
    Problem {
        /// The board before the sowing.
        board: KgpBoard,
        /// The house that South sows.
        house: House,
    },
    /// `solution`, from a client in verify mode: the answer to a problem.
    Solution {
        /// The board after the sowing.
        board: KgpBoard,
        /// Whether the sowing gives a bonus turn.
        bonus_turn: bool,
    },
    /// `ping`: a request for `pong`.
    Ping,
    /// `pong`.
    Pong,
    /// `ok`: the referenced line is accepted.
    Ok,
    /// `error`: the referenced line is refused. It is written with one string and parsed with any
    /// number of arguments.
    Error(Text),
    /// `set`: the value of an option. The receiver ignores options that it does not know.
    Set {
        /// The name of the option, such as `info:name`.
        option: Word,
        /// The value.
        value: Argument,
    },
    /// `goodbye`: the last line of either side.
    Goodbye,
    /// Any other command. It is parsed but must not be sent.
    Unknown(UnknownCommand),
}

/// The version of the protocol. A client must support the major version of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Incremented by incompatible changes.
    pub major: u32,
    /// Incremented by additions.
    pub minor: u32,
    /// Incremented by corrections.
    pub patch: u32,
}

/// The purpose of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `freeplay`: the client plays games.
    Freeplay,
    /// `verify`: the server tests the rules of the client with problems.
    Verify,
    /// Any other mode.
    Other(Word),
}

/// An unknown command, or `set` without both of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownCommand {
    command: String,
    arguments: Vec<Argument>,
}

impl Version {
    /// The version that this crate implements.
    pub const CURRENT: Self = Self {
        major: 1,
        minor: 0,
        patch: 1,
    };
}

impl UnknownCommand {
    /// Returns the name of the command, which consists of ASCII letters and digits.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }
}

/// The text of an error without a reason.
const NO_REASON: &str = "no reason given";

/// The arguments that commands require, as errors describe them.
const VERSION_ARGUMENTS: &str = "the major version, a whole number";
const MODE_ARGUMENTS: &str = "a mode, such as freeplay";
const MOVE_ARGUMENTS: &str = "the number of a house, from 1 to 26";
const PROBLEM_ARGUMENTS: &str = "a board and the number of a house, from 0 to 25";
const SOLUTION_ARGUMENTS: &str = "a board, and true or false";

impl Message {
    /// Creates an error with this text.
    pub fn error(text: &str) -> Self {
        Self::Error(Text::new(text).unwrap_or_else(no_reason))
    }

    /// Parses a command and its arguments. Additional arguments are ignored.
    pub(super) fn parse(command: &str, arguments: Vec<Argument>) -> Result<Self, ParseLineReason> {
        let invalid = |command, expected| ParseLineReason::InvalidArguments { command, expected };
        Ok(match (command, arguments.as_slice()) {
            ("kgp", [Argument::Integer(major), rest @ ..]) => {
                let part = |at: usize| match rest.get(at) {
                    Some(Argument::Integer(number)) => u32::try_from(*number).unwrap_or(0),
                    _ => 0,
                };
                let major = u32::try_from(*major).map_err(|_| invalid("kgp", VERSION_ARGUMENTS))?;
                Self::Kgp(Version {
                    major,
                    minor: part(0),
                    patch: part(1),
                })
            }
            ("kgp", _) => return Err(invalid("kgp", VERSION_ARGUMENTS)),
            ("mode", [mode, ..]) => match mode.as_text() {
                Some("freeplay") => Self::Mode(Mode::Freeplay),
                Some("verify") => Self::Mode(Mode::Verify),
                Some(other) => {
                    let word = Word::new(other).ok_or_else(|| invalid("mode", MODE_ARGUMENTS))?;
                    Self::Mode(Mode::Other(word))
                }
                None => return Err(invalid("mode", MODE_ARGUMENTS)),
            },
            ("mode", []) => return Err(invalid("mode", MODE_ARGUMENTS)),
            ("state", [Argument::Board(board), ..]) => Self::State(board.clone()),
            ("state", _) => return Err(invalid("state", "a board")),
            ("stop", _) => Self::Stop,
            ("move", [number, ..]) => {
                let house = parse_house(number, 1);
                Self::Move(house.ok_or_else(|| invalid("move", MOVE_ARGUMENTS))?)
            }
            ("move", []) => return Err(invalid("move", MOVE_ARGUMENTS)),
            ("yield", _) => Self::Yield,
            ("problem", [Argument::Board(board), number, ..]) => Self::Problem {
                board: board.clone(),
                house: parse_house(number, 0)
                    .ok_or_else(|| invalid("problem", PROBLEM_ARGUMENTS))?,
            },
            ("problem", _) => return Err(invalid("problem", PROBLEM_ARGUMENTS)),
            ("solution", [Argument::Board(board), bonus_turn, ..]) => Self::Solution {
                board: board.clone(),
                bonus_turn: parse_bool(bonus_turn)
                    .ok_or_else(|| invalid("solution", SOLUTION_ARGUMENTS))?,
            },
            ("solution", _) => return Err(invalid("solution", SOLUTION_ARGUMENTS)),
            ("ping", _) => Self::Ping,
            ("pong", _) => Self::Pong,
            ("ok", _) => Self::Ok,
            ("error", _) => {
                let texts: Vec<String> = arguments.iter().map(argument_text).collect();
                Self::error(&texts.join(" "))
            }
            ("goodbye", _) => Self::Goodbye,
            // Some clients quote the name of the option.
            ("set", [option, value, ..])
                if let Some(option) = option.as_text().and_then(Word::new) =>
            {
                let value = value.clone();
                Self::Set { option, value }
            }
            _ => Self::Unknown(UnknownCommand {
                command: command.to_owned(),
                arguments,
            }),
        })
    }
}

fn no_reason() -> Text {
    Text::new(NO_REASON).expect("the text is not empty")
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

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kgp(Version {
                major,
                minor,
                patch,
            }) => write!(f, "kgp {major} {minor} {patch}"),
            Self::Mode(Mode::Freeplay) => f.write_str("mode freeplay"),
            Self::Mode(Mode::Verify) => f.write_str("mode verify"),
            Self::Mode(Mode::Other(word)) => write!(f, "mode {word}"),
            Self::State(board) => write!(f, "state {board}"),
            Self::Stop => f.write_str("stop"),
            Self::Move(house) => write!(f, "move {house}"),
            Self::Yield => f.write_str("yield"),
            Self::Problem { board, house } => write!(f, "problem {board} {}", house.number() - 1),
            Self::Solution { board, bonus_turn } => write!(f, "solution {board} {bonus_turn}"),
            Self::Ping => f.write_str("ping"),
            Self::Pong => f.write_str("pong"),
            Self::Ok => f.write_str("ok"),
            Self::Error(text) => write!(f, "error {text}"),
            Self::Set { option, value } => write!(f, "set {option} {value}"),
            Self::Goodbye => f.write_str("goodbye"),
            Self::Unknown(UnknownCommand { command, arguments }) => {
                f.write_str(command)?;
                for argument in arguments {
                    write!(f, " {argument}")?;
                }
                Ok(())
            }
        }
    }
}
