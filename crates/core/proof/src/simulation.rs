//! Simulated clusters: the coordinator with real searches under a virtual clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::Duration;

use kalah_engine::{GoalEngine, GoalResult, GoalSearcher};

use crate::coordinator::{Coordinator, Job, NextJob};

/// The end of a simulated job, as the coordinator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The result arrives this long after the job was handed out.
    Result(Duration),
    /// The coordinator takes the job back after this time, without a result.
    Abandoned(Duration),
}

/// A simulation of workers that prove a margin.
///
/// A worker that gets a job runs its search at once, in the process of the simulation. The
/// coordinator gets the result when the virtual clock reaches the time of its delivery, and handles
/// one message at a time. With the same arguments the result is the same, except for real times.
pub struct Simulation<'a> {
    /// The number of workers, at least 1.
    pub workers: usize,
    /// The number of workers that share the hash tables of one engine, at least 1.
    pub workers_per_engine: usize,
    /// Creates an engine. The coordinator has one, and the workers get theirs with their first job.
    pub create_engine: &'a mut dyn FnMut() -> GoalEngine,
    /// Returns when and how a job with this result ends.
    pub delivery: &'a mut dyn FnMut(&GoalResult) -> Delivery,
    /// The virtual time that the coordinator takes for a result and the next job.
    pub service_time: Duration,
    /// Called after each job, before the next one; [`ControlFlow::Break`] ends the simulation.
    pub observer: &'a mut dyn FnMut(&mut Coordinator) -> ControlFlow<()>,
    /// Returns the real time.
    pub clock: &'a dyn Fn() -> Duration,
}

/// The result of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulationResult {
    /// The virtual time at which the simulation ended.
    pub time: Duration,
    /// The jobs whose results were delivered.
    pub jobs: u64,
    /// The nodes of all searches, also of those whose results did not arrive.
    pub nodes: u64,
    /// The virtual time in which the coordinator was busy.
    pub service_time: Duration,
    /// The real time of [`Coordinator::next_job`] and [`Coordinator::complete`].
    pub coordinator_time: Duration,
    /// The real time of the observer.
    pub observer_time: Duration,
}

/// A job whose result has not been delivered.
struct InFlight {
    job: Job,
    worker: usize,
    /// `None` if the job will be abandoned.
    result: Option<GoalResult>,
}

/// The state of a simulation that runs.
struct SimulatedCluster<'a, 'b> {
    simulation: &'b mut Simulation<'a>,
    coordinator: &'b mut Coordinator,
    engines: Vec<Option<GoalEngine>>,
    /// The virtual time at which the coordinator is free.
    free_at: Duration,
    /// The deliveries to come: their times and the indices of their jobs.
    deliveries: BinaryHeap<Reverse<(Duration, usize)>>,
    in_flight: Vec<Option<InFlight>>,
    result: SimulationResult,
}

impl Simulation<'_> {
    /// Runs the workers until the proof is complete or the observer ends the simulation.
    ///
    /// # Panics
    /// If there are no workers for an engine.
    pub fn run(&mut self, coordinator: &mut Coordinator) -> SimulationResult {
        let engine_count = self.workers.div_ceil(self.workers_per_engine);
        let mut own_engine = (self.create_engine)();
        let cluster = SimulatedCluster {
            simulation: self,
            coordinator,
            engines: (0..engine_count).map(|_| None).collect(),
            free_at: Duration::ZERO,
            deliveries: BinaryHeap::new(),
            in_flight: Vec::new(),
            result: SimulationResult::default(),
        };
        own_engine.with_searcher(|searcher| cluster.run(searcher))
    }
}

impl SimulatedCluster<'_, '_> {
    fn run(mut self, searcher: &dyn GoalSearcher) -> SimulationResult {
        for worker in 0..self.simulation.workers {
            self.serve(Duration::ZERO);
            self.hand_out(worker, searcher);
        }
        while let Some(Reverse((time, index))) = self.deliveries.pop() {
            let Some(InFlight {
                job,
                worker,
                result,
            }) = self.in_flight[index].take()
            else {
                unreachable!("a job is delivered once");
            };
            self.serve(time);
            let flow = self.deliver(&job, result);
            if flow.is_break() || self.coordinator.is_finished() {
                break;
            }
            self.hand_out(worker, searcher);
        }
        self.result.time = self.free_at;
        self.result
    }

    /// Advances the virtual clock to the time at which the coordinator has handled a message that
    /// arrives at `time`.
    fn serve(&mut self, time: Duration) {
        let service_time = self.simulation.service_time;
        self.free_at = self.free_at.max(time) + service_time;
        self.result.service_time += service_time;
    }

    /// Passes a result to the coordinator, or takes a job back without one.
    fn deliver(&mut self, job: &Job, result: Option<GoalResult>) -> ControlFlow<()> {
        let Simulation {
            clock, observer, ..
        } = &mut *self.simulation;
        let started_at = clock();
        match result {
            Some(result) => {
                self.result.jobs += 1;
                self.coordinator.complete(job, &result);
            }
            None => self.coordinator.abandon(job.id),
        }
        let completed_at = clock();
        let flow = observer(self.coordinator);
        self.result.coordinator_time += completed_at.saturating_sub(started_at);
        self.result.observer_time += clock().saturating_sub(completed_at);
        flow
    }

    /// Gives a worker its next job, if there is one, and searches it.
    fn hand_out(&mut self, worker: usize, searcher: &dyn GoalSearcher) {
        let simulation = &mut *self.simulation;
        let started_at = (simulation.clock)();
        let next = self.coordinator.next_job(searcher);
        self.result.coordinator_time += (simulation.clock)().saturating_sub(started_at);
        let NextJob::Job(job) = next else {
            return;
        };
        let engine = self.engines[worker / simulation.workers_per_engine]
            .get_or_insert_with(&mut *simulation.create_engine);
        let result = search(engine, &job);
        self.result.nodes += result.nodes;
        let (delay, result) = match (simulation.delivery)(&result) {
            Delivery::Result(delay) => (delay, Some(result)),
            Delivery::Abandoned(delay) => (delay, None),
        };
        self.deliveries
            .push(Reverse((self.free_at + delay, self.in_flight.len())));
        self.in_flight.push(Some(InFlight {
            job,
            worker,
            result,
        }));
    }
}

/// Searches the goal of a job within its limits.
fn search(engine: &mut GoalEngine, job: &Job) -> GoalResult {
    let (position, target) = (job.goal.position(), job.goal.target());
    engine.with_searcher(|searcher| {
        searcher.search(position, target, job.thresholds, job.max_nodes, &[])
    })
}
