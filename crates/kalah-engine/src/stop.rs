use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// When a search has to stop, and how far it is from that: one for each of its threads.
pub(crate) struct Stop<'a> {
    limits: StopLimits<'a>,
    shared: &'a SharedStop,
    /// Positions that this thread has searched.
    nodes: u64,
    /// Those of them that the others know of.
    told_nodes: u64,
    /// Positions that the others have searched, when last asked.
    nodes_of_others: u64,
    sowings_since_look: usize,
    /// Gains that this thread read from tables.
    table_hits: u64,
}

/// What makes a search stop; whatever comes first.
#[derive(Clone, Copy)]
pub(crate) struct StopLimits<'a> {
    /// The time when it has to, and the clock: for the thread that was called, which tells the others.
    pub(crate) deadline: Option<(Duration, &'a dyn Fn() -> Duration)>,
    /// Set by whoever wants it to.
    pub(crate) flag: Option<&'a AtomicBool>,
    /// Positions that all threads together may search.
    pub(crate) nodes: u64,
}

impl StopLimits<'_> {
    /// The first of `parts` equal parts of what is left of the time from `now` on, and of the positions.
    pub(crate) fn part(self, now: Duration, parts: u32) -> Self {
        Self {
            deadline: self.deadline.map(|(end, clock)| {
                let time = end.saturating_sub(now) / parts;
                (now.saturating_add(time), clock)
            }),
            nodes: self.nodes / u64::from(parts),
            ..self
        }
    }

    /// Positions that may still be searched, if time goes on to allow as many as since it `began`.
    pub(crate) fn nodes_left(self, began: Duration, searched: u64) -> u64 {
        let in_time = self.deadline.and_then(|(end, clock)| {
            let now = clock();
            let left = end.saturating_sub(now).as_nanos();
            let took = now.saturating_sub(began).as_nanos();
            let nodes = u128::from(searched).saturating_mul(left);
            u64::try_from(nodes.checked_div(took)?).ok()
        });
        in_time
            .unwrap_or(u64::MAX)
            .min(self.nodes.saturating_sub(searched))
    }
}

/// What the threads of a search tell each other.
#[derive(Default)]
pub(crate) struct SharedStop {
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
const SOWINGS_PER_LOOK: usize = 256;

impl SharedStop {
    /// Nothing is told yet; positions are counted here, from none on.
    pub(crate) fn counting(nodes: Arc<AtomicU64>) -> Self {
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
    pub(crate) fn go_on(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }
}

impl<'a> Stop<'a> {
    pub(crate) fn new(limits: StopLimits<'a>, shared: &'a SharedStop) -> Self {
        Self {
            limits,
            shared,
            nodes: 0,
            told_nodes: 0,
            nodes_of_others: 0,
            sowings_since_look: 0,
            table_hits: 0,
        }
    }

    /// What makes the search stop.
    pub(crate) fn limits(&self) -> StopLimits<'a> {
        self.limits
    }

    /// Positions that all threads have searched, as far as this one knows.
    pub(crate) fn nodes_of_all(&self) -> u64 {
        self.nodes + self.nodes_of_others
    }

    /// What makes other threads stop by themselves: they have no clock to look at.
    pub(crate) fn flag_and_nodes(&self) -> (Option<&'a AtomicBool>, u64) {
        (self.limits.flag, self.limits.nodes)
    }

    /// Has the search stop for other reasons from now on.
    pub(crate) fn set_limits(&mut self, limits: StopLimits<'a>) {
        self.limits = limits;
    }

    /// Whether the time is up, or whoever sets the flag wants it to stop.
    pub(crate) fn is_due(&self) -> bool {
        let flag = self.limits.flag;
        self.is_late() || flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the time is up; true only with a clock.
    pub(crate) fn is_late(&self) -> bool {
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
        if self.nodes_of_all() >= self.limits.nodes {
            return Err(Stopped);
        }
        if self.sowings_since_look >= SOWINGS_PER_LOOK {
            self.look()?;
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
        self.sowings_since_look += sowings;
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stopped> {
        self.sowings_since_look = 0;
        self.tell_nodes();
        if self.is_due() || self.shared.stopped.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Adds what this thread has counted to what all have.
    pub(crate) fn tell(&mut self) {
        self.tell_nodes();
        let hits = std::mem::take(&mut self.table_hits);
        self.shared.table_hits.fetch_add(hits, Ordering::Relaxed);
    }

    fn tell_nodes(&mut self) {
        let new = self.nodes - self.told_nodes;
        let all = self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new;
        self.told_nodes = self.nodes;
        self.nodes_of_others = all - self.nodes;
    }
}

/// What a thread has not told yet, it tells at its end.
impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits(clock: &dyn Fn() -> Duration) -> StopLimits<'_> {
        StopLimits {
            deadline: Some((10 * SECOND, clock)),
            flag: None,
            nodes: 800,
        }
    }

    #[test]
    fn a_part_of_the_limits_is_of_what_is_left() {
        let clock = || 2 * SECOND;
        let part = limits(&clock).part(2 * SECOND, 8);
        assert_eq!(part.deadline.map(|(end, _)| end), Some(3 * SECOND));
        assert_eq!(part.nodes, 100);
    }

    #[test]
    fn as_many_positions_a_second_are_expected_as_were_searched() {
        let clock = || 4 * SECOND;
        let limits = limits(&clock);
        // 50 a second for 6 seconds; never more than the limit leaves.
        assert_eq!(limits.nodes_left(2 * SECOND, 100), 300);
        assert_eq!(limits.nodes_left(2 * SECOND, 700), 100);
        assert_eq!(limits.nodes_left(4 * SECOND, 100), 700);
        let no_time = StopLimits {
            deadline: None,
            ..limits
        };
        assert_eq!(no_time.nodes_left(2 * SECOND, 100), 700);
    }
}
