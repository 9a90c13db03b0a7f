//! Moves, texts and times on a line.

use std::fmt;
use std::time::Duration;

use kalah::{House, Move, Side};

use super::parse::{Expected, ParseUkiError, Tokens, parse_unsigned, unexpected};

/// A choice in text, which names the side that makes it: a letter, large for South and small for North, or `swap`.
///
/// ```
/// use kalah::{Move, House, Side};
/// use kalah_protocols::uki::NamedChoice;
/// let third = House::new(3).expect("from 1 to 26");
/// let choice = NamedChoice::new(Side::North, Move::Sow(third));
/// assert_eq!(choice.to_string(), "c");
/// assert_eq!(choice.made_by(Side::North), Some(Move::Sow(third)));
/// assert_eq!(choice.made_by(Side::South), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UkiMove {
    /// This side sows this house.
    Sow(Side, House),
    /// Whoever is to choose exchanges sides.
    Swap,
}

const SWAP: &str = "swap";

impl UkiMove {
    /// A choice that `side` makes.
    pub fn new(side: Side, mv: Move) -> Self {
        match mv {
            Move::Sow(house) => Self::Sow(side, house),
            Move::Swap => Self::Swap,
        }
    }

    /// The choice, if it is one for `side` to make.
    pub fn for_side(self, side: Side) -> Option<Move> {
        match self {
            Self::Sow(owner, house) => (owner == side).then_some(Move::Sow(house)),
            Self::Swap => Some(Move::Swap),
        }
    }

    /// The choices of a word: `swap`, or one or more sowings joined.
    pub(super) fn parse_all(word: &str) -> Result<Vec<Self>, ParseUkiError> {
        if word == SWAP {
            return Ok(vec![Self::Swap]);
        }
        let sowing = |letter| {
            let (side, house) = House::from_letter(letter)?;
            Some(Self::Sow(side, house))
        };
        let all: Option<Vec<Self>> = word.chars().map(sowing).collect();
        all.ok_or_else(|| unexpected(word, Expected::Move))
    }

    /// The one choice of a word.
    pub(super) fn parse_one(word: &str, awaited: Expected) -> Result<Self, ParseUkiError> {
        match Self::parse_all(word).as_deref() {
            Ok([mv]) => Ok(*mv),
            _ => Err(unexpected(word, awaited)),
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

/// A text that fits a line: no control characters, and single blanks, of which none are at its ends. It may be empty.
///
/// ```
/// use kalah_protocols::uki::Remark;
/// assert_eq!(Remark::new(" two\r\n\twords\0").as_str(), "two words");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneLine(String);

impl OneLine {
    /// A text without what does not fit: other blanks and control characters are blanks.
    pub fn new(text: &str) -> Self {
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        let words: Vec<&str> = (text.split(is_blank).filter(|word| !word.is_empty())).collect();
        Self(words.join(" "))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A time in whole milliseconds.
///
/// ```
/// use std::time::Duration;
/// use kalah_protocols::uki::Milliseconds;
/// let time = Milliseconds::from(Duration::from_micros(1_900));
/// assert_eq!(time.get(), 1);
/// assert_eq!(time.duration(), Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milliseconds(u64);

impl Milliseconds {
    /// So many.
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// How many there are.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// The next word: of a clock that has run out, which shows less than nothing, nothing is left.
    pub(super) fn parse(words: &mut Tokens) -> Result<Self, ParseUkiError> {
        let awaited = Expected::Milliseconds;
        let word = words.require(awaited)?;
        let is_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match word.strip_prefix('-') {
            Some(digits) if is_digits(digits) => Ok(Self(0)),
            _ => (parse_unsigned(word).map(Self)).ok_or_else(|| unexpected(word, awaited)),
        }
    }
}

/// Parts of a millisecond are left out.
impl From<Duration> for Milliseconds {
    fn from(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

/// The number alone.
impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
