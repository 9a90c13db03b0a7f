use kalah::{Margin, SeedCount};

/// Whether a game of so many seeds can end with that margin: with no more than all of them, and if their number is odd
/// with an odd one.
pub(crate) fn is_possible(margin: Margin, seeds: SeedCount) -> bool {
    let (all, apart) = (u32::from(seeds), margin.seeds().unsigned_abs());
    apart <= all && apart % 2 == all % 2
}
