//! The time for a move: of its own, or a part of a clock.

use std::time::Duration;

/// The time for a move.
///
/// ```
/// use std::time::Duration;
/// use kalah::MoveTime;
/// let second = Duration::from_secs(1);
/// let time = MoveTime::Clock { target: second, limit: 3 * second };
/// assert_eq!(time.min(2 * second), MoveTime::Clock { target: second, limit: 2 * second });
/// assert_eq!(MoveTime::Fixed(second).min(2 * second), MoveTime::Fixed(second));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTime {
    /// A time for this move alone: the player has no use for the part that it leaves.
    Fixed(Duration),
    /// A part of a clock: the player has the part that it leaves for its later moves.
    Clock {
        /// The time that the move is planned to take.
        target: Duration,
        /// The time by which the player answers in any case, not less than the target.
        limit: Duration,
    },
}

impl MoveTime {
    /// Returns the time by which the player answers in any case.
    pub fn limit(self) -> Duration {
        match self {
            Self::Fixed(limit) | Self::Clock { limit, .. } => limit,
        }
    }

    /// Returns the time that the move is planned to take.
    pub fn planned(self) -> Duration {
        match self {
            Self::Fixed(time) | Self::Clock { target: time, .. } => time,
        }
    }

    /// Returns the target of a clock; `None` without a clock.
    pub fn target(self) -> Option<Duration> {
        match self {
            Self::Fixed(_) => None,
            Self::Clock { target, .. } => Some(target),
        }
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

    fn map(self, change: impl Fn(Duration) -> Duration) -> Self {
        match self {
            Self::Fixed(limit) => Self::Fixed(change(limit)),
            Self::Clock { target, limit } => Self::Clock {
                target: change(target),
                limit: change(limit),
            },
        }
    }
}

impl From<Duration> for MoveTime {
    fn from(limit: Duration) -> Self {
        Self::Fixed(limit)
    }
}
