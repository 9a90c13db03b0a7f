use super::*;
use crate::Hint;
use crate::screen::model::{Pause, ReviewState};
use kalah_engine::Review;

#[test]
fn a_program_is_asked_and_its_answer_is_played() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "smart");
    assert_eq!(played.asked(), None);
    played.press("a");
    let first = played.asked().expect("it is asked");
    // Not a house of the person whose turn it is not.
    played.press("b");
    assert_eq!(
        (played.line(), played.message()),
        ("A".to_owned(), "It is not your turn.")
    );
    // An answer to another question is none.
    played.take(AppEvent::PlayerActed(
        RequestId(first.0 + 1),
        PlayerAction::Resign,
    ));
    assert_eq!(played.line(), "A");
    played.press("Enter");
    assert_eq!(played.effects.last(), Some(&AppEffect::MoveNow));
    played.answers(1);
    assert_eq!(played.line(), "A a");
    assert!(played.effects.contains(&AppEffect::Record));
}

#[test]
fn taking_back_while_a_program_thinks_ends_its_thought() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "smart");
    played.press("a");
    let late = played.asked().expect("it is asked");
    played.press("u");
    assert!(played.effects.contains(&AppEffect::CancelMove));
    let answer = PlayerAction::Move(Move::Sow(house(1)));
    played.take(AppEvent::PlayerActed(late, answer));
    assert_eq!(played.line(), "");
    // Made again, it is asked again.
    played.press("r");
    assert_eq!(played.line(), "A");
    assert!(played.asked() > Some(late));
}

#[test]
fn a_program_that_breaks_the_rules_has_lost() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "first");
    played.press("a");
    let ticket = played.asked().expect("it is asked");
    played.take(AppEvent::PlayerActed(ticket, PlayerAction::NoMove));
    let ending = played.model.session.ending().expect("it is over");
    assert_eq!(ending.winner, Some(Side::South));
}

#[test]
fn a_hint_is_for_the_position_that_it_was_asked_for() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    let hint = Hint {
        mv: Move::Sow(house(3)),
        reason: "wins by 10".to_owned(),
    };
    played.press("h");
    let Some(AppEffect::RequestHint(ticket, _)) = played.effects.last().cloned() else {
        panic!("nobody was asked: {:?}", played.effects);
    };
    played.press("a");
    played.take(AppEvent::HintFound(ticket, Some(hint.clone())));
    assert_eq!(played.message(), "");
    played.press("u h");
    let Some(AppEffect::RequestHint(ticket, _)) = played.effects.last().cloned() else {
        panic!("nobody was asked: {:?}", played.effects);
    };
    played.take(AppEvent::HintFound(ticket, Some(hint)));
    assert_eq!(played.message(), "Hint: house C, which wins by 10.");
    played.press("Enter");
    assert_eq!(played.line(), "C");
}

#[test]
fn a_hint_does_not_take_the_cursor_out_of_a_hand() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("h Right Right");
    let ticket = played.model.pending_hint.expect("it is asked").request_id;
    let hint = Hint {
        mv: Move::Sow(house(3)),
        reason: "wins by 10".to_owned(),
    };
    let before = played.model.cursor;
    played.take(AppEvent::HintFound(ticket, Some(hint)));
    assert_eq!(played.model.cursor, before);
    assert_eq!(played.model.hinted_move, Some(Move::Sow(house(3))));
    assert_eq!(played.message(), "Hint: house C, which wins by 10.");
}

