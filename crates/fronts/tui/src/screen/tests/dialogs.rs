//! Dialogs: confirmations, file names, the new game and the help.

use std::path::PathBuf;

use super::*;
use crate::screen::model::dialog::{Dialog, NewGameField};
use kalah_text::SaveOutcome;

#[test]
fn an_unsaved_game_is_lost_only_after_a_confirmation() {
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", "human");
    assert!(!screen.model.is_unsaved());
    screen.play_to_the_end();
    assert!(screen.model.is_unsaved());
    screen.press("q");
    assert!(!screen.effects.contains(&AppEffect::Quit));
    assert!(screen.picture().contains("This game is not saved"));
    screen.press("Esc");
    screen.model.record_path = Some(PathBuf::from("game.kgn"));
    assert!(!screen.model.is_unsaved());
    screen.handle(AppEvent::Recorded(Err("the disk is full".to_owned())));
    assert_eq!(screen.message(), "the disk is full");
    assert!(screen.model.is_unsaved());
    screen.handle(AppEvent::Recorded(Ok(())));
    assert!(!screen.model.is_unsaved());
}

#[test]
fn the_next_game_keeps_the_finished_one_until_it_is_saved() {
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    let moves = screen.moves();
    screen.press("Enter");
    assert_eq!(screen.moves(), "");
    assert!(screen.effects.contains(&AppEffect::StartNewGame));
    assert!(!screen.model.is_unsaved() && screen.model.has_unsaved_games());
    let kept = screen.model.unsaved_games[0].game();
    assert_eq!(kept.plies().len(), moves.split(' ').count());
    screen.press("q");
    assert!(
        screen.picture().contains("are not saved"),
        "{}",
        screen.picture()
    );
    screen.press("Esc s Enter");
    let path = PathBuf::from("game.kgn");
    screen.handle(AppEvent::Saved(path, Ok(SaveOutcome::Written)));
    assert!(!screen.model.has_unsaved_games());
}

#[test]
fn quitting_an_unsaved_game_opens_a_dialog() {
    let quits_after = |keys: &str| {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press(keys);
        let has_quit = screen.effects.contains(&AppEffect::Quit);
        (screen, has_quit)
    };
    assert!(quits_after("q").1);
    assert!(!quits_after("a q").1);
    assert!(!quits_after("a q Enter").1);
    assert!(!quits_after("a ^c").1);
    assert!(quits_after("a ^c ^c").1);
    // Ctrl-C in a dialog asks as well.
    assert!(!quits_after("a ? ^c").1);
    assert!(quits_after("a ? ^c ^c").1);
    assert!(quits_after("s ^c").1);
    // A file is opened only after a question, too.
    let (screen, _) = quits_after("a o");
    assert!(!screen.effects.contains(&AppEffect::ChooseFile));
    let (screen, _) = quits_after("a o Down Down Enter");
    assert!(screen.effects.contains(&AppEffect::ChooseFile));
    assert!(quits_after("a q Down Down Enter").1);
    let (mut screen, has_quit) = quits_after("a q Down Enter Enter");
    assert!(!has_quit);
    let path = PathBuf::from("game.kgn");
    assert_eq!(screen.effects.last(), Some(&AppEffect::Save(path.clone())));
    screen.handle(AppEvent::Saved(
        path.clone(),
        Err("the disk is full".to_owned()),
    ));
    assert!(screen.picture().contains("the disk is full"));
    screen.handle(AppEvent::Saved(path, Ok(SaveOutcome::Written)));
    assert_eq!(screen.effects.last(), Some(&AppEffect::Quit));
}

#[test]
fn the_new_game_explains_rules_and_players_and_keeps_its_values_behind_the_help() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "level:3");
    screen.press("n Up Up Up Up");
    assert!(screen.picture().contains("The game ends when the side"));
    screen.press("Right");
    let ends_early = "The game ends as soon as either row is empty";
    assert!(screen.picture().contains(ends_early));
    screen.press("?");
    assert!(screen.picture().contains("Each side has a row of houses"));
    screen.press("Left");
    assert!(screen.picture().contains("Keys, Tab: rules"));
    screen.press("Left");
    assert!(screen.picture().contains("Editor, Tab: keys"));
    screen.press("Esc");
    assert!(
        screen.picture().contains(ends_early),
        "{}",
        screen.picture()
    );
    screen.press("Up");
    assert!(screen.picture().contains("Levels from 1 to 10"));
    screen.press("Up");
    assert!(screen.picture().contains("A person at this terminal."));
    screen.press("Esc ? Tab");
    assert!(screen.picture().contains("Each side has a row of houses"));
    screen.press("Esc");
    assert!(screen.model.dialog.is_none());
}

