//! The three ways to label houses for people.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::message_text::Quoted;
use crate::side::Side;
use crate::types::House;

/// A way to label houses for people.
///
/// ```
/// use kalah::{House, Labels, Side};
/// let house = House::new(2).expect("from 1 to 26");
/// assert_eq!(Labels::Letters.label(Side::North, house, 6), "b");
/// assert_eq!(Labels::Columns.label(Side::North, house, 6), "5");
/// assert_eq!(Labels::Yale.label(Side::North, house, 6), "N5");
/// assert_eq!(Labels::Columns.parse_house("5", Side::North, 6), Ok(house));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Labels {
    /// Letters as in records, in sowing order: `A`.. for South, `a`.. for North.
    #[default]
    Letters,
    /// CS 32's: both rows numbered from left to right as the board is drawn, North above. South's
    /// column c is its house c; North's column c is its house m+1-c.
    Columns,
    /// Yale's: the owner and the distance from its store; `S1` is next to South's store.
    Yale,
}

/// The reason why a text is not the label of a house of a side.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HouseLabelError {
    /// The text is empty.
    #[error("an empty text is not a house: {side}'s houses are {first} to {last}")]
    Empty {
        /// The side.
        side: Side,
        /// The first end of the side's row, see [`Labels::row_ends`].
        first: String,
        /// The other end.
        last: String,
    },
    /// The text is not a label of this kind.
    #[error("{text} is not a house: {side}'s houses are {first} to {last}")]
    NotALabel {
        /// The text.
        text: Quoted,
        /// The side.
        side: Side,
        /// The first end of the side's row, see [`Labels::row_ends`].
        first: String,
        /// The other end.
        last: String,
    },
    /// The text is a label of this kind, but the board does not have the house.
    #[error("there is no house {text}: {side}'s houses are {first} to {last}")]
    OutOfRange {
        /// The text.
        text: Quoted,
        /// The side.
        side: Side,
        /// The first end of the side's row, see [`Labels::row_ends`].
        first: String,
        /// The other end.
        last: String,
    },
    /// The text is the label of a house of the other side.
    #[error("{text} is a house of {}: {side} is to move", side.opponent())]
    OtherSide {
        /// The text.
        text: Quoted,
        /// The side to move.
        side: Side,
    },
}

impl Labels {
    /// All values, the default first.
    pub const ALL: [Self; 3] = [Self::Letters, Self::Columns, Self::Yale];

    /// Returns the name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Columns => "columns",
            Self::Yale => "yale",
        }
    }

    /// Returns the label of a house of `owner` on a board of `houses` a side.
    ///
    /// # Panics
    /// If the board does not have this house.
    pub fn label(self, owner: Side, house: House, houses: u8) -> String {
        let distance = house
            .distance(houses)
            .expect("only houses of the board have labels");
        match (self, owner) {
            (Self::Letters, _) => house.letter(owner).to_string(),
            (Self::Columns, Side::South) => house.number().to_string(),
            (Self::Columns, Side::North) => distance.to_string(),
            (Self::Yale, Side::South) => format!("S{distance}"),
            (Self::Yale, Side::North) => format!("N{distance}"),
        }
    }

    /// Returns the labels of the two ends of a side's row on a board of `houses` a side: letters in
    /// sowing order, columns from left to right, Yale's labels towards the store.
    ///
    /// ```
    /// use kalah::{Labels, Side};
    /// assert_eq!(Labels::Columns.row_ends(Side::North, 6), ("1".to_owned(), "6".to_owned()));
    /// assert_eq!(Labels::Letters.row_ends(Side::North, 6), ("a".to_owned(), "f".to_owned()));
    /// assert_eq!(Labels::Yale.row_ends(Side::South, 6), ("S6".to_owned(), "S1".to_owned()));
    /// ```
    pub fn row_ends(self, side: Side, houses: u8) -> (String, String) {
        let mut row = House::all(houses).map(|house| self.label(side, house, houses));
        let first = row.next().unwrap_or_default();
        let last = row.next_back().unwrap_or_else(|| first.clone());
        match (self, side) {
            (Self::Columns, Side::North) => (last, first),
            _ => (first, last),
        }
    }

    /// Returns the house of `side` with the label `text` on a board of `houses` a side.
    ///
    /// Letters may be of either case, as only a house of `side` can be meant. A Yale label contains
    /// its side, which must be `side`.
    ///
    /// # Errors
    /// The reason why `text` is not the label of a house of `side`.
    pub fn parse_house(self, text: &str, side: Side, houses: u8) -> Result<House, HouseLabelError> {
        if text.is_empty() {
            let (first, last) = self.row_ends(side, houses);
            return Err(HouseLabelError::Empty { side, first, last });
        }
        let not_a_label = || {
            let (first, last) = self.row_ends(side, houses);
            HouseLabelError::NotALabel {
                text: Quoted::new(text),
                side,
                first,
                last,
            }
        };
        let out_of_range = || {
            let (first, last) = self.row_ends(side, houses);
            HouseLabelError::OutOfRange {
                text: Quoted::new(text),
                side,
                first,
                last,
            }
        };
        // `Some(None)` is a number that is not the number of a house on any board.
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().ok().and_then(House::new))
        };
        let counted = match self {
            Self::Letters => {
                let mut letters = text.chars();
                let (letter, None) = (letters.next(), letters.next()) else {
                    return Err(not_a_label());
                };
                let (_, house) = letter
                    .and_then(House::from_letter)
                    .ok_or_else(not_a_label)?;
                Some(house)
            }
            Self::Columns => number(text).ok_or_else(not_a_label)?,
            Self::Yale => {
                let (owner, digits) = match text.split_at_checked(1) {
                    Some(("S" | "s", digits)) => (Side::South, digits),
                    Some(("N" | "n", digits)) => (Side::North, digits),
                    _ => return Err(not_a_label()),
                };
                let distance = number(digits).ok_or_else(not_a_label)?;
                if owner != side {
                    let text = Quoted::new(text);
                    return Err(HouseLabelError::OtherSide { text, side });
                }
                distance
            }
        };
        let on_board = counted.filter(|house| house.number() <= houses);
        match (self, side) {
            (Self::Letters, _) | (Self::Columns, Side::South) => on_board,
            // The label is the distance d from the store, which is the house opposite house d.
            (Self::Columns, Side::North) | (Self::Yale, _) => {
                on_board.and_then(|house| house.opposite(houses))
            }
        }
        .ok_or_else(out_of_range)
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of [`Labels`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid labels {0}: expected letters, columns or yale")]
pub struct ParseLabelsError(pub Quoted);

impl FromStr for Labels {
    type Err = ParseLabelsError;

    fn from_str(word: &str) -> Result<Self, ParseLabelsError> {
        Self::ALL
            .into_iter()
            .find(|labels| labels.name() == word)
            .ok_or_else(|| ParseLabelsError(Quoted::new(word)))
    }
}
