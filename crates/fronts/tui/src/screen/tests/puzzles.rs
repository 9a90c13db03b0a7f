//! Puzzles on the screen.

use std::sync::OnceLock;

use kalah_engine::{Puzzle, PuzzleGenerator, PuzzleTheme};

use super::*;
use crate::game::{PuzzleProgress, PuzzleStep};
use crate::screen::event::WantedPuzzle;
use crate::screen::model::puzzle::{PuzzleScore, PuzzleState};

/// Returns a puzzle on 4x3.
pub(super) fn puzzle() -> &'static Puzzle {
    static PUZZLE: OnceLock<Puzzle> = OnceLock::new();
    PUZZLE.get_or_init(|| {
        let start = Position::start(4, 3, Rules::CS32).expect("a start");
        PuzzleGenerator::new(start, 1).next().expect("a puzzle")
    })
}

/// Returns a puzzle on 4x3 with several moves to find, and a reply between two of them.
fn puzzle_of_several_moves() -> &'static Puzzle {
    static PUZZLE: OnceLock<Puzzle> = OnceLock::new();
    PUZZLE.get_or_init(|| {
        let start = Position::start(4, 3, Rules::CS32).expect("a start");
        let mut puzzles = PuzzleGenerator::new(start, 1).with_min_moves(2);
        let has_reply = |puzzle: &Puzzle| puzzle.moves_to_find() < puzzle.solution_plies().len();
        puzzles.find(has_reply).expect("a puzzle")
    })
}

/// Opens a puzzle.
fn pose(screen: &mut TestScreen, puzzle: &Puzzle) {
    screen.press("t");
    let Some(AppEffect::RequestPuzzle(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a puzzle: {:?}", screen.effects);
    };
    assert!(
        screen.picture().contains("Looking for a puzzle"),
        "{}",
        screen.picture()
    );
    // A second request does not replace the first one.
    screen.press("t");
    screen.handle(AppEvent::PuzzleFound(
        request_id,
        Some(Box::new(puzzle.clone())),
    ));
}

/// Returns the key of a legal move other than the solution.
fn wrong_key(puzzle: &Puzzle) -> String {
    let mut moves = puzzle.position.legal_moves();
    let wrong = moves
        .find(|&mv| mv != puzzle.solution)
        .expect("another move");
    wrong.text(puzzle.position.to_move())
}

/// Checks the beginning of the message.
#[track_caller]
fn assert_message(screen: &TestScreen, beginning: &str) {
    let message = screen.message();
    assert!(message.starts_with(beginning), "{message}");
}

fn score(screen: &TestScreen) -> PuzzleScore {
    screen.model.puzzles.as_ref().expect("puzzles").score
}

#[test]
fn the_first_try_of_a_puzzle_counts() {
    let puzzle = puzzle();
    let key = puzzle.solution.text(puzzle.position.to_move());
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    screen.press("a");
    pose(&mut screen, puzzle);
    let picture = screen.picture();
    assert!(
        picture.contains("one move") && picture.contains("rating"),
        "{picture}"
    );
    screen.press(&key);
    assert_message(&screen, "Solved: house");
    assert_eq!(
        score(&screen),
        PuzzleScore {
            tried: 1,
            solved: 1,
            streak: 1
        }
    );
    screen.press("Enter");
    pose_next(&mut screen, puzzle);
    screen.press(&wrong_key(puzzle));
    assert_message(&screen, "Wrong: house");
    screen.press(&key);
    assert_message(&screen, "Solved: house");
    assert_eq!(
        score(&screen),
        PuzzleScore {
            tried: 2,
            solved: 1,
            streak: 0
        }
    );
    assert!(
        screen.picture().contains("Solved 1 of 2, streak 0."),
        "{}",
        screen.picture()
    );
    // The game is as it was.
    screen.press("Esc");
    assert!(screen.model.puzzles.is_none());
    assert_eq!(screen.moves(), "A");
}

/// Answers the last request for a puzzle.
#[test]
fn small_screens_show_the_ratings() {
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Resized(Size::new(40, 12)));
    pose(&mut screen, puzzle());
    let ratings = format!("({}, yours 1000)", puzzle().rating);
    let picture = screen.picture();
    assert!(picture.contains(&ratings), "{picture}");
    screen.press("F9");
    let picture = screen.picture();
    assert!(picture.contains("Enter: next puzzle."), "{picture}");
    assert!(picture.contains("Rating 985 (-15)"), "{picture}");
}

