//! The time for a move: of its own, or a part of a clock.

use std::time::Duration;

/// The time for a move.
///
/// ```
/// use std::time::Duration;
/// use kalah::MoveTime;
/// let second = Duration::from_secs(1);
/// let time = MoveTime::on_clock(second, 3 * second);
/// assert_eq!(time.min(2 * second), MoveTime::on_clock(second, 2 * second));
/// assert_eq!(MoveTime::fixed(second).min(2 * second), MoveTime::fixed(second));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTime {
    /// At most the limit; `None` without a clock.
    target: Option<Duration>,
    limit: Duration,
}

impl MoveTime {
    /// Creates a time for one move alone: the player has no use for the part that it leaves.
    pub fn fixed(limit: Duration) -> Self {
        Self {
            target: None,
            limit,
        }
    }

    /// Creates a part of a clock: the player has the part that it leaves for its later moves. The
    /// move is planned to take `target`, or the limit if that is less, and the player answers
    /// within `limit` in any case.
    pub fn on_clock(target: Duration, limit: Duration) -> Self {
        Self {
            target: Some(target.min(limit)),
            limit,
        }
    }

    /// Returns the time by which the player answers in any case.
    pub fn limit(self) -> Duration {
        self.limit
    }

    /// Returns the time that the move is planned to take.
    pub fn planned(self) -> Duration {
        self.target.unwrap_or(self.limit)
    }

    /// Returns the target of a clock, which is at most the limit; `None` without a clock.
    pub fn target(self) -> Option<Duration> {
        self.target
    }

    /// Returns the time whose parts are at most `max`.
    #[must_use]
    pub fn min(self, max: Duration) -> Self {
        self.map(|time| time.min(max))
    }

    /// Returns the time that is left after `elapsed`.
    #[must_use]
    pub fn after(self, elapsed: Duration) -> Self {
        self.map(|time| time.saturating_sub(elapsed))
    }

    /// Changes both parts by a function that does not decrease.
    fn map(self, change: impl Fn(Duration) -> Duration) -> Self {
        Self {
            target: self.target.map(&change),
            limit: change(self.limit),
        }
    }
}

impl From<Duration> for MoveTime {
    fn from(limit: Duration) -> Self {
        Self::fixed(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_at_most_the_limit() {
        let [one, two, three] = [1, 2, 3].map(Duration::from_secs);
        for time in [
            MoveTime::on_clock(three, two),
            MoveTime::on_clock(three, three).min(two),
            MoveTime::on_clock(two, three).after(one).min(two),
        ] {
            let target = time.target().expect("a target");
            assert!(target <= time.limit(), "{time:?}");
            assert_eq!(time.planned(), target);
        }
        assert_eq!(MoveTime::on_clock(three, two).planned(), two);
    }
}
