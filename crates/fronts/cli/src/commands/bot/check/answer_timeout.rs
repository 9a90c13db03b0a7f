//! The time for the answers of a program, which is short once it has shown that it does not answer.

use std::cell::Cell;
use std::time::Duration;

/// The maximum time for an answer of a program that has been silent.
const SHORT_WAIT: Duration = Duration::from_secs(2);

/// The number of missing answers after which no further one is waited for.
const MAX_SILENCES: u32 = 2;

/// The time for an answer, and the number of missing answers so far.
#[derive(Debug)]
pub(super) struct AnswerTimeout {
    wait: Duration,
    silences: Cell<u32>,
}

impl AnswerTimeout {
    /// Creates the timeout of a program that has not been asked yet.
    pub(super) fn new(wait: Duration) -> Self {
        Self {
            wait,
            silences: Cell::new(0),
        }
    }

    /// Returns the time for the next answer.
    pub(super) fn wait(&self) -> Duration {
        if self.silences.get() == 0 {
            self.wait
        } else {
            self.wait.min(SHORT_WAIT)
        }
    }

    /// Notes an answer that has not come in time.
    pub(super) fn note_silence(&self) {
        self.silences.set(self.silences.get() + 1);
    }

    /// Returns whether the program has shown that it does not answer.
    pub(super) fn is_over(&self) -> bool {
        self.silences.get() >= MAX_SILENCES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_program_gets_a_short_time_and_then_none() {
        let timeout = AnswerTimeout::new(Duration::from_secs(10));
        assert_eq!(timeout.wait(), Duration::from_secs(10));
        timeout.note_silence();
        assert_eq!(timeout.wait(), SHORT_WAIT);
        assert!(!timeout.is_over());
        timeout.note_silence();
        assert!(timeout.is_over());
        let timeout = AnswerTimeout::new(Duration::from_millis(1));
        timeout.note_silence();
        assert_eq!(timeout.wait(), Duration::from_millis(1));
    }
}
