//! Packed tables: a table as the gains that its lower layers do not predict, for transfer and
//! archives. `docs/tables.md` describes the format.
//!
//! The prediction of a gain is the best *exit*, the best move that leads to a lower layer. The
//! generator computes it from these layers in one pass, and four gains in five or more agree with
//! it. The others are compressed in [`chunk`]s.

pub(crate) mod chunk;
pub(crate) mod pack;
pub(crate) mod unpack;

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kalah::Variant;
use rayon::prelude::*;

use crate::file::header::{FileKind, HEADER_BYTES, Header, PACKED_LENGTH_OFFSET, read_u64};
use crate::file::{OpenError, check_length, lock_shared, open_with_header};
use crate::packed::chunk::CHUNK_POSITIONS;
use crate::table::Table;

/// A packed table in a file.
#[derive(Debug)]
pub struct PackedTable {
    path: PathBuf,
    file: File,
    header: Header,
    bytes: u64,
}

impl PackedTable {
    /// The file name extension of packed tables, without the dot.
    pub const FILE_EXTENSION: &str = "packed";

    /// Returns the conventional file name of a packed table of `variant` with at most `seeds`
    /// seeds.
    ///
    /// ```
    /// use kalah::{Rules, Variant};
    /// use kalah_tables::PackedTable;
    /// let variant = Variant::new(6, Rules::CS32);
    /// assert_eq!(PackedTable::file_name(variant, 24), "kalah-6-houses-24-seeds-cs32.packed");
    /// ```
    pub fn file_name(variant: Variant, seeds: u8) -> String {
        let table = PathBuf::from(Table::file_name(variant, seeds));
        let packed = table.with_extension(Self::FILE_EXTENSION);
        packed.to_string_lossy().into_owned()
    }

    /// Opens a packed table, and checks its header and its length. It holds a shared lock on the
    /// file where the system supports such locks.
    ///
    /// # Errors
    /// [`OpenError`], except [`OpenError::Damaged`], [`OpenError::TooLarge`] and
    /// [`OpenError::OutOfMemory`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (file, header, header_bytes) = open_with_header(path, FileKind::Packed)?;
        let header_bytes = header_bytes.first_chunk::<HEADER_BYTES>();
        let bytes = header_bytes.map_or(0, |bytes| read_u64(bytes, PACKED_LENGTH_OFFSET));
        check_length(path, &file, bytes)?;
        lock_shared(path, &file)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            bytes,
        })
    }

    /// Returns the header of the table that is packed.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the length of the packed file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Returns the number of positions in each chunk of a layer of `positions`.
fn chunk_sizes(positions: usize) -> impl Iterator<Item = usize> {
    let starts = (0..positions).step_by(CHUNK_POSITIONS);
    starts.map(move |start| CHUNK_POSITIONS.min(positions - start))
}

/// The chunks that each thread works on between two progress reports.
const CHUNKS_PER_THREAD: usize = 4;

/// Returns the number of chunks between two progress reports.
fn chunks_per_step(threads: NonZeroUsize) -> usize {
    CHUNKS_PER_THREAD.saturating_mul(threads.get())
}

/// Calls `work` with each item, on the threads of the current pool.
fn map_parallel<T: Send, R: Send>(
    threads: NonZeroUsize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    if threads == NonZeroUsize::MIN {
        items.into_iter().map(work).collect()
    } else {
        let items = items.into_par_iter().with_max_len(1);
        items.map(work).collect()
    }
}
