//! Simulated clusters: the coordinator with real searches under a virtual clock.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use kalah_engine::{GoalEngine, GoalResult, GoalSearcher, SharedEntry};

use crate::coordinator::{Coordinator, Job, JobId, NextJob};
use crate::exchange::EntryExchange;

/// The end of a simulated job, as the coordinator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The result arrives this long after the job was handed out.
    Result(Duration),
    /// The coordinator takes the job back after this time, without a result.
    Abandoned(Duration),
}

/// The virtual time that the coordinator takes for a result and the next job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceTime {
    /// The same time for each job.
    Constant(Duration),
    /// The real time of the coordinator and of the observer, by [`Simulation::clock`], and this
    /// time for each message: one to and from each machine of a batch.
    Measured {
        /// The time of a message.
        message: Duration,
    },
}

/// The exchange of entries of hash tables between machines, with the jobs and their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedExchange {
    /// The greatest number of entries that a job brings to its machine.
    pub max_entries: usize,
    /// The virtual time of the coordinator for each entry that it receives or sends.
    pub service_time: Duration,
    /// The virtual time that an entry adds to the messages of its job.
    pub transfer_time: Duration,
}

/// A simulation of workers that prove a margin.
///
/// A worker that gets a job runs its search at once, in the process of the simulation. The
/// coordinator gets the result when the virtual clock reaches the time of its delivery. It takes
/// the results that wait together, as a batch, and hands out as many jobs. With the same arguments
/// and a constant service time the result is the same, except for real times.
pub struct Simulation<'a> {
    /// The number of workers, at least 1.
    pub workers: usize,
    /// The number of workers that share the hash tables of one engine, at least 1. They are a
    /// machine.
    pub workers_per_engine: usize,
    /// Creates an engine. The coordinator has one, and the machines get theirs with their first
    /// job.
    pub create_engine: &'a mut dyn FnMut() -> GoalEngine,
    /// Returns when and how a job with this result ends.
    pub delivery: &'a mut dyn FnMut(&GoalResult) -> Delivery,
    /// The virtual time that the coordinator takes for jobs.
    pub service_time: ServiceTime,
    /// The greatest number of results in a batch.
    pub max_batch: NonZeroUsize,
    /// The virtual time after which a worker ends a job that has become obsolete; `None` if it
    /// completes such jobs.
    pub stop_time: Option<Duration>,
    /// The exchange between machines; `None` without one.
    pub exchange: Option<SimulatedExchange>,
    /// Called after each batch with results, before the next jobs; [`ControlFlow::Break`] ends the
    /// simulation.
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
    /// The jobs that were stopped because they had become obsolete.
    pub stopped_jobs: u64,
    /// The nodes of all searches, also of those whose results did not arrive. A job that was
    /// stopped counts with the part of its time until then.
    pub nodes: u64,
    /// The entries of hash tables that machines have received.
    pub entries: u64,
    /// The virtual time in which the coordinator was busy.
    pub service_time: Duration,
    /// The real time of the coordinator.
    pub coordinator_time: Duration,
    /// The real time of the observer.
    pub observer_time: Duration,
}

/// A job whose result has not been delivered.
struct InFlight {
    job: Job,
    /// `None` if the job will be abandoned.
    result: Option<GoalResult>,
    /// The entries that its search has found.
    entries: Vec<SharedEntry>,
    /// The number of its delivery; earlier ones of the worker do not count.
    delivery: u64,
    /// The nodes of its search.
    nodes: u64,
    begins_at: Duration,
    ends_at: Duration,
}

/// The state of a simulation that runs.
struct SimulatedCluster<'a, 'b> {
    simulation: &'b mut Simulation<'a>,
    coordinator: &'b mut Coordinator,
    engines: Vec<Option<GoalEngine>>,
    exchange: EntryExchange,
    /// The virtual time at which the coordinator is free.
    free_at: Duration,
    /// The messages of workers to come: their times, their numbers and the workers.
    messages: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    next_message: u64,
    /// The job of each worker.
    in_flight: Vec<Option<InFlight>>,
    workers: HashMap<JobId, usize>,
    result: SimulationResult,
}

