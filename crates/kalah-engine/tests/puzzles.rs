//! Puzzles, against margins that a naive search finds.

use std::time::Duration;

use kalah::{Move, Player as _, Position, Rules, reference};
use kalah_engine::{Bounds, GameValue, MinimaxPlayer, Puzzle, PuzzleGenerator};

/// How a game ends after a choice, for the player who makes it.
fn verdict(position: &Position, choice: Move) -> GameValue {
    let mut next = position.clone();
    next.play(choice).unwrap();
    let same = next.to_move() == position.to_move() && choice != Move::Swap;
    let margin = reference::margin(&next);
    let margin = if same { margin } else { -margin };
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
fn one_choice_wins_or_saves_the_game_and_no_other() {
    for preset in Rules::PRESETS {
        let found: Vec<Puzzle> = puzzles(3, 2, preset.rules, 1).take(4).collect();
        assert_eq!(found.len(), 4, "{}", preset.name);
        let twice = found.iter().enumerate().find(|(at, puzzle)| {
            found[..*at]
                .iter()
                .any(|earlier| earlier.position == puzzle.position)
        });
        assert_eq!(twice, None, "{}", preset.name);
        for puzzle in found {
            let Puzzle {
                position,
                solution: answer,
                value: best,
                ..
            } = &puzzle;
            assert_eq!(verdict(position, *answer), *best, "{position}");
            assert!(*best > GameValue::Loss, "{position}");
            for other in position.legal_moves().filter(|other| other != answer) {
                assert!(verdict(position, other) < *best, "{position}");
            }
        }
    }
}

#[test]
fn equal_seeds_give_equal_puzzles_and_others_do_not() {
    let some = |seed| puzzles(4, 3, Rules::CS32, seed).take(5).collect::<Vec<_>>();
    assert_eq!(some(1), some(1));
    assert_ne!(some(1), some(2));
}

#[test]
fn who_looks_less_far_than_that_finds_something_else() {
    let start = puzzles(4, 4, Rules::STANDARD, 3);
    let found: Vec<Puzzle> = start.with_min_depth(3).take(6).collect();
    assert_eq!(found.len(), 6);
    for Puzzle {
        position,
        solution: answer,
        depth,
        ..
    } in found
    {
        let looking = |turns| MinimaxPlayer::new("", turns).choose_move(&position, Duration::ZERO);
        let depth = depth.get();
        assert!((3..=PuzzleGenerator::MAX_DEPTH).contains(&depth));
        for turns in depth..=PuzzleGenerator::MAX_DEPTH {
            assert_eq!(looking(turns), Some(answer), "{position}, {turns}");
        }
        assert_ne!(looking(depth - 1), Some(answer), "{position}");
    }
}

#[test]
fn where_there_are_none_they_end() {
    assert_eq!(puzzles(1, 1, Rules::CS32, 1).next(), None);
    assert_eq!(puzzles(3, 0, Rules::CS32, 1).next(), None);
}
