//! The clock of rate limiters.

use std::time::Instant;

use governor::clock::Clock;

/// Tokio's clock for rate limiters, which tests can pause.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock;

impl Clock for TokioClock {
    type Instant = Instant;

    fn now(&self) -> Self::Instant {
        tokio::time::Instant::now().into_std()
    }
}
