//! What is told while a tournament is played.

use std::process::Command;

use rexpect::process::WaitStatus;
use rexpect::session::spawn_command;

use super::run::{KALAH, arena, as_text, text};

/// Far more than any answer takes, in milliseconds.
const PATIENCE: u64 = 300_000;

#[test]
fn a_terminal_shows_a_bar_and_a_table_and_faults() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("out");
    let cheat = "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; go*) echo bestmove Z;; esac; done";
    let mut command = Command::new(KALAH);
    command
        .args([
            "arena",
            "--engine",
            &format!("cmd={cheat},name=Cheat"),
            "--engine",
            "first",
        ])
        .args(["--rounds", "2", "--time", "10m", "--out", as_text(&folder)])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env_remove("CI");
    let mut session = spawn_command(command, Some(PATIENCE)).expect("it starts");
    session
        .exp_string("0 of 4 games are in")
        .expect("it says where");
    let shown = session.exp_eof().expect("it ends");
    let status = session.process().wait().expect("it has ended");
    assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
    for part in [
        "/4 games",
        "illegal move by",
        "1.  first",
        "2.  Cheat",
        "4 of 4 games: 4 illegal",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn elsewhere_there_is_a_line_for_each_game() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("out");
    let output = arena(&[
        "--engine",
        "first",
        "--engine",
        "first,name=Second",
        "--rounds",
        "1",
        "--board",
        "4x3",
        "--time",
        "10m",
        "--concurrency",
        "1",
        "--play-out",
        "--out",
        as_text(&folder),
    ]);
    assert!(output.status.success(), "{output:?}");
    let told = text(&output.stderr);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 4, "{told}");
    assert!(lines[0].starts_with("0 of 2 games are in '"), "{told}");
    assert!(lines[1].starts_with("1.1.1 Second - first: "), "{told}");
    assert!(lines[2].starts_with("1.1.2 first - Second: "), "{told}");
    assert!(lines[3].starts_with("the report is '"), "{told}");
    let report = std::fs::read_to_string(folder.join("report.html")).expect("a report");
    assert!(
        report.contains("<h1>Kalah arena: 4x3, cs32</h1>"),
        "{report}"
    );
    assert!(
        report.contains("http://127.0.0.1:8080/#position=4x3&amp;line="),
        "{report}"
    );
    // Who plays against the like makes half of the points of every pair.
    assert!(
        text(&output.stdout).contains("pairs   [0, 0, 1, 0, 0]"),
        "{output:?}"
    );
}
