//! Analyses with opening books against analyses without them.

use std::time::Duration;

use kalah::{Gain, Move, Player, Position, Rules};
use kalah_book::{Book, BookPositions, BookSet, BookStart};
use kalah_engine::{
    AnalysisGoal, Certainty, Engine, Estimates, Limits, RandomPlayer, Report, SmartPlayer,
};

const PLIES: u32 = 3;

fn analyze(engine: &mut Engine, position: &Position, limits: Limits) -> Report {
    engine.analyze(position, limits, &|| Duration::ZERO)
}

/// Returns a book whose leaves an engine without books has searched.
fn book(start: BookStart) -> Book {
    let mut engine = Engine::new();
    let positions = BookPositions::new(start).unwrap();
    let gains: Vec<Gain> = positions
        .leaves()
        .map(|leaf| {
            let report = analyze(&mut engine, &leaf, Limits::default());
            assert_eq!(report.certainty, Certainty::Exact, "{leaf}");
            leaf.gain(report.margin())
        })
        .collect();
    Book::new(positions, &gains).unwrap()
}

/// Plays the line of a report, and returns whether both sides keep its margin.
fn keeps_margin(position: &Position, report: &Report, engine: &mut Engine) -> bool {
    let (mut next, mut margin) = (position.clone(), report.margin());
    report.line.iter().all(|&(side, mv)| {
        assert_eq!(next.to_move(), side);
        next.play(mv).unwrap();
        if next.to_move() != side || mv == Move::Swap {
            margin = -margin;
        }
        analyze(engine, &next, Limits::default()).margin() == margin
    })
}

#[test]
fn analyses_with_a_book_have_the_margins_of_those_without() {
    const BOARDS: [(u8, u64); 4] = [(2, 3), (3, 2), (4, 2), (5, 1)];
    const GOALS: [AnalysisGoal; 3] = [
        AnalysisGoal::BestMargin,
        AnalysisGoal::Ties,
        AnalysisGoal::AllMargins,
    ];
    let (mut from_book, mut searched) = (0, 0);
    for (seed, preset) in (0..).zip(Rules::PRESETS) {
        for (houses, seeds) in BOARDS {
            let mut rules = preset.rules;
            let game_start = Position::start(houses, seeds, rules).unwrap();
            rules.first_ply_rules = kalah::FirstPlyRules::NONE;
            let start = BookStart {
                houses,
                seeds,
                rules,
                plies: PLIES,
            };
            let mut engine = Engine::new();
            let mut book_engine =
                Engine::new().with_books(BookSet::default().with_book(book(start)));
            let mut random = RandomPlayer::new("Random", seed);
            for _ in 0..8 {
                let mut position = game_start.clone();
                for ply in 0..2 * PLIES {
                    let Some(mv) = random.choose_move(&position, Duration::ZERO) else {
                        break;
                    };
                    for (goal, estimates) in GOALS.into_iter().zip(
                        [Estimates::BestMove, Estimates::AllMoves]
                            .into_iter()
                            .cycle(),
                    ) {
                        let limits = Limits {
                            goal,
                            estimates,
                            lines: 2,
                            ..Limits::default()
                        };
                        let report = analyze(&mut book_engine, &position, limits);
                        let plain = analyze(&mut engine, &position, limits);
                        let place = format!("'{position}' under {}, ply {ply}", preset.name);
                        assert_eq!(report.margin(), plain.margin(), "{place}");
                        assert_eq!(report.certainty, Certainty::Exact, "{place}");
                        for candidate in &report.moves {
                            let other = plain.bounds_of(candidate.mv).unwrap();
                            let bounds = candidate.bounds;
                            let is_consistent = if goal == AnalysisGoal::AllMargins {
                                bounds == other
                            } else {
                                bounds.lower <= other.upper && other.lower <= bounds.upper
                            };
                            assert!(is_consistent, "{place}: {bounds:?}, {other:?}");
                        }
                        if report.is_from_book {
                            assert_eq!((report.nodes, report.depth), (0, 0), "{place}");
                            assert!(report.moves.iter().all(|mv| mv.bounds.is_exact()));
                            from_book += 1;
                        } else {
                            searched += 1;
                        }
                        assert!(keeps_margin(&position, &report, &mut engine), "{place}");
                    }
                    position.play(mv).unwrap();
                }
            }
        }
    }
    assert!(from_book > 200 && searched > 200, "{from_book}, {searched}");
}

#[test]
fn the_margin_of_a_leaf_bounds_its_moves() {
    let start = BookStart {
        houses: 4,
        seeds: 3,
        rules: Rules::STANDARD,
        plies: 0,
    };
    let position = start.position().unwrap();
    let mut book_engine = Engine::new().with_books(BookSet::default().with_book(book(start)));
    let limits = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    let report = analyze(&mut book_engine, &position, limits);
    assert!(!report.is_from_book);
    assert_eq!(report.bounds.upper.seeds(), 6);
    let mut plain = Engine::new();
    let nodes = |engine: &mut Engine| analyze(engine, &position, Limits::default()).nodes;
    assert!(nodes(&mut book_engine) < nodes(&mut plain));
}

#[test]
fn a_player_with_a_book_answers_without_a_search() {
    let start = Position::start(6, 4, Rules::STANDARD).unwrap();
    let mut player = SmartPlayer::new("Lisa", || Duration::ZERO);
    let decision = player.decide(&start, Duration::from_secs(5)).unwrap();
    assert_eq!(decision.mv.text(start.to_move()), "C");
    assert_eq!((decision.nodes, decision.is_best), (0, true));
    assert!(
        decision
            .bounds
            .is_some_and(|bounds| bounds.lower.seeds() == 8)
    );
}
