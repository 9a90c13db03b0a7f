//! Tokio's clock in tests: stopping it, and waiting in real time.

use std::convert::Infallible;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;
use std::{process, thread};

use tokio::task::spawn_blocking;
use tokio::time::pause;

/// The precision of Tokio's timers with a margin: what is due has happened after the clock advanced
/// by this much more.
pub const TICKS: Duration = Duration::from_millis(10);

/// A test that takes longer hangs, which no time limit on Tokio's clock would detect.
const HANG: Duration = Duration::from_mins(10);

/// Stops Tokio's clock, which servers and clients follow, until the result is dropped. Only
/// [`tokio::time::advance`] moves it.
///
/// A paused clock moves to the next timer as soon as no task is ready, even while bytes are in
/// transit or the store's thread is working. It stands still while a blocking task runs.
#[must_use]
pub fn stop_time() -> Sender<Infallible> {
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
///
/// # Panics
/// If the thread of the wait panics.
pub async fn real_sleep(time: Duration) {
    spawn_blocking(move || thread::sleep(time))
        .await
        .expect("no panic");
}
