//! Numbers of threads and amounts of memory in arguments, and the root folder of the workspace.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bytesize::ByteSize;
use clap::builder::RangedI64ValueParser;
use rustix::time::{ClockId, clock_gettime};

/// The maximum number of threads, the same as for `kalah`.
const MAX_THREADS: i64 = 256;

/// Returns the parser of a number of threads.
pub(crate) fn thread_count_parser() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MAX_THREADS)
}

/// Returns the number of threads, or that of the machine for `None`.
pub(crate) fn threads_or_all(threads: Option<u16>) -> NonZeroUsize {
    threads
        .and_then(|threads| NonZeroUsize::new(threads.into()))
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// Returns the time for which the processor has run this thread: other programs do not change it.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Converts a size to bytes. A size beyond `usize::MAX` becomes `usize::MAX`.
pub(crate) fn to_usize(memory: ByteSize) -> usize {
    usize::try_from(memory.as_u64()).unwrap_or(usize::MAX)
}

/// The number of folders between this package and the root folder of the workspace.
const DEPTH: usize = 2;

/// Returns the root folder of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(DEPTH);
    root.expect("the package is in tools/").to_owned()
}
