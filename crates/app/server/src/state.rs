//! The state that all requests share.

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};
use kalah_net::{AllowedHosts, ListenError};
use kalah_store::{GameId, GameStoreError, OpenStoreError, RoomCode};
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::{ServerConfig, ServerLimits};
use crate::connection_peak::ConnectionPeak;
use crate::device_codes::DeviceCodes;
use crate::engine_pool::EnginePool;
use crate::games::registry::GameRegistry;
use crate::http::error::ProblemResponse;
use crate::http::rate_limit::{ClientIp, ClientIpSource, ConnectionLimiter, RateLimiter};
use crate::http::static_files::PageFiles;
use crate::metrics::Metrics;
use crate::rooms::guess_limiter::GuessLimiter;
use crate::rooms::registry::RoomRegistry;

/// The number of the page's files that a client may load in place of one other request: a file is
/// in memory, and a page of separate modules has about a hundred of them.
const FILES_PER_REQUEST: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// The time after which an address may create another room, beyond [`NEW_ROOM_BURST`].
const NEW_ROOM_INTERVAL: Duration = Duration::from_mins(5);
/// The number of rooms that an address may create at once.
const NEW_ROOM_BURST: NonZeroU32 = NonZeroU32::new(20).expect("not zero");

/// The state that all requests share.
pub(crate) struct ServerState {
    pub(crate) limits: ServerLimits,
    /// The bound address.
    pub(crate) address: SocketAddr,
    pub(crate) client_ip_source: ClientIpSource,
    pub(crate) allowed_hosts: AllowedHosts,
    /// The limiter of all requests except those of the page's files.
    pub(crate) rate_limiter: RateLimiter,
    pub(crate) file_rate_limiter: RateLimiter,
    pub(crate) metrics: Metrics,
    pub(crate) connection_peak: Arc<ConnectionPeak>,
    pub(crate) page_files: PageFiles,
    /// Engines for requests with a thinking time.
    pub(crate) analysis_pool: EnginePool,
    /// Engines for requests that are answered at once.
    pub(crate) opponent_pool: EnginePool,
    pub(crate) shutdown: GracefulShutdown,
    pub(crate) games: Arc<GameRegistry>,
    /// The codes for other devices of players.
    pub(crate) seat_codes: DeviceCodes<GameId>,
    /// The codes for other devices of leaders.
    pub(crate) leader_codes: DeviceCodes<RoomCode>,
    pub(crate) spectator_limiter: ConnectionLimiter,
    pub(crate) rooms: Arc<RoomRegistry>,
    /// The limiter of new rooms.
    room_limiter: RateLimiter,
    pub(crate) guess_limiter: GuessLimiter,
    /// Whether the server keeps records under short addresses.
    pub(crate) shares_records: bool,
    /// The header `Server` of all responses.
    pub(crate) server_header: HeaderValue,
}

/// Returns the header `Server` with the program and its version.
fn server_header(version: &str) -> HeaderValue {
    let printable = version.chars().filter(char::is_ascii_graphic);
    let text: String = "kalah/".chars().chain(printable).collect();
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("kalah"))
}

/// The shared state as handlers extract it.
pub(crate) type SharedState = Arc<ServerState>;

/// The stages of a graceful shutdown.
#[derive(Clone, Debug, Default)]
pub(crate) struct GracefulShutdown {
    /// Cancelled when the server stops accepting requests and closes WebSocket connections.
    pub(crate) started: CancellationToken,
    /// Cancelled when running requests have to return their results so far.
    pub(crate) abort: CancellationToken,
    /// Tasks that the server waits for before it exits.
    pub(crate) tasks: TaskTracker,
}

