//! The time for the answers of a program, which is short once it has shown that it does not answer,
//! and the one hint about its silence.

use std::cell::Cell;
use std::time::Duration;

/// The maximum time for an answer of a program that has been silent.
const SHORT_WAIT: Duration = Duration::from_secs(2);

/// The number of missing answers after which no further one is waited for.
const MAX_SILENCES: u32 = 2;

/// The part of the longest start so far for which a program that starts again has time, so that
/// another load of the machine does not count as silence.
const START_TIME_FACTOR: u32 = 3;

/// The time for an answer, and what the processes of a program have shown so far.
#[derive(Debug)]
pub(super) struct AnswerTimeout {
    wait: Duration,
    /// The number of missing answers.
    silences: Cell<u32>,
    /// The longest time that a process has needed to start, once one has.
    start_time: Cell<Option<Duration>>,
    /// Whether the hint about a silence was given.
    has_hinted: Cell<bool>,
}

impl AnswerTimeout {
    /// Creates the timeout of a program that has not been asked yet.
    pub(super) fn new(wait: Duration) -> Self {
        Self {
            wait,
            silences: Cell::new(0),
            start_time: Cell::new(None),
            has_hinted: Cell::new(false),
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

    /// Returns the time for the next answer of a process that is starting: at least several times
    /// that of the longest start so far.
    pub(super) fn start_wait(&self) -> Duration {
        let start_time = self.start_time.get().unwrap_or_default();
        let repeated = start_time.saturating_mul(START_TIME_FACTOR);
        self.wait().max(self.wait.min(repeated))
    }

    /// Notes that a process has started within this time.
    pub(super) fn note_start(&self, time: Duration) {
        self.start_time.set(self.start_time.get().max(Some(time)));
    }

    /// Returns whether a process of the program has started.
    pub(super) fn has_started(&self) -> bool {
        self.start_time.get().is_some()
    }

    /// Returns whether the hint about a silence is due, which it is once.
    pub(super) fn take_hint(&self) -> bool {
        !self.has_hinted.replace(true)
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

    #[test]
    fn restart_has_as_much_time_as_the_longest_start_needs() {
        let timeout = AnswerTimeout::new(Duration::from_secs(10));
        assert!(!timeout.has_started());
        timeout.note_silence();
        for (start_time, wait) in [
            (0, 2000),
            (600, 2000),
            (700, 2100),
            (600, 2100),
            (7000, 10_000),
        ] {
            timeout.note_start(Duration::from_millis(start_time));
            assert_eq!(timeout.start_wait(), Duration::from_millis(wait));
            assert_eq!(timeout.wait(), SHORT_WAIT);
        }
        assert!(timeout.has_started());
    }

    #[test]
    fn hint_is_due_once() {
        let timeout = AnswerTimeout::new(SHORT_WAIT);
        assert_eq!([timeout.take_hint(), timeout.take_hint()], [true, false]);
    }
}
