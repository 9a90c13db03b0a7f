//! Who plays a game that is resumed.

use std::fs;

use kalah::{Side, Termination};

use crate::{complaint, here, last_line, last_record, run, shown};

#[test]
fn a_swap_is_recorded_and_resumed_with_everybody_in_place() {
    let directory = here();
    let arguments = [
        "play",
        "--rules",
        "mankalah",
        "--board",
        "2x2",
        "--north",
        "human",
        "--south-name",
        "Marge",
        "--north-name",
        "Homer",
        "--record",
        "game.kgn",
    ];
    last_line(directory.path(), &arguments, "2\nswap\n");
    assert_eq!(
        last_record(directory.path(), "game.kgn")
            .main_line()
            .count(),
        2
    );
    let output = run(
        directory.path(),
        &["play", "--resume", "game.kgn", "--north", "human"],
        "resign\n",
    );
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("North (Marge), your house"), "{text}");
    assert!(
        text.ends_with("\nSouth (Homer) wins by resignation\n"),
        "{text}"
    );
    let ending = last_record(directory.path(), "game.kgn").ending();
    assert_eq!(ending.termination, Termination::Resign);
    assert_eq!(ending.winner, Some(Side::South));
}

#[test]
fn a_resumed_game_has_the_players_it_had() {
    let directory = here();
    let path = directory.path();
    let people = [
        "play",
        "--south",
        "human",
        "--north",
        "human",
        "--north-name",
        "Bob",
        "--record",
        "hh.kgn",
    ];
    last_line(path, &people, "1\nquit\n");
    let text = shown(path, &["play", "--resume", "hh.kgn"], "2\nquit\n");
    assert!(
        text.contains("North (Bob), your house (1 to 6, or help): 2\n"),
        "{text}"
    );
    assert_eq!(last_record(path, "hh.kgn").game().plies().len(), 2);

    let program = [
        "play",
        "--south",
        "human",
        "--north",
        "minimax:4",
        "--record",
        "game.kgn",
    ];
    last_line(path, &program, "1\nquit\n");
    let text = shown(path, &["play", "--resume", "game.kgn"], "quit\n");
    assert!(
        text.starts_with("South (Human) plays North (Minimax)"),
        "{text}"
    );
    let tags = |file: &str| {
        let record = last_record(path, file);
        ["SouthPlayer", "NorthPlayer"].map(|tag| record.tags().get(tag).map(str::to_owned))
    };
    let players = |south: &str, north: &str| [Some(south.to_owned()), Some(north.to_owned())];
    assert_eq!(tags("game.kgn"), players("human", "minimax:4"));

    // What the command line says comes first, and is written.
    let text = shown(
        path,
        &[
            "play",
            "--resume",
            "game.kgn",
            "--south",
            "first",
            "--north",
            "smart:10ms",
        ],
        "",
    );
    assert!(!text.contains("your house"), "{text}");
    assert_eq!(tags("game.kgn"), players("first", "smart:10ms"));

    // A saved game knows its players, too.
    let saving = ["play", "--north", "first"];
    last_line(path, &saving, "save saved.kgn\nquit\n");
    assert_eq!(tags("saved.kgn"), players("human", "first"));
}

#[test]
fn a_recorded_player_that_there_is_not_is_quoted() {
    let directory = here();
    let text = "[NorthPlayer \"oracle\"]\n\n1. A *\n";
    fs::write(directory.path().join("game.kgn"), text).expect("written");
    let complaint = complaint(directory.path(), &["play", "--resume", "game.kgn"], 1);
    assert!(
        complaint.starts_with("error: tag NorthPlayer: `oracle` is not a player: "),
        "{complaint}"
    );
    let after = fs::read_to_string(directory.path().join("game.kgn")).expect("it is there");
    assert_eq!(after, text);
    let arguments = ["play", "--resume", "game.kgn", "--north", "first"];
    assert_eq!(
        last_line(directory.path(), &arguments, ""),
        "Unfinished 0-0"
    );
}
