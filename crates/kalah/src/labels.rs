use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::side::Side;
use crate::types::House;

/// How houses are named where people see them.
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
    /// CS 32's: both rows numbered from left to right as the board is drawn, North above. South's
    /// column c is its house c, North's column c its house m+1-c.
    #[default]
    Columns,
    /// The letters of this project's texts, in sowing order: `A`.. for South, `a`.. for North.
    Letters,
    /// Yale's: the owner and the distance from its store, `S1` next to South's store.
    Yale,
}

/// Why a text names no house of a side.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HouseLabelError {
    /// It is no label of this kind at all.
    #[error("`{text}` is not a house: {side}'s houses are {first} to {last}")]
    NotALabel {
        /// What was given.
        text: String,
        /// Whose house was wanted.
        side: Side,
        /// One end of that side's row, as [`Labels::ends`] tells it.
        first: String,
        /// The other end.
        last: String,
    },
    /// A label of this kind, but of a house that the board does not have.
    #[error("there is no house `{text}`: {side}'s houses are {first} to {last}")]
    OutOfRange {
        /// What was given.
        text: String,
        /// Whose house was wanted.
        side: Side,
        /// One end of that side's row, as [`Labels::ends`] tells it.
        first: String,
        /// The other end.
        last: String,
    },
    /// The other side's house.
    #[error("`{text}` is a house of {}: {side} is to move", side.opponent())]
    OtherSide {
        /// What was given.
        text: String,
        /// Whose house was wanted.
        side: Side,
    },
}

impl Labels {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Columns, Self::Letters, Self::Yale];

    /// The name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Letters => "letters",
            Self::Yale => "yale",
        }
    }

    /// The label of a house of `owner` on a board of `houses` a side.
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

    /// The labels of the two ends of a side's row, on a board of `houses` a side. Letters are told in
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

    /// The house of `side` that `text` names on a board of `houses` a side.
    ///
    /// As only a house of that side can be meant, letters may be of either case; a Yale label names
    /// its side and must name this one.
    ///
    /// # Errors
    /// Why `text` names no house of that side.
    pub fn parse_house(self, text: &str, side: Side, houses: u8) -> Result<House, HouseLabelError> {
        let not_a_label = || {
            let (first, last) = self.row_ends(side, houses);
            HouseLabelError::NotALabel {
                text: text.to_owned(),
                side,
                first,
                last,
            }
        };
        let out_of_range = || {
            let (first, last) = self.row_ends(side, houses);
            HouseLabelError::OutOfRange {
                text: text.to_owned(),
                side,
                first,
                last,
            }
        };
        // `None`: a number, but one that no board has.
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
                    let text = text.to_owned();
                    return Err(HouseLabelError::OtherSide { text, side });
                }
                distance
            }
        };
        let on_board = counted.filter(|house| house.number() <= houses);
        match (self, side) {
            (Self::Letters, _) | (Self::Columns, Side::South) => on_board,
            // Counted from the store: the house at distance d is the one opposite house d.
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

/// A word that names no [`Labels`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is none of columns, letters, yale")]
pub struct ParseLabelsError(pub String);

impl FromStr for Labels {
    type Err = ParseLabelsError;

    fn from_str(word: &str) -> Result<Self, ParseLabelsError> {
        Self::ALL
            .into_iter()
            .find(|labels| labels.name() == word)
            .ok_or_else(|| ParseLabelsError(word.to_owned()))
    }
}
