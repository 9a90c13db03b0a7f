//! The players of a resumed game.

use std::fs;

use kalah::{Side, Termination};

use super::files::{failure, last_line, last_record, output};
use crate::harness::{args, temp_dir};

#[test]
fn swap_is_recorded_and_resumed_with_exchanged_players() {
    let directory = temp_dir();
    let arguments = args(
        "play --rules mankalah --board 2x2 --north human \
         --south-name Marge --north-name Homer --record game.kgn",
    );
    last_line(directory.path(), &arguments, "2\nswap\n");
    assert_eq!(
        last_record(directory.path(), "game.kgn")
            .main_line()
            .count(),
        2
    );
    let text = output(
        directory.path(),
        &["play", "--resume", "game.kgn", "--north", "human"],
        "resign\n",
    );
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
fn resumed_game_has_its_recorded_players() {
    let directory = temp_dir();
    let path = directory.path();
    let humans = args("play --south human --north human --north-name Bob --record hh.kgn");
    last_line(path, &humans, "1\nquit\n");
    let text = output(path, &["play", "--resume", "hh.kgn"], "2\nquit\n");
    assert!(
        text.contains("North (Bob), your house (a to f, or help): 2\n"),
        "{text}"
    );
    assert_eq!(last_record(path, "hh.kgn").game().plies().len(), 2);

    let program = args("play --south human --north minimax:4 --record game.kgn");
    last_line(path, &program, "1\nquit\n");
    let text = output(path, &["play", "--resume", "game.kgn"], "quit\n");
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

    // The players of the command line replace those of the record.
    let text = output(
        path,
        &args("play --resume game.kgn --south first --north smart:10ms"),
        "",
    );
    assert!(!text.contains("your house"), "{text}");
    assert_eq!(tags("game.kgn"), players("first", "smart:10ms"));

    // A saved game has its players, too.
    let saving = ["play", "--north", "first"];
    last_line(path, &saving, "save saved.kgn\nquit\n");
    assert_eq!(tags("saved.kgn"), players("human", "first"));
}

#[test]
fn unknown_recorded_player_is_quoted_and_can_be_replaced() {
    let directory = temp_dir();
    let text = "[NorthPlayer \"oracle\"]\n\n1. A *\n";
    fs::write(directory.path().join("game.kgn"), text).expect("a writable file");
    let message = failure(directory.path(), &["play", "--resume", "game.kgn"]);
    assert!(
        message.starts_with("error: tag NorthPlayer: `oracle` is not a player: "),
        "{message}"
    );
    let after = fs::read_to_string(directory.path().join("game.kgn")).expect("a file");
    assert_eq!(after, text);
    let arguments = ["play", "--resume", "game.kgn", "--north", "first"];
    assert_eq!(
        last_line(directory.path(), &arguments, ""),
        "Unfinished 0-0"
    );
}
