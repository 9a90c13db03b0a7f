//! Endgame tables as the search probes them, and the cache that engines share.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use kalah::Variant;
use kalah_tables::{BuildProgress, FileRevision, Table, TableDamage, TableSlot};

/// A source of exact gains for positions near the end.
///
/// Rows are packed as in [`PackedBoard`](kalah_board::PackedBoard). A search first looks up the
/// slots of all children of a node and reads them afterwards, so that the memory accesses overlap.
pub(crate) trait EndgameTable: Sync {
    /// The location of a gain.
    type ValueSlot: Copy + Send + Sync;

    /// The greatest number of seeds in play of positions in the table.
    fn max_seeds(&self) -> i32;

    /// Memory used, in bytes.
    fn memory_bytes(&self) -> usize;

    /// Verifies the values of positions with at most `in_play` seeds, or finds damage.
    /// `is_stopped` is called several times a second, and ends the verification.
    fn verify(&self, in_play: i32, is_stopped: &dyn Fn() -> bool);

    /// Returns the revision of the file. Values that are not verified in it are not used.
    fn revision(&self) -> FileRevision;

    /// Finds damage if the file has changed since `revision`.
    fn check_revision(&self, revision: FileRevision);

    /// Returns the damage that was found so far.
    fn damage(&self) -> Option<&TableDamage>;

    /// Returns a flag that is set as soon as damage is found; `None` if there cannot be any.
    fn damage_flag(&self) -> Option<&AtomicBool>;

    /// Returns the slot of a position in the table and prefetches it.
    fn slot(&self, own: u64, other: u64) -> Option<Self::ValueSlot>;

    /// Returns the gain of the side to move, or any gain if the value is damaged. Then
    /// [`Self::damage_flag`] is set, which stops the search, and its results are discarded.
    fn gain(&self, slot: Self::ValueSlot) -> i8;
}

/// An empty endgame table.
pub(crate) struct NoEndgameTable;

impl EndgameTable for NoEndgameTable {
    type ValueSlot = Infallible;

    #[inline]
    fn max_seeds(&self) -> i32 {
        0
    }

    fn memory_bytes(&self) -> usize {
        0
    }

    fn verify(&self, _in_play: i32, _is_stopped: &dyn Fn() -> bool) {}

    fn revision(&self) -> FileRevision {
        FileRevision::default()
    }

    fn check_revision(&self, _revision: FileRevision) {}

    fn damage(&self) -> Option<&TableDamage> {
        None
    }

    fn damage_flag(&self) -> Option<&AtomicBool> {
        None
    }

    #[inline]
    fn slot(&self, _own: u64, _other: u64) -> Option<Infallible> {
        None
    }

    #[inline]
    fn gain(&self, slot: Infallible) -> i8 {
        match slot {}
    }
}

impl EndgameTable for Table {
    type ValueSlot = TableSlot;

