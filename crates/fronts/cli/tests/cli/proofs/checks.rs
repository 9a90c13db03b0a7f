//! `kalah prove check` and `kalah prove export`.

use std::fs;
use std::path::Path;

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
    assert!(!checked.contains("Searched "), "{checked}");
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
    let proven = kalah("prove 4x3 --rules standard --moves --store 4x3.proof --json").json();
    let solved = kalah("solve 4x3 --rules standard --json").json();
    assert_eq!(proven["margin"], solved["margin"], "{proven}");
    let best = proven["best"].as_str().expect("a move");
    let mut moves = proven["moves"].as_array().expect("moves").iter();
    let best = moves.find(|mv| mv["move"] == best).expect("its margin");
    assert_eq!(best["lower"], solved["margin"], "{proven}");
    let exported = kalah("prove export 4x3.proof --out 4x3.gz --leaf-nodes 10 --json").json();
    assert_eq!(exported["margin"], solved["margin"], "{exported}");
    assert!(exported["goals"].as_u64() > Some(10), "{exported}");
    let report = kalah("prove check 4x3.gz --json").json();
    assert_eq!(report["verified_leaves"], report["leaves"], "{report}");
    assert!(report["leaves"].as_u64() > Some(10), "{report}");
}

/// The exit code of a check that has found nothing wrong and has not searched all needed leaves.
const CONDITIONAL: i32 = 3;

/// Replaces the goals of a store of 4x3 under `standard`, whose margin is +6, by two wrong leaves
/// that prove +10.
fn forge(path: &Path) {
    let connection = rusqlite::Connection::open(path).expect("a store");
    let start = "<4,0,0,3,3,3,3,3,3,3,3> s";
    connection
        .execute_batch(&format!(
            "DELETE FROM goals; UPDATE proof SET all_moves = 0;
             INSERT INTO goals VALUES (0, '{start}', 10, 1, 0, NULL, NULL, 9);
             INSERT INTO goals VALUES (1, '{start}', 12, 0, 0, NULL, NULL, 9);"
        ))
        .expect("a change");
}

#[test]
fn stores_are_conditional_on_the_leaves_that_nothing_has_checked() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    let fresh = kalah("prove 4x3 --rules standard --tables none --store 4x3.proof").success();
    assert!(fresh.starts_with("South to move: +6 exact\n"), "{fresh}");
    let again = kalah("prove 4x3 --rules standard --tables none --store 4x3.proof").success();
    assert!(
        again.starts_with("South to move: +6, conditional on "),
        "{again}"
    );
    forge(&folder.path().join("4x3.proof"));
    let conditional = "South to move: +10, conditional on 2 leaves\n";
    for line in [
        "prove status 4x3.proof",
        "prove 4x3 --rules standard --tables none --store 4x3.proof",
    ] {
        let text = kalah(line).success();
        assert!(text.starts_with(conditional), "{line}: {text}");
        assert!(!text.contains("exact"), "{line}: {text}");
        let report = kalah(&format!("{line} --json")).json();
        assert_eq!(report["conditional_leaves"], 2, "{line}: {report}");
        assert_eq!(
            (&report["lower"], &report["exact"]),
            (&10.into(), &false.into())
        );
    }
    let unchecked = kalah("prove check 4x3.proof --sample 0");
    assert!(
        unchecked.stdout.contains(conditional),
        "{}",
        unchecked.stdout
    );
    let message = "the proof in '4x3.proof' is conditional on 2 leaves: `--all` searches all\n";
    assert_eq!(unchecked.failure(CONDITIONAL), format!("error: {message}"));
    let unchecked = kalah("prove check 4x3.proof --sample 0 --json");
    let report = unchecked.json();
    assert_eq!(report["passed"], false, "{report}");
    assert_eq!(report["exact"], false, "{report}");
    assert_eq!(report["missed_probability"], 1.0, "{report}");
    assert_eq!(unchecked.code(), Some(CONDITIONAL));
    // The whole proof is small.
    let error = kalah("prove check 4x3.proof").failure(1);
    assert!(
        error.contains("a search gives the opposite answer"),
        "{error}"
    );
}

