//! The commands of the protocol as values.

use std::fmt;

use kalah::House;

use super::argument::{Argument, Text, Word};
use super::board::KgpBoard;

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
    pub(super) command: String,
    pub(super) arguments: Vec<Argument>,
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

impl Message {
    /// Creates an error with this text.
    pub fn error(text: &str) -> Self {
        Self::Error(Text::new(text).unwrap_or_else(no_reason))
    }
}

fn no_reason() -> Text {
    Text::new(NO_REASON).expect("the text is not empty")
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
