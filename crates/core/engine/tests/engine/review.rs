//! Reviews against the naive reference.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use kalah::{BySide, Game, Margin, Move, Player, Position, Rules, Setup, Side, Variant, reference};
use kalah_engine::{
    Accuracy, Bounds, Certainty, Commentary, GamePhase, GameValue, GradeCounts, MoveGrade,
    MoveReport, PhaseAccuracy, PlyCosts, RandomPlayer, Report, Review, ReviewedPly,
};
use kalah_tables::{ChecksumPolicy, Table};
use proptest::prelude::*;

use crate::naive_margin::move_margin;

/// Returns a report in which the bounds of every move are those that `widen` makes of its margin.
fn report(position: &Position, mut widen: impl FnMut(Margin) -> Bounds) -> Report {
    let moves: Vec<(Move, Bounds)> = (position.legal_moves())
        .map(|mv| (mv, widen(move_margin(position, mv).0)))
        .collect();
    let margin = reference::margin(position);
    let greatest = |of: fn(Bounds) -> Margin| moves.iter().map(|&(_, bounds)| of(bounds)).max();
    Report {
        best_move: moves.first().map(|&(mv, _)| mv),
        raw_margin: margin,
        certainty: Certainty::Estimate,
        bounds: Bounds {
            lower: greatest(|bounds| bounds.lower).unwrap_or(margin),
            upper: greatest(|bounds| bounds.upper).unwrap_or(margin),
        },
        moves: (moves.into_iter())
            .map(|(mv, bounds)| MoveReport::from_bounds(mv, bounds))
            .collect(),
        depth: 0,
        nodes: 0,
        table_hits: 0,
        hash_fullness: None,
        time: Duration::ZERO,
        line: Vec::new(),
        is_from_book: false,
        table_damage: None,
    }
}

/// Plays a random game to its end.
fn random_game(rules: Rules, houses: u8, seeds: u64, seed: u64) -> Game {
    let mut game = Game::new(Position::start(houses, seeds, rules).unwrap());
    let mut random = RandomPlayer::new("Random", seed);
    while let Some(mv) = random.choose_move(game.position(), Duration::ZERO) {
        game.play(mv).unwrap();
    }
    game
}

fn exact(margin: Margin) -> Bounds {
    Bounds {
        lower: margin,
        upper: margin,
    }
}

fn contains(bounds: Bounds, margin: Margin) -> bool {
    bounds.lower <= margin && margin <= bounds.upper
}

fn game_value(margin: Margin) -> GameValue {
    match margin.seeds().signum() {
        1 => GameValue::Win,
        0 => GameValue::Tie,
        _ => GameValue::Loss,
    }
}

/// Returns the grade of a move with the margin `own`, word by word after the table of
/// [`MoveGrade`], where the best move has the margin `best`.
fn grade_from_margins(best: i32, own: i32) -> Option<MoveGrade> {
    let points = |margin: i32| f64::from(margin.signum() + 1) / 2.0;
    let cost_points = points(best) - points(own);
    let cost_seeds = best - own;
    if cost_points >= 1.0 || cost_points >= 0.5 && cost_seeds >= 8 {
        Some(MoveGrade::Blunder)
    } else if cost_points >= 0.5 || cost_seeds >= 8 {
        Some(MoveGrade::Mistake)
    } else {
        (cost_seeds >= 4).then_some(MoveGrade::Inaccuracy)
    }
}

fn count_grades(grades: &[MoveGrade]) -> GradeCounts {
    let count = |grade| {
        let equal = grades.iter().filter(|&&other| other == grade);
        u32::try_from(equal.count()).unwrap()
    };
    GradeCounts {
        inaccuracies: count(MoveGrade::Inaccuracy),
        mistakes: count(MoveGrade::Mistake),
        blunders: count(MoveGrade::Blunder),
    }
}

/// Boards that the naive reference searches quickly.
const BOARDS: [(u8, u64); 3] = [(2, 2), (3, 1), (2, 3)];

fn any_game() -> impl Strategy<Value = Game> {
    (0..Rules::PRESETS.len(), 0..BOARDS.len(), any::<u64>()).prop_map(|(preset, board, seed)| {
        let (houses, seeds) = BOARDS[board];
        random_game(Rules::PRESETS[preset].rules, houses, seeds, seed)
    })
}

