use std::fmt;

use kalah::Side;
use serde::{Deserialize, Serialize};

/// A side, as JSON has it: `"south"` or `"north"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideWord {
    /// The side at the bottom.
    South,
    /// The side at the top.
    North,
}

impl From<Side> for SideWord {
    fn from(side: Side) -> Self {
        match side {
            Side::South => Self::South,
            Side::North => Self::North,
        }
    }
}

impl From<SideWord> for Side {
    fn from(word: SideWord) -> Self {
        match word {
            SideWord::South => Self::South,
            SideWord::North => Self::North,
        }
    }
}

impl fmt::Display for SideWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Side::from(*self).fmt(f)
    }
}
