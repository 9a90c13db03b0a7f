//! Pauses in which a process does not run.

use std::time::Duration;

/// The times in which a process did not run, because it was stopped, or its container, its virtual
/// machine or its laptop was suspended. They are no player's thinking time.
///
/// The owner observes a monotonic clock at an interval. A much longer time between two observations
/// is a pause.
///
/// ```
/// use std::time::Duration;
/// use kalah::PauseDetector;
/// let seconds = Duration::from_secs;
/// let mut pauses = PauseDetector::new(seconds(3), seconds(10));
/// assert_eq!(pauses.observe(seconds(12)).paused, seconds(0));
/// assert_eq!(pauses.observe(seconds(72)).paused, seconds(60));
/// assert_eq!(pauses.observe(seconds(73)).paused, seconds(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseDetector {
    min_pause: Duration,
    observed: Duration,
    total: Duration,
}

/// The result of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedTime {
    /// The latest time that was observed.
    pub now: Duration,
    /// The total time of the pauses before it. The difference of both never decreases, in whatever
    /// order threads read the clock.
    pub paused: Duration,
}

impl PauseDetector {
    /// Begins to observe a clock that shows `now`. `min_pause` is the shortest time between two
    /// observations that counts as a pause: much longer than a busy machine delays them.
    pub const fn new(min_pause: Duration, now: Duration) -> Self {
        Self {
            min_pause,
            observed: now,
            total: Duration::ZERO,
        }
    }

    /// Observes that the clock shows `now`.
    pub fn observe(&mut self, now: Duration) -> ObservedTime {
        let since_observed = now.saturating_sub(self.observed);
        if since_observed >= self.min_pause {
            self.total += since_observed;
        }
        self.observed = self.observed.max(now);
        ObservedTime {
            now: self.observed,
            paused: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_time_does_not_jump_back_by_a_pause_that_another_thread_has_observed() {
        let second = Duration::from_secs(1);
        let mut pauses = PauseDetector::new(3 * second, Duration::ZERO);
        let mut running_time = |now| {
            let ObservedTime { now, paused } = pauses.observe(now);
            now.saturating_sub(paused)
        };
        assert_eq!(running_time(second), second);
        let after_pause = Duration::from_mins(1);
        assert_eq!(running_time(after_pause), second);
        // This thread has read the clock before the pause, and observes it after another thread.
        assert_eq!(running_time(2 * second), second);
    }
}