proptest! {
    #[test]
    fn review_of_exact_reports_is_exact(game in any_game()) {
        let review = Review::from_game(&game, |position| report(position, exact));
        prop_assert_eq!(review.plies.len(), game.plies().len());
        prop_assert_eq!(review.unproven_count(), 0);
        let mut before = game.start();
        let mut is_swapped = false;
        let mut costs = BySide::new(0, 0);
        let mut stakes = BySide::new(0, 0);
        let mut grades = BySide::new(Vec::new(), Vec::new());
        for (ply, reviewed) in game.plies().iter().zip(&review.plies) {
            let margins: Vec<(Move, Margin)> = before
                .legal_moves()
                .map(|mv| (mv, move_margin(before, mv).0))
                .collect();
            let best = margins.iter().map(|&(_, margin)| margin).max().unwrap();
            let worst = margins.iter().map(|&(_, margin)| margin).min().unwrap();
            let own = move_margin(before, ply.mv).0;
            prop_assert_eq!((reviewed.side, reviewed.mv), (ply.side, ply.mv));
            prop_assert_eq!(reviewed.player == ply.side, !is_swapped);
            prop_assert_eq!(reviewed.before.bounds, exact(best));
            prop_assert_eq!(reviewed.after.bounds, exact(own));
            let cost = best.seeds() - own.seeds();
            prop_assert_eq!(reviewed.cost, exact(Margin::new(cost)));
            prop_assert_eq!(reviewed.stake, Some(best.seeds().abs_diff(worst.seeds())));
            let better: Vec<Move> = (margins.iter())
                .filter(|&&(_, margin)| cost > 0 && margin == best)
                .map(|&(mv, _)| mv)
                .collect();
            prop_assert_eq!(&reviewed.better_moves, &better);
            let values = (game_value(best), game_value(own));
            let value_change = (values.0 != values.1).then_some(values);
            prop_assert_eq!(reviewed.value_change(), value_change);
            let grade = grade_from_margins(best.seeds(), own.seeds());
            prop_assert_eq!(reviewed.grade(), grade, "{} {:?}", before, reviewed.mv);
            grades[reviewed.player].extend(grade);
            costs[reviewed.player] += cost.unsigned_abs();
            stakes[reviewed.player] += best.seeds().abs_diff(worst.seeds());
            is_swapped ^= ply.mv == Move::Swap;
            before = &ply.after;
        }
        for player in Side::ALL {
            let accuracy = review.accuracy[player];
            prop_assert_eq!((accuracy.cost, accuracy.stake), (costs[player], stakes[player]));
            prop_assert_eq!(accuracy.unproven, 0);
            prop_assert_eq!(review.grades[player], count_grades(&grades[player]));
            if let Some(percent) = accuracy.percent() {
                prop_assert!((0.0..=100.0).contains(&percent));
            }
        }
        prop_assert_eq!(review.start.bounds, exact(reference::margin(game.start())), "South begins");
    }

    #[test]
    fn an_opening_keeps_its_margins_and_counts_for_no_player(
        game in any_game(),
        count in 0_usize..8,
    ) {
        let reports = Review::analyze_positions(&game, |position| report(position, exact));
        let whole = Review::from_reports(&game, &reports);
        let review = whole.clone().with_opening_plies(count);
        let commentary = Commentary::new(&game, &reports, &review);
        prop_assert_eq!(review.opening_plies(), count.min(game.plies().len()));
        let mut sums = BySide::new((0, 0, 0), (0, 0, 0));
        let mut grades = BySide::new(Vec::new(), Vec::new());
        for (index, (ply, same)) in review.plies.iter().zip(&whole.plies).enumerate() {
            prop_assert_eq!((ply.before, ply.after, ply.cost), (same.before, same.after, same.cost));
            if index < count {
                prop_assert_eq!((ply.grade(), ply.has_cost()), (None, false));
                prop_assert_eq!(&ply.better_moves, &[]);
                prop_assert_eq!(&commentary.reasons[index], &[]);
            } else {
                prop_assert_eq!(ply, same);
                let sum = &mut sums[ply.player];
                let cost = ply.cost.lower.seeds().unsigned_abs();
                *sum = (sum.0 + 1, sum.1 + cost, sum.2 + ply.stake.unwrap());
                grades[ply.player].extend(ply.grade());
            }
        }
        let of_levels = PlyCosts::from_plies(
            review.plies.iter().map(|ply| (GamePhase::Opening, ply)),
        );
        let with_stake = |ply: &&ReviewedPly| ply.stake > Some(0);
        let expected = review.plies.iter().skip(count).filter(with_stake).count();
        prop_assert_eq!(usize::try_from(of_levels.plies()).unwrap(), expected);
        for player in Side::ALL {
            let PhaseAccuracy { opening, middlegame, endgame } = commentary.accuracy[player];
            let phases = [opening, middlegame, endgame];
            let of_phases = phases.iter().fold((0, 0, 0), |sum, phase| {
                (sum.0 + phase.plies, sum.1 + phase.cost, sum.2 + phase.stake)
            });
            let all = review.accuracy[player];
            prop_assert_eq!((all.plies, all.cost, all.stake), sums[player]);
            prop_assert_eq!(of_phases, sums[player]);
            prop_assert_eq!(review.grades[player], count_grades(&grades[player]));
        }
    }

    #[test]
    fn review_of_bounds_contains_the_exact_review(game in any_game(), seed: u64) {
        let mut random = seed;
        let review = Review::from_game(&game, |position| report(position, |margin| {
            // Some bounds are exact and others wider.
            let mut random_width = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                i32::try_from(random >> 62).unwrap()
            };
            Bounds {
                lower: Margin::new(margin.seeds() - random_width()),
                upper: Margin::new(margin.seeds() + random_width()),
            }
        }));
        let whole = Review::from_game(&game, |position| report(position, exact));
        for (reviewed, expected) in review.plies.iter().zip(&whole.plies) {
            for (bounds, exact) in [
                (reviewed.cost, expected.cost),
                (reviewed.before.bounds, expected.before.bounds),
                (reviewed.after.bounds, expected.after.bounds),
            ] {
                prop_assert!(contains(bounds, exact.lower), "{reviewed:?}, {expected:?}");
            }
            prop_assert!(reviewed.cost.lower >= Margin::ZERO);
            prop_assert!(reviewed.stake.is_none() || reviewed.stake == expected.stake);
            prop_assert!(reviewed.stake.is_none() || reviewed.cost == expected.cost);
            if let Some(value_change) = reviewed.value_change() {
                prop_assert_eq!(Some(value_change), expected.value_change());
            }
            prop_assert!(reviewed.grade() <= expected.grade());
            prop_assert!(!reviewed.is_costly() || !reviewed.better_moves.contains(&reviewed.mv));
        }
        prop_assert!(contains(review.start.bounds, whole.start.bounds.lower));
        for player in Side::ALL {
            let plies = review.plies.iter().filter(|ply| ply.player == player);
            let unproven = plies.filter(|ply| ply.stake.is_none()).count();
            let accuracy = review.accuracy[player];
            prop_assert_eq!(usize::try_from(accuracy.unproven).unwrap(), unproven);
            prop_assert_eq!(accuracy.plies + accuracy.unproven, whole.accuracy[player].plies);
        }
    }
}

