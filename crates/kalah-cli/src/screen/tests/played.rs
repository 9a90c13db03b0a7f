use super::*;
use crate::screen::dialog::{Dialog, NewGameField};
use std::path::PathBuf;

/// Two people on 6x4: the keys, the sowings they make, and what is said.
#[test]
fn keys_do_what_they_say() {
    for (keys, line, said) in [
        ("c", "C", ""),
        ("C f", "C F", ""),
        ("3", "C", ""),
        // North's columns are numbered from left to right as well.
        ("a 1", "A f", ""),
        ("Enter", "A", ""),
        ("Left Left Enter", "E", ""),
        ("Right Enter", "B", ""),
        ("c c", "C", "House C is empty."),
        ("7", "", ""),
        ("c u", "", "Taken back."),
        ("c u r", "C", "Made again."),
        ("c ^z ^y f Backspace", "C", "Taken back."),
        ("u", "", "There is nothing to take back."),
        ("r", "", "There is nothing to make again."),
        (
            "x",
            "",
            "Sides can be exchanged only instead of ply 2, and only under rules with a swap.",
        ),
        ("c Up a", "C", "Back to how the game stands: sow from here."),
        ("c Up a a", "C A", ""),
        ("F9 Down Enter Home a", "", "The game is over."),
        ("c Up End a", "C A", ""),
        ("c Up Down b", "C B", ""),
        ("c f Home Enter a", "C F a", ""),
        ("F9 Down Enter c", "", "The game is over."),
        ("F9 Enter c", "C", ""),
        ("F9 Esc c", "C", ""),
        ("F9 Down Enter u", "", "Taken back."),
        ("Esc Esc c", "C", ""),
        ("? Esc c", "C", ""),
        ("p", "", "Sowing on the screen: slow."),
    ] {
        let mut played = Played::new("6x4", Rules::CS32, "human", "human");
        played.press(keys);
        assert_eq!(played.line(), line, "after {keys}");
        assert_eq!(played.message(), said, "after {keys}");
    }
}

#[test]
fn letters_are_houses_before_they_are_commands() {
    // H and U are houses here, and a hint and taking back have other keys.
    let mut played = Played::new("26x2", Rules::CS32, "human", "human");
    played.press("h U");
    assert_eq!(played.line(), "H u");
    played.press("^z");
    assert_eq!(played.line(), "H");
    played.press("F2");
    assert!(matches!(
        played.effects.last(),
        Some(AppEffect::RequestHint(..))
    ));
    let keys = crate::screen::popup::help_lines(26);
    assert!(
        keys.iter().any(|(keys, _)| keys == "Ctrl-Z Backspace"),
        "{keys:?}"
    );
}

#[test]
fn the_swap_has_a_key_where_there_is_a_swap() {
    let mut played = Played::new("6x4", Rules::MANKALAH, "human", "human");
    played.press("a x");
    assert_eq!(played.line(), "A swap");
    assert_eq!(played.model.session.names_after(2)[Side::South], "Homer");
    assert_eq!(played.model.session.names_after(1)[Side::South], "Marge");
    assert_eq!(to_move(&played), Side::North);
}

#[test]
fn seeds_fall_one_by_one_until_a_key_is_pressed() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "first");
    played.model.pace = Pace::Slow;
    played.press("c");
    let sum = |played: &Played| {
        let (seeds, _) = played.model.displayed_board();
        let rows = seeds
            .rows
            .south
            .iter()
            .chain(&seeds.rows.north)
            .sum::<u32>();
        (rows + seeds.stores.south, seeds.stores.south)
    };
    // All four are in the hand, and fall one after another.
    assert_eq!(sum(&played), (44, 0));
    played.take(AppEvent::Tick(Duration::from_millis(700)));
    assert_eq!(sum(&played), (46, 0));
    played.press("Space");
    assert_eq!(sum(&played), (48, 1));
    // The bonus turn of C, and First's sowing while ours is still shown.
    played.press("a");
    played.answers(1);
    assert_eq!(played.line(), "C A");
    played.press("Space");
    assert_eq!(played.line(), "C A a");
    // Whoever presses a house to see First's sowing at once does not sow it.
    played.press("d");
    assert_eq!(played.line(), "C A a");
    played.press("d");
    assert_eq!(played.line(), "C A a D");
    // By itself it comes to an end too.
    played.answers(2);
    for seconds in 1..=20 {
        played.take(AppEvent::Tick(Duration::from_secs(seconds)));
    }
    assert_eq!(played.line(), "C A a D b");
    assert_eq!(played.model.animation, None);
}

