//! Building into a file, so that a build that ends anywhere goes on from there.
//!
//! The file lies aside, under the name of the table and `.part`, and is laid out as the table will be.
//! Of each layer that is done
//!
//! 1. the values are written,
//! 2. and synced, which is waited for only when the next layer is computed,
//! 3. then its checksum is written into its place in the header.
//!
//! Who goes on reads as many layers as have the checksum that is written, whatever else the file holds.
//! At the end the checksum of the header is written and the file is synced, takes the name of the
//! table, and its folder is synced. Until then the file is no table: a header without its own
//! checksum is refused as unfinished. A lock on the file keeps two builds apart.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use same_file::Handle;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::header::{
    CHECKSUM_BYTES, CHECKSUMS_OFFSET, HEADER_BYTES, Header, checksum_offsets,
};
use crate::generate::Generator;
use crate::table::{
    BuildError, BuildProgress, Table, Variant, allocate, check_cancelled, run_in_pool,
};

/// Why a table cannot be built into a file.
#[derive(Debug, Error)]
pub enum BuildFileError {
    /// There can be no such table, or not now.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is something of that name already.
    #[error("there is a file '{}' already", .0.display())]
    Exists(PathBuf),
    /// Another build of the same file is at work.
    #[error("'{}' is being built by another program", .0.display())]
    Locked(PathBuf),
    /// The file cannot be written, or not be read to go on.
    #[error("cannot write '{}': {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
}

/// What has just been done in building a table into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// Layers up to this one were found, left by a build that was broken off.
    Resumed(BuildProgress),
    /// So many positions are computed.
    Computed(BuildProgress),
    /// The layer was handed to the system, which takes it to the disk while the next one is computed.
    Writing(BuildProgress),
    /// The layer is safe: who goes on some day need not compute it again.
    Written(BuildProgress),
}

/// Is told of each step, and says whether to go on.
type BuildObserver<'a> = dyn FnMut(BuildEvent) -> ControlFlow<()> + Send + 'a;

/// A file in which a table is being built.
struct PartFile {
    variant: Variant,
    seeds: u8,
    path: PathBuf,
    file: Arc<File>,
    header: [u8; HEADER_BYTES],
    /// The last layer, as long as its checksum is not written.
    pending: Option<PendingSync>,
}

/// A layer on its way to the disk.
struct PendingSync {
    progress: BuildProgress,
    checksum: u64,
    sync: JoinHandle<io::Result<()>>,
}

