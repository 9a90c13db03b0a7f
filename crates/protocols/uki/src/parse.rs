//! Reading a line of the engine protocol: the tokenizer, the errors of parsing, and the values on a
//! line: moves, one-line texts and times.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use kalah::{
    House, IllegalMove, Move, ParseRulesError, ParseSetupReason, Quoted, SetupError, Side,
};
use thiserror::Error;

/// An error of parsing a line.
///
/// Its message is what an engine answers behind `error`, so it is part of the protocol's
/// transcripts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseUkiError {
    /// The line has no words.
    #[error("the line is empty: expected {0}")]
    Empty(Expected),
    /// A word is not allowed at its place.
    #[error("{found}: expected {expected}")]
    Unexpected {
        /// The word.
        found: Quoted,
        /// The words that are allowed at this place.
        expected: Expected,
    },
    /// The line ends too early.
    #[error("the line ends early: expected {0}")]
    Missing(Expected),
    /// A field is given more than once.
    #[error("{0} is given twice")]
    Duplicate(Quoted),
    /// The position has a syntax error.
    #[error("position {text}: {reason}")]
    Position {
        /// The text of the position.
        text: Quoted,
        /// The syntax error.
        reason: ParseSetupReason,
    },
    /// The position is well-formed but cannot be played.
    #[error("position {text}: {reason}")]
    Unplayable {
        /// The text of the position.
        text: Quoted,
        /// The reason from the rules.
        reason: SetupError,
    },
    /// The rule set is invalid.
    #[error(transparent)]
    Rules(ParseRulesError),
    /// A ply sows a house of the side that is not to move.
    #[error("ply {ply}, `{mv}`: {to_move} is to move")]
    WrongSide {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// The move.
        mv: UkiMove,
        /// The side to move.
        to_move: Side,
    },
    /// A ply breaks the rules.
    #[error("ply {ply}, `{mv}`: {reason}")]
    Illegal {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// The move.
        mv: UkiMove,
        /// The rule that it breaks.
        reason: IllegalMove,
    },
}

/// The words that are allowed at some place of a line. The text form follows
/// "expected" in an error message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// The first word of a host's message.
    HostMessage,
    /// The first word of an engine's message.
    EngineMessage,
    /// The name of an option.
    OptionName,
    /// The word `name`.
    Name,
    /// The word `name` or the word `author`.
    NameOrAuthor,
    /// The word `value`, or the end of the line.
    Value,
    /// The word `type`.
    Type,
    /// The type of an option.
    OptionType,
    /// The default value of an option and, for some types, the range or list of its values.
    OptionValues,
    /// `true` or `false`.
    Bool,
    /// One of the values of a combo option.
    ComboValue,
    /// The minimum, the default and the maximum, in this order of size.
    Range,
    /// A position.
    Position,
    /// A start such as `6x4`.
    Start,
    /// A rule set.
    Rules,
    /// The word `rules` or `moves`, or the end of the line.
    RulesOrMoves,
    /// A move.
    Move,
    /// A move, or `none`.
    MoveOrNone,
    /// The clocks of both sides: one of them is missing.
    BothTimes,
    /// The clocks: an increment is given without them.
    Times,
    /// A whole number.
    Number,
    /// A number of milliseconds.
    Milliseconds,
    /// `gain` or `exact`.
    GainOrExact,
    /// A gain in seeds.
    Gain,
    /// The probabilities of a win, a tie and a loss.
    Wdl,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::HostMessage => {
                "uki, isready, newgame, setoption, position, go, ponderhit, stop or quit"
            }
            Self::EngineMessage => "id, option, ukiok, readyok, info, bestmove or error",
            Self::OptionName => "the name of an option, one word",
            Self::Name => "the word name",
            Self::NameOrAuthor => "name or author",
            Self::Value => "the word value, or the end of the line",
            Self::Type => "the word type",
            Self::OptionType => "spin, check, combo, string or button",
            Self::OptionValues => "default, min, max or var, as the type has them",
            Self::Bool => "true or false",
            Self::ComboValue => "a default that is among the values offered",
            Self::Range => "a default between min and max",
            Self::Position => "a position such as <3,0,0,2,2,2,2,2,2> s, or startpos MxN",
            Self::Start => "a start such as 6x4",
            Self::Rules => "a rule set",
            Self::RulesOrMoves => "rules, moves or the end of the line",
            Self::Move => "a sowing such as C or b, or swap",
            Self::MoveOrNone => "a sowing such as C or b, swap or none",
            Self::BothTimes => "the time of both sides, stime and ntime",
            Self::Times => "stime and ntime, as there is an increment",
            Self::Number => "a whole number",
            Self::Milliseconds => "a whole number of milliseconds",
            Self::GainOrExact => "gain or exact",
            Self::Gain => "a number of seeds such as +8",
            Self::Wdl => "three whole numbers that add up to 1000",
        })
    }
}

