//! Errors of records and their locations.

use std::fmt;

use thiserror::Error;

use super::document::{MAX_VARIATION_DEPTH, Turn};
use super::tags::{TagError, Tags, quote};
use crate::side::Side;
use crate::types::{IllegalMove, Move};

/// An error in the text of a record, with its location.
///
/// ```
/// use kalah::record::Record;
/// let error = "1. CF a\n2. C *".parse::<Record>().unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 4, turn 2: sowing `C`: house C is empty");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The number of the game in the text, from 1.
    pub game: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The column, in characters from 1. Unclosed brackets and quotes are reported where they open.
    pub column: usize,
    /// The error at that location.
    pub problem: RecordProblem,
    /// The tags of the game; none if they are not valid.
    pub tags: Box<Tags>,
}

/// A location in the first game does not mention the number of the game.
impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.game > 1 {
            write!(f, "game {}, ", self.game)?;
        }
        let colon = match self.problem {
            // The message continues the location with the turn.
            RecordProblem::WrongSide { .. }
            | RecordProblem::Movetext(MovetextError::Illegal { .. }) => ",",
            _ => ":",
        };
        write!(
            f,
            "line {}, column {}{colon} {}",
            self.line, self.column, self.problem
        )
    }
}

impl std::error::Error for RecordError {}

/// The kinds of errors in the text of a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordProblem {
    /// An error in a tag.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// An error in a ply, a comment or a variation.
    #[error(transparent)]
    Movetext(#[from] MovetextError),
    /// A letter of the side that is not to move.
    #[error("turn {}: sowing `{letter}`: it is {}'s turn", DisplayTurn(*turn), turn.side)]
    WrongSide {
        /// The current turn.
        turn: Turn,
        /// The letter.
        letter: char,
    },
    /// A number that is not that of the next turn.
    #[error("expected turn number `{expected}`, found `{found}`")]
    WrongTurnNumber {
        /// The next turn.
        expected: Turn,
        /// The turn of the number in the text.
        found: Turn,
    },
    /// Digits that are neither a turn number nor a result.
    #[error(
        "expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found {}",
        quote(.0)
    )]
    InvalidNumber(String),
    /// A character that cannot occur at this location.
    #[error("unexpected character {}", quote_char(*.0))]
    UnexpectedCharacter(char),
    /// Something other than a name after `[`.
    #[error("expected the name of a tag, of letters, digits and underscores, found {}", quote_char(*.0))]
    MissingTagName(char),
    /// Something other than a quote after the name of a tag.
    #[error("expected the value of a tag in quotes, found {}", quote_char(*.0))]
    MissingQuote(char),
    /// A backslash before a character that forms no escape with it.
    #[error("unknown escape {}: a backslash is written `\\\\`", quote(&format!("\\{}", .0)))]
    InvalidEscape(char),
    /// A tag without its `]`.
    #[error("this tag is not closed: it lacks `]`")]
    UnclosedTag,
    /// A value without its closing quote on the same line.
    #[error("this quote is not closed on its line")]
    UnclosedQuote,
    /// A comment without its `}`.
    #[error("this comment is not closed: it lacks `}}`")]
    UnclosedComment,
    /// A variation without its `)`.
    #[error("this variation is not closed: it lacks `)`")]
    UnclosedVariation,
    /// A game without plies and without its closing token.
    #[error("this game has no plies and no closing `*`")]
    UnclosedGame,
    /// A text without a game.
    #[error("there is no game here")]
    NoGame,
    /// A second game in a text of one game.
    #[error("another game begins here")]
    SecondGame,
}

/// The kinds of errors in the plies, comments and variations of a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MovetextError {
    /// An illegal move.
    #[error("turn {}: {}: {reason}", DisplayTurn(*turn), DisplayMove(*mv, turn.side))]
    Illegal {
        /// The turn, whose side made the move.
        turn: Turn,
        /// The move.
        mv: Move,
        /// The reason why it is illegal.
        reason: IllegalMove,
    },
    /// A comment with the character that ends comments.
    #[error("a comment cannot hold `}}`")]
    BraceInComment,
    /// A variation before the first ply of its line.
    #[error("a variation must follow a ply of its line")]
    VariationBeforeFirstPly,
    /// A variation without a number that begins with a side without plies in the line around it.
    #[error(
        "this variation begins with a sowing of {0}, which has not moved yet in the line around it"
    )]
    SideHasNotMoved(Side),
    /// A variation from a turn that the line around it does not have, or not yet.
    #[error(
        "this variation cannot begin with turn `{turn}`: the line around it runs from `{first}` to `{last}` here"
    )]
    NoSuchTurn {
        /// The first turn of the variation.
        turn: Turn,
        /// The first turn of the line around it.
        first: Turn,
        /// The last turn of that line so far.
        last: Turn,
    },
    /// Variations nested deeper than [`MAX_VARIATION_DEPTH`].
    #[error("variations go at most {MAX_VARIATION_DEPTH} deep")]
    TooDeep,
    /// A variation without plies.
    #[error("this variation has no plies")]
    EmptyVariation,
    /// An end of a variation while none is open.
    #[error("there is no open variation to end here")]
    NoOpenVariation,
}

/// Quotes a character in an error message.
fn quote_char(character: char) -> String {
    quote(character.encode_utf8(&mut [0; 4])).to_string()
}

/// A turn in an error message.
struct DisplayTurn(Turn);

impl fmt::Display for DisplayTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.side {
            Side::South => write!(f, "{}", self.0.number),
            Side::North => write!(f, "{}...", self.0.number),
        }
    }
}

/// A move in an error message.
struct DisplayMove(Move, Side);

impl fmt::Display for DisplayMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.text(self.1);
        match self.0 {
            Move::Sow(_) => write!(f, "sowing `{text}`"),
            Move::Swap => write!(f, "`{text}`"),
        }
    }
}
