//! Estimates of all moves: snapshots never contradict themselves or exact margins, lines are legal
//! and whole, and the proof takes as long as without estimates.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kalah::{Margin, Move, Position, Rules, Side};
use kalah_engine::{AnalysisGoal, Certainty, Engine, Estimates, Limits, MoveReport, Report};
use test_tools::sample_or_all;

use crate::naive_margin::move_margin;
use crate::positions::random_position;

const ALL_MOVES: Limits = Limits {
    time: None,
    target_time: None,
    depth: None,
    nodes: None,
    goal: AnalysisGoal::AllMargins,
    estimates: Estimates::AllMoves,
    lines: 0,
};

/// Analyzes with an engine whose memory is allocated quickly, and returns all snapshots, the
/// report at the end last.
fn snapshots(position: &Position, limits: Limits) -> Vec<Report> {
    let mut snapshots = Vec::new();
    let mut engine = Engine::new().with_memory(16 << 20);
    let report =
        engine.analyze_with_progress(position, limits, &|| Duration::ZERO, &mut |report| {
            snapshots.push(report.clone());
        });
    snapshots.push(report);
    snapshots
}

/// Plays a line and returns its last position and the margin there for the player to move at
/// `position`.
fn play_line(position: &Position, line: &[(Side, Move)]) -> (Position, Margin) {
    let (mut end, mut player) = (position.clone(), position.to_move());
    for &(side, mv) in line {
        assert_eq!(side, end.to_move(), "{line:?} in '{position}'");
        end.play(mv).unwrap();
        if mv == Move::Swap {
            player = player.opponent();
        }
    }
    let lead = end.lead();
    let margin = if end.to_move() == player { lead } else { -lead };
    (end, margin)
}

/// Asserts that nothing in a snapshot contradicts anything else in it, nor the exact margins.
fn assert_consistent(position: &Position, snapshot: &Report, margins: &HashMap<Move, Margin>) {
    let moves: Vec<Move> = snapshot
        .moves
        .iter()
        .map(|candidate| candidate.mv)
        .collect();
    assert_eq!(moves, position.legal_moves().collect::<Vec<_>>());
    let best_move = snapshot.best_move.expect("the game is not over");
    let best = snapshot.move_report(best_move).expect("a legal move");
    let is_even = |margin: Margin| (i32::from(position.total()) - margin.seeds()) % 2 == 0;
    assert_eq!(best.estimate, snapshot.margin());
    for candidate in &snapshot.moves {
        let MoveReport {
            mv,
            bounds,
            estimate,
            ..
        } = candidate;
        assert!(*estimate <= best.estimate, "{snapshot:?}");
        assert!(
            (bounds.lower..=bounds.upper).contains(estimate),
            "{snapshot:?}"
        );
        assert!(
            (bounds.lower..=bounds.upper).contains(&margins[mv]),
            "{snapshot:?}"
        );
        assert!(is_even(*estimate), "{snapshot:?}");
        assert!(bounds.lower <= snapshot.margin(), "{snapshot:?}");
    }
    let uppers = snapshot
        .moves
        .iter()
        .map(|candidate| candidate.bounds.upper);
    assert_eq!(uppers.max(), Some(snapshot.bounds.upper));
    let lowers = snapshot
        .moves
        .iter()
        .map(|candidate| candidate.bounds.lower);
    assert_eq!(lowers.max(), Some(snapshot.bounds.lower));
    let is_exact = snapshot.certainty == Certainty::Exact;
    assert_eq!(is_exact, snapshot.bounds.is_exact());
    if snapshot.is_best_move_proven() {
        let greatest = margins.values().max();
        assert_eq!(greatest, Some(&margins[&best_move]), "{snapshot:?}");
    }
    assert_eq!(snapshot.line.first().map(|&(_, mv)| mv), Some(best_move));
    play_line(position, &snapshot.line);
}

