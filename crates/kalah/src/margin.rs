use std::fmt;
use std::ops::Neg;

/// The own store minus the other store at the end of the game, for the side it is told of.
///
/// Printed with its sign: `+8`, `-3`, `0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Margin(i32);

/// The margin still to be made from the houses alone, stores left out, for the side it is told of.
///
/// The gain of a position does not depend on its stores, except while a swap may still be chosen,
/// which moves them; [`Position::margin`](crate::Position::margin) adds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gain(i32);

impl Margin {
    /// A tie.
    pub const ZERO: Self = Self(0);

    /// A margin of that many seeds.
    pub const fn new(seeds: i32) -> Self {
        Self(seeds)
    }

    /// The margin in seeds.
    pub const fn seeds(self) -> i32 {
        self.0
    }
}

impl Gain {
    /// Nothing to be made.
    pub const ZERO: Self = Self(0);

    /// A gain of that many seeds.
    pub const fn new(seeds: i32) -> Self {
        Self(seeds)
    }

    /// The gain in seeds.
    pub const fn seeds(self) -> i32 {
        self.0
    }
}

/// The same margin, told of the other side.
impl Neg for Margin {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

/// The same gain, told of the other side.
impl Neg for Gain {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_signed(self.0))
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_signed(self.0))
    }
}

fn format_signed(seeds: i32) -> String {
    if seeds == 0 {
        "0".to_owned()
    } else {
        format!("{seeds:+}")
    }
}
