use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `work` returns, or `fallback` if it panics: no panic may cross into C.
pub(crate) fn catch_panic<T>(fallback: T, work: impl FnOnce() -> T) -> T {
    // A board that a panic leaves half changed is still a board: its numbers are wrong, not its memory.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(fallback)
}

#[cfg(test)]
mod tests {
    use super::catch_panic;

    #[test]
    fn a_panic_ends_here() {
        assert_eq!(catch_panic(-1, || i32::from(true)), 1);
        assert_eq!(
            catch_panic(-1, || panic!("this test panics on purpose")),
            -1
        );
    }
}
