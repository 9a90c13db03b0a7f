//! The extent of the property tests.

use proptest::test_runner::Config;

/// Returns the configuration of a test of `cases` cases. Miri, which takes a second for some of
/// them, runs few.
pub(crate) fn cases(cases: u32) -> Config {
    const MIRI_DIVISOR: u32 = 128;
    Config::with_cases(if cfg!(miri) {
        cases / MIRI_DIVISOR
    } else {
        cases
    })
}
