//! `kalah bot check` with programs that obey their protocols, and with programs that break them,
//! and `kalah bot new` with the compilers of its languages.

use std::fs;
use std::path::Path;
use std::process::Command;

use test_tools::Tool;

use crate::harness::{Finished, KALAH, kalah_in, run, temp_dir};

/// An engine in the shell that a variable breaks in one way.
const ENGINE: &str = "\
while read -r line; do
  case \"$line\" in
    *garbage*) [ $BREAK = fragile ] && exit 4 ;;
    uki) [ $BREAK = silent ] || echo ukiok ;;
    isready) [ $BREAK = deaf ] || echo readyok ;;
    newgame) [ $BREAK = unknowing ] && echo error unknown newgame ;;
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
        (
            "unknowing",
            "new game",
            &["the program refuses a valid line: unknown newgame"],
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
        table.contains(
            "> uki\n  no line in time; does it flush its output? (uki is the protocol without proto=: "
        ),
        "{table}"
    );
    assert!(table.contains("expected: ukiok"), "{table}");
    assert!(
        table.starts_with(
            "handshake        WRONG\nstart time       not run\npositions        not run\n"
        ),
        "{table}"
    );
    let directory = temp_dir();
    let arguments = ["--wait", "2001ms"];
    let finished = check(directory.path(), "cmd=exec sleep 1000", &arguments);
    assert_eq!(
        finished.stderr,
        "no line for 2 s: does it flush its output?\n\
         tip: uki is the protocol without proto=: a program that speaks another one needs \
         proto=kgp-child or proto=mankalah\n\
         error: the program fails 1 check\n"
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
fn program_that_never_stops_writing_is_checked_in_time() {
    let directory = temp_dir();
    let program = "cmd=yes info string busy";
    let finished = check(directory.path(), program, &["--wait", "1ms"]);
    assert_eq!(finished.code(), Some(1), "{finished:#?}");
    let program = "cmd=head -c 20000 /dev/zero | tr '\\0' x,proto=kgp-child";
    let finished = check(directory.path(), program, &["--positions", "1"]);
    let max = "the line has more than 16,384 bytes";
    assert!(finished.stdout.contains(max), "{finished:#?}");
}

#[test]
fn lines_that_are_no_messages_have_a_note_and_invisible_characters_are_escaped() {
    let directory = temp_dir();
    let engine = ENGINE.replace("uki) [", "uki) printf 'MOVE;3\\nx\\n'; [");
    let engine = engine.replace("echo bestmove Z", "printf 'bestmove\\357\\273\\277 Z\\n'");
    fs::write(directory.path().join("engine.sh"), engine).expect("a file");
    let arguments = ["--positions", "1", "--board", "1x2"];
    let table = check(directory.path(), "cmd=BREAK=no sh engine.sh", &arguments);
    assert!(table.status.success(), "{table:#?}");
    // The program starts twice.
    let note = "ignored lines    ok     4 that are no messages, the first one `MOVE;3`\n";
    assert!(table.stdout.contains(note), "{}", table.stdout);
    let program = "cmd=BREAK=illegal sh engine.sh";
    let table = check(directory.path(), program, &arguments);
    assert_eq!(table.code(), Some(1), "{table:#?}");
    let line = "\n  < bestmove\\u{feff} Z\n";
    assert!(table.stdout.contains(line), "{}", table.stdout);
}

#[test]
fn rules_and_boards_that_the_protocol_does_not_have_are_refused() {
    let directory = temp_dir();
    for (protocol, option, value, expected) in [
        (
            "kgp-child",
            "--rules",
            "cs32",
            "the program speaks kgp-child, which supports only the rules standard, but the rules are \
             cs32",
        ),
        (
            "mankalah",
            "--rules",
            "standard",
            "the program speaks mankalah, which supports only the rules mankalah, but the rules are \
             standard",
        ),
        (
            "mankalah",
            "--board",
            "6x4",
            "the program speaks mankalah, whose games are checked only on the board 7x7",
        ),
    ] {
        let program = format!("cmd=echo,proto={protocol}");
        let error = check(directory.path(), &program, &[option, value]).failure(2);
        assert!(error.contains(expected), "{error}");
    }
}

/// The third position and the checks behind it would take further waits.
#[test]
fn checks_end_after_two_answers_that_do_not_come() {
    let directory = temp_dir();
    for (protocol, not_run) in [
        (
            "kgp-child",
            &["answer times", "garbage in", "end of input"] as &[&str],
        ),
        ("mankalah", &["end of input"]),
    ] {
        let program = format!("cmd=exec sleep 1000,proto={protocol}");
        let finished = check(directory.path(), &program, &["--wait", "1ms", "--json"]);
        assert_eq!(finished.code(), Some(1), "{finished:#?}");
        let document = finished.json();
        assert_eq!(document["checks"][0]["note"], "2");
        assert_eq!(document["is_complete"], false);
        assert_eq!(document["not_run"], serde_json::json!(not_run));
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

/// Creates a bot, and runs the commands of its README but those for people.
fn build_and_check(language: &str) {
    let directory = temp_dir();
    let created = run(&mut kalah_in(
        directory.path(),
        &["bot", "new", language, "mine"],
    ));
    assert_eq!(created.code(), Some(0), "{created:#?}");
    let note = "note: 'mine/README.md' has the commands that test the bot, check it and play against \
                it\n";
    assert_eq!(created.stderr, note);
    let folder = directory.path().join("mine");
    let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
    assert!(!readme.contains('{'), "{readme}");
    let mut spec = None;
    for row in readme.lines().filter_map(|line| line.strip_prefix("| ")) {
        let Some((name, command)) = row.split_once(" | `") else {
            continue;
        };
        let command = command.trim_end_matches("` |");
        if ["build", "test"].contains(&name) {
            let finished = run(Command::new("sh")
                .args(["-c", command])
                .current_dir(&folder));
            assert!(finished.status.success(), "{command}: {finished:#?}");
        } else {
            spec = command.split('"').nth(1);
        }
    }
    let spec = spec.expect("a specification").to_owned();
    let finished = check(&folder, &spec, &["--positions", "100"]);
    assert!(finished.status.success(), "{spec}: {finished:#?}");
    assert!(
        finished.stdout.contains("receives positions"),
        "{finished:#?}"
    );
    let error = run(&mut kalah_in(
        directory.path(),
        &["bot", "new", language, "mine"],
    ))
    .failure(1);
    assert_eq!(error, "error: 'mine' is not empty\n");
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn bot_in_python_is_tested_and_passes_the_check() {
    Tool::Python.require();
    build_and_check("python");
}

#[test]
#[cfg_attr(not(has_cc), ignore = "cc not found")]
fn bot_in_c_is_tested_and_passes_the_check() {
    Tool::Cc.require();
    build_and_check("c");
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn bot_in_cpp_is_tested_and_passes_the_check() {
    Tool::Gpp.require();
    build_and_check("cpp");
}

#[test]
#[cfg_attr(not(has_rustc), ignore = "rustc not found")]
fn bot_in_rust_is_tested_and_passes_the_check() {
    Tool::Rustc.require();
    build_and_check("rust");
}

/// `.ci/run` installs no Java, so that the test does not require it.
#[test]
#[cfg_attr(not(has_javac), ignore = "javac not found")]
fn bot_in_java_is_tested_and_passes_the_check() {
    if cfg!(has_javac) {
        build_and_check("java");
    }
}

#[cfg(unix)]
#[test]
fn a_new_bot_that_cannot_be_written_leaves_nothing_behind() {
    let directory = temp_dir();
    // The limit of the size of files is a block, as if the disk were full.
    let script = format!("trap '' XFSZ; ulimit -f 1; exec \"{KALAH}\" bot new python small/b");
    let mut command = Command::new("sh");
    let finished = run(command.args(["-c", &script]).current_dir(directory.path()));
    let error = finished.failure(1);
    assert!(error.contains("cannot write 'small/b/bot.py': "), "{error}");
    assert!(!directory.path().join("small").exists());
    let written = run(&mut kalah_in(
        directory.path(),
        &["bot", "new", "python", "small/b"],
    ));
    assert_eq!(written.code(), Some(0), "{written:#?}");
}