impl ServerState {
    /// Creates the state of a server at a bound address for a configuration.
    ///
    /// # Errors
    /// Returns an error if threads cannot be started or the games cannot be opened.
    pub(crate) fn new(config: &ServerConfig, address: SocketAddr) -> Result<Self, ServeError> {
        let limits = config.limits.clone();
        let shutdown = GracefulShutdown::default();
        let mut metrics = Metrics::new();
        let tasks = shutdown.tasks.clone();
        let games = GameRegistry::open(config.data_folder.as_ref(), &mut metrics.registry, tasks)?;
        let pool = |name| {
            let (pool_metrics, abort) = (metrics.engine_pool(name), shutdown.abort.clone());
            EnginePool::new(name, config, pool_metrics, abort)
        };
        let analysis_pool = pool("analysis").map_err(ServeError::System)?;
        let opponent_pool = pool("opponent").map_err(ServeError::System)?;
        let games = Arc::new(games);
        Ok(Self {
            rate_limiter: RateLimiter::new(limits.requests_per_second, limits.request_burst),
            file_rate_limiter: RateLimiter::new(
                limits.requests_per_second.saturating_mul(FILES_PER_REQUEST),
                limits.request_burst.saturating_mul(FILES_PER_REQUEST),
            ),
            spectator_limiter: ConnectionLimiter::new(limits.max_spectators_per_client),
            limits,
            address,
            client_ip_source: config.client_ip_source,
            allowed_hosts: AllowedHosts::new(&config.address, &config.hosts),
            metrics,
            connection_peak: Arc::default(),
            page_files: PageFiles::new(config.page.clone()),
            analysis_pool,
            opponent_pool,
            shutdown,
            rooms: Arc::new(RoomRegistry::new(Arc::clone(&games), config.lobby)),
            room_limiter: RateLimiter::with_interval(NEW_ROOM_INTERVAL, NEW_ROOM_BURST),
            guess_limiter: GuessLimiter::default(),
            games,
            seat_codes: DeviceCodes::default(),
            leader_codes: DeviceCodes::default(),
            shares_records: config.share,
            server_header: server_header(config.version),
        })
    }

    /// Charges `requests` plain requests to a client.
    ///
    /// # Errors
    /// Returns a 429 problem if the client exceeds its rate, and a 503 problem during shutdown.
    pub(crate) fn check_rate_limit(
        &self,
        client_ip: ClientIp,
        requests: NonZeroU32,
    ) -> Result<(), ProblemResponse> {
        self.charge(&self.rate_limiter, client_ip, requests)
    }

    /// Charges a new room to a client.
    ///
    /// # Errors
    /// Returns a 429 problem if the client has created too many.
    pub(crate) fn check_room_limit(&self, client_ip: ClientIp) -> Result<(), ProblemResponse> {
        let result = self.room_limiter.try_acquire(client_ip, NonZeroU32::MIN);
        result.map_err(|time| {
            ProblemResponse::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many rooms were created from this address",
            )
            .with_retry_after(time)
        })
    }

    /// Charges a file of the page to a client.
    ///
    /// # Errors
    /// As [`Self::check_rate_limit`].
    pub(crate) fn check_file_rate_limit(&self, client_ip: ClientIp) -> Result<(), ProblemResponse> {
        self.charge(&self.file_rate_limiter, client_ip, NonZeroU32::MIN)
    }

    fn charge(
        &self,
        limiter: &RateLimiter,
        client_ip: ClientIp,
        requests: NonZeroU32,
    ) -> Result<(), ProblemResponse> {
        if self.shutdown.started.is_cancelled() {
            return Err(ProblemResponse::shutting_down());
        }
        let result = limiter.try_acquire(client_ip, requests);
        result.map_err(|time| {
            ProblemResponse::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many requests came from this address",
            )
            .with_retry_after(time)
        })
    }
}

/// The error of starting or running a server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address cannot be bound.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The store of games cannot be opened.
    #[error("{0}")]
    OpenGames(#[from] OpenStoreError),
    /// The lobby cannot be opened.
    #[error("the lobby cannot be opened: {0}")]
    OpenLobby(String),
    /// The games cannot be read.
    #[error("{0}")]
    ReadGames(#[from] GameStoreError),
    /// The operating system provides no threads.
    #[error("the server cannot be started: {0}")]
    System(io::Error),
}
