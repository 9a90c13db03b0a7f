use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What time a player took for its choices.
///
/// ```
/// use std::time::Duration;
/// use kalah_arena::Thought;
/// let thought: Thought = [30, 50].map(Duration::from_millis).into_iter().collect();
/// assert_eq!(thought, Thought { choices: 2, total_ms: 80, longest_ms: 50 });
/// assert_eq!(thought.mean(), Some(Duration::from_millis(40)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinkTime {
    /// How often it was asked.
    #[serde(rename = "choices")]
    pub moves: u32,
    /// Milliseconds for all choices.
    pub total_ms: u64,
    /// Milliseconds for the one that took longest.
    pub longest_ms: u64,
}

impl ThinkTime {
    /// For a choice; `None` if there was none.
    pub fn mean(&self) -> Option<Duration> {
        Duration::from_millis(self.total_ms).checked_div(self.moves)
    }
}

/// Parts of a millisecond are left out of the sum, and not of what is added.
impl FromIterator<Duration> for ThinkTime {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let (mut moves, mut total, mut longest) = (0_u32, Duration::ZERO, Duration::ZERO);
        for time in times {
            moves = moves.saturating_add(1);
            total = total.saturating_add(time);
            longest = longest.max(time);
        }
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            moves,
            total_ms: milliseconds(total),
            longest_ms: milliseconds(longest),
        }
    }
}

impl AddAssign for ThinkTime {
    fn add_assign(&mut self, other: Self) {
        self.moves = self.moves.saturating_add(other.moves);
        self.total_ms = self.total_ms.saturating_add(other.total_ms);
        self.longest_ms = self.longest_ms.max(other.longest_ms);
    }
}
