//! The limits of a search, and their enforcement in its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The node counters and limits of one search thread.
pub(crate) struct SearchControl<'a> {
    limits: SearchLimits<'a>,
    shared: &'a SharedControl,
    /// Nodes that this thread has searched.
    nodes: u64,
    /// Those of `nodes` that were added to the shared counter.
    flushed_nodes: u64,
    /// Nodes of the other threads at the last flush.
    other_threads_nodes: u64,
    sowings_since_poll: usize,
    /// Those of `nodes` that were searched by proof numbers.
    proof_nodes: u64,
    /// Gains that this thread has read from endgame tables.
    table_hits: u64,
}

/// The limits of a search; the first that is reached stops it.
#[derive(Clone, Copy)]
pub(crate) struct SearchLimits<'a> {
    /// The time to stop at and the clock. Only the calling thread has them; it stops the others.
    pub(crate) deadline: Option<(Duration, &'a dyn Fn() -> Duration)>,
    /// Flags of other threads; the search stops when one of them is set.
    pub(crate) stop_flags: &'a [&'a AtomicBool],
    /// The limit of nodes for all threads together.
    pub(crate) max_nodes: u64,
    /// Called at every poll of the calling thread.
    pub(crate) heartbeat: Option<&'a dyn Fn()>,
}

impl SearchLimits<'_> {
    /// Returns whether there is a limit of time or nodes.
    pub(crate) fn is_limited(self) -> bool {
        self.deadline.is_some() || self.max_nodes < u64::MAX
    }

    /// Returns limits with the given fraction, one of `parts`, of the time left after `now` and of
    /// the nodes.
    pub(crate) fn fraction(self, now: Duration, parts: u32) -> Self {
        Self {
            deadline: self.deadline.map(|(end, clock)| {
                let time = end.saturating_sub(now) / parts;
                (now.saturating_add(time), clock)
            }),
            max_nodes: self.max_nodes / u64::from(parts),
            ..self
        }
    }

    /// Estimates the nodes that the limits still allow, from the nodes searched since `began` and
    /// those of the whole analysis.
    pub(crate) fn remaining_nodes(self, began: Duration, searched: u64, total: u64) -> u64 {
        let in_time = self.deadline.and_then(|(end, clock)| {
            let now = clock();
            let left = end.saturating_sub(now).as_nanos();
            let elapsed = now.saturating_sub(began).as_nanos();
            let nodes = u128::from(searched).saturating_mul(left);
            u64::try_from(nodes.checked_div(elapsed)?).ok()
        });
        in_time
            .unwrap_or(u64::MAX)
            .min(self.max_nodes.saturating_sub(total))
    }
}

/// State that the threads of a search share.
#[derive(Default)]
pub(crate) struct SharedControl {
    /// Whether all threads have to stop.
    stopped: AtomicBool,
    /// Nodes of all threads as of their last flush.
    nodes: Arc<AtomicU64>,
    /// Endgame table hits of all threads as of their last flush.
    table_hits: AtomicU64,
}

/// A search was stopped before it had a result.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Sowings between two polls of the clock and of the other threads: some 5 microseconds on 6x4.
const SOWINGS_PER_POLL: usize = 256;

impl SharedControl {
    /// Creates the state with a node counter that others may read; it is set to 0.
    pub(crate) fn with_node_counter(nodes: Arc<AtomicU64>) -> Self {
        nodes.store(0, Ordering::Relaxed);
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// Nodes of all threads.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Endgame table hits of all threads.
    pub(crate) fn table_hits(&self) -> u64 {
        self.table_hits.load(Ordering::Relaxed)
    }

    /// Makes all threads stop at their next poll.
    pub(crate) fn stop_all(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Lets threads search again after [`Self::stop_all`].
    pub(crate) fn reset(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }
}

impl<'a> SearchControl<'a> {
    pub(crate) fn new(limits: SearchLimits<'a>, shared: &'a SharedControl) -> Self {
        Self {
            limits,
            shared,
            nodes: 0,
            flushed_nodes: 0,
            other_threads_nodes: shared.nodes(),
            sowings_since_poll: 0,
            proof_nodes: 0,
            table_hits: 0,
        }
    }

    /// The limits in force.
    pub(crate) fn limits(&self) -> SearchLimits<'a> {
        self.limits
    }

    /// Nodes of all threads as of this thread's last flush.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes + self.other_threads_nodes
    }

