//! The limits of a player for one move, and its share of the clock.

use kalah::{Position, Side};
use kalah_engine::SmartPlayer;
use kalah_protocols::uki::{Clocks, Go};
use std::time::Duration;

/// The limits of a player for one move.
#[derive(Clone, Copy, Debug)]
pub struct MoveLimits {
    /// The limits as the engine protocol sends them.
    pub go: Go,
    /// The time after which the player has lost, apart from a grace period; `None` without a clock.
    pub time: Option<Duration>,
    /// The time after which the player counts as stalled.
    pub timeout: Duration,
}

impl MoveLimits {
    /// Returns the time for this move for players that manage no clock of their own; `None` is unlimited.
    pub fn time_for_move(&self, position: &Position) -> Option<Duration> {
        match self.go.clocks {
            Some(_) => time_for_move(&self.go, position, true),
            None => self.time,
        }
    }
}

/// How long to think about a position; `None` is as long as it takes.
///
/// Of the time for one ply, a little is kept for the way there and back. Of a clock, a ply gets an equal part of what
/// is left, as if so many more plies were to come as a third of the seeds in the houses, but 8 at least and 24 at
/// most; and three quarters of the increment, which comes only after the ply. It never gets more than half of
/// what is left, so that somebody who is late now and then does not lose on time. Who is told no limit that it keeps
/// to thinks as long as [`Smart`] does by default; `counts` says whether it keeps to nodes and depth.
pub fn time_for_move(go: &Go, position: &Position, counts: bool) -> Option<Duration> {
    let for_ply = go.move_time.map(|time| {
        let time = time.duration();
        time.saturating_sub(move_overhead(time))
    });
    let of_clock = go.clocks.map(|clocks| clock_share(&clocks, position));
    let by_itself = go.infinite || counts && (go.nodes.is_some() || go.depth.is_some());
    let by_default = (!by_itself).then_some(SmartPlayer::DEFAULT_TIME_LIMIT);
    for_ply.into_iter().chain(of_clock).min().or(by_default)
}

/// Seeds in the houses for each ply that the side to move is expected to make.
const SEEDS_PER_PLY: u32 = 3;

/// So many plies are expected at least, and at most.
const MIN_PLIES: u32 = 8;
const MAX_PLIES: u32 = 24;

/// Of the increment, quarters that are spent.
const QUARTERS_OF_INCREMENT: u32 = 3;

/// What is kept of a time for everything but thinking: a tenth, but no more than this.
const MAX_MOVE_OVERHEAD: Duration = Duration::from_millis(50);

fn move_overhead(time: Duration) -> Duration {
    (time / 10).min(MAX_MOVE_OVERHEAD)
}

fn clock_share(clocks: &Clocks, position: &Position) -> Duration {
    let side = position.to_move();
    let left = clocks.left[side].duration();
    let left = left.saturating_sub(move_overhead(left));
    let increment = clocks.increment[side].duration();
    let seeds: u32 = (Side::ALL.iter())
        .map(|&side| u32::from(position.row_total(side).get()))
        .sum();
    let plies = (seeds / SEEDS_PER_PLY).clamp(MIN_PLIES, MAX_PLIES);
    let share = (left / plies).saturating_add(increment / 4 * QUARTERS_OF_INCREMENT);
    share.min(left / 2)
}

#[cfg(test)]
mod tests {
    use kalah::{BySide, Rules};
    use kalah_protocols::uki::Milliseconds;
    use proptest::prelude::*;

    use super::*;

    fn start() -> Position {
        Position::start(6, 4, Rules::CS32).expect("a start")
    }

    fn on_clock(left: u64, increment: u64) -> Go {
        let both = |time| BySide::new(Milliseconds::new(time), Milliseconds::new(1));
        Go {
            clocks: Some(Clocks {
                left: both(left),
                increment: both(increment),
            }),
            ..Go::default()
        }
    }

    fn milliseconds(go: Go) -> Option<u128> {
        time_for_move(&go, &start(), true).map(|time| time.as_millis())
    }

    #[test]
    fn a_ply_gets_its_part() {
        let move_time = |time| Go {
            move_time: Some(Milliseconds::new(time)),
            ..Go::default()
        };
        for (go, expected) in [
            (Go::default(), Some(5_000)),
            (move_time(100), Some(90)),
            (move_time(10_000), Some(9_950)),
            (move_time(0), Some(0)),
            // 48 seeds: one of 16 plies.
            (on_clock(16_050, 0), Some(1_000)),
            (on_clock(16_050, 1_000), Some(1_750)),
            (on_clock(100, 10_000), Some(45)),
            (on_clock(0, 10_000), Some(0)),
        ] {
            assert_eq!(milliseconds(go), expected, "{go}");
        }
    }

    #[test]
    fn the_tightest_limit_holds() {
        let both = Go {
            move_time: Some(Milliseconds::new(100)),
            ..on_clock(160_000, 0)
        };
        assert_eq!(milliseconds(both), Some(90));
        for text in ["go infinite", "go nodes 5", "go depth 5"] {
            let Ok(kalah_protocols::uki::HostMessage::Go(go)) = text.parse() else {
                panic!("{text}")
            };
            assert_eq!(milliseconds(go), None, "{text}");
        }
    }

    proptest! {
        /// Who is never later than the reserve never loses on time, however long the game.
        #[test]
        fn the_clock_never_runs_out(
            left in 1_u64..=10_000_000,
            increment in prop_oneof![Just(0), 0_u64..100_000],
            late in 0.0_f64..1.0,
            plies in 1_usize..200,
        ) {
            let mut left = Duration::from_millis(left);
            for _ in 0..plies {
                let told = u64::try_from(left.as_millis()).expect("it is no more than there was");
                let spent = time_for_move(&on_clock(told, increment), &start(), true).expect("on a clock");
                let spent = spent + move_overhead(Duration::from_millis(told)).mul_f64(late);
                prop_assert!(spent <= left, "{spent:?} of {left:?}");
                left = left.saturating_sub(spent) + Duration::from_millis(increment);
                left = left.min(Duration::from_hours(10));
            }
        }
    }
}
