//! What a key must not do by accident.

use super::*;
use crate::screen::dialog::Dialog;
use std::path::PathBuf;

/// A game that is over, and one that its file has not taken, are lost like any other.
#[test]
fn a_game_is_lost_by_nothing_but_a_wish() {
    let mut played = Played::new("2x1", Rules::CS32, "human", "human");
    assert!(!played.model.is_unsaved());
    played.sow_to_the_end();
    assert!(played.model.is_unsaved());
    played.press("q");
    assert!(!played.effects.contains(&AppEffect::Quit));
    assert!(played.picture().contains("This game is not saved"));
    played.press("Esc Enter");
    assert!(played.picture().contains("This game is not saved"));
    played.press("Down Down Enter");
    assert!(matches!(played.model.dialog, Some(Dialog::NewGame(_))));
    played.press("Esc");
    played.model.record_path = Some(PathBuf::from("game.kgn"));
    assert!(!played.model.is_unsaved());
    played.take(AppEvent::Recorded(Err("the disk is full".to_owned())));
    assert_eq!(played.message(), "the disk is full");
    assert!(played.model.is_unsaved());
    played.take(AppEvent::Recorded(Ok(())));
    assert!(!played.model.is_unsaved());
}

#[test]
fn a_game_that_is_given_up_is_not_the_one_that_was_saved() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("a s Enter");
    let path = PathBuf::from("game.kgn");
    played.take(AppEvent::Saved(path, Ok(crate::SaveOutcome::Written)));
    assert!(!played.model.is_unsaved());
    played.press("F9 Down Enter");
    assert!(played.model.is_unsaved());
    played.press("u");
    assert!(!played.model.is_unsaved());
}

/// Keys that are no wish to see the sowing at once do what they say while it is shown.
#[test]
fn commands_work_while_seeds_fall() {
    for (key, works) in [
        (
            "^c",
            (|played| played.picture().contains("not saved")) as fn(&Played) -> bool,
        ),
        ("q", |played| played.picture().contains("not saved")),
        ("?", |played| played.picture().contains("choose a house")),
        ("Esc", |played| played.picture().contains("Menu")),
        ("m", |played| played.model.margins.is_shown),
        ("n", |played| played.model.dialog.is_some()),
        ("g", |played| {
            played.message() == "They wait between their turns."
        }),
        ("p", |played| played.model.pace == Pace::Fast),
        ("u", |played| {
            played.message() == "Programs take nothing back."
        }),
        ("Up", |played| played.model.viewed_plies == Some(1)),
    ] {
        let mut played = Played::new("6x4", Rules::CS32, "first", "first");
        played.model.pace = Pace::Normal;
        played.answers(1);
        played.answers(1);
        played.press("Space");
        assert_eq!(played.line(), "A a");
        assert!(played.model.animation.is_some());
        played.press(key);
        assert!(works(&played), "{key}: {}", played.picture());
    }
}

#[test]
fn enter_that_hurries_does_not_sow() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "smart");
    let later = |played: &mut Played, millis| {
        let now = played.model.now + Duration::from_millis(millis);
        played.take(AppEvent::Tick(now));
    };
    played.press("a");
    later(&mut played, 5_000);
    played.press("Enter");
    assert_eq!(played.effects.last(), Some(&AppEffect::MoveNow));
    later(&mut played, 5_000);
    played.answers(1);
    played.press("Enter");
    assert_eq!(played.line(), "A a");
    later(&mut played, 1_000);
    played.press("Enter");
    assert_eq!(played.line(), "A a F");
    // Whoever has chosen a house means it.
    played.press("Enter");
    played.answers(2);
    played.press("Enter");
    assert_eq!(played.line(), "A a F b");
    played.press("Left Enter");
    assert_eq!(played.line(), "A a F b D");
    // So it is where a sowing was seen at once.
    played.model.pace = Pace::Slow;
    played.answers(3);
    played.press("Enter Enter");
    assert_eq!(played.line(), "A a F b D c");
}

#[test]
fn a_screen_that_shows_nothing_is_left_and_not_played_on() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("a");
    played.take(AppEvent::Resized(Size::new(60, 5)));
    played.press("b Enter u n");
    assert_eq!(
        (played.line(), &played.model.dialog),
        ("A".to_owned(), &None)
    );
    assert!(
        played.picture().contains("Q quits."),
        "{}",
        played.picture()
    );
    played.press("q");
    let picture = played.picture();
    assert!(
        picture.contains("This game is not saved: Q again quits all the same."),
        "{picture}"
    );
    played.press("Esc q");
    assert!(!played.effects.contains(&AppEffect::Quit));
    played.press("q");
    assert!(played.effects.contains(&AppEffect::Quit));
}

