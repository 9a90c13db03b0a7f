//! Signals in plain mode, which reads lines and cannot poll for them.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::CONTINUE_TEXT;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::print_stderr;

/// How often a thread looks for a signal.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for a signal on a thread, and then ends all child processes and exits. If the game is kept
/// by then, a message says how it is continued.
pub(super) fn exit_on_signal(is_kept: Arc<AtomicBool>) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let watch = move || {
        while !shutdown.is_requested() {
            thread::sleep(POLL_INTERVAL);
        }
        if is_kept.load(Ordering::SeqCst) {
            print_stderr(CONTINUE_TEXT);
        }
        shutdown.kill_children();
        process::exit(interrupt::exit_code().into());
    };
    let thread = thread::Builder::new()
        .name("signals".to_owned())
        .spawn(watch);
    match thread {
        Ok(_) => Ok(()),
        Err(reason) => Err(CliError::Runtime(format!(
            "cannot start a thread: {reason}"
        ))),
    }
}
