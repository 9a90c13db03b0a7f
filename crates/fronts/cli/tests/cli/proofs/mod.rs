//! `kalah prove`: stores, their state, resumption, and faults.

mod books;
mod checks;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{KALAH, Process, args, kalah_in, run, temp_dir, wait_until};

fn prove(folder: &Path, line: &str) -> Command {
    kalah_in(folder, &[&["prove"], &args(line)[..]].concat())
}

/// Returns the bounds of all moves of a proof or an analysis.
fn moves(report: &Value) -> Vec<[Value; 3]> {
    let moves = report["moves"].as_array().expect("moves").iter();
    moves
        .map(|mv| ["move", "lower", "upper"].map(|key| mv[key].clone()))
        .collect()
}

#[test]
fn proof_has_the_margins_of_solve() {
    let folder = temp_dir();
    for rules in ["cs32", "standard", "empty-capture", "mankalah"] {
        let line = format!("4x3 --rules {rules} --tables none --json --moves");
        let solved = run(&mut kalah_in(
            folder.path(),
            &[&["solve"], &args(&line)[..]].concat(),
        ))
        .json();
        let proven = run(&mut prove(
            folder.path(),
            &format!("{line} --store {rules}"),
        ))
        .json();
        assert_eq!(moves(&proven), moves(&solved), "{rules}");
        assert_eq!(proven["lower"], solved["margin"]);
        assert_eq!(proven["exact"], true);
        assert_eq!(proven["goal"], Value::Null);
        assert_eq!(proven["conditional_leaves"], 0);
        let status = run(&mut prove(folder.path(), &format!("status {rules} --json"))).json();
        assert!(status["conditional_leaves"].as_u64() > Some(0), "{status}");
        assert_eq!(status["exact"], false);
        for key in [
            "lower",
            "upper",
            "line",
            "goals",
            "solved_goals",
            "nodes",
            "runs",
        ] {
            assert_eq!(status[key], proven[key], "{rules}: {key}");
        }
    }
    // A finished proof leaves its store and nothing else.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn best_move_is_known_with_all_moves_or_with_only_one() {
    let folder = temp_dir();
    let report = |position: &[&str]| {
        // Several threads can search the moves of the position before one of them decides it.
        let options = [
            "--threads",
            "1",
            "--tables",
            "none",
            "--json",
            "--store",
            "proof",
        ];
        let line = [&["prove"], position, &options[..]].concat();
        run(&mut kalah_in(folder.path(), &line)).json()
    };
    let only = report(&["<2,0,0,0,1,1,1> s"]);
    assert_eq!(
        (&only["best"], &only["moves"]),
        (&"B".into(), &Value::Array(Vec::new()))
    );
    fs::remove_file(folder.path().join("proof")).unwrap();
    // One search decides this margin, and leaves no move in the store.
    let one_search = report(&["3x2"]);
    assert_eq!(
        (&one_search["exact"], &one_search["best"]),
        (&true.into(), &Value::Null)
    );
    assert_eq!(report(&["3x2", "--moves"])["best"], "B");
}

#[test]
fn guided_proof_has_the_margins_of_its_guide() {
    let folder = temp_dir();
    let line = "4x3 --rules standard --tables none --json --moves --threads 1";
    let first = run(&mut prove(folder.path(), &format!("{line} --store first"))).json();
    let guided = format!("{line} --store second --guide first");
    let second = run(&mut prove(folder.path(), &guided)).json();
    assert_eq!(moves(&second), moves(&first));
    let nodes = |report: &Value| report["nodes"].as_u64().expect("a number");
    assert!(nodes(&second) < nodes(&first));
    // The same command goes on, also without the file of the guide.
    fs::remove_file(folder.path().join("first")).unwrap();
    let again = run(&mut prove(folder.path(), &guided));
    let warning = "warning: 'second' exists and goes on without the guide";
    assert!(again.stderr.contains(warning), "{}", again.stderr);
    assert_eq!(nodes(&again.json()), nodes(&second));
    run(&mut prove(folder.path(), "check second --all")).success();
}

#[test]
fn run_ends_at_its_limit_with_the_same_results_and_goes_on() {
    let folder = temp_dir();
    let whole = "4x3 --rules standard --tables none --threads 1 --moves --json";
    let limited = |store: &str| {
        let line = format!("{whole} --store {store} --nodes 1");
        let mut report = run(&mut prove(folder.path(), &line)).json();
        assert_eq!(
            (&report["jobs"], &report["exact"]),
            (&1.into(), &false.into())
        );
        for key in ["seconds", "runs"] {
            report.as_object_mut().expect("an object").remove(key);
        }
        report
    };
    assert_eq!(limited("one"), limited("other"));
    let line = format!("{whole} --store one --time 1h");
    assert_eq!(run(&mut prove(folder.path(), &line)).json()["exact"], true);
}

