//! Building a table into a file, so that an interrupted build can be resumed.
//!
//! The part file has the name of the table with `.part` appended and the layout of the finished
//! table. For each layer, the build
//!
//! 1. writes the values,
//! 2. syncs the file, in the background while it computes the next layer,
//! 3. then writes the checksum of the layer into the header.
//!
//! A build that has memory for one layer only reads the lower ones through a map of the part file.
//!
//! A resumed build keeps all layers up to the first one whose checksum does not match, whatever
//! else the file holds. At the end the build writes the checksum of the header, syncs the file,
//! renames it to the name of the table and syncs its directory. Until then the file is not a table:
//! a header without its own checksum is rejected as unfinished. A lock on the file excludes other
//! builds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use kalah::Variant;
use kalah_files::{LockFileError, sync_parent_folder};

use crate::file::header::{
    CHECKSUM_BYTES, CHECKSUMS_OFFSET, FileKind, HEADER_BYTES, HEADER_CHECKSUM_OFFSET, Header,
    checksum_offsets,
};
use crate::file::{ChecksumPolicy, OpenError};
use crate::generate::Generator;
use crate::table::{
    BuildError, BuildMemory, BuildProgress, Table, allocate, check_cancelled, run_in_pool,
};
use crate::values::{Buffer, Values};

/// The reason why a table cannot be built into a file.
#[derive(Debug, Error)]
pub enum BuildFileError {
    /// The table itself cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A file of that name exists.
    #[error("'{}' already exists", .0.display())]
    Exists(PathBuf),
    /// Another build of the same file is running.
    #[error("'{}' is being built by another program", .0.display())]
    Locked(PathBuf),
    /// The file cannot be written, or not be read in order to resume.
    #[error("cannot write '{}': {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The complete file cannot be opened.
    #[error(transparent)]
    Open(OpenError),
}

/// A step in building a table into a file that has just been completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// The layers up to this one were found in the part file of an earlier build.
    Resumed(BuildProgress),
    /// More positions were computed.
    Computed(BuildProgress),
    /// The layer was written, and is synced to disk while the next one is computed.
    Writing(BuildProgress),
    /// The layer was synced to disk and its checksum written: a resumed build keeps it.
    Written(BuildProgress),
}

/// A callback that receives each step and decides whether the build continues.
pub(crate) type BuildObserver<'a> = dyn FnMut(BuildEvent) -> ControlFlow<()> + Send + 'a;

/// The part file of a table under construction.
struct PartFile {
    variant: Variant,
    seeds: u8,
    path: PathBuf,
    file: Arc<File>,
    header: [u8; HEADER_BYTES],
    /// The last layer, until its checksum is written.
    pending: Option<PendingSync>,
}

/// A layer that is being synced to disk.
struct PendingSync {
    progress: BuildProgress,
    checksum: u64,
    sync: JoinHandle<io::Result<()>>,
}

