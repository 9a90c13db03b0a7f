//! Long calls: they run without the lock of the interpreter, and Ctrl-C ends them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two polls for signals and progress. Ctrl-C must end a call within 100 ms.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// The stack of the thread that works, as large as that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// The latest state of a long call, which the call itself replaces and the caller displays.
pub(crate) struct Latest<T>(Mutex<Option<T>>);

impl<T> Latest<T> {
    /// Creates a state that is empty until the first [`set`](Self::set).
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Replaces the state.
    pub(crate) fn set(&self, state: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// Returns the state that [`set`](Self::set) has stored since the last call, or `None`.
    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Runs `work` on a thread of its own, without the lock of the interpreter, and returns its result.
///
/// `poll` is called every 40 ms and after `work` with the lock, for progress displays. If it fails,
/// or a signal handler raises an exception, as that of Ctrl-C does, `stop_flag` is set, `work` has
/// to end soon afterwards, and the exception is returned.
///
/// # Errors
/// The exception of a signal handler or of `poll`, and `RuntimeError` if `work` panics or no thread
/// can be started.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    stop_flag: &AtomicBool,
    mut poll: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let run_work = move || {
                let result = catch_unwind(AssertUnwindSafe(work));
                // The receiver is there until this thread has ended.
                let _ = sender.send(result);
            };
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, run_work)?;
            loop {
                match receiver.recv_timeout(POLL_INTERVAL) {
                    Ok(Ok(result)) => return Ok(result),
                    Ok(Err(panic)) => return Err(internal_error(panic.as_ref())),
                    Err(RecvTimeoutError::Disconnected) => return Err(internal_error(&())),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let polled = Python::attach(|py| py.check_signals().and_then(|()| poll(py)));
                if let Err(exception) = polled {
                    stop_flag.store(true, Ordering::Relaxed);
                    return Err(exception);
                }
            }
        })
    })?;
    poll(py)?;
    Ok(result)
}

/// Runs `work` that ends within 100 ms on the thread of the caller, without the lock of the
/// interpreter, and returns its result. A thread of its own would take longer than such work.
///
/// The interpreter handles a signal, as that of Ctrl-C, after the call.
///
/// # Errors
/// `RuntimeError` if `work` panics.
pub(crate) fn run_short<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|panic| internal_error(panic.as_ref()))
}

/// Returns the exception for a panic.
fn internal_error(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = (panic.downcast_ref::<&str>().copied())
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown reason");
    PyRuntimeError::new_err(format!("internal error, please report it: {text}"))
}
