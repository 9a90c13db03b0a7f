use std::time::Duration;

use kalah::{BySide, Position, Side};
use kalah_protocols::uki::{Clocks, Go, Milliseconds};

use super::super::engine::allotment::allotted;
use crate::TimeControl;

/// The clocks of a game, by the sides on which the players began.
pub(super) struct Clock {
    control: TimeControl,
    grace: Duration,
    left: BySide<Duration>,
}

/// What a player may take for a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Its limits as the engine protocol has them.
    pub(super) go: Go,
    /// The time after which it has lost, but for the grace.
    pub(super) limit: Option<Duration>,
    /// How long it is waited for.
    pub(super) patience: Duration,
}

/// Who is late by no more than this has been slow, and who is later does not answer at all.
const MUCH_LATER: Duration = Duration::from_secs(5);

/// How long those are waited for whom no clock limits.
const WITHOUT_CLOCK: Duration = Duration::from_mins(10);

impl Clock {
    pub(super) fn new(control: TimeControl, grace: Duration) -> Self {
        let left = match control {
            TimeControl::Clock { base, .. } => base,
            TimeControl::Choice(time) => time,
            TimeControl::Nodes(_) => WITHOUT_CLOCK,
        };
        Self {
            control,
            grace,
            left: BySide::new(left, left),
        }
    }

    /// What the player may take that began on `began`.
    pub(super) fn turn(&self, began: Side, is_swapped: bool) -> Turn {
        let (go, limit) = match self.control {
            TimeControl::Choice(time) => {
                let go = Go {
                    move_time: Some(time.into()),
                    ..Go::default()
                };
                (go, Some(time))
            }
            TimeControl::Clock { increment, .. } => {
                // Engines are told the clocks of rows.
                let left = if is_swapped {
                    self.left.swapped()
                } else {
                    self.left
                };
                let clocks = Clocks {
                    left: BySide::from_fn(|side| Milliseconds::from(left[side])),
                    increment: BySide::from_fn(|_| Milliseconds::from(increment)),
                };
                let go = Go {
                    clocks: Some(clocks),
                    ..Go::default()
                };
                (go, Some(self.left[began]))
            }
            TimeControl::Nodes(nodes) => {
                let go = Go {
                    nodes: Some(nodes.get()),
                    ..Go::default()
                };
                (go, None)
            }
        };
        let patience = limit.map_or(WITHOUT_CLOCK, |limit| {
            limit.saturating_add(self.grace).saturating_add(MUCH_LATER)
        });
        Turn {
            go,
            limit,
            patience,
        }
    }

    /// Takes the time of a choice off the clock. Says by how much it was too late, if it was.
    pub(super) fn spend(&mut self, began: Side, turn: &Turn, time: Duration) -> Option<Duration> {
        let limit = turn.limit?;
        let late = time.saturating_sub(limit.saturating_add(self.grace));
        if let TimeControl::Clock { increment, .. } = self.control {
            self.left[began] = limit.saturating_sub(time).saturating_add(increment);
        }
        (!late.is_zero()).then(|| time.saturating_sub(limit))
    }
}

impl Turn {
    /// What somebody may take who has no clock of its own.
    pub(super) fn allotted(&self, position: &Position) -> Option<Duration> {
        match self.go.clocks {
            Some(_) => allotted(&self.go, position, true),
            None => self.limit,
        }
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
        let mut clock = Clock::new(control, ms(50));
        let turn = clock.turn(Side::South, false);
        assert_eq!(turn.limit, Some(ms(1000)));
        assert_eq!(clock.spend(Side::South, &turn, ms(400)), None);
        assert_eq!(
            turn.go.to_string(),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        let swapped = clock.turn(Side::North, true);
        assert_eq!(
            swapped.go.to_string(),
            "go stime 1000 ntime 700 sinc 100 ninc 100"
        );
        // Within the grace nothing is left and nothing is lost.
        let turn = clock.turn(Side::South, false);
        assert_eq!(clock.spend(Side::South, &turn, ms(750)), None);
        let turn = clock.turn(Side::South, false);
        assert_eq!(turn.limit, Some(ms(100)));
        assert_eq!(clock.spend(Side::South, &turn, ms(160)), Some(ms(60)));
    }

    #[test]
    fn who_counts_positions_is_never_late() {
        let control: TimeControl = "nodes=100".parse().expect("nodes");
        let mut clock = Clock::new(control, ms(50));
        let turn = clock.turn(Side::North, false);
        assert_eq!(turn.go.to_string(), "go nodes 100");
        assert_eq!(
            clock.spend(Side::North, &turn, Duration::from_hours(1)),
            None
        );
    }
}
