//! A table in memory: its variant, building it, and probing it.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{BySide, FirstPlies, Gain, Position, Setup, Side, Variant};
use thiserror::Error;

use crate::generate::Generator;
use crate::index::{MAX_HOUSES, MAX_SEEDS, RowIndex, TableLayout, seeds_in};
use crate::values::{Buffer, Values, ZERO_GAIN, prefetch};

/// The exact gain of every position of a variant whose houses hold at most a given number of seeds.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
/// use kalah::{Gain, Rules, Setup, Variant};
/// use kalah_tables::Table;
///
/// let variant = Variant::new(3, Rules::CS32);
/// let table = Table::build(variant, 6, NonZeroUsize::MIN, &mut |_| ControlFlow::Continue(()))?;
/// let position = "<3,5,0,0,0,1,2,0,0> s".parse::<Setup>()?.position(Rules::CS32)?;
/// assert_eq!(table.probe(&position), Some(Gain::new(-1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table {
    variant: Variant,
    layout: TableLayout,
    values: Values,
    /// The checksums of the layers as stored in the file; `None` if the table is not in a file.
    checksums: Option<Vec<u64>>,
}

/// The index of a position's value in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSlot(usize);

impl TableSlot {
    pub(crate) fn new(index: usize) -> Self {
        Self(index)
    }
}

/// The progress of building a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The layer of the positions done last, by the seeds in their houses. All positions with fewer
    /// seeds are done.
    pub layer: u8,
    /// The number of positions done.
    pub done: u64,
    /// The number of positions of the whole table.
    pub total: u64,
}

/// The reason why a table cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// A table supports 1 to [`Table::MAX_HOUSES`] houses a side.
    #[error("no table for {0} houses a side: expected 1 to {MAX_HOUSES}")]
    UnsupportedHouses(u8),
    /// A table supports at most [`Table::MAX_SEEDS`] seeds.
    #[error("no table for {0} seeds: expected at most {MAX_SEEDS}")]
    TooManySeeds(u8),
    /// The system refuses to allocate this number of bytes.
    #[error("cannot allocate {0} bytes of memory for the table")]
    OutOfMemory(u64),
    /// The system refuses to start this number of threads.
    #[error("cannot start {0} threads")]
    ThreadPool(NonZeroUsize),
    /// The observer cancelled the build.
    #[error("the build of the table was cancelled")]
    Cancelled,
}

const MILLION: u64 = 1_000_000;

/// The memory of a build in addition to the values, in bytes for a million positions: lists of
/// sowings and the rows of a layer. Measured at 6 houses with 20 and 24 seeds: 173,000 and 89,000.
const BUILD_OVERHEAD_PER_MILLION: u64 = 200_000;

/// The memory of the smallest build in bytes.
const MIN_BUILD_BYTES: u64 = 16 << 20;

impl Table {
    /// The largest number of houses a side that a table supports.
    pub const MAX_HOUSES: u8 = MAX_HOUSES;

    /// The file name extension of tables, without the dot.
    pub const FILE_EXTENSION: &str = "table";

    /// Returns the conventional file name of a table of `variant` with at most `seeds` seeds.
    ///
    /// ```
    /// use kalah::{Rules, Variant};
    /// use kalah_tables::Table;
    /// let variant = Variant::new(6, Rules::MANKALAH);
    /// assert_eq!(Table::file_name(variant, 24), "kalah-6-houses-24-seeds-standard.table");
    /// ```
    pub fn file_name(variant: Variant, seeds: u8) -> String {
        let fields = || {
            let [(_, ends), (_, capture)] = variant.house_rules().fields();
            format!("ends-{ends}-capture-{capture}")
        };
        let rules = (variant.rules().preset()).map_or_else(fields, |preset| preset.name.to_owned());
        let (houses, extension) = (variant.houses(), Self::FILE_EXTENSION);
        format!("kalah-{houses}-houses-{seeds}-seeds-{rules}.{extension}")
    }

    /// The largest number of seeds in the houses of a position in a table. It keeps gains within a
    /// byte.
    pub const MAX_SEEDS: u8 = MAX_SEEDS;

    /// Returns the number of positions in a table: the ways to put at most `seeds` seeds into the
    /// houses of both sides. A table has one byte for each.
    ///
    /// # Errors
    /// [`BuildError::UnsupportedHouses`] and [`BuildError::TooManySeeds`].
    pub fn positions(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        check_size(variant, seeds)?;
        // The ways to put at most s seeds into h houses are C(s + h, h) = (s + 1) ... (s + h) / h!.
        let houses = 2 * u64::from(variant.houses());
        Ok((1..=houses).fold(1, |ways, house| ways * (u64::from(seeds) + house) / house))
    }

    /// Returns the bytes of memory that building a table of `positions` needs, an upper estimate.
    ///
    /// ```
    /// use kalah_tables::Table;
    /// assert_eq!(Table::build_bytes(1_000_000), 17_977_216);
    /// ```
    pub fn build_bytes(positions: u64) -> u64 {
        let overhead = positions.div_ceil(MILLION) * BUILD_OVERHEAD_PER_MILLION;
        positions.saturating_add(overhead.saturating_add(MIN_BUILD_BYTES))
    }

