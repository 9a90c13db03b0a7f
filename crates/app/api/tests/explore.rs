//! The request `explore` against searches without opening books.

use std::collections::HashSet;
use std::time::Duration;

use kalah::{Position, Rules};
use kalah_api::{ExploreRequest, ExploreResponse, GameValueView};
use kalah_engine::{AnalysisGoal, Engine, Limits};
use test_tools::sample_or_all;

fn explore(position: &Position) -> ExploreResponse {
    let request = ExploreRequest {
        rules: Some(position.rules().to_string()),
        position: Some(position.to_string()),
    };
    request.execute().unwrap()
}

/// Returns the positions that a start reaches within some plies, each once for each side to move
/// and each pair of stores.
fn positions_within(start: Position, plies: u32) -> Vec<Position> {
    let mut seen = HashSet::from([start.to_string()]);
    let mut all = vec![start.clone()];
    let mut layer = vec![start];
    for _ in 0..plies {
        let mut next_layer = Vec::new();
        for position in &layer {
            for mv in position.legal_moves() {
                let mut next = position.clone();
                next.play(mv).unwrap();
                if seen.insert(next.to_string()) {
                    next_layer.push(next);
                }
            }
        }
        all.extend(next_layer.iter().cloned());
        layer = next_layer;
    }
    all
}

/// Compares the moves of a position with a search, and returns the number of those that the books
/// know.
fn compare_with_search(engine: &mut Engine, position: &Position) -> usize {
    let limits = Limits {
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    let report = engine.analyze(position, limits, &|| Duration::ZERO);
    let opening = explore(position);
    assert_eq!(opening.moves.len(), report.moves.len(), "{position}");
    let mut known = 0;
    for (view, proven) in opening.moves.iter().zip(&report.moves) {
        assert_eq!(view.mv, proven.mv.text(position.to_move()), "{position}");
        assert!(proven.bounds.is_exact(), "{position} {}", view.mv);
        let Some(margin) = view.margin else {
            continue;
        };
        assert_eq!(
            margin,
            proven.bounds.lower.seeds(),
            "kalah solve '{position}' --rules {} --moves: {}",
            position.rules(),
            view.mv
        );
        let value = match margin {
            ..0 => GameValueView::Loss,
            0 => GameValueView::Tie,
            1.. => GameValueView::Win,
        };
        assert_eq!(view.value, Some(value), "{position} {}", view.mv);
        known += 1;
    }
    assert_eq!(
        opening.is_from_book,
        known > 0 && known == report.moves.len(),
        "{position}"
    );
    known
}

#[test]
fn margins_of_small_boards_are_those_of_a_search() {
    // All positions of 4x4, and of 5x4 a part that a prime step spreads.
    for (houses, step, least_known) in [
        (4, 1, 700),
        (5, sample_or_all(23, 1), sample_or_all(50, 1700)),
    ] {
        let mut known = 0;
        for rules in [Rules::STANDARD, Rules::CS32, Rules::EMPTY_CAPTURE] {
            let mut engine = Engine::new();
            let start = Position::start(houses, 4, rules).unwrap();
            for position in positions_within(start, 4).iter().step_by(step) {
                known += compare_with_search(&mut engine, position);
            }
        }
        assert!(known > least_known, "{known} moves of {houses}x4 are known");
    }
}

#[test]
fn margins_of_6x4_are_those_of_a_search_in_a_sample() {
    let mut engine = Engine::new();
    let all = positions_within(Position::start(6, 4, Rules::STANDARD).unwrap(), 5);
    let count = sample_or_all(2, 24);
    let mut known = 0;
    // The last positions need the shortest searches. A prime step spreads the sample.
    for position in all.iter().rev().step_by(211).take(count) {
        known += compare_with_search(&mut engine, position);
    }
    assert!(known > count, "{known} moves are in the book");
}

#[test]
fn moves_after_the_book_are_unknown_except_the_last_one_of_a_game() {
    let later = |text: &str| {
        let setup: kalah::Setup = text.parse().unwrap();
        explore(&setup.position(Rules::STANDARD).unwrap())
    };
    let opening = later("<6,20,9,1,0,3,0,2,0,0,4,0,0,9,0> s");
    assert!(!opening.is_from_book);
    assert!(opening.moves.iter().all(|view| view.margin.is_none()));
    // The only move ends the game, and North sweeps 3 seeds.
    let last = later("<6,20,24,0,0,0,0,0,1,0,3,0,0,0,0> s");
    assert_eq!(last.moves[0].margin, Some(21 - 27));
    assert_eq!(last.moves[0].value, Some(GameValueView::Loss));
    assert!(last.is_from_book);
}
