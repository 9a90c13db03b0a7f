//! The limits of a player for one move, and its share of the clock.

use std::time::Duration;

use kalah::{BySide, MoveTime, Position};
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
    /// Returns the time for this move for players that receive no clock; `None` is unlimited.
    pub fn time_for_move(&self, position: &Position) -> Option<MoveTime> {
        match self.think.clocks {
            Some(_) => time_for_move(&self.think, position, true),
            None => self.time.map(MoveTime::fixed),
        }
    }
}

/// The number of seeds in the houses for each further share of a clock. In play, a player has
/// another ply with a choice for each 2.7 seeds, and a ply takes somewhat less than half of its
/// target on average.
const SEEDS_PER_SHARE: u32 = 6;

/// The shares of a clock for the plies of an endgame that is proven in a short time, and for the
/// ply itself.
const MIN_SHARES: u32 = 4;

/// The product of houses and seeds of the positions that are proven in a short time: 33 seeds on
/// boards of 6 houses a side, for which the engine expects some 250,000 nodes.
const PROVABLE_SEEDS_TIMES_HOUSES: u32 = 200;

/// The greatest part of a clock that a ply spends in expectation of the increment, as a divisor. A
/// turn can have many plies, and the increment comes after the last one.
const MAX_INCREMENT_DIVISOR: u32 = 8;

/// The greatest part of a clock that is the limit of a ply, as a divisor.
const MAX_LIMIT_DIVISOR: u32 = 2;

/// The limit of a ply on a clock, as a multiple of its target.
const LIMIT_TO_TARGET_RATIO: u32 = 3;

/// The maximum time that is reserved for everything but thinking. The reserve is a tenth of the
/// time up to this maximum.
const MAX_MOVE_OVERHEAD: Duration = Duration::from_millis(50);

/// The divisor of a time that gives the part reserved for everything but thinking.
const OVERHEAD_DIVISOR: u32 = 10;

/// Returns the time to think about `position`; `None` is unlimited.
///
/// - Of a time for one move, a small reserve covers the transmission of the messages.
/// - A clock gives the time of [`clock_time`].
/// - Without a limit that the player obeys, the time is [`SmartPlayer::DEFAULT_TIME_LIMIT`].
///
/// `obeys_search_limits` tells whether the player obeys limits of nodes and depth.
pub fn time_for_move(
    limits: &ThinkLimits,
    position: &Position,
    obeys_search_limits: bool,
) -> Option<MoveTime> {
    let move_time = (limits.move_time).map(|time| time.saturating_sub(move_overhead(time)));
    let side = position.to_move();
    let clock_time = (limits.clocks)
        .map(|clocks| clock_time(clocks.left[side], clocks.increment[side], position));
    let is_unlimited = limits.infinite
        || obeys_search_limits && (limits.nodes.is_some() || limits.depth.is_some());
    let default_time = (!is_unlimited).then_some(SmartPlayer::DEFAULT_TIME_LIMIT);
    match (clock_time, move_time) {
        (Some(clock_time), Some(move_time)) => Some(clock_time.min(move_time)),
        (clock_time, move_time) => clock_time.or(move_time.or(default_time).map(MoveTime::fixed)),
    }
}

