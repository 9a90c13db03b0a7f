//! The extent of the property tests.

use proptest::test_runner::Config;

/// Returns the configuration of a test of `cases` cases. Under Miri one case is enough to execute
/// all code, and the sow tables of a case alone take seconds to build.
pub(crate) fn cases(cases: u32) -> Config {
    Config::with_cases(if cfg!(miri) { 1 } else { cases })
}
