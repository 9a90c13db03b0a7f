//! Puzzles against the naive reference.

use std::collections::HashSet;
use std::mem;
use std::num::NonZeroU32;
use std::time::Duration;

use kalah::{Move, Player as _, Position, Rules, SowEffect};
use kalah_engine::{
    Bounds, GameValue, MinimaxPlayer, NoPuzzle, Puzzle, PuzzleFeatures, PuzzleGenerator,
    PuzzleRating, PuzzleTheme, RandomPlayer,
};

use test_tools::sample_or_all;

use crate::naive_margin::move_margin;

/// The result of the game after a move, for its player.
fn value_of_move(position: &Position, mv: Move) -> GameValue {
    let (margin, _, _) = move_margin(position, mv);
    GameValue::from_bounds(Bounds {
        lower: margin,
        upper: margin,
    })
    .unwrap()
}

fn puzzles(houses: u8, seeds: u64, rules: Rules, seed: u64) -> PuzzleGenerator {
    PuzzleGenerator::new(Position::start(houses, seeds, rules).unwrap(), seed)
}

#[test]
fn solution_is_the_only_move_that_keeps_the_value() {
    for preset in Rules::PRESETS {
        let puzzles_found: Vec<Puzzle> = puzzles(3, 2, preset.rules, 1).take(4).collect();
        assert_eq!(puzzles_found.len(), 4, "{}", preset.name);
        let repeated = puzzles_found.iter().enumerate().find(|(index, puzzle)| {
            puzzles_found[..*index]
                .iter()
                .any(|earlier| earlier.position == puzzle.position)
        });
        assert_eq!(repeated, None, "{}", preset.name);
        for puzzle in puzzles_found {
            let Puzzle {
                position,
                solution,
                value,
                ..
            } = &puzzle;
            assert_eq!(value_of_move(position, *solution), *value, "{position}");
            assert!(*value > GameValue::Loss, "{position}");
            for other in position.legal_moves().filter(|other| other != solution) {
                assert!(value_of_move(position, other) < *value, "{position}");
            }
        }
    }
}

#[test]
fn equal_seeds_give_equal_puzzles() {
    let first_puzzles = |seed| puzzles(4, 3, Rules::CS32, seed).take(5).collect::<Vec<_>>();
    assert_eq!(first_puzzles(1), first_puzzles(1));
    assert_ne!(first_puzzles(1), first_puzzles(2));
}

#[test]
fn proofs_of_puzzles_have_at_most_the_nodes_of_the_generator() {
    let limited = |max_nodes| {
        let generator = puzzles(4, 3, Rules::CS32, 1).with_max_nodes(max_nodes);
        generator.take(5).collect::<Vec<_>>()
    };
    let few = 200;
    let found = limited(few);
    assert!(!found.is_empty());
    assert!(found.iter().all(|puzzle| puzzle.report.nodes <= few));
    assert_eq!(found, limited(few));
    let usual: Vec<_> = puzzles(4, 3, Rules::CS32, 1).take(5).collect();
    assert_eq!(limited(PuzzleGenerator::DEFAULT_MAX_NODES), usual);
}

#[test]
fn minimax_needs_the_depth_of_the_puzzle() {
    let generator = puzzles(4, 4, Rules::STANDARD, 3);
    let puzzles_found: Vec<Puzzle> = generator.with_min_depth(3).take(6).collect();
    assert_eq!(puzzles_found.len(), 6);
    for Puzzle {
        position,
        solution,
        depth,
        ..
    } in puzzles_found
    {
        let minimax_move =
            |depth| MinimaxPlayer::new("", depth).choose_move(&position, Duration::ZERO);
        let puzzle_depth = depth.get();
        assert!((3..=PuzzleGenerator::MAX_DEPTH).contains(&puzzle_depth));
        for depth in puzzle_depth..=PuzzleGenerator::MAX_DEPTH {
            assert_eq!(minimax_move(depth), Some(solution), "{position}, {depth}");
        }
        assert_ne!(minimax_move(puzzle_depth - 1), Some(solution), "{position}");
    }
}

