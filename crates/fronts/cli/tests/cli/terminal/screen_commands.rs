//! Commands of the full screen that need the terminal, files, or a worker thread.

use std::fs;
use std::thread;
use std::time::Duration;

use kalah::Side;
use kalah::record::Record;

use super::emulator::Emulator;
use super::screen::{continue_stopped, finish, press, recorded_plies, spawn, spawn_in_locale};
use crate::harness::{temp_dir, wait_until};

#[test]
fn kalah_alone_suggests_a_gentle_opponent() {
    let directory = temp_dir();
    let mut screen = Emulator::start(directory.path(), "");
    screen.wait_for("Level 2");
    screen.wait_for("▸ Start the game");
    screen.press("\r");
    screen.wait_until("a game without a dialog", |text| {
        text.contains("South (Human): your house") && !text.contains("Start the game")
    });
    screen.quit();
}

#[test]
fn ctrl_z_stops_the_job_until_it_continues() {
    let directory = temp_dir();
    let mut session = spawn(directory.path(), "play --north human");
    session.exp_string("(Human)").expect("a board");
    press(&mut session, "\u{1a}");
    continue_stopped(&mut session, directory.path());
    press(&mut session, "q");
    finish(session, directory.path(), 0);
}

#[test]
fn position_is_copied_to_the_clipboard_of_the_terminal() {
    let directory = temp_dir();
    let mut session = spawn(directory.path(), "play --board 3x2 --north human");
    session.exp_string("(Human)").expect("a board");
    press(&mut session, "y");
    // The sequence contains `<3,0,0,2,2,2,2,2,2> s` in Base64.
    session
        .exp_string("\u{1b}]52;c;PDMsMCwwLDIsMiwyLDIsMiwyPiBz")
        .expect("the position");
    press(&mut session, "q");
    finish(session, directory.path(), 0);
}

#[test]
fn screen_is_ascii_in_a_locale_without_utf_8() {
    let directory = temp_dir();
    let mut session = spawn_in_locale(directory.path(), "play --north human", "C");
    session.exp_string("+-----+").expect("a box");
    press(&mut session, "q");
    let end = finish(session, directory.path(), 0);
    assert!(end.is_ascii(), "{end:?}");
    // The option has precedence over the locale.
    let mut session = spawn(directory.path(), "play --north human --ascii");
    session.exp_string("+-----+").expect("a box");
    press(&mut session, "q");
    finish(session, directory.path(), 0);
}

#[test]
fn puzzle_is_posed_and_answered() {
    let directory = temp_dir();
    let arguments = "play --board 4x3 --north human --no-animation";
    let mut screen = Emulator::start(directory.path(), arguments);
    screen.wait_for("your house");
    screen.press("t");
    screen.wait_for("(rating ");
    screen.press(F9);
    screen.wait_for("The answer is ");
    screen.press(ESCAPE);
    screen.wait_for("your house");
    screen.quit();
}

/// The sequences of keys.
const F9: &str = "\u{1b}[20~";
const DOWN: &str = "\u{1b}[B";
const ESCAPE: &str = "\u{1b}";

#[test]
fn recorded_game_is_opened_and_finished_games_are_saved_together() {
    let directory = temp_dir();
    let lost_on_time = "[Position \"3x2\"]\n[South \"Marge\"]\n[North \"Homer\"]\n[Result \"*\"]\n\
                        [Termination \"time\"]\n[Winner \"North\"]\n\n1. B *\n";
    fs::write(directory.path().join("old.kgn"), lost_on_time).expect("a writable file");
    let arguments = "play --board 2x1 --north human --no-animation --no-history";
    let mut screen = Emulator::start(directory.path(), arguments);
    screen.wait_for("your house");
    screen.press("o");
    screen.wait_for("▸ old.kgn");
    screen.press("\r");
    screen.wait_for("North (Homer) wins on time");
    // The next game on the board of the opened one is resigned.
    screen.press("\r");
    screen.wait_for("South (Marge): your house");
    screen.press("b");
    screen.wait_for("bonus turn");
    screen.press(F9);
    screen.wait_for("Resign this game?");
    screen.press(DOWN);
    screen.press("\r");
    screen.wait_for("North (Homer) wins by resignation");
    screen.press("\r");
    screen.wait_for("South (Marge): your house");
    screen.press("a");
    screen.wait_for("sows house A");
    screen.press("s");
    screen.wait_for("Saves 2 games.");
    screen.press("all.kgn\r");
    screen.wait_for("Saved to all.kgn.");
    screen.quit();
    let text = fs::read_to_string(directory.path().join("all.kgn")).expect("a file");
    let records = Record::parse_all(&text).expect("records");
    let games: Vec<_> = records
        .iter()
        .map(|record| (record.game().plies().len(), record.ending().winner))
        .collect();
    assert_eq!(games, [(1, Some(Side::North)), (1, None)], "{text}");
}

