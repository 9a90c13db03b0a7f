//! A game on a screen full, played by keys on a pseudo-terminal.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah::{Game, Move, Player as _, Position, Rules, Side};
use kalah_engine::FirstMovePlayer;
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};

/// Far more than any answer takes.
const PATIENCE: Duration = Duration::from_mins(5);
const OPENED: &str = "\u{1b}[?1049h";
const LEFT: &str = "\u{1b}[?1049l";
const CURSOR: &str = "\u{1b}[?25h";

/// A terminal of 80 columns and 24 lines, whose modes before and after are kept in files, as is the number of the
/// process.
fn spawn(directory: &Path, arguments: &str) -> PtySession {
    let kalah = env!("CARGO_BIN_EXE_kalah");
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!(
            "stty rows 24 cols 80; stty -g > before; sh -c 'echo $$ > number; exec \"{kalah}\" {arguments}'; \
             echo \"exit $?\"; stty -g > after"
        ))
        .current_dir(directory)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR");
    let patience = u64::try_from(PATIENCE.as_millis()).expect("some time");
    spawn_command(command, Some(patience)).expect("it starts")
}

/// Everything up to the end, where the terminal must be as it was.
fn rest(mut session: PtySession, directory: &Path, exit: i32) -> String {
    let text = session.exp_eof().expect("it ends");
    let status = session.process().wait().expect("it has ended");
    assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
    let left = text.find(LEFT).expect("the screen that was");
    assert!(
        text[..left].contains(CURSOR),
        "the cursor is shown: {text:?}"
    );
    let end = &text[left..];
    assert!(end.contains(&format!("exit {exit}\r\n")), "{end:?}");
    let modes = |file| fs::read_to_string(directory.join(file)).expect("modes");
    assert_eq!(modes("before"), modes("after"));
    end.to_owned()
}

/// The plies that are in the file by now.
fn recorded(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap_or_default();
    let records = Record::parse_all(&text).expect("a record at every moment");
    records
        .last()
        .map_or(0, |record| record.game().plies().len())
}

fn wait_for(path: &Path, plies: usize) {
    let deadline = Instant::now() + PATIENCE;
    while recorded(path) != plies {
        assert!(
            Instant::now() < deadline,
            "{plies} plies in {}",
            recorded(path)
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to the program itself.
fn signal(directory: &Path, name: &str) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} $(cat number)")])
        .current_dir(directory)
        .status();
    assert!(sent.is_ok_and(|status| status.success()), "it is there");
}

#[test]
fn a_whole_game_is_played_on_the_screen() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let arguments =
        "play --board 3x2 --north first --south-name Marge --no-animation --record game.kgn";
    let mut session = spawn(directory.path(), arguments);
    session.exp_string(OPENED).expect("the other screen");
    session.exp_string("Marge").expect("a player");
    let start = Position::start(3, 2, Rules::CS32).expect("a start");
    let mut game = Game::new(start);
    while game.outcome().is_none() {
        let position = game.position().clone();
        let mv = match position.to_move() {
            Side::South => position.legal_houses().next_back().map(Move::Sow),
            Side::North => FirstMovePlayer::new("First").choose_move(&position, PATIENCE),
        };
        let mv = mv.expect("it is not over");
        if position.to_move() == Side::South {
            wait_for(&path, game.plies().len());
            session.send(&mv.text(Side::South)).expect("it listens");
            session.flush().expect("it listens");
        }
        game.play(mv).expect("legal");
    }
    wait_for(&path, game.plies().len());
    session.send("q").expect("it listens");
    session.flush().expect("it listens");
    let end = rest(session, directory.path(), 0);
    let outcome = game.outcome().expect("it is over");
    assert!(end.contains(&outcome.to_string()), "{end:?}");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was_and_the_game_in_its_file() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let arguments = "play --north smart:10m --record game.kgn";
    let mut session = spawn(directory.path(), arguments);
    session.exp_string(OPENED).expect("the other screen");
    session.send("a").expect("it listens");
    session.flush().expect("it listens");
    wait_for(&path, 1);
    signal(directory.path(), "TERM");
    let end = rest(session, directory.path(), 130);
    assert!(end.contains("error: broken off"), "{end:?}");
    assert_eq!(recorded(&path), 1);
}

/// As a shell stops a program and lets it go on, politely and not.
#[test]
fn a_screen_that_was_stopped_is_drawn_again() {
    let directory = tempfile::tempdir().expect("a folder");
    let mut session = spawn(directory.path(), "play --north human");
    session.exp_string(OPENED).expect("the other screen");
    session.exp_string("(Human)").expect("a board");
    signal(directory.path(), "TSTP");
    session.exp_string(LEFT).expect("the screen that was");
    signal(directory.path(), "CONT");
    session.exp_string(OPENED).expect("the other screen again");
    session.exp_string("(Human)").expect("all of the board");
    signal(directory.path(), "STOP");
    signal(directory.path(), "CONT");
    session.exp_string(OPENED).expect("the other screen again");
    session.exp_string("(Human)").expect("all of the board");
    session.send("q").expect("it listens");
    session.flush().expect("it listens");
    rest(session, directory.path(), 0);
}

#[test]
fn a_game_that_was_given_up_is_looked_back_on() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let given_up = "[Position \"3x2\"]\n[Result \"*\"]\n[Termination \"resign\"]\n[Winner \"North\"]\n\n1. B *\n";
    fs::write(&path, given_up).expect("it can be written");
    let mut session = spawn(directory.path(), "play --resume game.kgn");
    session.exp_string(OPENED).expect("the other screen");
    session.exp_string("Margin").expect("a graph");
    session.exp_string("resignation").expect("how it ended");
    session.send("q").expect("it listens");
    session.flush().expect("it listens");
    let end = rest(session, directory.path(), 0);
    assert!(end.contains("wins by resignation"), "{end:?}");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), given_up);
}

#[test]
fn nothing_is_left_behind_a_terminal_that_is_closed() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let arguments = "play --north smart:10m --record game.kgn";
    let mut session = spawn(directory.path(), arguments);
    session.exp_string(OPENED).expect("the other screen");
    session.send("a").expect("it listens");
    session.flush().expect("it listens");
    wait_for(&path, 1);
    drop(session);
    let deadline = Instant::now() + PATIENCE;
    let lives = || {
        let asked = Command::new("sh")
            .args(["-c", "kill -0 $(cat number) 2> /dev/null"])
            .current_dir(directory.path())
            .status();
        asked.expect("it is asked").success()
    };
    while lives() {
        assert!(Instant::now() < deadline, "it goes on without a terminal");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(recorded(&path), 1);
}
