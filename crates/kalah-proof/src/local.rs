//! Proofs on this machine.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use kalah_engine::{GoalEngine, GoalSearcher};

use crate::coordinator::{Coordinator, NextJob};
use crate::store::{ProofStore, StoreError};

/// The coordinator and the store, which the threads use one at a time.
struct Shared<'a> {
    coordinator: &'a mut Coordinator,
    store: &'a mut ProofStore,
    error: Option<StoreError>,
}

/// Goes on with a proof until it is complete or `stop_flag` is set. Every result is in the store
/// before the next job of its thread begins; `observer` is called after each.
///
/// # Errors
/// [`StoreError`] if the store cannot be written; it has all results before.
pub fn prove(
    coordinator: &mut Coordinator,
    store: &mut ProofStore,
    engine: &mut GoalEngine,
    threads: NonZeroUsize,
    stop_flag: &AtomicBool,
    observer: &(dyn Fn(&Coordinator) + Sync),
) -> Result<(), StoreError> {
    let shared = Mutex::new(Shared {
        coordinator,
        store,
        error: None,
    });
    engine.with_searcher(|searcher| {
        thread::scope(|scope| {
            for _ in 0..threads.get() {
                scope.spawn(|| work(&shared, searcher, stop_flag, observer));
            }
        });
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.error.map_or(Ok(()), Err)
}

/// Searches goals until there is no other job.
fn work(
    shared: &Mutex<Shared>,
    searcher: &dyn GoalSearcher,
    stop_flag: &AtomicBool,
    observer: &(dyn Fn(&Coordinator) + Sync),
) {
    let mut guard = lock(shared);
    while guard.error.is_none()
        && !stop_flag.load(Ordering::Relaxed)
        && let NextJob::Job(job) = guard.coordinator.next_job(searcher)
    {
        drop(guard);
        let (position, target) = (job.goal.position(), job.goal.target());
        let (thresholds, nodes) = (job.thresholds, job.max_nodes);
        let result = searcher.search(position, target, thresholds, nodes, stop_flag);
        guard = lock(shared);
        let Shared {
            coordinator,
            store,
            error,
        } = &mut *guard;
        coordinator.complete(&job, &result);
        let changes = coordinator.take_changes();
        if let Err(reason) = store.write(coordinator.tree(), &changes) {
            error.get_or_insert(reason);
        }
        observer(coordinator);
    }
}

fn lock<'a, 'b>(shared: &'a Mutex<Shared<'b>>) -> MutexGuard<'a, Shared<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