#[test]
fn the_dialog_for_a_new_game_keeps_its_height() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "level:3");
    screen.model.size = Size::new(80, 30);
    let height = |screen: &TestScreen| {
        let picture = screen.picture();
        let lines = picture.lines().filter(|line| line.contains('║'));
        lines.count()
    };
    screen.press("n");
    let first = height(&screen);
    for keys in [
        "Up", "Up", "Up", "Up", "Right", "Right", "Right", "Up", "Right", "Up", "x", "y",
    ] {
        screen.press(keys);
        assert_eq!(height(&screen), first, "{keys}\n{}", screen.picture());
    }
}

#[test]
fn a_resigned_game_differs_from_the_saved_one() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a s Enter");
    let path = PathBuf::from("game.kgn");
    screen.handle(AppEvent::Saved(path, Ok(SaveOutcome::Written)));
    assert!(!screen.model.is_unsaved());
    screen.press("F9 Down Enter");
    assert!(screen.model.is_unsaved());
    screen.press("u");
    assert!(!screen.model.is_unsaved());
}

#[test]
fn a_screen_that_is_too_small_can_only_be_left() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a");
    screen.handle(AppEvent::Resized(Size::new(60, 5)));
    screen.press("b Enter u n");
    assert_eq!(
        (screen.moves().as_str(), screen.model.dialog.is_none()),
        ("A", true)
    );
    assert!(
        screen.picture().contains("Q quits."),
        "{}",
        screen.picture()
    );
    screen.press("q");
    let picture = screen.picture();
    assert!(
        picture.contains("This game is not saved: Q again quits without saving."),
        "{picture}"
    );
    screen.press("Esc q");
    assert!(!screen.effects.contains(&AppEffect::Quit));
    screen.press("q");
    assert!(screen.effects.contains(&AppEffect::Quit));
}

#[test]
fn the_save_dialog_suggests_the_file_that_records_the_game() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.model.record_path = Some(PathBuf::from("g1.kgn"));
    screen.press("s");
    assert!(screen.picture().contains("g1.kgn"), "{}", screen.picture());
}

#[test]
fn the_save_dialog_saves_to_the_typed_name() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a s b x Enter");
    assert_eq!(screen.effects.last(), Some(&AppEffect::Save("bx".into())));
    let path = PathBuf::from("bx");
    screen.handle(AppEvent::Saved(path, Ok(SaveOutcome::Written)));
    assert_eq!(screen.message(), "Saved to bx.");
    assert!(!screen.model.is_unsaved());
    screen.press("b");
    assert!(screen.model.is_unsaved());
}

#[test]
fn a_file_name_is_edited_at_the_cursor() {
    for (keys, name) in [
        ("Left Left Left Left Backspace x", "gamx.kgn"),
        ("Home Delete f", "fame.kgn"),
        ("Left Left Left Left ^u b", "b.kgn"),
        // The first key replaces the suggested name.
        ("m y", "my"),
        ("Backspace m y", "my"),
        ("End x", "game.kgnx"),
        ("^u ^w Delete Backspace Left", ""),
        ("Home Left a End Right b", "agame.kgnb"),
        ("^u ü Left a", "aü"),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press("a s");
        screen.press(keys);
        // A click beside the dialog does not close it.
        screen.click(0, 0);
        let Some(Dialog::Save(save)) = &screen.model.dialog else {
            panic!("no dialog to save after {keys}");
        };
        assert_eq!(save.file_name.value(), name, "after {keys}");
    }
}

#[test]
fn the_new_game_has_the_selected_values() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a n Down Down Enter");
    let Some(Dialog::NewGame(dialog)) = &screen.model.dialog else {
        panic!("no dialog for a new game");
    };
    assert_eq!(dialog.field, NewGameField::StartGame);
    // The keys change the seeds, the houses, the rules and North, from the bottom up.
    screen.press("Up Up Right Up Left Up Right Up Right Enter");
    let position = screen.model.session.position();
    assert_eq!(position.to_string(), "<5,0,0,5,5,5,5,5,5,5,5,5,5> s");
    assert_eq!(position.rules(), Rules::STANDARD);
    assert_eq!(screen.model.session.specs().north, spec("level:1"));
    assert_eq!(screen.model.session.names().north, "Level 1");
    assert_eq!(screen.model.session.names().south, "Marge");
    assert!(screen.effects.contains(&AppEffect::StartNewGame));
}

