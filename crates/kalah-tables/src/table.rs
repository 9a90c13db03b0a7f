use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{Gain, Opening, Position, Side};
use thiserror::Error;

use crate::generate::{Generator, NO_GAIN};
use crate::layout::Layout;
use crate::memory::Memory;
use crate::prefetch::prefetch;
use crate::row_index::{MOST_HOUSES, MOST_SEEDS, RowIndex};
use crate::sowings::Sowings;
use crate::values::Values;
use crate::{Header, Variant};

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
    layout: Layout,
    values: Values,
    /// Of the layers, as they are written in the file that the table is in.
    checksums: Option<Vec<u64>>,
}

/// Where a table keeps the value of some houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(usize);

impl Slot {
    pub(crate) fn at(place: usize) -> Self {
        Self(place)
    }
}

/// How far the building of a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Seeds in the houses of the positions that were done last: all with fewer are done.
    pub layer: u8,
    /// Positions done.
    pub done: u64,
    /// Positions in all.
    pub all: u64,
}

/// Why a table cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// No houses, or too many for a table.
    #[error("no table can be made for {0} houses a side: there must be from 1 to {MOST_HOUSES}")]
    Houses(u8),
    /// Too many seeds for a table.
    #[error("no table can be made for {0} seeds: there must be {MOST_SEEDS} at the most")]
    Seeds(u8),
    /// The system does not give the memory.
    #[error("the table needs {0} bytes of memory, which the system does not give")]
    Memory(u64),
    /// The system does not give the threads.
    #[error("the system does not start {0} threads")]
    Threads(NonZeroUsize),
    /// Whoever watched the progress broke it off.
    #[error("the building of the table was broken off")]
    BrokenOff,
}

impl Table {
    /// Houses a side of the largest board that tables can be made for.
    pub const MOST_HOUSES: u8 = MOST_HOUSES;

    /// Seeds in the houses of the fullest position that a table can be made for: gains fit a byte.
    pub const MOST_SEEDS: u8 = MOST_SEEDS;

