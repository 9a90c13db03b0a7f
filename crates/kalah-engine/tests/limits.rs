//! `SmartPlayer` keeps to its limit and to the rules on every board.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kalah::{Move, Player, Position, Rules, Setup};
use kalah_engine::{Bounds, Engine, Goal, Limits, RandomPlayer, SmartPlayer};
use proptest::prelude::*;

/// A clock on which each look takes as long as 256 sowings do on a slow machine.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

const MICROSECONDS_PER_LOOK: u64 = 100;

impl Clock {
    fn look(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed) * MICROSECONDS_PER_LOOK)
    }

    fn looks(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn smart(&self) -> SmartPlayer {
        let clock = self.clone();
        SmartPlayer::new("Smart", move || clock.look())
    }
}

fn position(text: &str, rules: Rules) -> Position {
    text.parse::<Setup>().unwrap().position(rules).unwrap()
}

/// A position a few random plies into a game.
fn reached(houses: u8, seeds: u64, rules: Rules, plies: usize, seed: u64) -> Position {
    let mut position = Position::start(houses, seeds, rules).unwrap();
    let mut random = RandomPlayer::new("Random", seed);
    for _ in 0..plies {
        let Some(choice) = random.choose_move(&position, Duration::ZERO) else {
            break;
        };
        position.play(choice).unwrap();
    }
    position
}

fn any_rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_answer_is_legal_and_in_time(
        (houses, seeds) in (1_u8..=26).prop_flat_map(|houses| {
            (Just(houses), 0..=65_535 / (2 * u64::from(houses)))
        }),
        few in any::<bool>(),
        rules in any_rules(),
        plies in 0_usize..30,
        seed: u64,
        limit in (10_u64..100).prop_map(Duration::from_millis),
    ) {
        let seeds = if few { seeds % 8 } else { seeds };
        let position = reached(houses, seeds, rules, plies, seed);
        let clock = Clock::default();
        let answer = clock.smart().choose_move(&position, limit);
        prop_assert!(clock.look() <= limit, "late in {position}");
        match answer {
            Some(choice) => prop_assert_eq!(position.check_legal(choice), Ok(())),
            None => prop_assert!(position.is_over()),
        }
    }

    #[test]
    fn both_sides_are_played_alike(
        houses in 1_u8..=8,
        seeds in 1_u64..=6,
        rules in any_rules(),
        plies in 0_usize..20,
        seed: u64,
    ) {
        let position = reached(houses, seeds, rules, plies, seed);
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let analyse = |position| Engine::new().analyse(position, limits, &|| Duration::ZERO);
        let (report, turned) = (analyse(&position), analyse(&position.flipped()));
        prop_assert_eq!(report.best_move, turned.best_move);
        prop_assert_eq!(report.margin, turned.margin);
        prop_assert_eq!(report.nodes, turned.nodes);
    }
}

#[test]
fn an_only_choice_is_made_at_once() {
    let clock = Clock::default();
    let only = position("<6,0,0,0,0,9,0,0,0,4,4,4,4,4,4> s", Rules::CS32);
    let choice = clock
        .smart()
        .choose_move(&only, SmartPlayer::DEFAULT_TIME_LIMIT);
    assert_eq!(
        choice.map(|choice| choice.text(only.to_move())),
        Some("C".to_owned())
    );
    assert_eq!(clock.looks(), 0);
}

#[test]
fn the_time_is_used_where_there_is_something_to_think_about() {
    let clock = Clock::default();
    let start = position("6x4", Rules::CS32);
    let limit = Duration::from_millis(500);
    clock.smart().choose_move(&start, limit);
    let used = clock.look();
    assert!(
        (limit / 2..=limit).contains(&used),
        "used {used:?} of {limit:?}"
    );
}

#[test]
fn no_time_at_all_still_gives_a_choice() {
    let clock = Clock::default();
    let start = position("26x1000", Rules::CS32);
    let choice = clock.smart().choose_move(&start, Duration::ZERO).unwrap();
    assert_eq!(start.check_legal(choice), Ok(()));
    assert!(clock.looks() < 10);
}

