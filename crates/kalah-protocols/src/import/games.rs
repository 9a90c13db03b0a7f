//! The games and the errors of an import.

use kalah::record::Record;
use kalah::{IllegalMove, SetupError, Side};
use thiserror::Error;

use crate::Quoted;

/// The games of a text, and what in it is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedGames {
    /// The games, in the order in which they begin.
    pub records: Vec<Record>,
    /// What is wrong, in the order of the lines.
    pub errors: Vec<ImportError>,
}

/// Something in a text that is no game, or not the game that it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {reason}", format_game_number(*.game))]
pub struct ImportError {
    /// The line, from 1.
    pub line: usize,
    /// The number of the game, from 1, in a value that begins in this line and holds several.
    pub game: Option<usize>,
    /// What is wrong with it.
    pub reason: ImportReason,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportReason {
    /// It should be JSON and is not.
    #[error("no JSON: {0}")]
    Json(String),
    /// JSON that holds no games.
    #[error("{} is neither a list of actions nor an episode with steps", Quoted::new(.0))]
    Shape(String),
    /// No action of `OpenSpiel`.
    #[error(
        "{} is no action: expected 1 to 6 for South's houses or 8 to 13 for North's",
        Quoted::new(.0)
    )]
    Action(String),
    /// Several words in a line of a text that has one number a line.
    #[error("{} in a text of one number a line", Quoted::new(.0))]
    ExtraNumbers(String),
    /// Against the rules.
    #[error("ply {ply}, {}: {reason}", Quoted::new(.text))]
    Illegal {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// How it is written.
        text: String,
        /// Why it cannot be made.
        reason: IllegalMove,
    },
    /// The other side's.
    #[error("ply {ply}, {}: it is {to_move}'s turn", Quoted::new(.text))]
    WrongSide {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// How it is written.
        text: String,
        /// Whose turn it is.
        to_move: Side,
    },
    /// A line of a protocol that cannot be read, in its own words.
    #[error("{0}")]
    Line(String),
    /// A board that nobody can play on.
    #[error("{}: {reason}", Quoted::new(.text))]
    Setup {
        /// The board.
        text: String,
        /// Why it cannot be played.
        reason: SetupError,
    },
    /// A board that is not the one that the game has come to.
    #[error(
        "ply {ply}, {}: the board after it is {expected}: are these the right rules?",
        Quoted::new(.text)
    )]
    Board {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// How it is written.
        text: String,
        /// The board after it, in the same form.
        expected: String,
    },
    /// A state in the middle of a game that is none of those that were told before.
    #[error(
        "{} continues no game that is told before it: where games go on at the same time, it is not known whose it is",
        Quoted::new(.0)
    )]
    UnknownGame(String),
    /// So much was left out before that it is not looked for any more.
    #[error(
        "the plies that nobody wrote down are too many to look for: import fewer games at once"
    )]
    SearchLimit,
    /// Something that comes before any game.
    #[error("{} comes before the start of a game", Quoted::new(.0))]
    NotStarted(String),
}

impl ImportReason {
    pub(super) fn at_line(self, line: usize) -> ImportError {
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
