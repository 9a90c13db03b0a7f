//! `SmartPlayer` and the engine keep to their limits and to the rules on every board.

#[path = "engine/positions.rs"]
mod positions;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kalah::{Move, MoveTime, Player, Position, Rules, Setup};
use kalah_engine::{AnalysisGoal, Engine, Limits, SmartPlayer};
use proptest::prelude::*;

use positions::random_position;

/// A clock on which each read takes as long as 256 sowings do on a slow machine.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

const MICROSECONDS_PER_READ: u64 = 100;

impl Clock {
    fn read(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed) * MICROSECONDS_PER_READ)
    }

    fn reads(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn smart(&self) -> SmartPlayer {
        let clock = self.clone();
        SmartPlayer::new("Smart", move || clock.read())
    }
}

fn position(text: &str, rules: Rules) -> Position {
    text.parse::<Setup>().unwrap().position(rules).unwrap()
}

fn any_rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_move_is_legal_and_in_time(
        (houses, seeds) in (1_u8..=26).prop_flat_map(|houses| {
            (Just(houses), 0..=65_535 / (2 * u64::from(houses)))
        }),
        few in any::<bool>(),
        rules in any_rules(),
        plies in 0_u64..30,
        seed: u64,
        // The player keeps a twentieth in reserve: at least 15 reads of the clock. Beside its polls
        // an analysis reads it some ten times, which costs nothing on a real clock.
        limit in (30_u64..100).prop_map(Duration::from_millis),
    ) {
        let seeds = if few { seeds % 8 } else { seeds };
        let position = random_position(houses, seeds, rules, plies, seed);
        let clock = Clock::default();
        let mv = clock.smart().choose_move(&position, limit);
        prop_assert!(clock.read() <= limit, "late in {position}");
        match mv {
            Some(mv) => prop_assert_eq!(position.check_legal(mv), Ok(())),
            None => prop_assert!(position.is_over()),
        }
    }

    #[test]
    fn analysis_is_the_same_for_both_sides(
        houses in 1_u8..=8,
        seeds in 1_u64..=6,
        rules in any_rules(),
        plies in 0_u64..20,
        seed: u64,
    ) {
        let position = random_position(houses, seeds, rules, plies, seed);
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let analyze = |position| Engine::new().analyze(position, limits, &|| Duration::ZERO);
        let (report, flipped) = (analyze(&position), analyze(&position.flipped()));
        prop_assert_eq!(report.best_move, flipped.best_move);
        prop_assert_eq!(report.margin(), flipped.margin());
        prop_assert_eq!(report.nodes, flipped.nodes);
    }
}

#[test]
fn only_move_is_played_at_once() {
    let clock = Clock::default();
    let position_with_one_move = position("<6,0,0,0,0,9,0,0,0,4,4,4,4,4,4> s", Rules::CS32);
    let mv = clock
        .smart()
        .choose_move(&position_with_one_move, SmartPlayer::DEFAULT_TIME_LIMIT);
    assert_eq!(
        mv.map(|mv| mv.text(position_with_one_move.to_move())),
        Some("C".to_owned())
    );
    assert_eq!(clock.reads(), 0);
}

#[test]
fn time_is_used_in_open_positions() {
    let clock = Clock::default();
    // No book has this start.
    let start = position("6x6", Rules::CS32);
    let limit = Duration::from_millis(500);
    clock.smart().choose_move(&start, limit);
    let elapsed = clock.read();
    assert!(
        (limit / 2..=limit).contains(&elapsed),
        "used {elapsed:?} of {limit:?}"
    );
}

#[test]
fn zero_time_limit_yields_a_move() {
    let clock = Clock::default();
    let start = position("26x1000", Rules::CS32);
    let mv = clock.smart().choose_move(&start, Duration::ZERO).unwrap();
    assert_eq!(start.check_legal(mv), Ok(()));
    assert!(clock.reads() < 10);
}