/// A job for a worker, with entries for its machine.
struct HandedOut {
    worker: usize,
    job: Job,
    entries: Vec<SharedEntry>,
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
            engines: (0..engine_count).map(|_| None).collect(),
            exchange: EntryExchange::default(),
            free_at: Duration::ZERO,
            messages: BinaryHeap::new(),
            next_message: 0,
            in_flight: (0..self.workers).map(|_| None).collect(),
            workers: HashMap::new(),
            result: SimulationResult::default(),
            simulation: self,
            coordinator,
        };
        own_engine.with_searcher(|searcher| cluster.run(searcher))
    }
}

impl SimulatedCluster<'_, '_> {
    fn run(mut self, searcher: &dyn GoalSearcher) -> SimulationResult {
        for worker in 0..self.simulation.workers {
            self.send(Duration::ZERO, worker);
        }
        while let Some(batch) = self.next_batch() {
            if self.serve(&batch, searcher).is_break() {
                break;
            }
        }
        self.result.time = self.free_at;
        self.result
    }

    /// Adds a message of a worker that arrives at a time, and returns its number.
    fn send(&mut self, time: Duration, worker: usize) -> u64 {
        let number = self.next_message;
        self.next_message += 1;
        self.messages.push(Reverse((time, number, worker)));
        number
    }

    /// Returns the workers whose messages the coordinator takes together, and advances the clock to
    /// the time at which it takes them; `None` if no message is left.
    fn next_batch(&mut self) -> Option<Vec<usize>> {
        let mut batch = Vec::new();
        while let Some(&Reverse((time, number, worker))) = self.messages.peek() {
            let is_full = batch.len() == self.simulation.max_batch.get();
            if !batch.is_empty() && (is_full || time > self.free_at) {
                break;
            }
            self.messages.pop();
            // A job that was stopped has an earlier message.
            let in_flight = self.in_flight[worker].as_ref();
            if in_flight.is_none_or(|in_flight| in_flight.delivery == number) {
                self.free_at = self.free_at.max(time);
                batch.push(worker);
            }
        }
        (!batch.is_empty()).then_some(batch)
    }

    fn machine(&self, worker: usize) -> usize {
        worker / self.simulation.workers_per_engine
    }

    /// Takes the results of workers and hands out their next jobs.
    fn serve(&mut self, batch: &[usize], searcher: &dyn GoalSearcher) -> ControlFlow<()> {
        let idle_since = self.result.time;
        let started_at = (self.simulation.clock)();
        let mut moved_entries = 0;
        let mut has_results = false;
        for &worker in batch {
            if let Some(in_flight) = self.in_flight[worker].take() {
                has_results = true;
                moved_entries += self.deliver(worker, in_flight);
            }
        }
        let completed_at = (self.simulation.clock)();
        let flow = if has_results {
            (self.simulation.observer)(self.coordinator)
        } else {
            ControlFlow::Continue(())
        };
        let observed_at = (self.simulation.clock)();
        let is_over = flow.is_break() || self.coordinator.is_finished();
        let mut handed_out = Vec::new();
        if !is_over {
            for &worker in batch {
                handed_out.extend(self.next_job(worker, searcher));
            }
        }
        let obsolete = if self.simulation.stop_time.is_some() {
            self.coordinator.obsolete_jobs()
        } else {
            Vec::new()
        };
        let ended_at = (self.simulation.clock)();
        let observer_time = observed_at.saturating_sub(completed_at);
        let real_time = ended_at.saturating_sub(started_at);
        self.result.observer_time += observer_time;
        self.result.coordinator_time += real_time.saturating_sub(observer_time);
        moved_entries += handed_out
            .iter()
            .map(|next| next.entries.len())
            .sum::<usize>();
        let service_time = self.service_time(batch, real_time, moved_entries);
        self.free_at += service_time;
        self.result.service_time += service_time;
        self.result.time = self.free_at;
        (self.coordinator).report_load(service_time, self.free_at.saturating_sub(idle_since));
        if is_over {
            return ControlFlow::Break(());
        }
        for next in handed_out {
            self.search(next);
        }
        for id in obsolete {
            self.stop(id);
        }
        ControlFlow::Continue(())
    }

