//! A table in memory: its variant, building it, and probing it.

use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use kalah::{BySide, FirstPlies, Gain, Position, Setup, Side, Variant};
use thiserror::Error;

use crate::file::damage::{TableDamage, TableFault};
use crate::file::verify::TableFile;
use crate::generate::Generator;
use crate::index::{MAX_HOUSES, MAX_SEEDS, TableLayout, seeds_in};
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
/// assert_eq!(table.probe(&position)?, Some(Gain::new(-1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table {
    variant: Variant,
    layout: TableLayout,
    values: Values,
    /// The number of values, from the first one on, that can be probed: those of the layers that
    /// are verified or need no verification.
    usable_values: AtomicUsize,
    /// The number of layers that have these values.
    usable_layers: AtomicU8,
    is_damaged: AtomicBool,
    /// `None` if the table was built in memory. In a box, because the state of a checksum has an
    /// alignment that an owner of the table, such as an object of Python, may not provide.
    file: Option<Box<TableFile>>,
}

/// The alignment in bytes of the memory of objects of Python.
const MAX_ALIGNMENT: usize = 16;

const _: () = assert!(align_of::<Table>() <= MAX_ALIGNMENT);

/// The place of a position's value in a table: its index, and in the highest byte the seeds in the
/// houses of the position. No table has 2^56 values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSlot(u64);

/// The lowest bit of the seeds in a slot.
const SLOT_SEEDS_SHIFT: u32 = 56;

