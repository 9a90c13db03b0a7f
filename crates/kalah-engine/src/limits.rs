//! Limits of an analysis, and their control in the threads of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// When an analysis has to stop; whatever comes first. Without any it goes on until it has proven its
/// goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time from the call on, by the clock that is handed in.
    pub time: Option<Duration>,
    /// Turns to look ahead; an analysis with such a limit estimates what lies beyond.
    pub depth: Option<u32>,
    /// Positions to search. With one thread, an analysis limited by these alone always finds the same.
    pub nodes: Option<u64>,
    /// What is to be proven.
    pub goal: Goal,
}

/// What an analysis tries to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The margin of the best choice.
    #[default]
    BestMargin,
    /// For whoever has to choose: first which choice is the best, and then its margin.
    BestMove,
    /// As [`Self::Move`], and of every other choice whether it is as good.
    Ties,
    /// The margin of every choice, that of the best one first.
    AllMargins,
}

/// When a search has to stop, and how far it is from that: one for each of its threads.
pub(crate) struct SearchControl<'a> {
    limits: SearchLimits<'a>,
    shared: &'a SharedControl,
    /// Positions that this thread has searched.
    nodes: u64,
    /// Those of them that the others know of.
    flushed_nodes: u64,
    /// Positions that the others have searched, when last asked.
    other_threads_nodes: u64,
    sowings_since_poll: usize,
    /// Gains that this thread read from tables.
    table_hits: u64,
}

/// What makes a search stop; whatever comes first.
#[derive(Clone, Copy)]
pub(crate) struct SearchLimits<'a> {
    /// The time when it has to, and the clock: for the thread that was called, which tells the others.
    pub(crate) deadline: Option<(Duration, &'a dyn Fn() -> Duration)>,
    /// Set by whoever wants it to.
    pub(crate) stop_flag: Option<&'a AtomicBool>,
    /// Positions that all threads together may search.
    pub(crate) max_nodes: u64,
}

impl SearchLimits<'_> {
    /// The first of `parts` equal parts of what is left of the time from `now` on, and of the positions.
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

    /// Positions that may still be searched, if time goes on to allow as many as since it `began`.
    pub(crate) fn remaining_nodes(self, began: Duration, searched: u64) -> u64 {
        let in_time = self.deadline.and_then(|(end, clock)| {
            let now = clock();
            let left = end.saturating_sub(now).as_nanos();
            let took = now.saturating_sub(began).as_nanos();
            let nodes = u128::from(searched).saturating_mul(left);
            u64::try_from(nodes.checked_div(took)?).ok()
        });
        in_time
            .unwrap_or(u64::MAX)
            .min(self.max_nodes.saturating_sub(searched))
    }
}

/// What the threads of a search tell each other.
#[derive(Default)]
pub(crate) struct SharedControl {
    /// Whether all have to stop.
    stopped: AtomicBool,
    /// Positions searched, up to each thread's last look.
    nodes: Arc<AtomicU64>,
    /// Gains read from tables as far as the threads have told.
    table_hits: AtomicU64,
}

/// The search was stopped before it had a value.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Sowings between two looks at the clock and at what other threads tell: some 5 microseconds on 6x4.
const SOWINGS_PER_POLL: usize = 256;

impl SharedControl {
    /// Nothing is told yet; positions are counted here, from none on.
    pub(crate) fn with_node_counter(nodes: Arc<AtomicU64>) -> Self {
        nodes.store(0, Ordering::Relaxed);
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// Positions that all threads have searched.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Gains read from tables, as far as the threads have told.
    pub(crate) fn table_hits(&self) -> u64 {
        self.table_hits.load(Ordering::Relaxed)
    }

    /// Makes all threads stop soon.
    pub(crate) fn stop_all(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Lets threads search again.
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
            other_threads_nodes: 0,
            sowings_since_poll: 0,
            table_hits: 0,
        }
    }

    /// What makes the search stop.
    pub(crate) fn limits(&self) -> SearchLimits<'a> {
        self.limits
    }

    /// Positions that all threads have searched, as far as this one knows.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes + self.other_threads_nodes
    }

    /// What makes other threads stop by themselves: they have no clock to look at.
    pub(crate) fn flag_and_max_nodes(&self) -> (Option<&'a AtomicBool>, u64) {
        (self.limits.stop_flag, self.limits.max_nodes)
    }

    /// Has the search stop for other reasons from now on.
    pub(crate) fn set_limits(&mut self, limits: SearchLimits<'a>) {
        self.limits = limits;
    }

    /// Whether the time is up, or whoever sets the flag wants it to stop.
    pub(crate) fn should_stop(&self) -> bool {
        let flag = self.limits.stop_flag;
        self.is_past_deadline() || flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the time is up; true only with a clock.
    pub(crate) fn is_past_deadline(&self) -> bool {
        (self.limits.deadline).is_some_and(|(deadline, clock)| clock() >= deadline)
    }

    /// Positions that this thread has searched.
    #[inline]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a position, if it may still be searched.
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
        if self.should_stop() || self.shared.stopped.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Adds what this thread has counted to what all have.
    pub(crate) fn flush_counters(&mut self) {
        self.flush_nodes();
        let hits = std::mem::take(&mut self.table_hits);
        self.shared.table_hits.fetch_add(hits, Ordering::Relaxed);
    }

    fn flush_nodes(&mut self) {
        let new = self.nodes - self.flushed_nodes;
        let all = self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new;
        self.flushed_nodes = self.nodes;
        self.other_threads_nodes = all - self.nodes;
    }
}

/// What a thread has not told yet, it tells at its end.
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
            stop_flag: None,
            max_nodes: 800,
        }
    }

    #[test]
    fn a_part_of_the_limits_is_of_what_is_left() {
        let clock = || 2 * SECOND;
        let part = limits(&clock).fraction(2 * SECOND, 8);
        assert_eq!(part.deadline.map(|(end, _)| end), Some(3 * SECOND));
        assert_eq!(part.max_nodes, 100);
    }

    #[test]
    fn as_many_positions_a_second_are_expected_as_were_searched() {
        let clock = || 4 * SECOND;
        let limits = limits(&clock);
        // 50 a second for 6 seconds; never more than the limit leaves.
        assert_eq!(limits.remaining_nodes(2 * SECOND, 100), 300);
        assert_eq!(limits.remaining_nodes(2 * SECOND, 700), 100);
        assert_eq!(limits.remaining_nodes(4 * SECOND, 100), 700);
        let no_time = SearchLimits {
            deadline: None,
            ..limits
        };
        assert_eq!(no_time.remaining_nodes(2 * SECOND, 100), 700);
    }
}