#[test]
fn a_board_that_fits_fits_to_the_end() {
    let mut played = Played::new("26x4", Rules::CS32, "human", "human");
    played.take(AppEvent::Resized(Size::new(77, 24)));
    assert!(played.model.layout().is_none());
    played.take(AppEvent::Resized(Size::new(78, 24)));
    let before = played.model.layout().expect("room");
    // As many seeds in one house as there can be.
    let text = format!("<26,0,0,208{}> s", ",0".repeat(51));
    let filled = Played::new(&text, Rules::CS32, "human", "human");
    played.model.session = filled.model.session;
    let mut after = played.model.layout().expect("room");
    after.graph = before.graph;
    assert_eq!(after.houses, before.houses);
    assert!(played.picture().contains("208"), "{}", played.picture());
    // No game is begun that has no room.
    let mut played = Played::new("26x4", Rules::CS32, "human", "human");
    played.press("^n Up Left Left Left Left Left");
    let Some(Dialog::NewGame(form)) = &mut played.model.dialog else {
        panic!("no form");
    };
    form.seeds = 99;
    played.press("Down Enter");
    let picture = played.picture();
    assert!(
        picture.contains("That board needs a terminal of 104x7."),
        "{picture}"
    );
    assert_eq!(played.model.game().start().total().get(), 208);
}

#[test]
fn two_people_without_names_are_told_apart() {
    let mut played = Played::new("6x4", Rules::MANKALAH, "human", "human");
    let names = BySide::from_fn(|_| "Human".to_owned());
    let game = played.model.game().clone();
    played.model.session = GameSession::new(game, played.model.session.specs(), names);
    played.press("a x F9 Down Enter");
    let picture = played.picture();
    for text in [
        "North exchanges sides: whoever was South is North now.",
        "Margin of North",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
}

#[test]
fn a_name_is_edited_where_the_cursor_is() {
    for (keys, name) in [
        ("Left Left Left Left Backspace x", "gamx.kgn"),
        ("Home Delete f", "fame.kgn"),
        ("Left Left Left Left ^u b", "b.kgn"),
        ("^u ^w Delete Backspace Left", ""),
        ("Home Left a End Right b", "agame.kgnb"),
        ("^u ü Left a", "aü"),
    ] {
        let mut played = Played::new("6x4", Rules::CS32, "human", "human");
        played.press("a s");
        played.press(keys);
        // A click beside it is a slip.
        played.click(0, 0);
        let Some(Dialog::Save(save)) = &played.model.dialog else {
            panic!("nothing is saved after {keys}");
        };
        assert_eq!(save.file_name, name, "after {keys}");
    }
}

#[test]
fn all_of_a_long_text_is_seen() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("a s");
    let path = PathBuf::from("game.kgn");
    let reason = "cannot write '/srv/games/of/the/whole/family/and/their/friends/game.kgn': no room on the disk";
    played.take(AppEvent::Saved(path, Err(reason.to_owned())));
    let picture = played.picture();
    for part in ["║cannot write", "║'/srv/games/of", "no room on the disk"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    played.press("Esc");
    played.take(AppEvent::Resized(Size::new(40, 15)));
    played.press("?");
    let scroll = MouseEvent {
        kind: MouseEventKind::ScrollDown,
        column: 3,
        row: 3,
        modifiers: KeyModifiers::NONE,
    };
    let picture = played.picture();
    for part in [
        "sow that house of ║",
        "your own row, in  ║",
        "sowing order      ║",
    ] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    for _ in 0..100 {
        played.take(AppEvent::Mouse(scroll));
    }
    let picture = played.picture();
    assert!(picture.contains("leave the game"), "{picture}");
}

#[test]
fn a_click_on_nothing_does_nothing() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "smart");
    played.press("a");
    let before = played.effects.len();
    played.click(0, 0);
    assert_eq!(played.effects.len(), before);
    let mut played = Played::new("2x1", Rules::CS32, "human", "human");
    played.sow_to_the_end();
    played.click(0, 0);
    assert_eq!(played.model.dialog, None);
}