/// The remaining words of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self {
            rest: line.trim_matches(is_blank),
        }
    }

    /// Returns the next word without consuming it.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.rest.split(is_blank).find(|word| !word.is_empty())
    }

    /// Consumes the next word.
    pub(crate) fn next_token(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start_matches(is_blank);
        Some(word)
    }

    /// Consumes the next word, or fails at the end of the line.
    pub(crate) fn require(&mut self, expected: Expected) -> Result<&'a str, ParseUkiError> {
        self.next_token().ok_or(ParseUkiError::Missing(expected))
    }

    /// Consumes the next word, which must be `keyword`.
    pub(crate) fn require_keyword(
        &mut self,
        keyword: &str,
        expected: Expected,
    ) -> Result<(), ParseUkiError> {
        match self.require(expected)? {
            word if word == keyword => Ok(()),
            word => Err(unexpected(word, expected)),
        }
    }

    /// Consumes the next word as a number.
    pub(crate) fn parse_number<N: FromStr>(
        &mut self,
        expected: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(expected)?;
        word.parse().map_err(|_| unexpected(word, expected))
    }

    /// Consumes the next word as a number without a sign.
    pub(crate) fn parse_unsigned<N: FromStr>(
        &mut self,
        expected: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(expected)?;
        let number = is_digits(word).then(|| word.parse().ok()).flatten();
        number.ok_or_else(|| unexpected(word, expected))
    }

    /// Consumes the next word as a time. A negative time, which a clock that has run out may show,
    /// counts as 0.
    pub(crate) fn parse_milliseconds(&mut self) -> Result<Milliseconds, ParseUkiError> {
        let is_negative = |word: &str| word.strip_prefix('-').is_some_and(is_digits);
        if self.peek().is_some_and(is_negative) {
            self.next_token();
            return Ok(Milliseconds::default());
        }
        let number = self.parse_unsigned(Expected::Milliseconds)?;
        Ok(Milliseconds::new(number))
    }

    /// Consumes the next word as one or more moves; returns `None` at the end of the line.
    pub(crate) fn next_moves(&mut self) -> Result<Option<Vec<UkiMove>>, ParseUkiError> {
        let Some(word) = self.next_token() else {
            return Ok(None);
        };
        let moves = UkiMove::parse_all(word);
        moves
            .map(Some)
            .ok_or_else(|| unexpected(word, Expected::Move))
    }

    /// Returns the remaining text, without blanks at its ends.
    pub(crate) fn rest(self) -> &'a str {
        self.rest
    }

    /// Consumes all words before the first of `ends`, or up to the end of the line, and returns
    /// their text without blanks at its ends.
    pub(crate) fn take_until(&mut self, ends: &[&str]) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(|word| !ends.contains(&word)) {
            self.next_token();
        }
        start[..start.len() - self.rest.len()].trim_end_matches(is_blank)
    }
}