/// Returns the time for a ply in `position` on a clock that has `left` for the rest of the game and
/// receives `increment` after each turn.
///
/// A reserve of a tenth of the rest, at most 50 ms, covers everything but thinking. The target is
/// an equal share of the remainder, and the increment, at most an eighth of the remainder. The
/// number of shares is 4 and a sixth of the seeds in the houses that exceed those of a position
/// that is proven in a short time: 200 divided by the houses a side. The limit is three times the
/// target, at most half of the remainder, so that a player that is late now and then does not lose
/// on time.
///
/// ```
/// use std::time::Duration;
/// use kalah::{MoveTime, Position, Rules};
/// use kalah_players::clock_time;
///
/// // 72 seeds, of which 33 are left in an endgame that is proven soon: 10 shares.
/// let start = Position::start(6, 6, Rules::CS32)?;
/// let time = clock_time(Duration::from_millis(10_050), Duration::from_millis(200), &start);
/// let target = Duration::from_millis(1_200);
/// assert_eq!(time, MoveTime::on_clock(target, 3 * target));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn clock_time(left: Duration, increment: Duration, position: &Position) -> MoveTime {
    let usable = left.saturating_sub(move_overhead(left));
    let seeds = u32::from(position.seeds_in_play().get());
    let provable_seeds = PROVABLE_SEEDS_TIMES_HOUSES / u32::from(position.houses());
    let shares = MIN_SHARES + seeds.saturating_sub(provable_seeds) / SEEDS_PER_SHARE;
    let target = (usable / shares).saturating_add(increment.min(usable / MAX_INCREMENT_DIVISOR));
    let limit = target
        .saturating_mul(LIMIT_TO_TARGET_RATIO)
        .min(usable / MAX_LIMIT_DIVISOR);
    MoveTime::on_clock(target, limit)
}

fn move_overhead(time: Duration) -> Duration {
    (time / OVERHEAD_DIVISOR).min(MAX_MOVE_OVERHEAD)
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

    fn fixed(milliseconds: u64) -> MoveTime {
        Duration::from_millis(milliseconds).into()
    }

    fn clock(target: u64, limit: u64) -> MoveTime {
        let [target, limit] = [target, limit].map(Duration::from_millis);
        MoveTime::on_clock(target, limit)
    }

    #[test]
    fn time_is_the_move_time_or_the_share_of_the_clock() {
        for (limits, expected) in [
            (ThinkLimits::default(), Some(fixed(5_000))),
            (move_time(100), Some(fixed(90))),
            (move_time(10_000), Some(fixed(9_950))),
            (move_time(0), Some(fixed(0))),
            // 48 seeds, 15 more than are proven soon: one of 6 shares.
            (on_clock(6_050, 0), Some(clock(1_000, 3_000))),
            (on_clock(6_050, 100), Some(clock(1_100, 3_000))),
            (on_clock(80, 10_000), Some(clock(21, 36))),
            (on_clock(0, 10_000), Some(clock(0, 0))),
        ] {
            let time = time_for_move(&limits, &start(), true);
            assert_eq!(time, expected, "{limits:?}");
        }
    }

    #[test]
    fn share_of_the_clock_depends_on_the_seeds_that_are_not_proven_soon() {
        for (houses, seeds, shares) in [(6, 5, 8), (6, 6, 10), (8, 8, 21), (12, 12, 49)] {
            let position = Position::start(houses, seeds, Rules::CS32).expect("a valid start");
            let left = Duration::from_millis(shares * 1_000 + 50);
            let time = clock_time(left, Duration::ZERO, &position);
            assert_eq!(
                time.target(),
                Some(Duration::from_secs(1)),
                "{houses}x{seeds}"
            );
        }
    }

    #[test]
    fn player_that_receives_no_clock_gets_the_time_of_the_move_or_a_share() {
        for (think, time, expected) in [
            (move_time(1_000), Some(1_000), Some(fixed(1_000))),
            (on_clock(6_050, 0), Some(6_050), Some(clock(1_000, 3_000))),
            (nodes(5), None, None),
        ] {
            let limits = MoveLimits {
                think,
                time: time.map(Duration::from_millis),
                timeout: Duration::from_hours(1),
            };
            assert_eq!(limits.time_for_move(&start()), expected, "{think:?}");
        }
    }

    #[test]
    fn smallest_time_limit_applies() {
        let both = ThinkLimits {
            move_time: Some(Duration::from_millis(100)),
            ..on_clock(160_000, 0)
        };
        assert_eq!(time_for_move(&both, &start(), true), Some(clock(90, 90)));
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
            (nodes(5), Some(fixed(5_000))),
            (depth, Some(fixed(5_000))),
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
                let time = time_for_move(&limits, &start(), true).expect("on a clock");
                let thinking = time.limit();
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
