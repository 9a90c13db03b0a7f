//! Adjudication: games end in positions with few seeds, by the proven margin.

use std::ops::ControlFlow;
use std::str::FromStr;

use kalah::{FirstPlies, Margin, Position, SeedCount, Side, Variant};
use kalah_players::{Shutdown, available_threads};
use kalah_tables::Table;

use crate::run::error::{ConfigError, ParseArenaOptionError};

/// The positions whose games are adjudicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// The maximum number of seeds in the houses.
    pub max_seeds: u8,
}

/// The divisor of all seeds that gives the default of [`Adjudication::max_seeds`].
const DEFAULT_SEEDS_DIVISOR: u16 = 4;

/// The maximum default of [`Adjudication::max_seeds`]: the table is built within a moment.
const MAX_DEFAULT_SEEDS: u16 = 12;

/// The maximum number of positions in the table, which takes a byte for each.
const MAX_TABLE_POSITIONS: u64 = 1 << 28;

impl Adjudication {
    /// The maximum of [`Adjudication::max_seeds`] on a command line. A table with more seeds takes
    /// long to build.
    pub const MAX_SEEDS: u8 = 20;

    /// Returns the default for games with this number of seeds: positions with at most a quarter of
    /// them, and at most 12. The smallest games have none.
    pub fn default_for(seeds: SeedCount) -> Option<Self> {
        let seeds = (seeds.get() / DEFAULT_SEEDS_DIVISOR).min(MAX_DEFAULT_SEEDS);
        let max_seeds = u8::try_from(seeds).ok().filter(|&seeds| seeds > 0)?;
        Some(Self { max_seeds })
    }

    /// Checks that a table can adjudicate all these positions in games that begin at `start`.
    ///
    /// # Errors
    /// If the board has too many houses for a table, or the table would be too large.
    pub(in crate::run) fn check_board(self, start: &Position) -> Result<(), ConfigError> {
        let houses = start.houses();
        match self.max_table_seeds(start) {
            None => Err(ConfigError::AdjudicationHouses {
                houses,
                max: Table::MAX_HOUSES,
            }),
            Some(max) if max < self.max_seeds => Err(ConfigError::AdjudicationSeeds {
                seeds: self.max_seeds,
                houses,
                max,
            }),
            Some(_) => Ok(()),
        }
    }

    /// Returns the seeds of the largest table with at most [`MAX_TABLE_POSITIONS`] and
    /// [`Adjudication::max_seeds`]; `None` if there is no table for the board.
    fn max_table_seeds(self, start: &Position) -> Option<u8> {
        let variant = Variant::from_position(start);
        (1..=self.max_seeds).rev().find(|&seeds| {
            Table::positions(variant, seeds).is_ok_and(|positions| positions <= MAX_TABLE_POSITIONS)
        })
    }
}

/// Parses `seeds=N`, N from 1 to [`Adjudication::MAX_SEEDS`].
impl FromStr for Adjudication {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let digits = text.strip_prefix("seeds=");
        let seeds = digits.and_then(|digits| digits.parse().ok());
        match seeds.filter(|seeds| (1..=Self::MAX_SEEDS).contains(seeds)) {
            Some(max_seeds) => Ok(Self { max_seeds }),
            None => Err(ParseArenaOptionError::InvalidSeeds {
                text: text.to_owned(),
                max: Self::MAX_SEEDS,
            }),
        }
    }
}

/// The endgame table that adjudicates the games of a tournament.
pub(super) struct Adjudicator {
    /// `None` if games are played to their end, or if the board is too large for a table.
    table: Option<Table>,
}

impl Adjudicator {
    /// Builds the table, unless a shutdown is requested meanwhile.
    pub(super) fn new(
        adjudication: Option<Adjudication>,
        start: &Position,
        shutdown: &Shutdown,
    ) -> Self {
        let variant = Variant::from_position(start);
        let seeds = adjudication.and_then(|adjudication| adjudication.max_table_seeds(start));
        let table = seeds.and_then(|seeds| {
            Table::build(variant, seeds, available_threads(), &mut |_| {
                if shutdown.is_requested() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .ok()
        });
        Self { table }
    }

    /// Returns the margin of South's row under perfect play, if the table has it.
    pub(super) fn proven_margin(&self, position: &Position) -> Option<Margin> {
        // In its first plies a game can have moves that the table does not know.
        if position.first_plies() != FirstPlies::Later || position.is_over() {
            return None;
        }
        // A table in memory has no damage.
        let gain = self.table.as_ref()?.probe(position).ok().flatten()?;
        let margin = position.margin(gain);
        Some(match position.to_move() {
            Side::South => margin,
            Side::North => -margin,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_a_quarter_of_the_seeds_up_to_a_maximum() {
        for (seeds, expected) in [(48, Some(12)), (98, Some(12)), (24, Some(6)), (3, None)] {
            let default = Adjudication::default_for(SeedCount::new(seeds).expect("few"));
            assert_eq!(default.map(|default| default.max_seeds), expected);
        }
    }

    #[test]
    fn text_has_a_number_of_seeds_in_range() {
        assert_eq!("seeds=12".parse(), Ok(Adjudication { max_seeds: 12 }));
        for text in ["", "12", "seeds=", "seeds=0", "seeds=21", "seeds=999"] {
            assert!(text.parse::<Adjudication>().is_err(), "{text}");
        }
    }
}
