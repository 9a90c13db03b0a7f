//! The limits of a player for one move, and its share of the clock.

use std::time::Duration;

use kalah::Position;
use kalah_engine::SmartPlayer;
use kalah_protocols::uki::{Clocks, Go};

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
    /// Returns the time for this move for players that do not manage a clock; `None` is unlimited.
    pub fn time_for_move(&self, position: &Position) -> Option<Duration> {
        match self.go.clocks {
            Some(_) => time_for_move(&self.go, position, true),
            None => self.time,
        }
    }
}

/// The number of seeds in the houses for each further move that the side to move is expected to
/// make.
const SEEDS_PER_MOVE: u32 = 3;

/// The minimum number of moves that the rest of a clock is divided among.
const MIN_MOVES: u32 = 8;
/// The maximum number of moves that the rest of a clock is divided among.
const MAX_MOVES: u32 = 24;

/// The quarters of the increment that a move spends.
const QUARTERS_OF_INCREMENT: u32 = 3;

/// The maximum time that is reserved for everything but thinking. The reserve is a tenth of the
/// time up to this maximum.
const MAX_MOVE_OVERHEAD: Duration = Duration::from_millis(50);

/// The divisor of a time that gives the part reserved for everything but thinking.
const OVERHEAD_DIVISOR: u32 = 10;

/// Returns the time to think about `position`; `None` is unlimited.
///
/// - Of a time for one move, a small reserve covers the transmission of the messages.
/// - Of a clock, after the same reserve, a move gets an equal share, as if one further move came
///   for each third seed in the houses, but at least 8 and at most 24 moves; and three quarters of
///   the increment, which the clock receives only after the turn. A move never gets more than half
///   of the rest, so that a player that is late now and then does not lose on time.
/// - Without a limit that the player obeys, the time is [`SmartPlayer::DEFAULT_TIME_LIMIT`].
///
/// `obeys_search_limits` tells whether the player obeys limits of nodes and depth.
pub fn time_for_move(go: &Go, position: &Position, obeys_search_limits: bool) -> Option<Duration> {
    let move_time = go.move_time.map(|time| {
        let time = time.duration();
        time.saturating_sub(move_overhead(time))
    });
    let clock_time = go.clocks.map(|clocks| clock_share(&clocks, position));
    let is_unlimited =
        go.infinite || obeys_search_limits && (go.nodes.is_some() || go.depth.is_some());
    let default_time = (!is_unlimited).then_some(SmartPlayer::DEFAULT_TIME_LIMIT);
    move_time
        .into_iter()
        .chain(clock_time)
        .min()
        .or(default_time)
}

fn move_overhead(time: Duration) -> Duration {
    (time / OVERHEAD_DIVISOR).min(MAX_MOVE_OVERHEAD)
}

fn clock_share(clocks: &Clocks, position: &Position) -> Duration {
    let side = position.to_move();
    let left = clocks.left[side].duration();
    let left = left.saturating_sub(move_overhead(left));
    let increment = clocks.increment[side].duration();
    let seeds = u32::from(position.seeds_in_play().get());
    let moves = (seeds / SEEDS_PER_MOVE).clamp(MIN_MOVES, MAX_MOVES);
    let share = (left / moves).saturating_add(increment / 4 * QUARTERS_OF_INCREMENT);
    share.min(left / 2)
}

#[cfg(test)]
mod tests {
    use kalah::{BySide, Rules};
    use kalah_protocols::uki::{HostMessage, Milliseconds};
    use proptest::prelude::*;

    use super::*;

    fn start() -> Position {
        Position::start(6, 4, Rules::CS32).expect("a valid start")
    }

    fn on_clock(left: u64, increment: u64) -> Go {
        let south = |time| BySide::new(Milliseconds::new(time), Milliseconds::new(1));
        Go {
            clocks: Some(Clocks {
                left: south(left),
                increment: south(increment),
            }),
            ..Go::default()
        }
    }

    fn milliseconds(go: Go) -> Option<u128> {
        time_for_move(&go, &start(), true).map(|time| time.as_millis())
    }

    #[test]
    fn time_is_the_move_time_or_the_share_of_the_clock() {
        let move_time = |time| Go {
            move_time: Some(Milliseconds::new(time)),
            ..Go::default()
        };
        for (go, expected) in [
            (Go::default(), Some(5_000)),
            (move_time(100), Some(90)),
            (move_time(10_000), Some(9_950)),
            (move_time(0), Some(0)),
            // 48 seeds: one of 16 moves.
            (on_clock(16_050, 0), Some(1_000)),
            (on_clock(16_050, 1_000), Some(1_750)),
            (on_clock(100, 10_000), Some(45)),
            (on_clock(0, 10_000), Some(0)),
        ] {
            assert_eq!(milliseconds(go), expected, "{go}");
        }
    }

    #[test]
    fn player_without_a_clock_of_its_own_gets_the_time_of_the_move_or_a_share() {
        let move_time = Go {
            move_time: Some(Milliseconds::new(1_000)),
            ..Go::default()
        };
        let nodes = Go {
            nodes: Some(5),
            ..Go::default()
        };
        for (go, time, expected) in [
            (move_time, Some(1_000), Some(1_000)),
            (on_clock(16_050, 0), Some(16_050), Some(1_000)),
            (nodes, None, None),
        ] {
            let limits = MoveLimits {
                go,
                time: time.map(Duration::from_millis),
                timeout: Duration::from_hours(1),
            };
            let expected = expected.map(Duration::from_millis);
            assert_eq!(limits.time_for_move(&start()), expected, "{go}");
        }
    }

    #[test]
    fn smallest_time_limit_applies() {
        let both = Go {
            move_time: Some(Milliseconds::new(100)),
            ..on_clock(160_000, 0)
        };
        assert_eq!(milliseconds(both), Some(90));
    }

    #[test]
    fn time_is_unlimited_under_limits_of_nodes_and_depth_that_are_obeyed() {
        for (text, if_ignored) in [
            ("go infinite", None),
            ("go nodes 5", Some(SmartPlayer::DEFAULT_TIME_LIMIT)),
            ("go depth 5", Some(SmartPlayer::DEFAULT_TIME_LIMIT)),
        ] {
            let Ok(HostMessage::Go(go)) = text.parse() else {
                panic!("{text}")
            };
            assert_eq!(time_for_move(&go, &start(), true), None, "{text}");
            assert_eq!(time_for_move(&go, &start(), false), if_ignored, "{text}");
        }
    }

    proptest! {
        #[test]
        fn clock_never_runs_out_when_the_delay_stays_within_the_reserve(
            left in 1_u64..=10_000_000,
            increment in prop_oneof![Just(0), 0_u64..100_000],
            delay_share in 0.0_f64..1.0,
            turn_ends in prop::collection::vec(any::<bool>(), 1..200),
        ) {
            let mut left = Duration::from_millis(left);
            for turn_ends in turn_ends {
                let clock = u64::try_from(left.as_millis()).expect("at most the initial time");
                let go = on_clock(clock, increment);
                let thinking = time_for_move(&go, &start(), true).expect("on a clock");
                let delay = move_overhead(Duration::from_millis(clock)).mul_f64(delay_share);
                let spent = thinking + delay;
                prop_assert!(spent <= left, "{spent:?} of {left:?}");
                left = left.saturating_sub(spent);
                // The increment is added once a turn.
                if turn_ends {
                    left = (left + Duration::from_millis(increment)).min(Duration::from_hours(10));
                } else if left < Duration::from_millis(1) {
                    break;
                }
            }
        }
    }
}