impl Table {
    /// Returns the path of the part file for a table that will have the path `path`.
    pub fn part_path(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    /// Computes a table with `threads` threads, in memory and layer by layer into a file, and
    /// resumes an earlier build of the same file. It reports each step to `observer`, which can
    /// cancel the build.
    ///
    /// The file gets its name `path` only when it is complete.
    ///
    /// # Errors
    /// [`BuildFileError`]. The layers written so far remain in [`Table::part_path`].
    pub fn build_file(
        path: &Path,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Self, BuildFileError> {
        let memory = BuildMemory::WholeTable;
        Self::build_file_in(memory, path, variant, seeds, threads, observer)
    }

    /// Computes a table into a file as [`build_file`](Self::build_file) does, in as much memory as
    /// `memory` says. With [`BuildMemory::OneLayer`] the result has its values in the file, as
    /// [`Table::open`] returns it.
    ///
    /// # Errors
    /// [`BuildFileError`].
    pub fn build_file_in(
        memory: BuildMemory,
        path: &Path,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Self, BuildFileError> {
        let target = TableTarget {
            path,
            variant,
            seeds,
            memory,
        };
        target.write(&mut GeneratedLayers, threads, observer)
    }
}

/// The origin of the values of layers.
pub(crate) trait LayerSource: Send {
    type Error: From<BuildError> + From<BuildFileError> + Send;

    /// Returns whether `checksum` can be that of a layer. A layer of a part file is kept only then.
    fn accepts(&self, layer: u8, checksum: u64) -> bool;

    /// Passes over the layers before `layer`, which are kept.
    fn skip_to(&mut self, layer: u8) -> Result<(), Self::Error>;

    /// Sets `values` to those of a layer, and reports the number of its values that are done.
    fn fill(
        &mut self,
        generator: &mut Generator,
        layer: u8,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Self::Error>;
}

/// Computes all values.
struct GeneratedLayers;

impl LayerSource for GeneratedLayers {
    type Error = BuildFileError;

    fn accepts(&self, _: u8, _: u64) -> bool {
        true
    }

    fn skip_to(&mut self, _: u8) -> Result<(), BuildFileError> {
        Ok(())
    }

    fn fill(
        &mut self,
        generator: &mut Generator,
        layer: u8,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BuildFileError> {
        Ok(generator.build_layer(layer.into(), lower_layers, values, observer))
    }
}

/// The values of a table under construction.
enum BuildValues {
    /// All of them.
    WholeTable(Buffer),
    /// Those of the layer in work, and a map of the lower layers in the part file.
    OneLayer {
        layer: Buffer,
        lower_layers: Option<Values>,
    },
}

impl BuildValues {
    fn allocate(variant: Variant, seeds: u8, memory: BuildMemory) -> Result<Self, BuildError> {
        match memory {
            BuildMemory::WholeTable => {
                let positions = Table::positions(variant, seeds)?;
                Ok(Self::WholeTable(allocate(positions)?))
            }
            BuildMemory::OneLayer => Ok(Self::OneLayer {
                layer: allocate(Table::layer_positions(variant, seeds)?)?,
                lower_layers: None,
            }),
        }
    }

    /// Returns the space for the values of a layer.
    fn layer_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        match self {
            Self::WholeTable(values) => &mut values[range],
            Self::OneLayer { layer, .. } => &mut layer[..range.len()],
        }
    }

    /// Returns the values of the layers below a layer, which are in `file`, and the space for its
    /// own.
    fn split(&mut self, file: &File, range: Range<usize>) -> io::Result<(&[u8], &mut [u8])> {
        match self {
            Self::WholeTable(values) => {
                let (lower_layers, values) = values[..range.end].split_at_mut(range.start);
                Ok((lower_layers, values))
            }
            Self::OneLayer {
                layer,
                lower_layers,
            } => {
                let map = Values::open(file, HEADER_BYTES, HEADER_BYTES + range.start)?;
                Ok((
                    lower_layers.insert(map).as_slice(),
                    &mut layer[..range.len()],
                ))
            }
        }
    }
}

/// A table file to write.
#[derive(Clone, Copy)]
pub(crate) struct TableTarget<'a> {
    pub(crate) path: &'a Path,
    pub(crate) variant: Variant,
    pub(crate) seeds: u8,
    pub(crate) memory: BuildMemory,
}

impl TableTarget<'_> {
    /// Writes the layers of `source`, after those that the part file has.
    pub(crate) fn write<S: LayerSource>(
        self,
        source: &mut S,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Table, S::Error> {
        let Self {
            path,
            variant,
            seeds,
            memory,
        } = self;
        let total = Table::positions(variant, seeds)?;
        // Indices of values fit the address space also where the values are in the file.
        usize::try_from(total).map_err(|_| BuildError::OutOfMemory(total))?;
        let mut part = PartFile::open(path, variant, seeds)?;
        let mut values = BuildValues::allocate(variant, seeds, memory)?;
        let kept_layers = part.read_layers(&mut values, source)?;
        run_in_pool(threads, || {
            let mut generator = Generator::new(variant, seeds, threads);
            if let Some(layer) = kept_layers.checked_sub(1) {
                let done = Table::positions(variant, layer)?;
                let progress = BuildProgress { layer, done, total };
                check_cancelled(observer(BuildEvent::Resumed(progress)))?;
            }
            source.skip_to(kept_layers)?;
            let mut layers = kept_layers..=seeds;
            let written = layers.try_for_each(|layer| {
                part.write_next_layer(source, &mut generator, &mut values, layer, observer)
            });
            // Also after an error or a cancellation: the pending layer is worth keeping.
            let synced = part.finish_sync(observer);
            written?;
            check_cancelled(synced?)?;
            part.finish(path)?;
            match values {
                BuildValues::WholeTable(values) => Ok(Table::from_buffer(variant, seeds, values)?),
                BuildValues::OneLayer { .. } => {
                    // A map of the part file keeps the lock of its writer.
                    drop(values);
                    let table = Table::open(path, ChecksumPolicy::Verify);
                    table.map_err(|error| BuildFileError::Open(error).into())
                }
            }
        })
    }
}

/// Returns the indices of the values of a layer.
fn layer_value_range(variant: Variant, layer: u8) -> Result<Range<usize>, BuildError> {
    let index =
        |positions| usize::try_from(positions).map_err(|_| BuildError::OutOfMemory(positions));
    let start = index(Table::positions_before(variant, layer)?)?;
    Ok(start..index(Table::positions(variant, layer)?)?)
}

/// Opens or creates the part file of a file that does not exist, and locks it. Returns its path.
pub(crate) fn open_part_file(path: &Path) -> Result<(PathBuf, File), BuildFileError> {
    let part_path = Table::part_path(path);
    let cannot_write = |reason| BuildFileError::Write {
        path: part_path.clone(),
        reason,
    };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    loop {
        if fs::symlink_metadata(path).is_ok() {
            return Err(BuildFileError::Exists(path.to_owned()));
        }
        let file = options.open(&part_path).map_err(cannot_write)?;
        match kalah_files::try_lock(&file) {
            // Without locks two builds may write the same file, each the same bytes.
            Ok(()) | Err(LockFileError::Unsupported(_)) => {}
            Err(LockFileError::Io(error)) => return Err(cannot_write(error)),
            Err(LockFileError::InUse) => {
                return Err(BuildFileError::Locked(path.to_owned()));
            }
        }
        // Another build may have finished and renamed the file before this one got the lock. Then
        // the locked file is the table, and the loop starts over.
        if kalah_files::has_path(&file, &part_path).map_err(cannot_write)? {
            return Ok((part_path, file));
        }
    }
}

impl PartFile {
    /// Opens or creates the part file and locks it.
    fn open(path: &Path, variant: Variant, seeds: u8) -> Result<Self, BuildFileError> {
        let (path, file) = open_part_file(path)?;
        Ok(Self {
            variant,
            seeds,
            header: FileKind::Table.header_without_checksums(variant, seeds),
            path,
            file: Arc::new(file),
            pending: None,
        })
    }

    fn cannot_write(&self, reason: io::Error) -> BuildFileError {
        BuildFileError::Write {
            path: self.path.clone(),
            reason,
        }
    }

    /// Reads the layers up to the first one that is incomplete or damaged, and truncates the file
    /// after them. Returns their number. Layers of another table, and those that `source` does not
    /// accept, are discarded.
    fn read_layers(
        &mut self,
        values: &mut BuildValues,
        source: &impl LayerSource,
    ) -> Result<u8, BuildFileError> {
        let mut header = [0; HEADER_BYTES];
        let mut layers = 0;
        if self.read_at(0, &mut header)?
            && header[..CHECKSUMS_OFFSET] == self.header[..CHECKSUMS_OFFSET]
        {
            for (layer, offset) in (0..=self.seeds).zip(checksum_offsets()) {
                let range = layer_value_range(self.variant, layer)?;
                let start = (HEADER_BYTES + range.start) as u64;
                let values = values.layer_mut(range);
                if !self.read_at(start, values)? {
                    break;
                }
                let checksum = xxh3_64(values);
                let written = &header[offset..][..CHECKSUM_BYTES];
                if checksum.to_le_bytes() != written || !source.accepts(layer, checksum) {
                    break;
                }
                self.header[offset..][..CHECKSUM_BYTES].copy_from_slice(written);
                layers = layer + 1;
            }
        }
        let end = match layers.checked_sub(1) {
            Some(last) => layer_value_range(self.variant, last)?.end,
            None => 0,
        };
        let truncated = self.file.set_len((HEADER_BYTES + end) as u64);
        truncated.map_err(|reason| self.cannot_write(reason))?;
        self.write_at(0, &self.header)?;
        Ok(layers)
    }

    /// Writes a layer of `source`, which may still be pending afterwards.
    fn write_next_layer<S: LayerSource>(
        &mut self,
        source: &mut S,
        generator: &mut Generator,
        values: &mut BuildValues,
        layer: u8,
        observer: &mut BuildObserver<'_>,
    ) -> Result<(), S::Error> {
        let total = Table::positions(self.variant, self.seeds)?;
        let range = layer_value_range(self.variant, layer)?;
        let before = range.start as u64;
        let (lower_layers, values) = values
            .split(&self.file, range)
            .map_err(|reason| self.cannot_write(reason))?;
        let progress = |values| BuildProgress {
            layer,
            done: before + values,
            total,
        };
        let mut report = |values| observer(BuildEvent::Computed(progress(values)));
        let filled = source.fill(generator, layer, lower_layers, values, &mut report)?;
        check_cancelled(filled)?;
        check_cancelled(self.finish_sync(observer)?)?;
        let progress = progress(values.len() as u64);
        self.write_layer(progress, before, values)?;
        Ok(check_cancelled(observer(BuildEvent::Writing(progress)))?)
    }

    /// Writes a layer and starts to sync it.
    fn write_layer(
        &mut self,
        progress: BuildProgress,
        before: u64,
        values: &[u8],
    ) -> Result<(), BuildFileError> {
        self.write_at(Header::BYTES + before, values)?;
        let checksum = xxh3_64(values);
        let file = Arc::clone(&self.file);
        let sync = thread::Builder::new().spawn(move || file.sync_all());
        let sync = sync.map_err(|reason| self.cannot_write(reason))?;
        self.pending = Some(PendingSync {
            progress,
            checksum,
            sync,
        });
        Ok(())
    }

    /// Waits for the sync of the pending layer, writes its checksum and reports it.
    fn finish_sync(
        &mut self,
        observer: &mut BuildObserver<'_>,
    ) -> Result<ControlFlow<()>, BuildFileError> {
        let Some(pending) = self.pending.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        let panicked = |_| Err(io::Error::other("the file could not be synced"));
        let synced = pending.sync.join().unwrap_or_else(panicked);
        synced.map_err(|reason| self.cannot_write(reason))?;
        if let Some(offset) = checksum_offsets().nth(pending.progress.layer.into()) {
            let checksum = pending.checksum.to_le_bytes();
            self.header[offset..][..checksum.len()].copy_from_slice(&checksum);
            self.write_at(offset as u64, &checksum)?;
        }
        Ok(observer(BuildEvent::Written(pending.progress)))
    }

    /// Completes the header and renames the file to `path`.
    fn finish(self, path: &Path) -> Result<(), BuildFileError> {
        let checksum = Header::checksum(&self.header).to_le_bytes();
        self.write_at(HEADER_CHECKSUM_OFFSET as u64, &checksum)?;
        sync_and_rename(&self.file, &self.path, path).map_err(|reason| self.cannot_write(reason))
    }

    /// Fills `bytes` from the file. Returns `false` if the file is too short.
    fn read_at(&self, start: u64, bytes: &mut [u8]) -> Result<bool, BuildFileError> {
        let mut file = &*self.file;
        let read = file.seek(SeekFrom::Start(start));
        match read.and_then(|_| file.read_exact(bytes)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            Err(reason) => Err(self.cannot_write(reason)),
        }
    }

    fn write_at(&self, start: u64, bytes: &[u8]) -> Result<(), BuildFileError> {
        let mut file = &*self.file;
        let written = file.seek(SeekFrom::Start(start));
        written
            .and_then(|_| file.write_all(bytes))
            .map_err(|reason| self.cannot_write(reason))
    }
}

/// Syncs a complete part file and renames it to `path`.
pub(crate) fn sync_and_rename(file: &File, part_path: &Path, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(part_path, path)?;
    sync_parent_folder(path)
}
