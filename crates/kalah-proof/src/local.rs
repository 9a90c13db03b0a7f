//! Proofs on this machine.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah_engine::{GoalEngine, GoalSearcher};

use crate::coordinator::{Coordinator, NextJob};
use crate::store::{ProofStore, StoreError};

/// The way a proof runs on this machine.
#[derive(Clone, Copy)]
pub struct LocalRun<'a> {
    /// The threads that search.
    pub threads: NonZeroUsize,
    /// Stops the proof soon after it is set.
    pub stop_flag: &'a AtomicBool,
    /// Returns the time since the start of the run.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Called after each job.
    pub observer: &'a (dyn Fn(&Coordinator) + Sync),
}

/// The coordinator and the store, which the threads use one at a time.
struct Shared<'a> {
    coordinator: &'a mut Coordinator,
    store: &'a mut ProofStore,
    error: Option<StoreError>,
}

/// Goes on with a proof until it is complete or the stop flag is set. Every result is in the store
/// before the next job of its thread begins.
///
/// # Errors
/// [`StoreError`] if the store cannot be written; it has all results before.
pub fn prove(
    coordinator: &mut Coordinator,
    store: &mut ProofStore,
    engine: &mut GoalEngine,
    run: LocalRun<'_>,
) -> Result<(), StoreError> {
    let shared = Mutex::new(Shared {
        coordinator,
        store,
        error: None,
    });
    engine.with_searcher(|searcher| {
        thread::scope(|scope| {
            for _ in 0..run.threads.get() {
                scope.spawn(|| work(&shared, searcher, run));
            }
        });
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.error.map_or(Ok(()), Err)
}

/// Searches goals until there is no other job.
fn work(shared: &Mutex<Shared<'_>>, searcher: &dyn GoalSearcher, run: LocalRun<'_>) {
    let mut guard = lock(shared);
    while guard.error.is_none()
        && !run.stop_flag.load(Ordering::Relaxed)
        && let NextJob::Job(job) = guard.coordinator.next_job(searcher)
    {
        drop(guard);
        let (position, target) = (job.goal.position(), job.goal.target());
        let (thresholds, nodes) = (job.thresholds, job.max_nodes);
        let result = searcher.search(position, target, thresholds, nodes, run.stop_flag);
        guard = lock(shared);
        let Shared {
            coordinator,
            store,
            error,
        } = &mut *guard;
        coordinator.complete(&job, &result);
        if let Err(reason) = store.write(coordinator, (run.clock)()) {
            error.get_or_insert(reason);
        }
        (run.observer)(coordinator);
    }
}

fn lock<'a, 'b>(shared: &'a Mutex<Shared<'b>>) -> MutexGuard<'a, Shared<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
