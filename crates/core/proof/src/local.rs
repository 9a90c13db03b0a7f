//! Proofs on this machine.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah_engine::{GoalEngine, GoalSearcher};

use crate::coordinator::{Coordinator, JobId, NextJob};
use crate::store::{ProofStore, ProofStoreError};

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
    /// The jobs in flight, each with the flag that stops its search.
    stop_flags: HashMap<JobId, Arc<AtomicBool>>,
    error: Option<ProofStoreError>,
}

/// Goes on with a proof until it is complete or the stop flag is set. Every result is in the store
/// before the next job of its thread begins. A job that the results of others make obsolete is
/// stopped.
///
/// # Errors
/// [`ProofStoreError`] if the store cannot be written; it has all results before.
/// [`ProofStoreError::DamagedTable`] if the endgame table of the engine turns out to be damaged;
/// the result of that search is not in the store. Jobs in flight are stopped.
pub fn prove(
    coordinator: &mut Coordinator,
    store: &mut ProofStore,
    engine: &mut GoalEngine,
    run: LocalRun<'_>,
) -> Result<(), ProofStoreError> {
    let shared = Mutex::new(Shared {
        coordinator,
        store,
        stop_flags: HashMap::new(),
        error: None,
    });
    engine.with_searcher(|searcher| {
        thread::scope(|scope| {
            for _ in 1..run.threads.get() {
                // Without further threads, this one does the work.
                let work = || work(&shared, searcher, run);
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work(&shared, searcher, run);
        });
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.error.map_or(Ok(()), Err)
}

impl Shared<'_> {
    /// Sets the stop flags of the jobs that need not go on.
    fn stop_obsolete_jobs(&mut self) {
        for id in self.coordinator.obsolete_jobs() {
            if let Some(stop_flag) = self.stop_flags.get(&id) {
                stop_flag.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Keeps the first error and stops all jobs.
    fn fail(&mut self, error: ProofStoreError) {
        self.error.get_or_insert(error);
        for stop_flag in self.stop_flags.values() {
            stop_flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Searches goals until there is no other job.
fn work(shared: &Mutex<Shared<'_>>, searcher: &dyn GoalSearcher, run: LocalRun<'_>) {
    let mut guard = lock(shared);
    while guard.error.is_none() && !run.stop_flag.load(Ordering::Relaxed) {
        let next = guard.coordinator.next_job(searcher);
        // The coordinator can solve goals without a search.
        guard.stop_obsolete_jobs();
        let NextJob::Job(job) = next else {
            break;
        };
        let stop_flag = Arc::new(AtomicBool::new(false));
        guard.stop_flags.insert(job.id, Arc::clone(&stop_flag));
        drop(guard);
        let (position, target) = (job.goal.position(), job.goal.target());
        let (thresholds, nodes) = (job.thresholds, job.max_nodes);
        let stop_flags = [run.stop_flag, &stop_flag];
        let result = searcher.search(position, target, thresholds, nodes, &stop_flags);
        let damage = searcher.table_damage();
        guard = lock(shared);
        guard.stop_flags.remove(&job.id);
        if let Some(damage) = damage {
            guard.coordinator.abandon(job.id);
            guard.fail(ProofStoreError::DamagedTable(Box::new(damage)));
            continue;
        }
        guard.coordinator.complete(&job, &result);
        let Shared {
            coordinator, store, ..
        } = &mut *guard;
        if let Err(reason) = store.write(coordinator, (run.clock)()) {
            guard.fail(reason);
        }
        (run.observer)(guard.coordinator);
        guard.stop_obsolete_jobs();
    }
}

fn lock<'a, 'b>(shared: &'a Mutex<Shared<'b>>) -> MutexGuard<'a, Shared<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use kalah::{Margin, Position, Rules};
    use kalah_engine::{GoalResult, ProofNumbers, SharedEntry};
    use kalah_tables::TableDamage;

    use super::*;
    use crate::coordinator::JobSize;
    use crate::statement::ProofStatement;
    use crate::tree::Tree;

    /// A searcher that answers the goals of the start, but not before another goal is being
    /// searched. Searches of other goals end when they are stopped.
    struct StartSearcher {
        start: Position,
        has_other_begun: AtomicBool,
        is_other_stopped: AtomicBool,
    }

    /// A wait fails after this many sleeps of a millisecond.
    const MAX_SLEEPS: u32 = 60_000;

    /// Waits for a condition and returns whether it has come true.
    fn wait_for(condition: impl Fn() -> bool) -> bool {
        (0..MAX_SLEEPS).any(|_| {
            thread::sleep(Duration::from_millis(1));
            condition()
        })
    }

    impl GoalSearcher for StartSearcher {
        fn search(
            &self,
            position: &Position,
            target: Margin,
            _: ProofNumbers,
            max_nodes: u64,
            stop_flags: &[&AtomicBool],
        ) -> GoalResult {
            let moves = position.legal_moves();
            let mut result = GoalResult {
                answer: None,
                children: moves.map(|mv| (mv, ProofNumbers::UNKNOWN)).collect(),
                nodes: max_nodes.min(1),
            };
            if max_nodes == 0 {
                return result;
            }
            if *position == self.start {
                assert!(wait_for(|| self.has_other_begun.load(Ordering::Relaxed)));
                result.answer = Some(target.seeds() <= 0);
            } else {
                self.has_other_begun.store(true, Ordering::Relaxed);
                let is_set = |flag: &&AtomicBool| flag.load(Ordering::Relaxed);
                let is_stopped = wait_for(|| stop_flags.iter().any(is_set));
                self.is_other_stopped.store(is_stopped, Ordering::Relaxed);
            }
            result
        }

        fn table_damage(&self) -> Option<TableDamage> {
            None
        }

        fn take_shared_entries(&self) -> Vec<SharedEntry> {
            Vec::new()
        }

        fn insert_shared_entries(&self, _: &[SharedEntry]) {}
    }

    #[test]
    fn solved_goal_stops_the_searches_below_it() {
        let statement = ProofStatement {
            position: Position::start(6, 4, Rules::STANDARD).unwrap(),
            all_moves: false,
            estimate: Margin::new(0),
        };
        let searcher = StartSearcher {
            start: statement.position.clone(),
            has_other_begun: AtomicBool::new(false),
            is_other_stopped: AtomicBool::new(false),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proof");
        let mut store = ProofStore::create(&path, &statement).unwrap();
        let mut coordinator = Coordinator::new(statement, Tree::default(), JobSize::default());
        let shared = Mutex::new(Shared {
            store: &mut store,
            coordinator: &mut coordinator,
            stop_flags: HashMap::new(),
            error: None,
        });
        let run = LocalRun {
            threads: NonZeroUsize::MIN,
            stop_flag: &AtomicBool::new(false),
            clock: &|| Duration::ZERO,
            observer: &|_| {},
        };
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| work(&shared, &searcher, run));
            }
        });
        assert!(searcher.is_other_stopped.load(Ordering::Relaxed));
        assert!(lock(&shared).coordinator.is_finished());
    }
}
