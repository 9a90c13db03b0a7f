//! Searches on several threads.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::search::STACK_BYTES;

/// Calls `search` for each item on `threads` threads, or on as many as the system starts, and
/// returns the results in the order of the items. A thread ends when its search returns `None`, and
/// all of them soon after `stop_flag` is set, so that results can be missing.
///
/// # Errors
/// If the system starts no thread.
pub(crate) fn search_each<'i, I: Sync, R: Send>(
    items: &'i [I],
    threads: NonZeroUsize,
    stop_flag: &AtomicBool,
    search: impl Fn(&'i I) -> Option<R> + Sync,
) -> io::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while !stop_flag.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = items.get(index).and_then(&search) else {
                return;
            };
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((index, result));
        }
    };
    let started = thread::scope(|scope| {
        let start = |_| {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).map(|_| ())
        };
        let started: Vec<_> = (0..threads.get()).map(start).collect();
        // The searches take longer with fewer threads, but one is enough.
        started.into_iter().reduce(Result::or)
    });
    started.unwrap_or(Ok(()))?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|&(index, _)| index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
