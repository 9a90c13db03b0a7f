//! Worker threads with one engine each, behind a bounded queue.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, mem, thread};

use axum::http::StatusCode;
use kalah_api::Analyst;
use kalah_engine::Engine;
use kalah_tables::Variant;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::ServerConfig;
use crate::http::error::ProblemResponse;
use crate::metrics::EnginePoolMetrics;
use crate::table_caches::TableCaches;

/// Threads that answer what takes thought, with an engine each. A few questions are thought about at once, a few more
/// wait, and others are refused. A question whose caller has left is thought about no longer.
pub(crate) struct EnginePool {
    /// For each question that is thought about or waits.
    queue_slots: Arc<Semaphore>,
    /// For each question that is thought about.
    worker_slots: Arc<Semaphore>,
    /// Work for whoever has time: there is never more of it than there are seats.
    jobs: Sender<EngineJob>,
    table_caches: TableCaches,
    /// When no more time is left to think.
    abort: CancellationToken,
    metrics: EnginePoolMetrics,
}

type EngineJob = Box<dyn FnOnce(&mut Analyst) + Send>;

/// When a question that was refused is worth another try: an answer takes so long where nobody says otherwise.
const RETRY_DELAY: Duration = Duration::from_secs(5);

impl EnginePool {
    /// So many of them, called `name`.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub(crate) fn new(
        name: &str,
        number: NonZeroUsize,
        settings: &ServerConfig,
        counts: EnginePoolMetrics,
        hurry: CancellationToken,
    ) -> io::Result<Self> {
        let number = number.get();
        let limits = &settings.limits;
        let (work, to_do) = channel();
        let to_do = Arc::new(Mutex::new(to_do));
        // Tables that nobody asks for any more are kept beside those of the engines.
        let memory = settings.memory / (number + TableCaches::MAX_CACHES);
        let longest = limits.max_engine_time;
        for _ in 0..number {
            let to_do = Arc::clone(&to_do);
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || worker_loop(&to_do, memory, longest))?;
        }
        Ok(Self {
            queue_slots: Arc::new(Semaphore::new(number + limits.engine_queue_length)),
            worker_slots: Arc::new(Semaphore::new(number)),
            jobs: work,
            table_caches: settings.table_caches.clone(),
            abort: hurry,
            metrics: counts,
        })
    }

    /// Answers a question about a variant of the game.
    ///
    /// # Errors
    /// If there is no place for it, it has no answer, or finding it went wrong.
    pub(crate) async fn run<A: Send + 'static>(
        &self,
        variant: Variant,
        question: impl FnOnce(&mut Analyst) -> Result<A, kalah_api::RequestError> + Send + 'static,
    ) -> Result<A, ProblemResponse> {
        let Ok(place) = Arc::clone(&self.queue_slots).try_acquire_owned() else {
            self.metrics.rejected.inc();
            return Err(ProblemResponse::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many questions are being thought about",
            )
            .with_retry_after(RETRY_DELAY));
        };
        let caller = CancelOnDrop::new(self.metrics.cancelled.clone());
        let waiting = GaugeGuard::new(&self.metrics.queued);
        let seat = Arc::clone(&self.worker_slots).acquire_owned().await;
        drop(waiting);
        let running = GaugeGuard::new(&self.metrics.running);
        let (flag, shelves) = (Arc::clone(&caller.cancelled), self.table_caches.clone());
        let (tell, mut told) = oneshot::channel();
        let work: EngineJob = Box::new(move |thinker| {
            let engine = thinker.engine();
            *engine = mem::take(engine)
                .with_stop_flag(flag)
                .with_tables(shelves.for_variant(variant));
            let answer = question(thinker);
            drop((seat, place, running));
            // Nobody needs the answer if the caller has left.
            let _ = tell.send(answer);
        });
        let failed = |()| {
            tracing::error!("a question was not answered");
            ProblemResponse::internal()
        };
        self.jobs.send(work).map_err(|_| failed(()))?;
        let answer = tokio::select! {
            answer = &mut told => answer,
            () = self.abort.cancelled() => {
                caller.cancelled.store(true, Ordering::Relaxed);
                told.await
            }
        };
        caller.disarm();
        Ok(answer.map_err(|_| failed(()))??)
    }
}

/// What an analyst does: all that there is to do, until nobody can ask any more.
fn worker_loop(to_do: &Mutex<Receiver<EngineJob>>, memory: usize, longest: Duration) {
    let origin = Instant::now();
    let new = || {
        let engine = Engine::new().with_memory(memory);
        Analyst::new(engine, longest, move || origin.elapsed())
    };
    lower_thread_priority();
    let mut thinker = new();
    loop {
        let next = (to_do.lock().unwrap_or_else(PoisonError::into_inner)).recv();
        let Ok(work) = next else { break };
        if catch_unwind(AssertUnwindSafe(|| work(&mut thinker))).is_err() {
            // Whatever it was in the middle of: nobody builds on it.
            thinker = new();
        }
    }
}

/// Lets other threads of the machine go first, where the system knows of such: an answer in time is worth more to those
/// who play than to those who analyse.
fn lower_thread_priority() {
    #[cfg(target_os = "linux")]
    {
        /// As `nice` has it by default.
        const NICE_INCREMENT: i32 = 10;
        // Without it all go on alike.
        let _ = rustix::process::nice(NICE_INCREMENT);
    }
}

/// Who asked. When it is dropped before the answer is there, nobody needs that.
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

/// Something that is counted as long as it is.
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
    async fn a_panic_costs_one_question() {
        let hurry = CancellationToken::new();
        let counts = crate::metrics::Metrics::new().engine_pool("analysts");
        let settings = ServerConfig::default();
        let analysts = EnginePool::new("analyst", NonZeroUsize::MIN, &settings, counts, hurry)
            .expect("threads");
        let start = Position::start(2, 1, Rules::CS32).expect("a start");
        let variant = Variant::from_position(&start);
        let failed = analysts.run::<()>(variant, |_| panic!("as it should"));
        assert!(failed.await.is_err());
        assert_eq!(analysts.metrics.running.get(), 0);
        let question = kalah_api::AnalyseRequest {
            position: Some("2x1".to_owned()),
            ..Default::default()
        };
        let answer = analysts.run(variant, move |thinker| question.execute(thinker));
        assert!(answer.await.expect("an answer").bounds.exact);
    }
}
