//! Programs as players: their choice in the dialog, their output, and their failures.

use kalah::{Rules, Side};
use kalah_players::{EngineProtocol, ProgramOption};

use super::{TestScreen, key_named, spec, to_move};
use crate::screen::event::{AppEffect, AppEvent};
use crate::screen::model::dialog::{Dialog, NewGameField};

/// A protocol whose programs the tests never start.
static PROTOCOL: EngineProtocol = EngineProtocol {
    name: "test",
    required_rules: Some(Rules::STANDARD),
    plain_start: None,
    supports_node_limit: false,
    has_handshake: false,
    parse_option: Some(|name, value| {
        let (name, value) = (name.to_owned(), value.to_owned());
        Ok(ProgramOption { name, value })
    }),
    create: |_, _| panic!("no test starts a program"),
};

static PROTOCOLS: &[&EngineProtocol] = &[&PROTOCOL];

fn new_screen(rules: Rules, north: &str) -> TestScreen {
    let mut screen = TestScreen::new("3x2", rules, "human", north);
    screen.model.protocols = PROTOCOLS;
    screen
}

fn type_text(screen: &mut TestScreen, text: &str) {
    for character in text.chars() {
        let name = if character == ' ' {
            "Space".to_owned()
        } else {
            character.to_string()
        };
        screen.handle(AppEvent::Key(key_named(&name)));
    }
}

/// Starts a game in which North is the program `./bot`.
fn screen_with_program() -> TestScreen {
    let mut screen = new_screen(Rules::STANDARD, "level:1");
    screen.press("n Up Up Up Up Up");
    type_text(&mut screen, "cmd=./bot --fast,name=Bot");
    screen.press("Enter Tab Tab Tab Tab Tab Enter");
    screen
}

#[test]
fn a_typed_command_is_a_player_that_later_dialogs_offer() {
    let mut screen = screen_with_program();
    assert_eq!(screen.model.session.names().north, "Bot");
    let north = screen.model.session.specs().north.to_string();
    assert_eq!(north, "cmd='./bot --fast',proto=test,name=Bot");
    screen.press("n Up Up Up Up Up Right Left");
    let picture = screen.picture();
    assert!(picture.contains("Bot"), "{picture}");
    assert!(screen.model.programs.len() == 1);
}

#[test]
fn leaving_the_field_takes_the_typed_player() {
    let mut screen = new_screen(Rules::STANDARD, "level:1");
    let start_line = |screen: &TestScreen| {
        let picture = screen.picture();
        let line = picture
            .lines()
            .position(|line| line.contains("Start the game"));
        u16::try_from(line.expect("the line")).expect("a line of the screen")
    };
    for keys in [
        "Down",
        "Tab",
        "Up",
        "BackTab",
        "click beside",
        "click start",
    ] {
        screen.press("n Up Up Up Up Up");
        type_text(&mut screen, "minimax:3");
        match keys {
            "click beside" => screen.click(0, 0),
            "click start" => {
                let line = start_line(&screen);
                screen.click(40, line);
                let north = &screen.model.session.specs().north;
                assert_eq!(*north, spec("minimax:3"), "{keys}");
                return;
            }
            keys => screen.press(keys),
        }
        let Some(Dialog::NewGame(dialog)) = &screen.model.dialog else {
            panic!("{keys}: {}", screen.picture());
        };
        assert_eq!(dialog.specs.north, spec("minimax:3"), "{keys}");
        screen.press("Esc");
    }
}

#[test]
fn an_invalid_typed_player_keeps_its_field() {
    for keys in ["Down", "Tab", "Up", "BackTab", "click beside"] {
        let mut screen = new_screen(Rules::CS32, "level:1");
        screen.press("n Up Up Up Up Up");
        type_text(&mut screen, "robot");
        if keys == "click beside" {
            screen.click(0, 0);
        } else {
            screen.press(keys);
        }
        let Some(Dialog::NewGame(dialog)) = &screen.model.dialog else {
            panic!("{keys}: {}", screen.picture());
        };
        assert_eq!(dialog.field, NewGameField::North, "{keys}");
        assert_eq!(dialog.typed_player.as_deref(), Some("robot"), "{keys}");
        let error = dialog.error.as_deref().unwrap_or_default();
        assert!(error.starts_with("`robot` is not a player"), "{error}");
    }
}