    /// Returns the number of positions with fewer than `seeds` seeds.
    pub(crate) fn positions_before(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        match seeds.checked_sub(1) {
            Some(fewer) => Self::positions(variant, fewer),
            None => Ok(0),
        }
    }

    /// Computes a table with `threads` threads and reports the progress to `observer`, which can
    /// cancel the build. With one thread the calling thread does all the work.
    ///
    /// # Errors
    /// [`BuildError`]. A cancelled build leaves nothing behind.
    pub fn build(
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut (dyn FnMut(BuildProgress) -> ControlFlow<()> + Send),
    ) -> Result<Self, BuildError> {
        run_in_pool(threads, || {
            Self::build_in_pool(variant, seeds, threads, observer)
        })
    }

    /// Computes a table as [`build`](Self::build) does, on the calling thread alone. It serves
    /// targets without threads, and observers that are not [`Send`].
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build_single_threaded(
        variant: Variant,
        seeds: u8,
        observer: &mut dyn FnMut(BuildProgress) -> ControlFlow<()>,
    ) -> Result<Self, BuildError> {
        Self::build_in_pool(variant, seeds, NonZeroUsize::MIN, observer)
    }

    /// Computes a table on the current thread pool, which has `threads` threads.
    fn build_in_pool(
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut dyn FnMut(BuildProgress) -> ControlFlow<()>,
    ) -> Result<Self, BuildError> {
        let total = Self::positions(variant, seeds)?;
        let mut generator = Generator::new(variant, seeds, threads, allocate(total)?);
        for layer in 0..=seeds {
            let before = Self::positions_before(variant, layer)?;
            let mut report = |values| {
                let done = before + values;
                observer(BuildProgress { layer, done, total })
            };
            check_cancelled(generator.build_layer(&mut report))?;
        }
        Self::from_generator(variant, generator)
    }

    /// Returns the table of a generator that has built all layers.
    pub(crate) fn from_generator(
        variant: Variant,
        generator: Generator,
    ) -> Result<Self, BuildError> {
        let (layout, values) = generator.into_parts();
        let bytes = values.len() as u64;
        let values = values
            .freeze()
            .map_err(|_| BuildError::OutOfMemory(bytes))?;
        Ok(Self {
            variant,
            layout,
            values,
            checksums: None,
        })
    }

    /// Returns a table whose values are in a file. `checksums` has one entry for each layer.
    pub(crate) fn from_file(
        variant: Variant,
        seeds: u8,
        values: Values,
        checksums: Vec<u64>,
    ) -> Self {
        let index = RowIndex::new(variant.houses().into());
        Self {
            variant,
            layout: TableLayout::new(index, seeds.into()),
            values,
            checksums: Some(checksums),
        }
    }

    pub(crate) fn layout(&self) -> &TableLayout {
        &self.layout
    }

    pub(crate) fn values(&self) -> &[u8] {
        self.values.as_slice()
    }

    /// Returns the checksums of the layers; `None` if the table is not in a file.
    pub(crate) fn checksums(&self) -> Option<&[u64]> {
        self.checksums.as_deref()
    }

