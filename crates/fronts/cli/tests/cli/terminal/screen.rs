//! The full-screen interface of `kalah play` on a pseudo-terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use kalah::record::Record;
use kalah::{Game, Move, Player as _, Position, Rules, Side};
use kalah_engine::FirstMovePlayer;
use rexpect::session::PtySession;

use super::emulator::Emulator;
use crate::harness::{
    KALAH, TIMEOUT, finish_session, kalah_in, run, spawn_on_terminal, temp_dir, wait_until,
};

/// The control sequence that opens the alternate screen.
pub(super) const ENTER_SCREEN: &str = "\u{1b}[?1049h";
/// The control sequence that closes the alternate screen.
const LEAVE_SCREEN: &str = "\u{1b}[?1049l";
/// The exit code that a shell has after SIGBUS: 128 and the number of the signal.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SIGBUS_EXIT: i32 = 128 + 7;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SIGBUS_EXIT: i32 = 128 + 10;
/// The control sequence that shows the cursor.
const SHOW_CURSOR: &str = "\u{1b}[?25h";

/// Starts `kalah` on a terminal of 80 columns and 24 lines. Files in the directory keep the modes
/// of the terminal before and after, and the process id.
pub(super) fn spawn(directory: &Path, arguments: &str) -> PtySession {
    spawn_in_locale(directory, arguments, "C.UTF-8")
}

/// Starts `kalah` in a locale, as [`spawn`] does.
pub(super) fn spawn_in_locale(directory: &Path, arguments: &str, locale: &str) -> PtySession {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!(
            "stty rows 24 cols 80; stty -g > before; sh -c 'echo $$ > pid; exec \"{KALAH}\" {arguments}'; \
             echo \"exit $?\"; stty -g > after"
        ))
        .current_dir(directory)
        .env("TERM", "xterm-256color")
        .env("LC_ALL", locale)
        .env("XDG_DATA_HOME", directory.join("data"))
        .env_remove("NO_COLOR");
    spawn_on_terminal(command)
}

/// Sends keys to the terminal.
pub(super) fn press(session: &mut PtySession, keys: &str) {
    session.send(keys).expect("an open terminal");
    session.flush().expect("an open terminal");
}

/// Waits until the screen is open and shows a board.
pub(super) fn expect_board(session: &mut PtySession) {
    session.exp_string(ENTER_SCREEN).expect("the screen");
    session.exp_string("(Human)").expect("a board");
}

/// Waits until the screen is closed, continues the stopped program, and waits for its board.
pub(super) fn continue_stopped(session: &mut PtySession, directory: &Path) {
    session
        .exp_string(LEAVE_SCREEN)
        .expect("the end of the screen");
    signal(directory, "CONT");
    expect_board(session);
}

/// Checks the exit code and that the terminal is restored. Returns the output after the screen.
pub(super) fn finish(session: PtySession, directory: &Path, exit: i32) -> String {
    let text = finish_session(session);
    let end = text.find(LEAVE_SCREEN).expect("the end of the screen");
    assert!(text[..end].contains(SHOW_CURSOR), "{text:?}");
    let end = &text[end..];
    assert!(end.contains(&format!("exit {exit}\r\n")), "{end:?}");
    let modes = |file| fs::read_to_string(directory.join(file)).expect("modes");
    assert_eq!(modes("before"), modes("after"));
    end.to_owned()
}

/// Returns the number of plies in a record file.
pub(super) fn recorded_plies(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap_or_default();
    let records = Record::parse_all(&text).expect("a complete record at every moment");
    records
        .last()
        .map_or(0, |record| record.game().plies().len())
}

pub(super) fn wait_for_plies(path: &Path, plies: usize) {
    let condition = format!("{plies} plies are recorded");
    wait_until(&condition, || recorded_plies(path) == plies);
}

/// Sends a signal to the program.
pub(super) fn signal(directory: &Path, name: &str) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} $(cat pid)")])
        .current_dir(directory)
        .status();
    assert!(sent.expect("a shell").success());
}

/// A recorded game on a board without a book, in which North thinks until it is interrupted.
const LONG_GAME: &str = "play --board 6x7 --north smart:10m --record game.kgn";

/// Starts a game that is recorded in `game.kgn`, whose path is `record`, and plays its first ply.
fn spawn_recorded_game(directory: &Path, record: &Path) -> PtySession {
    let mut session = spawn(directory, LONG_GAME);
    session.exp_string(ENTER_SCREEN).expect("the screen");
    press(&mut session, "a");
    wait_for_plies(record, 1);
    session
}

#[test]
fn whole_game_is_played_by_keys() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let arguments =
        "play --board 3x2 --north first --south-name Marge --no-animation --record game.kgn";
    let mut session = spawn(directory.path(), arguments);
    session.exp_string(ENTER_SCREEN).expect("the screen");
    session.exp_string("Marge").expect("a player");
    let start = Position::start(3, 2, Rules::CS32).expect("a start");
    let mut game = Game::new(start);
    while game.outcome().is_none() {
        let position = game.position().clone();
        let mv = match position.to_move() {
            Side::South => position.legal_houses().next_back().map(Move::Sow),
            Side::North => FirstMovePlayer::new("First").choose_move(&position, TIMEOUT),
        };
        let mv = mv.expect("a legal move");
        if position.to_move() == Side::South {
            wait_for_plies(&path, game.plies().len());
            press(&mut session, &mv.text(Side::South));
        }
        game.play(mv).expect("legal");
    }
    wait_for_plies(&path, game.plies().len());
    press(&mut session, "q");
    let end = finish(session, directory.path(), 0);
    let outcome = game.outcome().expect("an outcome");
    assert!(end.contains(&outcome.to_string()), "{end:?}");
}

