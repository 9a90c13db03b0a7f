//! What an engine is told of an earlier analysis, and what it tells of one that is going on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kalah::{House, Margin, Move, Position, Rules};
use kalah_engine::{Bounds, Engine, Goal, Limits, Report};

const EVERY: Limits = Limits {
    time: None,
    depth: None,
    nodes: None,
    goal: Goal::AllMargins,
};

/// Small memory is soon ready.
fn small() -> Engine {
    Engine::new().with_memory(16 << 20)
}

fn analyse(engine: &mut Engine, position: &Position) -> Report {
    engine.analyse(position, EVERY, &|| Duration::ZERO)
}

#[test]
fn what_is_known_is_not_proven_again() {
    for rules in [Rules::CS32, Rules::MANKALAH] {
        let start = Position::start(4, 3, rules).expect("a start");
        let first = analyse(&mut small(), &start);
        let mut engine = small().with_known_bounds(first.moves.clone());
        let second = analyse(&mut engine, &start);
        assert_eq!(second.moves, first.moves);
        assert_eq!(second.bounds, first.bounds);
        assert!(
            second.nodes < first.nodes / 2,
            "{} after {}",
            second.nodes,
            first.nodes
        );
        // Of the next position it knows nothing, not even if there was nothing to analyse in this one.
        let mut over = start.clone();
        while !over.is_over() {
            let choice = over.legal_moves().next().expect("a choice");
            over.play(choice).expect("a choice");
        }
        let misled = first.moves.iter().map(|&(choice, _)| {
            let margin = Margin::new(-1);
            let bounds = Bounds {
                lower: margin,
                upper: margin,
            };
            (choice, bounds)
        });
        let mut of_over = small().with_known_bounds(misled.collect());
        assert_eq!(analyse(&mut of_over, &over).best_move, None);
        assert_eq!(analyse(&mut of_over, &start).moves, first.moves);
        let other = Position::start(3, 3, rules).expect("a start");
        let afresh = analyse(&mut small(), &other);
        assert_eq!(analyse(&mut engine, &other).moves, afresh.moves);
    }
}

#[test]
fn a_proof_goes_on_from_any_step() {
    let start = Position::start(4, 3, Rules::STANDARD).expect("a start");
    let mut steps = Vec::new();
    let whole = small().analyse_with_progress(&start, EVERY, &|| Duration::ZERO, &mut |report| {
        steps.push(report.moves.clone());
    });
    assert!(steps.len() > 2, "{} steps", steps.len());
    for known in steps {
        let report = analyse(&mut small().with_known_bounds(known), &start);
        assert_eq!(report.moves, whole.moves);
    }
}

#[test]
fn what_cannot_be_is_passed_over() {
    let start = Position::start(3, 2, Rules::CS32).expect("a start");
    let margin = |seeds| Bounds {
        lower: Margin::new(seeds),
        upper: Margin::new(seeds),
    };
    let sow = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
    let known = vec![
        (sow(1), margin(14)),
        (sow(9), margin(2)),
        (Move::Swap, margin(2)),
    ];
    let report = analyse(&mut small().with_known_bounds(known), &start);
    assert_eq!(report.moves, analyse(&mut small(), &start).moves);
}

#[test]
fn positions_are_counted_while_an_analysis_goes_on() {
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine = small().with_node_counter(Arc::clone(&nodes));
    let start = Position::start(4, 3, Rules::CS32).expect("a start");
    let mut last = 0;
    let report = engine.analyse_with_progress(&start, EVERY, &|| Duration::ZERO, &mut |report| {
        assert_eq!(nodes.load(Ordering::Relaxed), report.nodes);
        assert!(report.nodes >= last);
        last = report.nodes;
    });
    assert!(last > 0);
    assert_eq!(nodes.load(Ordering::Relaxed), report.nodes);
}
