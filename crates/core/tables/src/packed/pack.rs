//! Packing a table into a file, layer by layer.
//!
//! The part file has the name of the packed table with `.part` appended. Its header has no checksum
//! of its own until the file is complete. A resumed packing keeps the layers whose chunks are
//! intact, from the first one on, if the header is that of the same table.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kalah::Setup;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::build::{
    BuildEvent, BuildFileError, BuildObserver, open_part_file, sync_and_rename,
};
use crate::file::damage::TableDamage;
use crate::file::header::{
    FileKind, HEADER_BYTES, HEADER_CHECKSUM_OFFSET, Header, HeaderError, PACKED_LENGTH_OFFSET,
};
use crate::generate::Generator;
use crate::packed::chunk::{CHUNK_POSITIONS, decompress_chunk, pack_chunk, read_stream};
use crate::packed::{chunk_sizes, chunks_per_step, map_parallel};
use crate::table::{BuildError, BuildProgress, Table, allocate, check_cancelled, run_in_pool};

/// The reason why a table cannot be packed.
#[derive(Debug, Error)]
pub enum PackError {
    /// The packed table cannot be written.
    #[error(transparent)]
    Write(#[from] BuildFileError),
    /// The table is damaged.
    #[error(transparent)]
    Damaged(#[from] TableDamage),
    /// A value contradicts those of the lower layers.
    #[error(
        "the table is wrong: the gain of `{setup}` is {found} in it, but moves that bank or capture \
         seeds imply that it is {prediction} or better"
    )]
    Value {
        /// The position, with empty stores.
        setup: Setup,
        /// The gain in the table.
        found: i16,
        /// The least gain that the lower layers imply.
        prediction: i16,
    },
}

impl From<BuildError> for PackError {
    fn from(error: BuildError) -> Self {
        Self::Write(error.into())
    }
}

impl Table {
    /// Packs the table into the file `path` with `threads` threads, and resumes an earlier packing
    /// into the same file. It reports each step to `observer`, which can cancel the packing.
    /// Returns the length of the file.
    ///
    /// All layers are verified first, as by [`Table::verify_layers`]. The file gets its name `path`
    /// only when it is complete. In addition to the table, the packing needs memory for a byte for
    /// each position of the last layer.
    ///
    /// # Errors
    /// [`PackError`]. After a cancellation, and if the file cannot be written, the layers packed so
    /// far remain in [`Table::part_path`].
    pub fn pack(
        &self,
        path: &Path,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<u64, PackError> {
        let total = Self::positions(self.variant(), self.seeds())?;
        let revision = self.check_unchanged()?;
        let nothing_done = BuildProgress {
            layer: 0,
            done: 0,
            total,
        };
        let verified = self.verify_layers(self.seeds(), &mut || {
            observer(BuildEvent::Computed(nothing_done))
        })?;
        check_cancelled(verified)?;
        let mut file = PackedFile::open(self, path)?;
        let packed = run_in_pool(threads, || {
            file.pack_layers(self, threads, total, observer)?;
            Ok(self.check_unchanged_since(revision)?)
        });
        match packed {
            Ok(()) => file.finish(path),
            Err(error) => {
                if matches!(error, PackError::Damaged(_) | PackError::Value { .. }) {
                    // The layers packed so far may be wrong. The error is more important than that
                    // of removing them, and no reader accepts a file under construction.
                    let _ = fs::remove_file(&file.path);
                }
                Err(error)
            }
        }
    }

    /// Returns the checksums of the layers: those in the header of the file, if there is one.
    fn layer_checksums(&self) -> Vec<u64> {
        let checksum = |layer| self.layer(layer).map_or(0, xxh3_64);
        match self.file() {
            Some(file) => file.checksums().to_vec(),
            None => (0..=self.seeds()).map(checksum).collect(),
        }
    }
}

/// The part file of a packed table.
struct PackedFile {
    path: PathBuf,
    file: File,
    /// Without its own checksum and the length of the file.
    header: [u8; HEADER_BYTES],
    /// The layers that an earlier packing has written.
    kept_layers: u8,
    /// The bytes written.
    bytes: u64,
}

impl PackedFile {
    /// Opens or creates the part file, and keeps its intact layers.
    fn open(table: &Table, path: &Path) -> Result<Self, PackError> {
        let header = Header::new(table.variant(), table.seeds(), table.layer_checksums())
            .map_err(|reason: HeaderError| io::Error::other(reason.to_string()));
        let (path, file) = open_part_file(path)?;
        let mut packed = Self {
            path,
            file,
            header: [0; HEADER_BYTES],
            kept_layers: 0,
            bytes: Header::BYTES,
        };
        let opened = header.and_then(|header| {
            packed.header = header.without_own_checksum(FileKind::Packed);
            packed.keep_layers(table)
        });
        opened.map_err(|reason| packed.cannot_write(reason))?;
        Ok(packed)
    }

