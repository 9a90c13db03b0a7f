//! The errors of an import.

use std::fmt;

use kalah::{IllegalMove, Quoted, SetupError, Side};
use thiserror::Error;

/// An error in a text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {reason}", format_game_number(*.game))]
pub struct ImportError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the game, from 1, in a JSON value that begins in this line and holds several
    /// games.
    pub game: Option<usize>,
    /// The reason.
    pub reason: ImportReason,
}

/// The reason why a part of a text cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportReason {
    /// A ply breaks the rules.
    #[error("ply {ply}, {}: {reason}", Quoted::new(.text))]
    Illegal {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The rule that it breaks.
        reason: IllegalMove,
    },
    /// A ply is a move of the side that is not to move.
    #[error("ply {ply}, {}: it is {to_move}'s turn", Quoted::new(.text))]
    WrongSide {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The side to move.
        to_move: Side,
    },
    /// A board cannot be played.
    #[error("{}: {reason}", Quoted::new(.text))]
    Setup {
        /// The board.
        text: String,
        /// The reason from the rules.
        reason: SetupError,
    },
    /// The logged board after a ply differs from the board by the rules.
    #[error(
        "ply {ply}, {}: by the rules the board after it is {expected}; are these the right rules?",
        Quoted::new(.text)
    )]
    Board {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The board by the rules, in the same format.
        expected: String,
    },
    /// A reason that only one format has, such as a malformed line. The text is the message of the
    /// format's own error.
    #[error("{0}")]
    Format(String),
}

impl ImportReason {
    /// Creates the reason of an error that only one format has.
    pub fn of_format(error: &impl fmt::Display) -> Self {
        Self::Format(error.to_string())
    }

    /// Adds the number of a line, from 1.
    pub fn at_line(self, line: usize) -> ImportError {
        ImportError {
            line,
            game: None,
            reason: self,
        }
    }
}

fn format_game_number(game: Option<usize>) -> String {
    game.map_or_else(String::new, |game| format!(", game {game}"))
}
