use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{CaptureRule, EndRule, FirstPlies, Gain, Position, Rules, Side};
use thiserror::Error;

use crate::generate::Generator;
use crate::index::{MAX_HOUSES, MAX_SEEDS, RowIndex, TableLayout};
use crate::values::{Buffer, Values, ZERO_GAIN, prefetch};

/// What a table is about: the houses of a side, and the rules as far as they matter once a game has begun.
///
/// ```
/// use kalah::Rules;
/// use kalah_tables::Variant;
/// // A swap and the first sowing come before any table.
/// assert_eq!(Variant::new(6, Rules::MANKALAH), Variant::new(6, Rules::STANDARD));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    houses: u8,
    ends: EndRule,
    capture: CaptureRule,
}

impl Variant {
    /// The variant of boards with so many houses a side under these rules.
    pub fn new(houses: u8, rules: Rules) -> Self {
        Self {
            houses,
            ends: rules.ends,
            capture: rules.capture,
        }
    }

    /// The variant that a position is of.
    pub fn from_position(position: &Position) -> Self {
        Self::new(position.houses(), position.rules())
    }

    /// Houses a side.
    pub fn houses(self) -> u8 {
        self.houses
    }

    /// What the file of a table about this is called: what it holds, in words.
    ///
    /// ```
    /// use kalah::Rules;
    /// use kalah_tables::Variant;
    /// let variant = Variant::new(6, Rules::MANKALAH);
    /// assert_eq!(variant.file_name(24), "kalah-6-houses-24-seeds-standard.table");
    /// ```
    pub fn file_name(self, seeds: u8) -> String {
        let rules = self.rules();
        let unnamed = || {
            let [(_, ends), (_, capture), ..] = rules.fields();
            format!("ends-{ends}-capture-{capture}")
        };
        let rules = rules
            .preset()
            .map_or_else(unnamed, |preset| preset.name.to_owned());
        let (houses, extension) = (self.houses, Self::FILE_EXTENSION);
        format!("kalah-{houses}-houses-{seeds}-seeds-{rules}.{extension}")
    }

    /// What the names of table files end with, behind a dot.
    pub const FILE_EXTENSION: &str = "table";

    /// Rules of this variant, without a swap and with a bonus turn from the first sowing on.
    pub fn rules(self) -> Rules {
        Rules {
            ends: self.ends,
            capture: self.capture,
            ..Rules::CS32
        }
    }
}

/// The exact gain of every position of a variant with at most so many seeds in its houses.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
/// use kalah::{Gain, Rules, Setup};
/// use kalah_tables::{Table, Variant};
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
    /// Of the layers, as they are written in the file that the table is in.
    checksums: Option<Vec<u64>>,
}

/// Where a table keeps the value of some houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSlot(usize);

impl TableSlot {
    pub(crate) fn new(place: usize) -> Self {
        Self(place)
    }
}

/// How far the building of a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// Seeds in the houses of the positions that were done last: all with fewer are done.
    pub layer: u8,
    /// Positions done.
    pub done: u64,
    /// Positions in all.
    pub total: u64,
}

/// Why a table cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// No houses, or too many for a table.
    #[error("no table can be made for {0} houses a side: there must be from 1 to {MAX_HOUSES}")]
    UnsupportedHouses(u8),
    /// Too many seeds for a table.
    #[error("no table can be made for {0} seeds: there must be {MAX_SEEDS} at the most")]
    TooManySeeds(u8),
    /// The system does not give the memory.
    #[error("the table needs {0} bytes of memory, which the system does not give")]
    OutOfMemory(u64),
    /// The system does not give the threads.
    #[error("the system does not start {0} threads")]
    ThreadPool(NonZeroUsize),
    /// Whoever watched the progress broke it off.
    #[error("the building of the table was broken off")]
    Cancelled,
}

impl Table {
    /// Houses a side of the largest board that tables can be made for.
    pub const MAX_HOUSES: u8 = MAX_HOUSES;

    /// Seeds in the houses of the fullest position that a table can be made for: gains fit a byte.
    pub const MAX_SEEDS: u8 = MAX_SEEDS;

    /// Positions in a table: all ways to put up to `seeds` seeds into the houses of both sides. A
    /// table needs a byte for each.
    ///
    /// # Errors
    /// [`BuildError::UnsupportedHouses`] and [`BuildError::TooManySeeds`].
    pub fn positions(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        check_size(variant, seeds)?;
        // The ways to put s seeds into h houses are (s + 1) ... (s + h) / h!, with one house more for
        // the seeds that are left out of `seeds`.
        let houses = 2 * u64::from(variant.houses());
        Ok((1..=houses).fold(1, |ways, house| ways * (u64::from(seeds) + house) / house))
    }

