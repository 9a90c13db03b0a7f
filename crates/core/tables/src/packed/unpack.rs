//! Unpacking a packed table into a table file, layer by layer: the predictions, with the gains that
//! differ in their places.

use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::build::{BuildFileError, BuildObserver, LayerSource, TableTarget};
use crate::file::header::Header;
use crate::generate::Generator;
use crate::packed::chunk::{CHUNK_POSITIONS, PackedFault, read_length, read_stream, unpack_chunk};
use crate::packed::{PackedTable, chunk_sizes, chunks_per_step, map_parallel};
use crate::table::{BuildError, BuildMemory, Table};

/// The reason why a packed table cannot be unpacked.
#[derive(Debug, Error)]
pub enum UnpackError {
    /// The table cannot be written.
    #[error(transparent)]
    Write(#[from] BuildFileError),
    /// The packed table is damaged, or cannot be read.
    #[error("'{}' {}", path.display(), describe_fault(*layer, fault))]
    Damaged {
        /// The packed file.
        path: PathBuf,
        /// The seeds in the houses.
        layer: u8,
        /// The fault.
        fault: PackedFault,
    },
}

fn describe_fault(layer: u8, fault: &PackedFault) -> String {
    match fault {
        PackedFault::Read(reason) => {
            format!("cannot be read in the positions with {layer} seeds: {reason}")
        }
        fault => {
            format!("is damaged in the positions with {layer} seeds: {fault}; get the file again")
        }
    }
}

impl From<BuildError> for UnpackError {
    fn from(error: BuildError) -> Self {
        Self::Write(error.into())
    }
}

impl PackedTable {
    /// Writes the table to the file `path` with `threads` threads, and resumes an earlier build or
    /// unpacking of the same file, as [`Table::build_file`] does. Each layer is compared with its
    /// checksum before it is written.
    ///
    /// # Errors
    /// [`UnpackError`]. The layers written so far remain in [`Table::part_path`].
    pub fn unpack(
        &self,
        path: &Path,
        memory: BuildMemory,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Table, UnpackError> {
        let mut reader = BufReader::new(&self.file);
        let fault = |fault: PackedFault| self.damage(0, fault);
        (reader.seek(SeekFrom::Start(Header::BYTES))).map_err(|error| fault(error.into()))?;
        let target = TableTarget {
            path,
            variant: self.header.variant(),
            seeds: self.header.seeds(),
            memory,
        };
        let mut layers = PackedLayers {
            table: self,
            reader,
            threads,
        };
        target.write(&mut layers, threads, observer)
    }

    fn damage(&self, layer: u8, fault: PackedFault) -> UnpackError {
        UnpackError::Damaged {
            path: self.path.clone(),
            layer,
            fault,
        }
    }
}

/// The layers of a packed table.
struct PackedLayers<'a> {
    table: &'a PackedTable,
    /// At the first chunk of the next layer.
    reader: BufReader<&'a File>,
    threads: NonZeroUsize,
}

impl PackedLayers<'_> {
    fn written_checksum(&self, layer: u8) -> Option<u64> {
        let checksums = self.table.header.checksums();
        checksums.get(usize::from(layer)).copied()
    }

    /// Moves the reader to the end of a layer.
    fn skip_layer(&mut self, layer: u8) -> Result<(), UnpackError> {
        let positions = Table::layer_positions(self.table.header.variant(), layer)?;
        let positions = usize::try_from(positions).unwrap_or(usize::MAX);
        for _ in chunk_sizes(positions) {
            let skipped = read_length(&mut self.reader)
                .and_then(|len| Ok(self.reader.seek_relative(len.into())?));
            skipped.map_err(|fault| self.table.damage(layer, fault))?;
        }
        Ok(())
    }

    /// Replaces the predictions of a layer by its values. Reports the number of values done.
    fn replace_predictions(
        &mut self,
        layer: u8,
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PackedFault> {
        let mut done = 0;
        for values in values.chunks_mut(CHUNK_POSITIONS * chunks_per_step(self.threads)) {
            done += values.len() as u64;
            let chunks = values
                .chunks_mut(CHUNK_POSITIONS)
                .map(|values| Ok((read_stream(&mut self.reader)?, values)))
                .collect::<Result<Vec<_>, PackedFault>>()?;
            map_parallel(self.threads, chunks, |(stream, values)| {
                unpack_chunk(&stream, values, layer)
            })
            .into_iter()
            .collect::<Result<(), _>>()?;
            if observer(done).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Compares the checksum of a layer, and after the last one the length of the file.
    fn check_layer(&mut self, layer: u8, values: &[u8]) -> Result<(), PackedFault> {
        let found = xxh3_64(values);
        let written = self.written_checksum(layer).unwrap_or_default();
        if found != written {
            return Err(PackedFault::Checksum { found, written });
        }
        if layer == self.table.header.seeds() {
            let end = self.reader.stream_position()?;
            match self.table.bytes.saturating_sub(end) {
                0 => {}
                trailing => return Err(PackedFault::Trailing(trailing)),
            }
        }
        Ok(())
    }
}

impl LayerSource for PackedLayers<'_> {
    type Error = UnpackError;

    fn accepts(&self, layer: u8, checksum: u64) -> bool {
        self.written_checksum(layer) == Some(checksum)
    }

    fn skip_to(&mut self, layer: u8) -> Result<(), UnpackError> {
        (0..layer).try_for_each(|layer| self.skip_layer(layer))
    }

    fn fill(
        &mut self,
        generator: &mut Generator,
        layer: u8,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, UnpackError> {
        let positions = values.len() as u64;
        let mut report = |done| observer(done / 2);
        let predicted = generator.predict_layer(layer.into(), lower_layers, values, &mut report);
        if predicted.is_break() {
            return Ok(predicted);
        }
        let mut report = |done| observer(positions.midpoint(done));
        let table = self.table;
        let replaced = self
            .replace_predictions(layer, values, &mut report)
            .map_err(|fault| table.damage(layer, fault))?;
        if replaced.is_continue() {
            self.check_layer(layer, values)
                .map_err(|fault| table.damage(layer, fault))?;
        }
        Ok(replaced)
    }
}
