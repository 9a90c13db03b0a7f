use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use kalah_tables::{Table, Variant};

/// Endgame tables that searches share: those put there, and those that searches built.
///
/// There is at most one table for a variant, that with the most seeds. A clone is the same shelf.
#[derive(Clone, Default)]
pub struct Shelf {
    tables: Arc<Mutex<Vec<Arc<Table>>>>,
}

impl Shelf {
    /// A shelf without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The table for a variant, if there is one.
    pub fn table(&self, variant: Variant) -> Option<Arc<Table>> {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables
            .iter()
            .find(|table| table.variant() == variant)
            .cloned()
    }

    /// Puts a table there, unless there is one with as many seeds for its variant.
    pub fn put(&self, table: Table) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let variant = table.variant();
        let known = tables.iter_mut().find(|known| known.variant() == variant);
        match known {
            Some(known) if known.seeds() < table.seeds() => *known = Arc::new(table),
            Some(_) => {}
            None => tables.push(Arc::new(table)),
        }
    }

    /// Puts a table there that it has built, unless it cannot be built, or the flag is set or the time is
    /// up before it is.
    pub(crate) fn build(
        &self,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        flag: &AtomicBool,
        is_late: &dyn Fn() -> bool,
    ) {
        if let Some(table) = built(variant, seeds, threads, flag, is_late) {
            self.put(table);
        }
    }
}

/// A table that other threads build, while this one looks at the clock: at every so many positions, so
/// that it depends on nothing but them how often that is.
fn built(
    variant: Variant,
    seeds: u8,
    threads: NonZeroUsize,
    flag: &AtomicBool,
    is_late: &dyn Fn() -> bool,
) -> Option<Table> {
    let (late, mut looked_at) = (&AtomicBool::new(false), 0);
    let (step, steps) = mpsc::channel();
    let build = move || {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let built = Table::build(variant, seeds, threads, &mut |progress| {
            if progress.done >= looked_at + POSITIONS_BETWEEN_LOOKS {
                looked_at = progress.done;
                // Nobody looks any more if it is late.
                let _ = step.send(());
            }
            if is_set(flag) || is_set(late) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        built.ok()
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().spawn_scoped(scope, build).ok()?;
        if steps.into_iter().any(|()| is_late()) {
            late.store(true, Ordering::Relaxed);
        }
        builder
            .join()
            .unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

/// The fewest positions of a table between two looks at the clock, some milliseconds; there are none within a step of
/// the work, which takes tens of them in a large table.
const POSITIONS_BETWEEN_LOOKS: u64 = 1 << 19;

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let seeds = tables
            .iter()
            .map(|table| (table.variant().houses(), table.seeds()));
        f.debug_map().entries(seeds).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::Rules;

    /// More positions than are built between two looks at the clock.
    const SEEDS: u8 = 12;

    fn seeds_built(flag: bool, is_late: bool) -> Option<u8> {
        let (shelf, variant) = (Shelf::new(), Variant::new(6, Rules::CS32));
        let flag = AtomicBool::new(flag);
        shelf.build(variant, SEEDS, NonZeroUsize::MIN, &flag, &|| is_late);
        shelf.table(variant).map(|table| table.seeds())
    }

    #[test]
    fn a_table_is_broken_off_in_time() {
        assert_eq!(seeds_built(false, false), Some(SEEDS));
        assert_eq!(seeds_built(true, false), None);
        assert_eq!(seeds_built(false, true), None);
    }
}