    /// Returns the values of the positions with `seeds` seeds in their houses, a byte each: the
    /// gain of the side to move plus [`Table::GAIN_OFFSET`]. The order is that of the file, which
    /// `docs/tables.md` describes. `None` if the table has fewer seeds.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use kalah::{Rules, Variant};
    /// use kalah_tables::Table;
    ///
    /// let variant = Variant::new(1, Rules::CS32);
    /// let table = Table::build_single_threaded(variant, 1, &mut |_| ControlFlow::Continue(()))?;
    /// let values = table.layer(1).into_iter().flatten();
    /// let gains = values.map(|&value| i16::from(value) - Table::GAIN_OFFSET);
    /// // The seed is in the house of the side to move, or in that of the other side.
    /// assert_eq!(gains.collect::<Vec<_>>(), [-1, 1]);
    /// # Ok::<(), kalah_tables::BuildError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Option<&[u8]> {
        (seeds <= self.seeds()).then(|| &self.values()[self.layout.layer_range(seeds.into())])
    }

    /// The number that a value of [`Table::layer`] exceeds its gain by.
    pub const GAIN_OFFSET: i16 = 128;

    /// Returns the variant that the table belongs to.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the largest number of seeds in the houses of its positions.
    pub fn seeds(&self) -> u8 {
        u8::try_from(self.layout.seeds()).unwrap_or(u8::MAX)
    }

    /// Returns the bytes of memory that the table occupies: 0 if it is in a file, whose pages the
    /// system can drop at any time.
    pub fn memory_bytes(&self) -> usize {
        match self.checksums {
            Some(_) => 0,
            None => self.values.as_slice().len(),
        }
    }

    /// Returns the gain of the side to move; `None` if the position has more seeds in its houses
    /// than the table, belongs to another variant, or the rules of the first plies still apply to
    /// it.
    pub fn probe(&self, position: &Position) -> Option<Gain> {
        if Variant::from_position(position) != self.variant
            || position.first_plies() != FirstPlies::Later
        {
            return None;
        }
        let mover = position.to_move();
        if position.seeds_in_play().get() > self.seeds().into() {
            return None;
        }
        let slot = self.slot(
            pack_row(position, mover),
            pack_row(position, mover.opponent()),
        )?;
        Some(Gain::new(self.gain(slot).into()))
    }

    /// Returns the position whose value [`Table::layer`] has at `index` for `seeds` seeds, with
    /// South to move and empty stores; `None` if there is no such value. It is the inverse of
    /// [`probe`](Self::probe).
    ///
    /// Stores are no part of a table: a caller can put any seeds into them. The result is a
    /// [`Setup`], because a [`Position`] in which the game is over has no seeds in its houses.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use kalah::{Rules, Variant};
    /// use kalah_tables::Table;
    ///
    /// let variant = Variant::new(2, Rules::CS32);
    /// let table = Table::build_single_threaded(variant, 3, &mut |_| ControlFlow::Continue(()))?;
    /// assert_eq!(table.setup(3, 17).expect("a layer has 20").to_string(), "<2,0,0,2,0,0,1> s");
    /// assert_eq!(table.setup(3, 20), None);
    /// # Ok::<(), kalah_tables::BuildError>(())
    /// ```
    pub fn setup(&self, seeds: u8, index: usize) -> Option<Setup> {
        if seeds > self.seeds() {
            return None;
        }
        let range = self.layout.layer_range(seeds.into());
        let slot = range
            .start
            .checked_add(index)
            .filter(|&slot| slot < range.end)?;
        let row_index = self.layout.row_index();
        let [mover, other] = self.layout.rows_at(slot)?.map(|(seeds, rank)| {
            let row = row_index.unrank(seeds, rank);
            (0..row_index.houses())
                .rev()
                .map(|byte| seeds_in(row, byte) as u64)
                .collect()
        });
        Some(Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(mover, other),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        })
    }

    /// Returns the slot of a position's value; `None` if its houses hold more seeds than the table.
    ///
    /// Each row has one byte a house, house m (next to the store) in the lowest byte, and at most
    /// 255 seeds in all. For any other row the slot is meaningless.
    #[inline]
    pub fn slot(&self, mover: u64, other: u64) -> Option<TableSlot> {
        let slot = self.layout.index_of(mover, other)?;
        (slot < self.values.as_slice().len()).then_some(TableSlot(slot))
    }

    /// Prefetches the gain in `slot`.
    ///
    /// Most probes of a large table miss the cache. A caller that needs several gains waits for
    /// memory only once if it prefetches all of them first.
    #[inline]
    pub fn prefetch(&self, slot: TableSlot) {
        if let Some(value) = self.values.as_slice().get(slot.0) {
            prefetch(value);
        }
    }

    /// Returns the gain of the side to move.
    ///
    /// # Panics
    /// If `slot` belongs to another table and lies beyond the end of this one.
    #[inline]
    pub fn gain(&self, slot: TableSlot) -> i8 {
        (self.values.as_slice()[slot.0] ^ ZERO_GAIN).cast_signed()
    }
}

/// Allocates memory for the values of `positions` positions.
pub(crate) fn allocate(positions: u64) -> Result<Buffer, BuildError> {
    let buffer = usize::try_from(positions).ok().and_then(Buffer::new);
    buffer.ok_or(BuildError::OutOfMemory(positions))
}

/// Converts the verdict of an observer to a result.
pub(crate) fn check_cancelled(flow: ControlFlow<()>) -> Result<(), BuildError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BuildError::Cancelled),
    }
}

/// Runs `work` in a pool of `threads` threads. A single thread is the calling one, without a pool.
pub(crate) fn run_in_pool<T: Send, E: From<BuildError> + Send>(
    threads: NonZeroUsize,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    if threads == NonZeroUsize::MIN {
        return work();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
    let pool = pool.build().map_err(|_| BuildError::ThreadPool(threads))?;
    pool.install(work)
}

/// Checks that a table supports the number of houses and seeds.
fn check_size(variant: Variant, seeds: u8) -> Result<(), BuildError> {
    let houses = variant.houses();
    if !(1..=Table::MAX_HOUSES).contains(&houses) {
        Err(BuildError::UnsupportedHouses(houses))
    } else if seeds > MAX_SEEDS {
        Err(BuildError::TooManySeeds(seeds))
    } else {
        Ok(())
    }
}

/// Packs a row as in [`RowBytes`](crate::index::RowBytes). No house may hold more than 255 seeds.
fn pack_row(position: &Position, side: Side) -> u64 {
    let houses = position.houses_of(side).iter();
    houses.fold(0, |packed, seeds| packed << 8 | u64::from(*seeds))
}
