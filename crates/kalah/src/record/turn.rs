use std::fmt;

use crate::Side;

/// A turn of a line: its number, and whose it is.
///
/// One number counts a turn of South and the turn of North after it; where North is first, its turn
/// is number 1 all the same. Printed as in a record: `3.` is South's, `3...` North's.
///
/// ```
/// use kalah::Side;
/// use kalah::record::Turn;
/// let turn = Turn { number: 3, side: Side::North };
/// assert_eq!(turn.to_string(), "3...");
/// assert_eq!(turn.next().to_string(), "4.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// The number, from 1.
    pub number: u32,
    /// Whose turn it is.
    pub side: Side,
}

impl Turn {
    /// The turn after it, which is the other side's.
    #[must_use]
    pub const fn next(self) -> Self {
        Self {
            number: match self.side {
                Side::South => self.number,
                Side::North => self.number.saturating_add(1),
            },
            side: self.side.opponent(),
        }
    }

    /// How many turns after `first` this one comes, `None` if it comes before.
    pub(super) fn turns_after(self, first: Self) -> Option<usize> {
        let ordinal = |turn: Self| u64::from(turn.number) * 2 + u64::from(turn.side == Side::North);
        let distance = ordinal(self).checked_sub(ordinal(first))?;
        usize::try_from(distance).ok()
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = match self.side {
            Side::South => ".",
            Side::North => "...",
        };
        f.pad(&format!("{}{dots}", self.number))
    }
}
