//! Yale's board structure: the pits of a board and their neighbours, without seeds.

use std::fmt;
use std::iter;
use std::num::NonZeroU32;
use std::str::FromStr;

use thiserror::Error;

use crate::message_text::Quoted;
use crate::side::Side;

/// The pits of a board and their arrangement, without seeds: Yale's board structure.
///
/// Pits are numbered by their distance from their owner's store, which is number 0. That is the
/// reverse of [`House`](crate::House) numbers: distance d is house m+1-d of m. A frame stores only
/// the number of houses, so that a frame of any size costs the same.
///
/// ```
/// use kalah::{BoardFrame, Side};
/// let frame = BoardFrame::new(6).expect("one house or more");
/// let pit = frame.pit(Side::North, 3).expect("one of six");
/// assert_eq!(pit.next().label().to_string(), "N2");
/// assert_eq!(pit.to_string(), "North 3, label N3, next N2, opposite S4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardFrame {
    houses: NonZeroU32,
}

/// A pit of a [`BoardFrame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PitFrame {
    frame: BoardFrame,
    label: PitLabel,
}

/// The label of a pit: `N3` is North's house at distance 3 from North's store, which is `N0`.
///
/// ```
/// use kalah::{BoardFrame, PitLabel};
/// let frame = BoardFrame::new(6).expect("one house or more");
/// let label: PitLabel = "S4".parse()?;
/// let opposite = frame.pit_by_label(label).and_then(|pit| pit.opposite());
/// assert_eq!(opposite, frame.pit_by_label("N3".parse()?));
/// assert_eq!(frame.pit_by_label("S7".parse()?), None);
/// # Ok::<(), kalah::ParsePitLabelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PitLabel {
    /// The owner of the pit.
    pub owner: Side,
    /// The distance from the owner's store, 0 for the store itself.
    pub number: u32,
}

/// A text that is not a [`PitLabel`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid label {0}: expected N or S and a number up to 4294967295, such as N3 or S0")]
pub struct ParsePitLabelError(pub Quoted);

impl BoardFrame {
    /// Creates the frame of a board of `houses` a side; `None` for 0.
    pub fn new(houses: u32) -> Option<Self> {
        NonZeroU32::new(houses).map(|houses| Self { houses })
    }

    /// Returns the number of houses a side, stores not counted.
    pub const fn houses(self) -> u32 {
        self.houses.get()
    }

    /// Returns the pit of `owner` at distance `number` from the store; `None` beyond the last
    /// house.
    pub fn pit(self, owner: Side, number: u32) -> Option<PitFrame> {
        (number <= self.houses()).then_some(PitFrame {
            frame: self,
            label: PitLabel { owner, number },
        })
    }

    /// Returns the pit with this label, `None` where the board does not have it.
    pub fn pit_by_label(self, label: PitLabel) -> Option<PitFrame> {
        self.pit(label.owner, label.number)
    }

    /// Returns all pits, counterclockwise from South's farthest house to North's store.
    pub fn pits(self) -> impl Iterator<Item = PitFrame> {
        (self.pit(Side::South, self.houses()).into_iter()).flat_map(PitFrame::around)
    }
}

impl PitFrame {
    /// Returns the owner of the pit.
    pub const fn owner(self) -> Side {
        self.label.owner
    }

    /// Returns the distance from the owner's store, 0 for the store itself.
    pub const fn number(self) -> u32 {
        self.label.number
    }

    /// Returns the label.
    pub const fn label(self) -> PitLabel {
        self.label
    }

    /// Returns whether the pit is a store.
    pub const fn is_store(self) -> bool {
        self.number() == 0
    }

    /// Returns the next pit counterclockwise: after a house the one nearer to the store, after a
    /// store the other side's house farthest from its own store.
    #[must_use]
    pub const fn next(self) -> Self {
        let label = match self.number().checked_sub(1) {
            Some(number) => PitLabel {
                owner: self.owner(),
                number,
            },
            None => PitLabel {
                owner: self.owner().opponent(),
                number: self.frame.houses(),
            },
        };
        Self { label, ..self }
    }

    /// Returns the other side's house across the board; a store has none.
    #[must_use]
    pub fn opposite(self) -> Option<Self> {
        let farther = self.number().checked_sub(1)?;
        let number = self.frame.houses() - farther;
        self.frame.pit(self.owner().opponent(), number)
    }

    /// Returns every pit once, counterclockwise from this one.
    pub fn around(self) -> impl Iterator<Item = Self> {
        iter::successors(Some(self), move |pit| {
            let next = pit.next();
            (next != self).then_some(next)
        })
    }
}

/// `N3`, `S0`.
impl fmt::Display for PitLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", letter(self.owner), self.number))
    }
}

/// `N` or `S`, then digits.
impl FromStr for PitLabel {
    type Err = ParsePitLabelError;

    fn from_str(text: &str) -> Result<Self, ParsePitLabelError> {
        let parse = || {
            let (owner, number) = Side::ALL
                .into_iter()
                .find_map(|owner| Some((owner, text.strip_prefix(letter(owner))?)))?;
            // `u32::from_str` accepts a plus sign, which a label may not have.
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let number = number.parse().ok().filter(|_| digits)?;
            Some(Self { owner, number })
        };
        parse().ok_or_else(|| ParsePitLabelError(Quoted::new(text)))
    }
}

const fn letter(owner: Side) -> char {
    match owner {
        Side::South => 'S',
        Side::North => 'N',
    }
}

/// Owner, number, label, and the labels of the next and the opposite pit, on one line.
impl fmt::Display for PitFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (owner, number, label) = (self.owner(), self.number(), self.label());
        write!(
            f,
            "{owner} {number}, label {label}, next {}",
            self.next().label()
        )?;
        match self.opposite() {
            Some(opposite) => write!(f, ", opposite {}", opposite.label()),
            None => f.write_str(", no opposite"),
        }
    }
}

/// The labels as the pits are arranged, North's row above South's: three lines in columns of equal
/// width, without a line feed after the last.
impl fmt::Display for BoardFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The number of spaces after the longest label.
        const GAP: usize = 3;

        let houses = self.houses();
        let label = |owner, number| PitLabel { owner, number };
        let width = label(Side::North, houses).to_string().len() + GAP;
        write!(f, "{:width$}", "")?;
        for number in 1..houses {
            write!(f, "{:width$}", label(Side::North, number))?;
        }
        writeln!(f, "{}", label(Side::North, houses))?;
        write!(f, "{:width$}", label(Side::North, 0))?;
        for _ in 0..houses {
            write!(f, "{:width$}", "")?;
        }
        writeln!(f, "{}", label(Side::South, 0))?;
        write!(f, "{:width$}", "")?;
        for number in (2..=houses).rev() {
            write!(f, "{:width$}", label(Side::South, number))?;
        }
        write!(f, "{}", label(Side::South, 1))
    }
}
