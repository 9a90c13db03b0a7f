//! The clocks of a game.

use std::time::Duration;

use kalah::{ByPlayer, BySide, PlayerId};
use kalah_players::{MoveLimits, TimeControl};
use kalah_protocols::uki::{Clocks, Go, Milliseconds};

/// The clocks of both players of a game.
pub(super) struct MatchClock {
    time_control: TimeControl,
    grace: Duration,
    remaining: ByPlayer<Duration>,
}

/// The delay of an answer from which on the player counts as stalled instead of slow.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The time to wait for an answer without a clock.
const UNTIMED_TIMEOUT: Duration = Duration::from_mins(10);

impl MatchClock {
    pub(super) fn new(time_control: TimeControl, grace: Duration) -> Self {
        let remaining = match time_control {
            TimeControl::Clock { base, .. } => base,
            TimeControl::PerMove(time) => time,
            TimeControl::Nodes(_) => UNTIMED_TIMEOUT,
        };
        Self {
            time_control,
            grace,
            remaining: ByPlayer::new(remaining, remaining),
        }
    }

    /// Returns the limits of the next move of `player`. `is_swapped` tells whether the players have
    /// exchanged sides.
    pub(super) fn limits_for(&self, player: PlayerId, is_swapped: bool) -> MoveLimits {
        let (go, time) = match self.time_control {
            TimeControl::PerMove(time) => {
                let go = Go {
                    move_time: Some(time.into()),
                    ..Go::default()
                };
                (go, Some(time))
            }
            TimeControl::Clock { increment, .. } => {
                // Engines receive the clocks by side.
                let remaining = self.remaining.by_side(is_swapped);
                let clocks = Clocks {
                    left: BySide::from_fn(|side| Milliseconds::from(remaining[side])),
                    increment: BySide::from_fn(|_| Milliseconds::from(increment)),
                };
                let go = Go {
                    clocks: Some(clocks),
                    ..Go::default()
                };
                (go, Some(self.remaining[player]))
            }
            TimeControl::Nodes(nodes) => {
                let go = Go {
                    nodes: Some(nodes.get()),
                    ..Go::default()
                };
                (go, None)
            }
        };
        let timeout = time.map_or(UNTIMED_TIMEOUT, |time| {
            time.saturating_add(self.grace)
                .saturating_add(STALL_TIMEOUT)
        });
        MoveLimits { go, time, timeout }
    }

    /// Charges the time of a move to the clock of `player`. Returns the delay of a move that
    /// exceeds its limit and the grace.
    pub(super) fn charge(
        &mut self,
        player: PlayerId,
        limits: &MoveLimits,
        time: Duration,
    ) -> Option<Duration> {
        let limit = limits.time?;
        if let TimeControl::Clock { increment, .. } = self.time_control {
            self.remaining[player] = limit.saturating_sub(time).saturating_add(increment);
        }
        let is_late = time > limit.saturating_add(self.grace);
        is_late.then(|| time.saturating_sub(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn clock_is_charged_and_gains_the_increment() {
        let control = TimeControl::Clock {
            base: ms(1000),
            increment: ms(100),
        };
        let mut clock = MatchClock::new(control, ms(50));
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(1000)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(400)), None);
        assert_eq!(
            limits.go.to_string(),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        let swapped = clock.limits_for(NORTH, true);
        assert_eq!(
            swapped.go.to_string(),
            "go stime 1000 ntime 700 sinc 100 ninc 100"
        );
        // Within the grace the clock is at zero, but the game is not lost.
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(clock.charge(SOUTH, &limits, ms(750)), None);
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(100)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(160)), Some(ms(60)));
    }

    #[test]
    fn limit_of_nodes_has_no_clock() {
        let control: TimeControl = "nodes=100".parse().expect("nodes");
        let mut clock = MatchClock::new(control, ms(50));
        let limits = clock.limits_for(NORTH, false);
        assert_eq!(limits.go.to_string(), "go nodes 100");
        assert_eq!(clock.charge(NORTH, &limits, Duration::from_hours(1)), None);
    }
}
