//! Worker threads with one engine each, which run the requests of clients in fair order.

mod scheduler;

use std::collections::HashMap;
use std::future::pending;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, mem, thread};

use axum::http::StatusCode;
use kalah::Variant;
use kalah_api::{RequestEngine, RequestError, SearchKind};
use kalah_book::BookSet;
use kalah_engine::{Engine, TableCache};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::config::{ServerConfig, TableCaches};
use crate::engine_pool::scheduler::{FairScheduler, Pushed, QueueFull, RequestId, SchedulerLimits};
use crate::http::error::ProblemResponse;
use crate::http::rate_limit::ClientIp;
use crate::metrics::EnginePoolMetrics;

/// A pool of worker threads with one engine each. Some requests run, some are queued, further ones
/// are rejected. A request stops when its client disconnects.
pub(crate) struct EnginePool {
    shared: Arc<PoolShared>,
    table_caches: TableCaches,
    /// Cancelled when running requests have to return their results so far.
    abort: CancellationToken,
}

/// The client of an engine request, and the values by which the pool schedules and runs the
/// request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineRequest {
    pub(crate) client: ClientIp,
    pub(crate) kind: SearchKind,
    pub(crate) variant: Variant,
    pub(crate) time_limit: Duration,
}

/// The place of a request in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuePlace {
    /// The number of waiting requests that start before this one, plus 1.
    pub(crate) place: usize,
    /// The time until the start if all requests use up their time limits and no others arrive.
    pub(crate) expected_wait: Duration,
}

/// A request in a pool. Dropping it stops the engine, or removes the request from the queue.
pub(crate) struct SubmittedRequest<A> {
    id: RequestId,
    shared: Arc<PoolShared>,
    stop_flag: Arc<AtomicBool>,
    abort: CancellationToken,
    result: oneshot::Receiver<Result<A, ProblemResponse>>,
    is_finished: bool,
}

/// The places of a request in the queue until it starts.
pub(crate) struct QueuePlaces(watch::Receiver<Option<QueuePlace>>);

/// The state that workers and requests share.
struct PoolShared {
    state: Mutex<PoolState>,
    /// Notified when a worker may start a request, and when the pool is closed.
    work: Condvar,
    /// The zero of the times in the scheduler.
    origin: Instant,
    metrics: EnginePoolMetrics,
}

struct PoolState {
    scheduler: FairScheduler<Box<dyn EngineJob>>,
    /// The places of the queued requests; `None` until it is known that a request has to wait.
    places: HashMap<RequestId, watch::Sender<Option<QueuePlace>>>,
    is_closed: bool,
}

/// A request as a worker runs it.
trait EngineJob: Send {
    /// Runs the request and keeps the result.
    fn run(&mut self, engine: &mut RequestEngine);

    /// Sends the result to the client, or nothing if the request panicked.
    fn deliver(self: Box<Self>);

    /// Sends the reason why the request is not run.
    fn refuse(self: Box<Self>, problem: ProblemResponse);
}

struct PendingJob<A, F> {
    request: Option<F>,
    stop_flag: Arc<AtomicBool>,
    variant: Variant,
    tables: TableCaches,
    result: Option<Result<A, RequestError>>,
    sender: oneshot::Sender<Result<A, ProblemResponse>>,
}

impl<A, F> EngineJob for PendingJob<A, F>
where
    A: Send,
    F: FnOnce(&mut RequestEngine) -> Result<A, RequestError> + Send,
{
    fn run(&mut self, request_engine: &mut RequestEngine) {
        let Some(request) = self.request.take() else {
            return;
        };
        let engine = request_engine.engine();
        *engine = mem::take(engine)
            .with_stop_flag(Arc::clone(&self.stop_flag))
            .with_tables(self.tables.for_variant(self.variant));
        self.result = Some(request(request_engine));
        // An idle worker keeps no tables in memory.
        let engine = request_engine.engine();
        *engine = mem::take(engine).with_tables(TableCache::new());
    }

    fn deliver(self: Box<Self>) {
        if let Some(result) = self.result {
            // The receiver is gone if the client disconnected.
            let _ = self.sender.send(result.map_err(ProblemResponse::from));
        }
    }

    fn refuse(self: Box<Self>, problem: ProblemResponse) {
        let _ = self.sender.send(Err(problem));
    }
}

