//! Endgame tables.

#![expect(
    unsafe_code,
    reason = "an array that shares memory with a table is created from a pointer"
)]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kalah::{BySide, Position, Variant, format_count};
use kalah_players::{MemorySize, available_threads, system_memory};
use kalah_tables::{
    BuildEvent, BuildFileError, BuildMemory, BuildProgress, ChecksumPolicy, OpenError, Table,
    TableDamage, VerifyError,
};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{Error, TableError, os_error};
use crate::games::position::{PyPosition, position_from_py};
use crate::games::values::{PyRules, rules_from_py};
use crate::interrupt::{self, Latest};
use crate::progress::{Progress, PyPositionProgress};
use crate::resources;

/// A limit for an argument that is checked later with a better message.
const MAX_STORE: u64 = u16::MAX as u64;

/// The progress of building a table.
///
/// >>> import kalah
/// >>> seen = []
/// >>> table = kalah.Table.build(3, 4, progress=seen.append)
/// >>> all(progress.done <= progress.total for progress in seen)
/// True
#[pyclass(name = "BuildProgress", module = "kalah", frozen, get_all)]
pub(crate) struct PyBuildProgress {
    /// The seeds in the houses of the positions that were computed last.
    layer: u8,
    /// The number of positions computed.
    done: u64,
    /// The number of positions of the table.
    total: u64,
}

#[pymethods]
impl PyBuildProgress {
    fn __repr__(&self) -> String {
        let Self { layer, done, total } = self;
        format!("BuildProgress(layer={layer}, done={done}, total={total})")
    }
}

/// An endgame table: the exact gain of every position of a board whose houses hold at most a given
/// number of seeds.
///
/// The gain of a position is the change of the lead of the side to move until the end of the game
/// with best play of both sides, in seeds.
///
/// >>> import kalah
/// >>> table = kalah.Table.build(3, 6)
/// >>> table
/// <Table, 3 houses a side, up to 6 seeds, rules cs32>
/// >>> table.probe("<3,5,0,0,0,1,2,0,0> s")
/// -1
#[pyclass(name = "Table", module = "kalah", frozen)]
pub(crate) struct PyTable {
    pub(crate) table: Arc<Table>,
}

impl PyTable {
    fn new(table: Table) -> Self {
        Self {
            table: Arc::new(table),
        }
    }

    /// Refuses a position of another board or under other rules.
    fn check_variant(&self, position: &Position) -> PyResult<()> {
        let variant = Variant::from_position(position);
        if variant == self.table.variant() {
            return Ok(());
        }
        Err(Error::Argument {
            name: "position",
            expected: variant_text(self.table.variant()),
            actual: variant_text(variant),
        }
        .into())
    }
}

/// Describes a board and its rules.
pub(crate) fn variant_text(variant: Variant) -> String {
    let houses = format_count(variant.houses().into(), "house");
    format!("{houses} a side under the rules {}", variant.rules())
}

#[pymethods]
impl PyTable {
    /// Computes a table for boards of `houses` a side, 1 to 8, with at most `seeds` seeds in the
    /// houses, 0 to 63, under `rules`, by default `cs32`.
    ///
    /// A table has a byte for each position: `Table.count` returns their number. `threads` is the
    /// number of threads, by default all of the machine. With `path` the table is also written into
    /// that file; an interrupted build of the same file is resumed. `progress` is `True` for a
    /// progress bar (with tqdm), or a function that is called with a `BuildProgress` several times
    /// a second. Ctrl-C stops the build and raises `KeyboardInterrupt`.
    ///
    /// Raises `TableError` for a table that is too large, `FileExistsError` if the file exists, and
    /// `OSError` if it cannot be written.
    ///
    /// >>> import kalah
    /// >>> kalah.Table.build(2, 10, rules="standard").count(2, 10)
    /// 1001
    #[staticmethod]
    #[pyo3(signature = (houses, seeds, rules=None, *, path=None, threads=None, progress=None))]
    fn build(
        py: Python<'_>,
        houses: &Bound<'_, PyAny>,
        seeds: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyAny>>,
        path: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let houses = arguments::integer_in(houses, "houses", 1, Table::MAX_HOUSES)?;
        let seeds = arguments::integer_in(seeds, "seeds", 0, Table::MAX_SEEDS)?;
        let rules = rules.map(rules_from_py).transpose()?.unwrap_or_default();
        let threads = threads.map_or_else(|| Ok(available_threads()), resources::threads)?;
        let path = (path.map(|path| arguments::path(path, "path"))).transpose()?;
        let progress = Progress::new(py, progress)?;
        let variant = Variant::new(houses, rules);
        check_memory(variant, seeds)?;
        let table = build(py, (variant, seeds), path, threads, &progress);
        progress.close_after(py, table).map(Self::new)
    }

