use std::time::SystemTime;

use tokio::time::Instant;

use crate::games::Timestamp;

/// Tells games what time it is: the time of day at the start, and from then on a clock that no
/// correction of the time of day moves.
///
/// It goes with tokio's clock, so that a test can turn it on.
#[derive(Clone, Copy, Debug)]
pub struct TimeSource {
    start: Timestamp,
    start_instant: Instant,
}

impl TimeSource {
    /// A clock that shows `start` now. Made within a tokio runtime.
    pub fn new(start: Timestamp) -> Self {
        Self {
            start,
            start_instant: Instant::now(),
        }
    }

    /// A clock that shows the time of day. A time of day before 1970 counts as the start of 1970.
    pub fn system() -> Self {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self::new(Timestamp::from_millis(0).saturating_add(since_1970.unwrap_or_default()))
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.start.saturating_add(self.start_instant.elapsed())
    }

    /// When it will be `moment` on tokio's clock; now, if that has gone by.
    pub fn instant(&self, moment: Timestamp) -> Instant {
        self.start_instant + moment.saturating_duration_since(self.start)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_goes_with_tokios_clock() {
        let time = TimeSource::new(Timestamp::from_millis(5_000));
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(time.now(), Timestamp::from_millis(5_250));
        let later = time.now().saturating_add(Duration::from_secs(1));
        assert_eq!(time.instant(later) - Instant::now(), Duration::from_secs(1));
        let earlier = Timestamp::from_millis(-7);
        assert!(time.instant(earlier) <= Instant::now());
        assert_eq!(earlier.saturating_duration_since(later), Duration::ZERO);
    }

    #[tokio::test]
    async fn the_time_of_day_is_later_than_this_test_was_written() {
        const WRITTEN: Timestamp = Timestamp::from_millis(1_700_000_000_000);
        assert!(TimeSource::system().now() > WRITTEN);
    }
}
