//! Saved games, and files with several games, programs and names.

use std::fs;

use super::files::{GAME, last_line, last_record, output, reach_prompt, records, start};
use crate::harness::temp_dir;

#[test]
fn saved_game_continues_and_can_be_resumed() {
    let directory = temp_dir();
    let arguments = ["play", "--board", "3x2", "--north", "first"];
    let input = "1\nsave so far.kgn\nsave .\n2\nsave so far.kgn\nquit\n";
    assert!(last_line(directory.path(), &arguments, input).starts_with("Unfinished"));
    let record = last_record(directory.path(), "so far.kgn");
    assert!(record.game().plies().len() > 2);
    assert_eq!(record.tags().get("North"), Some("First"));
    assert_eq!(
        last_line(directory.path(), &["play", "--resume", "so far.kgn"], ""),
        "Unfinished 1-0",
    );
}

#[test]
fn saving_does_not_change_other_games_and_files() {
    let directory = temp_dir();
    let path = directory.path();
    let old = "1. CF a { so far } *\n";
    let file = |name: &str, text: &str| fs::write(path.join(name), text).expect("a writable file");
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("a file");
    file("games.kgn", old);
    file("letter.txt", "Dear Homer,\n");
    let arguments = ["play", "--board", "3x2", "--north", "human"];
    // Both players save the same game.
    let input = "save games.kgn\nsave letter.txt\n1\nsave ./games.kgn\nquit\n";
    let text = output(path, &arguments, input);
    assert_eq!(text.matches("The game so far is saved in").count(), 2);
    assert!(
        text.contains("\n'letter.txt': line 1, column 3, turn 2: "),
        "{text}"
    );
    assert_eq!(read("letter.txt"), "Dear Homer,\n");
    assert!(read("games.kgn").starts_with(&format!("{old}\n[Date ")));
    let games = records(path, "games.kgn");
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].game().plies().len(), 1);

    // Another process saves another game.
    output(path, &arguments, "save games.kgn\nquit\n");
    assert_eq!(records(path, "games.kgn").len(), 3);

    // A recorded game is not saved into its own file again.
    let recording = [&arguments[..], &["--record", "games.kgn"]].concat();
    let text = output(path, &recording, "1\nsave ./games.kgn\nquit\n");
    assert!(text.contains("The game is already recorded in './games.kgn' ply by ply.\n"));
    assert_eq!(records(path, "games.kgn").len(), 4);
    assert!(read("games.kgn").starts_with(old));
}

#[test]
fn file_changed_by_another_program_is_not_overwritten() {
    let directory = temp_dir();
    let path = directory.path();
    let mut first = start(path, &GAME);
    assert!(reach_prompt(&mut first));
    let mut second = start(path, &GAME);
    assert!(reach_prompt(&mut second));
    assert_eq!(records(path, "game.kgn").len(), 2);
    let before = fs::read_to_string(path.join("game.kgn")).expect("a file");

    first.send_line("1");
    assert!(!reach_prompt(&mut first));
    assert_eq!(
        first.wait().failure(1),
        "error: cannot record in 'game.kgn': another program has changed it\n"
    );
    let after = fs::read_to_string(path.join("game.kgn")).expect("a file");
    assert_eq!(after, before);

    // The other program continues, and keeps the game of the first.
    second.send_line("1");
    assert!(reach_prompt(&mut second));
    let games = records(path, "game.kgn");
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].game().plies().len(), 1);
}

#[cfg(unix)]
#[test]
fn resume_command_is_valid_in_a_shell() {
    use std::process::Command;

    use crate::harness::{KALAH, run};

    let directory = temp_dir();
    let path = directory.path();
    fs::create_dir(path.join("a".repeat(80))).expect("a new directory");
    let long = format!("{}/game.kgn", "a".repeat(80));
    for file in ["Bob's game.kgn", "-x.kgn", &long] {
        let record = format!("--record={file}");
        let arguments = ["play", "--board", "3x2", "--north", "first", &record];
        let text = output(path, &arguments, "1\nquit\n");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("To continue this game: kalah "));
        let script = format!("\"$0\" {}", line.expect("a hint"));
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, KALAH]).current_dir(path);
        let text = run(shell).success();
        assert!(text.contains("The game continues after ply 2."), "{text}");
    }
}
