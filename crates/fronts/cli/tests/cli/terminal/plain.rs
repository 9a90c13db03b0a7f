//! `kalah play --plain` on a pseudo-terminal.

use std::process::Command;

use kalah::{Game, House, Labels, Move, Player, Position, Rules, Side, TimeLimit};
use kalah_engine::FirstMovePlayer;

use crate::harness::{args, finish_session, kalah, spawn_on_terminal};

const PROMPT: &str = "South (Marge), your house (A to C, or help): ";
const ESCAPE: char = '\u{1b}';

/// Returns a command for a terminal without colours.
pub(super) fn plain(arguments: &[&str]) -> Command {
    let mut command = kalah(arguments);
    command
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        // With `CI` any terminal gets colours.
        .env_remove("CI");
    command
}

/// Returns a command for a terminal with colours.
fn coloured(arguments: &[&str]) -> Command {
    let mut command = plain(arguments);
    command
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor");
    command
}

const AGAINST_FIRST: [&str; 8] = [
    "play",
    "--plain",
    "--board",
    "3x2",
    "--north",
    "first",
    "--south-name",
    "Marge",
];

/// A game in which South sows the last legal house and North plays `first`.
struct ScriptedGame {
    game: Game,
}

impl ScriptedGame {
    fn new() -> Self {
        let start = Position::start(3, 2, Rules::CS32).expect("a start");
        Self {
            game: Game::new(start),
        }
    }

    /// Plays the next turn of South and the reply of North. Returns the input of South.
    fn play_turn(&mut self) -> Option<String> {
        let position = self.game.position().clone();
        let house: House = position.legal_houses().next_back()?;
        self.game.play(Move::Sow(house)).expect("legal");
        while self.game.position().to_move() == Side::North {
            let limit = TimeLimit::MAX.get();
            match FirstMovePlayer::new("First").choose_move(self.game.position(), limit) {
                Some(mv) => self.game.play(mv).expect("legal"),
                None => break,
            };
        }
        Some(Labels::Columns.label(Side::South, house, position.houses()))
    }
}

#[test]
fn whole_game_is_played_by_lines() {
    let mut session = spawn_on_terminal(plain(&AGAINST_FIRST));
    let output = session.exp_string(PROMPT).expect("a prompt");
    for line in [
        "          First",
        "        c   b   a",
        "        2   2   2",
        "   0                 0",
        "        > Marge",
    ] {
        assert!(
            output.contains(&format!("\r\n{line}\r\n")),
            "{line} in {output}"
        );
    }
    for (input, response) in [
        (
            "seven",
            "`seven` is not a house: South's houses are A to C.",
        ),
        ("7", "`7` is not a house: South's houses are A to C."),
        ("", "the line is empty."),
        ("undo", "South (Marge): there is nothing to undo."),
        ("hint", "Hint: house B, which wins by 4."),
        (
            "help",
            "  save FILE      add the game so far to the games in FILE",
        ),
    ] {
        session.send_line(input).expect("an open terminal");
        let output = session.exp_string(PROMPT).expect("a prompt");
        // The pseudo-terminal does not echo the input.
        assert!(
            response == output.trim_end() || output.contains(&format!("\r\n{response}")),
            "{output}"
        );
        assert!(
            !output.contains("> Marge"),
            "no board after {input}: {output}"
        );
    }

    let mut script = ScriptedGame::new();
    let first = script.play_turn().expect("a house");
    for word in [&*first, "undo", "redo", "undo", &first] {
        session.send_line(word).expect("an open terminal");
        let output = session.exp_string(PROMPT).expect("a prompt");
        assert!(
            output.contains("> Marge"),
            "the board after {word}: {output}"
        );
    }
    while let Some(house) = script.play_turn() {
        session.send_line(&house).expect("an open terminal");
        if script.game.outcome().is_none() {
            session.exp_string(PROMPT).expect("a prompt");
        }
    }
    let outcome = script.game.outcome().expect("an outcome");
    let end = finish_session(session);
    let last = end.lines().last().expect("a line");
    assert!(last.ends_with(&outcome.to_string()), "{last}");
    assert!(!end.contains(ESCAPE), "{end:?}");
}