#[test]
fn swap_is_played_only_when_better() {
    // North makes ply 2. South, having just banked 40 of 60 seeds, stands better: swap.
    let behind = position("<3,40,0,2,3,5,1,6,3> n ply=2", Rules::MANKALAH);
    let ahead = position("<3,0,40,2,3,5,1,6,3> n ply=2", Rules::MANKALAH);
    let mut smart = SmartPlayer::new("Smart", || Duration::ZERO);
    assert_eq!(
        smart.choose_move(&behind, SmartPlayer::DEFAULT_TIME_LIMIT),
        Some(Move::Swap)
    );
    assert_ne!(
        smart.choose_move(&ahead, SmartPlayer::DEFAULT_TIME_LIMIT),
        Some(Move::Swap)
    );
}

#[test]
fn depth_and_node_limits_hold() {
    let start = position("6x4", Rules::CS32);
    let clock = || Duration::ZERO;
    let depth = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    assert_eq!(Engine::new().analyze(&start, depth, &clock).depth, 4);
    let nodes = Limits {
        nodes: Some(1_000),
        ..Limits::default()
    };
    assert!(Engine::new().analyze(&start, nodes, &clock).nodes <= 1_001);
}

/// Wherever a search stops, the move that it reports as proven best is no worse than any other.
#[test]
fn proven_best_move_has_the_best_margin() {
    let [mut proven_moves, mut open_margins] = [0, 0];
    for seed in 0..40 {
        let rules = Rules::PRESETS[usize::try_from(seed % 4).unwrap()].rules;
        let position = random_position(4, 3, rules, seed % 7, seed);
        let all_margins = Limits {
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let exact = Engine::new().analyze(&position, all_margins, &|| Duration::ZERO);
        for nodes in [30, 300, 3_000, 30_000] {
            let limits = Limits {
                nodes: Some(nodes),
                goal: AnalysisGoal::Ties,
                ..Limits::default()
            };
            let report = Engine::new().analyze(&position, limits, &|| Duration::ZERO);
            if report.is_best_move_proven() {
                let mv = report.best_move;
                let exact_margin = mv
                    .and_then(|mv| exact.bounds_of(mv))
                    .map(|bounds| bounds.lower);
                assert_eq!(
                    exact_margin,
                    mv.map(|_| exact.margin()),
                    "{nodes} nodes: '{position}'"
                );
                proven_moves += 1;
                open_margins += u32::from(!report.bounds.is_exact());
            }
        }
    }
    assert!(
        proven_moves > 40 && open_margins > 0,
        "{proven_moves} proven moves, {open_margins} of them with open margins"
    );
}

/// Searching threads do not read the clock; the thread that waits for them does.
#[test]
fn analysis_with_more_threads_than_processors_stops_in_time() {
    let start = position("6x6", Rules::CS32);
    let reads = AtomicU64::new(0);
    let clock = || Duration::from_millis(reads.fetch_add(1, Ordering::Relaxed));
    let limit = Duration::from_millis(300);
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = Engine::new().with_threads(NonZeroUsize::new(64).unwrap());
    let report = engine.analyze(&start, limits, &clock);
    assert!(report.nodes > 0 && report.best_move.is_some(), "{report:?}");
    // The engine reads the clock a few times more while it finishes.
    let reads = report.time.saturating_sub(limit).as_millis();
    assert!(reads < 10, "{report:?}");
}

#[test]
fn observer_sees_every_depth() {
    let start = position("6x4", Rules::CS32);
    let by_depth = Limits {
        depth: Some(5),
        ..Limits::default()
    };
    let by_nodes = Limits {
        nodes: Some(20_000),
        ..Limits::default()
    };
    for (limits, min_depth) in [(by_depth, 5), (by_nodes, 4), (Limits::default(), 3)] {
        let mut depths = Vec::new();
        let flag = Arc::new(AtomicBool::new(false));
        let mut engine = Engine::new().with_stop_flag(Arc::clone(&flag));
        engine.analyze_with_progress(&start, limits, &|| Duration::ZERO, &mut |report| {
            assert!(report.best_move.is_some());
            if depths.last() != Some(&report.depth) {
                depths.push(report.depth);
            }
            // All expected depths were seen.
            flag.store(report.depth >= min_depth, Ordering::Relaxed);
        });
        let expected: Vec<u32> = (1..=min_depth).collect();
        assert_eq!(depths, expected, "{limits:?}");
    }
}

/// The goal of a player is proven without the work of proving ties.
#[test]
fn best_move_goal_proves_move_and_margin() {
    let mut saved_nodes = 0;
    for seed in 0..20 {
        let rules = Rules::PRESETS[usize::try_from(seed % 4).unwrap()].rules;
        let position = random_position(4, 3, rules, seed % 5, seed);
        let analyze = |goal| {
            let limits = Limits {
                goal,
                ..Limits::default()
            };
            Engine::new().analyze(&position, limits, &|| Duration::ZERO)
        };
        let (best_move, ties) = (analyze(AnalysisGoal::BestMove), analyze(AnalysisGoal::Ties));
        assert!(best_move.bounds.is_exact(), "'{position}'");
        assert_eq!(best_move.margin(), ties.margin(), "'{position}'");
        assert_eq!(best_move.best_move, ties.best_move, "'{position}'");
        assert!(best_move.nodes <= ties.nodes, "'{position}'");
        saved_nodes += ties.nodes - best_move.nodes;
    }
    assert!(saved_nodes > 0);
}

/// Returns the time for a move on a clock, in milliseconds.
fn on_clock(target: u64, limit: u64) -> MoveTime {
    let [target, limit] = [target, limit].map(Duration::from_millis);
    MoveTime::on_clock(target, limit)
}

#[test]
fn only_move_takes_nothing_of_a_clock() {
    let clock = Clock::default();
    let position = position("<6,0,0,0,0,9,0,0,0,4,4,4,4,4,4> s", Rules::CS32);
    let mv = (clock.smart()).choose_move_in(&position, on_clock(1_000, 3_000));
    assert_eq!(mv, position.only_move());
    assert_eq!(clock.reads(), 0);
}

#[test]
fn best_move_is_played_on_a_clock_as_soon_as_it_is_proven() {
    // docs/analysis.md has the margin of 6x3; here only the best move is open.
    let position = position("<6,2,3,0,4,2,0,5,1,1,4,0,3,4,0> s", Rules::STANDARD);
    let reads = |time: MoveTime| {
        let clock = Clock::default();
        let decision = clock.smart().decide(&position, time).expect("a move");
        assert!(decision.is_best, "{time:?}");
        clock.reads()
    };
    let limit = Duration::from_mins(1);
    assert!(reads(on_clock(60_000, 60_000)) < reads(limit.into()));
}

#[test]
fn depth_that_is_out_of_reach_does_not_use_up_a_clock() {
    let start = position("8x8", Rules::STANDARD);
    let [target, limit] = [200, 2_000].map(Duration::from_millis);
    let limits = Limits {
        time: Some(limit),
        target_time: Some(target),
        depth: Some(60),
        ..Limits::default()
    };
    let clock = Clock::default();
    Engine::new().analyze(&start, limits, &|| clock.read());
    let elapsed = clock.read();
    assert!(elapsed < limit / 2, "{elapsed:?}");
}

#[test]
fn proof_on_a_clock_is_given_up_before_the_limit() {
    // The proof of this position takes longer than expected.
    let position = random_position(6, 4, Rules::STANDARD, 21, 27);
    let target = Duration::from_millis(250);
    let limits = Limits {
        time: Some(3 * target),
        target_time: Some(target),
        goal: AnalysisGoal::OnlyBestMove,
        ..Limits::default()
    };
    let clock = Clock::default();
    let report = Engine::new().analyze(&position, limits, &|| clock.read());
    assert!(!report.is_best_move_proven());
    let elapsed = clock.read();
    // The clock is read a few times after the proof.
    let range = target..=target * 3 / 2 + Duration::from_millis(5);
    assert!(range.contains(&elapsed), "{elapsed:?}");
}

#[test]
fn time_on_a_clock_stays_near_the_target() {
    for board in ["7x6", "8x8", "10x10", "12x12", "26x4"] {
        let start = position(board, Rules::STANDARD);
        let clock = Clock::default();
        clock.smart().choose_move_in(&start, on_clock(200, 600));
        let elapsed = clock.read();
        let range = Duration::from_millis(40)..=Duration::from_millis(600);
        assert!(range.contains(&elapsed), "{elapsed:?} on {board}");
        // No time is left for the iteration that the target would allow.
        let clock = Clock::default();
        clock.smart().choose_move_in(&start, on_clock(200, 200));
        let elapsed = clock.read();
        assert!(
            elapsed <= Duration::from_millis(200),
            "{elapsed:?} on {board}"
        );
    }
}