/// The bounds of the best move, the bounds of the move made, and its grade.
type GradeCase = ([i32; 2], [i32; 2], Option<MoveGrade>);

#[test]
fn grade_follows_from_the_proven_cost() {
    use MoveGrade::{Blunder, Inaccuracy, Mistake};
    let cases: [GradeCase; 27] = [
        // Seeds alone decide between wins, and between losses.
        ([12, 12], [12, 12], None),
        ([12, 12], [10, 10], None),
        ([12, 12], [9, 9], None),
        ([12, 12], [8, 8], Some(Inaccuracy)),
        ([12, 12], [5, 5], Some(Inaccuracy)),
        ([12, 12], [4, 4], Some(Mistake)),
        ([-1, -1], [-4, -4], None),
        ([-1, -1], [-5, -5], Some(Inaccuracy)),
        ([-1, -1], [-8, -8], Some(Inaccuracy)),
        ([-1, -1], [-9, -9], Some(Mistake)),
        ([-1, -1], [-12, -12], Some(Mistake)),
        // Half a point.
        ([1, 1], [0, 0], Some(Mistake)),
        ([7, 7], [0, 0], Some(Mistake)),
        ([8, 8], [0, 0], Some(Blunder)),
        ([0, 0], [-1, -1], Some(Mistake)),
        ([0, 0], [-7, -7], Some(Mistake)),
        ([0, 0], [-8, -8], Some(Blunder)),
        // A whole point.
        ([1, 1], [-1, -1], Some(Blunder)),
        ([2, 2], [-10, -10], Some(Blunder)),
        // The bounds prove less than a cost of four seeds, four seeds, and eight.
        ([5, 12], [2, 3], None),
        ([7, 12], [2, 3], Some(Inaccuracy)),
        ([11, 12], [2, 3], Some(Mistake)),
        // The bounds prove a cost of no points, of half a point, and of a point.
        ([2, 6], [-4, 1], None),
        ([2, 6], [-4, 0], Some(Mistake)),
        ([2, 6], [-4, -1], Some(Blunder)),
        ([0, 6], [-4, -2], Some(Mistake)),
        ([-1, 6], [-4, -2], None),
    ];
    let bounds = |[lower, upper]: [i32; 2]| Bounds {
        lower: Margin::new(lower),
        upper: Margin::new(upper),
    };
    let start = Position::start(3, 4, Rules::CS32).unwrap();
    let mut game = Game::new(start.clone());
    let made = start.legal_moves().next().unwrap();
    game.play(made).unwrap();
    for (best, own, grade) in cases {
        let review = Review::from_game(&game, |position| {
            let widest = bounds([-24, 24]);
            let of_move = |mv| if mv == made { own } else { best };
            let is_start = *position == start;
            let moves = position.legal_moves();
            Report {
                bounds: if is_start { bounds(best) } else { widest },
                moves: (moves.map(|mv| {
                    let own = if is_start {
                        bounds(of_move(mv))
                    } else {
                        widest
                    };
                    MoveReport::from_bounds(mv, own)
                }))
                .collect(),
                ..report(&Position::start(1, 0, Rules::CS32).unwrap(), exact)
            }
        });
        assert_eq!(review.plies[0].grade(), grade, "{best:?} {own:?}");
        let counts = count_grades(grade.as_slice());
        assert_eq!(review.grades[Side::South], counts, "{best:?} {own:?}");
        assert_eq!(review.grades[Side::North], GradeCounts::default());
    }
}