#[test]
fn generator_ends_on_boards_without_puzzles() {
    assert_eq!(puzzles(1, 1, Rules::CS32, 1).next(), None);
    assert_eq!(puzzles(3, 0, Rules::CS32, 1).next(), None);
}

/// Returns the rating of a puzzle by the naive reference, and whether the greedy move fails: the
/// sum that [`PuzzleRating::from_features`] describes, with the features counted move by move.
fn naive_rating(puzzle: &Puzzle) -> (i32, bool) {
    let Puzzle {
        position, solution, ..
    } = puzzle;
    let moves: Vec<Move> = position.legal_moves().collect();
    let margin = |mv: Move| move_margin(position, mv).0.seeds();
    let others = moves.iter().filter(|mv| *mv != solution);
    let gap = margin(*solution) - others.map(|&mv| margin(mv)).max().unwrap();
    // The number of captured seeds, and a number above all captures for a bonus turn.
    let greed = |mv: Move| match mv {
        Move::Swap => 0,
        Move::Sow(house) => match position.clone().sow(house).unwrap().effect {
            SowEffect::TurnPasses => 0,
            SowEffect::BonusTurn => u32::MAX,
            SowEffect::Capture(capture) => capture.seeds.get().into(),
        },
    };
    let captures = moves.iter().map(|&mv| greed(mv));
    let most = captures
        .filter(|&seeds| seeds < u32::MAX)
        .max()
        .unwrap_or(0);
    let is_greedy = |mv: Move| greed(mv) > 0 && greed(mv) >= most;
    let greedy_fails = moves.iter().any(|&mv| is_greedy(mv)) && !is_greedy(*solution);
    let extra_moves = i32::try_from(moves.len()).unwrap() - 3;
    let rating = 800
        + 160 * (i32::try_from(puzzle.depth.get()).unwrap() - 1)
        + 25 * extra_moves.clamp(0, 8)
        + 25 * (9 - gap).max(0)
        + if greedy_fails { 400 } else { 0 };
    (rating, greedy_fails)
}

#[test]
fn rating_is_the_sum_of_the_features() {
    let mut cases = [0, 0];
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(3, 2), (2, 4)] {
            for puzzle in puzzles(houses, seeds, preset.rules, 3).take(8) {
                assert!(
                    puzzle
                        .report
                        .moves
                        .iter()
                        .all(|candidate| candidate.bounds.is_exact())
                );
                let (rating, greedy_fails) = naive_rating(&puzzle);
                assert_eq!(
                    i32::from(puzzle.rating.get()),
                    rating,
                    "{}",
                    puzzle.position
                );
                cases[usize::from(greedy_fails)] += 1;
            }
        }
    }
    assert!(cases.iter().all(|&count| count > 1), "{cases:?}");
}

#[test]
fn each_feature_raises_the_rating_from_its_threshold_on() {
    let easiest = PuzzleFeatures {
        depth: NonZeroU32::MIN,
        moves: 3,
        gap: 9,
        greedy_fails: false,
    };
    let depth = |turns| NonZeroU32::new(turns).unwrap();
    let rating = |features| PuzzleRating::from_features(features).get();
    let cases = [
        (easiest, 800),
        (
            PuzzleFeatures {
                depth: depth(2),
                ..easiest
            },
            960,
        ),
        (
            PuzzleFeatures {
                depth: depth(6),
                ..easiest
            },
            1600,
        ),
        (
            PuzzleFeatures {
                moves: 0,
                ..easiest
            },
            800,
        ),
        (
            PuzzleFeatures {
                moves: 4,
                ..easiest
            },
            825,
        ),
        (
            PuzzleFeatures {
                moves: 11,
                ..easiest
            },
            1000,
        ),
        (
            PuzzleFeatures {
                moves: 12,
                ..easiest
            },
            1000,
        ),
        (
            PuzzleFeatures {
                moves: usize::MAX,
                ..easiest
            },
            1000,
        ),
        (
            PuzzleFeatures {
                gap: u32::MAX,
                ..easiest
            },
            800,
        ),
        (PuzzleFeatures { gap: 8, ..easiest }, 825),
        (PuzzleFeatures { gap: 1, ..easiest }, 1000),
        (
            PuzzleFeatures {
                greedy_fails: true,
                ..easiest
            },
            1200,
        ),
    ];
    for (features, expected) in cases {
        assert_eq!(rating(features), expected, "{features:?}");
    }
    let hardest = PuzzleFeatures {
        depth: depth(6),
        moves: 11,
        gap: 1,
        greedy_fails: true,
    };
    assert_eq!(rating(hardest), 2400);
    let deeper = PuzzleFeatures {
        depth: NonZeroU32::MAX,
        ..hardest
    };
    assert_eq!(rating(deeper), 2400);
    assert_eq!(PuzzleRating::new(799), None);
    assert_eq!(PuzzleRating::new(800), Some(PuzzleRating::MIN));
    assert_eq!(PuzzleRating::new(2400), Some(PuzzleRating::MAX));
    assert_eq!(PuzzleRating::new(2401), None);
}

