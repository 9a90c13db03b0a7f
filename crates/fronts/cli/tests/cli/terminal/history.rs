//! Games that are kept without `--record`: after a closed terminal, a kill, and a signal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kalah::record::Record;

use super::emulator::Emulator;
use super::plain::plain;
use crate::harness::{args, finish_session, kalah, run, spawn_on_terminal, temp_dir, wait_until};

/// The exit code after SIGHUP.
const CLOSED_TERMINAL: i32 = 129;

/// The arguments of a game of two people on the screen.
const TWO_PEOPLE: &str = "play --north human --clock 5m";

/// The prompts after one and after two moves of it.
const NORTH: &str = "North (Human): your house";

/// The prompt in plain mode.
const PROMPT: &str = "your house (A to F, or help): ";

/// The numbers of plies of no kept games.
const NOTHING: [Vec<usize>; 2] = [Vec::new(), Vec::new()];

/// Starts a game on the screen, and sows house A.
fn screen_after_first_ply(directory: &Path, arguments: &str) -> Emulator {
    let mut screen = Emulator::start(directory, arguments);
    screen.wait_for("your house");
    screen.press("a");
    screen.wait_for(NORTH);
    screen
}

/// Returns the folder of the history below the folder of data of a test.
fn history_folder(directory: &Path) -> PathBuf {
    directory.join("data/kalah/history")
}

/// Returns the numbers of plies of the games of a record file, which must be valid.
fn plies_of(path: &Path) -> Vec<usize> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let records = Record::parse_all(&text).expect("valid games");
    let plies = records.iter().map(|record| record.game().plies().len());
    plies.collect()
}

