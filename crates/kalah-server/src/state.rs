//! The state that all requests share.

use std::io;
use std::sync::Arc;

use axum::http::StatusCode;
use thiserror::Error;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::{ListenAddress, PageSource, ServerConfig, ServerLimits};
use crate::engine_pool::EnginePool;
use crate::games::registry::GameRegistry;
use crate::games::store::error::{OpenStoreError, StoreError};
use crate::http::error::ProblemResponse;
use crate::http::rate_limit::{ClientIp, ClientIpSource, ConnectionLimiter, RateLimiter};
use crate::metrics::Metrics;

/// What all requests share.
pub(crate) struct ServerState {
    pub(crate) limits: ServerLimits,
    pub(crate) client_ip_source: ClientIpSource,
    pub(crate) rate_limiter: RateLimiter,
    pub(crate) metrics: Metrics,
    pub(crate) page: PageSource,
    /// Who takes time for an answer.
    pub(crate) analysis_pool: EnginePool,
    /// Who answers at once.
    pub(crate) opponent_pool: EnginePool,
    pub(crate) shutdown: GracefulShutdown,
    pub(crate) games: Arc<GameRegistry>,
    pub(crate) connection_limiter: ConnectionLimiter,
}

/// The state of every handler.
pub(crate) type SharedState = Arc<ServerState>;

/// How the server ends, for those who have to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct GracefulShutdown {
    /// No request is accepted any more, and what lasts, such as a stream, comes to its end.
    pub(crate) started: CancellationToken,
    /// Whatever is still being done gives what it has, now.
    pub(crate) abort: CancellationToken,
    /// What outlives its request: the server waits for it.
    pub(crate) tasks: TaskTracker,
}

impl ServerState {
    /// What requests share under these settings.
    ///
    /// # Errors
    /// If the system gives no threads, or the games cannot be opened.
    pub(crate) fn new(settings: &ServerConfig) -> Result<Self, ServeError> {
        let limits = settings.limits.clone();
        let ending = GracefulShutdown::default();
        let mut metrics = Metrics::new();
        let tasks = ending.tasks.clone();
        let hall = GameRegistry::open(settings.data_folder.as_ref(), &mut metrics.registry, tasks)?;
        let analysts = |name| {
            let (counts, hurry) = (metrics.engine_pool(name), ending.abort.clone());
            EnginePool::new(name, limits.engine_workers, settings, counts, hurry)
        };
        let analysts = |name| analysts(name).map_err(ServeError::System);
        let (analysts, opponents) = (analysts("analysts")?, analysts("opponents")?);
        Ok(Self {
            rate_limiter: RateLimiter::new(limits.requests_per_second, limits.request_burst),
            limits,
            client_ip_source: settings.client_ip_source,
            metrics,
            page: settings.page.clone(),
            analysis_pool: analysts,
            opponent_pool: opponents,
            shutdown: ending,
            games: Arc::new(hall),
            connection_limiter: ConnectionLimiter::default(),
        })
    }

    /// Lets a visitor make a request that is worth so many plain ones.
    ///
    /// # Errors
    /// If it has made too many, or nobody is let in any more.
    pub(crate) fn check_rate_limit(
        &self,
        visitor: ClientIp,
        requests: u32,
    ) -> Result<(), ProblemResponse> {
        if self.shutdown.started.is_cancelled() {
            return Err(ProblemResponse::shutting_down());
        }
        let taken = self
            .rate_limiter
            .try_acquire(visitor, requests, Instant::now().into_std());
        taken.map_err(|time| {
            ProblemResponse::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many requests came from this address",
            )
            .with_retry_after(time)
        })
    }
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Somebody else listens at the address.
    #[error("something else listens at {0} already")]
    AddressInUse(ListenAddress),
    /// It cannot be listened there.
    #[error("cannot listen at {address}: {reason}")]
    Listen {
        /// Where.
        address: ListenAddress,
        /// Why not.
        reason: io::Error,
    },
    /// The games between friends cannot be kept.
    #[error("{0}")]
    OpenGames(#[from] OpenStoreError),
    /// They cannot be read.
    #[error("{0}")]
    ReadGames(#[from] StoreError),
    /// The system gives no threads or no signals.
    #[error("the server cannot be started: {0}")]
    System(io::Error),
    /// The process was asked to end, and while it did, once more.
    #[error("ended before everything was finished that had been accepted")]
    Interrupted,
}