#[test]
fn puzzles_have_ratings_in_the_range() {
    let range = PuzzleRating::new(1200).unwrap()..=PuzzleRating::new(1500).unwrap();
    let generator = puzzles(4, 3, Rules::CS32, 1).with_ratings(range.clone());
    let ratings: Vec<PuzzleRating> = generator.take(8).map(|puzzle| puzzle.rating).collect();
    assert_eq!(ratings.len(), 8);
    assert!(
        ratings.iter().all(|rating| range.contains(rating)),
        "{ratings:?}"
    );
}

#[test]
fn generator_ends_after_its_work() {
    assert_eq!(puzzles(4, 3, Rules::CS32, 1).with_max_work(0).next(), None);
    let hardest = PuzzleRating::MAX..=PuzzleRating::MAX;
    let generator = puzzles(6, 4, Rules::CS32, 1).with_ratings(hardest);
    assert_eq!(generator.with_max_work(1_000_000).next(), None);
    // Enough work changes nothing.
    let unlimited = puzzles(4, 3, Rules::CS32, 1).next();
    assert!(unlimited.is_some());
    let limited = puzzles(4, 3, Rules::CS32, 1)
        .with_max_work(60_000_000)
        .next();
    assert_eq!(limited, unlimited);
}

#[test]
fn line_plays_the_solution_to_the_end_of_the_game() {
    for puzzle in puzzles(6, 4, Rules::CS32, 5).take(5) {
        let mut position = puzzle.position.clone();
        let bounds = puzzle.report.bounds_of(puzzle.solution).unwrap();
        assert_eq!(puzzle.report.line[0].1, puzzle.solution);
        for &(side, mv) in &puzzle.report.line {
            assert_eq!(position.to_move(), side);
            position.play(mv).unwrap();
        }
        let outcome = position.outcome().unwrap();
        let margin = outcome.margin(puzzle.position.to_move());
        assert!(
            bounds.lower <= margin && margin <= bounds.upper,
            "{}",
            puzzle.position
        );
    }
}

