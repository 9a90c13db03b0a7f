//! Pauses of a server's process.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kalah::{ObservedTime, PauseDetector};
use tokio::time::{Instant, sleep};

/// The pauses of this process on Tokio's clock, which tests can stop and advance.
#[derive(Debug)]
pub struct PauseWatch {
    start: Instant,
    detector: Mutex<PauseDetector>,
}

impl PauseWatch {
    /// Begins to observe the clock, at the instant `start`. A time of `min_pause` between two
    /// observations counts as a pause.
    pub fn new(start: Instant, min_pause: Duration) -> Self {
        Self {
            start,
            detector: Mutex::new(PauseDetector::new(min_pause, Duration::ZERO)),
        }
    }

    /// Returns the time since the start, and the total time of the pauses in it.
    pub fn observe(&self) -> ObservedTime {
        let mut detector = self.detector.lock().unwrap_or_else(PoisonError::into_inner);
        // The clock is read under the lock, so that no observation is older than the previous one.
        detector.observe(self.start.elapsed())
    }

    /// Observes the clock at an interval, for ever.
    pub async fn run(&self, interval: Duration) {
        loop {
            self.observe();
            sleep(interval).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_without_an_observation_is_a_pause() {
        let second = Duration::from_secs(1);
        let watch = PauseWatch::new(Instant::now(), 3 * second);
        for _ in 0..3 {
            tokio::time::advance(2 * second).await;
            assert_eq!(watch.observe().paused, Duration::ZERO);
        }
        tokio::time::advance(60 * second).await;
        assert_eq!(watch.observe().paused, 60 * second);
        assert_eq!(watch.observe().paused, 60 * second);
    }
}
