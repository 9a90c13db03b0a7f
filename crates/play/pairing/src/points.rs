//! Points and tie-breaks as exact numbers.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Serialize, Serializer};

/// A number of points, or of a tie-break, in quarters.
///
/// A game brings 0, 1/2 or 1 point, and a Sonneborn-Berger score a half of half points.
///
/// ```
/// use kalah_pairing::Points;
/// let points = Points::from_halves(7);
/// assert_eq!(points.to_string(), "3.5");
/// assert_eq!(points.as_f64(), 3.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points {
    quarters: u32,
}

impl Points {
    /// No points.
    pub const ZERO: Self = Self { quarters: 0 };

    /// The quarters of a point.
    const QUARTERS: u32 = 4;

    /// Creates a number of half points.
    pub const fn from_halves(halves: u32) -> Self {
        Self {
            quarters: halves.saturating_mul(2),
        }
    }

    /// Returns the number of whole half points.
    pub const fn halves(self) -> u32 {
        self.quarters / 2
    }

    /// Returns these points for each win, and half of them for each tie. `halves` is the score of
    /// the games in half points.
    ///
    /// These points must be a number of halves, so that the result is a number of quarters.
    #[must_use]
    pub(crate) const fn times_halves(self, halves: u32) -> Self {
        Self {
            quarters: self.halves().saturating_mul(halves),
        }
    }

    /// Returns these points for each of `games` games.
    #[must_use]
    pub(crate) const fn times(self, games: u32) -> Self {
        Self {
            quarters: self.quarters.saturating_mul(games),
        }
    }

    /// Returns the number.
    pub fn as_f64(self) -> f64 {
        f64::from(self.quarters) / f64::from(Self::QUARTERS)
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            quarters: self.quarters.saturating_add(other.quarters),
        }
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

/// `3`, `3.5` or `3.25`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_f64().to_string())
    }
}

/// A number such as 3.5.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}