#[test]
fn colours_depend_on_the_terminal() {
    let output = |command: Command| {
        let mut session = spawn_on_terminal(command);
        let text = session.exp_string("or help): ").expect("a prompt");
        session.send_line("quit").expect("an open terminal");
        text + &finish_session(session)
    };
    assert!(output(coloured(&AGAINST_FIRST)).contains("\u{1b}[1m"));
    assert!(!output(plain(&AGAINST_FIRST)).contains(ESCAPE));
    let mut dumb = coloured(&AGAINST_FIRST);
    dumb.env("TERM", "dumb");
    assert!(!output(dumb).contains(ESCAPE));

    let drawn = finish_session(spawn_on_terminal(coloured(&["show", "6x4"])));
    assert!(drawn.contains("\u{1b}[1m4"), "{drawn:?}");
    let json = finish_session(spawn_on_terminal(coloured(&["show", "6x4", "--json"])));
    assert!(!json.contains(ESCAPE), "{json:?}");
    assert!(!finish_session(spawn_on_terminal(plain(&["show", "6x4"]))).contains(ESCAPE));
}

#[test]
fn ctrl_d_leaves_the_game() {
    let mut session = spawn_on_terminal(plain(&AGAINST_FIRST));
    session.exp_string(PROMPT).expect("a prompt");
    session.send_control('d').expect("an open terminal");
    let end = finish_session(session);
    assert!(
        end.ends_with("\r\nEnd of input: South (Marge) leaves the game.\r\nUnfinished 0-0\r\n"),
        "{end:?}"
    );
}

const PROGRAMS: [&str; 8] = [
    "play", "--plain", "--board", "3x2", "--south", "first", "--north", "first",
];
const PAUSE: &str = "Press ENTER to continue. ";

#[test]
fn two_programs_wait_for_enter_between_turns() {
    let mut session = spawn_on_terminal(plain(&PROGRAMS));
    let mut pauses = 0;
    // A pause follows each move.
    for (side, other) in [("South", "North"), ("North", "South")] {
        let turn = session.exp_string(PAUSE).expect("a pause");
        assert!(turn.contains(&format!("{side} (First) sows")), "{turn}");
        assert!(!turn.contains(&format!("{other} (First) sows")), "{turn}");
        session.send_line("").expect("an open terminal");
        pauses += 1;
    }
    assert_eq!(pauses, 2);
    session.exp_string(PAUSE).expect("a pause");
    // The end of the input ends the pauses, but not the game.
    session.send_control('d').expect("an open terminal");
    let end = finish_session(session);
    assert!(!end.contains(PAUSE), "{end}");
    assert!(
        end.lines().last().expect("a line").contains(" wins "),
        "{end}"
    );
}

#[test]
fn no_pause_plays_without_waiting() {
    let command = plain(&[&PROGRAMS[..], &["--no-pause"]].concat());
    let all = finish_session(spawn_on_terminal(command));
    assert!(!all.contains(PAUSE), "{all}");
    assert!(
        all.lines().last().expect("a line").contains(" wins "),
        "{all}"
    );
}

#[test]
fn two_humans_share_the_keyboard() {
    let arguments = args(
        "play --plain --board 2x2 --north human \
         --south-name Marge --north-name Homer",
    );
    let mut session = spawn_on_terminal(plain(&arguments));
    // Typed ahead: each player reads one line.
    for house in ["2", "2", "quit"] {
        session.send_line(house).expect("an open terminal");
    }
    let all = finish_session(session);
    for line in [
        "South (Marge) sows house B (2 seeds).",
        "North (Homer) sows house a (3 seeds).",
        "South (Marge) leaves the game.",
    ] {
        assert!(all.contains(line), "{line} in {all}");
    }
}
