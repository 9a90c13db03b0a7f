//! Worker threads with one engine each, behind a bounded queue.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, mem, thread};

use axum::http::StatusCode;
use kalah_api::{RequestEngine, RequestError};
use kalah_engine::Engine;
use kalah_tables::Variant;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::{ServerConfig, TableCaches};
use crate::http::error::ProblemResponse;
use crate::metrics::EnginePoolMetrics;

/// A pool of worker threads with one engine each. Some requests run, some wait, further ones are
/// rejected. A request stops when its client disconnects.
pub(crate) struct EnginePool {
    /// One permit for each running or waiting request.
    queue_slots: Arc<Semaphore>,
    /// One permit for each running request.
    worker_slots: Arc<Semaphore>,
    /// The queue of the workers. It never holds more jobs than there are worker permits.
    jobs: Sender<EngineJob>,
    table_caches: TableCaches,
    /// Cancelled when running requests have to return their results so far.
    abort: CancellationToken,
    metrics: EnginePoolMetrics,
}

type EngineJob = Box<dyn FnOnce(&mut RequestEngine) + Send>;

/// The `Retry-After` of a rejected request: the default thinking time.
const RETRY_DELAY: Duration = Duration::from_secs(5);

impl EnginePool {
    /// Starts `number` threads named `name`.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no threads.
    pub(crate) fn new(
        name: &str,
        worker_count: NonZeroUsize,
        config: &ServerConfig,
        metrics: EnginePoolMetrics,
        abort: CancellationToken,
    ) -> io::Result<Self> {
        let worker_count = worker_count.get();
        let limits = &config.limits;
        let (jobs, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        // Cached tables that no engine uses any more need memory beside those of the engines.
        let memory = config.memory / (worker_count + TableCaches::MAX_CACHES);
        let max_time = limits.max_engine_time;
        for _ in 0..worker_count {
            let receiver = Arc::clone(&receiver);
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || worker_loop(&receiver, memory, max_time))?;
        }
        Ok(Self {
            queue_slots: Arc::new(Semaphore::new(worker_count + limits.engine_queue_length)),
            worker_slots: Arc::new(Semaphore::new(worker_count)),
            jobs,
            table_caches: config.table_caches.clone(),
            abort,
            metrics,
        })
    }

    /// Runs a request about a variant of the game on a worker.
    ///
    /// # Errors
    /// Returns a problem if the queue is full, the request is invalid, or the worker panicked.
    pub(crate) async fn run<A: Send + 'static>(
        &self,
        variant: Variant,
        request: impl FnOnce(&mut RequestEngine) -> Result<A, RequestError> + Send + 'static,
    ) -> Result<A, ProblemResponse> {
        let Ok(queue_permit) = Arc::clone(&self.queue_slots).try_acquire_owned() else {
            self.metrics.rejected.inc();
            return Err(ProblemResponse::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many engine requests are waiting",
            )
            .with_retry_after(RETRY_DELAY));
        };
        let cancel_guard = CancelOnDrop::new(self.metrics.cancelled.clone());
        let queued = GaugeGuard::new(&self.metrics.queued);
        let worker_permit = Arc::clone(&self.worker_slots).acquire_owned().await;
        drop(queued);
        let running = GaugeGuard::new(&self.metrics.running);
        let (flag, tables) = (
            Arc::clone(&cancel_guard.cancelled),
            self.table_caches.clone(),
        );
        let (sender, mut receiver) = oneshot::channel();
        let job: EngineJob = Box::new(move |request_engine| {
            let engine = request_engine.engine();
            *engine = mem::take(engine)
                .with_stop_flag(flag)
                .with_tables(tables.for_variant(variant));
            let result = request(request_engine);
            drop((worker_permit, queue_permit, running));
            // The receiver is gone if the client disconnected.
            let _ = sender.send(result);
        });
        let failed = |()| {
            tracing::error!("an engine request failed");
            ProblemResponse::internal()
        };
        self.jobs.send(job).map_err(|_| failed(()))?;
        let result = tokio::select! {
            result = &mut receiver => result,
            () = self.abort.cancelled() => {
                cancel_guard.cancelled.store(true, Ordering::Relaxed);
                receiver.await
            }
        };
        cancel_guard.disarm();
        Ok(result.map_err(|_| failed(()))??)
    }
}

/// Runs jobs until the sending side of the queue is dropped.
fn worker_loop(receiver: &Mutex<Receiver<EngineJob>>, memory: usize, max_time: Duration) {
    let origin = Instant::now();
    let new_engine = || {
        let engine = Engine::new().with_memory(memory);
        RequestEngine::new(engine, max_time, move || origin.elapsed())
    };
    lower_thread_priority();
    let mut engine = new_engine();
    loop {
        let next = (receiver.lock().unwrap_or_else(PoisonError::into_inner)).recv();
        let Ok(job) = next else { break };
        if catch_unwind(AssertUnwindSafe(|| job(&mut engine))).is_err() {
            // The engine may be in an inconsistent state after a panic; replace it.
            engine = new_engine();
        }
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

/// Stops the engine of a request, and counts the cancellation, when dropped before
/// [`CancelOnDrop::disarm`].
struct CancelOnDrop {
    cancelled: Arc<AtomicBool>,
    cancelled_counter: Counter,
    is_disarmed: bool,
}

impl CancelOnDrop {
    fn new(cancelled_counter: Counter) -> Self {
        Self {
            cancelled: Arc::default(),
            cancelled_counter,
            is_disarmed: false,
        }
    }

    fn disarm(mut self) {
        self.is_disarmed = true;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.is_disarmed {
            self.cancelled.store(true, Ordering::Relaxed);
            self.cancelled_counter.inc();
        }
    }
}

/// Increments a gauge until dropped.
struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use kalah::{Position, Rules};

    use super::*;

    #[tokio::test]
    async fn worker_survives_a_panic() {
        let abort = CancellationToken::new();
        let metrics = crate::metrics::Metrics::new().engine_pool("analysis");
        let config = ServerConfig::default();
        let pool = EnginePool::new("analysis", NonZeroUsize::MIN, &config, metrics, abort)
            .expect("threads");
        let start = Position::start(2, 1, Rules::CS32).expect("a start");
        let variant = Variant::from_position(&start);
        let failed = pool.run::<()>(variant, |_| panic!("as it should"));
        assert!(failed.await.is_err());
        assert_eq!(pool.metrics.running.get(), 0);
        let request = kalah_api::AnalyzeRequest {
            position: Some("2x1".to_owned()),
            ..Default::default()
        };
        let result = pool.run(variant, move |engine| request.execute(engine));
        assert!(result.await.expect("an answer").bounds.exact);
    }
}
