//! Building a table into a file, so that an interrupted build can be resumed.
//!
//! The part file has the name of the table with `.part` appended and the layout of the finished
//! table. For each layer, the build
//!
//! 1. writes the values,
//! 2. syncs the file, in the background while it computes the next layer,
//! 3. then writes the checksum of the layer into the header.
//!
//! A resumed build keeps all layers up to the first one whose checksum does not match, whatever
//! else the file holds. At the end the build writes the checksum of the header, syncs the file,
//! renames it to the name of the table and syncs its directory. Until then the file is not a table:
//! a header without its own checksum is rejected as unfinished. A lock on the file excludes other
//! builds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use kalah::Variant;
use kalah_files::{LockFileError, sync_parent_folder};

use crate::file::header::{
    CHECKSUM_BYTES, CHECKSUMS_OFFSET, HEADER_BYTES, HEADER_CHECKSUM_OFFSET, Header,
    checksum_offsets,
};
use crate::generate::Generator;
use crate::table::{BuildError, BuildProgress, Table, allocate, check_cancelled, run_in_pool};

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
type BuildObserver<'a> = dyn FnMut(BuildEvent) -> ControlFlow<()> + Send + 'a;

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
        let total = Self::positions(variant, seeds)?;
        let mut part = PartFile::open(path, variant, seeds)?;
        let mut values = allocate(total)?;
        let kept_layers = part.read_layers(&mut values)?;
        run_in_pool(threads, || {
            let mut generator = Generator::new(variant, seeds, threads, values);
            if let Some(layer) = kept_layers.checked_sub(1) {
                generator.resume(kept_layers.into());
                let done = Self::positions(variant, layer)?;
                let progress = BuildProgress { layer, done, total };
                check_cancelled(observer(BuildEvent::Resumed(progress)))?;
            }
            let built = part.build_layers(&mut generator, kept_layers..=seeds, total, observer);
            // Also after an error or a cancellation: the pending layer is worth keeping.
            let synced = part.finish_sync(observer);
            built?;
            check_cancelled(synced?)?;
            part.finish(path)?;
            Ok(Self::from_generator(variant, generator)?)
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

impl PartFile {
    /// Opens or creates the part file and locks it.
    fn open(path: &Path, variant: Variant, seeds: u8) -> Result<Self, BuildFileError> {
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
            // Another build may have finished and renamed the file before this one got the lock.
            // Then the locked file is the table, and the loop starts over.
            if kalah_files::has_path(&file, &part_path).map_err(cannot_write)? {
                return Ok(Self {
                    variant,
                    seeds,
                    header: Header::without_checksums(variant, seeds),
                    path: part_path,
                    file: Arc::new(file),
                    pending: None,
                });
            }
        }
    }

    fn cannot_write(&self, reason: io::Error) -> BuildFileError {
        BuildFileError::Write {
            path: self.path.clone(),
            reason,
        }
    }

    /// Reads the layers up to the first one that is incomplete or damaged, and truncates the file
    /// after them. Returns their number. Layers of another table are discarded.
    fn read_layers(&mut self, values: &mut [u8]) -> Result<u8, BuildFileError> {
        let mut header = [0; HEADER_BYTES];
        let mut layers = 0;
        if self.read_at(0, &mut header)?
            && header[..CHECKSUMS_OFFSET] == self.header[..CHECKSUMS_OFFSET]
        {
            for (layer, offset) in (0..=self.seeds).zip(checksum_offsets()) {
                let range = layer_value_range(self.variant, layer)?;
                let start = (HEADER_BYTES + range.start) as u64;
                let values = &mut values[range];
                let checksum = &header[offset..][..CHECKSUM_BYTES];
                if !self.read_at(start, values)? || xxh3_64(values).to_le_bytes() != checksum {
                    break;
                }
                self.header[offset..][..CHECKSUM_BYTES].copy_from_slice(checksum);
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

    /// Computes and writes `layers`. The last one may still be pending afterwards.
    fn build_layers(
        &mut self,
        generator: &mut Generator,
        layers: RangeInclusive<u8>,
        total: u64,
        observer: &mut BuildObserver<'_>,
    ) -> Result<(), BuildFileError> {
        for layer in layers {
            let values = layer_value_range(self.variant, layer)?;
            let before = values.start as u64;
            let progress = |values| BuildProgress {
                layer,
                done: before + values,
                total,
            };
            let mut report = |values| observer(BuildEvent::Computed(progress(values)));
            check_cancelled(generator.build_layer(&mut report))?;
            check_cancelled(self.finish_sync(observer)?)?;
            let progress = progress(values.len() as u64);
            self.write_layer(progress, before, &generator.values()[values])?;
            check_cancelled(observer(BuildEvent::Writing(progress)))?;
        }
        Ok(())
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
        self.sync()?;
        fs::rename(&self.path, path)
            .and_then(|()| sync_parent_folder(path))
            .map_err(|reason| self.cannot_write(reason))
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

    fn sync(&self) -> Result<(), BuildFileError> {
        self.file
            .sync_all()
            .map_err(|reason| self.cannot_write(reason))
    }
}
