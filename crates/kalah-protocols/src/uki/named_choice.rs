use std::fmt;

use kalah::{House, Move, Side};

use super::words::unexpected;
use super::{Expected, ParseUkiError};

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
