//! Progress and results on a terminal and on pipes.

use serde_json::Value;

use super::runner::arena;
use crate::harness::{
    KALAH, args_with, finish_session, kalah, path_text, spawn_on_terminal, temp_dir,
};

#[test]
fn terminal_shows_progress_bar_standings_and_faults() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let cheat = "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; go*) echo bestmove Z;; esac; done";
    let mut command = kalah(["arena"]);
    command
        .args([
            "--engine",
            &format!("cmd={cheat},name=Cheat"),
            "--engine",
            "first",
        ])
        .args(args_with(
            "--rounds 2 --time 10m --out {}",
            &[path_text(&folder)],
        ))
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env_remove("CI");
    let mut session = spawn_on_terminal(command);
    session
        .exp_string("0 of 4 games are in")
        .expect("the directory");
    let output = finish_session(session);
    for part in [
        "/4 games",
        "illegal move by",
        "1.  first",
        "2.  Cheat",
        "4 of 4 games: 4 illegal",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn slow_start_of_a_program_is_a_warning_and_in_the_report() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let program = "sleep 0.2; exec '{}' engine --player first";
    let program = program.replace("{}", KALAH);
    let output = arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --json --out {}",
        &[&format!("cmd={program},name=Slow"), path_text(&folder)],
    ));
    assert!(output.status.success(), "{output:?}");
    let results: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let slow_start = &results["slow_starts"][0];
    assert_eq!(slow_start["name"], "Slow", "{results}");
    assert!(slow_start["time_ms"].as_u64() >= Some(100), "{results}");
    let warnings: Vec<&str> = (output.stderr.lines())
        .filter(|line| line.starts_with("warning: "))
        .collect();
    let [warning] = warnings[..] else {
        panic!("{output:?}");
    };
    assert!(warning.starts_with("warning: Slow needs "), "{warning}");
    let report = std::fs::read_to_string(folder.join("report.html")).expect("a report");
    assert!(report.contains(" ms to start"), "{report}");
}

#[test]
fn pipe_gets_a_line_for_each_game() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let output = arena(&args_with(
        "--engine first --engine first,name=Second --rounds 1 --board 4x3 \
         --time 10m --concurrency 1 --play-out --out {}",
        &[path_text(&folder)],
    ));
    assert!(output.status.success(), "{output:?}");
    let stderr = &output.stderr;
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{stderr}");
    assert!(lines[0].starts_with("0 of 2 games are in '"), "{stderr}");
    assert!(lines[1].starts_with("1.1.1 Second - first: "), "{stderr}");
    assert!(lines[2].starts_with("1.1.2 first - Second: "), "{stderr}");
    assert!(lines[3].starts_with("the report is '"), "{stderr}");
    let report = std::fs::read_to_string(folder.join("report.html")).expect("a report");
    assert!(
        report.contains("<h1>Kalah arena: 4x3, cs32</h1>"),
        "{report}"
    );
    assert!(report.contains("<script id=\"games-index\""), "{report}");
    // Equal players score half of the points of each pair.
    assert!(
        output.stdout.contains("pairs   [0, 0, 1, 0, 0]"),
        "{output:?}"
    );
}