#[test]
fn small_screens_show_the_note_of_the_selected_field() {
    for (width, height) in [(40, 12), (40, 15), (30, 10), (20, 7)] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.model.size = Size::new(width, height);
        let selected = |screen: &TestScreen, field: &str| {
            let picture = screen.picture();
            assert!(picture.contains(&format!("▸ {field}")), "{picture}");
            picture
        };
        screen.press("n Up Up Up Up");
        let picture = selected(&screen, "Rules");
        assert!(picture.contains("game"), "{picture}");
        screen.press("Up");
        selected(&screen, "North");
        screen.press("c m d =");
        let picture = selected(&screen, "North");
        assert!(picture.contains("cmd=_"), "{picture}");
        screen.press("Esc F5");
        let picture = selected(&screen, "North");
        assert!(picture.contains("F5 has no"), "{picture}");
    }
}

#[test]
fn unknown_keys_of_lists_are_refused() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("Esc");
    assert!(matches!(screen.model.dialog, Some(Dialog::Menu(_))));
    screen.press("x");
    assert_eq!(screen.message(), "x has no meaning here. Esc: back.");
    assert!(matches!(screen.model.dialog, Some(Dialog::Menu(_))));
}

#[test]
fn digits_are_typed_in_the_form() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("n Up Right Right Up 1 2 Up 1 0 Up 2 Right Up 7 Enter");
    let start = screen.model.game().start();
    assert_eq!((start.houses(), start.total().get()), (10, 240));
    assert_eq!(start.rules(), Rules::STANDARD);
    assert_eq!(screen.model.session.specs().north, spec("level:7"));
    let clock = screen.model.clock.as_ref().expect("a clock");
    assert_eq!(clock.setting().to_string(), "3m+2s");
    // A move to another field ends the number.
    screen.press("n Up Up 3 Down Up 4 Enter");
    assert_eq!(screen.model.game().start().total().get(), 80);
}

#[test]
fn the_mouse_selects_in_menus_and_forms() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    // Returns the line of the screen with a text.
    let line = |screen: &TestScreen, text: &str| {
        let picture = screen.picture();
        let index = picture.lines().position(|line| line.contains(text));
        u16::try_from(index.expect("the text")).expect("a line")
    };
    screen.press("a Esc");
    let y = line(&screen, "Undo   ");
    screen.click(40, y);
    assert_eq!(
        (screen.moves().as_str(), screen.model.dialog.is_none()),
        ("", true)
    );
    screen.press("n");
    let y = line(&screen, "Seeds in each");
    screen.click(40, y);
    let y = line(&screen, "Start the game");
    screen.click(40, y);
    assert_eq!(screen.model.game().start().total().get(), 60);
    // A click beside the dialog closes it.
    screen.press("Esc");
    assert!(screen.model.dialog.is_some());
    screen.click(0, 0);
    assert!(screen.model.dialog.is_none());
}

#[test]
fn the_help_scrolls_to_its_end() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Resized(Size::new(80, 12)));
    screen.press("?");
    assert!(screen.picture().contains("↓ more"));
    for _ in 0..60 {
        screen.press("Down");
    }
    let end = screen.picture();
    assert!(
        end.contains("Ctrl-Q Ctrl-C") && !end.contains("↓ more"),
        "{end}"
    );
    screen.press("Up");
    assert!(screen.picture().contains("↓ more"));
}

#[test]
fn long_texts_are_wrapped() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a s");
    let path = PathBuf::from("game.kgn");
    let reason = "cannot write '/srv/games/of/the/whole/family/and/their/friends/game.kgn': no space on the disk";
    screen.handle(AppEvent::Saved(path, Err(reason.to_owned())));
    let picture = screen.picture();
    for part in ["║cannot write", "║'/srv/games/of", "no space on the disk"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    screen.press("Esc");
    screen.handle(AppEvent::Resized(Size::new(40, 15)));
    screen.press("?");
    let scroll = MouseEvent {
        kind: MouseEventKind::ScrollDown,
        column: 3,
        row: 3,
        modifiers: KeyModifiers::NONE,
    };
    let picture = screen.picture();
    for part in [
        "║    sow that house of the side to ",
        "║    move; in an earlier position, ",
        "║    another move                  ",
    ] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    for _ in 0..100 {
        screen.handle(AppEvent::Mouse(scroll));
    }
    let picture = screen.picture();
    assert!(picture.contains("Ctrl-Q Ctrl-C"), "{picture}");
}
