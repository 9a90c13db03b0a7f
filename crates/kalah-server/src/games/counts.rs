use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// What is counted of games.
#[derive(Clone, Debug)]
pub(crate) struct GameMetrics {
    /// Games that somebody looks at.
    pub(crate) open: Gauge,
    /// Games that were made.
    pub(crate) created: Counter,
    /// Live connections.
    pub(crate) websockets: Gauge,
    /// Live connections that were dropped for being behind.
    pub(crate) lagged: Counter,
    /// Plies that were made.
    pub(crate) plies: Counter,
    /// Games whose clock ran out.
    pub(crate) timed_out: Counter,
    /// Writes that were kept.
    writes: Counter,
    /// Seconds that commits took.
    commit_seconds: Histogram,
}

impl GameMetrics {
    /// Counts from nothing, listed in `registry`.
    pub(crate) fn new(registry: &mut Registry) -> Self {
        let counts = Self {
            open: Gauge::default(),
            created: Counter::default(),
            websockets: Gauge::default(),
            lagged: Counter::default(),
            plies: Counter::default(),
            timed_out: Counter::default(),
            writes: Counter::default(),
            // From an eighth of a millisecond to a second.
            commit_seconds: Histogram::new(exponential_buckets(0.000_125, 2.0, 14)),
        };
        let mut list = |name, help, metric: Counter| registry.register(name, help, metric);
        list(
            "games_made",
            "Games between friends that were made",
            counts.created.clone(),
        );
        list(
            "games_plies",
            "Plies that were made in games between friends",
            counts.plies.clone(),
        );
        list(
            "games_run_out",
            "Games between friends that a clock ended",
            counts.timed_out.clone(),
        );
        list(
            "games_writes",
            "Writes to the store of games",
            counts.writes.clone(),
        );
        list(
            "live_dropped",
            "Live connections that took too little of what they were told",
            counts.lagged.clone(),
        );
        registry.register(
            "games_open",
            "Games that somebody looks at",
            counts.open.clone(),
        );
        registry.register(
            "live_connections",
            "Live connections to games",
            counts.websockets.clone(),
        );
        registry.register_with_unit(
            "games_commit",
            "How long commits of the store of games took",
            Unit::Seconds,
            counts.commit_seconds.clone(),
        );
        counts
    }

    /// A commit of so many writes is on disk.
    pub(crate) fn record_commit(&self, writes: usize, took: Duration) {
        self.writes
            .inc_by(u64::try_from(writes).unwrap_or(u64::MAX));
        self.commit_seconds.observe(took.as_secs_f64());
    }
}
