use std::fmt;

use kalah::House;

use super::{Argument, KgpBoard, ParseLineReason, Text, Word};

/// What a line says, whoever sends it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// `kgp`, the server's first: which protocol it speaks.
    Kgp(Version),
    /// `mode`, from a client: what it has come for.
    Mode(Mode),
    /// `state`, from the server: a position to be answered.
    State(KgpBoard),
    /// `stop`, from the server: the time for the state that it refers to is over.
    Stop,
    /// `move`, from a client: the house to be sown, by its number from 1, until another is named.
    Move(House),
    /// `yield`, from a client: nothing more will be said about the state that it refers to.
    Yield,
    /// `problem`, from the server in verify mode: what comes of this sowing? Here alone houses are
    /// numbered from 0 in the text.
    Problem {
        /// The board before it.
        board: KgpBoard,
        /// Which house South sows.
        house: House,
    },
    /// `solution`, from a client in verify mode.
    Solution {
        /// The board after it.
        board: KgpBoard,
        /// Whether the same side sows again.
        bonus_turn: bool,
    },
    /// `ping`, to be answered with `pong` soon.
    Ping,
    /// `pong`.
    Pong,
    /// `ok`: what it refers to is accepted.
    Ok,
    /// `error`: what it refers to is refused. It is written with one string, and read with any number.
    Error(Text),
    /// `set`: an option and its value. Who does not know the option does nothing.
    Set {
        /// The option, such as `info:name`.
        option: Word,
        /// Its value.
        value: Argument,
    },
    /// `goodbye`, the last of either side.
    Goodbye,
    /// Something that is not known here. It is never to be sent.
    Unknown(UnknownCommand),
}

/// The version of the protocol that a server speaks: a client must know the major one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Versions that differ in this do not understand each other.
    pub major: u32,
    /// What was added.
    pub minor: u32,
    /// What was put right.
    pub patch: u32,
}

/// What a client has come for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// To play.
    Freeplay,
    /// To be asked about the rules.
    Verify,
    /// Something else.
    Other(Word),
}

/// A command that is not known here, or `set` without both of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownCommand {
    command: String,
    arguments: Vec<Argument>,
}

impl Version {
    /// The version that is spoken here.
    pub const CURRENT: Self = Self {
        major: 1,
        minor: 0,
        patch: 1,
    };
}

impl UnknownCommand {
    /// The name of the command, of letters and digits.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// What followed it.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }
}

/// What an error says that says nothing.
const NO_REASON: &str = "no reason given";

impl Message {
    /// An error with this text.
    pub fn error(text: &str) -> Self {
        Self::Error(Text::new(text).unwrap_or_else(no_reason))
    }

    /// The message of a command and what follows it. More arguments than it needs are passed over.
    pub(super) fn parse(command: &str, arguments: Vec<Argument>) -> Result<Self, ParseLineReason> {
        let needs = |command, needs| ParseLineReason::InvalidArguments { command, needs };
        Ok(match (command, arguments.as_slice()) {
            ("kgp", [Argument::Integer(major), rest @ ..]) => {
                let part = |at: usize| match rest.get(at) {
                    Some(Argument::Integer(number)) => u32::try_from(*number).unwrap_or(0),
                    _ => 0,
                };
                let major = u32::try_from(*major).map_err(|_| needs("kgp", VERSION_ARGUMENTS))?;
                Self::Kgp(Version {
                    major,
                    minor: part(0),
                    patch: part(1),
                })
            }
            ("kgp", _) => return Err(needs("kgp", VERSION_ARGUMENTS)),
            ("mode", [mode, ..]) => match mode.as_text() {
                Some("freeplay") => Self::Mode(Mode::Freeplay),
                Some("verify") => Self::Mode(Mode::Verify),
                Some(other) => {
                    let word = Word::new(other).ok_or_else(|| needs("mode", "a word"))?;
                    Self::Mode(Mode::Other(word))
                }
                None => return Err(needs("mode", "a word")),
            },
            ("mode", []) => return Err(needs("mode", "a word")),
            ("state", [Argument::Board(board), ..]) => Self::State(board.clone()),
            ("state", _) => return Err(needs("state", "a board")),
            ("stop", _) => Self::Stop,
            ("move", [number, ..]) => {
                let house = parse_house(number, 1);
                Self::Move(
                    house.ok_or_else(|| needs("move", "the number of a house, from 1 to 26"))?,
                )
            }
            ("move", []) => return Err(needs("move", "the number of a house, from 1 to 26")),
            ("yield", _) => Self::Yield,
            ("problem", [Argument::Board(board), number, ..]) => Self::Problem {
                board: board.clone(),
                house: parse_house(number, 0).ok_or_else(|| needs("problem", PROBLEM_ARGUMENTS))?,
            },
            ("problem", _) => return Err(needs("problem", PROBLEM_ARGUMENTS)),
            ("solution", [Argument::Board(board), truth, ..]) => Self::Solution {
                board: board.clone(),
                bonus_turn: parse_bool(truth)
                    .ok_or_else(|| needs("solution", SOLUTION_ARGUMENTS))?,
            },
            ("solution", _) => return Err(needs("solution", SOLUTION_ARGUMENTS)),
            ("ping", _) => Self::Ping,
            ("pong", _) => Self::Pong,
            ("ok", _) => Self::Ok,
            ("error", _) => {
                let texts: Vec<String> = arguments.iter().map(argument_text).collect();
                Self::error(&texts.join(" "))
            }
            ("goodbye", _) => Self::Goodbye,
            // Some clients put the option in quotes too.
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

const VERSION_ARGUMENTS: &str = "the major version, a whole number";
const PROBLEM_ARGUMENTS: &str = "a board and the number of a house, from 0 to 25";
const SOLUTION_ARGUMENTS: &str = "a board, and true or false";

fn no_reason() -> Text {
    Text::new(NO_REASON).expect("it has letters")
}

/// A house by its number, of which the lowest is `first`.
fn parse_house(number: &Argument, first: u32) -> Option<House> {
    let Argument::Integer(number) = number else {
        return None;
    };
    let from_one = u32::try_from(*number).ok()?.checked_add(1 - first)?;
    House::new(from_one)
}

fn parse_bool(argument: &Argument) -> Option<bool> {
    match argument {
        // The draft numbers them.
        Argument::Integer(number) => Some(*number != 0),
        argument => argument.as_text()?.parse().ok(),
    }
}

/// An argument as a person reads it.
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
