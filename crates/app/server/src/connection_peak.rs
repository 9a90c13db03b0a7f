//! The release of memory after a peak of connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// The number of open connections that counts as a peak. A connection takes about 10 KiB, so that
/// fewer are no more than a few megabytes.
const MIN_PEAK: i64 = 500;

/// The interval of checks, and the time from the end of a peak to the release, in which more
/// connections may close. Releasing memory takes some milliseconds.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// The greatest number of open connections since the last release of memory.
#[derive(Debug, Default)]
pub(crate) struct ConnectionPeak(AtomicI64);

impl ConnectionPeak {
    /// Records the number of open connections.
    pub(crate) fn record(&self, open: i64) {
        self.0.fetch_max(open, Ordering::Relaxed);
    }

    /// Returns whether the number of open connections has fallen to half of a peak, and forgets the
    /// peak in this case.
    fn take_fall(&self, open: i64) -> bool {
        let peak = self.0.load(Ordering::Relaxed);
        let has_fallen = peak >= MIN_PEAK && open <= peak / 2;
        if has_fallen {
            self.0.store(open, Ordering::Relaxed);
        }
        has_fallen
    }
}

/// Calls `release` after peaks of the number of open connections, `open`.
pub(crate) async fn release_memory_after_peaks(
    peak: Arc<ConnectionPeak>,
    open: Gauge,
    release: fn(),
) {
    loop {
        sleep(CHECK_INTERVAL).await;
        if !peak.take_fall(open.get()) {
            continue;
        }
        sleep(CHECK_INTERVAL).await;
        if let Err(error) = spawn_blocking(release).await {
            tracing::error!(%error, "cannot release memory");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_is_over_when_half_of_its_connections_are_closed() {
        let peak = ConnectionPeak::default();
        peak.record(MIN_PEAK - 1);
        assert!(!peak.take_fall(0));
        peak.record(4 * MIN_PEAK);
        peak.record(3 * MIN_PEAK);
        assert!(!peak.take_fall(3 * MIN_PEAK));
        assert!(peak.take_fall(2 * MIN_PEAK));
        // The remaining connections may be the next peak.
        assert!(!peak.take_fall(2 * MIN_PEAK));
        assert!(peak.take_fall(MIN_PEAK - 1));
        assert!(!peak.take_fall(0));
    }
}
