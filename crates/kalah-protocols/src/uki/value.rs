//! The values on a line of the engine protocol: moves, one-line texts and times.

use std::fmt;
use std::time::Duration;

use kalah::{House, Move, Side};

/// A move as the protocol writes it: `swap`, or the letter of the house that is sown. The letter
/// names the side, too: upper case for South, lower case for North.
///
/// ```
/// use kalah::{House, Move, Side};
/// use kalah_protocols::uki::UkiMove;
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
    pub(super) fn parse_all(word: &str) -> Option<Vec<Self>> {
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
    pub(super) fn parse_one(word: &str) -> Option<Self> {
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
/// use kalah_protocols::uki::OneLine;
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
/// use kalah_protocols::uki::Milliseconds;
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
