//! The profile of the user: preferences, and the rating of finished games.

use super::*;
use crate::game::{NewGameChoices, RatingChange, RatingOutcome};
use crate::screen::model::profile::RatingRequest;

/// Returns a screen with a profile and a game on a small board.
fn screen(north: &str) -> TestScreen {
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", north);
    screen.model.user.rating = RatingRequest::Open;
    screen
}

fn requests(screen: &TestScreen) -> usize {
    let requests = screen.effects.iter();
    requests
        .filter(|effect| **effect == AppEffect::RateGame)
        .count()
}

#[test]
fn speed_margins_and_new_games_are_remembered() {
    let mut screen = screen("human");
    screen.press("p");
    assert_eq!(screen.effects.last(), Some(&AppEffect::SavePreferences));
    assert_eq!(
        screen.model.user.preferences.speed,
        Some(screen.model.speed)
    );
    screen.press("m");
    assert!(screen.model.user.preferences.shows_margins);
    screen.press("m");
    assert!(!screen.model.user.preferences.shows_margins);
    assert_eq!(screen.model.user.preferences.new_game, None);
    screen.press("n Up Right Up 3 Up 5 Up Right Up 4 Enter");
    let expected = NewGameChoices {
        players: BySide::new(spec("human").local(), spec("level:4").local()),
        rules: Rules::STANDARD,
        houses: 5,
        seeds: 3,
        clock: "1m".parse().ok(),
    };
    assert_eq!(screen.model.user.preferences.new_game, Some(expected));
    assert!(screen.effects.contains(&AppEffect::SavePreferences));
}

#[test]
fn finished_game_is_rated_once_and_shows_the_change() {
    let mut screen = screen("human");
    screen.play_to_the_end();
    assert_eq!(requests(&screen), 1);
    let change = RatingChange {
        before: 1000,
        after: 1019,
    };
    screen.handle(AppEvent::GameRated(RatingOutcome::Changed(change)));
    assert_eq!(screen.effects.last(), Some(&AppEffect::Record));
    let picture = screen.picture();
    assert!(picture.contains("Your rating: 1019 (+19)."), "{picture}");
    screen.press("u");
    screen.play_to_the_end();
    assert_eq!(requests(&screen), 1);
    screen.press("Enter");
    screen.play_to_the_end();
    assert_eq!(requests(&screen), 2);
}

#[test]
fn help_is_noted_and_named() {
    let helped_after = |keys: &str| {
        let mut screen = screen("human");
        screen.press(keys);
        screen.model.session.is_helped()
    };
    assert!(!helped_after("A"));
    assert!(!helped_after("m m A"));
    for keys in ["A u", "h", "A m", "m A"] {
        assert!(helped_after(keys), "{keys}");
    }
    // Margins at the start count once they are on the screen, although they are hidden again.
    let mut screen_of_margins = screen("human");
    screen_of_margins.press("m");
    screen_of_margins.answer_margins();
    screen_of_margins.press("m A");
    assert!(screen_of_margins.model.session.is_helped());
    let mut screen = screen("human");
    screen.play_to_the_end();
    // The review after the game is no help.
    screen.press("m");
    assert!(!screen.model.session.is_helped());
    screen.handle(AppEvent::GameRated(RatingOutcome::Helped));
    assert!(screen.picture().contains("Not rated: hints, margins"));
}

#[test]
fn players_know_before_the_game_whether_it_is_rated() {
    let picture_of = |start: &str, rules, north: &str, keys: &str| {
        let mut screen = TestScreen::new(start, rules, "human", north);
        screen.model.user.rating = RatingRequest::Open;
        screen.press(keys);
        screen.picture()
    };
    let other_board = "Not rated: levels are measured from the start";
    for (start, rules, north, text) in [
        ("6x4", Rules::CS32, "level:3", "This game is rated."),
        (
            "6x4",
            Rules::STANDARD,
            "level:3",
            "This game is rated by strengths under cs32.",
        ),
        ("6x5", Rules::CS32, "level:3", other_board),
        ("6x4", Rules::CS32, "smart", "Not rated: only games against"),
    ] {
        for keys in ["", "n"] {
            let picture = picture_of(start, rules, north, keys);
            assert!(picture.contains(text), "{text} in\n{picture}");
        }
        let picture = picture_of(start, rules, north, "a");
        assert!(!picture.contains("rated"), "{picture}");
    }
    // The board and the dialog say the same about margins.
    for keys in ["m", "m n"] {
        let picture = picture_of("6x4", Rules::CS32, "level:3", keys);
        let text = "Not rated: margins are visible.";
        assert!(picture.contains(text), "{picture}");
        assert!(!picture.contains("This game is rated"), "{picture}");
    }
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "level:3");
    screen.model.user.rating = RatingRequest::Open;
    screen.press("m");
    screen.answer_margins();
    screen.press("m");
    let picture = screen.picture();
    assert!(picture.contains("Not rated: hints, margins"), "{picture}");
    // The progress of the analysis is worth more than the reason why a game is not rated.
    let mut screen = TestScreen::new("3x3", Rules::CS32, "human", "human");
    screen.model.user.rating = RatingRequest::Open;
    screen.press("m");
    screen.answer_margins();
    let picture = screen.picture();
    assert!(picture.contains("3 of 3 moves proven"), "{picture}");
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "level:3");
    screen.press("n");
    assert!(!screen.picture().contains("rated"), "{}", screen.picture());
}
