use std::hash::{BuildHasher as _, RandomState};

/// Lots, different in each run.
#[derive(Debug, Default)]
pub(super) struct Rng {
    state: RandomState,
    counter: u64,
}

impl Rng {
    pub(super) fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        self.state.hash_one(self.counter)
    }

    /// A number less than `most`, which is not 0.
    pub(super) fn below(&mut self, most: usize) -> usize {
        let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next_u64() % most).unwrap_or(0)
    }

    /// One of these, if there are any.
    pub(super) fn choose<'a, T>(&mut self, these: &'a [T]) -> Option<&'a T> {
        these.get(self.below(these.len()))
    }
}
