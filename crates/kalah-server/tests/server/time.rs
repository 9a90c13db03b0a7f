//! The time of tests: Tokio's clock stopped, and waiting in real time.

use std::convert::Infallible;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;
use std::{process, thread};

use tokio::task::spawn_blocking;
use tokio::time::pause;

/// Timers of Tokio are exact to a millisecond: what is due has come when the clock has advanced by so much more.
pub(crate) const TICKS: Duration = Duration::from_millis(10);

/// A test that takes longer hangs: no time limit on Tokio's clock can end it.
const HANG: Duration = Duration::from_mins(10);

/// Stops Tokio's clock, by which the server goes, until the result is dropped: only [`tokio::time::advance`] moves it.
///
/// A paused clock moves to the next timer as soon as no task is ready, even while bytes are on their way or a thread of
/// the store is at work. It does not while a blocking task runs.
pub(crate) fn stop_time() -> Sender<Infallible> {
    pause();
    let (release, released) = mpsc::channel();
    spawn_blocking(move || {
        if released.recv_timeout(HANG) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test with stopped time has not ended after {HANG:?}");
            process::abort();
        }
    });
    release
}

/// Waits in real time, also while Tokio's clock is stopped.
pub(crate) async fn real_sleep(time: Duration) {
    spawn_blocking(move || thread::sleep(time))
        .await
        .expect("no panic");
}
