//! Analyses that are restricted to some of the moves.

use std::time::Duration;

use kalah::{House, Move, Position, Rules};
use kalah_book::BookSet;
use kalah_engine::{AnalysisGoal, Certainty, Engine, Estimates, Limits};
use proptest::prelude::*;

use crate::naive_margin::move_margin;
use crate::positions::random_position;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The margin of a restricted analysis is the greatest naive margin of its moves, and the
    /// analysis after it has all moves again.
    #[test]
    fn margin_is_the_best_of_the_given_moves(
        rules in prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec()),
        houses in 1_u8..=4,
        seeds in 1_u64..=2,
        plies in 0_u64..10,
        seed: u64,
        subset: u8,
        goal in prop::sample::select(vec![
            AnalysisGoal::BestMargin,
            AnalysisGoal::BestMove,
            AnalysisGoal::Ties,
            AnalysisGoal::AllMargins,
        ]),
        estimates in prop::sample::select(vec![Estimates::BestMove, Estimates::AllMoves]),
    ) {
        let position = random_position(houses, seeds, rules, plies, seed);
        let legal: Vec<Move> = position.legal_moves().collect();
        let is_chosen = |index: usize| subset >> index & 1 == 1;
        let chosen: Vec<Move> = (legal.iter().enumerate())
            .filter_map(|(index, &mv)| is_chosen(index).then_some(mv))
            .collect();
        prop_assume!(!chosen.is_empty());
        let limits = Limits { goal, estimates, ..Limits::default() };
        let mut engine = Engine::new().with_memory(1 << 20).with_root_moves(chosen.clone());
        let report = engine.analyze(&position, limits, &|| Duration::ZERO);
        let best = chosen.iter().map(|&mv| move_margin(&position, mv).0).max();
        prop_assert_eq!(Some(report.margin()), best);
        prop_assert_eq!(report.certainty, Certainty::Exact);
        let reported: Vec<Move> = report.moves.iter().map(|candidate| candidate.mv).collect();
        prop_assert_eq!(&reported, &chosen);
        let best_move = report.best_move.expect("a move");
        prop_assert_eq!(Some(move_margin(&position, best_move).0), best);

        let report = engine.analyze(&position, limits, &|| Duration::ZERO);
        prop_assert_eq!(report.moves.len(), legal.len());
    }
}

#[test]
fn a_book_gives_the_margin_of_the_given_moves() {
    let start = Position::start(6, 4, Rules::STANDARD).expect("a start");
    let house = |number| Move::Sow(House::new(number).expect("a house"));
    let analyze = |root_moves| {
        let mut engine = Engine::new()
            .with_books(BookSet::embedded())
            .with_root_moves(root_moves);
        engine.analyze(&start, Limits::default(), &|| Duration::ZERO)
    };
    let all = analyze(Vec::new());
    for number in 1..=6 {
        let report = analyze(vec![house(number)]);
        assert_eq!(report.best_move, Some(house(number)));
        assert!(report.is_from_book);
        let bounds = all.bounds_of(house(number)).expect("a legal move");
        assert_eq!((report.bounds, report.nodes), (bounds, 0));
    }
}

#[test]
fn moves_that_are_not_legal_restrict_nothing() {
    let start = Position::start(2, 1, Rules::STANDARD).expect("a start");
    let sixth = Move::Sow(House::new(6).expect("a house"));
    let mut engine = Engine::new().with_root_moves(vec![sixth]);
    let report = engine.analyze(&start, Limits::default(), &|| Duration::ZERO);
    assert_eq!(report.moves.len(), 2);
}
