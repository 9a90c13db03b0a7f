//! Verifying the values of a table: each layer by its checksum before its first use, and single
//! values by those of the next positions.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use kalah::{BySide, FirstPlies, Gain, Position, Setup, Side, Variant};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::file::ChecksumPolicy;
use crate::file::damage::{TableDamage, TableFault};
use crate::file::header::Header;
use crate::index::{RowBytes, TableLayout, seeds_in};
use crate::table::Table;
use crate::values::Values;

/// The file of a table, and how far its values are verified.
pub(crate) struct TableFile {
    path: PathBuf,
    /// The file, whose lock is held while its map is in use; `None` if the values are in memory.
    mapped: Option<File>,
    /// By layer.
    checksums: Vec<u64>,
    policy: ChecksumPolicy,
    progress: Mutex<VerifyProgress>,
    damage: OnceLock<TableDamage>,
}

/// The progress of comparing the layers with their checksums, from layer 0 on.
#[derive(Default)]
struct VerifyProgress {
    /// The layer that is compared next. All layers before it are verified.
    layer: u8,
    /// The number of values of this layer that `hasher` has.
    hashed: usize,
    hasher: Xxh3,
    /// The file when the verification began; `None` before.
    stamp: Option<FileStamp>,
    revision: FileRevision,
}

/// The content of the file of a table, by the number of changes that were noticed.
///
/// Two equal revisions say that the file has not changed in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRevision(u64);

/// The properties of an open file that change when it is written. The open file stands for its
/// inode: a file that replaces it under the same name is another one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    len: u64,
    /// `None` if the system has no such time.
    modified: Option<SystemTime>,
    /// The time of the last change of the content or the inode, in seconds and nanoseconds, which
    /// no program can set: a copy can set the time of the modification to an earlier one.
    #[cfg(unix)]
    changed: (i64, i64),
}

/// The number of values between two calls of the observer of a verification. Memory delivers 16 MiB
/// in some milliseconds and a disk of 1 GB/s in 17 ms, so that a stop is obeyed at once, and the
/// calls take no measurable part of the time.
const VERIFY_CHUNK: usize = 16 << 20;

