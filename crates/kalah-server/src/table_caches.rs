//! Endgame tables shared by all engines, by variant of the game.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use kalah_engine::TableCache;
use kalah_tables::Variant;

/// Endgame tables that all questions share: a shelf for each variant of the game that was asked about of late.
///
/// A clone is the same shelves.
#[derive(Clone)]
pub struct TableCaches(Arc<TableCachesInner>);

struct TableCachesInner {
    load: Box<dyn Fn(Variant) -> TableCache + Send + Sync>,
    /// The variants last asked about, the last one last.
    recent: Mutex<Vec<(Variant, TableCache)>>,
}

impl TableCaches {
    /// The most shelves that are kept: whoever asks about another variant takes the place of the one that has not been
    /// asked about for longest, so that tables do not fill the memory.
    pub const MAX_CACHES: usize = 3;

    /// Shelves which begin with the tables that `find` has for a variant.
    pub fn new(find: impl Fn(Variant) -> TableCache + Send + Sync + 'static) -> Self {
        Self(Arc::new(TableCachesInner {
            load: Box::new(find),
            recent: Mutex::default(),
        }))
    }

    /// The shelf for a variant.
    pub(crate) fn for_variant(&self, variant: Variant) -> TableCache {
        let mut kept = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|&(known, _)| known == variant);
        let found = match known {
            Some(at) => kept.remove(at).1,
            None => (self.0.load)(variant),
        };
        if kept.len() >= Self::MAX_CACHES {
            kept.remove(0);
        }
        kept.push((variant, found.clone()));
        found
    }
}

/// Shelves that are empty at first.
impl Default for TableCaches {
    fn default() -> Self {
        Self::new(|_| TableCache::new())
    }
}

impl fmt::Debug for TableCaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_map().entries(kept.iter().cloned()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::ops::ControlFlow;

    use kalah::Rules;
    use kalah_tables::Table;

    use super::*;

    fn variant(houses: u8) -> Variant {
        Variant::new(houses, Rules::CS32)
    }

    #[test]
    fn a_shelf_is_shared_until_too_many_others_are_asked_for() {
        let shelves = TableCaches::default();
        let table = Table::build(variant(2), 2, NonZeroUsize::MIN, &mut |_| {
            ControlFlow::Continue(())
        });
        shelves
            .for_variant(variant(2))
            .insert(table.expect("a small table"));
        let is_known = || shelves.for_variant(variant(2)).get(variant(2)).is_some();
        for houses in 3..8 {
            shelves.for_variant(variant(houses));
            assert!(is_known(), "it was asked for just now");
        }
        let most = u8::try_from(TableCaches::MAX_CACHES).expect("a few");
        for houses in 3..3 + most {
            shelves.for_variant(variant(houses));
        }
        assert!(!is_known());
    }
}