impl TableSlot {
    #[inline]
    fn new(index: usize, seeds: u8) -> Self {
        Self(index as u64 | u64::from(seeds) << SLOT_SEEDS_SHIFT)
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 & ((1 << SLOT_SEEDS_SHIFT) - 1)) as usize
    }

    #[inline]
    fn seeds(self) -> u8 {
        (self.0 >> SLOT_SEEDS_SHIFT) as u8
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

/// The values that a build into a file keeps in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildMemory {
    /// The whole table.
    #[default]
    WholeTable,
    /// One layer at a time. The lower layers are read from the file through a memory map, which the
    /// system keeps in as much memory as is free. If it cannot read the file, it ends the process
    /// with SIGBUS.
    OneLayer,
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

    /// Returns the bytes of memory that building a table needs, an upper estimate.
    ///
    /// ```
    /// use kalah::{Rules, Variant};
    /// use kalah_tables::{BuildMemory, Table};
    ///
    /// let variant = Variant::new(6, Rules::CS32);
    /// assert_eq!(Table::build_bytes(variant, 24, BuildMemory::WholeTable)?, 1_518_854_916);
    /// assert_eq!(Table::build_bytes(variant, 24, BuildMemory::OneLayer)?, 684_403_116);
    /// # Ok::<(), kalah_tables::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::UnsupportedHouses`] and [`BuildError::TooManySeeds`].
    pub fn build_bytes(
        variant: Variant,
        seeds: u8,
        memory: BuildMemory,
    ) -> Result<u64, BuildError> {
        let positions = Self::positions(variant, seeds)?;
        let values = match memory {
            BuildMemory::WholeTable => positions,
            BuildMemory::OneLayer => Self::layer_positions(variant, seeds)?,
        };
        let overhead = positions.div_ceil(MILLION) * BUILD_OVERHEAD_PER_MILLION;
        Ok(values.saturating_add(overhead.saturating_add(MIN_BUILD_BYTES)))
    }

    /// Returns the number of positions with exactly `seeds` seeds, the most of all layers.
    pub(crate) fn layer_positions(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        Ok(Self::positions(variant, seeds)? - Self::positions_before(variant, seeds)?)
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
        let mut values = allocate(total)?;
        let mut generator = Generator::new(variant, seeds, threads);
        for layer in 0..=seeds {
            let range = generator.layout().layer_range(layer.into());
            let before = range.start as u64;
            let mut report = |values| {
                let done = before + values;
                observer(BuildProgress { layer, done, total })
            };
            let (lower_layers, values) = values[..range.end].split_at_mut(range.start);
            let built = generator.build_layer(layer.into(), lower_layers, values, &mut report);
            check_cancelled(built)?;
        }
        Self::from_buffer(variant, seeds, values)
    }

    /// Returns the table of a buffer with all its values.
    pub(crate) fn from_buffer(
        variant: Variant,
        seeds: u8,
        values: Buffer,
    ) -> Result<Self, BuildError> {
        let bytes = values.len() as u64;
        let values = values
            .freeze()
            .map_err(|_| BuildError::OutOfMemory(bytes))?;
        let layout = TableLayout::for_table(variant, seeds);
        Ok(Self::new(variant, layout, values, None))
    }

    /// Returns a table whose values are those of a file. They can be probed only after they are
    /// verified, unless the file needs no verification.
    pub(crate) fn from_file(variant: Variant, seeds: u8, values: Values, file: TableFile) -> Self {
        let layout = TableLayout::for_table(variant, seeds);
        Self::new(variant, layout, values, Some(Box::new(file)))
    }

    fn new(
        variant: Variant,
        layout: TableLayout,
        values: Values,
        file: Option<Box<TableFile>>,
    ) -> Self {
        let is_usable = file.as_deref().is_none_or(TableFile::is_trusted);
        let table = Self {
            variant,
            layout,
            values,
            usable_values: AtomicUsize::new(0),
            usable_layers: AtomicU8::new(0),
            is_damaged: AtomicBool::new(false),
            file,
        };
        if is_usable {
            table.set_usable_layers(table.seeds() + 1);
        }
        table
    }

    pub(crate) fn layout(&self) -> &TableLayout {
        &self.layout
    }

    pub(crate) fn values(&self) -> &[u8] {
        self.values.as_slice()
    }

    pub(crate) fn raw_values(&self) -> &Values {
        &self.values
    }

    pub(crate) fn file(&self) -> Option<&TableFile> {
        self.file.as_deref()
    }

    /// Lets the values of the first `layers` layers be probed, and no others; none if the table is
    /// damaged.
    pub(crate) fn set_usable_layers(&self, layers: u8) {
        let values = match layers.checked_sub(1) {
            Some(last) => self.layout.layer_range(last.into()).end,
            None => 0,
        };
        self.usable_values.store(values, Ordering::SeqCst);
        self.usable_layers.store(layers, Ordering::SeqCst);
        // A search finds wrong values while another thread verifies the next layer. Either this
        // thread sees the flag, or the other one stores its zeros after these numbers.
        if layers > 0 && self.is_damaged.load(Ordering::SeqCst) {
            self.set_usable_layers(0);
        }
    }

    /// Records a fault of `file`, which is that of the table, and lets no value be probed any more.
    pub(crate) fn set_damage<'a>(&self, file: &'a TableFile, fault: TableFault) -> &'a TableDamage {
        let damage = file.set_damage(self.variant, self.seeds(), fault);
        self.is_damaged.store(true, Ordering::SeqCst);
        self.set_usable_layers(0);
        damage
    }

    /// Returns the damage of the table that was found so far.
    pub fn damage(&self) -> Option<&TableDamage> {
        self.file()?.damage()
    }

    /// Returns a flag that is set as soon as damage of the table is found, before any caller
    /// receives a result of the damaged values.
    pub fn damage_flag(&self) -> &AtomicBool {
        &self.is_damaged
    }

    /// Returns the largest number of seeds whose positions can be probed now, or 0: that of
    /// [`Table::seeds`] if the table is in memory, and otherwise as far as
    /// [`Table::verify_layers`] has come.
    #[inline]
    pub fn usable_seeds(&self) -> u8 {
        (self.usable_layers.load(Ordering::Relaxed)).saturating_sub(1)
    }

    /// Returns the path and the addresses of the map of the file, at which the system can report
    /// that it cannot read the file; `None` if the table is in memory.
    pub fn mapped_file(&self) -> Option<(&Path, Range<usize>)> {
        let file = self.file().filter(|file| file.is_mapped())?;
        let range = self.values().as_ptr_range();
        Some((file.path(), range.start.addr()..range.end.addr()))
    }

    /// Returns the values of the positions with `seeds` seeds in their houses, a byte each: the
    /// gain of the side to move plus [`Table::GAIN_OFFSET`]. The order is that of the file, which
    /// `docs/tables.md` describes. `None` if the table has fewer seeds.
    ///
    /// The values are those of the file, whether they are verified or not.
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

    /// Returns the bytes of memory that the table takes from the memory of the engine that built
    /// it: 0 if it is in a file. The system can drop the pages of a mapped file at any time, and a
    /// caller that reads a file into memory provides the memory.
    pub fn memory_bytes(&self) -> usize {
        match self.file {
            Some(_) => 0,
            None => self.values.as_slice().len(),
        }
    }

    /// Returns the gain of the side to move; `None` if the position has more seeds in its houses
    /// than the table, belongs to another variant, or the rules of the first plies still apply to
    /// it. The layers up to that of the position are verified first, as by
    /// [`Table::verify_layers`].
    ///
    /// # Errors
    /// [`TableDamage`] if the table is damaged.
    pub fn probe(&self, position: &Position) -> Result<Option<Gain>, TableDamage> {
        let Some((index, seeds)) = self.index_of(position) else {
            return Ok(None);
        };
        let _ = self.verify_layers(seeds, &mut || ControlFlow::Continue(()))?;
        match self.gain(TableSlot::new(index, seeds)) {
            Some(gain) => Ok(Some(Gain::new(gain.into()))),
            None => self.damage().cloned().map_or(Ok(None), Err),
        }
    }

    /// Returns the index of the value of a position, and the seeds in its houses; `None` if the
    /// table does not have it.
    pub(crate) fn index_of(&self, position: &Position) -> Option<(usize, u8)> {
        if Variant::from_position(position) != self.variant
            || position.first_plies() != FirstPlies::Later
        {
            return None;
        }
        let mover = position.to_move();
        let seeds = u8::try_from(position.seeds_in_play().get()).ok()?;
        if seeds > self.seeds() {
            return None;
        }
        let index = self.layout.index_of(
            pack_row(position, mover),
            pack_row(position, mover.opponent()),
        )?;
        Some((index.0, seeds))
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

    /// Returns the slot of a position's value; `None` if its houses hold more seeds than the table,
    /// or if the value is in a layer that is not verified.
    ///
    /// Each row has one byte a house, house m (next to the store) in the lowest byte, and at most
    /// 255 seeds in all. For any other row the slot is meaningless.
    #[inline]
    pub fn slot(&self, mover: u64, other: u64) -> Option<TableSlot> {
        let (index, seeds) = self.layout.index_of(mover, other)?;
        let is_usable = index < self.usable_values.load(Ordering::Relaxed);
        is_usable.then(|| TableSlot::new(index, seeds))
    }

    /// Prefetches the gain in `slot`.
    ///
    /// Most probes of a large table miss the cache. A caller that needs several gains waits for
    /// memory only once if it prefetches all of them first.
    #[inline]
    pub fn prefetch(&self, slot: TableSlot) {
        if let Some(value) = self.values.as_slice().get(slot.index()) {
            prefetch(value);
        }
    }

    /// Returns the gain of the side to move; `None` if the value is out of range or has the wrong
    /// parity. Such a value is damage, which [`Table::damage`] returns from then on.
    ///
    /// # Panics
    /// If `slot` belongs to another table and lies beyond the end of this one.
    #[inline]
    pub fn gain(&self, slot: TableSlot) -> Option<i8> {
        let value = self.values.as_slice()[slot.index()];
        let seeds = slot.seeds();
        // The gain plus the seeds, which is even and at most twice the seeds.
        let above_least = value.wrapping_sub(ZERO_GAIN.wrapping_sub(seeds));
        if above_least > seeds.wrapping_mul(2) || !above_least.is_multiple_of(2) {
            self.record_wrong_value(slot);
            return None;
        }
        Some((value ^ ZERO_GAIN).cast_signed())
    }

    /// Records that the value in `slot` is no gain.
    #[cold]
    fn record_wrong_value(&self, slot: TableSlot) {
        if let Some(file) = &self.file {
            let fault = TableFault::Value {
                layer: slot.seeds(),
                gain: self.unchecked_gain(slot.index()).into(),
            };
            self.set_damage(file, fault);
        }
    }

    /// Returns the gain that the value at `index` stands for, whether it is verified or not.
    pub(crate) fn unchecked_gain(&self, index: usize) -> i8 {
        (self.values()[index] ^ ZERO_GAIN).cast_signed()
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