    /// Positions with fewer than `seeds` seeds.
    pub(crate) fn positions_before(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        match seeds.checked_sub(1) {
            Some(fewer) => Self::positions(variant, fewer),
            None => Ok(0),
        }
    }

    /// Computes a table with so many threads, and tells again and again how far it has come. One thread is
    /// the calling one.
    ///
    /// # Errors
    /// [`BuildError`]; nothing is left of a table that was broken off.
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

    /// The same on the calling thread alone, as there may be no other; the observer may be one that no other
    /// thread can call.
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

    /// Computes a table within a pool of so many threads.
    fn build_in_pool(
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut dyn FnMut(BuildProgress) -> ControlFlow<()>,
    ) -> Result<Self, BuildError> {
        let all = Self::positions(variant, seeds)?;
        let (houses, rules) = (variant.houses(), variant.rules());
        let mut generator = Generator::new(houses, rules, seeds, threads, allocate(all)?);
        for layer in 0..=seeds {
            let before = Self::positions_before(variant, layer)?;
            let mut see = |values| {
                let done = before + values;
                observer(BuildProgress {
                    layer,
                    done,
                    total: all,
                })
            };
            check_cancelled(generator.build_layer(&mut see))?;
        }
        Self::from_generator(variant, generator)
    }

    /// The table of a generator that has made all layers.
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

    /// The table whose values are in a file, with the checksum of each layer.
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

    /// Of the layers, if the table is in a file.
    pub(crate) fn checksums(&self) -> Option<&[u64]> {
        self.checksums.as_deref()
    }

    /// What the table is about.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Seeds in the houses of the fullest positions in it.
    pub fn seeds(&self) -> u8 {
        u8::try_from(self.layout.seeds()).unwrap_or(u8::MAX)
    }

    /// Bytes of the machine's memory that it takes: none if it is in a file, which the system reads as it likes.
    pub fn memory_bytes(&self) -> usize {
        match self.checksums {
            Some(_) => 0,
            None => self.values.as_slice().len(),
        }
    }

    /// The gain of the side to move; `None` if the position has more seeds in its houses, is of another
    /// variant, or its first plies are still to be made by other rules.
    pub fn probe(&self, position: &Position) -> Option<Gain> {
        if Variant::from_position(position) != self.variant
            || position.first_plies() != FirstPlies::Later
        {
            return None;
        }
        let mover = position.to_move();
        let total = u32::from(position.row_total(mover).get())
            + u32::from(position.row_total(mover.opponent()).get());
        if total > u32::from(self.seeds()) {
            return None;
        }
        let slot = self.slot(
            pack_row(position, mover),
            pack_row(position, mover.opponent()),
        )?;
        Some(Gain::new(self.gain(slot).into()))
    }

    /// Where the value of these houses is kept; `None` if there are more seeds in them than in the table.
    ///
    /// Each row has a byte for each house, the one next to the store in the lowest, and at most 255 seeds; what
    /// is found for a row that is no such one has no meaning.
    #[inline]
    pub fn slot(&self, mover: u64, other: u64) -> Option<TableSlot> {
        let slot = self.layout.index_of(mover, other)?;
        (slot < self.values.as_slice().len()).then_some(TableSlot(slot))
    }

    /// Says that the gain kept there will be asked for soon.
    ///
    /// A large table is far from the processor: whoever asks for several gains at once waits for memory
    /// once if it says so of all of them first.
    #[inline]
    pub fn prefetch(&self, slot: TableSlot) {
        if let Some(value) = self.values.as_slice().get(slot.0) {
            prefetch(value);
        }
    }

    /// The gain of the side to move.
    ///
    /// # Panics
    /// If the slot is of another table and not in this one.
    #[inline]
    pub fn gain(&self, slot: TableSlot) -> i8 {
        (self.values.as_slice()[slot.0] ^ ZERO_GAIN).cast_signed()
    }
}

/// Memory for the values of so many positions.
pub(crate) fn allocate(positions: u64) -> Result<Buffer, BuildError> {
    let memory = usize::try_from(positions).ok().and_then(Buffer::new);
    memory.ok_or(BuildError::OutOfMemory(positions))
}

/// What an observer says, as a result.
pub(crate) fn check_cancelled(flow: ControlFlow<()>) -> Result<(), BuildError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BuildError::Cancelled),
    }
}

/// Does some work within a pool of so many threads; one is the calling thread, without any pool.
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

/// That tables can be made of this.
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

/// A row of a position that has no more seeds than a table.
fn pack_row(position: &Position, side: Side) -> u64 {
    let houses = position.houses_of(side).iter();
    houses.fold(0, |packed, seeds| packed << 8 | u64::from(*seeds))
}