#[test]
fn the_swap_is_chosen_where_it_is_better_and_only_there() {
    // North to make ply 2. South, who has just banked 40 of 60 seeds, is better placed: swap.
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
fn limits_of_depth_and_nodes_are_kept() {
    let start = position("6x4", Rules::CS32);
    let clock = || Duration::ZERO;
    let depth = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    assert_eq!(Engine::new().analyse(&start, depth, &clock).depth, 4);
    let nodes = Limits {
        nodes: Some(1_000),
        ..Limits::default()
    };
    assert!(Engine::new().analyse(&start, nodes, &clock).nodes <= 1_001);
}

/// Whatever stops a search for the best choice, what it calls proven to be the best is no worse than any.
#[test]
fn a_choice_is_called_best_only_if_none_is_better() {
    let [mut called, mut open] = [0, 0];
    for seed in 0..40 {
        let rules = Rules::PRESETS[usize::try_from(seed % 4).unwrap()].rules;
        let position = reached(4, 3, rules, usize::try_from(seed % 7).unwrap(), seed);
        let every = Limits {
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let truth = Engine::new().analyse(&position, every, &|| Duration::ZERO);
        for nodes in [30, 300, 3_000, 30_000] {
            let limits = Limits {
                nodes: Some(nodes),
                goal: Goal::Ties,
                ..Limits::default()
            };
            let report = Engine::new().analyse(&position, limits, &|| Duration::ZERO);
            if report.is_best_move_proven() {
                let choice = report.best_move;
                let margin = |(other, bounds): &(Move, Bounds)| {
                    (Some(*other) == choice).then_some(bounds.lower)
                };
                let found = truth.moves.iter().find_map(margin);
                assert_eq!(
                    found,
                    choice.map(|_| truth.margin),
                    "{nodes} nodes: '{position}'"
                );
                called += 1;
                open += u32::from(!report.bounds.is_exact());
            }
        }
    }
    assert!(
        called > 40 && open > 0,
        "{called}, of which {open} have an open margin"
    );
}

/// Those who search do not look at the clock: one who waits for them does.
#[test]
fn more_threads_than_processors_stop_too() {
    let start = position("6x6", Rules::CS32);
    let looks = AtomicU64::new(0);
    let clock = || Duration::from_millis(looks.fetch_add(1, Ordering::Relaxed));
    let limit = Duration::from_millis(300);
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = Engine::new().with_threads(NonZeroUsize::new(64).unwrap());
    let report = engine.analyse(&start, limits, &clock);
    assert!(report.nodes > 0 && report.best_move.is_some(), "{report:?}");
    // It looks a few times more while it sums up.
    let looks = report.time.saturating_sub(limit).as_millis();
    assert!(looks < 10, "{report:?}");
}

#[test]
fn every_turn_further_is_told_to_whoever_watches() {
    let start = position("6x4", Rules::CS32);
    let by_depth = Limits {
        depth: Some(5),
        ..Limits::default()
    };
    let by_nodes = Limits {
        nodes: Some(20_000),
        ..Limits::default()
    };
    for (limits, at_least) in [(by_depth, 5), (by_nodes, 3), (Limits::default(), 3)] {
        let mut depths = Vec::new();
        let flag = Arc::new(AtomicBool::new(false));
        let mut engine = Engine::new().with_stop_flag(Arc::clone(&flag));
        engine.analyse_with_progress(&start, limits, &|| Duration::ZERO, &mut |report| {
            assert!(report.best_move.is_some());
            if depths.last() != Some(&report.depth) {
                depths.push(report.depth);
            }
            // Enough is seen.
            flag.store(report.depth >= at_least, Ordering::Relaxed);
        });
        let expected: Vec<u32> = (1..=at_least).collect();
        assert_eq!(depths, expected, "{limits:?}");
    }
}

/// Who has to choose is told the best choice and its margin, and nobody takes the time to look for its equals.
#[test]
fn a_choice_is_proven_with_its_margin() {
    let mut saved = 0;
    for seed in 0..20 {
        let rules = Rules::PRESETS[usize::try_from(seed % 4).unwrap()].rules;
        let position = reached(4, 3, rules, usize::try_from(seed % 5).unwrap(), seed);
        let analyse = |goal| {
            let limits = Limits {
                goal,
                ..Limits::default()
            };
            Engine::new().analyse(&position, limits, &|| Duration::ZERO)
        };
        let (choice, ties) = (analyse(Goal::BestMove), analyse(Goal::Ties));
        assert!(choice.bounds.is_exact(), "'{position}'");
        assert_eq!(choice.margin, ties.margin, "'{position}'");
        assert_eq!(choice.best_move, ties.best_move, "'{position}'");
        assert!(choice.nodes <= ties.nodes, "'{position}'");
        saved += ties.nodes - choice.nodes;
    }
    assert!(saved > 0);
}