#[test]
fn guide_of_another_position_is_refused_before_there_is_a_store() {
    let folder = temp_dir();
    run(&mut prove(folder.path(), "3x2 --store first --tables none")).success();
    let error = run(&mut prove(
        folder.path(),
        "3x3 --store second --guide first",
    ))
    .failure(1);
    assert!(error.starts_with("error: 'first' "), "{error}");
    let error = run(&mut prove(
        folder.path(),
        "3x3 --store second --guide missing",
    ))
    .failure(1);
    assert_eq!(error, "error: there is no proof store 'missing'\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn proof_killed_several_times_resumes_from_its_store() {
    const KILLS: u64 = 8;
    let folder = temp_dir();
    let line = "4x4 --rules standard --tables none --moves --json --store proof";
    let mut nodes = 0;
    for kill in 1..=KILLS {
        let mut process = Process::spawn(&mut prove(folder.path(), line));
        thread::sleep(Duration::from_millis(20 * kill));
        process.kill();
        if !folder.path().join("proof").exists() {
            continue;
        }
        let status = run(&mut prove(folder.path(), "status proof --json")).json();
        let searched = status["nodes"].as_u64().expect("a number");
        assert!(searched >= nodes, "{searched} after {nodes}");
        nodes = searched;
    }
    let proven = run(&mut prove(folder.path(), line)).json();
    assert_eq!((&proven["lower"], &proven["upper"]), (&2.into(), &2.into()));
    assert!(proven["nodes"].as_u64() >= Some(nodes));
    let again = run(&mut prove(folder.path(), line)).json();
    assert_eq!(again["nodes"], proven["nodes"]);
}

#[test]
fn running_proof_refuses_another_and_shows_its_state() {
    let folder = temp_dir();
    let line = "6x6 --tables none --memory 32MiB --threads 1 --store proof";
    let process = Process::spawn(&mut prove(folder.path(), line));
    let status = || run(&mut prove(folder.path(), "status proof --json"));
    wait_until("a job", || {
        let status = status();
        status.code() == Some(0) && status.json()["jobs"].as_u64() > Some(0)
    });
    let holder = format!("process {} on ", process.id());
    let refused = run(&mut prove(folder.path(), line)).failure(1);
    assert!(
        refused.starts_with(&format!("error: 'proof' is in use by {holder}")),
        "{refused}"
    );
    let state = status().json();
    let named = state["holder"].as_str().expect("a holder");
    assert!(named.starts_with(&holder), "{named}");
    assert_eq!(state["goal"]["move"], Value::Null);
    assert!(state["goal"]["line"].as_array().is_some());
    let text = run(&mut prove(folder.path(), "status proof")).success();
    assert!(text.contains("Deciding whether South reaches "), "{text}");
    assert!(text.contains(&format!("In use by {holder}")), "{text}");
    process.signal("INT");
    let finished = process.finish();
    let message = "error: interrupted: 'proof' has all results so far, and the same command goes on with them";
    assert_eq!(finished.failure(130).trim_end(), message);
    assert!(!folder.path().join("proof.lock").exists());
}

#[test]
fn files_that_are_no_stores_are_named() {
    let folder = temp_dir();
    fs::write(folder.path().join("text"), "hello").unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for file in ["text", "empty", "folder"] {
        for line in [format!("status {file}"), format!("3x3 --store {file}")] {
            let error = run(&mut prove(folder.path(), &line)).failure(1);
            assert_eq!(error, format!("error: '{file}' is not a proof store\n"));
        }
    }
    assert_eq!(fs::read(folder.path().join("text")).unwrap(), b"hello");
    let error = run(&mut prove(folder.path(), "status missing")).failure(1);
    assert_eq!(error, "error: there is no proof store 'missing'\n");
    let error = run(&mut prove(folder.path(), "3x3 --store missing/proof")).failure(1);
    let reason = "there is no folder 'missing'";
    assert_eq!(
        error,
        format!("error: cannot write 'missing/proof': {reason}\n")
    );
}

#[test]
fn store_without_a_table_is_damaged() {
    let folder = temp_dir();
    run(&mut prove(folder.path(), "3x3 --store proof --tables none")).success();
    let connection = rusqlite::Connection::open(folder.path().join("proof")).expect("a store");
    (connection.execute_batch("DROP TABLE goals")).expect("a table");
    drop(connection);
    let error = run(&mut prove(folder.path(), "status proof")).failure(1);
    assert_eq!(error, "error: 'proof' is damaged: no such table: goals\n");
}

#[test]
fn store_of_another_position_or_rules_is_refused() {
    let folder = temp_dir();
    run(&mut prove(folder.path(), "3x3 --store proof --tables none")).success();
    let status = || run(&mut prove(folder.path(), "status proof --json")).json();
    let before = status();
    for other in ["3x2 --store proof", "3x3 --rules standard --store proof"] {
        let error = run(&mut prove(folder.path(), other)).failure(1);
        let start = "error: 'proof' proves '<3,0,0,3,3,3,3,3,3> s' under cs32, not '";
        assert!(error.starts_with(start), "{error}");
    }
    assert_eq!(status(), before);
}

/// The size limit of the files of a process acts as a full disk. The signal that the system sends
/// at the limit has to be ignored.
#[cfg(unix)]
#[test]
fn full_disk_ends_a_proof_with_its_results() {
    let folder = temp_dir();
    let prove_with = |blocks: &str| {
        let proof = "4x4 --moves --json --tables none --store proof";
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{KALAH}' prove {proof}");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(folder.path());
        run(&mut command)
    };
    // Too little for an empty store.
    let error = prove_with("8").failure(1);
    assert!(error.starts_with("error: cannot use 'proof': "), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // Enough for the first results.
    let finished = prove_with("100");
    let nodes = finished.json()["nodes"].as_u64().expect("a number");
    let error = finished.failure(1);
    assert!(error.starts_with("error: cannot use 'proof': "), "{error}");
    let proven = prove_with("unlimited");
    assert!(proven.json()["nodes"].as_u64() >= Some(nodes));
    assert_eq!(proven.json()["lower"], 2);
}
