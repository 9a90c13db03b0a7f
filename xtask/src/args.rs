use std::num::NonZeroUsize;
use std::thread;

use bytesize::ByteSize;
use clap::builder::RangedI64ValueParser;

/// The most threads that can be asked for, as `kalah` has it.
const MAX_THREADS: i64 = 256;

/// Reads a number of threads.
pub(crate) fn thread_count_parser() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MAX_THREADS)
}

/// So many threads, or as many as the machine has.
pub(crate) fn threads_or_all(threads: Option<u16>) -> NonZeroUsize {
    threads
        .and_then(|threads| NonZeroUsize::new(threads.into()))
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// So much memory, as far as it can be counted here.
pub(crate) fn to_usize(memory: ByteSize) -> usize {
    usize::try_from(memory.as_u64()).unwrap_or(usize::MAX)
}
