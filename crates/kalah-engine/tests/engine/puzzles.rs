//! Puzzles against the naive reference.

use std::time::Duration;

use kalah::{Move, Player as _, Position, Rules};
use kalah_engine::{Bounds, GameValue, MinimaxPlayer, Puzzle, PuzzleGenerator};

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