    /// Opens the file of a table. The file is mapped into memory, and only the parts that are used
    /// are read. It must not be changed while the table exists.
    ///
    /// The header is checked now, and the values of all positions with a number of seeds are
    /// compared with their checksum before their first use, unless `trust` is true. `probe`,
    /// `layer` and the functions of environments raise `TableError` if the table turns out to be
    /// damaged; an engine does not use it, and `Report.table_damage` says so. Raises
    /// `FileNotFoundError` and `OSError` for a file that cannot be read, and `TableError` for one
    /// that is no table.
    ///
    /// >>> import kalah, os, tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = os.path.join(folder, "3x2.table")
    /// ...     built = kalah.Table.build(3, 6, path=path)
    /// ...     kalah.Table.open(path).probe("3x1") == built.probe("3x1")
    /// True
    #[staticmethod]
    #[pyo3(signature = (path, *, trust=None), text_signature = "(path, *, trust=False)")]
    fn open(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        trust: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let path = arguments::path(path, "path")?;
        let trust = trust.map(|trust| arguments::boolean(trust, "trust"));
        let policy = if trust.transpose()?.unwrap_or(false) {
            ChecksumPolicy::Trust
        } else {
            ChecksumPolicy::Verify
        };
        let table = py.detach(move || Table::open(&path, policy));
        table.map(Self::new).map_err(|error| open_error(&error))
    }

    /// Returns the number of positions in a table, which is its size in bytes.
    ///
    /// >>> import kalah
    /// >>> kalah.Table.count(6, 24)
    /// 1251677700
    #[staticmethod]
    fn count(houses: &Bound<'_, PyAny>, seeds: &Bound<'_, PyAny>) -> PyResult<u64> {
        let houses = arguments::integer_in(houses, "houses", 1, Table::MAX_HOUSES)?;
        let seeds = arguments::integer_in(seeds, "seeds", 0, Table::MAX_SEEDS)?;
        let variant = Variant::new(houses, kalah::Rules::default());
        Ok(Table::positions(variant, seeds).map_err(Error::from)?)
    }

    /// The number of houses a side.
    #[getter]
    fn houses(&self) -> u8 {
        self.table.variant().houses()
    }

    /// The greatest number of seeds in the houses of a position.
    #[getter]
    fn seeds(&self) -> u8 {
        self.table.seeds()
    }

