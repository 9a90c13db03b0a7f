use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// What is counted of games.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// Games that somebody looks at.
    pub(crate) open: Gauge,
    /// Games that were made.
    pub(crate) made: Counter,
    /// Live connections.
    pub(crate) live: Gauge,
    /// Live connections that were dropped for being behind.
    pub(crate) behind: Counter,
    /// Plies that were made.
    pub(crate) plies: Counter,
    /// Games whose clock ran out.
    pub(crate) run_out: Counter,
    /// Writes that were kept.
    writes: Counter,
    /// Seconds that commits took.
    commit: Histogram,
}

impl Counts {
    /// Counts from nothing, listed in `registry`.
    pub(crate) fn new(registry: &mut Registry) -> Self {
        let counts = Self {
            open: Gauge::default(),
            made: Counter::default(),
            live: Gauge::default(),
            behind: Counter::default(),
            plies: Counter::default(),
            run_out: Counter::default(),
            writes: Counter::default(),
            // From an eighth of a millisecond to a second.
            commit: Histogram::new(exponential_buckets(0.000_125, 2.0, 14)),
        };
        let mut list = |name, help, metric: Counter| registry.register(name, help, metric);
        list(
            "games_made",
            "Games between friends that were made",
            counts.made.clone(),
        );
        list(
            "games_plies",
            "Plies that were made in games between friends",
            counts.plies.clone(),
        );
        list(
            "games_run_out",
            "Games between friends that a clock ended",
            counts.run_out.clone(),
        );
        list(
            "games_writes",
            "Writes to the store of games",
            counts.writes.clone(),
        );
        list(
            "live_dropped",
            "Live connections that took too little of what they were told",
            counts.behind.clone(),
        );
        registry.register(
            "games_open",
            "Games that somebody looks at",
            counts.open.clone(),
        );
        registry.register(
            "live_connections",
            "Live connections to games",
            counts.live.clone(),
        );
        registry.register_with_unit(
            "games_commit",
            "How long commits of the store of games took",
            Unit::Seconds,
            counts.commit.clone(),
        );
        counts
    }

    /// A commit of so many writes is on disk.
    pub(crate) fn commit(&self, writes: usize, took: Duration) {
        self.writes
            .inc_by(u64::try_from(writes).unwrap_or(u64::MAX));
        self.commit.observe(took.as_secs_f64());
    }
}
