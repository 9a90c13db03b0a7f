//! `kalah prove check` and `kalah prove export`.

use std::fs;

use crate::harness::{args, kalah_in, run, temp_dir};

#[test]
fn proofs_are_checked_and_exported() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 3x3 --rules standard --moves --store 3x3.proof").success();
    let checked = kalah("prove check 3x3.proof --all").success();
    assert!(
        checked.starts_with(
            "Position '<3,0,0,3,3,3,3,3,3> s', rules standard\nSouth to move: +2 exact\nA: "
        ),
        "{checked}"
    );
    assert!(checked.contains(" by other goals, "), "{checked}");
    assert!(!checked.contains("Not searched"), "{checked}");
    let exported = kalah("prove export 3x3.proof --out 3x3.gz").success();
    assert!(
        exported.ends_with("goals in '3x3.gz': +2 exact\n"),
        "{exported}"
    );
    let report = kalah("prove check 3x3.gz --json").json();
    assert_eq!(report["lower"], 2, "{report}");
    assert_eq!(report["exact"], true, "{report}");
    assert_eq!(report["passed"], true, "{report}");
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(3));
    let error = kalah("prove export 3x3.proof --out 3x3.gz").failure(1);
    assert_eq!(error, "error: '3x3.gz' already exists\n");
}

#[test]
fn incomplete_proofs_are_an_error() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 3x3 --rules standard --store 3x3.proof").success();
    let connection = rusqlite::Connection::open(folder.path().join("3x3.proof")).expect("a store");
    connection
        .execute_batch("DELETE FROM goals")
        .expect("a change");
    drop(connection);
    let message = "the proof in '3x3.proof' is not complete: the margin is from -18 to +18\n";
    let error = kalah("prove check 3x3.proof --all").failure(1);
    assert_eq!(error, format!("error: {message}"));
    let error = kalah("prove export 3x3.proof --out 3x3.gz").failure(1);
    assert_eq!(error, format!("error: {message}"));
}

#[test]
fn undecided_leaves_are_an_error() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 4x3 --rules standard --store 4x3.proof").success();
    let error = kalah("prove check 4x3.proof --all --max-nodes 1").failure(1);
    assert!(
        error.starts_with("error: no answer within the node limit for "),
        "{error}"
    );
    let checked = kalah("prove check 4x3.proof --all --max-nodes 1 --json");
    let report = checked.json();
    assert_eq!(report["passed"], false, "{report}");
    let reason = report["errors"][0].as_str().expect("an error");
    assert_eq!(checked.failure(1), format!("error: {reason}\n"));
}

#[test]
fn all_leaves_of_a_certificate_are_searched_by_default() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 4x3 --rules standard --moves --store 4x3.proof").success();
    kalah("prove export 4x3.proof --out 4x3.gz --leaf-nodes 10").success();
    let report = kalah("prove check 4x3.gz --json").json();
    assert_eq!(report["verified_leaves"], report["leaves"], "{report}");
    assert!(report["leaves"].as_u64() > Some(10), "{report}");
}

#[test]
fn wrong_proofs_and_other_files_are_refused() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 3x3 --rules standard --store 3x3.proof").success();
    let connection = rusqlite::Connection::open(folder.path().join("3x3.proof")).expect("a store");
    connection
        .execute("UPDATE goals SET answer = 1 - answer WHERE id = 0", [])
        .expect("a change");
    drop(connection);
    let error = kalah("prove check 3x3.proof --all").failure(1);
    assert!(error.starts_with("error: the goal "), "{error}");
    assert!(
        error.contains("error: the proof in '3x3.proof' is wrong: "),
        "{error}"
    );
    fs::write(folder.path().join("text"), "no proof").expect("a file");
    let error = kalah("prove check text").failure(1);
    assert_eq!(
        error,
        "error: 'text' is neither a proof store nor a certificate\n"
    );
    let error = kalah("prove export none --out out.gz").failure(1);
    assert!(error.starts_with("error: cannot read 'none': "), "{error}");
}