/// Returns the report of a search that has proven nothing and estimates this margin.
fn open_report(position: &Position, margin: i32) -> Report {
    let total = i32::from(position.total());
    let open = Bounds {
        lower: Margin::new(-total),
        upper: Margin::new(total),
    };
    Report {
        best_move: position.legal_moves().last(),
        raw_margin: Margin::new(margin),
        bounds: open,
        moves: (position.legal_moves())
            .map(|mv| MoveReport::from_bounds(mv, open))
            .collect(),
        nodes: 1,
        ..report(&Position::start(1, 0, Rules::CS32).unwrap(), exact)
    }
}

#[test]
fn lost_chances_have_grades_while_results_are_not_proven() {
    let start = Position::start(6, 4, Rules::CS32).unwrap();
    let mut game = Game::new(start.clone());
    let made = start.legal_moves().next().unwrap();
    game.play(made).unwrap();
    let mut grades = Vec::new();
    for (before, after) in (-20..20)
        .step_by(2)
        .flat_map(|before| [(before, -8), (before, 2), (before, 8)])
    {
        let review = Review::from_game(&game, |position| {
            // The opponent is to move after the ply.
            let margin = if *position == start { before } else { -after };
            open_report(position, margin)
        });
        let ply = &review.plies[0];
        let [before, after] = [ply.before, ply.after].map(|value| value.chances.unwrap().points());
        let lost = before.saturating_sub(after);
        assert_eq!(ply.lost_chance, Some(lost));
        let grade = match lost {
            0..100 => None,
            100..200 => Some(MoveGrade::Inaccuracy),
            200..300 => Some(MoveGrade::Mistake),
            _ => Some(MoveGrade::Blunder),
        };
        assert_eq!(
            (ply.grade(), ply.has_cost()),
            (grade, grade.is_some()),
            "{lost}"
        );
        let best = start.legal_moves().last();
        assert_eq!(
            ply.better_moves.first(),
            best.as_ref().filter(|_| grade.is_some())
        );
        assert!(!ply.is_costly());
        grades.push(grade);
    }
    let review = Review::from_game(&game, |position| Report {
        best_move: Some(made),
        ..open_report(position, 20)
    });
    assert_eq!(
        (review.plies[0].lost_chance, review.plies[0].grade()),
        (Some(0), None)
    );
    for grade in [None, Some(MoveGrade::Inaccuracy), Some(MoveGrade::Blunder)] {
        assert!(grades.contains(&grade), "{grade:?}");
    }
}

