use std::hash::{BuildHasher as _, RandomState};

/// Lots, different in each run.
#[derive(Debug, Default)]
pub(super) struct Lots {
    state: RandomState,
    drawn: u64,
}

impl Lots {
    pub(super) fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        self.state.hash_one(self.drawn)
    }

    /// A number less than `most`, which is not 0.
    pub(super) fn below(&mut self, most: usize) -> usize {
        let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.draw() % most).unwrap_or(0)
    }

    /// One of these, if there are any.
    pub(super) fn pick<'a, T>(&mut self, these: &'a [T]) -> Option<&'a T> {
        these.get(self.below(these.len()))
    }
}
