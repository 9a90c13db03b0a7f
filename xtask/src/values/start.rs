use std::fmt;
use std::ops::RangeInclusive;

use anyhow::bail;
use kalah::{Position, Rules};

/// The start of a game of the table: as many seeds in each of as many houses, and the rules.
///
/// Starts are in the order in which the table has them: by rules, then by houses, then by seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Start {
    rules: usize,
    houses: u8,
    seeds: u8,
}

/// The rule sets of the table.
const RULES: [Rules; 3] = [Rules::CS32, Rules::STANDARD, Rules::EMPTY_CAPTURE];

/// Houses a side, and seeds in each.
pub(crate) const SIZE_RANGE: RangeInclusive<u8> = 1..=6;

/// The board that is out of reach: nobody has published its margin under `standard`.
const EXCLUDED_SIZE: (u8, u8) = (6, 6);

impl Start {
    /// The start with so many houses a side and so many seeds in each.
    ///
    /// # Errors
    /// The table has no such start.
    pub(crate) fn new(rules: Rules, houses: u8, seeds: u8) -> anyhow::Result<Self> {
        let of_table = RULES.iter().position(|&other| other == rules);
        let (Some(rules), true) = (
            of_table,
            SIZE_RANGE.contains(&houses)
                && SIZE_RANGE.contains(&seeds)
                && (houses, seeds) != EXCLUDED_SIZE,
        ) else {
            bail!("{houses}x{seeds} under {rules} is not in the table of values");
        };
        Ok(Self {
            rules,
            houses,
            seeds,
        })
    }

    /// All starts of the table, those that are likely to be proven soonest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for rules in RULES {
            for houses in SIZE_RANGE {
                all.extend(SIZE_RANGE.filter_map(|seeds| Self::new(rules, houses, seeds).ok()));
            }
        }
        all.sort_by_key(|start| start.proof_cost());
        all
    }

    pub(crate) fn rules(self) -> Rules {
        RULES[self.rules]
    }

    pub(crate) fn houses(self) -> u8 {
        self.houses
    }

    pub(crate) fn seeds(self) -> u8 {
        self.seeds
    }

    /// The same as a position.
    pub(crate) fn position(self) -> anyhow::Result<Position> {
        Ok(Position::start(
            self.houses,
            self.seeds.into(),
            self.rules(),
        )?)
    }

    /// What grows with the time that a proof takes, which doubles over and over with the seeds in play, and more
    /// slowly where they lie in fewer houses.
    fn proof_cost(self) -> u32 {
        let (houses, seeds) = (u32::from(self.houses), u32::from(self.seeds));
        houses * houses * seeds
    }
}

/// `6x4 standard`.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} {}", self.houses, self.seeds, self.rules())
    }
}
