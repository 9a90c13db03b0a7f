//! The limits of a player for one move, and its share of the clock.

use std::time::Duration;

use kalah::{BySide, Position};
use kalah_engine::SmartPlayer;

/// The limits of a player for one move.
#[derive(Clone, Copy, Debug)]
pub struct MoveLimits {
    /// The limits that the player receives.
    pub think: ThinkLimits,
    /// The time after which the player has lost, apart from a grace period; `None` without a clock.
    pub time: Option<Duration>,
    /// The time after which the player counts as stalled.
    pub timeout: Duration,
}

/// The limits of a player's thinking about one move. The first one that is reached ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkLimits {
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// The number of positions to search.
    pub nodes: Option<u64>,
    /// The number of turns to look ahead.
    pub depth: Option<u32>,
    /// The clocks of the game.
    pub clocks: Option<SideClocks>,
    /// Whether the player thinks until it is stopped.
    pub infinite: bool,
}

/// The clocks of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClocks {
    /// The time left for the rest of the game.
    pub left: BySide<Duration>,
    /// The time that each side gains after each of its turns. A bonus turn belongs to the turn
    /// before it.
    pub increment: BySide<Duration>,
}

impl MoveLimits {
    /// Returns the time for this move for players that do not manage a clock; `None` is unlimited.
    pub fn time_for_move(&self, position: &Position) -> Option<Duration> {
        match self.think.clocks {
            Some(_) => time_for_move(&self.think, position, true),
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
pub fn time_for_move(
    limits: &ThinkLimits,
    position: &Position,
    obeys_search_limits: bool,
) -> Option<Duration> {
    let move_time = (limits.move_time).map(|time| time.saturating_sub(move_overhead(time)));
    let clock_time = limits.clocks.map(|clocks| clock_share(&clocks, position));
    let is_unlimited = limits.infinite
        || obeys_search_limits && (limits.nodes.is_some() || limits.depth.is_some());
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

fn clock_share(clocks: &SideClocks, position: &Position) -> Duration {
    let side = position.to_move();
    let left = clocks.left[side];
    let left = left.saturating_sub(move_overhead(left));
    let increment = clocks.increment[side];
    let seeds = u32::from(position.seeds_in_play().get());
    let moves = (seeds / SEEDS_PER_MOVE).clamp(MIN_MOVES, MAX_MOVES);
    let share = (left / moves).saturating_add(increment / 4 * QUARTERS_OF_INCREMENT);
    share.min(left / 2)
}

#[cfg(test)]
mod tests {
    use kalah::Rules;
    use proptest::prelude::*;

    use super::*;

    fn start() -> Position {
        Position::start(6, 4, Rules::CS32).expect("a valid start")
    }

    fn on_clock(left: u64, increment: u64) -> ThinkLimits {
        let south = |time| BySide::new(Duration::from_millis(time), Duration::from_millis(1));
        ThinkLimits {
            clocks: Some(SideClocks {
                left: south(left),
                increment: south(increment),
            }),
            ..ThinkLimits::default()
        }
    }

    fn move_time(time: u64) -> ThinkLimits {
        ThinkLimits {
            move_time: Some(Duration::from_millis(time)),
            ..ThinkLimits::default()
        }
    }

    fn nodes(nodes: u64) -> ThinkLimits {
        ThinkLimits {
            nodes: Some(nodes),
            ..ThinkLimits::default()
        }
    }

    fn milliseconds(limits: ThinkLimits) -> Option<u128> {
        time_for_move(&limits, &start(), true).map(|time| time.as_millis())
    }

    #[test]
    fn time_is_the_move_time_or_the_share_of_the_clock() {
        for (limits, expected) in [
            (ThinkLimits::default(), Some(5_000)),
            (move_time(100), Some(90)),
            (move_time(10_000), Some(9_950)),
            (move_time(0), Some(0)),
            // 48 seeds: one of 16 moves.
            (on_clock(16_050, 0), Some(1_000)),
            (on_clock(16_050, 1_000), Some(1_750)),
            (on_clock(100, 10_000), Some(45)),
            (on_clock(0, 10_000), Some(0)),
        ] {
            assert_eq!(milliseconds(limits), expected, "{limits:?}");
        }
    }

    #[test]
    fn player_without_a_clock_of_its_own_gets_the_time_of_the_move_or_a_share() {
        for (think, time, expected) in [
            (move_time(1_000), Some(1_000), Some(1_000)),
            (on_clock(16_050, 0), Some(16_050), Some(1_000)),
            (nodes(5), None, None),
        ] {
            let limits = MoveLimits {
                think,
                time: time.map(Duration::from_millis),
                timeout: Duration::from_hours(1),
            };
            let expected = expected.map(Duration::from_millis);
            assert_eq!(limits.time_for_move(&start()), expected, "{think:?}");
        }
    }

    #[test]
    fn smallest_time_limit_applies() {
        let both = ThinkLimits {
            move_time: Some(Duration::from_millis(100)),
            ..on_clock(160_000, 0)
        };
        assert_eq!(milliseconds(both), Some(90));
    }

    #[test]
    fn time_is_unlimited_under_limits_of_nodes_and_depth_that_are_obeyed() {
        let infinite = ThinkLimits {
            infinite: true,
            ..ThinkLimits::default()
        };
        let depth = ThinkLimits {
            depth: Some(5),
            ..ThinkLimits::default()
        };
        for (limits, if_ignored) in [
            (infinite, None),
            (nodes(5), Some(SmartPlayer::DEFAULT_TIME_LIMIT)),
            (depth, Some(SmartPlayer::DEFAULT_TIME_LIMIT)),
        ] {
            let time = |obeys| time_for_move(&limits, &start(), obeys);
            assert_eq!((time(true), time(false)), (None, if_ignored), "{limits:?}");
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
                let limits = on_clock(clock, increment);
                let thinking = time_for_move(&limits, &start(), true).expect("on a clock");
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