#[test]
fn margins_are_asked_for_the_position_that_is_looked_at() {
    let mut played = Played::new("3x2", Rules::CS32, "human", "human");
    let asked = |played: &Played| {
        let weighed = played.effects.iter().rev().find_map(|effect| match effect {
            AppEffect::Analyze(ticket, position) => Some((*ticket, position.clone())),
            _ => None,
        });
        weighed.expect("margins are asked for")
    };
    played.press("m");
    let (first, start) = asked(&played);
    assert_eq!(&start, played.model.game().start());
    played.press("a");
    let (second, behind) = asked(&played);
    assert_eq!(&behind, played.model.session.position());
    // What is known of the position before comes too late.
    played.take(AppEvent::Analyzed(first, report(&start)));
    assert_eq!(played.model.shown_analysis(), None);
    played.take(AppEvent::Analyzed(second, report(&behind)));
    assert!(played.model.shown_analysis().is_some());
    played.press("Up");
    assert_eq!(asked(&played).1, start);
    played.press("m");
    assert_eq!(played.effects.last(), Some(&AppEffect::StopAnalysis));
}

/// Two people who play 2x1 to its end.
fn to_the_end() -> Played {
    let mut played = Played::new("2x1", Rules::CS32, "human", "human");
    played.sow_to_the_end();
    assert!(played.model.session.ending().is_some());
    played
}

#[test]
fn a_finished_game_is_looked_back_on() {
    let mut played = to_the_end();
    let ReviewState::Running {
        request_id: ticket,
        game,
        ..
    } = played.model.review.clone()
    else {
        panic!("nobody looks back");
    };
    assert_eq!(
        played.effects.last(),
        Some(&AppEffect::Review(ticket, game.clone()))
    );
    let review = Review::from_game(&game, report);
    played.take(AppEvent::Reviewed(
        RequestId(ticket.0 + 1),
        Box::new(review.clone()),
    ));
    assert_eq!(played.model.finished_review(), None);
    played.take(AppEvent::Reviewed(ticket, Box::new(review)));
    assert!(played.model.finished_review().is_some());
    played.press("u");
    assert_eq!(played.model.session.ending(), None);
    assert_eq!(played.model.finished_review(), None);
}

#[test]
fn the_worst_sowings_are_visited_one_after_another() {
    let mut played = Played::new("3x2", Rules::CS32, "human", "human");
    played.sow_to_the_end();
    let ReviewState::Running {
        request_id: ticket,
        game,
        ..
    } = played.model.review.clone()
    else {
        panic!("nobody looks back");
    };
    let review = Review::from_game(&game, report);
    let mistakes = review.mistakes().count();
    assert!(mistakes > 1, "{mistakes}");
    played.take(AppEvent::Reviewed(ticket, Box::new(review)));
    let worst: Vec<usize> = played
        .model
        .worst_mistakes()
        .iter()
        .map(|&(plies, _)| plies)
        .collect();
    for &plies in worst.iter().chain(&worst[..1]) {
        played.press("w");
        assert_eq!(played.model.viewed_plies, Some(plies));
        assert!(
            played.picture().contains("gave away"),
            "{}",
            played.picture()
        );
    }
}

#[test]
fn two_programs_wait_between_their_turns() {
    let mut played = Played::new("6x4", Rules::CS32, "first", "first");
    played.model.pause = Pause::After(None);
    played.answers(3);
    // A bonus turn is the same turn.
    played.answers(1);
    assert_eq!(played.line(), "C A");
    let asked = played.asked();
    assert!(played.model.is_paused());
    played.press("b");
    assert_eq!(played.message(), "Enter goes on.");
    played.press("Enter");
    assert!(played.asked() > asked);
    played.answers(1);
    assert_eq!(played.line(), "C A a");
    assert!(played.model.is_paused());
    let asked = played.asked();
    played.press("g");
    assert!(!played.model.is_paused() && played.asked() > asked);
    played.answers(3);
    assert!(!played.model.is_paused());
    played.press("g");
    assert!(played.model.is_paused());
    // They have nothing to take back.
    played.press("u");
    assert_eq!(played.message(), "Programs take nothing back.");
}

#[test]
fn whoever_looks_for_the_worst_too_early_is_told() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("w");
    assert_eq!(
        played.message(),
        "The worst sowings are told once the game is over."
    );
    played.press("a F9 Down Enter w");
    assert_eq!(played.message(), "The game is still being looked back on.");
}
