//! The arguments of a command, among them boards, the reasons why a line cannot be parsed, and the
//! length limits of both.

use std::fmt;

use kalah::{
    FirstPlies, House, ParseSetupReason, Position, Quoted, Rules, Setup, SetupError, Side,
    SowEffect,
};
use thiserror::Error;

/// The maximum number of characters of a line, without its end.
pub const MAX_LINE_CHARS: usize = 16_384;

/// The reason why a text is not a [`Line`](super::Line). A server sends it to the client.
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

/// An argument of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A whole number.
    Integer(i64),
    /// A number with a decimal point.
    Decimal(Decimal),
    /// A word.
    Word(Word),
    /// A string in double quotes. An unquoted argument of any other form is parsed as a string,
    /// too.
    Text(Text),
    /// A board.
    Board(KgpBoard),
}

/// A number with a decimal point such as `0.5` or `-.123`. It keeps the digits as they were
/// written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

/// A word of ASCII letters, digits, `-` and `:` that is not a number. It has 1 to
/// [`Word::MAX_CHARS`] characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word(String);

/// A string that is sent in double quotes. It has 1 to [`Text::MAX_CHARS`] characters, no control
/// characters, and no blanks at its ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(String);

impl Decimal {
    /// Parses an optional sign, optional digits, a point, and digits.
    pub fn new(text: &str) -> Option<Self> {
        let (whole, part) = unsigned(text).split_once('.')?;
        let is_decimal = whole.bytes().all(|byte| byte.is_ascii_digit()) && is_digits(part);
        (is_decimal && text.len() <= Word::MAX_CHARS).then(|| Self(text.to_owned()))
    }

    /// Returns the nearest floating-point number.
    pub fn value(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }
}

impl Word {
    /// The maximum number of characters of a word. A line with two arguments of maximum length
    /// still fits [`MAX_LINE_CHARS`].
    pub const MAX_CHARS: usize = 4096;

    /// Returns the text as a word, or `None` if it is not one.
    pub fn new(text: &str) -> Option<Self> {
        let is_word = !text.is_empty()
            && text.len() <= Self::MAX_CHARS
            && !is_digits(text.strip_prefix('-').unwrap_or(text))
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'));
        is_word.then(|| Self(text.to_owned()))
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// The maximum number of characters of a string. A line with a word and a string of maximum
    /// length still fits [`MAX_LINE_CHARS`] if every character of the string is escaped.
    pub const MAX_CHARS: usize = 4096;

    /// Converts a text to a string that can be sent: control characters become blanks, and a long
    /// text is cut. Returns `None` if nothing is left, because the reference server cannot parse an
    /// empty string.
    pub fn new(text: &str) -> Option<Self> {
        let printable: String = text
            .chars()
            .take(Self::MAX_CHARS)
            .map(|character| {
                if character.is_control() {
                    ' '
                } else {
                    character
                }
            })
            .collect();
        let trimmed = printable.trim();
        (!trimmed.is_empty()).then(|| Self(trimmed.to_owned()))
    }

    /// Returns the text without quotes and escapes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Argument {
    /// Parses all arguments of a line. An empty string in quotes is skipped.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, ParseLineReason> {
        let mut arguments = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (argument, after) = match first {
                '"' => parse_string(&rest[1..])?,
                '<' => parse_board(rest)?,
                _ => {
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    (Self::parse_unquoted(&rest[..end]), &rest[end..])
                }
            };
            arguments.extend(argument);
            rest = after.trim_start();
        }
        Ok(arguments)
    }

    /// Parses an argument that ends at a blank.
    fn parse_unquoted(text: &str) -> Option<Self> {
        if is_digits(unsigned(text))
            && let Ok(number) = text.parse()
        {
            return Some(Self::Integer(number));
        }
        (Decimal::new(text).map(Self::Decimal))
            .or_else(|| Word::new(text).map(Self::Word))
            .or_else(|| Text::new(text).map(Self::Text))
    }

    /// Returns the text of a word or a string, and `None` for other arguments.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word.as_str()),
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }
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

/// Strips the sign of a number, if it has one.
fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Returns whether a text consists of ASCII digits, at least one.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Decimal(number) => f.write_str(&number.0),
            Self::Word(word) => word.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Board(board) => board.fmt(f),
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes the string in quotes, with its escapes.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            if matches!(character, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{character}")?;
        }
        f.write_str("\"")
    }
}

/// A board on which South is to move. The client that receives it plays South, whichever side it
/// has in the game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KgpBoard(Setup);

/// The result of a sowing, which a client in verify mode has to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The board after the sowing, seen from the side that has sown.
    pub board: KgpBoard,
    /// Whether that side has a bonus turn.
    pub bonus_turn: bool,
}

impl KgpBoard {
    /// Parses a board in brackets.
    pub(super) fn parse(literal: &str) -> Result<Self, ParseSetupReason> {
        let setup: Setup = literal
            .parse()
            .map_err(|error: kalah::ParseSetupError| error.reason)?;
        Ok(Self(setup))
    }

    /// Wraps a setup. South must be to move, and plies 1 and 2 must be over.
    pub(super) fn new(setup: Setup) -> Self {
        Self(setup)
    }

    /// Returns the board as a setup with South to move.
    pub fn setup(&self) -> &Setup {
        &self.0
    }

    /// Returns the position under the rules of the protocol, [`Rules::STANDARD`].
    ///
    /// # Errors
    /// If the board cannot be played, for example because it has too many seeds.
    pub fn position(&self) -> Result<Position, SetupError> {
        self.0.position(Rules::STANDARD)
    }

    /// Sows one of South's houses. Returns `None` if that is not a legal move.
    ///
    /// ```
    /// use kalah::House;
    /// use kalah_protocols::kgp::{Line, Message};
    /// let line: Line = "2 problem <3,0,0,2,2,2,2,2,2> 1".parse()?;
    /// let Message::Problem { board, house } = line.message else { panic!("expected a problem") };
    /// let solution = board.solve(house).expect("the house has seeds");
    /// assert!(solution.bonus_turn);
    /// assert_eq!(solution.board.to_string(), "<3,1,0,2,0,3,2,2,2>");
    /// # Ok::<(), kalah_protocols::kgp::ParseLineError>(())
    /// ```
    pub fn solve(&self, house: House) -> Option<Solution> {
        let mut position = self.position().ok()?;
        let sown = position.sow(house).ok()?;
        // A solution keeps the point of view of its problem.
        let mut after = Setup::from(&position);
        after.to_move = Side::South;
        Some(Solution {
            board: Self(after),
            bonus_turn: sown.effect == SowEffect::BonusTurn,
        })
    }
}

/// Converts a position to the point of view of the side to move: if that is North, the sides are
/// exchanged.
///
/// A house keeps its number, because each side numbers its houses in its own sowing order.
impl From<&Position> for KgpBoard {
    fn from(position: &Position) -> Self {
        let mut setup = Setup::from(position);
        if setup.to_move == Side::North {
            setup.stores = setup.stores.swapped();
            setup.rows = setup.rows.swapped();
        }
        setup.to_move = Side::South;
        setup.first_plies = FirstPlies::Later;
        Self(setup)
    }
}

impl fmt::Display for KgpBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        // KGP does not write the side to move.
        f.write_str(text.strip_suffix(" s").unwrap_or(&text))
    }
}