    /// The limits that apply in other threads, which have no clock.
    pub(crate) fn flags_and_max_nodes(&self) -> (&'a [&'a AtomicBool], u64) {
        (self.limits.stop_flags, self.limits.max_nodes)
    }

    /// Replaces the limits.
    pub(crate) fn set_limits(&mut self, limits: SearchLimits<'a>) {
        self.limits = limits;
    }

    /// Returns whether the deadline has passed or a stop flag is set.
    pub(crate) fn should_stop(&self) -> bool {
        let mut flags = self.limits.stop_flags.iter();
        self.is_past_deadline() || flags.any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Calls the heartbeat.
    pub(crate) fn beat(&self) {
        if let Some(heartbeat) = self.limits.heartbeat {
            heartbeat();
        }
    }

    /// Returns whether the deadline has passed; `false` without one.
    pub(crate) fn is_past_deadline(&self) -> bool {
        (self.limits.deadline).is_some_and(|(deadline, clock)| clock() >= deadline)
    }

    /// Nodes that this thread has searched.
    #[inline]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes that this thread has searched by proof numbers.
    pub(crate) fn proof_nodes(&self) -> u64 {
        self.proof_nodes
    }

    /// Counts a node, or fails if a limit is reached.
    #[inline]
    pub(crate) fn count_node(&mut self) -> Result<(), Stopped> {
        if self.total_nodes() >= self.limits.max_nodes {
            return Err(Stopped);
        }
        if self.sowings_since_poll >= SOWINGS_PER_POLL {
            self.poll()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Counts a node of proof-number search, or fails if a limit is reached.
    #[inline]
    pub(crate) fn count_proof_node(&mut self) -> Result<(), Stopped> {
        self.count_node()?;
        self.proof_nodes += 1;
        Ok(())
    }

    #[inline]
    pub(crate) fn count_table_hit(&mut self) {
        self.table_hits += 1;
    }

    #[inline]
    pub(crate) fn count_sowings(&mut self, sowings: usize) {
        self.sowings_since_poll += sowings;
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        self.sowings_since_poll = 0;
        self.flush_nodes();
        self.beat();
        if self.should_stop() || self.shared.stopped.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Adds the counters of this thread to the shared ones.
    pub(crate) fn flush_counters(&mut self) {
        self.flush_nodes();
        let hits = std::mem::take(&mut self.table_hits);
        self.shared.table_hits.fetch_add(hits, Ordering::Relaxed);
    }

    fn flush_nodes(&mut self) {
        let new = self.nodes - self.flushed_nodes;
        let total = self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new;
        self.flushed_nodes = self.nodes;
        self.other_threads_nodes = total - self.nodes;
    }
}

/// Flushes the counters at the end of a thread's search.
impl Drop for SearchControl<'_> {
    fn drop(&mut self) {
        self.flush_counters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits(clock: &dyn Fn() -> Duration) -> SearchLimits<'_> {
        SearchLimits {
            deadline: Some((10 * SECOND, clock)),
            stop_flags: &[],
            max_nodes: 800,
            heartbeat: None,
        }
    }

    #[test]
    fn fraction_divides_the_remaining_time_and_nodes() {
        let clock = || 2 * SECOND;
        let part = limits(&clock).fraction(2 * SECOND, 8);
        assert_eq!(part.deadline.map(|(end, _)| end), Some(3 * SECOND));
        assert_eq!(part.max_nodes, 100);
    }

    #[test]
    fn remaining_nodes_extrapolates_the_search_speed() {
        let clock = || 4 * SECOND;
        let limits = limits(&clock);
        // 50 nodes a second for 6 seconds, within the node limit.
        assert_eq!(limits.remaining_nodes(2 * SECOND, 100, 100), 300);
        assert_eq!(limits.remaining_nodes(2 * SECOND, 100, 700), 100);
        assert_eq!(limits.remaining_nodes(4 * SECOND, 100, 100), 700);
        let no_time = SearchLimits {
            deadline: None,
            ..limits
        };
        assert_eq!(no_time.remaining_nodes(2 * SECOND, 100, 100), 700);
    }
}
