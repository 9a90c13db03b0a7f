//! The variant of the game on which the value of the houses depends.

use crate::position::Position;
use crate::rules::{FirstPlyRules, HouseRules, Rules};

/// The houses a side and the [`HouseRules`]: the value of the houses after the first plies depends
/// on the seeds in them and on this variant alone, and endgame tables and hash tables belong to
/// one.
///
/// ```
/// use kalah::{Rules, Variant};
/// // A variant leaves out the rules on swaps and on the first sowing.
/// assert_eq!(Variant::new(6, Rules::MANKALAH), Variant::new(6, Rules::STANDARD));
/// assert_ne!(Variant::new(6, Rules::CS32), Variant::new(6, Rules::STANDARD));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    houses: u8,
    house_rules: HouseRules,
}

impl Variant {
    /// Returns the variant of boards with `houses` houses a side under `rules`.
    pub fn new(houses: u8, rules: Rules) -> Self {
        let Rules {
            house_rules,
            // They hold for the first plies only, and a variant is about the plies after them.
            first_ply_rules:
                FirstPlyRules {
                    swap: _,
                    first_bonus: _,
                },
        } = rules;
        Self {
            houses,
            house_rules,
        }
    }

    /// Returns the variant of a position.
    pub fn from_position(position: &Position) -> Self {
        Self::new(position.houses(), position.rules())
    }

    /// Returns the number of houses a side.
    pub fn houses(self) -> u8 {
        self.houses
    }

    /// Returns the rules on which the value of the houses depends.
    pub fn house_rules(self) -> HouseRules {
        self.house_rules
    }

    /// Returns the rules of this variant, without a special rule for the first plies.
    pub fn rules(self) -> Rules {
        Rules {
            house_rules: self.house_rules,
            first_ply_rules: FirstPlyRules::NONE,
        }
    }
}