#[test]
fn small_stores_are_checked_whole_and_larger_ones_conditionally() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah("prove 4x3 --rules standard --moves --tables none --store 4x3.proof").success();
    let report = kalah("prove check 4x3.proof --json").json();
    assert_eq!(report["passed"], true, "{report}");
    assert_eq!(
        report["verified_leaves"], report["needed_leaves"],
        "{report}"
    );
    let checked = kalah("prove check 4x3.proof --sample 4 --seed 7");
    let report = kalah("prove check 4x3.proof --sample 4 --seed 7 --json").json();
    let needed = report["needed_leaves"].as_u64().expect("a number");
    assert!(needed > 5, "{report}");
    assert_eq!(report["conditional_leaves"], needed - 4, "{report}");
    let number = u32::try_from(needed).expect("few leaves");
    let missed = f64::from(number - 4) / f64::from(number - 2);
    let probability = format!("{:.1} %", 100.0 * missed);
    let line = format!(
        "Searched 4 of the {needed} leaves that the margin depends on: 2 with the fewest moves from \
         the position, and 2 of the other {} at random, seed 7. A single wrong one among the others \
         is missed with a probability of {probability}\n",
        needed - 2
    );
    assert!(checked.stdout.ends_with(&line), "{}", checked.stdout);
    assert_eq!(checked.code(), Some(CONDITIONAL));
    let undecided = kalah("prove check 4x3.proof --sample 4 --seed 7 --max-nodes 1");
    let (line, _) = line.split_once(". A single").expect("the probability");
    let line = line.replace("Searched", "Selected");
    assert!(
        undecided.stdout.ends_with(&format!("{line}\n")),
        "{}",
        undecided.stdout
    );
    assert_eq!(undecided.code(), Some(1));
    let error = kalah("prove check 4x3.proof --seed 7").failure(2);
    assert_eq!(
        error,
        "error: --seed '7': without --sample the check of '4x3.proof' chooses no leaves at random\n"
    );

    let proof = "../../../data/proofs/6x5-standard.proof";
    let proof = Path::new(env!("CARGO_MANIFEST_DIR")).join(proof);
    let proof = proof.to_str().expect("UTF-8");
    let report = run(&mut kalah_in(
        folder.path(),
        &["prove", "check", proof, "--max-nodes", "1", "--json"],
    ))
    .json();
    let number = |key: &str| report[key].as_u64().expect("a number");
    assert_eq!(
        number("needed_leaves") - number("conditional_leaves"),
        number("verified_leaves"),
        "{report}"
    );
    assert_eq!(
        number("verified_leaves") + number("undecided_leaves"),
        10,
        "{report}"
    );
    assert!(report["missed_probability"].is_null(), "{report}");
}

/// The margin of 4x3 is +6 under `standard`, and -2 under `mankalah` from ply 1 on.
#[test]
fn position_after_the_opening_is_called_so() {
    const NOTE: &str = "After the opening: ";
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    let typed = "<4,0,0,3,3,3,3,3,3,3,3> s";
    // The rules of a certificate of `standard` were changed to `mankalah`.
    let text = format!(
        "kalah-certificate 1\nposition {typed}\n\
         rules ends=row,capture=opposite,swap=yes,first-bonus=no\nmargin 6 6\ngoals\n\
         search yes 6 {typed}\nsearch no 8 {typed}\nend 2\n"
    );
    fs::write(folder.path().join("forged"), text).expect("a file");
    let checked = kalah("prove check forged").success();
    assert!(
        checked.contains("rules mankalah\nAfter the opening: "),
        "{checked}"
    );
    assert!(checked.contains("South to move: +6 exact"), "{checked}");
    let report = kalah("prove check forged --json").json();
    assert_eq!(report["after_opening"], true, "{report}");

    for (position, is_after) in [(typed, true), ("4x3", false)] {
        for command in ["solve", "show"] {
            for (rules, differ) in [("mankalah", true), ("standard", false)] {
                let line = [command, position, "--rules", rules];
                let output = run(&mut kalah_in(folder.path(), &line)).success();
                let expected = is_after && differ;
                assert_eq!(output.contains(NOTE), expected, "{line:?}: {output}");
            }
        }
        for command in ["solve", "show", "analyze"] {
            let line = [command, position, "--rules", "mankalah", "--json"];
            let report = run(&mut kalah_in(folder.path(), &line)).json();
            assert_eq!(report["after_opening"], is_after, "{line:?}: {report}");
        }
    }
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