    #[inline]
    fn max_seeds(&self) -> i32 {
        self.usable_seeds().into()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    // The caller asks for the damage that these methods find.

    fn verify(&self, in_play: i32, is_stopped: &dyn Fn() -> bool) {
        let seeds = u8::try_from(in_play).unwrap_or(u8::MAX);
        let _ = self.verify_layers(seeds, &mut || break_if(is_stopped()));
    }

    fn revision(&self) -> FileRevision {
        self.check_unchanged().unwrap_or_default()
    }

    fn check_revision(&self, revision: FileRevision) {
        let _ = self.check_unchanged_since(revision);
    }

    fn damage(&self) -> Option<&TableDamage> {
        Table::damage(self)
    }

    fn damage_flag(&self) -> Option<&AtomicBool> {
        Some(Table::damage_flag(self))
    }

    #[inline]
    fn slot(&self, own: u64, other: u64) -> Option<TableSlot> {
        let slot = Table::slot(self, own, other)?;
        self.prefetch(slot);
        Some(slot)
    }

    #[inline]
    fn gain(&self, slot: TableSlot) -> i8 {
        Table::gain(self, slot).unwrap_or_default()
    }
}

/// Endgame tables that engines share: inserted ones, and those that engines built.
///
/// It holds at most one table per variant, the one with the most seeds. A damaged table leaves the
/// cache, which remembers the damage. Clones share their tables.
#[derive(Clone, Default)]
pub struct TableCache {
    state: Arc<Mutex<CacheState>>,
    build_turn: Arc<Mutex<()>>,
    damage_observer: Option<Arc<DamageObserver>>,
}

/// A function that is called for each damaged table.
type DamageObserver = dyn Fn(&TableDamage) + Send + Sync;

#[derive(Default)]
struct CacheState {
    tables: Vec<Arc<Table>>,
    /// The damage of tables that are not used, at most one of each variant.
    damages: Vec<TableDamage>,
}

/// The interval at which an engine that waits for a table looks whether it has to stop.
const BUILD_TURN_POLL_INTERVAL: Duration = Duration::from_millis(10);

impl TableCache {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a cache with the same tables that calls `observer` once for each damaged table, as
    /// soon as the damage is found.
    #[must_use]
    pub fn with_damage_observer(
        self,
        observer: impl Fn(&TableDamage) + Send + Sync + 'static,
    ) -> Self {
        Self {
            damage_observer: Some(Arc::new(observer)),
            ..self
        }
    }

    /// Returns the table of a variant.
    pub fn get(&self, variant: Variant) -> Option<Arc<Table>> {
        let mut state = self.lock();
        let index = (state.tables.iter()).position(|table| table.variant() == variant)?;
        let Some(damage) = state.tables[index].damage().cloned() else {
            return Some(Arc::clone(&state.tables[index]));
        };
        state.tables.swap_remove(index);
        drop(state);
        self.insert_damage(damage);
        None
    }

    /// Returns the damage of a table of `variant` that is not used for this reason.
    pub fn damage(&self, variant: Variant) -> Option<TableDamage> {
        let state = self.lock();
        let mut damages = state.damages.iter();
        damages.find(|damage| damage.variant() == variant).cloned()
    }

    /// Records that a table is not used because of this damage.
    pub fn insert_damage(&self, damage: TableDamage) {
        if let Some(observer) = &self.damage_observer {
            observer(&damage);
        }
        let damages = &mut self.lock().damages;
        damages.retain(|known| known.variant() != damage.variant());
        damages.push(damage);
    }

    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a table unless the cache has one of the same variant with as many seeds. A table in
    /// an `Arc` can be part of several caches.
    pub fn insert(&self, table: impl Into<Arc<Table>>) {
        let table = table.into();
        let tables = &mut self.lock().tables;
        let variant = table.variant();
        let existing = tables
            .iter_mut()
            .find(|existing| existing.variant() == variant);
        match existing {
            Some(existing) if existing.seeds() < table.seeds() => *existing = table,
            Some(_) => {}
            None => tables.push(table),
        }
    }

    /// Builds a table and inserts it. Nothing is inserted if building fails or is stopped by the
    /// flag or by `is_late`.
    pub(crate) fn build_and_insert(
        &self,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        stop_flag: &AtomicBool,
        is_late: &dyn Fn() -> bool,
    ) {
        if let Some(table) = build_table(variant, seeds, threads, stop_flag, is_late) {
            self.insert(table);
        }
    }

    /// Waits for the turn to build a table, which one engine of a group has at a time; `None` if
    /// `is_stopped` returns true before. The turn ends when the guard is dropped.
    pub(crate) fn take_build_turn(
        &self,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<MutexGuard<'_, ()>> {
        loop {
            match self.build_turn.try_lock() {
                Ok(turn) => return Some(turn),
                // A build that panicked has inserted nothing.
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) if is_stopped() => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(BUILD_TURN_POLL_INTERVAL),
            }
        }
    }

    /// Returns a cache with the tables that this one has, which shares no tables that either of
    /// them gets later.
    #[must_use]
    pub fn fork(&self) -> Self {
        let state = self.lock();
        Self {
            state: Arc::new(Mutex::new(CacheState {
                tables: state.tables.clone(),
                damages: state.damages.clone(),
            })),
            build_turn: Arc::default(),
            damage_observer: self.damage_observer.clone(),
        }
    }
}