#[test]
fn an_invalid_typed_player_is_refused_with_the_reason() {
    let mut screen = new_screen(Rules::CS32, "level:1");
    screen.press("n Up Up Up Up Up");
    type_text(&mut screen, "robot");
    screen.press("Enter");
    let Some(Dialog::NewGame(dialog)) = &screen.model.dialog else {
        panic!("{}", screen.picture());
    };
    let error = dialog.error.as_deref().unwrap_or_default();
    assert!(error.starts_with("`robot` is not a player"), "{error}");
    assert_eq!(dialog.specs.north, spec("level:1"));
    screen.press("Backspace Esc");
    assert!(screen.picture().contains("Level 1"), "{}", screen.picture());
}

#[test]
fn a_program_of_other_rules_cannot_start_a_game() {
    let mut screen = new_screen(Rules::CS32, "level:1");
    screen.press("n Up Up Up Up Up");
    screen.handle(AppEvent::Paste("cmd=./bot".to_owned()));
    screen.press("Enter Tab Tab Tab Tab Tab Enter");
    let Some(Dialog::NewGame(dialog)) = &screen.model.dialog else {
        panic!("{}", screen.picture());
    };
    let error = dialog.error.as_deref();
    let expected = "North: test has the rules `standard` alone (--rules standard), not `cs32`.";
    assert_eq!(error, Some(expected));
}

#[test]
fn output_of_a_program_is_shown_while_the_game_goes_on() {
    let mut screen = screen_with_program();
    let lines = vec![
        "depth 1".to_owned(),
        "\u{1b}[31mdepth 2".to_owned(),
        String::new(),
    ];
    screen.handle(AppEvent::ProgramPrinted(Side::North, lines));
    let picture = screen.picture();
    assert!(picture.contains("Bot: \\u{1b}[31mdepth 2"), "{picture}");
}

/// Lets the program fail in its first move, and returns the screen with the question.
fn failed_screen() -> TestScreen {
    let mut screen = screen_with_program();
    screen.press("C");
    let request_id = screen.last_request_id().expect("a request");
    let reason = "it ended: exit status: 1".to_owned();
    screen.handle(AppEvent::PlayerFailed(request_id, reason));
    let lines = vec!["ZeroDivisionError".to_owned()];
    screen.handle(AppEvent::ProgramPrinted(Side::North, lines));
    screen
}

#[test]
fn a_failure_shows_its_reason_and_the_output_and_starts_the_program_again() {
    let mut screen = failed_screen();
    let picture = screen.picture();
    assert!(
        picture.contains("North (Bot): it ended: exit status: 1"),
        "{picture}"
    );
    assert!(picture.contains("| ZeroDivisionError"), "{picture}");
    assert_eq!(screen.model.session.ending(), None);
    let failed = screen.last_request_id();
    screen.press("Esc");
    assert_eq!(screen.last_request_id(), failed);
    assert!(screen.picture().contains("has failed. Enter: choices."));
    screen.press("Enter Enter");
    assert!(screen.last_request_id() > failed);
    screen.computer_sows(1);
    assert!(screen.moves().starts_with("C a"), "{}", screen.moves());
}

#[test]
fn another_player_continues_for_a_program_that_has_failed() {
    for (keys, player) in [("Down Enter", "human"), ("Down Down Enter", "smart")] {
        let mut screen = failed_screen();
        let before = screen.last_request_id();
        screen.press(keys);
        assert_eq!(screen.model.session.specs().north, spec(player), "{player}");
        assert!(
            screen.effects.contains(&AppEffect::ReplacePlayers),
            "{player}"
        );
        assert_eq!(to_move(&screen), Side::North);
        assert_eq!(
            screen.last_request_id() > before,
            player == "smart",
            "{player}"
        );
        // The other player has not written the lines of the program.
        let late = vec!["Traceback".to_owned()];
        screen.handle(AppEvent::ProgramPrinted(Side::North, late));
        let picture = screen.picture();
        for line in ["ZeroDivisionError", "Traceback"] {
            assert!(!picture.contains(line), "{player}: {picture}");
        }
        let is_human = player == "human";
        assert_eq!(screen.model.side_to_input().is_some(), is_human, "{player}");
    }
}

#[test]
fn margins_are_requested_again_after_another_player_continues() {
    let mut screen = failed_screen();
    screen.press("Esc m");
    let requests = |screen: &TestScreen| {
        let effects = screen.effects.iter();
        effects
            .filter(|effect| matches!(effect, AppEffect::Analyze(..)))
            .count()
    };
    assert_eq!(requests(&screen), 1);
    screen.press("Enter Down Enter");
    assert_eq!(requests(&screen), 2);
}

#[test]
fn undo_after_a_failure_returns_to_the_persons_move() {
    let mut screen = failed_screen();
    screen.press("Esc u");
    assert_eq!(to_move(&screen), Side::South);
    assert_eq!(screen.moves(), "");
    let failed = screen.last_request_id();
    screen.press("C");
    assert!(screen.last_request_id() > failed);
}
