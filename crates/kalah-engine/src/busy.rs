use std::sync::atomic::{AtomicU64, Ordering};

use crate::key::PositionKey;

/// The positions that the threads of a search are at work on, so that each can leave what another one
/// has begun for later: the simple form of ABDADA (J.-C. Weill, "The ABDADA distributed minimax-search
/// algorithm", 1996) that T. Kerrigan has described.
///
/// It only says what is worth doing next. Two positions may share a place, and one may be forgotten.
pub(crate) struct CurrentlySearching {
    /// The heads of keys; 0 where there is none.
    slots: Box<[AtomicU64]>,
}

/// Far more than threads have positions on the way from a root; they fit the cache of a core.
const SLOT_COUNT: u64 = 1 << 12;

impl CurrentlySearching {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOT_COUNT).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn slot(&self, key: PositionKey) -> &AtomicU64 {
        &self.slots[(key.head % SLOT_COUNT) as usize]
    }

    /// Whether a thread is at work on the position with this key.
    pub(crate) fn contains(&self, key: PositionKey) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key.head
    }

    /// A thread begins with it.
    pub(crate) fn begin(&self, key: PositionKey) {
        self.slot(key).store(key.head, Ordering::Relaxed);
    }

    /// A thread has ended with it.
    pub(crate) fn end(&self, key: PositionKey) {
        self.slot(key).store(0, Ordering::Relaxed);
    }
}