/// The least number of positions between two polls of the clock, some milliseconds of work. There
/// are no polls within a step of the generator, which takes tens of milliseconds in a large table.
const POSITIONS_PER_POLL: u64 = 1 << 19;

/// Builds a table with this thread alone, or with other threads while this one polls the clock.
/// Polls are counted in positions, so that their number does not depend on the machine.
fn build_table(
    variant: Variant,
    seeds: u8,
    threads: NonZeroUsize,
    stop_flag: &AtomicBool,
    is_late: &dyn Fn() -> bool,
) -> Option<Table> {
    let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let mut polled_at = 0;
    let mut is_poll_due = move |progress: BuildProgress| {
        let is_due = progress.done >= polled_at + POSITIONS_PER_POLL;
        if is_due {
            polled_at = progress.done;
        }
        is_due
    };
    if threads == NonZeroUsize::MIN {
        let table = Table::build_single_threaded(variant, seeds, &mut |progress| {
            break_if(is_set(stop_flag) || is_poll_due(progress) && is_late())
        });
        return table.ok();
    }
    let is_stopped = &AtomicBool::new(false);
    let (poll_sender, polls) = mpsc::channel();
    let build = move || {
        let table = Table::build(variant, seeds, threads, &mut |progress| {
            if is_poll_due(progress) {
                // The receiver is gone once it is late.
                let _ = poll_sender.send(());
            }
            break_if(is_set(stop_flag) || is_set(is_stopped))
        });
        table.ok()
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().spawn_scoped(scope, build).ok()?;
        if polls.into_iter().any(|()| is_late()) {
            is_stopped.store(true, Ordering::Relaxed);
        }
        builder
            .join()
            .unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

fn break_if(stop: bool) -> ControlFlow<()> {
    if stop {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

impl fmt::Debug for TableCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        let seeds = (state.tables)
            .iter()
            .map(|table| (table.variant().houses(), table.seeds()));
        f.debug_map().entries(seeds).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::Rules;

    /// More positions than lie between two polls.
    const SEEDS: u8 = 12;

    fn seeds_built(threads: usize, stop_flag: bool, is_late: bool) -> Option<u8> {
        let (cache, variant) = (TableCache::new(), Variant::new(6, Rules::CS32));
        let (threads, stop_flag) = (NonZeroUsize::new(threads)?, AtomicBool::new(stop_flag));
        cache.build_and_insert(variant, SEEDS, threads, &stop_flag, &|| is_late);
        cache.get(variant).map(|table| table.seeds())
    }

    #[test]
    fn table_build_stops_at_flag_and_deadline() {
        for threads in [1, 2] {
            assert_eq!(seeds_built(threads, false, false), Some(SEEDS));
            assert_eq!(seeds_built(threads, true, false), None);
            assert_eq!(seeds_built(threads, false, true), None);
        }
    }

    #[test]
    fn one_engine_at_a_time_has_the_turn_to_build() {
        let cache = TableCache::new();
        let turn = cache.take_build_turn(&|| false);
        assert!(turn.is_some());
        assert!(cache.clone().take_build_turn(&|| true).is_none());
        drop(turn);
        assert!(cache.clone().take_build_turn(&|| true).is_some());
    }

    #[test]
    fn forked_cache_shares_earlier_tables_alone() {
        let (cache, go_on) = (TableCache::new(), AtomicBool::new(false));
        let [first, second] = [Rules::CS32, Rules::STANDARD].map(|rules| Variant::new(3, rules));
        let build = |cache: &TableCache, variant| {
            cache.build_and_insert(variant, 5, NonZeroUsize::MIN, &go_on, &|| false);
        };
        build(&cache, first);
        let fork = cache.fork();
        build(&fork, second);
        assert!(fork.get(first).is_some() && fork.get(second).is_some());
        assert!(cache.get(second).is_none());
    }
}
