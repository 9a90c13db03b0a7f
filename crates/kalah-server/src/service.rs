use std::sync::Arc;

use axum::http::StatusCode;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::analysts::Analysts;
use crate::games::{Hall, Places};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::rates::Rates;
use crate::visitor::Visitor;
use crate::{Limits, PageSource, ServeError, Settings, Visitors};

/// What all requests share.
pub(crate) struct Service {
    pub(crate) limits: Limits,
    pub(crate) visitors: Visitors,
    pub(crate) rates: Rates,
    pub(crate) metrics: Metrics,
    pub(crate) page: PageSource,
    /// Who takes time for an answer.
    pub(crate) analysts: Analysts,
    /// Who answers at once.
    pub(crate) opponents: Analysts,
    pub(crate) ending: Ending,
    pub(crate) hall: Arc<Hall>,
    pub(crate) places: Places,
}

/// The state of every handler.
pub(crate) type Shared = Arc<Service>;

/// How the server ends, for those who have to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending {
    /// No request is accepted any more, and what lasts, such as a stream, comes to its end.
    pub(crate) closing: CancellationToken,
    /// Whatever is still being done gives what it has, now.
    pub(crate) hurry: CancellationToken,
    /// What outlives its request: the server waits for it.
    pub(crate) tasks: TaskTracker,
}

impl Service {
    /// What requests share under these settings.
    ///
    /// # Errors
    /// If the system gives no threads, or the games cannot be opened.
    pub(crate) fn new(settings: &Settings) -> Result<Self, ServeError> {
        let limits = settings.limits.clone();
        let ending = Ending::default();
        let mut metrics = Metrics::new();
        let tasks = ending.tasks.clone();
        let hall = Hall::open(settings.data.as_ref(), &mut metrics.registry, tasks)?;
        let analysts = |name| {
            let (counts, hurry) = (metrics.questions(name), ending.hurry.clone());
            Analysts::new(name, limits.questions_at_once, settings, counts, hurry)
        };
        let analysts = |name| analysts(name).map_err(ServeError::System);
        let (analysts, opponents) = (analysts("analysts")?, analysts("opponents")?);
        Ok(Self {
            rates: Rates::new(limits.requests_per_second, limits.requests_at_once),
            limits,
            visitors: settings.visitors,
            metrics,
            page: settings.page.clone(),
            analysts,
            opponents,
            ending,
            hall: Arc::new(hall),
            places: Places::default(),
        })
    }

    /// Lets a visitor make a request that is worth so many plain ones.
    ///
    /// # Errors
    /// If it has made too many, or nobody is let in any more.
    pub(crate) fn admit(&self, visitor: Visitor, requests: u32) -> Result<(), Problem> {
        if self.ending.closing.is_cancelled() {
            return Err(Problem::closing());
        }
        let taken = self
            .rates
            .take(visitor, requests, Instant::now().into_std());
        taken.map_err(|time| {
            Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many requests came from this address",
            )
            .retry_after(time)
        })
    }
}
