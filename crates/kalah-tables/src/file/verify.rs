//! Verifying a table: its checksums, and single values against those of the next positions.

use kalah::{BySide, FirstPlies, Position, Setup, Side};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{RowBytes, seeds_in};
use crate::table::{Table, TableSlot};

/// A fault in the values of a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The checksum of a layer differs from the one in the header.
    #[error(
        "the positions with {layer} seeds are damaged: \
         checksum {found:016x}, expected {written:016x}"
    )]
    Checksum {
        /// The seeds in the houses.
        layer: u8,
        /// The checksum of the values in the file.
        found: u64,
        /// The checksum stored in the header.
        written: u64,
    },
    /// A value differs from the one that the next positions imply.
    #[error(
        "the gain of `{setup}` is {found} in the table, but its next positions imply {derived}"
    )]
    Value {
        /// The position, with empty stores.
        setup: Setup,
        /// The gain in the table.
        found: i32,
        /// The gain that the sweep or the gains of the next positions imply.
        derived: i32,
    },
}

impl Table {
    /// Compares the values of each layer with its checksum. A table that is not in a file has no
    /// checksums and passes.
    ///
    /// # Errors
    /// [`VerifyError::Checksum`] for the first damaged layer.
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

    /// Derives `entries` values by the rules of the game from the values of the next positions, and
    /// compares them with the table. `seed` determines which values.
    ///
    /// # Errors
    /// [`VerifyError::Value`] for the first value that differs.
    pub fn verify_entries(&self, entries: u64, seed: u64) -> Result<(), VerifyError> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let positions = self.values().len();
        (0..entries).try_for_each(|_| self.verify_entry(random.random_range(0..positions)))
    }

    fn verify_entry(&self, index: usize) -> Result<(), VerifyError> {
        let Some(rows) = self.layout().rows_at(index) else {
            return Ok(());
        };
        let row_index = self.layout().row_index();
        let [south, north] =
            rows.map(|(seeds, rank)| unpack_row(row_index.unrank(seeds, rank), row_index.houses()));
        let setup = Setup {
            stores: BySide { south: 0, north: 0 },
            rows: BySide { south, north },
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        };
        // Every setup of a table is valid: it has few houses and seeds.
        let Ok(position) = setup.position(self.variant().rules()) else {
            return Ok(());
        };
        let found = self.gain(TableSlot::new(index)).into();
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

    /// Returns the margin of a position with empty stores: the best that the next positions allow,
    /// or the result of the sweep at the end of the game.
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

/// Returns the seeds of each house of a row, from house 1 on.
fn unpack_row(row: RowBytes, houses: usize) -> Vec<u64> {
    let bytes = (0..houses).rev();
    bytes.map(|byte| seeds_in(row, byte) as u64).collect()
}