impl EnginePool {
    /// Starts the threads of a pool, which are named `name`.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no threads.
    pub(crate) fn new(
        name: &str,
        config: &ServerConfig,
        metrics: EnginePoolMetrics,
        abort: CancellationToken,
    ) -> io::Result<Self> {
        let limits = &config.limits;
        let worker_count = limits.engine_workers.get();
        let shared = Arc::new(PoolShared {
            state: Mutex::new(PoolState {
                scheduler: FairScheduler::new(SchedulerLimits {
                    workers: limits.engine_workers,
                    workers_per_client: workers_per_client(limits.engine_workers),
                    queue_length: limits.engine_queue_length,
                    queue_length_per_client: limits.engine_queue_length_per_client,
                }),
                places: HashMap::new(),
                is_closed: false,
            }),
            work: Condvar::new(),
            origin: Instant::now(),
            metrics,
        });
        // The memory is divided among the workers, each of which may have tables of another
        // variant, and the caches, whose tables remain when no engine uses them.
        let memory = config.memory / (worker_count + TableCaches::MAX_CACHES);
        let max_time = limits.max_engine_time;
        // The pool exists first, so that its drop ends the threads if one of them cannot start.
        let pool = Self {
            shared,
            table_caches: config.table_caches.clone(),
            abort,
        };
        for _ in 0..worker_count {
            let shared = Arc::clone(&pool.shared);
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || worker_loop(&shared, memory, max_time))?;
        }
        Ok(pool)
    }

    /// Queues a request.
    ///
    /// # Errors
    /// Returns a 429 problem if the queue is full. A request that leaves a full queue to make room
    /// for this one has the same problem as its result.
    pub(crate) fn submit<A: Send + 'static>(
        &self,
        request: EngineRequest,
        execute: impl FnOnce(&mut RequestEngine) -> Result<A, RequestError> + Send + 'static,
    ) -> Result<(SubmittedRequest<A>, QueuePlaces), ProblemResponse> {
        let EngineRequest {
            client,
            kind,
            variant,
            time_limit,
        } = request;
        let stop_flag = Arc::<AtomicBool>::default();
        let (sender, result) = oneshot::channel();
        let job: Box<dyn EngineJob> = Box::new(PendingJob {
            request: Some(execute),
            stop_flag: Arc::clone(&stop_flag),
            variant,
            tables: self.table_caches.clone(),
            result: None,
            sender,
        });
        let (place_sender, places) = watch::channel(None);
        let shared = &self.shared;
        let mut state = shared.lock();
        let now = shared.origin.elapsed();
        let full = |scheduler: &FairScheduler<_>, full| {
            shared.metrics.rejected.inc();
            let wait = scheduler.time_to_free_place(full, client, now);
            queue_full_problem(full, scheduler.limits(), wait)
        };
        let pushed = state.scheduler.push(client, kind, time_limit, job);
        let Pushed { id, displaced } = pushed.map_err(|limit| full(&state.scheduler, limit))?;
        if let Some((id, job)) = displaced {
            state.places.remove(&id);
            job.refuse(full(&state.scheduler, QueueFull::OfAll));
        }
        state.places.insert(id, place_sender);
        state.update(shared);
        drop(state);
        shared.work.notify_one();
        let submitted = SubmittedRequest {
            id,
            shared: Arc::clone(shared),
            stop_flag,
            abort: self.abort.clone(),
            result,
            is_finished: false,
        };
        Ok((submitted, QueuePlaces(places)))
    }

    /// Returns the number of running requests.
    #[cfg(test)]
    pub(crate) fn running_count(&self) -> usize {
        self.shared.lock().scheduler.running_count()
    }

    /// Runs a request and waits for its result.
    ///
    /// # Errors
    /// Returns a problem if the queue is full, the request is invalid, or the worker panicked.
    pub(crate) async fn run<A: Send + 'static>(
        &self,
        request: EngineRequest,
        execute: impl FnOnce(&mut RequestEngine) -> Result<A, RequestError> + Send + 'static,
    ) -> Result<A, ProblemResponse> {
        let (mut submitted, _) = self.submit(request, execute)?;
        submitted.result().await
    }
}

impl Drop for EnginePool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.work.notify_all();
    }
}

/// Returns the number of requests of one client that may run at the same time: half of the workers,
/// so that a client always finds a worker while only one other is busy.
fn workers_per_client(workers: NonZeroUsize) -> NonZeroUsize {
    NonZeroUsize::new(workers.get() / 2).unwrap_or(NonZeroUsize::MIN)
}

/// Returns a 429 problem that names the limit.
fn queue_full_problem(
    full: QueueFull,
    limits: SchedulerLimits,
    retry_after: Duration,
) -> ProblemResponse {
    let detail = match full {
        QueueFull::OfClient => format!(
            "too many engine requests from this address are waiting: the maximum is {}",
            limits.queue_length_per_client
        ),
        QueueFull::OfAll => format!(
            "too many engine requests are waiting: the maximum is {}",
            limits.queue_length
        ),
    };
    ProblemResponse::new(StatusCode::TOO_MANY_REQUESTS, detail).with_retry_after(retry_after)
}

impl QueuePlaces {
    /// Returns the place of the request when the request has to wait, and again whenever the place
    /// changes. Never returns after the start of the request.
    pub(crate) async fn next(&mut self) -> QueuePlace {
        loop {
            if self.0.changed().await.is_err() {
                return pending().await;
            }
            if let Some(place) = *self.0.borrow_and_update() {
                return place;
            }
        }
    }
}