    /// Finds the intact layers, and cuts the file off after them.
    fn keep_layers(&mut self, table: &Table) -> io::Result<()> {
        let mut reader = BufReader::new(&self.file);
        reader.seek(SeekFrom::Start(0))?;
        let mut header = Vec::with_capacity(HEADER_BYTES);
        reader
            .by_ref()
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut header)?;
        if header.get(..PACKED_LENGTH_OFFSET) == Some(&self.header[..PACKED_LENGTH_OFFSET]) {
            for layer in 0..=table.seeds() {
                let positions = table.layer(layer).map_or(0, <[u8]>::len);
                let is_intact = chunk_sizes(positions).all(|positions| {
                    let stream = read_stream(&mut reader);
                    stream.is_ok_and(|stream| decompress_chunk(&stream, positions).is_ok())
                });
                if !is_intact {
                    break;
                }
                self.kept_layers = layer + 1;
                self.bytes = reader.stream_position()?;
            }
        }
        self.file.set_len(self.bytes)?;
        (&self.file).seek(SeekFrom::Start(0))?;
        (&self.file).write_all(&self.header)?;
        (&self.file).seek(SeekFrom::Start(self.bytes))?;
        Ok(())
    }

    fn cannot_write(&self, reason: io::Error) -> PackError {
        PackError::Write(BuildFileError::Write {
            path: self.path.clone(),
            reason,
        })
    }

    /// Packs the layers that are not kept.
    fn pack_layers(
        &mut self,
        table: &Table,
        threads: NonZeroUsize,
        total: u64,
        observer: &mut BuildObserver<'_>,
    ) -> Result<(), PackError> {
        let (variant, seeds) = (table.variant(), table.seeds());
        let mut predictions = allocate(Table::layer_positions(variant, seeds)?)?;
        let mut generator = Generator::new(variant, seeds, threads);
        if let Some(layer) = self.kept_layers.checked_sub(1) {
            let done = Table::positions(variant, layer)?;
            let progress = BuildProgress { layer, done, total };
            check_cancelled(observer(BuildEvent::Resumed(progress)))?;
        }
        for layer in self.kept_layers..=seeds {
            let range = table.layout().layer_range(layer.into());
            let (before, len) = (range.start as u64, range.len() as u64);
            let progress = |done| BuildProgress {
                layer,
                done: before + done,
                total,
            };
            let (lower_layers, values) = table.values()[..range.end].split_at(range.start);
            let predictions = &mut predictions[..values.len()];
            let mut report = |done| observer(BuildEvent::Computed(progress(done / 2)));
            let predicted =
                generator.predict_layer(layer.into(), lower_layers, predictions, &mut report);
            check_cancelled(predicted)?;
            let mut report = |done| observer(BuildEvent::Computed(progress(len.midpoint(done))));
            self.write_layer(table, layer, predictions, threads, &mut report)?;
            check_cancelled(observer(BuildEvent::Written(progress(len))))?;
        }
        Ok(())
    }

    /// Writes the chunks of a layer, and reports the number of its values done.
    fn write_layer(
        &mut self,
        table: &Table,
        layer: u8,
        predictions: &[u8],
        threads: NonZeroUsize,
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), PackError> {
        let values = table.layer(layer).unwrap_or_default();
        let step = CHUNK_POSITIONS * chunks_per_step(threads);
        let mut done = 0;
        for (values, predictions) in values.chunks(step).zip(predictions.chunks(step)) {
            let chunks = values
                .chunks(CHUNK_POSITIONS)
                .zip(predictions.chunks(CHUNK_POSITIONS));
            let streams = map_parallel(threads, chunks.collect(), |(values, predictions)| {
                pack_chunk(values, predictions, layer)
            });
            for (start, stream) in (done..).step_by(CHUNK_POSITIONS).zip(streams) {
                let stream = stream.map_err(|index| {
                    wrong_value(
                        table,
                        layer,
                        start + index,
                        predictions[start - done + index],
                    )
                })?;
                self.write_chunk(&stream)
                    .map_err(|reason| self.cannot_write(reason))?;
            }
            done += values.len();
            check_cancelled(observer(done as u64))?;
        }
        Ok(())
    }

    fn write_chunk(&mut self, stream: &[u8]) -> io::Result<()> {
        let len = u32::try_from(stream.len()).map_err(io::Error::other)?;
        self.file.write_all(&len.to_le_bytes())?;
        self.file.write_all(stream)?;
        self.bytes += (size_of_val(&len) + stream.len()) as u64;
        Ok(())
    }

    /// Completes the header and renames the file to `path`. Returns its length.
    fn finish(mut self, path: &Path) -> Result<u64, PackError> {
        let mut header = self.header;
        header[PACKED_LENGTH_OFFSET..HEADER_CHECKSUM_OFFSET]
            .copy_from_slice(&self.bytes.to_le_bytes());
        let checksum = Header::checksum(&header).to_le_bytes();
        header[HEADER_CHECKSUM_OFFSET..].copy_from_slice(&checksum);
        let finished = (self.file.seek(SeekFrom::Start(0)))
            .and_then(|_| self.file.write_all(&header))
            .and_then(|()| sync_and_rename(&self.file, &self.path, path));
        finished.map_err(|reason| self.cannot_write(reason))?;
        Ok(self.bytes)
    }
}

/// Returns the error about the value at `index` of a layer.
fn wrong_value(table: &Table, layer: u8, index: usize, prediction: u8) -> PackError {
    let gain = |value: u8| i16::from(value) - Table::GAIN_OFFSET;
    let value = table
        .layer(layer)
        .and_then(|values| values.get(index).copied());
    let setup = table.setup(layer, index);
    PackError::Value {
        setup: setup.expect("an index of the layer"),
        found: gain(value.unwrap_or_default()),
        prediction: gain(prediction),
    }
}