    /// Returns the virtual time of a batch.
    fn service_time(&self, batch: &[usize], real_time: Duration, entries: usize) -> Duration {
        let machines: BTreeSet<usize> = batch.iter().map(|&worker| self.machine(worker)).collect();
        let jobs = match self.simulation.service_time {
            ServiceTime::Constant(time) => times(time, batch.len()),
            ServiceTime::Measured { message } => real_time + times(message, machines.len()),
        };
        let exchange = self
            .simulation
            .exchange
            .map(|exchange| exchange.service_time);
        jobs + times(exchange.unwrap_or_default(), entries)
    }

    /// Passes the result of a worker to the coordinator, or takes its job back without one. Returns
    /// the number of entries that come with it.
    fn deliver(&mut self, worker: usize, in_flight: InFlight) -> usize {
        self.workers.remove(&in_flight.job.id);
        self.result.nodes += in_flight.nodes;
        let Some(result) = in_flight.result else {
            self.coordinator.abandon(in_flight.job.id);
            return 0;
        };
        self.result.jobs += 1;
        self.coordinator.complete(&in_flight.job, &result);
        let count = in_flight.entries.len();
        let machine = self.machine(worker);
        self.exchange.publish(machine, in_flight.entries);
        count
    }

    /// Returns the next job for a worker, if there is one.
    fn next_job(&mut self, worker: usize, searcher: &dyn GoalSearcher) -> Option<HandedOut> {
        let NextJob::Job(job) = self.coordinator.next_job(searcher) else {
            return None;
        };
        let machine = self.machine(worker);
        let exchange = self.simulation.exchange;
        let entries = exchange.map(|exchange| self.exchange.take(machine, exchange.max_entries));
        Some(HandedOut {
            worker,
            job,
            entries: entries.unwrap_or_default(),
        })
    }

    /// Searches a job, whose worker has it when the coordinator is free.
    fn search(&mut self, next: HandedOut) {
        let HandedOut {
            worker,
            job,
            entries: received,
        } = next;
        let machine = self.machine(worker);
        let simulation = &mut *self.simulation;
        let engine = self.engines[machine].get_or_insert_with(&mut *simulation.create_engine);
        let (position, target) = (job.goal.position(), job.goal.target());
        let (result, entries) = engine.with_searcher(|searcher| {
            searcher.insert_shared_entries(&received);
            let result = searcher.search(position, target, job.thresholds, job.max_nodes, &[]);
            (result, searcher.take_shared_entries())
        });
        self.result.entries += received.len() as u64;
        let nodes = result.nodes;
        let (delay, result) = match (simulation.delivery)(&result) {
            Delivery::Result(delay) => (delay, Some(result)),
            Delivery::Abandoned(delay) => (delay, None),
        };
        let transfer = (simulation.exchange).map(|exchange| exchange.transfer_time);
        let transfer = times(transfer.unwrap_or_default(), received.len() + entries.len());
        let ends_at = self.free_at + delay + transfer;
        self.workers.insert(job.id, worker);
        let delivery = self.send(ends_at, worker);
        self.in_flight[worker] = Some(InFlight {
            job,
            result,
            entries,
            delivery,
            nodes,
            begins_at: self.free_at,
            ends_at,
        });
    }

    /// Ends an obsolete job early and without a result.
    fn stop(&mut self, id: JobId) {
        let (Some(&worker), Some(stop_time)) = (self.workers.get(&id), self.simulation.stop_time)
        else {
            return;
        };
        let time = self.free_at + stop_time;
        let number = self.next_message;
        let Some(in_flight) = &mut self.in_flight[worker] else {
            return;
        };
        if time >= in_flight.ends_at {
            return;
        }
        self.result.stopped_jobs += 1;
        let done = time.saturating_sub(in_flight.begins_at).as_nanos();
        let all = in_flight.ends_at.saturating_sub(in_flight.begins_at);
        let nodes = u128::from(in_flight.nodes) * done / all.as_nanos().max(1);
        in_flight.nodes = u64::try_from(nodes).unwrap_or(in_flight.nodes);
        in_flight.result = None;
        in_flight.ends_at = time;
        in_flight.delivery = number;
        self.send(time, worker);
    }
}

/// Returns a multiple of a time.
fn times(time: Duration, count: usize) -> Duration {
    time.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}