impl<A> SubmittedRequest<A> {
    /// Waits for the result.
    ///
    /// # Errors
    /// Returns a problem if the request is invalid or the worker panicked.
    pub(crate) async fn result(&mut self) -> Result<A, ProblemResponse> {
        let result = tokio::select! {
            result = &mut self.result => result,
            () = self.abort.cancelled() => {
                self.stop_flag.store(true, Ordering::Relaxed);
                (&mut self.result).await
            }
        };
        self.is_finished = true;
        result.unwrap_or_else(|_| {
            tracing::error!("an engine request failed");
            Err(ProblemResponse::internal())
        })
    }
}

impl<A> Drop for SubmittedRequest<A> {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        self.stop_flag.store(true, Ordering::Relaxed);
        self.shared.metrics.cancelled.inc();
        let mut state = self.shared.lock();
        let job = state.scheduler.cancel(self.id);
        if job.is_some() {
            state.places.remove(&self.id);
            state.update(&self.shared);
        }
    }
}

impl PoolShared {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a request to start. Returns `None` when the pool is closed.
    fn next_job(&self) -> Option<(RequestId, Box<dyn EngineJob>)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some((id, job)) = state.scheduler.next(self.origin.elapsed()) {
                state.places.remove(&id);
                state.update(self);
                return Some((id, job));
            }
            state = (self.work.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, id: RequestId) {
        let mut state = self.lock();
        state.scheduler.finish(id);
        state.update(self);
    }
}

impl PoolState {
    /// Publishes the state of the scheduler after a change: the metrics, and the places of waiting
    /// requests that have changed.
    fn update(&self, shared: &PoolShared) {
        let gauge = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let scheduler = &self.scheduler;
        (shared.metrics.queued).set(gauge(scheduler.queued_count()));
        (shared.metrics.running).set(gauge(scheduler.running_count()));
        for forecast in scheduler.forecast(shared.origin.elapsed()) {
            let new = QueuePlace {
                place: forecast.place,
                expected_wait: forecast.wait,
            };
            if let Some(sender) = self.places.get(&forecast.id) {
                sender.send_if_modified(|known| {
                    let is_changed = known.is_none_or(|known| known.place != new.place);
                    if is_changed {
                        *known = Some(new);
                    }
                    is_changed
                });
            }
        }
    }
}

/// Runs requests until the pool is closed.
fn worker_loop(shared: &PoolShared, memory: usize, max_time: Duration) {
    let origin = Instant::now();
    let new_engine = || {
        let engine = (Engine::new().with_memory(memory)).with_books(BookSet::embedded());
        RequestEngine::new(engine, max_time, move || origin.elapsed())
    };
    lower_thread_priority();
    let mut engine = new_engine();
    while let Some((id, mut job)) = shared.next_job() {
        if catch_unwind(AssertUnwindSafe(|| job.run(&mut engine))).is_err() {
            // The engine may be in an inconsistent state after a panic; replace it.
            engine = new_engine();
        }
        shared.finish(id);
        job.deliver();
    }
}

/// Lowers the priority of this thread on Linux, because a quick response to a player matters more
/// than the depth of an analysis.
fn lower_thread_priority() {
    #[cfg(target_os = "linux")]
    {
        /// The default increment of the command `nice`.
        const NICE_INCREMENT: i32 = 10;
        // A failure leaves all threads at the same priority.
        let _ = rustix::process::nice(NICE_INCREMENT);
    }
}

#[cfg(test)]
mod tests {
    use kalah::{Position, Rules};

    use super::*;
    use crate::config::ServerLimits;

    #[tokio::test]
    async fn worker_survives_a_panic() {
        let abort = CancellationToken::new();
        let metrics = crate::metrics::Metrics::new().engine_pool("analysis");
        let config = ServerConfig {
            limits: ServerLimits {
                engine_workers: NonZeroUsize::MIN,
                ..ServerLimits::default()
            },
            ..ServerConfig::default()
        };
        let pool = EnginePool::new("analysis", &config, metrics, abort).expect("threads");
        let start = Position::start(2, 1, Rules::CS32).expect("a start");
        let engine_request = EngineRequest {
            client: ClientIp::new([192, 0, 2, 1].into()),
            kind: SearchKind::Analysis,
            variant: Variant::from_position(&start),
            time_limit: Duration::from_secs(5),
        };
        let failed = pool.run::<()>(engine_request, |_| panic!("as it should"));
        assert!(failed.await.is_err());
        assert_eq!(pool.shared.metrics.running.get(), 0);
        let request = kalah_api::AnalyzeRequest {
            position: Some("2x1".to_owned()),
            ..Default::default()
        };
        let result = pool.run(engine_request, move |engine| request.execute(engine));
        assert!(result.await.expect("an answer").bounds.exact);
    }
}