/// Returns whether a character separates words: a blank, a tab or a part of a line end.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// Returns whether a word consists of ASCII digits, at least one.
fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(crate) fn unexpected(word: &str, expected: Expected) -> ParseUkiError {
    ParseUkiError::Unexpected {
        found: Quoted::new(word),
        expected,
    }
}

/// Sets `field`, or fails if the field named `keyword` is set already.
pub(crate) fn set_once<T>(
    field: &mut Option<T>,
    value: T,
    keyword: &str,
) -> Result<(), ParseUkiError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseUkiError::Duplicate(Quoted::new(keyword))),
    }
}

/// A move as the protocol writes it: `swap`, or the letter of the house that is sown. The letter
/// names the side, too: upper case for South, lower case for North.
///
/// ```
/// use kalah::{House, Move, Side};
/// use kalah_uki::UkiMove;
/// let third = House::new(3).expect("from 1 to 26");
/// let mv = UkiMove::new(Side::North, Move::Sow(third));
/// assert_eq!(mv.to_string(), "c");
/// assert_eq!(mv.for_side(Side::North), Some(Move::Sow(third)));
/// assert_eq!(mv.for_side(Side::South), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UkiMove {
    /// The side sows this house of its own.
    Sow(Side, House),
    /// The side to move exchanges sides.
    Swap,
}

const SWAP: &str = "swap";

impl UkiMove {
    /// Creates the text form of a move of `side`.
    pub fn new(side: Side, mv: Move) -> Self {
        match mv {
            Move::Sow(house) => Self::Sow(side, house),
            Move::Swap => Self::Swap,
        }
    }

    /// Returns the move, or `None` if it sows a house of the other side.
    pub fn for_side(self, side: Side) -> Option<Move> {
        match self {
            Self::Sow(owner, house) => (owner == side).then_some(Move::Sow(house)),
            Self::Swap => Some(Move::Swap),
        }
    }

    /// Parses the moves of a word: `swap`, or the letters of one or more sowings.
    pub(crate) fn parse_all(word: &str) -> Option<Vec<Self>> {
        if word == SWAP {
            return Some(vec![Self::Swap]);
        }
        let parse_letter = |letter| {
            let (side, house) = House::from_letter(letter)?;
            Some(Self::Sow(side, house))
        };
        word.chars().map(parse_letter).collect()
    }

    /// Parses a word that holds exactly one move.
    pub(crate) fn parse_one(word: &str) -> Option<Self> {
        match Self::parse_all(word)?.as_slice() {
            [mv] => Some(*mv),
            _ => None,
        }
    }
}

impl fmt::Display for UkiMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sow(side, house) => f.pad(house.letter(side).encode_utf8(&mut [0; 4])),
            Self::Swap => f.pad(SWAP),
        }
    }
}

/// A text that fits on a line. It has no control characters, its words are separated by single
/// blanks, and there are no blanks at its ends. It may be empty.
///
/// ```
/// use kalah_uki::OneLine;
/// assert_eq!(OneLine::new(" two\r\n\twords\0").as_str(), "two words");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneLine(String);

impl OneLine {
    /// Converts a text to one line: each run of whitespace and control characters becomes one
    /// blank.
    pub fn new(text: &str) -> Self {
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        let words: Vec<&str> = (text.split(is_blank).filter(|word| !word.is_empty())).collect();
        Self(words.join(" "))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A duration in whole milliseconds.
///
/// ```
/// use std::time::Duration;
/// use kalah_uki::Milliseconds;
/// let time = Milliseconds::from(Duration::from_micros(1_900));
/// assert_eq!(time.get(), 1);
/// assert_eq!(time.duration(), Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milliseconds(u64);

impl Milliseconds {
    /// Creates a duration of this number of milliseconds.
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Returns the number of milliseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Converts to a [`Duration`].
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

/// Rounds down to whole milliseconds.
impl From<Duration> for Milliseconds {
    fn from(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Writes the number without a unit.
impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