fn pose_next(screen: &mut TestScreen, puzzle: &Puzzle) {
    let Some(AppEffect::RequestPuzzle(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a puzzle: {:?}", screen.effects);
    };
    screen.handle(AppEvent::PuzzleFound(
        request_id,
        Some(Box::new(puzzle.clone())),
    ));
}

#[test]
fn the_answer_is_shown_on_request_and_other_moves_can_be_tried_then() {
    let puzzle = puzzle();
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    pose(&mut screen, puzzle);
    screen.press("h");
    assert_eq!(screen.message(), "Hints are off in puzzles.");
    screen.press("m");
    assert!(!screen.model.margins.is_shown);
    screen.press("F9");
    assert_message(&screen, "The answer is house");
    assert_eq!(
        score(&screen),
        PuzzleScore {
            tried: 1,
            solved: 0,
            streak: 0
        }
    );
    screen.press("Home");
    screen.press(&wrong_key(puzzle));
    assert!(screen.model.variation.is_some());
    assert_eq!(score(&screen).tried, 1);
    screen.press("Esc Esc");
    assert!(screen.model.puzzles.is_none());
}

#[test]
fn margins_of_an_answer_are_not_those_of_later_games() {
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    for keys in ["Esc", "n Enter"] {
        pose(&mut screen, puzzle());
        screen.press("F9 m");
        assert!(screen.model.margins.is_shown);
        assert!(!screen.model.user.preferences.shows_margins);
        screen.press(keys);
        assert!(screen.model.puzzles.is_none());
        assert!(!screen.model.margins.is_shown, "{keys}");
    }
}

#[test]
fn a_board_without_puzzles_says_so() {
    let mut screen = TestScreen::new("1x1", Rules::CS32, "human", "human");
    screen.press("t");
    let Some(AppEffect::RequestPuzzle(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a puzzle: {:?}", screen.effects);
    };
    // A puzzle for another request is dropped.
    screen.handle(AppEvent::PuzzleFound(
        WorkerRequestId(request_id.0 + 1),
        None,
    ));
    let mode = screen.model.puzzles.as_ref().expect("puzzles");
    assert!(matches!(mode.puzzle, PuzzleState::Generating(_)));
    screen.press("a");
    screen.handle(AppEvent::PuzzleFound(request_id, None));
    assert!(
        screen.picture().contains("No puzzle was found"),
        "{}",
        screen.picture()
    );
    screen.press("Esc");
    assert!(screen.model.puzzles.is_none());
}

/// Returns the key of a ply of the solution.
fn solution_key(puzzle: &Puzzle, index: usize) -> String {
    let (side, mv) = puzzle.solution_plies()[index];
    mv.text(side)
}

/// Lets time pass until no animation runs.
fn finish_animations(screen: &mut TestScreen) {
    while screen.model.animation.is_some() {
        let later = screen.model.now + Duration::from_mins(1);
        screen.handle(AppEvent::Tick(later));
    }
}

#[test]
fn a_puzzle_of_several_moves_goes_on_after_the_replies_of_the_opponent() {
    let puzzle = puzzle_of_several_moves();
    for speed in [AnimationSpeed::Instant, AnimationSpeed::Normal] {
        let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
        screen.model.speed = speed;
        pose(&mut screen, puzzle);
        let to_find = puzzle.indices_to_find();
        for (number, &index) in (1..).zip(&to_find) {
            finish_animations(&mut screen);
            assert_eq!(screen.model.base_game().plies().len(), index);
            assert_eq!(score(&screen).tried, 0);
            let mode = screen.model.puzzles.as_ref().expect("puzzles");
            let task = mode.posed().expect("a puzzle").task();
            let end = format!("move {number} of {}", to_find.len());
            assert!(task.ends_with(&end), "{task}");
            screen.press(&solution_key(puzzle, index));
            let is_last = number == to_find.len();
            assert_message(&screen, if is_last { "Solved: " } else { "Right: " });
        }
        finish_animations(&mut screen);
        let played = screen.model.base_game().plies().iter();
        let played: Vec<(Side, Move)> = played.map(|ply| (ply.side, ply.mv)).collect();
        assert_eq!(played, puzzle.solution_plies());
        let expected = PuzzleScore {
            tried: 1,
            solved: 1,
            streak: 1,
        };
        assert_eq!(score(&screen), expected);
    }
}

#[test]
fn a_key_during_the_reply_of_the_opponent_is_no_try() {
    let puzzle = puzzle_of_several_moves();
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    screen.model.speed = AnimationSpeed::Normal;
    pose(&mut screen, puzzle);
    screen.press(&solution_key(puzzle, 0));
    while screen.model.animation.is_some() {
        // The key ends an animation; the board then waits for the next move to find.
        screen.press("A");
    }
    assert_eq!(score(&screen).tried, 0);
    assert_eq!(
        screen.model.base_game().plies().len(),
        puzzle.indices_to_find()[1]
    );
}

#[test]
fn a_wrong_move_counts_once_and_the_rest_of_the_answer_is_shown_on_request() {
    let puzzle = puzzle_of_several_moves();
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    pose(&mut screen, puzzle);
    screen.press(&wrong_key(puzzle));
    screen.press(&wrong_key(puzzle));
    screen.press(&solution_key(puzzle, 0));
    screen.press("F9");
    assert_message(&screen, "The answer is ");
    let expected = PuzzleScore {
        tried: 1,
        solved: 0,
        streak: 0,
    };
    assert_eq!(score(&screen), expected);
    let plies = screen.model.base_game().plies().len();
    assert_eq!(plies, puzzle.solution_plies().len());
}

/// Returns the last request for a puzzle.
fn last_request(screen: &TestScreen) -> WantedPuzzle {
    let mut effects = screen.effects.iter().rev();
    let request = effects.find_map(|effect| match effect {
        AppEffect::RequestPuzzle(_, request) => Some(request.clone()),
        _ => None,
    });
    request.expect("a request")
}

#[test]
fn difficulty_and_theme_are_chosen_in_the_menu_of_puzzles() {
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    screen.model.user.progress.rating = 1300;
    screen.press("^p");
    let picture = screen.picture();
    for text in ["Your rating: 1300.", "Difficulty: adaptive", "Theme: any"] {
        assert!(picture.contains(text), "{text} in\n{picture}");
    }
    screen.press("Enter");
    let WantedPuzzle::Chosen { ratings, .. } = last_request(&screen) else {
        panic!("another request");
    };
    assert_eq!((ratings.start().get(), ratings.end().get()), (1100, 1500));
    screen.press("Esc ^p Down Down Enter Enter Down Enter");
    assert!(screen.effects.contains(&AppEffect::SavePreferences));
    let picture = screen.picture();
    for text in ["Difficulty: medium", "Theme: capture"] {
        assert!(picture.contains(text), "{text} in\n{picture}");
    }
    screen.press("Esc t");
    let WantedPuzzle::Chosen {
        ratings, choices, ..
    } = last_request(&screen)
    else {
        panic!("another request");
    };
    assert_eq!((ratings.start().get(), ratings.end().get()), (1100, 1500));
    assert_eq!(choices.theme.map(PuzzleTheme::name), Some("capture"));
    // The puzzle of the day has a board of its own.
    screen.press("Esc ^p Down Enter");
    assert_message(&screen, "The puzzle of the day has 6 houses");
}

#[test]
fn first_try_and_the_end_of_the_puzzle_of_a_day_count() {
    let puzzle = puzzle();
    let key = puzzle.solution.text(puzzle.position.to_move());
    let steps = |screen: &TestScreen| {
        let steps = screen.effects.iter().filter_map(|effect| match effect {
            AppEffect::CountPuzzle(step) => Some(*step),
            _ => None,
        });
        steps.collect::<Vec<_>>()
    };
    let first_try = |is_solved, day| PuzzleStep::FirstTry {
        rating: puzzle.rating,
        is_solved,
        day,
    };
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    pose(&mut screen, puzzle);
    let rating = puzzle.rating;
    let picture = screen.picture().replace(" │", "");
    assert!(
        picture.contains(&format!("{rating}, yours 1000)")),
        "{picture}"
    );
    screen.press(&wrong_key(puzzle));
    assert_eq!(steps(&screen), [first_try(false, None)]);
    screen.press(&key);
    assert_eq!(steps(&screen), [first_try(false, None)]);
    let progress = PuzzleProgress::default().after(first_try(false, None));
    assert_eq!(screen.model.user.progress, progress);
    let picture = screen.picture();
    assert!(picture.contains("Your rating: "), "{picture}");

    pose(&mut screen, puzzle);
    let mode = screen.model.puzzles.as_mut().expect("puzzles");
    mode.day = Some(7);
    screen.effects.clear();
    screen.press(&wrong_key(puzzle));
    screen.press(&key);
    let ended = PuzzleStep::DayEnded {
        day: 7,
        is_solved: true,
    };
    assert_eq!(steps(&screen), [first_try(false, Some(7)), ended]);
    assert_eq!(screen.model.user.progress.days, 1);
    // The caller may know of puzzles in other windows.
    let other = PuzzleProgress {
        rating: 1234,
        ..PuzzleProgress::default()
    };
    screen.handle(AppEvent::PuzzleCounted(other));
    assert!(screen.picture().contains("1234"));
}

#[test]
fn escape_quits_a_screen_that_was_opened_for_puzzles() {
    for is_daily in [false, true] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "level:2");
        screen.handle(AppEvent::PuzzleOpened { is_daily });
        assert!(
            screen.picture().contains("Esc quit"),
            "{}",
            screen.picture()
        );
        screen.press("Esc");
        assert_eq!(screen.effects.last(), Some(&AppEffect::Quit));
    }
    // Behind the puzzles of a game that was begun on this screen there is that game.
    let mut screen = TestScreen::new("4x3", Rules::CS32, "human", "human");
    screen.handle(AppEvent::PuzzleOpened { is_daily: false });
    screen.press("n Enter t Esc");
    assert!(!screen.effects.contains(&AppEffect::Quit));
    assert!(screen.model.puzzles.is_none());
}
