//! Requests to the workers, and their responses.

use kalah::Game;

use super::*;
use crate::screen::model::Pause;
use crate::screen::model::review::{GameReview, ReviewState};
use kalah_text::Hint;

#[test]
fn the_move_of_a_program_is_requested_and_played() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    assert_eq!(screen.last_request_id(), None);
    screen.press("a");
    let first = screen.last_request_id().expect("a request");
    // The person cannot move in the turn of the program.
    screen.press("b");
    assert_eq!(
        (screen.moves(), screen.message()),
        ("A".to_owned(), "It is not your turn.")
    );
    // A response to another request is dropped.
    screen.handle(AppEvent::PlayerActed(
        WorkerRequestId(first.0 + 1),
        PlayerAction::Resign,
    ));
    assert_eq!(screen.moves(), "A");
    screen.press("Enter");
    assert_eq!(screen.effects.last(), Some(&AppEffect::MoveNow));
    screen.computer_sows(1);
    assert_eq!(screen.moves(), "A a");
    assert!(screen.effects.contains(&AppEffect::Record));
}

#[test]
fn undo_cancels_the_requested_move() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    screen.press("a");
    let cancelled = screen.last_request_id().expect("a request");
    screen.press("u");
    assert!(screen.effects.contains(&AppEffect::CancelMove));
    let action = PlayerAction::Move(Move::Sow(house(1)));
    screen.handle(AppEvent::PlayerActed(cancelled, action));
    assert_eq!(screen.moves(), "");
    // After the redo, the move is requested again.
    screen.press("r");
    assert_eq!(screen.moves(), "A");
    assert!(screen.last_request_id() > Some(cancelled));
}

#[test]
fn a_program_without_a_move_loses() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "first");
    screen.press("a");
    let request_id = screen.last_request_id().expect("a request");
    screen.handle(AppEvent::PlayerActed(request_id, PlayerAction::NoMove));
    let ending = screen.model.session.ending().expect("an ending");
    assert_eq!(ending.winner, Some(Side::South));
}

#[test]
fn a_hint_for_an_earlier_position_is_dropped() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    let hint = Hint {
        mv: Move::Sow(house(3)),
        reason: "wins by 10".to_owned(),
    };
    screen.press("h");
    let Some(AppEffect::RequestHint(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a hint: {:?}", screen.effects);
    };
    screen.press("a");
    screen.handle(AppEvent::HintFound(request_id, Some(hint.clone())));
    assert_eq!(screen.message(), "");
    screen.press("u h");
    let Some(AppEffect::RequestHint(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a hint: {:?}", screen.effects);
    };
    screen.handle(AppEvent::HintFound(request_id, Some(hint)));
    assert_eq!(screen.message(), "Hint: house C, which wins by 10.");
    screen.press("Enter");
    assert_eq!(screen.moves(), "C");
}

#[test]
fn a_hint_leaves_a_moved_cursor_in_place() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("h Right Right");
    let pending = screen.model.pending_hint.as_ref();
    let request_id = pending.expect("a request").request_id;
    let hint = Hint {
        mv: Move::Sow(house(3)),
        reason: "wins by 10".to_owned(),
    };
    let before = screen.model.cursor;
    screen.handle(AppEvent::HintFound(request_id, Some(hint)));
    assert_eq!(screen.model.cursor, before);
    let hinted = screen.model.hint.as_ref().map(|(_, mv)| *mv);
    assert_eq!(hinted, Some(Move::Sow(house(3))));
    assert_eq!(screen.message(), "Hint: house C, which wins by 10.");
}

#[test]
fn margins_belong_to_the_viewed_position() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    let last_analysis = |screen: &TestScreen| {
        let request = screen.effects.iter().rev().find_map(|effect| match effect {
            AppEffect::Analyze(request_id, position) => Some((*request_id, position.clone())),
            _ => None,
        });
        request.expect("a request for margins")
    };
    screen.press("m");
    let (first, start) = last_analysis(&screen);
    assert_eq!(&start, screen.model.game().start());
    screen.press("a");
    let (second, position) = last_analysis(&screen);
    assert_eq!(&position, screen.model.session.position());
    // A report about an earlier position is dropped.
    screen.handle(AppEvent::Analyzed(first, report(&start)));
    assert_eq!(screen.model.shown_analysis(), None);
    screen.handle(AppEvent::Analyzed(second, report(&position)));
    assert!(screen.model.shown_analysis().is_some());
    screen.press("Up");
    assert_eq!(last_analysis(&screen).1, start);
    screen.press("m");
    assert_eq!(screen.effects.last(), Some(&AppEffect::StopAnalysis));
}

/// Returns the request of the review that is running, and its game.
fn running_review(screen: &TestScreen) -> (WorkerRequestId, Game) {
    let ReviewState::Running {
        request_id, game, ..
    } = screen.model.review.clone()
    else {
        panic!("no running review");
    };
    (request_id, game)
}

#[test]
fn a_finished_game_is_reviewed() {
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    let (request_id, game) = running_review(&screen);
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::Review(request_id, game.clone()))
    );
    let reports = reports(&game, report);
    screen.handle(AppEvent::Reviewed(
        WorkerRequestId(request_id.0 + 1),
        reports.clone(),
    ));
    assert_eq!(screen.model.finished_review(), None);
    screen.handle(AppEvent::Reviewed(request_id, reports));
    assert!(screen.model.finished_review().is_some());
    screen.press("u");
    assert_eq!(screen.model.session.ending(), None);
    assert_eq!(screen.model.finished_review(), None);
}

