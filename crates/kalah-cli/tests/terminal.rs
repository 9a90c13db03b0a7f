//! Games played by keys on a pseudo-terminal.
#![cfg(unix)]

use std::process::Command;

use kalah::{Game, House, Labels, Move, Player, Position, Rules, Side};
use kalah_engine::FirstMovePlayer;
use kalah_players::TimeLimit;
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};

/// Far more than any answer takes, in milliseconds.
const PATIENCE: u64 = 300_000;
const PROMPT: &str = "South (Marge), your house (1 to 3, or help): ";
const ESCAPE: char = '\u{1b}';

/// A terminal that knows no colours.
fn plain(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(arguments)
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        // A machine that checks changes takes colours on any terminal.
        .env_remove("CI");
    command
}

/// A terminal with colours.
fn coloured(arguments: &[&str]) -> Command {
    let mut command = plain(arguments);
    command
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor");
    command
}

fn spawn(command: Command) -> PtySession {
    spawn_command(command, Some(PATIENCE)).expect("it starts")
}

/// Everything up to the end of the program, which must be a good one.
fn rest(mut session: PtySession) -> String {
    let text = session.exp_eof().expect("it ends");
    let status = session.process().wait().expect("it has ended");
    assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
    text
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

/// What Marge types who always sows her last house, and the game as it goes.
struct Marge {
    game: Game,
}

impl Marge {
    fn new() -> Self {
        let start = Position::start(3, 2, Rules::CS32).expect("a start");
        Self {
            game: Game::new(start),
        }
    }

    /// Her next house, which is sown, and answered as First answers.
    fn types(&mut self) -> Option<String> {
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
fn a_whole_game_is_played_by_keys() {
    let mut session = spawn(plain(&AGAINST_FIRST));
    let begun = session.exp_string(PROMPT).expect("a prompt");
    for line in [
        "          First",
        "        1   2   3",
        "        2   2   2",
        "   0                 0",
        "        > Marge",
    ] {
        assert!(
            begun.contains(&format!("\r\n{line}\r\n")),
            "{line} in {begun}"
        );
    }
    for (typed, answered) in [
        (
            "seven",
            "`seven` is not a house: South's houses are 1 to 3.",
        ),
        ("7", "there is no house `7`: South's houses are 1 to 3."),
        ("", "nothing was typed."),
        ("undo", "South (Marge): there is nothing to take back."),
        ("hint", "Hint: house 2, which wins by 4."),
        (
            "help",
            "  save FILE  add the game so far to the games of FILE",
        ),
    ] {
        session.send_line(typed).expect("it listens");
        let said = session.exp_string(PROMPT).expect("a prompt");
        // This terminal does not show what is typed, and the program leaves that to terminals.
        assert!(
            answered == said.trim_end() || said.contains(&format!("\r\n{answered}")),
            "{said}"
        );
        assert!(
            !said.contains("> Marge"),
            "no board is needed after {typed}: {said}"
        );
    }

    let mut marge = Marge::new();
    let first = marge.types().expect("a house");
    for word in [&*first, "undo", "redo", "undo", &first] {
        session.send_line(word).expect("it listens");
        let said = session.exp_string(PROMPT).expect("a prompt");
        assert!(said.contains("> Marge"), "the board after {word}: {said}");
    }
    while let Some(house) = marge.types() {
        session.send_line(&house).expect("it listens");
        if marge.game.outcome().is_none() {
            session.exp_string(PROMPT).expect("a prompt");
        }
    }
    let outcome = marge.game.outcome().expect("it is over");
    let end = rest(session);
    let last = end.lines().last().expect("a line");
    assert!(last.ends_with(&outcome.to_string()), "{last}");
    assert!(!end.contains(ESCAPE), "{end:?}");
}

#[test]
fn colours_come_where_they_are_wanted() {
    let shown = |command: Command| {
        let mut session = spawn(command);
        let text = session.exp_string("or help): ").expect("a prompt");
        session.send_line("quit").expect("it listens");
        text + &rest(session)
    };
    assert!(shown(coloured(&AGAINST_FIRST)).contains("\u{1b}[1m"));
    assert!(!shown(plain(&AGAINST_FIRST)).contains(ESCAPE));
    let mut dumb = coloured(&AGAINST_FIRST);
    dumb.env("TERM", "dumb");
    assert!(!shown(dumb).contains(ESCAPE));

    let drawn = rest(spawn(coloured(&["show", "6x4"])));
    assert!(drawn.contains("\u{1b}[1m4"), "{drawn:?}");
    let json = rest(spawn(coloured(&["show", "6x4", "--json"])));
    assert!(!json.contains(ESCAPE), "{json:?}");
    assert!(!rest(spawn(plain(&["show", "6x4"]))).contains(ESCAPE));
}

#[test]
fn the_end_of_input_by_key_is_a_farewell() {
    let mut session = spawn(plain(&AGAINST_FIRST));
    session.exp_string(PROMPT).expect("a prompt");
    session.send_control('d').expect("it listens");
    let end = rest(session);
    assert!(
        end.ends_with("\r\nEnd of input: South (Marge) leaves the game.\r\nUnfinished 0-0\r\n"),
        "{end:?}"
    );
}

const PROGRAMS: [&str; 8] = [
    "play", "--plain", "--board", "3x2", "--south", "first", "--north", "first",
];
const PAUSE: &str = "Press ENTER to go on. ";

#[test]
fn two_programs_wait_for_enter_between_turns() {
    let mut session = spawn(plain(&PROGRAMS));
    let mut pauses = 0;
    // Bart moves, and then waits to be allowed to see Homer's answer.
    for (side, other) in [("South", "North"), ("North", "South")] {
        let turn = session.exp_string(PAUSE).expect("a pause");
        assert!(turn.contains(&format!("{side} (First) sows")), "{turn}");
        assert!(!turn.contains(&format!("{other} (First) sows")), "{turn}");
        session.send_line("").expect("it listens");
        pauses += 1;
    }
    assert_eq!(pauses, 2);
    session.exp_string(PAUSE).expect("a pause");
    // The end of the input is the end of the pauses, and not of the game.
    session.send_control('d').expect("it listens");
    let end = rest(session);
    assert!(!end.contains(PAUSE), "{end}");
    assert!(
        end.lines().last().expect("a line").contains(" wins "),
        "{end}"
    );
}

#[test]
fn two_programs_do_not_wait_if_they_are_told_not_to() {
    let command = plain(&[&PROGRAMS[..], &["--no-pause"]].concat());
    let all = rest(spawn(command));
    assert!(!all.contains(PAUSE), "{all}");
    assert!(
        all.lines().last().expect("a line").contains(" wins "),
        "{all}"
    );
}

#[test]
fn two_people_share_one_keyboard() {
    let arguments = [
        "play",
        "--plain",
        "--board",
        "2x2",
        "--north",
        "human",
        "--south-name",
        "Marge",
        "--north-name",
        "Homer",
    ];
    let mut session = spawn(plain(&arguments));
    // Typed ahead: each takes only the line that is for them.
    for house in ["2", "2", "quit"] {
        session.send_line(house).expect("it listens");
    }
    let all = rest(session);
    for line in [
        "South (Marge) sows house 2 (2 seeds).",
        "North (Homer) sows house 2 (3 seeds).",
        "South (Marge) leaves the game.",
    ] {
        assert!(all.contains(line), "{line} in {all}");
    }
}
