//! Table files: opening them, and verifying the values. The submodules hold the header and
//! building.
//!
//! A table is verified by its checksums, and single values by those of the next positions.

pub(crate) mod build;
pub(crate) mod header;

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kalah::{BySide, FirstPlies, Position, Setup, Side};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::file::header::{HEADER_BYTES, Header, HeaderError};
use crate::index::{RowBytes, seeds_in};
use crate::table::{Table, TableSlot};
use crate::values::Values;

/// The reason why a table file cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file does not exist.
    #[error("there is no file '{}'", .0.display())]
    NotFound(PathBuf),
    /// The file cannot be opened or read.
    #[error("cannot read '{}': {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The header is not that of a table that this program can read.
    #[error("'{}': {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: HeaderError,
    },
    /// The length of the file contradicts its header.
    #[error(
        "'{}' is {}: {has} bytes, but the header requires {needs}",
        path.display(),
        describe_length(*has, *needs)
    )]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// The length in bytes.
        has: u64,
        /// The length in bytes according to the header.
        needs: u64,
    },
    /// The file is larger than the address space.
    #[error("'{}' is too large for this machine: {bytes} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The length in bytes.
        bytes: u64,
    },
    /// Another program holds a write lock on the file.
    #[error("'{}' is being written by another program", .0.display())]
    Locked(PathBuf),
}

fn describe_length(has: u64, needs: u64) -> &'static str {
    if has < needs { "truncated" } else { "too long" }
}

impl Header {
    /// Reads the header of a table file and compares the length of the file with it.
    ///
    /// # Errors
    /// [`OpenError`], except [`OpenError::TooLarge`] and [`OpenError::Locked`].
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        Ok(open_checked(path)?.1)
    }
}

impl Table {
    /// Opens a table file by mapping it into memory. Only the parts that are probed are read.
    ///
    /// This function checks the header; [`Table::verify_checksums`] checks the values. Damaged
    /// values make probes return wrong gains and have no other effect. The table holds a shared
    /// lock on the file where the system supports such locks.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (file, header) = open_checked(path)?;
        let bytes = header.file_size();
        let cannot_read = |reason| OpenError::Read {
            path: path.to_owned(),
            reason,
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            // Some file systems have no locks. There the file name has to suffice: a file under
            // construction has another one.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let len = usize::try_from(bytes).map_err(|_| OpenError::TooLarge {
            path: path.to_owned(),
            bytes,
        })?;
        let values = Values::open(file, HEADER_BYTES, len).map_err(cannot_read)?;
        let checksums = header.checksums().to_vec();
        Ok(Self::from_file(
            header.variant(),
            header.seeds(),
            values,
            checksums,
        ))
    }
}

/// Opens a file and checks its header and length.
fn open_checked(path: &Path) -> Result<(File, Header), OpenError> {
    let cannot_read = |reason: io::Error| match reason.kind() {
        io::ErrorKind::NotFound => OpenError::NotFound(path.to_owned()),
        _ => OpenError::Read {
            path: path.to_owned(),
            reason,
        },
    };
    // Opening a named pipe would block until its other end is opened.
    let metadata = std::fs::metadata(path).map_err(cannot_read)?;
    if !metadata.is_file() {
        return Err(cannot_read(io::Error::other("it is not a regular file")));
    }
    let file = File::open(path).map_err(cannot_read)?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    (&file)
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    let header = Header::from_bytes(&bytes).map_err(|reason| OpenError::Header {
        path: path.to_owned(),
        reason,
    })?;
    let has = file.metadata().map_err(cannot_read)?.len();
    let needs = header.file_size();
    if has == needs {
        Ok((file, header))
    } else {
        Err(OpenError::WrongLength {
            path: path.to_owned(),
            has,
            needs,
        })
    }
}

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
    /// The observer has stopped the verification.
    #[error("the verification was stopped")]
    Stopped,
}

/// The number of values between two calls of the observer of a verification, which takes some
/// milliseconds.
const VERIFY_CHUNK: usize = 16 << 20;

impl Table {
    /// Compares the values of each layer with its checksum. A table that is not in a file has no
    /// checksums and passes.
    ///
    /// `observer` receives the number of values read so far several times a second, and stops the
    /// verification with `ControlFlow::Break`.
    ///
    /// # Errors
    /// [`VerifyError::Checksum`] for the first damaged layer, and [`VerifyError::Stopped`].
    pub fn verify_checksums(
        &self,
        observer: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), VerifyError> {
        let mut rest = self.values();
        let mut done = 0;
        for (layer, &written) in (0..).zip(self.checksums().unwrap_or_default()) {
            let (values, after) = rest.split_at(self.layout().layer_range(layer.into()).len());
            rest = after;
            let mut hasher = Xxh3::new();
            for chunk in values.chunks(VERIFY_CHUNK) {
                hasher.update(chunk);
                done += chunk.len() as u64;
                if observer(done).is_break() {
                    return Err(VerifyError::Stopped);
                }
            }
            let found = hasher.digest();
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
