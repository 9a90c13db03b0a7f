//! Pauses of this process during games.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

use kalah::PauseDetector;

use crate::program::Shutdown;

/// Notices when this process does not run, because Ctrl-Z has stopped it, or its container is
/// frozen. Programs of players may run meanwhile, and the time of a player means nothing.
pub struct PauseMonitor<'a> {
    /// Returns the time since any fixed moment.
    clock: &'a (dyn Fn() -> Duration + Sync),
    detector: Mutex<PauseDetector>,
}

/// The shortest time between two observations, which are [`Shutdown::POLL_INTERVAL`] apart, that
/// counts as a pause.
const MIN_PAUSE: Duration = Duration::from_secs(1);

impl<'a> PauseMonitor<'a> {
    /// Creates a monitor. `clock` returns the time since any fixed moment.
    pub fn new(clock: &'a (dyn Fn() -> Duration + Sync)) -> Self {
        Self {
            clock,
            detector: Mutex::new(PauseDetector::new(MIN_PAUSE, clock())),
        }
    }

    /// Observes the clock, and returns the total time of the pauses up to now. A second without an
    /// observation counts as a pause.
    pub fn observe(&self) -> Duration {
        let mut detector = self.detector.lock().unwrap_or_else(PoisonError::into_inner);
        detector.observe((self.clock)()).paused
    }

    /// Observes the clock on a thread while `work` runs, and returns its result.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn watch<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        thread::scope(|scope| {
            let (is_running, end) = mpsc::channel::<()>();
            let watch = move || {
                while end.recv_timeout(Shutdown::POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    self.observe();
                }
            };
            // A time before the start of the thread is no pause.
            self.observe();
            thread::Builder::new().spawn_scoped(scope, watch)?;
            let result = work();
            drop(is_running);
            Ok(result)
        })
    }
}
