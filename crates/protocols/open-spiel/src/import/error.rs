//! The errors that only logs of `OpenSpiel` have.

use kalah::Quoted;
use kalah_import::ImportReason;
use kalah_parse::JsonProblem;
use thiserror::Error;

/// The reason why a part of a log of `OpenSpiel` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum OpenSpielError {
    /// A text that begins like JSON has a syntax error.
    #[error("{problem} (column {column})")]
    Json {
        /// The number of the byte in the line.
        column: usize,
        /// The error.
        problem: Box<JsonProblem>,
    },
    /// A JSON value holds no games.
    #[error("{} is neither a list of actions nor an episode with steps", Quoted::new(.0))]
    Shape(String),
    /// An episode is one of another game.
    #[error("the episode is one of {}, not of mancala", Quoted::new(.0))]
    OtherGame(String),
    /// An episode has an empty list of steps.
    #[error("the episode has no steps")]
    NoSteps,
    /// A line has an opening bracket without a closing one, or the reverse.
    #[error("the bracket `{}` is missing in {}", .bracket, Quoted::new(.text))]
    MissingBracket {
        /// The bracket that is missing.
        bracket: char,
        /// The line.
        text: String,
    },
    /// A word is not an action of `OpenSpiel`.
    #[error(
        "{} is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
        Quoted::new(.0)
    )]
    Action(String),
    /// A line has several words in a text that has one number a line.
    #[error("{} in a text of one number a line", Quoted::new(.0))]
    ExtraNumbers(String),
}

impl From<OpenSpielError> for ImportReason {
    fn from(error: OpenSpielError) -> Self {
        Self::of_format(&error)
    }
}
