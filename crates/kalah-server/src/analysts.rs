use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use kalah_api::Thinker;
use kalah_engine::Engine;
use kalah_tables::Variant;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use crate::problem::Problem;
use crate::{Settings, Shelves};

/// Threads that answer what takes thought, with an engine each. A few questions are thought about at once, a few more
/// wait, and others are refused. A question whose caller has left is thought about no longer.
pub(crate) struct Analysts {
    /// For each question that is thought about or waits.
    places: Arc<Semaphore>,
    /// For each question that is thought about.
    seats: Arc<Semaphore>,
    /// Work for whoever has time: there is never more of it than there are seats.
    work: Sender<Work>,
    shelves: Shelves,
    /// When no more time is left to think.
    hurry: CancellationToken,
    counts: Counts,
}

type Work = Box<dyn FnOnce(&mut Thinker) + Send>;

/// What is counted about questions.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Questions that are thought about.
    pub(crate) running: Gauge,
    /// Questions that wait.
    pub(crate) waiting: Gauge,
    /// Questions that found no place.
    pub(crate) refused: Counter,
    /// Questions whose callers left before the answer.
    pub(crate) left: Counter,
}

/// When a question that was refused is worth another try: an answer takes so long where nobody says otherwise.
const TRY_AGAIN: Duration = Duration::from_secs(5);

impl Analysts {
    /// So many of them, called `name`.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub(crate) fn new(
        name: &str,
        number: NonZeroUsize,
        settings: &Settings,
        counts: Counts,
        hurry: CancellationToken,
    ) -> io::Result<Self> {
        let number = number.get();
        let limits = &settings.limits;
        let (work, to_do) = channel();
        let to_do = Arc::new(Mutex::new(to_do));
        // Tables that nobody asks for any more are kept beside those of the engines.
        let memory = settings.memory / (number + Shelves::MOST);
        let longest = limits.thinking_time;
        for _ in 0..number {
            let to_do = Arc::clone(&to_do);
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || work_through(&to_do, memory, longest))?;
        }
        Ok(Self {
            places: Arc::new(Semaphore::new(number + limits.waiting_questions)),
            seats: Arc::new(Semaphore::new(number)),
            work,
            shelves: settings.shelves.clone(),
            hurry,
            counts,
        })
    }

    /// Answers a question about a variant of the game.
    ///
    /// # Errors
    /// If there is no place for it, it has no answer, or finding it went wrong.
    pub(crate) async fn ask<A: Send + 'static>(
        &self,
        variant: Variant,
        question: impl FnOnce(&mut Thinker) -> Result<A, kalah_api::Problem> + Send + 'static,
    ) -> Result<A, Problem> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            self.counts.refused.inc();
            return Err(Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many questions are being thought about",
            )
            .retry_after(TRY_AGAIN));
        };
        let caller = Caller::new(self.counts.left.clone());
        let waiting = Counted::new(&self.counts.waiting);
        let seat = Arc::clone(&self.seats).acquire_owned().await;
        drop(waiting);
        let running = Counted::new(&self.counts.running);
        let (flag, shelves) = (Arc::clone(&caller.left), self.shelves.clone());
        let (tell, mut told) = oneshot::channel();
        let work: Work = Box::new(move |thinker| {
            let engine = thinker.engine();
            *engine = mem::take(engine)
                .with_stop_flag(flag)
                .with_tables(shelves.shelf(variant));
            let answer = question(thinker);
            drop((seat, place, running));
            // Nobody needs the answer if the caller has left.
            let _ = tell.send(answer);
        });
        let failed = |()| {
            tracing::error!("a question was not answered");
            Problem::internal()
        };
        self.work.send(work).map_err(|_| failed(()))?;
        let answer = tokio::select! {
            answer = &mut told => answer,
            () = self.hurry.cancelled() => {
                caller.left.store(true, Ordering::Relaxed);
                told.await
            }
        };
        caller.stays();
        Ok(answer.map_err(|_| failed(()))??)
    }
}

/// What an analyst does: all that there is to do, until nobody can ask any more.
fn work_through(to_do: &Mutex<Receiver<Work>>, memory: usize, longest: Duration) {
    let origin = Instant::now();
    let new = || {
        let engine = Engine::new().with_memory(memory);
        Thinker::new(engine, longest, move || origin.elapsed())
    };
    give_way();
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
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        /// As `nice` has it by default.
        const STEPS: i32 = 10;
        // Without it all go on alike.
        let _ = rustix::process::nice(STEPS);
    }
}

/// Who asked. When it is dropped before the answer is there, nobody needs that.
struct Caller {
    left: Arc<AtomicBool>,
    counter: Counter,
    is_answered: bool,
}

impl Caller {
    fn new(counter: Counter) -> Self {
        Self {
            left: Arc::default(),
            counter,
            is_answered: false,
        }
    }

    fn stays(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        if !self.is_answered {
            self.left.store(true, Ordering::Relaxed);
            self.counter.inc();
        }
    }
}

/// Something that is counted as long as it is.
struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::{Position, Rules};

    #[tokio::test]
    async fn a_panic_costs_one_question() {
        let hurry = CancellationToken::new();
        let counts = crate::metrics::Metrics::new().questions("analysts");
        let settings = Settings::default();
        let analysts =
            Analysts::new("analyst", NonZeroUsize::MIN, &settings, counts, hurry).expect("threads");
        let start = Position::start(2, 1, Rules::CS32).expect("a start");
        let variant = Variant::from_position(&start);
        let failed = analysts.ask::<()>(variant, |_| panic!("as it should"));
        assert!(failed.await.is_err());
        assert_eq!(analysts.counts.running.get(), 0);
        let question = kalah_api::AnalyseQuestion {
            position: Some("2x1".to_owned()),
            ..Default::default()
        };
        let answer = analysts.ask(variant, move |thinker| question.answer(thinker));
        assert!(answer.await.expect("an answer").bounds.exact);
    }
}