#[test]
fn lost_chances_of_proven_results_are_points_without_a_grade_of_their_own() {
    let start = Position::start(3, 2, Rules::CS32).unwrap();
    let mut game = Game::new(start.clone());
    // The win of the start becomes a loss.
    game.play(start.legal_moves().next().unwrap()).unwrap();
    let review = Review::from_game(&game, |position| report(position, exact));
    let ply = &review.plies[0];
    assert_eq!(
        (ply.lost_chance, ply.estimated_lost_chance()),
        (Some(1000), None)
    );
    // A position that is not searched has no chances.
    let review = Review::from_game(&game, |position| Report {
        nodes: 0,
        ..open_report(position, 4)
    });
    assert_eq!(
        (review.plies[0].lost_chance, review.plies[0].grade()),
        (None, None)
    );
}

#[test]
fn symbols_are_those_of_annotated_games() {
    let symbols = [
        MoveGrade::Inaccuracy,
        MoveGrade::Mistake,
        MoveGrade::Blunder,
    ]
    .map(MoveGrade::symbol);
    assert_eq!(symbols, ["?!", "?", "??"]);
}

#[test]
fn accuracy_is_undefined_without_stake() {
    let game = Game::new(Position::start(3, 2, Rules::CS32).unwrap());
    let review = Review::from_game(&game, |position| report(position, exact));
    assert!(review.plies.is_empty());
    assert_eq!(review.accuracy[Side::South].percent(), None);
}

#[test]
fn accuracy_needs_four_fifths_of_the_plies() {
    let percent = |plies, unproven| {
        let [cost, stake] = [2, 8];
        let accuracy = Accuracy {
            plies,
            unproven,
            cost,
            stake,
        };
        accuracy.percent()
    };
    for (plies, unproven) in [(1, 0), (4, 1), (5, 1), (8, 2), (u32::MAX, 1 << 29)] {
        assert_eq!(
            percent(plies, unproven),
            Some(75.0),
            "{plies} and {unproven}"
        );
    }
    for (plies, unproven) in [(0, 1), (3, 1), (7, 2), (1 << 30, u32::MAX)] {
        assert_eq!(percent(plies, unproven), None, "{plies} and {unproven}");
    }
}

#[test]
fn a_move_without_a_choice_has_no_stake_though_its_margin_is_unproven() {
    let setup: Setup = "<3,0,0,1,0,0,2,2,2> s".parse().unwrap();
    let position = setup.position(Rules::CS32).unwrap();
    let mv = position.legal_moves().next().unwrap();
    assert_eq!(position.legal_moves().count(), 1);
    let game = Game::replay(position, [mv]).unwrap();
    let wide = |margin: Margin| Bounds {
        lower: Margin::new(margin.seeds() - 4),
        upper: Margin::new(margin.seeds() + 4),
    };
    let review = Review::from_game(&game, |position| report(position, wide));
    assert_eq!(review.plies[0].stake, Some(0));
    let accuracy = review.accuracy[Side::South];
    assert_eq!((accuracy.plies, accuracy.unproven), (1, 0));
}

#[test]
fn positions_are_analyzed_again_without_a_table_that_turns_out_to_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let (variant, go_on) = (Variant::new(2, Rules::CS32), &mut |_| {
        ControlFlow::Continue(())
    });
    Table::build_file(&path, variant, 2, NonZeroUsize::MIN, go_on).unwrap();
    let table = Table::open(&path, ChecksumPolicy::Verify).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1)
        .unwrap();
    let damage = table.check_unchanged().unwrap_err();
    let game = random_game(Rules::CS32, 2, 3, 5);
    let damaged_at = game.plies()[2].after.clone();
    let mut is_damaged = false;
    let review = Review::from_game(&game, |position| {
        is_damaged |= *position == damaged_at;
        let wrong = |_| exact(Margin::new(0));
        Report {
            table_damage: is_damaged.then(|| damage.clone()),
            ..if is_damaged {
                report(position, exact)
            } else {
                report(position, wrong)
            }
        }
    });
    let expected = Review::from_game(&game, |position| report(position, exact));
    assert_eq!(review, expected);
}