/// The analyses stop after various numbers of nodes.
#[test]
fn snapshots_never_contradict_themselves_or_exact_margins() {
    const BOARDS: [(u8, u64); 5] = [(3, 2), (4, 2), (1, 7), (2, 4), (6, 1)];
    let (positions, min_snapshots) = sample_or_all((3, 500), (20, 3_000));
    let mut checked = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..positions).zip(BOARDS.into_iter().cycle()) {
            let position = random_position(houses, seeds, preset.rules, seed % 6, seed);
            if position.is_over() {
                continue;
            }
            let margins: HashMap<Move, Margin> = (position.legal_moves())
                .map(|mv| (mv, move_margin(&position, mv).0))
                .collect();
            for nodes in [Some(1), Some(20), Some(300), Some(4_000), None] {
                let limits = Limits { nodes, ..ALL_MOVES };
                let mut depths: HashMap<Move, u32> = HashMap::new();
                let mut proven_line_length = 0;
                for snapshot in snapshots(&position, limits) {
                    assert_consistent(&position, &snapshot, &margins);
                    for candidate in &snapshot.moves {
                        let depth = depths.entry(candidate.mv).or_default();
                        assert!(*depth <= candidate.depth, "'{position}'");
                        *depth = candidate.depth;
                    }
                    if snapshot.certainty == Certainty::Exact {
                        assert!(proven_line_length <= snapshot.line.len(), "'{position}'");
                        proven_line_length = snapshot.line.len();
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > min_snapshots, "{checked}");
}

#[test]
fn proven_lines_reach_the_end_of_the_game_with_the_margins_of_their_moves() {
    for preset in Rules::PRESETS {
        for seed in 0..8 {
            let position = random_position(4, 3, preset.rules, seed % 5, seed);
            let limits = Limits {
                lines: usize::MAX,
                ..ALL_MOVES
            };
            let report = snapshots(&position, limits).pop().unwrap();
            for candidate in &report.moves {
                let (end, margin) = play_line(&position, &candidate.line);
                assert!(end.is_over(), "{candidate:?} in '{position}'");
                assert_eq!(
                    candidate.bounds.lower, margin,
                    "{candidate:?} in '{position}'"
                );
                assert_eq!(candidate.line[0].1, candidate.mv);
            }
            let best = report.move_report(report.best_move.unwrap()).unwrap();
            assert_eq!(report.line, best.line);
        }
    }
}

#[test]
fn lines_are_those_of_the_best_moves() {
    let start = Position::start(6, 4, Rules::CS32).unwrap();
    let limits = Limits {
        depth: Some(6),
        lines: 3,
        ..ALL_MOVES
    };
    for snapshot in snapshots(&start, limits) {
        let mut with_lines: Vec<_> = (snapshot.moves.iter())
            .filter(|candidate| !candidate.line.is_empty())
            .collect();
        assert_eq!(with_lines.len(), 3);
        with_lines.sort_by_key(|candidate| std::cmp::Reverse(candidate.estimate));
        let mut estimates: Vec<_> = snapshot.moves.iter().map(|other| other.estimate).collect();
        estimates.sort_by_key(|estimate| std::cmp::Reverse(*estimate));
        let best: Vec<_> = with_lines
            .iter()
            .map(|candidate| candidate.estimate)
            .collect();
        assert_eq!(best, estimates[..3]);
    }
}

#[test]
fn every_move_of_6x4_is_estimated_eight_turns_deep_before_a_table_is_built() {
    const DEPTH: u32 = 8;
    let start = Position::start(6, 4, Rules::CS32).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let mut engine = Engine::new()
        .with_memory(64 << 20)
        .with_stop_flag(Arc::clone(&flag));
    let mut snapshots = 0;
    let report =
        engine.analyze_with_progress(&start, ALL_MOVES, &|| Duration::ZERO, &mut |report| {
            let is_deep = |candidate: &MoveReport| candidate.depth >= DEPTH;
            flag.store(report.moves.iter().all(is_deep), Ordering::Relaxed);
            snapshots += 1;
        });
    assert!(
        report
            .moves
            .iter()
            .all(|candidate| candidate.depth >= DEPTH)
    );
    assert_eq!(report.table_hits, 0);
    // This takes some 10 milliseconds.
    assert!(report.nodes < 50_000, "{}", report.nodes);
    // One before the search, and one after every move of every iteration.
    assert!(snapshots > 6 * DEPTH, "{snapshots}");
}

#[test]
fn proof_takes_a_few_percent_more_nodes_with_estimates() {
    /// The nodes of the first estimates on 6x4, with which small proofs take longer.
    const FIRST_ESTIMATES: u64 = 40_000;
    let mut total = [0, 0];
    for seed in 0..3 {
        let position = random_position(6, 4, Rules::CS32, 14 + seed, seed);
        let [without, with] = [Estimates::BestMove, Estimates::AllMoves].map(|estimates| {
            let limits = Limits {
                goal: AnalysisGoal::BestMargin,
                estimates,
                ..ALL_MOVES
            };
            let mut engine = Engine::new().with_memory(32 << 20);
            let report = engine.analyze(&position, limits, &|| Duration::ZERO);
            assert_eq!(report.certainty, Certainty::Exact, "'{position}'");
            report
        });
        assert_eq!(with.margin(), without.margin());
        total[0] += without.nodes + FIRST_ESTIMATES;
        total[1] += with.nodes;
    }
    let [without, with] = total;
    assert!(
        with < without + without / 20,
        "{with} nodes, {without} without estimates"
    );
}

#[test]
fn threads_of_a_proof_do_not_stop_while_estimates_are_refined() {
    let position = random_position(6, 4, Rules::CS32, 4, 1);
    let report = |threads| {
        let limits = Limits {
            goal: AnalysisGoal::BestMargin,
            ..ALL_MOVES
        };
        let mut engine = Engine::new()
            .with_memory(24 << 20)
            .with_threads(NonZeroUsize::new(threads).unwrap());
        engine.analyze(&position, limits, &|| Duration::ZERO)
    };
    let [one, three] = [1, 3].map(report);
    assert_eq!(three.certainty, Certainty::Exact, "{three:?}");
    assert_eq!(one.margin(), three.margin());
    // Long enough for several refinements.
    assert!(one.nodes > 1_500_000, "{}", one.nodes);
}
