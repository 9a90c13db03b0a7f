use std::fmt;

use crate::{BySide, Margin, SeedCount, Side};

/// The stores at the end of a game, everything swept. Printed as `25-23`, South's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Seeds in each store.
    pub stores: BySide<SeedCount>,
}

impl Outcome {
    /// The side with more seeds, `None` for a tie.
    pub fn winner(self) -> Option<Side> {
        Side::ALL
            .into_iter()
            .find(|&side| self.stores[side] > self.stores[side.opponent()])
    }

    /// How many seeds more `side` has than the other.
    pub fn margin(self, side: Side) -> Margin {
        Margin::new(i32::from(self.stores[side]) - i32::from(self.stores[side.opponent()]))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", self.stores.south, self.stores.north))
    }
}