impl Table {
    /// Where a table is built that will have this name when it is done.
    pub fn part_path(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    /// Computes a table with so many threads, in memory and layer by layer into a file, from where an
    /// earlier build of the same file was broken off; tells of each step, and breaks off where it is
    /// told to.
    ///
    /// The file has its name only when it is complete.
    ///
    /// # Errors
    /// [`BuildFileError`]. The layers that are written stay under [`Table::part_path`].
    pub fn build_file(
        path: &Path,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Self, BuildFileError> {
        let all = Self::positions(variant, seeds)?;
        let mut part = PartFile::open(path, variant, seeds)?;
        let mut values = allocate(all)?;
        let found = part.read_layers(&mut values)?;
        run_in_pool(threads, || {
            let (houses, rules) = (variant.houses(), variant.rules());
            let mut generator = Generator::new(houses, rules, seeds, threads, values);
            if let Some(layer) = found.checked_sub(1) {
                generator.resume(found.into());
                let done = Self::positions(variant, layer)?;
                check_cancelled(observer(BuildEvent::Resumed(BuildProgress {
                    layer,
                    done,
                    total: all,
                })))?;
            }
            let built = part.build_layers(&mut generator, found..=seeds, all, observer);
            // However that ended, the layer that is on its way is kept.
            let settled = part.finish_sync(observer);
            built?;
            check_cancelled(settled?)?;
            part.finish(path)?;
            Ok(Self::from_generator(variant, generator)?)
        })
    }
}

/// Where the values of a layer lie among all.
fn layer_value_range(variant: Variant, layer: u8) -> Result<Range<usize>, BuildError> {
    let place =
        |positions| usize::try_from(positions).map_err(|_| BuildError::OutOfMemory(positions));
    let start = place(Table::positions_before(variant, layer)?)?;
    Ok(start..place(Table::positions(variant, layer)?)?)
}

impl PartFile {
    /// The file aside, for this program alone.
    fn open(path: &Path, variant: Variant, seeds: u8) -> Result<Self, BuildFileError> {
        let aside = Table::part_path(path);
        let cannot_write = |reason| BuildFileError::Write {
            path: aside.clone(),
            reason,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        loop {
            if fs::symlink_metadata(path).is_ok() {
                return Err(BuildFileError::Exists(path.to_owned()));
            }
            let file = options.open(&aside).map_err(cannot_write)?;
            match file.try_lock() {
                Ok(()) => {}
                // Some file systems know no locks.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(cannot_write(error)),
                Err(TryLockError::WouldBlock) => {
                    return Err(BuildFileError::Locked(path.to_owned()));
                }
            }
            // Another build may have finished the file before the lock was had: then it is the table.
            let locked = file.try_clone().and_then(Handle::from_file);
            let locked = locked.map_err(cannot_write)?;
            match Handle::from_path(&aside) {
                Ok(named) if named == locked => {
                    return Ok(Self {
                        variant,
                        seeds,
                        header: Header::without_checksums(variant, seeds),
                        path: aside,
                        file: Arc::new(file),
                        pending: None,
                    });
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(cannot_write(error)),
            }
        }
    }

    fn cannot_write(&self, reason: io::Error) -> BuildFileError {
        BuildFileError::Write {
            path: self.path.clone(),
            reason,
        }
    }

    /// Reads all layers up to the first that is not whole, and says how many they are. What is not of the same
    /// table is thrown away.
    fn read_layers(&mut self, values: &mut [u8]) -> Result<u8, BuildFileError> {
        let mut found = [0; HEADER_BYTES];
        let mut layers = 0;
        if self.read_at(0, &mut found)?
            && found[..CHECKSUMS_OFFSET] == self.header[..CHECKSUMS_OFFSET]
        {
            for (layer, at) in (0..=self.seeds).zip(checksum_offsets()) {
                let range = layer_value_range(self.variant, layer)?;
                let start = (HEADER_BYTES + range.start) as u64;
                let values = &mut values[range];
                let checksum = &found[at..][..CHECKSUM_BYTES];
                if !self.read_at(start, values)? || xxh3_64(values).to_le_bytes() != checksum {
                    break;
                }
                self.header[at..][..CHECKSUM_BYTES].copy_from_slice(checksum);
                layers = layer + 1;
            }
        }
        let end = match layers.checked_sub(1) {
            Some(last) => layer_value_range(self.variant, last)?.end,
            None => 0,
        };
        let kept = self.file.set_len((HEADER_BYTES + end) as u64);
        kept.map_err(|reason| self.cannot_write(reason))?;
        self.write_at(0, &self.header)?;
        Ok(layers)
    }

    /// Computes and writes these layers, the last of which may still be on its way to the disk.
    fn build_layers(
        &mut self,
        generator: &mut Generator,
        layers: RangeInclusive<u8>,
        all: u64,
        observer: &mut BuildObserver<'_>,
    ) -> Result<(), BuildFileError> {
        for layer in layers {
            let values = layer_value_range(self.variant, layer)?;
            let before = values.start as u64;
            let progress = |values| BuildProgress {
                layer,
                done: before + values,
                total: all,
            };
            let mut see = |values| observer(BuildEvent::Computed(progress(values)));
            check_cancelled(generator.build_layer(&mut see))?;
            check_cancelled(self.finish_sync(observer)?)?;
            let progress = progress(values.len() as u64);
            self.write_layer(progress, before, &generator.values()[values])?;
            check_cancelled(observer(BuildEvent::Writing(progress)))?;
        }
        Ok(())
    }

    /// Writes a layer, and begins to sync it.
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

    /// Sees to it that the last layer is found by whoever goes on, and tells so.
    fn finish_sync(
        &mut self,
        observer: &mut BuildObserver<'_>,
    ) -> Result<ControlFlow<()>, BuildFileError> {
        let Some(last) = self.pending.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        let panicked = |_| Err(io::Error::other("the file could not be synced"));
        let synced = last.sync.join().unwrap_or_else(panicked);
        synced.map_err(|reason| self.cannot_write(reason))?;
        if let Some(at) = checksum_offsets().nth(last.progress.layer.into()) {
            let checksum = last.checksum.to_le_bytes();
            self.header[at..][..checksum.len()].copy_from_slice(&checksum);
            self.write_at(at as u64, &checksum)?;
        }
        Ok(observer(BuildEvent::Written(last.progress)))
    }

    /// Makes the file the table, under its name.
    fn finish(self, path: &Path) -> Result<(), BuildFileError> {
        let seal = Header::checksum(&self.header).to_le_bytes();
        self.write_at((HEADER_BYTES - seal.len()) as u64, &seal)?;
        self.sync()?;
        fs::rename(&self.path, path)
            .and_then(|()| sync_parent_dir(path))
            .map_err(|reason| self.cannot_write(reason))
    }

    /// Whether there was something to fill `bytes` with.
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

/// Sees to it that a rename outlives a crash of the machine.
#[cfg(unix)]
fn sync_parent_dir(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match File::open(folder)?.sync_all() {
        // Some file systems know no such thing.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Sees to it that a rename outlives a crash, as far as the system lets it.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn sync_parent_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}
