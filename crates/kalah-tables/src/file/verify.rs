use kalah::{BySide, FirstPlies, Position, Setup, Side};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{RowBytes, seeds_in};
use crate::table::{Table, TableSlot};

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The values of a layer have another checksum than its header says.
    #[error(
        "the positions with {layer} seeds are damaged: their checksum is {found:016x}, and not {written:016x}"
    )]
    Checksum {
        /// Seeds in the houses.
        layer: u8,
        /// The checksum of the values that are there.
        found: u64,
        /// The checksum that is written in the file.
        written: u64,
    },
    /// A value is not what follows from the values of the next positions.
    #[error("the gain of `{setup}` is {found} in the table, and {derived} by what follows it")]
    Value {
        /// The position; its stores are empty.
        setup: Setup,
        /// The gain in the table.
        found: i32,
        /// The gain by the rules, the game's end or the gains of the next positions.
        derived: i32,
    },
}

impl Table {
    /// Compares the values of each layer with its checksum, if the table is in a file.
    ///
    /// # Errors
    /// [`VerifyError::Checksum`] for the first layer that is damaged.
    pub fn verify_checksums(&self) -> Result<(), VerifyError> {
        let mut rest = self.values();
        for (layer, &written) in (0..).zip(self.checksums().unwrap_or_default()) {
            let (values, after) = rest.split_at(self.layout().layer_range(layer.into()).len());
            rest = after;
            let found = xxh3_64(values);
            if found != written {
                return Err(VerifyError::Checksum {
                    layer,
                    found,
                    written,
                });
            }
        }
        Ok(())
    }

    /// Derives some entries anew from those that they rest on, by the rules of the game: which ones,
    /// `seed` determines.
    ///
    /// # Errors
    /// [`VerifyError::Value`] for the first that is another in the table.
    pub fn verify_entries(&self, entries: u64, seed: u64) -> Result<(), VerifyError> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let positions = self.values().len();
        (0..entries).try_for_each(|_| self.verify_entry(random.random_range(0..positions)))
    }

    fn verify_entry(&self, slot: usize) -> Result<(), VerifyError> {
        let Some(rows) = self.layout().rows_at(slot) else {
            return Ok(());
        };
        let index = self.layout().row_index();
        let [south, north] =
            rows.map(|(seeds, rank)| unpack_row(index.unrank(seeds, rank), index.houses()));
        let setup = Setup {
            stores: BySide { south: 0, north: 0 },
            rows: BySide { south, north },
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        };
        // A position of a table has few houses and seeds, so there is nothing that could be wrong with it.
        let Ok(position) = setup.position(self.variant().rules()) else {
            return Ok(());
        };
        let found = self.gain(TableSlot::new(slot)).into();
        let derived = self.derive_margin(&position);
        if found == derived {
            Ok(())
        } else {
            Err(VerifyError::Value {
                setup,
                found,
                derived,
            })
        }
    }

    /// The margin of a position with empty stores, by what the sweep brings or by the best that follows.
    fn derive_margin(&self, position: &Position) -> i32 {
        let side = position.to_move();
        let after = position.legal_houses().filter_map(|house| {
            let mut next = position.clone();
            next.sow(house).ok()?;
            let margin = next.margin(self.probe(&next)?).seeds();
            Some(if next.to_move() == side {
                margin
            } else {
                -margin
            })
        });
        after.max().unwrap_or(position.lead().seeds())
    }
}

/// Seeds of each house of a row, from house 1 on.
fn unpack_row(row: RowBytes, houses: usize) -> Vec<u64> {
    let bytes = (0..houses).rev();
    bytes.map(|byte| seeds_in(row, byte) as u64).collect()
}