#[test]
fn check_of_a_position_equals_the_generated_puzzle() {
    let boards = [(3, 2), (4, 3), (5, 4), (6, 4), (8, 3)];
    let take = sample_or_all(2, 12);
    let mut count = 0;
    for preset in Rules::PRESETS {
        for (houses, seeds) in boards {
            for puzzle in puzzles(houses, seeds, preset.rules, 11).take(take) {
                let position = puzzle.position.clone();
                assert_eq!(Puzzle::check(&position), Ok(puzzle), "{position}");
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count}");
}

/// Returns the reason why a position is no puzzle, by the margins of the naive reference; `None`
/// for a puzzle whose depth may be too great.
fn naive_reason(position: &Position) -> Option<NoPuzzle> {
    let moves: Vec<Move> = position.legal_moves().collect();
    let values: Vec<GameValue> = (moves.iter())
        .map(|&mv| value_of_move(position, mv))
        .collect();
    let best = values.iter().max();
    let count = values.iter().filter(|value| Some(*value) == best).count();
    match (best, moves.len()) {
        (None, _) => Some(NoPuzzle::GameOver),
        (Some(_), moves @ ..3) => Some(NoPuzzle::TooFewMoves(moves)),
        (Some(GameValue::Loss), _) => Some(NoPuzzle::Lost),
        (Some(_), _) if count > 1 => Some(NoPuzzle::NoUniqueMove { moves: count }),
        (Some(_), _) => None,
    }
}

#[test]
fn check_tells_why_a_position_is_no_puzzle() {
    let mut reasons = HashSet::new();
    for preset in Rules::PRESETS {
        for seed in 0..30 {
            let mut player = RandomPlayer::new("", seed);
            let mut position = Position::start(3, 2, preset.rules).unwrap();
            loop {
                let expected = naive_reason(&position);
                let found = Puzzle::check(&position).err();
                assert!(
                    found == expected || (expected, found) == (None, Some(NoPuzzle::TooDeep)),
                    "{position}: {found:?} instead of {expected:?}"
                );
                reasons.insert(found.map(|reason| mem::discriminant(&reason)));
                let Some(mv) = player.choose_move(&position, Duration::ZERO) else {
                    break;
                };
                position.play(mv).unwrap();
            }
        }
    }
    // All reasons but a position that is not proven, and a puzzle.
    assert!(reasons.len() >= 5, "{}", reasons.len());
    let large = Position::start(12, 12, Rules::STANDARD).unwrap();
    assert_eq!(Puzzle::check(&large), Err(NoPuzzle::NotProven));
}

#[test]
fn several_moves_are_the_only_ones_after_best_replies() {
    let mut counts = [0; 2];
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(3, 2), (4, 2)] {
            for puzzle in puzzles(houses, seeds, preset.rules, 5).take(12) {
                check_plies(&puzzle);
                counts[usize::from(puzzle.moves_to_find() > 1)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Compares the plies of a puzzle with the margins of the naive reference.
fn check_plies(puzzle: &Puzzle) {
    let plies = puzzle.solution_plies().len();
    let mut position = puzzle.position.clone();
    let mut is_own = true;
    let mut found = 0;
    for (index, &(side, mv)) in puzzle.report.line.iter().enumerate() {
        assert_eq!(side, position.to_move());
        let moves: Vec<Move> = position.legal_moves().collect();
        let value = value_of_move(&position, mv);
        let is_only = moves.len() > 1
            && (moves.iter()).all(|&other| other == mv || value_of_move(&position, other) < value);
        if is_own && index < plies {
            assert_eq!(value, puzzle.value, "{position}");
            assert!(is_only, "{position}");
            found += 1;
        } else if is_own {
            assert!(!is_only, "the puzzle goes on in {position}");
            break;
        } else {
            let margin = move_margin(&position, mv).0;
            let best = moves.iter().map(|&other| move_margin(&position, other).0);
            assert_eq!(best.max(), Some(margin), "{position}");
        }
        let (_, after, is_same_player) = move_margin(&position, mv);
        position = after;
        is_own = is_own == is_same_player;
    }
    assert_eq!(puzzle.moves_to_find(), found);
    assert_eq!(
        puzzle.report.line[0],
        (puzzle.position.to_move(), puzzle.solution)
    );
}

#[test]
fn generator_finds_puzzles_of_a_theme_and_of_several_moves() {
    for theme in PuzzleTheme::ALL {
        let generator = puzzles(4, 3, Rules::STANDARD, 2).with_theme(theme);
        let found: Vec<Puzzle> = generator.take(2).collect();
        assert_eq!(found.len(), 2, "{theme}");
        assert!(found.iter().all(|puzzle| puzzle.themes().contains(&theme)));
    }
    let several = puzzles(4, 3, Rules::STANDARD, 2).with_min_moves(3).next();
    assert!(several.is_some_and(|puzzle| puzzle.moves_to_find() >= 3));
}

#[test]
fn puzzle_of_a_day_depends_on_the_day_alone() {
    let day = |day| Puzzle::daily(day).map(|puzzle| puzzle.position);
    assert_eq!(day(20_785), day(20_785));
    assert_ne!(day(20_785), day(20_792));
    assert!(day(u32::MAX).is_some());
}
