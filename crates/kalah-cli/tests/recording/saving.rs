//! Several games, several programs and several names for one file.

use std::fs;

use crate::{GAME, Session, here, last_line, last_record, records, shown};

#[test]
fn saving_writes_the_game_so_far_and_the_game_goes_on() {
    let directory = here();
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
fn saving_leaves_other_games_and_other_files_as_they_are() {
    let directory = here();
    let path = directory.path();
    let old = "1. CF a { so far } *\n";
    let file = |name: &str, text: &str| fs::write(path.join(name), text).expect("written");
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("it is there");
    file("games.kgn", old);
    file("letter.txt", "Dear Homer,\n");
    let arguments = ["play", "--board", "3x2", "--north", "human"];
    // Both people save the one game.
    let input = "save games.kgn\nsave letter.txt\n1\nsave ./games.kgn\nquit\n";
    let text = shown(path, &arguments, input);
    assert_eq!(text.matches("The game so far is saved in").count(), 2);
    assert!(
        text.contains("\n'letter.txt': line 1, column 3, turn 2: "),
        "{text}"
    );
    assert_eq!(read("letter.txt"), "Dear Homer,\n");
    assert!(read("games.kgn").starts_with(&format!("{old}\n[South ")));
    let games = records(path, "games.kgn");
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].game().plies().len(), 1);

    // Another run is another game.
    shown(path, &arguments, "save games.kgn\nquit\n");
    assert_eq!(records(path, "games.kgn").len(), 3);

    // What is recorded anyway is not written twice.
    let recording = [&arguments[..], &["--record", "games.kgn"]].concat();
    let text = shown(path, &recording, "1\nsave ./games.kgn\nquit\n");
    assert!(text.contains("The game is saved in './games.kgn' already, ply by ply.\n"));
    assert_eq!(records(path, "games.kgn").len(), 4);
    assert!(read("games.kgn").starts_with(old));
}

#[test]
fn a_file_that_another_program_has_changed_is_left_as_it_is() {
    let directory = here();
    let path = directory.path();
    let mut first = Session::begin(path, &GAME);
    assert!(first.asks());
    let mut second = Session::begin(path, &GAME);
    assert!(second.asks());
    assert_eq!(records(path, "game.kgn").len(), 2);
    let before = fs::read_to_string(path.join("game.kgn")).expect("it is there");

    first.says("1");
    assert!(!first.asks());
    let output = first.child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: cannot record in 'game.kgn': another program has changed it\n"
    );
    let after = fs::read_to_string(path.join("game.kgn")).expect("it is there");
    assert_eq!(after, before);

    // The other one goes on, with the game of the first as it was.
    second.says("1");
    assert!(second.asks());
    let games = records(path, "game.kgn");
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].game().plies().len(), 1);
    second.kill();
}

#[cfg(unix)]
#[test]
fn the_command_to_go_on_can_be_given_to_a_shell() {
    use std::process::{Command, Stdio};

    let directory = here();
    let path = directory.path();
    fs::create_dir(path.join("a".repeat(80))).expect("made");
    let long = format!("{}/game.kgn", "a".repeat(80));
    for file in ["Bob's game.kgn", "-x.kgn", &long] {
        let record = format!("--record={file}");
        let arguments = ["play", "--board", "3x2", "--north", "first", &record];
        let text = shown(path, &arguments, "1\nquit\n");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("To go on with this game: kalah "));
        let script = format!("\"$0\" {}", line.expect("a hint"));
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_kalah")])
            .current_dir(path)
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{script}: {output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("The game goes on after ply 2."), "{text}");
    }
}
