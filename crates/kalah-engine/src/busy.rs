use std::sync::atomic::{AtomicU64, Ordering};

use crate::key::Key;

/// The positions that the threads of a search are at work on, so that each can leave what another one
/// has begun for later: the simple form of ABDADA (J.-C. Weill, "The ABDADA distributed minimax-search
/// algorithm", 1996) that T. Kerrigan has described.
///
/// It only says what is worth doing next. Two positions may share a place, and one may be forgotten.
pub(crate) struct Busy {
    /// The heads of keys; 0 where there is none.
    places: Box<[AtomicU64]>,
}

/// Far more than threads have positions on the way from a root; they fit the cache of a core.
const PLACES: u64 = 1 << 12;

impl Busy {
    pub(crate) fn new() -> Self {
        Self {
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn place(&self, key: Key) -> &AtomicU64 {
        &self.places[(key.head % PLACES) as usize]
    }

    /// Whether a thread is at work on the position with this key.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.head
    }

    /// A thread begins with it.
    pub(crate) fn begin(&self, key: Key) {
        self.place(key).store(key.head, Ordering::Relaxed);
    }

    /// A thread has ended with it.
    pub(crate) fn end(&self, key: Key) {
        self.place(key).store(0, Ordering::Relaxed);
    }
}
