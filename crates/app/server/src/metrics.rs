//! Prometheus metrics of the server.

use std::time::Duration;

use axum::http::Method;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// All metrics of the server, in the registry that `/metrics` encodes.
pub(crate) struct Metrics {
    pub(crate) registry: Registry,
    pub(crate) connections: Gauge,
    pub(crate) connections_rejected: Counter,
    engine_pools: EngineMetrics,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PoolLabel {
    pool: &'static str,
}

/// Metrics of the engine pools, by the label of the pool.
#[derive(Default)]
struct EngineMetrics {
    running: Family<PoolLabel, Gauge>,
    queued: Family<PoolLabel, Gauge>,
    rejected: Family<PoolLabel, Counter>,
    cancelled: Family<PoolLabel, Counter>,
}

impl EngineMetrics {
    fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        let Self {
            running,
            queued,
            rejected,
            cancelled,
        } = &metrics;
        let help = "Engine requests that are running";
        registry.register("engine_requests_running", help, running.clone());
        registry.register(
            "engine_requests_queued",
            "Engine requests that wait for a worker",
            queued.clone(),
        );
        let help = "Engine requests rejected because the queue was full";
        registry.register("engine_requests_rejected", help, rejected.clone());
        let help = "Engine requests whose client disconnected before the response";
        registry.register("engine_requests_cancelled", help, cancelled.clone());
        metrics
    }
}

/// The status counted for a request whose client disconnected before the response, as in nginx.
pub(crate) const CLIENT_CLOSED_REQUEST: u16 = 499;

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("kalah");
        let connections = Gauge::default();
        registry.register("connections", "Open HTTP connections", connections.clone());
        let connections_rejected = Counter::default();
        registry.register(
            "connections_rejected",
            "Connections rejected because too many were open",
            connections_rejected.clone(),
        );
        let engine_pools = EngineMetrics::register(&mut registry);
        let requests = Family::default();
        registry.register(
            "requests",
            "Requests by method, route and status; 499 if the client disconnected",
            requests.clone(),
        );
        let request_seconds = Family::new_with_constructor(latency_histogram as fn() -> Histogram);
        registry.register(
            "request_seconds",
            "The duration of requests by route",
            request_seconds.clone(),
        );
        Self {
            registry,
            connections,
            connections_rejected,
            engine_pools,
            requests,
            request_seconds,
        }
    }

    /// Returns the metrics of the pool with this label.
    pub(crate) fn engine_pool(&self, name: &'static str) -> EnginePoolMetrics {
        let labels = PoolLabel { pool: name };
        let EngineMetrics {
            running,
            queued,
            rejected,
            cancelled,
        } = &self.engine_pools;
        EnginePoolMetrics {
            running: running.get_or_create_owned(&labels),
            queued: queued.get_or_create_owned(&labels),
            rejected: rejected.get_or_create_owned(&labels),
            cancelled: cancelled.get_or_create_owned(&labels),
        }
    }

    /// Counts a request that has received a response or was cancelled, with its duration.
    pub(crate) fn record_request(
        &self,
        method: &Method,
        route: &str,
        status: u16,
        duration: Duration,
    ) {
        let labels = RequestLabels {
            method: method_label(method),
            route: route.to_owned(),
            status,
        };
        self.requests.get_or_create(&labels).inc();
        let route = RouteLabels {
            route: route.to_owned(),
        };
        self.request_seconds
            .get_or_create(&route)
            .observe(duration.as_secs_f64());
    }
}

/// Buckets from 1 ms to 16 s.
fn latency_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 4.0, 8))
}

/// Returns the method as a label. Unknown methods share one label, so that clients cannot create
/// new time series.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// Metrics of one engine pool.
#[derive(Debug)]
pub(crate) struct EnginePoolMetrics {
    /// Requests that a worker is executing.
    pub(crate) running: Gauge,
    /// Requests that wait for a worker.
    pub(crate) queued: Gauge,
    /// Requests rejected because the queue was full.
    pub(crate) rejected: Counter,
    /// Requests whose client disconnected before the response.
    pub(crate) cancelled: Counter,
}

/// Metrics of games between friends.
#[derive(Clone, Debug)]
pub(crate) struct GameMetrics {
    /// Games in memory.
    pub(crate) open: Gauge,
    /// Games created.
    pub(crate) created: Counter,
    /// Open WebSocket connections.
    pub(crate) websockets: Gauge,
    /// WebSocket connections closed because the client read too slowly.
    pub(crate) lagged: Counter,
    /// Plies played.
    pub(crate) plies: Counter,
    /// Games that ended by time-out.
    pub(crate) timed_out: Counter,
    /// Writes committed.
    writes: Counter,
    /// The duration of commits in seconds.
    commit_seconds: Histogram,
}

impl GameMetrics {
    /// Creates the metrics and registers them in `registry`.
    pub(crate) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            open: Gauge::default(),
            created: Counter::default(),
            websockets: Gauge::default(),
            lagged: Counter::default(),
            plies: Counter::default(),
            timed_out: Counter::default(),
            writes: Counter::default(),
            // Buckets from 1/8 ms to 1 s.
            commit_seconds: Histogram::new(exponential_buckets(0.000_125, 2.0, 14)),
        };
        let mut register_counter =
            |name, help, metric: Counter| registry.register(name, help, metric);
        register_counter(
            "games_created",
            "Games between friends that were created",
            metrics.created.clone(),
        );
        register_counter(
            "games_plies",
            "Plies played in games between friends",
            metrics.plies.clone(),
        );
        register_counter(
            "games_timed_out",
            "Games between friends that ended by time-out",
            metrics.timed_out.clone(),
        );
        register_counter(
            "games_writes",
            "Writes to the store of games",
            metrics.writes.clone(),
        );
        register_counter(
            "websockets_lagged",
            "WebSocket connections closed because the client read too slowly",
            metrics.lagged.clone(),
        );
        registry.register("games_open", "Games in memory", metrics.open.clone());
        registry.register(
            "websockets_open",
            "Open WebSocket connections to games",
            metrics.websockets.clone(),
        );
        registry.register_with_unit(
            "games_commit",
            "The duration of commits to the store of games",
            Unit::Seconds,
            metrics.commit_seconds.clone(),
        );
        metrics
    }

    /// Adds the writes of a commit to their count, and its duration to the histogram.
    pub(crate) fn record_commit(&self, writes: usize, duration: Duration) {
        self.writes
            .inc_by(u64::try_from(writes).unwrap_or(u64::MAX));
        self.commit_seconds.observe(duration.as_secs_f64());
    }
}
