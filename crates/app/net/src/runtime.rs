//! The Tokio runtime of servers and clients.

use std::{io, thread};

use tokio::runtime::{Builder, Runtime};

/// Starts a runtime with a thread for each processor, or fewer if the system starts no more.
///
/// # Errors
/// If the system starts no thread, for which Tokio would panic.
pub fn start_runtime() -> io::Result<Runtime> {
    let thread = thread::Builder::new().spawn(|| ())?;
    thread
        .join()
        .map_err(|_| io::Error::other("a thread failed"))?;
    Builder::new_multi_thread().enable_all().build()
}