/// Returns the numbers of plies of the closed games, and of the games that have their own files.
fn kept_plies(directory: &Path) -> [Vec<usize>; 2] {
    let folder = history_folder(directory);
    let entries = fs::read_dir(&folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let own = paths
        .filter(|path| path.is_dir())
        .flat_map(|path| plies_of(&path.join("game.kgn")));
    [plies_of(&folder.join("games.kgn")), own.collect()]
}

#[test]
fn game_goes_on_after_a_closed_terminal_and_after_a_kill() {
    let directory = temp_dir();
    let directory = directory.path();
    let screen = screen_after_first_ply(directory, TWO_PEOPLE);
    assert_eq!(screen.close().code(), Some(CLOSED_TERMINAL));
    assert_eq!(kept_plies(directory), [vec![1], vec![]]);

    // A notice leads to the game, which another process loses.
    let mut screen = Emulator::start(directory, "play --north human");
    screen.wait_for("Your last game is unfinished: Ctrl-G and Enter");
    screen.press("\u{7}");
    screen.wait_for("unfinished, 1 ply");
    screen.press("\r");
    screen.wait_for(NORTH);
    screen.press("b");
    screen.wait_for("South (Human): your house");
    wait_until("two plies are written", || kept_plies(directory)[1] == [2]);
    screen.kill();
    assert_eq!(kept_plies(directory), [vec![1], vec![2]]);

    // The clocks are those of the last ply.
    let mut screen = Emulator::start(directory, "play --continue");
    screen.wait_until("the clocks", |screen| {
        screen.contains("2. ") || screen.contains("4:5") && screen.contains("1. A")
    });
    assert_eq!(kept_plies(directory), [vec![2], vec![]]);
    screen.press("u");
    screen.wait_for("Undone: 1 move.");
    screen.press("a");
    screen.wait_for("South (Human): your house");
    screen.quit();
    assert_eq!(kept_plies(directory), [vec![2], vec![]]);
    let text = fs::read_to_string(history_folder(directory).join("games.kgn")).expect("a file");
    for part in [
        "1. A { [%clk 0:05:00] } 1... a { [%clk 0:0",
        "[TimeControl \"5m\"]",
        "[SouthTimeLeft \"",
        "[Date \"20",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn two_windows_keep_their_games_apart() {
    let directory = temp_dir();
    let directory = directory.path();
    let mut one = Emulator::start(directory, TWO_PEOPLE);
    let mut other = Emulator::start(directory, TWO_PEOPLE);
    for screen in [&mut one, &mut other] {
        screen.wait_for("your house");
        screen.press("a");
        screen.wait_for(NORTH);
    }
    one.press("b");
    one.wait_for("South (Human): your house");
    wait_until("both are written", || {
        let mut plies = kept_plies(directory)[1].clone();
        plies.sort_unstable();
        plies == [1, 2]
    });
    one.quit();
    other.quit();
    assert_eq!(kept_plies(directory), [vec![2, 1], vec![]]);
}

#[test]
fn nothing_is_kept_without_a_history() {
    for arguments in [
        "play --north human --no-history",
        "play --north human --record game.kgn",
    ] {
        let directory = temp_dir();
        let screen = screen_after_first_ply(directory.path(), arguments);
        assert_eq!(screen.close().code(), Some(CLOSED_TERMINAL));
        assert_eq!(kept_plies(directory.path()), NOTHING, "{arguments}");
    }
    let mut command = kalah(args("play --continue"));
    let error = run(&mut command).failure(2);
    let expected = "error: --continue needs the history, which is switched off\n";
    assert_eq!(error, expected);
}

/// Returns plain mode with the history in a folder.
fn plain_with_history(arguments: &str, directory: &Path) -> Command {
    let mut command = plain(&args(arguments));
    command
        .env("KALAH_HISTORY", "true")
        .env("XDG_DATA_HOME", directory.join("data"));
    command
}

#[test]
fn plain_game_goes_on_after_a_signal() {
    let directory = temp_dir();
    let directory = directory.path();
    let start = "play --plain --north first";
    let mut session = spawn_on_terminal(plain_with_history(start, directory));
    session.exp_string(PROMPT).expect("a prompt");
    session.send_line("C").expect("an open terminal");
    session.exp_string(PROMPT).expect("a second prompt");
    session.send_control('c').expect("an open terminal");
    let text = "To continue this game: kalah play --continue";
    session.exp_string(text).expect("the message");
    session.exp_eof().expect("the end of the program");
    assert!(kept_plies(directory)[1][0] > 0);

    let mut session = spawn_on_terminal(plain_with_history(start, directory));
    session
        .exp_string("Your last game is unfinished. To continue it: kalah play --continue")
        .expect("a notice");
    session.exp_string(PROMPT).expect("a prompt");
    session.send_line("quit").expect("an open terminal");
    finish_session(session);

    let again = "play --plain --continue";
    let mut session = spawn_on_terminal(plain_with_history(again, directory));
    session
        .exp_string("The game continues after ply 1.")
        .expect("the game");
    session.exp_string(PROMPT).expect("a prompt");
    session.send_line("resign").expect("an open terminal");
    finish_session(session);
    assert_eq!(kept_plies(directory), [vec![1], vec![]]);
    let mut none = plain_with_history(again, directory);
    let error = run(&mut none).failure(2);
    assert_eq!(error, "error: the history has no unfinished game\n");
}

#[test]
fn plain_game_against_a_level_is_rated_without_help() {
    let directory = temp_dir();
    let directory = directory.path();
    let start = "play --plain --north level:1";
    for (line, text) in [
        ("resign", "Your rating: 970 (-30)"),
        ("hint", "Not rated: a hint or undo was used."),
    ] {
        let mut session = spawn_on_terminal(plain_with_history(start, directory));
        session.exp_string("This game is rated.").expect("the note");
        for line in ["C", line, "resign"] {
            session.exp_string(PROMPT).expect("a prompt");
            session.send_line(line).expect("an open terminal");
            if line == "resign" {
                break;
            }
        }
        session.exp_string(text).expect("the rating");
        finish_session(session);
    }
    let games = history_folder(directory).join("games.kgn");
    let games = fs::read_to_string(games).expect("a file");
    for tag in ["[Rating \"1000 970\"]", "[Helped \"yes\"]"] {
        assert!(games.contains(tag), "{tag} in {games}");
    }
}

#[test]
fn piped_input_keeps_no_game() {
    let directory = temp_dir();
    let mut command = plain_with_history("play --plain --north first", directory.path());
    let output = crate::harness::run_with_input(&mut command, "C\nquit\n");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(kept_plies(directory.path()), NOTHING);
}

#[test]
fn damaged_history_is_a_warning_that_names_the_file_of_the_game() {
    let directory = temp_dir();
    let directory = directory.path();
    let folder = history_folder(directory);
    fs::create_dir_all(&folder).expect("a folder");
    let damaged = "1. A A A A *\n";
    fs::write(folder.join("games.kgn"), damaged).expect("a write");
    let start = "play --plain --north first";
    let mut session = spawn_on_terminal(plain_with_history(start, directory));
    session
        .exp_string("The history takes no games, which stay in folders of")
        .expect("a notice");
    session.exp_string(PROMPT).expect("a prompt");
    session.send_line("C").expect("an open terminal");
    session.exp_string(PROMPT).expect("a second prompt");
    session.send_line("resign").expect("an open terminal");
    session
        .exp_string("warning: the history takes no games")
        .expect("a warning");
    session.exp_string("game.kgn").expect("the file");
    finish_session(session);

    // A game of a file opens, and the screen ends without an error.
    fs::write(directory.join("one.kgn"), "1. CF a *\n").expect("a write");
    let mut screen = Emulator::start(directory, TWO_PEOPLE);
    screen.wait_for("The history takes no games");
    screen.press("\r");
    screen.wait_until("no dialog", |screen| !screen.contains("takes no games"));
    screen.press("a");
    screen.wait_for(NORTH);
    screen.press("o");
    screen.wait_for("one.kgn");
    screen.press("\r");
    screen.wait_for("1. CF");
    screen.quit();
    let games = fs::read_to_string(folder.join("games.kgn"));
    assert_eq!(games.expect("a file"), damaged);
    let entries = fs::read_dir(&folder).expect("a folder");
    let own = entries.map(|entry| entry.expect("an entry").path().join("game.kgn"));
    assert_eq!(own.filter(|path| path.is_file()).count(), 2);
}

#[test]
fn undone_plies_can_be_redone_after_a_restart() {
    let directory = temp_dir();
    let directory = directory.path();
    let mut screen = screen_after_first_ply(directory, TWO_PEOPLE);
    screen.press("b");
    screen.wait_for("South (Human): your house");
    screen.press("uu");
    wait_until("no ply is left", || kept_plies(directory)[1] == [0]);
    assert_eq!(screen.close().code(), Some(CLOSED_TERMINAL));

    // On the screen, from the list, and in plain mode.
    let mut screen = Emulator::start(directory, "play --continue");
    screen.wait_for("your house");
    screen.press("r");
    screen.wait_for(NORTH);
    screen.quit();
    assert_eq!(kept_plies(directory), [vec![1], vec![]]);
    let mut screen = Emulator::start(directory, TWO_PEOPLE);
    screen.wait_for("your house");
    screen.press("l");
    screen.wait_for("unfinished, 1 ply");
    screen.press("\r");
    screen.wait_for("The game continues.");
    screen.press("r");
    screen.wait_for("1. A       b");
    screen.press("u");
    screen.wait_for(NORTH);
    screen.quit();
    let again = plain_with_history("play --plain --continue", directory);
    let mut session = spawn_on_terminal(again);
    session.exp_string("your house (a to f").expect("a prompt");
    session.send_line("redo").expect("an open terminal");
    session.exp_string("Redone: 1 move.").expect("the ply");
    session.exp_string(PROMPT).expect("a prompt");
    session.send_line("quit").expect("an open terminal");
    finish_session(session);
    assert_eq!(kept_plies(directory), [vec![2], vec![]]);
}

#[test]
fn damaged_file_of_the_history_is_named_in_its_dialog() {
    let directory = temp_dir();
    let directory = directory.path();
    let folder = history_folder(directory);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("games.kgn"), "garbage").expect("a write");
    fs::write(directory.join("data/kalah/profile.json"), "{").expect("a write");
    let mut screen = Emulator::start(directory, TWO_PEOPLE);
    // Both warnings are complete.
    screen.wait_until("two warnings", |screen| {
        screen.contains("profile.json") && screen.contains("sowing `g`")
    });
    screen.press("\r");
    screen.wait_until("no dialog", |screen| !screen.contains("sowing `g`"));
    screen.press("l");
    screen.wait_for("History: Enter opens");
    screen.wait_until("the reason", |screen| {
        screen.contains("games.kgn") && !screen.contains("There is no game yet")
    });
    screen.press("\u{1b}");
    screen.wait_until("no dialog", |screen| !screen.contains("Enter opens"));
    screen.quit();
}
