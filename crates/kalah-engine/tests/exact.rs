//! What the engine calls exact is the margin: against a search without memory, cutoffs or
//! depth, and against published values.

use std::num::NonZeroUsize;
use std::time::Duration;

use kalah::{Margin, Move, Player, Position, Rules, reference};
use kalah_engine::{Bounds, Certainty, Engine, Goal, Limits, RandomPlayer, Report};

fn exact_margin(engine: &mut Engine, position: &Position) -> Margin {
    let report = engine.analyse(position, Limits::default(), &|| Duration::ZERO);
    assert_eq!(report.certainty, Certainty::Exact, "{position}");
    report.margin
}

#[test]
fn margins_of_whole_games_agree_with_the_naive_twin() {
    /// Boards small enough for a search without memory, with every rule set.
    const BOARDS: [(u8, u64); 6] = [(1, 9), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)];
    let mut compared = 0;
    for preset in Rules::PRESETS {
        // One engine for all: what it remembers of one board must not spoil another.
        let mut engine = Engine::new();
        for (seed, (houses, seeds)) in (0..).zip(BOARDS) {
            let mut position = Position::start(houses, seeds, preset.rules).unwrap();
            let mut random = RandomPlayer::new("Random", seed);
            loop {
                assert_eq!(
                    exact_margin(&mut engine, &position),
                    reference::margin(&position),
                    "rules {}, position '{position}'",
                    preset.name
                );
                compared += 1;
                let Some(choice) = random.choose_move(&position, Duration::ZERO) else {
                    break;
                };
                position.play(choice).unwrap();
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// A position some random plies into a game.
fn reached(houses: u8, seeds: u64, rules: Rules, plies: u64, seed: u64) -> Position {
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

/// Everything about a position.
fn every(mut engine: Engine, position: &Position) -> Report {
    let limits = Limits {
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    engine.analyse(position, limits, &|| Duration::ZERO)
}

#[test]
fn the_margin_of_every_choice_agrees_with_the_naive_twin() {
    const BOARDS: [(u8, u64); 5] = [(1, 4), (2, 2), (3, 2), (4, 2), (2, 4)];
    let mut compared = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..60).zip(BOARDS.into_iter().cycle()) {
            let position = reached(houses, seeds, preset.rules, seed % 5, seed);
            let mover = position.to_move();
            let report = every(Engine::new(), &position);
            let choices: Vec<Move> = report.moves.iter().map(|&(choice, _)| choice).collect();
            assert_eq!(choices, position.legal_moves().collect::<Vec<_>>());
            for (choice, bounds) in report.moves {
                let mut next = position.clone();
                next.play(choice).unwrap();
                let margin = reference::margin(&next);
                // A swap changes who has the side, and not whose turn it is.
                let same = next.to_move() == mover && choice != Move::Swap;
                let margin = if same { margin } else { -margin };
                let expected = Bounds {
                    lower: margin,
                    upper: margin,
                };
                assert_eq!(bounds, expected, "{choice:?} in '{position}'");
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn memory_tables_and_threads_make_no_difference_to_margins() {
    const BOARDS: [(u8, u64); 7] = [(6, 1), (5, 2), (4, 2), (7, 1), (8, 1), (3, 3), (2, 7)];
    let threads = |count| NonZeroUsize::new(count).unwrap();
    let mut compared = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..35).zip(BOARDS.into_iter().cycle()) {
            let position = reached(houses, seeds, preset.rules, 2 + seed % 9, seed);
            let expected = every(Engine::new(), &position);
            assert!(
                expected.moves.iter().all(|(_, bounds)| bounds.is_exact()),
                "'{position}'"
            );
            for (engine, what) in [
                (Engine::new().with_threads(threads(3)), "three threads"),
                // Without memory there are no tables either.
                (Engine::new().with_memory(0), "no memory"),
                (Engine::new().with_memory(1 << 12), "hardly any memory"),
                (
                    Engine::new().with_memory(1 << 14).with_threads(threads(2)),
                    "little memory and two threads",
                ),
            ] {
                let report = every(engine, &position);
                assert_eq!(report.moves, expected.moves, "{what}: '{position}'");
                assert_eq!(report.margin, expected.margin, "{what}: '{position}'");
                assert_eq!(report.certainty, Certainty::Exact);
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn bounds_hold_what_is_true_whenever_an_analysis_stops() {
    for seed in 0..30 {
        let position = reached(4, 3, Rules::STANDARD, seed % 6, seed);
        let truth = every(Engine::new(), &position);
        for nodes in [1, 10, 100, 1_000, 5_000] {
            let limits = Limits {
                nodes: Some(nodes),
                goal: Goal::AllMargins,
                ..Limits::default()
            };
            let report = Engine::new().analyse(&position, limits, &|| Duration::ZERO);
            let within = |bounds: Bounds, truth: Bounds| {
                bounds.lower <= truth.lower && truth.upper <= bounds.upper
            };
            assert!(within(report.bounds, truth.bounds), "'{position}'");
            for (told, truth) in report.moves.iter().zip(&truth.moves) {
                assert_eq!(told.0, truth.0);
                assert!(within(told.1, truth.1), "{nodes} nodes: '{position}'");
            }
        }
    }
}

#[test]
fn a_swap_can_cost_more_than_all_seeds_in_play() {
    // South leads by 40 before ply 1; North takes the lead over by the swap.
    let setup: kalah::Setup = "<2,40,0,1,2,2,1> s ply=1".parse().unwrap();
    let position = setup.position(Rules::MANKALAH).unwrap();
    let margin = exact_margin(&mut Engine::new(), &position);
    assert_eq!(margin, reference::margin(&position));
    assert!(margin < Margin::new(-30), "{margin}");
}

#[test]
fn margins_of_starts_are_the_published_ones() {
    /// Starts with more seeds than this take longer than a test should.
    const MOST_SEEDS: u64 = 32;
    let mut compared = 0;
    let values = include_str!("../../kalah/tests/data/values.csv");
    for line in values.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let rules: Rules = fields[0].parse().unwrap();
        let houses: u8 = fields[1].parse().unwrap();
        let seeds: u64 = fields[2].parse().unwrap();
        if u64::from(houses) * seeds * 2 > MOST_SEEDS {
            continue;
        }
        let start = Position::start(houses, seeds, rules).unwrap();
        let margin = exact_margin(&mut Engine::new(), &start);
        assert_eq!(margin.seeds().to_string(), fields[3], "{line}");
        compared += 1;
    }
    assert!(compared >= 16, "{compared}");
}

#[test]
fn a_line_is_legal_and_leads_to_its_margin() {
    let mut engine = Engine::new();
    let mut position = Position::start(4, 2, Rules::STANDARD).unwrap();
    let report = engine.analyse(&position, Limits::default(), &|| Duration::ZERO);
    let first = position.to_move();
    assert_eq!(
        report.line.first().map(|&(_, choice)| Some(choice)),
        Some(report.best_move)
    );
    for (side, choice) in report.line {
        assert_eq!(side, position.to_move());
        position.play(choice).unwrap();
    }
    // What is left of the game, if the line was cut short, is worth as much.
    let rest = exact_margin(&mut engine, &position);
    let rest = if position.to_move() == first {
        rest
    } else {
        -rest
    };
    assert_eq!(rest, report.margin);
}
