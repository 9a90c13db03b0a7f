//! `kalah bot check` with programs that obey their protocols, and with programs that break them.

use std::fs;
use std::path::Path;

use crate::harness::{Finished, KALAH, kalah_in, run, temp_dir};

/// An engine in the shell that a variable breaks in one way.
const ENGINE: &str = "\
while read -r line; do
  case \"$line\" in
    *garbage*) [ $BREAK = fragile ] && exit 4 ;;
    uki) [ $BREAK = silent ] || echo ukiok ;;
    isready) [ $BREAK = deaf ] || echo readyok ;;
    position*) [ $BREAK = refuse ] && echo error no; position=$line ;;
    go*infinite*) [ $BREAK = twice ] && echo bestmove A; echo bestmove A ;;
    go*) case $BREAK in
        illegal) echo bestmove Z ;;
        garbage) echo bestmove 7 ;;
        none) echo bestmove none ;;
        crash) echo why >&2; exit 3 ;;
        *) echo bestmove A ;;
      esac ;;
    quit) [ $BREAK = stay ] || exit ;;
  esac
done
";

/// Checks a program with limits that no machine exceeds.
fn check(directory: &Path, program: &str, arguments: &[&str]) -> Finished {
    let mut all = vec!["bot", "check", program, "--time", "1ms", "--grace", "5m"];
    if !arguments.contains(&"--wait") {
        all.extend(["--wait", "5m"]);
    }
    all.extend(arguments);
    run(&mut kalah_in(directory, &all))
}

/// Checks a broken engine in one position, and returns the table.
fn check_broken(way: &str, wait: &str) -> String {
    let directory = temp_dir();
    fs::write(directory.path().join("engine.sh"), ENGINE).expect("a file");
    let program = format!("cmd=BREAK={way} sh engine.sh");
    let arguments = ["--positions", "1", "--board", "1x2", "--wait", wait];
    let finished = check(directory.path(), &program, &arguments);
    assert_eq!(finished.code(), Some(1), "{finished:#?}");
    finished.stdout
}

#[test]
fn programs_of_each_protocol_pass() {
    let directory = temp_dir();
    for (program, arguments, names) in [
        (
            format!("cmd='\"{KALAH}\" engine --player random',proto=uki"),
            &["--positions", "1000"] as &[&str],
            &[
                "swaps",
                "last moves",
                "ended games",
                "stop",
                "garbage in",
                "quit",
            ] as &[&str],
        ),
        (
            format!("cmd='\"{KALAH}\" kgp child --player random',proto=kgp-child"),
            &["--positions", "20"],
            &["positions", "bonus turns"],
        ),
        (
            format!("cmd='\"{KALAH}\" mankalah agent --player first',proto=mankalah"),
            &["--positions", "200"],
            &["positions", "ended games"],
        ),
    ] {
        let table = check(directory.path(), &program, arguments);
        assert!(table.status.success(), "{table:#?}");
        for name in names {
            let line = table.stdout.lines().find(|line| line.starts_with(name));
            let line = line.unwrap_or_else(|| panic!("{name}: {}", table.stdout));
            assert!(line.contains("  ok"), "{line}");
        }
    }
}

#[test]
fn each_fault_has_its_check_with_the_lines_and_the_expected_answer() {
    for (way, name, texts) in [
        (
            "illegal",
            "positions",
            &["< bestmove Z", "expected: bestmove and one of A"] as &[&str],
        ),
        ("garbage", "positions", &["< bestmove 7"]),
        (
            "none",
            "positions",
            &["none, although the game is not over"],
        ),
        (
            "refuse",
            "positions",
            &["the program refuses a valid line: no"],
        ),
        ("crash", "positions", &["| why", "it ended: exit status: 3"]),
        (
            "twice",
            "stop",
            &["a bestmove that no go has asked for", "expected: readyok"],
        ),
        (
            "fragile",
            "garbage in",
            &["> position <6,garbage> s", "it ended: exit status: 4"],
        ),
    ] {
        let table = check_broken(way, "5m");
        let is_wrong = |line: &str| line.starts_with(name) && line.contains("WRONG");
        assert!(table.lines().any(is_wrong), "{way}: {table}");
        for text in texts {
            assert!(table.contains(text), "{way}: {text}: {table}");
        }
    }
}

/// No machine is slow enough to make a program that never answers pass.
#[test]
fn a_program_that_does_not_answer_is_asked_about_its_output() {
    let table = check_broken("silent", "1ms");
    assert!(
        table.contains("> uki\n  no line in the time of --wait; does it flush its output?"),
        "{table}"
    );
    assert!(table.contains("expected: ukiok"), "{table}");
    let directory = temp_dir();
    let arguments = ["--wait", "2001ms"];
    let finished = check(directory.path(), "cmd=exec sleep 1000", &arguments);
    assert_eq!(
        finished.stderr,
        "no line for 2 s: does it flush its output?\nerror: the program fails 1 check\n"
    );
    let arguments = ["--wait", "1ms", "--positions", "1"];
    for protocol in ["kgp-child", "mankalah"] {
        let program = format!("cmd=exec sleep 1000,proto={protocol}");
        let finished = check(directory.path(), &program, &arguments);
        assert_eq!(finished.code(), Some(1), "{finished:#?}");
        assert!(
            finished.stdout.contains("it still runs after 0.001 s"),
            "{}",
            finished.stdout
        );
    }
}

#[test]
fn json_has_each_check() {
    let directory = temp_dir();
    let arguments = ["--positions", "1", "--json"];
    let program = "cmd=echo 99,proto=kgp-child";
    let finished = check(directory.path(), program, &arguments);
    assert_eq!(finished.code(), Some(1), "{finished:#?}");
    let document = finished.json();
    assert_eq!(document["protocol"], "kgp-child");
    assert_eq!(document["is_ok"], false);
    let first = &document["checks"][0];
    assert_eq!(first["name"], "positions");
    assert_eq!(first["expected"], "one of 0, 1, 2, 3, 4, 5");
    assert_eq!(first["lines"][0], "> 6");
}

#[test]
fn arguments_that_name_no_program_are_refused() {
    let directory = temp_dir();
    for program in ["level:3", "./mybot", "cmd="] {
        let finished = run(&mut kalah_in(directory.path(), &["bot", "check", program]));
        finished.failure(2);
    }
}