impl FileStamp {
    fn new(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl TableFile {
    /// Returns the state of a mapped file, of which nothing is verified.
    pub(crate) fn mapped(
        path: &Path,
        file: File,
        checksums: &[u64],
        policy: ChecksumPolicy,
    ) -> Self {
        Self {
            mapped: Some(file),
            policy,
            ..Self::read_completely(path, checksums)
        }
    }

    /// Returns the state of a file whose values are in memory.
    pub(crate) fn read_completely(path: &Path, checksums: &[u64]) -> Self {
        Self {
            path: path.to_owned(),
            mapped: None,
            checksums: checksums.to_vec(),
            policy: ChecksumPolicy::Trust,
            progress: Mutex::default(),
            damage: OnceLock::new(),
        }
    }

    /// Returns the checksums of the layers in the header.
    pub(crate) fn checksums(&self) -> &[u64] {
        &self.checksums
    }

    /// Returns whether the values are in the map of the file.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped.is_some()
    }

    /// Returns whether the values may be used without verification.
    pub(crate) fn is_trusted(&self) -> bool {
        self.policy == ChecksumPolicy::Trust
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn damage(&self) -> Option<&TableDamage> {
        self.damage.get()
    }

    /// Records the first fault, and returns its damage.
    pub(crate) fn set_damage(
        &self,
        variant: Variant,
        seeds: u8,
        fault: TableFault,
    ) -> &TableDamage {
        self.damage
            .get_or_init(|| self.damage_of(variant, seeds, fault))
    }

    /// Returns the damage of a table in this file.
    pub(crate) fn damage_of(&self, variant: Variant, seeds: u8, fault: TableFault) -> TableDamage {
        TableDamage::new(self.path.clone(), variant, seeds, fault)
    }

    /// Compares the length of the mapped file with `layout`, and begins a new verification if the
    /// file has changed since the last one began. Returns whether a verification was discarded.
    fn update_stamp(
        &self,
        progress: &mut VerifyProgress,
        layout: &TableLayout,
    ) -> Result<bool, TableFault> {
        let Some(file) = &self.mapped else {
            return Ok(false);
        };
        let metadata = file.metadata().map_err(|error| TableFault::Read {
            layer: progress.layer,
            reason: error.to_string(),
        })?;
        let stamp = FileStamp::new(&metadata);
        let layers = 0..=u8::try_from(layout.seeds()).unwrap_or(u8::MAX);
        let end_of = |layer: u8| Header::BYTES + layout.layer_range(layer.into()).end as u64;
        if stamp.len != end_of(*layers.end()) {
            let mut incomplete = layers.clone().filter(|&layer| end_of(layer) > stamp.len);
            return Err(TableFault::Length {
                layer: incomplete.next().unwrap_or(*layers.end()),
                has: stamp.len,
            });
        }
        let is_discarded = progress.stamp.is_some_and(|verified| verified != stamp);
        if progress.stamp != Some(stamp) {
            *progress = VerifyProgress {
                stamp: Some(stamp),
                revision: FileRevision(progress.revision.0 + u64::from(is_discarded)),
                ..VerifyProgress::default()
            };
        }
        Ok(is_discarded)
    }
}

impl VerifyProgress {
    /// Hashes the next of `values`, up to the end of a layer or [`VERIFY_CHUNK`] of them, and
    /// compares the checksum at the end of the layer. Returns how many it has hashed.
    fn step(
        &mut self,
        checksums: &[u64],
        layout: &TableLayout,
        values: &Values,
    ) -> Result<usize, TableFault> {
        let layer = self.layer;
        let range = layout.layer_range(layer.into());
        let start = range.start + self.hashed;
        let end = range.end.min(start + VERIFY_CHUNK);
        let cannot_read = |reason: io::Error| TableFault::Read {
            layer,
            reason: reason.to_string(),
        };
        values.populate(start..end).map_err(cannot_read)?;
        self.hasher.update(&values.as_slice()[start..end]);
        self.hashed += end - start;
        if end == range.end {
            let checksum = checksums.get(usize::from(layer)).copied();
            check_layer(layer, self.hasher.digest(), checksum.unwrap_or_default())?;
            self.layer += 1;
            self.hashed = 0;
            self.hasher.reset();
        }
        Ok(end - start)
    }
}

fn check_layer(layer: u8, found: u64, written: u64) -> Result<(), TableFault> {
    if found == written {
        Ok(())
    } else {
        Err(TableFault::Checksum {
            layer,
            found,
            written,
        })
    }
}

/// Reads all values of `file` into `values`, and verifies each layer according to `policy`.
pub(crate) fn read_layers(
    mut file: &File,
    header: &Header,
    values: &mut [u8],
    policy: ChecksumPolicy,
) -> Result<(), TableFault> {
    let layout = TableLayout::for_table(header.variant(), header.seeds());
    let cannot_read = |layer| {
        move |reason: io::Error| TableFault::Read {
            layer,
            reason: reason.to_string(),
        }
    };
    file.seek(SeekFrom::Start(Header::BYTES))
        .map_err(cannot_read(0))?;
    for (layer, &written) in (0..).zip(header.checksums()) {
        let mut hasher = Xxh3::new();
        for chunk in values[layout.layer_range(layer.into())].chunks_mut(VERIFY_CHUNK) {
            file.read_exact(chunk).map_err(cannot_read(layer))?;
            if policy == ChecksumPolicy::Verify {
                hasher.update(chunk);
            }
        }
        if policy == ChecksumPolicy::Verify {
            check_layer(layer, hasher.digest(), written)?;
        }
    }
    Ok(())
}

/// A fault that a verification has found, or its end without one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The file is damaged.
    #[error("{}", .0.fault())]
    Damaged(#[from] TableDamage),
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

impl Table {
    /// Compares the layers from 0 to `seeds` with their checksums, except those that are verified
    /// and unchanged. Afterwards their values can be used. `observer` is called several times a
    /// second, and stops the verification with `ControlFlow::Break`; a later call goes on with it.
    ///
    /// A layer is verified again only if the file has changed since, by its length, the time of its
    /// modification or, on Unix, that of the last change of its inode. A table that is not in a
    /// file, or is opened with [`ChecksumPolicy::Trust`], passes.
    ///
    /// # Errors
    /// [`TableDamage`] if the table is damaged. None of its values is used any more.
    pub fn verify_layers(
        &self,
        seeds: u8,
        observer: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TableDamage> {
        let Some(file) = self.file() else {
            return Ok(ControlFlow::Continue(()));
        };
        let seeds = seeds.min(self.seeds());
        loop {
            let mut progress = self.unchanged_progress(file)?;
            if file.is_trusted() || progress.layer > seeds {
                return Ok(ControlFlow::Continue(()));
            }
            progress
                .step(&file.checksums, self.layout(), self.raw_values())
                .map_err(|fault| self.set_damage(file, fault).clone())?;
            self.set_usable_layers(progress.layer);
            drop(progress);
            if observer().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    /// Lets no value be used before it is verified again if the file has changed since the last
    /// verification, as [`Table::verify_layers`] does, but verifies nothing. Returns the revision
    /// of the file.
    ///
    /// # Errors
    /// [`TableDamage`] if the table is damaged.
    pub fn check_unchanged(&self) -> Result<FileRevision, TableDamage> {
        match self.file() {
            Some(file) => Ok(self.unchanged_progress(file)?.revision),
            None => Ok(FileRevision::default()),
        }
    }

    /// Checks that the values are those of `revision`. A search that has begun with this revision
    /// calls it at its end, because the values that it has used may be others than those that were
    /// verified.
    ///
    /// # Errors
    /// [`TableDamage`] if the table is damaged, or has changed: [`TableFault::Changed`]. The values
    /// of a table that is opened with [`ChecksumPolicy::Trust`] may change.
    pub fn check_unchanged_since(&self, revision: FileRevision) -> Result<(), TableDamage> {
        let is_unchanged = self.check_unchanged()? == revision;
        match self.file() {
            Some(file) if !is_unchanged && !file.is_trusted() => {
                Err(self.set_damage(file, TableFault::Changed).clone())
            }
            _ => Ok(()),
        }
    }

    /// Returns the progress of the verification, which begins again if the file has changed.
    fn unchanged_progress<'a>(
        &self,
        file: &'a TableFile,
    ) -> Result<MutexGuard<'a, VerifyProgress>, TableDamage> {
        if let Some(damage) = file.damage() {
            return Err(damage.clone());
        }
        let mut progress = (file.progress.lock()).unwrap_or_else(PoisonError::into_inner);
        let is_discarded = file
            .update_stamp(&mut progress, self.layout())
            .map_err(|fault| self.set_damage(file, fault).clone())?;
        if is_discarded && !file.is_trusted() {
            self.set_usable_layers(0);
        }
        Ok(progress)
    }

    /// Compares the values of each layer with its checksum, whether they are verified or not. A
    /// table that is not in a file has no checksums and passes.
    ///
    /// `observer` receives the number of values read so far several times a second, and stops the
    /// verification with `ControlFlow::Break`.
    ///
    /// # Errors
    /// [`VerifyError::Damaged`] for damage that was found before, for the first damaged layer, and
    /// for a file that changes meanwhile, and [`VerifyError::Stopped`].
    pub fn verify_checksums(
        &self,
        observer: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), VerifyError> {
        let Some(file) = self.file() else {
            return Ok(());
        };
        let revision = self.check_unchanged()?;
        let mut progress = VerifyProgress::default();
        let mut done = 0;
        while progress.layer <= self.seeds() {
            done += progress
                .step(&file.checksums, self.layout(), self.raw_values())
                .map_err(|fault| self.set_damage(file, fault).clone())? as u64;
            if observer(done).is_break() {
                return Err(VerifyError::Stopped);
            }
        }
        let mut shared = self.unchanged_progress(file)?;
        if shared.revision != revision {
            return Err(self.set_damage(file, TableFault::Changed).clone().into());
        }
        // Later uses need not read the file again.
        shared.layer = progress.layer;
        self.set_usable_layers(progress.layer);
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
        let found = self.unchecked_gain(index).into();
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
            let (index, _) = self.index_of(&next)?;
            let gain = self.unchecked_gain(index);
            let margin = next.margin(Gain::new(gain.into())).seeds();
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
