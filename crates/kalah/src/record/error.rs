use std::fmt;

use thiserror::Error;

use super::document::{MAX_VARIATION_DEPTH, Turn};
use super::quoted::EscapedText;
use super::tags::TagError;
use crate::moves::{IllegalMove, Move};
use crate::side::Side;

/// Why a text is no record, and where.
///
/// ```
/// use kalah::record::Record;
/// let error = "1. CF a\n2. C *".parse::<Record>().unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 4, turn 2: sowing `C`: house C is empty");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Which game of the text, from 1.
    pub game: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The place in the line, in characters from 1; what is not closed is reported where it opens.
    pub column: usize,
    /// What is wrong there.
    pub problem: RecordProblem,
}

/// Games after the first one are named by their number.
impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.game > 1 {
            write!(f, "game {}, ", self.game)?;
        }
        let colon = match self.problem {
            // The turn is a place too.
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

/// Something that cannot stand in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordProblem {
    /// What a tag says.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// A ply, a comment or a variation.
    #[error(transparent)]
    Movetext(#[from] MovetextError),
    /// A letter of the side that is not to move.
    #[error("turn {}: sowing `{letter}`: it is {}'s turn", DisplayTurn(*turn), turn.side)]
    WrongSide {
        /// The turn that it is.
        turn: Turn,
        /// The letter.
        letter: char,
    },
    /// A number that does not belong to the turn which follows it.
    #[error("expected turn number `{expected}`, found `{found}`")]
    WrongTurnNumber {
        /// The turn that it is.
        expected: Turn,
        /// The turn that the number says it is.
        found: Turn,
    },
    /// Digits that say nothing.
    #[error("`{}` is no turn number, such as `3.` or `3...`, and no result, such as `25-23`", EscapedText(.0))]
    InvalidNumber(String),
    /// A character that means nothing where it stands.
    #[error("`{}` means nothing here", quote_char(*.0))]
    UnexpectedCharacter(char),
    /// Something else than a name after `[`.
    #[error("`{}` stands where a tag should have its name, of letters, digits and underscores", quote_char(*.0))]
    MissingTagName(char),
    /// Something else than a quote after the name of a tag.
    #[error("`{}` stands where a tag should say something, in quotes", quote_char(*.0))]
    MissingQuote(char),
    /// A backslash in what a tag says, before something that it does not go with.
    #[error("`\\{}` stands for nothing: a backslash is written `\\\\`", quote_char(*.0))]
    InvalidEscape(char),
    /// A tag without its `]`.
    #[error("this tag is not closed: it lacks `]`")]
    UnclosedTag,
    /// A tag that says something without end. It must end on its line.
    #[error("this quote is not closed on its line")]
    UnclosedQuote,
    /// A comment without end.
    #[error("this comment is not closed: it lacks `}}`")]
    UnclosedComment,
    /// A variation without end.
    #[error("this variation is not closed: it lacks `)`")]
    UnclosedVariation,
    /// A game without any ply and without its closing token.
    #[error("this game has no plies, and `*` to close it is missing")]
    UnclosedGame,
    /// No game, where there should be one.
    #[error("there is no game here")]
    NoGame,
    /// Another game, where there should be one only.
    #[error("another game begins here")]
    SecondGame,
}

/// Why a ply, a comment or a variation cannot stand where it does.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MovetextError {
    /// A choice that is against the rules.
    #[error("turn {}: {}: {reason}", DisplayTurn(*turn), DisplayMove(*mv, turn.side))]
    Illegal {
        /// The turn, whose side made the choice.
        turn: Turn,
        /// The choice.
        mv: Move,
        /// Why it cannot be made.
        reason: IllegalMove,
    },
    /// A comment that would end too early.
    #[error("a comment cannot hold `}}`")]
    BraceInComment,
    /// A variation before the first ply of its line.
    #[error("there is nothing yet that this variation could vary")]
    VariationBeforeFirstPly,
    /// A variation without a number, of a side that has not moved in the line around it.
    #[error("this variation is {0}'s, who has not moved yet in the line around it")]
    SideHasNotMoved(Side),
    /// A variation from a turn that the line around it does not have, or has not come to.
    #[error(
        "this variation cannot begin with turn `{turn}`: the line around it runs from `{first}` to `{last}` here"
    )]
    NoSuchTurn {
        /// The turn.
        turn: Turn,
        /// The first turn of the line around it.
        first: Turn,
        /// The turn to which that line has come.
        last: Turn,
    },
    /// Variations within variations within variations...
    #[error("variations go at most {MAX_VARIATION_DEPTH} deep")]
    TooDeep,
    /// A variation without plies.
    #[error("this variation has no plies")]
    EmptyVariation,
    /// The end of a variation outside of any.
    #[error("no variation is open that could end here")]
    NoOpenVariation,
}

/// A character in an error message.
fn quote_char(character: char) -> String {
    EscapedText(character.encode_utf8(&mut [0; 4])).to_string()
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

/// A choice in an error message.
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