#[test]
fn the_mouse_sows_and_looks() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    let at = |played: &Played, side: Side, index: usize| {
        let cell = played.model.layout().expect("room").houses[side][index];
        (cell.x + 1, cell.y + 1)
    };
    let (x, y) = at(&played, Side::North, 0);
    played.click(x, y);
    assert_eq!(played.message(), "House a is North's: South is to sow.");
    for (side, index) in [(Side::South, 2), (Side::South, 0), (Side::North, 1)] {
        let (x, y) = at(&played, side, index);
        played.click(x, y);
    }
    assert_eq!(played.line(), "C A b");
    let moves = played.model.layout().expect("room").moves.expect("a list");
    played.click(moves.x + 1 + 5, moves.y + 1);
    assert_eq!(played.model.viewed_ply_count(), 1);
    played.press("Esc");
    assert_eq!(played.model.viewed_plies, None);
}

#[test]
fn nobody_loses_a_game_by_a_key() {
    let quit = |before: &str| {
        let mut played = Played::new("6x4", Rules::CS32, "human", "human");
        played.press(before);
        let leaves = played.effects.contains(&AppEffect::Quit);
        (played, leaves)
    };
    assert!(quit("q").1);
    assert!(!quit("a q").1);
    assert!(!quit("a q Enter").1);
    assert!(!quit("a ^c").1);
    assert!(quit("a ^c ^c").1);
    assert!(quit("a q Down Down Enter").1);
    let (mut played, leaves) = quit("a q Down Enter Enter");
    assert!(!leaves);
    let path = PathBuf::from("game.kgn");
    assert_eq!(played.effects.last(), Some(&AppEffect::Save(path.clone())));
    played.take(AppEvent::Saved(
        path.clone(),
        Err("the disk is full".to_owned()),
    ));
    assert!(played.picture().contains("the disk is full"));
    played.take(AppEvent::Saved(path, Ok(crate::SaveOutcome::Written)));
    assert_eq!(played.effects.last(), Some(&AppEffect::Quit));
}

#[test]
fn a_name_is_typed_before_a_game_is_saved() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("a s Backspace Backspace Backspace b x Enter");
    assert_eq!(
        played.effects.last(),
        Some(&AppEffect::Save("game.bx".into()))
    );
    let path = PathBuf::from("game.bx");
    played.take(AppEvent::Saved(path, Ok(crate::SaveOutcome::Written)));
    assert_eq!(played.message(), "Saved to game.bx.");
    assert!(!played.model.is_unsaved());
    played.press("b");
    assert!(played.model.is_unsaved());
}

#[test]
fn a_new_game_is_what_was_asked_for() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.press("a n Down Down Enter");
    let Some(Dialog::NewGame(form)) = &played.model.dialog else {
        panic!("no form");
    };
    assert_eq!(form.field, NewGameField::StartGame);
    // Seeds, houses, rules and North, from below.
    played.press("Up Right Up Left Up Right Up Right Down Down Down Down Enter");
    let position = played.model.session.position();
    assert_eq!(position.to_string(), "<5,0,0,5,5,5,5,5,5,5,5,5,5> s");
    assert_eq!(position.rules(), Rules::STANDARD);
    assert_eq!(played.model.session.specs().north, spec("level:1"));
    assert_eq!(played.model.session.names().north, "Level 1");
    assert_eq!(played.model.session.names().south, "Marge");
    assert!(played.effects.contains(&AppEffect::StartNewGame));
}

#[test]
fn the_mouse_picks_from_menus_and_forms() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    // The line of the screen on which a text stands.
    let line = |played: &Played, text: &str| {
        let picture = played.picture();
        let at = picture.lines().position(|line| line.contains(text));
        u16::try_from(at.expect("it is seen")).expect("a line")
    };
    played.press("a Esc");
    let y = line(&played, "undo   ");
    played.click(40, y);
    assert_eq!(
        (played.line(), &played.model.dialog),
        (String::new(), &None)
    );
    played.press("n");
    let y = line(&played, "Seeds in each");
    played.click(40, y);
    let y = line(&played, "Begin the game");
    played.click(40, y);
    assert_eq!(played.model.game().start().total().get(), 60);
    // Beside it, it is closed.
    played.press("Esc");
    assert!(played.model.dialog.is_some());
    played.click(0, 0);
    assert_eq!(played.model.dialog, None);
}

#[test]
fn the_help_is_scrolled_to_its_end_and_no_farther() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.take(AppEvent::Resized(Size::new(80, 12)));
    played.press("?");
    assert!(played.picture().contains("↓ more"));
    for _ in 0..60 {
        played.press("Down");
    }
    let end = played.picture();
    assert!(
        end.contains("leave the game") && !end.contains("↓ more"),
        "{end}"
    );
    played.press("Up");
    assert!(played.picture().contains("↓ more"));
}
