//! Playing with keys and the mouse.

use super::*;
use crate::view::dialog::help_lines;

/// Two people play on 6x4: the keys, the moves of the game, and the message.
#[test]
fn keys_play_the_game() {
    for (keys, moves, message) in [
        ("c", "C", ""),
        ("C f", "C F", ""),
        ("3", "C", ""),
        // Columns are numbered from left to right, also for North.
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
        (
            "c Up a",
            "C",
            "Back to the current position: sow from here.",
        ),
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
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press(keys);
        assert_eq!(screen.moves(), moves, "after {keys}");
        assert_eq!(screen.message(), message, "after {keys}");
    }
}

#[test]
fn letters_of_houses_take_precedence_over_commands() {
    // H and U are houses on this board. Hint and undo have other keys.
    let mut screen = TestScreen::new("26x2", Rules::CS32, "human", "human");
    screen.press("h U");
    assert_eq!(screen.moves(), "H u");
    screen.press("^z");
    assert_eq!(screen.moves(), "H");
    screen.press("F2");
    assert!(matches!(
        screen.effects.last(),
        Some(AppEffect::RequestHint(..))
    ));
    let keys = help_lines(26);
    assert!(
        keys.iter().any(|(keys, _)| keys == "Ctrl-Z Backspace"),
        "{keys:?}"
    );
}

#[test]
fn the_swap_has_a_key() {
    let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
    screen.press("a x");
    assert_eq!(screen.moves(), "A swap");
    assert_eq!(screen.model.session.names_after(2)[Side::South], "Homer");
    assert_eq!(screen.model.session.names_after(1)[Side::South], "Marge");
    assert_eq!(to_move(&screen), Side::North);
}

#[test]
fn an_animation_sows_seed_by_seed_until_a_key_is_pressed() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "first");
    screen.model.pace = Pace::Slow;
    screen.press("c");
    let sum = |screen: &TestScreen| {
        let (seeds, _) = screen.model.displayed_board();
        let rows = seeds
            .rows
            .south
            .iter()
            .chain(&seeds.rows.north)
            .sum::<u32>();
        (rows + seeds.stores.south, seeds.stores.south)
    };
    // At the start of the animation, the four seeds are in no pit.
    assert_eq!(sum(&screen), (44, 0));
    screen.handle(AppEvent::Tick(Duration::from_millis(700)));
    assert_eq!(sum(&screen), (46, 0));
    screen.press("Space");
    assert_eq!(sum(&screen), (48, 1));
    // After the bonus turn, the move of the program arrives during the animation.
    screen.press("a");
    screen.computer_sows(1);
    assert_eq!(screen.moves(), "C A");
    screen.press("Space");
    assert_eq!(screen.moves(), "C A a");
    // A letter during the animation of a program only ends the animation.
    screen.press("d");
    assert_eq!(screen.moves(), "C A a");
    screen.press("d");
    assert_eq!(screen.moves(), "C A a D");
    // An animation ends after some time without a key.
    screen.computer_sows(2);
    for seconds in 1..=20 {
        screen.handle(AppEvent::Tick(Duration::from_secs(seconds)));
    }
    assert_eq!(screen.moves(), "C A a D b");
    assert_eq!(screen.model.animation, None);
}

#[test]
fn commands_work_during_an_animation() {
    for (key, has_worked) in [
        (
            "^c",
            (|screen| screen.picture().contains("not saved")) as fn(&TestScreen) -> bool,
        ),
        ("q", |screen| screen.picture().contains("not saved")),
        ("?", |screen| screen.picture().contains("choose a house")),
        ("Esc", |screen| screen.picture().contains("Menu")),
        ("m", |screen| screen.model.margins.is_shown),
        ("n", |screen| screen.model.dialog.is_some()),
        ("g", |screen| {
            screen.message() == "The programs wait between turns."
        }),
        ("p", |screen| screen.model.pace == Pace::Fast),
        ("u", |screen| {
            screen.message() == "A game between two programs has no undo."
        }),
        ("Up", |screen| screen.model.viewed_plies == Some(1)),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "first", "first");
        screen.model.pace = Pace::Normal;
        screen.computer_sows(1);
        screen.computer_sows(1);
        screen.press("Space");
        assert_eq!(screen.moves(), "A a");
        assert!(screen.model.animation.is_some());
        screen.press(key);
        assert!(has_worked(&screen), "{key}: {}", screen.picture());
    }
}

#[test]
fn enter_that_cuts_a_search_short_does_not_sow() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    let advance = |screen: &mut TestScreen, millis| {
        let now = screen.model.now + Duration::from_millis(millis);
        screen.handle(AppEvent::Tick(now));
    };
    screen.press("a");
    advance(&mut screen, 5_000);
    screen.press("Enter");
    assert_eq!(screen.effects.last(), Some(&AppEffect::MoveNow));
    advance(&mut screen, 5_000);
    screen.computer_sows(1);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a");
    advance(&mut screen, 1_000);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a F");
    // Enter sows at once after a move of the cursor.
    screen.press("Enter");
    screen.computer_sows(2);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a F b");
    screen.press("Left Enter");
    assert_eq!(screen.moves(), "A a F b D");
    // Enter that ends an animation does not sow either.
    screen.model.pace = Pace::Slow;
    screen.computer_sows(3);
    screen.press("Enter Enter");
    assert_eq!(screen.moves(), "A a F b D c");
}

#[test]
fn the_mouse_sows_and_selects_positions() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    let cell_of = |screen: &TestScreen, side: Side, index: usize| {
        let cell = screen.model.layout().expect("a layout").houses[side][index];
        (cell.x + 1, cell.y + 1)
    };
    let (x, y) = cell_of(&screen, Side::North, 0);
    screen.click(x, y);
    assert_eq!(screen.message(), "House a is North's: South is to sow.");
    for (side, index) in [(Side::South, 2), (Side::South, 0), (Side::North, 1)] {
        let (x, y) = cell_of(&screen, side, index);
        screen.click(x, y);
    }
    assert_eq!(screen.moves(), "C A b");
    let moves = screen
        .model
        .layout()
        .expect("a layout")
        .moves
        .expect("a list");
    screen.click(moves.x + 1 + 5, moves.y + 1);
    assert_eq!(screen.model.viewed_ply_count(), 1);
    screen.press("Esc");
    assert_eq!(screen.model.viewed_plies, None);
}

#[test]
fn a_click_beside_everything_does_nothing() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    screen.press("a");
    let before = screen.effects.len();
    screen.click(0, 0);
    assert_eq!(screen.effects.len(), before);
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    screen.click(0, 0);
    assert!(screen.model.dialog.is_none());
}
