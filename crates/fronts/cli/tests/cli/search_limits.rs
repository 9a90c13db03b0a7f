//! `kalah play` and `kalah puzzle` with limits of nodes and of the depth.

use std::process::Command;

use crate::harness::{args, kalah, run, run_with_input};

/// Returns a game of two players that search, without tables and history.
fn game(limits: &str) -> Command {
    let mut command = kalah(args(
        "play --plain --board 4x3 --south smart --north level:10 --no-pause --no-history \
         --tables none",
    ));
    command.args(args(limits));
    command
}

#[test]
fn games_of_limited_searches_are_the_same_again() {
    let games = ["--nodes 1", "--nodes 3000", "--depth 1"].map(|limits| {
        let played = run(&mut game(limits)).success();
        assert_eq!(run(&mut game(limits)).success(), played, "{limits}");
        assert!(played.contains("South (Smart) sows"), "{played}");
        played
    });
    // The limits reach the searches.
    assert_ne!(games[0], games[1]);
    assert_ne!(games[2], games[1]);
}

#[test]
fn a_search_has_a_time_of_more_than_zero() {
    for line in [
        "analyze 3x2",
        "solve 3x2",
        "play",
        "review game.kgn",
        "prove 3x2 --store file",
        "arena feedback mine",
        "bot check cmd=./bot",
        "mankalah agent",
        "kgp child",
        "kgp connect localhost",
    ] {
        let mut command = kalah(args(line));
        let error = run(command.args(["--time", "0s"])).failure(2);
        let expected = "invalid value '0s' for '--time <DURATION>': expected a duration of more \
                        than zero, ";
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn hints_are_searched_within_the_nodes() {
    let hint = |nodes: &str| {
        let mut command = kalah(args(
            "play --plain --no-history --tables none --book none --nodes",
        ));
        run_with_input(command.arg(nodes), "hint\nquit\n").success()
    };
    let few = hint("100");
    assert_eq!(hint("100"), few);
    assert_ne!(hint("200000"), few);
}

#[test]
fn puzzles_are_proven_within_the_nodes() {
    let puzzles = |nodes: &str| {
        let mut command = kalah(args("puzzle --board 4x3 --seed 1 --count 3 --json --nodes"));
        run(command.arg(nodes))
    };
    let few = puzzles("300").success();
    assert_eq!(few.lines().count(), 3);
    assert_eq!(puzzles("300").success(), few);
    let reason = puzzles("1").failure(1);
    assert!(reason.contains("more --nodes"), "{reason}");
}
