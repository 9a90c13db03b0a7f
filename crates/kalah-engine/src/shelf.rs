use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

    /// The table for a variant, built if there is none with so many seeds. If it cannot be built, or
    /// the flag is set before it is, what there is.
    pub(crate) fn with_seeds(
        &self,
        variant: Variant,
        seeds: u8,
        threads: NonZeroUsize,
        flag: &AtomicBool,
    ) -> Option<Arc<Table>> {
        let known = self.table(variant);
        if seeds == 0 || known.as_ref().is_some_and(|known| known.seeds() >= seeds) {
            return known;
        }
        let built = Table::build(variant, seeds, threads, &mut |_| {
            if flag.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if let Ok(table) = built {
            self.put(table);
        }
        self.table(variant)
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let seeds = tables
            .iter()
            .map(|table| (table.variant().houses(), table.seeds()));
        f.debug_map().entries(seeds).finish()
    }
}
