//! Endgame tables shared by all engines, by variant of the game.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use kalah_engine::TableCache;
use kalah_tables::Variant;

/// Endgame tables that all requests share: one cache for each recently used variant of the game.
///
/// A clone shares the same caches.
#[derive(Clone)]
pub struct TableCaches(Arc<TableCachesInner>);

struct TableCachesInner {
    load: Box<dyn Fn(Variant) -> TableCache + Send + Sync>,
    /// The caches in order of use, the most recent last.
    recent: Mutex<Vec<(Variant, TableCache)>>,
}

impl TableCaches {
    /// The maximum number of caches, which bounds the memory. A further variant replaces the least
    /// recently used one.
    pub const MAX_CACHES: usize = 3;

    /// Creates caches that `load` fills with existing tables on the first use of a variant.
    pub fn new(load: impl Fn(Variant) -> TableCache + Send + Sync + 'static) -> Self {
        Self(Arc::new(TableCachesInner {
            load: Box::new(load),
            recent: Mutex::default(),
        }))
    }

    /// Returns the cache of a variant.
    pub(crate) fn for_variant(&self, variant: Variant) -> TableCache {
        let mut recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let index = recent.iter().position(|&(known, _)| known == variant);
        let cache = match index {
            Some(index) => recent.remove(index).1,
            None => (self.0.load)(variant),
        };
        if recent.len() >= Self::MAX_CACHES {
            recent.remove(0);
        }
        recent.push((variant, cache.clone()));
        cache
    }
}

/// Caches that are empty at first.
impl Default for TableCaches {
    fn default() -> Self {
        Self::new(|_| TableCache::new())
    }
}

impl fmt::Debug for TableCaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_map().entries(recent.iter().cloned()).finish()
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
    fn least_recently_used_cache_is_dropped() {
        let caches = TableCaches::default();
        let table = Table::build(variant(2), 2, NonZeroUsize::MIN, &mut |_| {
            ControlFlow::Continue(())
        });
        caches
            .for_variant(variant(2))
            .insert(table.expect("a small table"));
        let is_known = || caches.for_variant(variant(2)).get(variant(2)).is_some();
        for houses in 3..8 {
            caches.for_variant(variant(houses));
            assert!(is_known(), "a recently used cache");
        }
        let max_caches = u8::try_from(TableCaches::MAX_CACHES).expect("a few");
        for houses in 3..3 + max_caches {
            caches.for_variant(variant(houses));
        }
        assert!(!is_known());
    }
}