    /// Positions in a table: all ways to put up to `seeds` seeds into the houses of both sides. A
    /// table needs a byte for each.
    ///
    /// # Errors
    /// [`BuildError::Houses`] and [`BuildError::Seeds`].
    pub fn positions(variant: Variant, seeds: u8) -> Result<u64, BuildError> {
        check(variant, seeds)?;
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
        observer: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<Self, BuildError> {
        in_threads(threads, || {
            Self::build_within(variant, seeds, threads, observer)
        })
    }

    /// The same on the calling thread alone, as there may be no other; the observer may be one that no other
    /// thread can call.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build_alone(
        variant: Variant,
        seeds: u8,
        observer: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, BuildError> {
        Self::build_within(variant, seeds, NonZeroUsize::MIN, observer)
    }

    /// Computes a table within a pool of so many threads.
    fn build_within(
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        observer: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, BuildError> {
        let all = Self::positions(variant, seeds)?;
        let mut generator = generator(variant, seeds, threads, memory(all)?);
        for layer in 0..=seeds {
            let before = Self::positions_before(variant, layer)?;
            let mut see = |values| {
                let done = before + values;
                observer(Progress { layer, done, all })
            };
            unbroken(generator.layer(&mut see))?;
        }
        Self::generated(variant, generator)
    }

    /// The table of a generator that has made all layers.
    pub(crate) fn generated(variant: Variant, generator: Generator) -> Result<Self, BuildError> {
        let (layout, values) = generator.into_parts();
        let bytes = values.len() as u64;
        let values = values.freeze().map_err(|_| BuildError::Memory(bytes))?;
        Ok(Self {
            variant,
            layout,
            values,
            checksums: None,
        })
    }

    /// The table of a file with this header, its values being as many as the header says.
    pub(crate) fn of_file(header: &Header, values: Values) -> Self {
        let variant = header.variant();
        let index = RowIndex::new(variant.houses().into());
        Self {
            variant,
            layout: Layout::new(index, header.seeds().into()),
            values,
            checksums: Some(header.checksums().to_vec()),
        }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn values(&self) -> &[u8] {
        self.values.all()
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
    pub fn bytes_of_memory(&self) -> usize {
        match self.checksums {
            Some(_) => 0,
            None => self.values.all().len(),
        }
    }

    /// The gain of the side to move; `None` if the position has more seeds in its houses, is of another
    /// variant, or its first plies are still to be made by other rules.
    pub fn probe(&self, position: &Position) -> Option<Gain> {
        if Variant::of(position) != self.variant || position.opening() != Opening::Past {
            return None;
        }
        let mover = position.to_move();
        let total =
            u32::from(position.row(mover).get()) + u32::from(position.row(mover.opponent()).get());
        if total > u32::from(self.seeds()) {
            return None;
        }
        let slot = self.slot(packed(position, mover), packed(position, mover.opponent()))?;
        Some(Gain::new(self.gain(slot).into()))
    }

    /// Where the value of these houses is kept; `None` if there are more seeds in them than in the table.
    ///
    /// Each row has a byte for each house, the one next to the store in the lowest, and at most 255 seeds; what
    /// is found for a row that is no such one has no meaning.
    #[inline]
    pub fn slot(&self, mover: u64, other: u64) -> Option<Slot> {
        let slot = self.layout.position(mover, other)?;
        (slot < self.values.all().len()).then_some(Slot(slot))
    }

    /// Says that the gain kept there will be asked for soon.
    ///
    /// A large table is far from the processor: whoever asks for several gains at once waits for memory
    /// once if it says so of all of them first.
    #[inline]
    pub fn prefetch(&self, slot: Slot) {
        if let Some(value) = self.values.all().get(slot.0) {
            prefetch(value);
        }
    }

    /// The gain of the side to move.
    ///
    /// # Panics
    /// If the slot is of another table and not in this one.
    #[inline]
    pub fn gain(&self, slot: Slot) -> i8 {
        (self.values.all()[slot.0] ^ NO_GAIN).cast_signed()
    }
}

/// Memory for the values of so many positions.
pub(crate) fn memory(positions: u64) -> Result<Memory, BuildError> {
    let memory = usize::try_from(positions).ok().and_then(Memory::new);
    memory.ok_or(BuildError::Memory(positions))
}

/// What an observer says, as a result.
pub(crate) fn unbroken(flow: ControlFlow<()>) -> Result<(), BuildError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BuildError::BrokenOff),
    }
}

/// Does some work within a pool of so many threads; one is the calling thread, without any pool.
pub(crate) fn in_threads<T: Send, E: From<BuildError> + Send>(
    threads: NonZeroUsize,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    if threads == NonZeroUsize::MIN {
        return work();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
    let pool = pool.build().map_err(|_| BuildError::Threads(threads))?;
    pool.install(work)
}

/// What makes the values of a table that can be made, within a pool of so many threads.
pub(crate) fn generator(
    variant: Variant,
    seeds: u8,
    threads: NonZeroUsize,
    values: Memory,
) -> Generator {
    let houses = variant.houses().into();
    let layout = Layout::new(RowIndex::new(houses), seeds.into());
    let sowings = Sowings::new(houses, variant.rules(), seeds.into());
    Generator::new(layout, sowings, threads, values)
}

/// That tables can be made of this.
fn check(variant: Variant, seeds: u8) -> Result<(), BuildError> {
    let houses = variant.houses();
    if !(1..=Table::MOST_HOUSES).contains(&houses) {
        Err(BuildError::Houses(houses))
    } else if seeds > MOST_SEEDS {
        Err(BuildError::Seeds(seeds))
    } else {
        Ok(())
    }
}

/// A row of a position that has no more seeds than a table.
fn packed(position: &Position, side: Side) -> u64 {
    let houses = position.houses_of(side).iter();
    houses.fold(0, |packed, seeds| packed << 8 | u64::from(*seeds))
}