#[test]
fn sigterm_restores_the_terminal_and_keeps_the_record() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let session = spawn_recorded_game(directory.path(), &path);
    signal(directory.path(), "TERM");
    let end = finish(session, directory.path(), 143);
    assert!(end.contains("error: interrupted"), "{end:?}");
    assert_eq!(recorded_plies(&path), 1);
}

#[test]
fn sighup_ends_the_screen_silently_and_keeps_the_record() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let session = spawn_recorded_game(directory.path(), &path);
    signal(directory.path(), "HUP");
    let end = finish(session, directory.path(), 129);
    assert!(!end.contains("error"), "{end:?}");
    assert_eq!(recorded_plies(&path), 1);
}

/// The system sends SIGBUS if a table file is cut off while it is in use.
#[test]
fn sigbus_restores_the_terminal() {
    let directory = temp_dir();
    let build = [
        "tables", "build", "--houses", "3", "--seeds", "4", "--dir", ".",
    ];
    run(&mut kalah_in(directory.path(), &build)).success();
    let arguments = "play --board 3x2 --tables . --north smart";
    let mut session = spawn(directory.path(), arguments);
    expect_board(&mut session);
    signal(directory.path(), "BUS");
    finish(session, directory.path(), SIGBUS_EXIT);
}

/// SIGTSTP restores the terminal before the program stops; SIGSTOP does not.
#[test]
fn stopped_program_draws_the_screen_again() {
    let directory = temp_dir();
    let mut session = spawn(directory.path(), "play --north human");
    expect_board(&mut session);
    signal(directory.path(), "TSTP");
    continue_stopped(&mut session, directory.path());
    signal(directory.path(), "STOP");
    signal(directory.path(), "CONT");
    expect_board(&mut session);
    press(&mut session, "q");
    finish(session, directory.path(), 0);
}

#[test]
fn resumed_game_after_a_resignation_opens_the_review() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let resigned = "[Position \"3x2\"]\n[Result \"*\"]\n[Termination \"resign\"]\n[Winner \"North\"]\n\n1. B *\n";
    fs::write(&path, resigned).expect("a writable file");
    let mut session = spawn(directory.path(), "play --resume game.kgn");
    session.exp_string(ENTER_SCREEN).expect("the screen");
    session.exp_string("Margin").expect("a graph");
    session.exp_string("resignation").expect("the result");
    press(&mut session, "q");
    let end = finish(session, directory.path(), 0);
    assert!(end.contains("wins by resignation"), "{end:?}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), resigned);
}

/// The exit code after SIGHUP.
const CLOSED_TERMINAL: i32 = 129;

#[test]
fn program_ends_without_a_panic_when_its_terminal_is_closed() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let mut screen = Emulator::start(directory.path(), LONG_GAME);
    screen.wait_for("your house");
    screen.press("a");
    screen.wait_until("a ply is recorded", |_| recorded_plies(&path) == 1);
    let status = screen.close();
    assert_eq!(status.code(), Some(CLOSED_TERMINAL), "{status}");
    assert_eq!(recorded_plies(&path), 1);
}

/// The control sequence that clears the screen.
pub(super) const CLEAR_SCREEN: &str = "\u{1b}[2J";
/// The query of the position of the cursor, which some terminals do not answer.
const CURSOR_QUERY: &str = "\u{1b}[6n";

#[test]
fn new_game_asks_the_terminal_nothing() {
    let directory = temp_dir();
    let mut session = spawn(directory.path(), "play --north human");
    session.exp_string(ENTER_SCREEN).expect("the screen");
    press(&mut session, "n");
    session.exp_string("Houses").expect("a dialog");
    press(&mut session, "\r");
    let start = session.exp_string(CLEAR_SCREEN).expect("a new game");
    assert!(!start.contains(CURSOR_QUERY), "{start:?}");
    press(&mut session, "q");
    let end = finish(session, directory.path(), 0);
    assert!(!end.contains(CURSOR_QUERY), "{end:?}");
}

/// Alt+[, Alt+O and a part of a mouse event begin a sequence. The screen does not wait for the rest
/// of it: a signal ends the program.
#[test]
fn incomplete_sequences_do_not_block_the_screen() {
    for keys in ["\u{1b}[", "\u{1b}O", "\u{1b}[<0;1"] {
        let directory = temp_dir();
        let mut session = spawn(directory.path(), "play --north human");
        session.exp_string("(Human)").expect("a board");
        press(&mut session, keys);
        signal(directory.path(), "TERM");
        finish(session, directory.path(), 143);
    }
}

#[test]
fn terminal_that_claims_too_many_cells_is_an_error() {
    let mut command = Command::new("sh");
    let script = format!("stty rows 65535 cols 65535; \"{KALAH}\" play; echo \"exit $?\"");
    command.args(["-c", &script]).env("TERM", "xterm-256color");
    let output = finish_session(spawn_on_terminal(command));
    let error = "error: cannot write the output: the terminal claims to have 65535x65535 cells";
    assert!(
        output.contains(error) && output.contains("exit 1"),
        "{output:?}"
    );
    assert!(!output.contains(ENTER_SCREEN), "{output:?}");
}