#[test]
fn clock_ends_the_game_and_its_record() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let arguments = "play --north human --clock 1s --record game.kgn --no-animation";
    let mut screen = Emulator::start(directory.path(), arguments);
    screen.wait_for("(Human)  1.0");
    screen.press("a");
    screen.wait_for("wins on time");
    screen.quit();
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains("[Termination \"time\"]"), "{text}");
    assert_eq!(recorded_plies(&path), 1);
}

#[test]
fn opened_game_is_not_copied_to_the_record() {
    let directory = temp_dir();
    let old = "[Position \"2x1\"]\n[South \"Marge\"]\n[North \"Homer\"]\n\n1. A a 2. B *\n";
    fs::write(directory.path().join("old.kgn"), old).expect("a writable file");
    let arguments = "play --board 3x2 --north human --record game.kgn --no-animation";
    let mut screen = Emulator::start(directory.path(), arguments);
    screen.wait_for("your house");
    screen.press("o");
    screen.wait_for("old.kgn");
    // The file of the record is the first one.
    screen.press(DOWN);
    screen.press("\r");
    screen.wait_for("(Marge)");
    screen.press("n");
    screen.wait_for("▸ Start the game");
    screen.press("\r");
    screen.wait_until("a game without a dialog", |text| {
        text.contains("your house") && !text.contains("Start the game")
    });
    screen.press("a");
    screen.wait_for("sows house A");
    screen.quit();
    let text = fs::read_to_string(directory.path().join("game.kgn")).expect("a file");
    let records = Record::parse_all(&text).expect("records");
    let plies: Vec<_> = records
        .iter()
        .map(|record| record.game().plies().len())
        .collect();
    // The first game has no ply, and the opened one is not there.
    assert_eq!(plies, [0, 1], "{text}");
}

#[test]
fn interrupted_progress_leaves_no_line() {
    let engines = "arena --engine level:1 --engine first --engine random --board 3x2";
    let arena = format!("{engines} --rounds 100000 --time 10s --out run");
    for (arguments, progress, line) in [
        (
            "analyze 8x8 --time 1h --tables none",
            "a second",
            "South to move",
        ),
        ("prove 8x8 --store 8x8.proof --tables none", "goal", "from"),
        (&arena, "games,", "    name"),
    ] {
        let directory = temp_dir();
        let mut screen = Emulator::start(directory.path(), arguments);
        screen.wait_for(progress);
        screen.interrupt();
        screen.wait_for("error: interrupted");
        let lines = screen.lines_with(line);
        assert!(lines.len() <= 1, "{arguments}: {lines:#?}");
    }
}

#[test]
fn key_pauses_a_tournament_and_continues_it() {
    let directory = temp_dir();
    let arguments = "arena --engine first --engine random --board 3x2 --rounds 100000 --time 10s \
                     --concurrency 1 --out run";
    let mut screen = Emulator::start(directory.path(), arguments);
    screen.wait_for("p: pause");
    assert!(screen.has_single_keys());
    screen.press("p");
    screen.wait_for("paused, p: continue");
    screen.wait_for("paused: the games in progress go on");
    let journal = directory.path().join("run/games.jsonl");
    let length = || fs::metadata(&journal).map_or(0, |file| file.len());
    let is_unchanged = || {
        let before = length();
        thread::sleep(Duration::from_millis(300));
        length() == before
    };
    wait_until("the game in progress ends", is_unchanged);
    assert!(is_unchanged());
    let paused_at = length();
    screen.press("x");
    screen.press("P");
    screen.wait_for("continued");
    screen.wait_for("p: pause");
    wait_until("a game is written", || length() > paused_at);
    screen.press("p");
    screen.wait_for("paused, p: continue");
    // Ctrl-C ends a pause, and the terminal has its settings again.
    screen.interrupt();
    screen.wait_for("error: interrupted");
    assert!(!screen.has_single_keys());
}