#[test]
fn the_biggest_mistakes_are_shown_in_a_cycle() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    let (request_id, game) = running_review(&screen);
    screen.handle(AppEvent::Reviewed(request_id, reports(&game, report)));
    let review = screen.model.finished_review();
    let mistakes = review.map(GameReview::biggest_mistakes).expect("a review");
    assert!(mistakes.len() > 1, "{mistakes:?}");
    let worst: Vec<usize> = mistakes.iter().map(|&(plies, _)| plies).collect();
    for &plies in worst.iter().chain(&worst[..1]) {
        screen.press("w");
        assert_eq!(screen.model.viewed_plies, Some(plies));
        assert!(
            screen.picture().contains("Better: "),
            "{}",
            screen.picture()
        );
    }
}

#[test]
fn the_opening_of_a_tournament_is_not_graded() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    screen.model.session.set_opening_plies(2);
    let (request_id, game) = running_review(&screen);
    let whole = GameReview::new(game.clone(), reports(&game, report), 0);
    assert!(whole.biggest_mistakes().iter().any(|&(plies, _)| plies < 2));
    screen.handle(AppEvent::Reviewed(request_id, reports(&game, report)));
    let review = screen.model.finished_review().expect("a review");
    assert!(
        review
            .biggest_mistakes()
            .iter()
            .all(|&(plies, _)| plies >= 2)
    );
    screen.press("Home");
    let picture = screen.picture();
    assert!(
        picture.contains("A is a move of the opening of the tournament"),
        "{picture}"
    );
}

#[test]
fn ply_of_a_player_ends_the_opening_of_a_tournament() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("C F a");
    screen.model.session.set_opening_plies(3);
    screen.press("u u");
    assert_eq!(screen.model.session.opening_plies(), 1);
    screen.press("A");
    assert_eq!(screen.model.session.opening_plies(), 1);
}

#[test]
fn two_programs_pause_between_turns() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "first", "first");
    screen.model.pause = Pause::After(None);
    screen.computer_sows(3);
    // A bonus turn belongs to the same turn.
    screen.computer_sows(1);
    assert_eq!(screen.moves(), "C A");
    let paused = screen.last_request_id();
    assert!(screen.model.is_paused());
    screen.press("b");
    assert_eq!(screen.message(), "The game is paused. Enter: next turn.");
    screen.press("Enter");
    assert!(screen.last_request_id() > paused);
    screen.computer_sows(1);
    assert_eq!(screen.moves(), "C A a");
    assert!(screen.model.is_paused());
    let paused = screen.last_request_id();
    screen.press("g");
    assert!(!screen.model.is_paused() && screen.last_request_id() > paused);
    screen.computer_sows(3);
    assert!(!screen.model.is_paused());
    screen.press("g");
    assert!(screen.model.is_paused());
    screen.press("u");
    assert_eq!(screen.message(), "A game between two programs has no undo.");
}

#[test]
fn the_biggest_mistakes_need_a_finished_review() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("w");
    assert_eq!(
        screen.message(),
        "The biggest mistakes are listed after the game."
    );
    screen.press("a F9 Down Enter w");
    assert_eq!(
        screen.message(),
        "The mistakes are known after the analysis: 0 of 2."
    );
}

#[test]
fn result_stays_in_view_beside_a_long_summary() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    let session = &screen.model.session;
    let names = ["Marge", "Homer"].map(|name| format!("{name} {}", "with a long name ".repeat(2)));
    let [south, north] = names;
    let names = BySide::new(south, north);
    screen.model.session = GameSession::new(session.game().clone(), session.specs().clone(), names);
    screen.press("a b F9 Down Enter");
    let (request_id, game) = running_review(&screen);
    screen.handle(AppEvent::Reviewed(request_id, reports(&game, report)));
    assert!(screen.model.finished_review().is_some());
    for height in [22, 23, 24, 30] {
        screen.model.size = Size::new(48, height);
        let picture = screen.picture();
        assert!(picture.contains("by resignation"), "{picture}");
    }
}

#[test]
fn margins_and_the_review_agree() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    let (request_id, game) = running_review(&screen);
    // The review has only analyzed for a short time.
    let unproven = |position: &Position| {
        let limits = kalah_engine::Limits {
            depth: Some(1),
            nodes: Some(1),
            ..kalah_engine::Limits::default()
        };
        kalah_engine::Engine::new().analyze(position, limits, &|| Duration::ZERO)
    };
    screen.handle(AppEvent::Reviewed(request_id, reports(&game, unproven)));
    screen.press("Home m");
    let is_proven = |screen: &TestScreen| {
        let review = screen.model.finished_review().expect("a review").review();
        review.plies[0].cost.is_exact()
    };
    assert!(!is_proven(&screen));
    // The board shows at once what the review knows.
    assert!(screen.model.shown_analysis().is_some());
    let Some(AppEffect::Analyze(request_id, position)) = screen.effects.last().cloned() else {
        panic!("no request for margins: {:?}", screen.effects);
    };
    let proven = report(&position);
    screen.handle(AppEvent::Analyzed(request_id, proven.clone()));
    assert!(is_proven(&screen));
    // A report that proves less changes nothing.
    screen.handle(AppEvent::Analyzed(request_id, unproven(&position)));
    assert_eq!(screen.model.shown_analysis(), Some(&proven));
    assert!(is_proven(&screen));
}
