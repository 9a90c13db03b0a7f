use kalah::ParseSetupReason;
use thiserror::Error;

use crate::Quoted;

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
