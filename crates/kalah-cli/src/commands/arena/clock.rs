use std::time::Duration;

use kalah::{BySide, Side};
use kalah_players::{MoveLimits, TimeControl};
use kalah_protocols::uki::{Clocks, Go, Milliseconds};

/// The clocks of a game, by the sides on which the players began.
pub(super) struct MatchClock {
    time_control: TimeControl,
    grace: Duration,
    remaining: BySide<Duration>,
}

/// Who is late by no more than this has been slow, and who is later does not answer at all.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long those are waited for whom no clock limits.
const UNTIMED_TIMEOUT: Duration = Duration::from_mins(10);

impl MatchClock {
    pub(super) fn new(time_control: TimeControl, grace: Duration) -> Self {
        let left = match time_control {
            TimeControl::Clock { base, .. } => base,
            TimeControl::PerMove(time) => time,
            TimeControl::Nodes(_) => UNTIMED_TIMEOUT,
        };
        Self {
            time_control,
            grace,
            remaining: BySide::new(left, left),
        }
    }

    /// What the player may take that began on `began`.
    pub(super) fn limits_for(&self, began: Side, is_swapped: bool) -> MoveLimits {
        let (go, limit) = match self.time_control {
            TimeControl::PerMove(time) => {
                let go = Go {
                    move_time: Some(time.into()),
                    ..Go::default()
                };
                (go, Some(time))
            }
            TimeControl::Clock { increment, .. } => {
                // Engines are told the clocks of rows.
                let left = if is_swapped {
                    self.remaining.swapped()
                } else {
                    self.remaining
                };
                let clocks = Clocks {
                    left: BySide::from_fn(|side| Milliseconds::from(left[side])),
                    increment: BySide::from_fn(|_| Milliseconds::from(increment)),
                };
                let go = Go {
                    clocks: Some(clocks),
                    ..Go::default()
                };
                (go, Some(self.remaining[began]))
            }
            TimeControl::Nodes(nodes) => {
                let go = Go {
                    nodes: Some(nodes.get()),
                    ..Go::default()
                };
                (go, None)
            }
        };
        let patience = limit.map_or(UNTIMED_TIMEOUT, |limit| {
            limit
                .saturating_add(self.grace)
                .saturating_add(STALL_TIMEOUT)
        });
        MoveLimits {
            go,
            time: limit,
            timeout: patience,
        }
    }

    /// Takes the time of a choice off the clock. Says by how much it was too late, if it was.
    pub(super) fn charge(
        &mut self,
        began: Side,
        turn: &MoveLimits,
        time: Duration,
    ) -> Option<Duration> {
        let limit = turn.time?;
        let late = time.saturating_sub(limit.saturating_add(self.grace));
        if let TimeControl::Clock { increment, .. } = self.time_control {
            self.remaining[began] = limit.saturating_sub(time).saturating_add(increment);
        }
        (!late.is_zero()).then(|| time.saturating_sub(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_clock_loses_what_is_taken_and_wins_its_increment() {
        let control = TimeControl::Clock {
            base: ms(1000),
            increment: ms(100),
        };
        let mut clock = MatchClock::new(control, ms(50));
        let turn = clock.limits_for(Side::South, false);
        assert_eq!(turn.time, Some(ms(1000)));
        assert_eq!(clock.charge(Side::South, &turn, ms(400)), None);
        assert_eq!(
            turn.go.to_string(),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        let swapped = clock.limits_for(Side::North, true);
        assert_eq!(
            swapped.go.to_string(),
            "go stime 1000 ntime 700 sinc 100 ninc 100"
        );
        // Within the grace nothing is left and nothing is lost.
        let turn = clock.limits_for(Side::South, false);
        assert_eq!(clock.charge(Side::South, &turn, ms(750)), None);
        let turn = clock.limits_for(Side::South, false);
        assert_eq!(turn.time, Some(ms(100)));
        assert_eq!(clock.charge(Side::South, &turn, ms(160)), Some(ms(60)));
    }

    #[test]
    fn who_counts_positions_is_never_late() {
        let control: TimeControl = "nodes=100".parse().expect("nodes");
        let mut clock = MatchClock::new(control, ms(50));
        let turn = clock.limits_for(Side::North, false);
        assert_eq!(turn.go.to_string(), "go nodes 100");
        assert_eq!(
            clock.charge(Side::North, &turn, Duration::from_hours(1)),
            None
        );
    }
}