    /// The rules. Those on swaps and on the first sowing do not matter to a table.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.table.variant().rules())
    }

    /// Returns the gain of the side to move in a position, in seeds, or `None` if the table does
    /// not have the position. The margin at the end of the game is `position.lead` plus the gain.
    ///
    /// `position` is a `Position` or its text under the rules of the table. The table does not have
    /// a position with more seeds, or before a ply to which the rules of the first plies apply.
    /// Raises `KalahError` for a position with another number of houses, or with other rules on the
    /// end or on captures.
    ///
    /// >>> import kalah
    /// >>> table = kalah.Table.build(3, 6, rules="standard")
    /// >>> table.probe("3x2") is None
    /// True
    fn probe(&self, position: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
        let py = position.py();
        let probe = |position: &Position| {
            if position.seeds_in_play().get() > self.table.usable_seeds().into() {
                // Verifying layers takes long.
                py.detach(|| self.table.probe(position))
            } else {
                self.table.probe(position)
            }
        };
        let gain = if let Ok(position) = position.cast::<PyPosition>() {
            let position = &position.get().0;
            self.check_variant(position)?;
            probe(position)
        } else {
            let rules = Bound::new(py, self.rules())?;
            let position: Position = position_from_py(position, Some(rules.as_any()))?;
            self.check_variant(&position)?;
            probe(&position)
        };
        let gain = gain.map_err(|damage| damage_error(&damage))?;
        Ok(gain.map(kalah::Gain::seeds))
    }

    /// Returns the position whose value `layer(seeds)` has at `index`, with South to move.
    ///
    /// Stores are no part of a table: `stores` are the seeds of South's and North's. If the game is
    /// over in the position, its seeds are in the stores. Raises `KalahError` for numbers out of
    /// range.
    ///
    /// >>> import kalah
    /// >>> table = kalah.Table.build(2, 3)
    /// >>> position = table.position(3, 17, stores=(4, 1))
    /// >>> position
    /// Position('<2,4,1,2,0,0,1> s', rules='cs32')
    /// >>> table.probe(position) == int(table.layer(3)[17]) - 128
    /// True
    #[pyo3(signature = (seeds, index, *, stores=None))]
    fn position(
        &self,
        seeds: &Bound<'_, PyAny>,
        index: &Bound<'_, PyAny>,
        stores: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPosition> {
        let seeds = arguments::integer_in(seeds, "seeds", 0, self.table.seeds())?;
        let values = self.table.layer(seeds).unwrap_or_default();
        let index = arguments::integer_in(index, "index", 0, values.len() - 1)?;
        let setup = self.table.setup(seeds, index);
        let mut setup = setup.ok_or_else(|| TableError::new_err("no such position"))?;
        if let Some(stores) = stores {
            let [south, north] = arguments::pair(stores, "stores", 0, MAX_STORE)?;
            setup.stores = BySide { south, north };
        }
        let position = setup.position(self.table.variant().rules());
        Ok(PyPosition(position.map_err(Error::from)?))
    }

    /// Returns the values of all positions with exactly `seeds` seeds in the houses: a read-only
    /// array of `uint8` that shares the memory of the table. A value is the gain plus 128.
    ///
    /// docs/tables.md describes the order of the positions. Raises `KalahError` if the table has
    /// fewer seeds.
    ///
    /// >>> import kalah
    /// >>> table = kalah.Table.build(1, 3)
    /// >>> table.layer(1).astype("int16") - 128
    /// array([-1,  1], dtype=int16)
    fn layer<'py>(
        slf: &Bound<'py, Self>,
        seeds: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let table = &slf.get().table;
        let seeds = arguments::integer_in(seeds, "seeds", 0, table.seeds())?;
        verify(slf.py(), table)?;
        let values = table.layer(seeds).unwrap_or_default();
        // SAFETY: the array keeps `slf` alive, whose table is never replaced, so that the values
        // exist and stay in their place as long as the array.
        let array = unsafe {
            PyArray1::borrow_from_array(&ArrayView1::from(values), slf.clone().into_any())
        };
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Compares the checksums of a table that was opened from a file with its values, which reads
    /// the whole file.
    ///
    /// `progress` is `True` for a progress bar (with tqdm), or a function that is called with a
    /// `PositionProgress` several times a second. Ctrl-C stops the call and raises
    /// `KeyboardInterrupt`. Raises `TableError` if a value is damaged.
    ///
    /// >>> import kalah, os, tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = os.path.join(folder, "3x2.table")
    /// ...     kalah.Table.build(3, 6, path=path).verify()
    #[pyo3(signature = (*, progress=None))]
    fn verify(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let progress = Progress::new(py, progress)?;
        let stop_flag = AtomicBool::new(false);
        let done = AtomicU64::new(0);
        let total = Table::positions(self.table.variant(), self.table.seeds());
        let total = total.map_err(Error::from)?;
        let poll = |py: Python<'_>| {
            let done = done.load(Ordering::Relaxed);
            progress.update(py, PyPositionProgress { done, total })
        };
        let verified = interrupt::run(py, &stop_flag, poll, || {
            self.table.verify_checksums(&mut |positions| {
                done.store(positions, Ordering::Relaxed);
                if stop_flag.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
        });
        let verified = progress.close_after(py, verified)?;
        verified.map_err(|error| match error {
            VerifyError::Damaged(damage) => damage_error(&damage),
            VerifyError::Value { .. } | VerifyError::Stopped => {
                TableError::new_err(error.to_string())
            }
        })
    }

    fn __repr__(&self) -> String {
        let houses = format_count(self.houses().into(), "house");
        let seeds = format_count(self.seeds().into(), "seed");
        format!(
            "<Table, {houses} a side, up to {seeds}, rules {}>",
            self.rules().0
        )
    }
}

/// Checks that the free memory suffices to build a table. The check passes if the system does not
/// report its free memory.
fn check_memory(variant: Variant, seeds: u8) -> Result<(), Error> {
    let needed = Table::build_bytes(variant, seeds, BuildMemory::WholeTable)?;
    let free = system_memory().map_or(u64::MAX, |memory| memory.available);
    if needed <= free {
        return Ok(());
    }
    let [needed, free] = [needed, free].map(MemorySize::new);
    Err(Error::TableMemory { needed, free })
}

/// Builds a table on a thread of its own, in memory or into a file.
fn build(
    py: Python<'_>,
    (variant, seeds): (Variant, u8),
    path: Option<PathBuf>,
    threads: NonZeroUsize,
    progress: &Progress,
) -> PyResult<Table> {
    let stop_flag = AtomicBool::new(false);
    let latest = Latest::new();
    let poll = |py: Python<'_>| match latest.take() {
        Some(BuildProgress { layer, done, total }) => {
            progress.update(py, PyBuildProgress { layer, done, total })
        }
        None => Ok(()),
    };
    let observe = |progress| {
        latest.set(progress);
        if stop_flag.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    interrupt::run(py, &stop_flag, poll, || match path {
        None => Table::build(variant, seeds, threads, &mut { observe })
            .map_err(|error| Error::from(error).into()),
        Some(path) => {
            let mut observer = |event| {
                observe(match event {
                    BuildEvent::Resumed(progress)
                    | BuildEvent::Computed(progress)
                    | BuildEvent::Writing(progress)
                    | BuildEvent::Written(progress) => progress,
                })
            };
            Table::build_file(&path, variant, seeds, threads, &mut observer)
                .map_err(|error| build_file_error(&path, &error))
        }
    })?
}

/// Returns the exception for an error of the build of the file `path`. An error of the temporary
/// file is reported with the path that the caller knows.
fn build_file_error(path: &Path, error: &BuildFileError) -> PyErr {
    let message = error.to_string();
    match error {
        BuildFileError::Build(error) => Error::from(*error).into(),
        BuildFileError::Exists(_) => PyFileExistsError::new_err(message),
        BuildFileError::Locked(_) | BuildFileError::Open(_) => PyOSError::new_err(message),
        BuildFileError::Write { reason, .. } => os_error(path, reason),
    }
}

/// Verifies all layers that are not verified yet.
///
/// # Errors
/// `TableError` if the table is damaged.
pub(crate) fn verify(py: Python<'_>, table: &Table) -> PyResult<()> {
    let go_on = &mut || ControlFlow::Continue(());
    let verified = py.detach(|| table.verify_layers(table.seeds(), go_on));
    verified.map(drop).map_err(|damage| damage_error(&damage))
}

/// Returns the exception for damage of a table.
pub(crate) fn damage_error(damage: &TableDamage) -> PyErr {
    TableError::new_err(damage.to_string())
}

fn open_error(error: &OpenError) -> PyErr {
    let message = error.to_string();
    match error {
        OpenError::NotFound(_) => PyFileNotFoundError::new_err(message),
        OpenError::Read { path, reason } => os_error(path, reason),
        OpenError::Locked(_) => PyOSError::new_err(message),
        OpenError::Header { .. }
        | OpenError::WrongLength { .. }
        | OpenError::TooLarge { .. }
        | OpenError::Damaged(_)
        | OpenError::OutOfMemory { .. } => TableError::new_err(message),
    }
}
