//! The decision of an analysis on a clock whether another iteration of deepening is worth its time.

use std::time::Duration;

use kalah::Move;

/// The iterations of an analysis with a target of time: their durations, and how certain the best
/// move is.
///
/// An iteration begins only if it is expected to end within the target. The target is longer while
/// the best move is uncertain, and shorter after it was the same in several iterations.
pub(crate) struct IterationTimer {
    started_at: Duration,
    target: Duration,
    /// The time of the clock at the end of the last iteration.
    ended_at: Duration,
    /// The durations of the last iterations, the latest first.
    durations: [Option<Duration>; GROWTH_ITERATIONS + 1],
    /// The best move of the last iteration and its gain.
    best: Option<(Move, i32)>,
    /// The number of iterations since the last one that made the best move uncertain.
    steady_iterations: u32,
}

/// The number of iterations over which the growth of their durations is measured. Iterations of odd
/// and even depth differ, so that it is even.
const GROWTH_ITERATIONS: usize = 2;

/// The least and the greatest factor from the duration of an iteration to that of the next one.
const MIN_GROWTH: f64 = 1.25;
const MAX_GROWTH: f64 = 8.0;

/// The drop of the expected gain in seeds that makes the best move uncertain.
const UNCERTAIN_DROP: i32 = 3;

/// The factor of the target directly after an iteration that made the best move uncertain.
pub(crate) const UNCERTAIN_FACTOR: f64 = 2.0;

/// The factor of the target after [`STEADY_ITERATIONS`] iterations with a certain best move.
const STEADY_FACTOR: f64 = 0.7;
const STEADY_ITERATIONS: u32 = 4;

impl IterationTimer {
    pub(crate) fn new(started_at: Duration, target: Duration) -> Self {
        Self {
            started_at,
            target,
            ended_at: started_at,
            durations: [None; GROWTH_ITERATIONS + 1],
            best: None,
            steady_iterations: 0,
        }
    }

    /// Records an iteration that began after the last one and ends at the time `now` of the clock,
    /// with its best move and the expected gain of that.
    pub(crate) fn record(&mut self, now: Duration, best: Option<(Move, i32)>) {
        self.durations.rotate_right(1);
        self.durations[0] = Some(now.saturating_sub(self.ended_at));
        self.ended_at = now;
        let is_certain = match (self.best, best) {
            (Some((last, last_gain)), Some((mv, gain))) => {
                mv == last && gain > last_gain - UNCERTAIN_DROP
            }
            _ => false,
        };
        self.best = best;
        self.steady_iterations = if is_certain {
            self.steady_iterations + 1
        } else {
            0
        };
    }

    /// Returns whether the next iteration is expected to end within the target.
    pub(crate) fn allows_another(&self) -> bool {
        let factor = match self.steady_iterations {
            0 => UNCERTAIN_FACTOR,
            STEADY_ITERATIONS.. => STEADY_FACTOR,
            _ => 1.0,
        };
        let elapsed = self.ended_at.saturating_sub(self.started_at);
        let expected = elapsed.saturating_add(self.expected_duration());
        expected.as_secs_f64() <= self.target.as_secs_f64() * factor
    }

    /// Returns the expected duration of the next iteration, which grows as the last ones did; 0
    /// before there are enough of them.
    fn expected_duration(&self) -> Duration {
        let [Some(last), .., Some(earlier)] = self.durations else {
            return Duration::ZERO;
        };
        // Without a measured duration the growth is unknown.
        let ratio = last.as_secs_f64() / earlier.as_secs_f64().max(f64::MIN_POSITIVE);
        let expected = last.as_secs_f64() * ratio.sqrt().clamp(MIN_GROWTH, MAX_GROWTH);
        Duration::try_from_secs_f64(expected).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use kalah::House;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn best(house: u32, gain: i32) -> Option<(Move, i32)> {
        House::new(house).map(|house| (Move::Sow(house), gain))
    }

    /// Returns a timer with a target of 100 ms after iterations of these durations in milliseconds.
    fn timer(iterations: &[(u32, Option<(Move, i32)>)]) -> IterationTimer {
        let start = 5 * MS;
        let mut timer = IterationTimer::new(start, 100 * MS);
        let mut now = start;
        for &(duration, best) in iterations {
            now += duration * MS;
            timer.record(now, best);
        }
        timer
    }

    /// Returns a timer after three iterations in which the second one is the last to change the
    /// best move.
    fn certain(durations: [u32; 3]) -> IterationTimer {
        let [first, second, third] = durations;
        timer(&[
            (first, best(1, 0)),
            (second, best(2, 0)),
            (third, best(2, 0)),
        ])
    }

    #[test]
    fn iteration_that_is_not_expected_to_end_in_time_does_not_begin() {
        // The fourth iteration takes 40 ms if they double.
        assert!(certain([5, 10, 20]).allows_another());
        assert!(!certain([7, 14, 28]).allows_another());
        // Odd and even iterations differ: the mean growth counts.
        assert_eq!(certain([5, 30, 20]).expected_duration(), 40 * MS);
    }

    #[test]
    fn greatest_target_allows_all_iterations() {
        let mut timer = IterationTimer::new(Duration::ZERO, Duration::MAX);
        timer.record(Duration::MAX, best(1, 0));
        assert!(timer.allows_another());
    }

    #[test]
    fn growth_is_limited() {
        assert_eq!(certain([20, 1, 20]).expected_duration(), 25 * MS);
        assert_eq!(certain([0, 0, 3]).expected_duration(), 24 * MS);
        assert_eq!(certain([0, 0, 0]).expected_duration(), Duration::ZERO);
    }

    #[test]
    fn first_iterations_begin_unless_the_target_is_over() {
        assert!(timer(&[]).allows_another());
        assert!(timer(&[(30, best(1, 0)), (40, best(1, 0))]).allows_another());
        assert!(!timer(&[(60, best(1, 0)), (41, best(1, 0))]).allows_another());
    }

    #[test]
    fn uncertain_best_move_extends_the_target() {
        let durations = [10, 20, 40];
        assert!(!certain(durations).allows_another());
        let with = |last_best| {
            let iterations = [best(1, 4), best(1, 4), last_best];
            timer(&[0, 1, 2].map(|index| (durations[index], iterations[index])))
        };
        assert!(with(best(2, 4)).allows_another());
        assert!(with(best(1, 1)).allows_another());
        for gain in [2, 9] {
            assert!(!with(best(1, gain)).allows_another());
        }
    }

    #[test]
    fn steady_best_move_shortens_the_target() {
        let steady = |iterations: usize| timer(&vec![(15, best(1, 0)); iterations]);
        // The next iteration takes 1.25 times as long: 78.75 ms of 100 ms, or 93.75 ms of 70 ms.
        assert!(steady(4).allows_another());
        assert!(!steady(5).allows_another());
        let changed = [vec![(15, best(2, 0)); 2], vec![(15, best(1, 0)); 3]].concat();
        assert!(timer(&changed).allows_another());
    }
}
