//! `kalah mankalah` with real agents, good and bad ones.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah::{Side, Termination};
use test_tools::Tool;

const KALAH: &str = env!("CARGO_BIN_EXE_kalah");

/// One of our own agents as a command line.
fn ours(arguments: &str) -> String {
    format!("'{KALAH}' mankalah agent --tables none {arguments}")
}

fn host(south: &str, north: &str, arguments: &[&str]) -> Output {
    let mut child = Command::new(KALAH)
        .args(["mankalah", "host", south, north])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // A host that hangs is an error, and no hanging test; what it writes fits a pipe.
    let began = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if began.elapsed() > MOST_TIME {
            child.kill().expect("it is there");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

/// No game here takes as long.
const MOST_TIME: Duration = Duration::from_mins(10);

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_owned()).expect("text")
}

/// What each agent made of its game, by the two lines of the host.
fn results(output: &Output) -> Vec<bool> {
    let text = text(&output.stdout);
    let lines = text.lines().map(|line| {
        let (has_won, average) = line.split_once(' ').expect("two numbers");
        average.parse::<u64>().expect("milliseconds");
        match has_won {
            "1" => true,
            "0" => false,
            _ => panic!("{line}"),
        }
    });
    let results: Vec<bool> = lines.collect();
    assert_eq!(results.len(), 2, "{text}");
    results
}

/// Whether a process runs whose command line has `part`.
fn runs(part: &str) -> bool {
    let output = Command::new("ps")
        .args(["-A", "-o", "stat=,args="])
        .output()
        .expect("it runs");
    text(&output.stdout)
        .lines()
        .any(|line| line.contains(part) && !line.starts_with('Z'))
}

/// Waits until no process runs whose command line has `part`.
fn is_gone(part: &str) -> bool {
    let began = Instant::now();
    while runs(part) {
        if began.elapsed() > Duration::from_mins(2) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

fn last_record(path: &Path) -> Record {
    let text = fs::read_to_string(path).expect("a record");
    Record::parse_all(&text).expect("games").pop().expect("one")
}

#[test]
fn two_of_ours_play_a_whole_game_that_is_recorded() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("games.kgn");
    let file = path.to_str().expect("text");
    for game in 1..=2 {
        let output = host(
            &ours("--player level:8 --seed 1"),
            &ours("--player random --seed 2"),
            &["--record", file],
        );
        assert!(output.status.success(), "{output:?}");
        let record = last_record(&path);
        let ending = record.ending();
        assert_eq!(ending.termination, Termination::Normal);
        let outcome = ending.outcome.expect("it was played to its end");
        assert_eq!(
            outcome.to_string(),
            record.tags().get("Result").expect("it is there")
        );
        let south_won = results(&output) == [true, false];
        assert_eq!(
            south_won,
            outcome.winner() == Some(Side::South) && !record.game().is_swapped()
        );
        assert!(
            record
                .tags()
                .get("North")
                .is_some_and(|name| name.ends_with("--seed 2"))
        );
        let text = fs::read_to_string(&path).expect("a record");
        assert_eq!(Record::parse_all(&text).expect("games").len(), game);
    }
}

#[test]
fn a_swap_is_played_through_both_agents() {
    // South banks nearly everything with its first sowing, and North takes its place.
    let first = "read l; echo 'MOVE;1'; while read l; do case $l in *YOU) \
                 echo 'MOVE;1';; END) exit;; esac; done";
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let file = path.to_str().expect("text");
    let output = host(
        first,
        &ours("--time 1h"),
        &["--board", "1x4", "--record", file],
    );
    let record = last_record(&path);
    assert!(record.game().is_swapped(), "{record}");
    assert_eq!(record.ending().termination, Termination::Normal, "{record}");
    let winner = record.ending().winner;
    let expected = [winner == Some(Side::North), winner == Some(Side::South)];
    assert_eq!(results(&output), expected, "{record}");
}

#[test]
fn whoever_breaks_the_rules_loses_at_once_and_nothing_is_left_behind() {
    for (number, bad, limit, why) in [
        (
            1,
            "echo 'MOVE;9'; sleep 7701",
            "1h",
            "illegal move, MOVE;9: there is no house I",
        ),
        (
            2,
            "echo SWAP; sleep 7702",
            "1h",
            "illegal move, SWAP: sides can be exchanged",
        ),
        (
            3,
            "echo 'move 1'; sleep 7703",
            "1h",
            "bad message, `move 1` is not an agent message",
        ),
        (
            4,
            "echo; sleep 7704",
            "1h",
            "bad message, `` is not an agent message",
        ),
        (
            5,
            "printf '\\377\\n'; sleep 7705",
            "1h",
            "bad message, a line that is no text",
        ),
        (
            6,
            "head -c 20000 /dev/zero; echo; sleep 7706",
            "1h",
            "bad message, a line that is too long",
        ),
        (
            7,
            "sleep 7707 & echo oh no >&2; exit 3",
            "1h",
            "disconnected, exit status: 3; its last words:\n  oh no",
        ),
        (
            8,
            "sleep 7708 & kill -9 $$",
            "1h",
            "disconnected, signal: 9 (SIGKILL)",
        ),
        (
            9,
            "exec >&-; sleep 7709",
            "1h",
            "disconnected, it closed its output",
        ),
        (10, "sleep 7710", "300ms", "out of time, after 300ms"),
        (
            11,
            "sleep 1; echo 'MOVE;1'; sleep 7711",
            "300ms",
            "out of time, after 300ms",
        ),
        (
            12,
            "trap '' TERM INT HUP; sleep 7712 & yes",
            "1h",
            "bad message, `y` is not an agent message",
        ),
        (
            13,
            "sleep 7713 & yes 'MOVE;1'",
            "1h",
            "illegal move, MOVE;1: house A is empty",
        ),
        (
            14,
            "sleep 7714 & cat /dev/zero",
            "1h",
            "bad message, a line that is too long",
        ),
        (
            15,
            "no-such-program-7715",
            "1h",
            "disconnected, exit status: 127; its last words:\n  ",
        ),
    ] {
        let output = host(bad, &ours("--player first"), &["--time", limit]);
        let why = format!("the first agent has lost: {why}");
        let errors = text(&output.stderr);
        assert!(errors.contains(&why), "{bad}: {errors}");
        assert!(output.status.success(), "{bad}: {errors}");
        assert_eq!(results(&output), [false, true], "{bad}");
        assert!(is_gone(&format!("sleep {}", 7700 + number)), "{bad}");
    }
}

#[test]
fn an_agent_that_stays_after_the_end_is_ended() {
    let stays = format!("sleep 7750 & {}; sleep 7751", ours("--player first"));
    let output = host(&stays, &stays, &[]);
    assert!(output.status.success(), "{output:?}");
    results(&output);
    assert!(is_gone("sleep 7750") && is_gone("sleep 7751"));
}

#[test]
fn a_loss_is_recorded_with_its_reason() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let file = path.to_str().expect("text");
    for (bad, limit, termination) in [
        ("echo nonsense", "1h", Termination::Protocol),
        ("echo SWAP; cat", "1h", Termination::Illegal),
        ("exit", "1h", Termination::Crash),
        ("cat > /dev/null", "100ms", Termination::Time),
    ] {
        host(
            bad,
            &ours("--player first"),
            &["--record", file, "--time", limit],
        );
        let ending = last_record(&path).ending();
        assert_eq!(ending.termination, termination, "{bad}");
        assert_eq!(ending.winner, Some(Side::North), "{bad}");
    }
}

#[test]
fn ctrl_c_ends_the_game_and_both_agents() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let stalls = "sleep 7760 & while :; do sleep 7761; done";
    let mut child = Command::new(KALAH)
        .args(["mankalah", "host", stalls, stalls, "--record"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while !(runs("sleep 7760") && runs("sleep 7761")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("it runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let output = child.wait_with_output().expect("it has ended");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(text(&output.stderr), "error: the game was broken off\n");
    assert!(is_gone("sleep 7760") && is_gone("sleep 7761"));
    let ending = last_record(&path).ending();
    assert_eq!(ending.termination, Termination::Unfinished);
}

/// Speaks to one of our agents: after each line an answer, or none where `None` stands.
fn converse(arguments: &[&str], lines: &[(&str, Option<&str>)]) -> (String, Option<i32>) {
    let mut child = Command::new(KALAH)
        .args(["mankalah", "agent", "--tables", "none"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for (line, answer) in lines {
        writeln!(stdin, "{line}").expect("it reads");
        if let Some(answer) = answer {
            let mut heard = String::new();
            stdout.read_line(&mut heard).expect("an answer");
            assert_eq!(heard.trim_end(), *answer, "{line}");
        }
    }
    drop(stdin);
    let mut rest = String::new();
    while stdout.read_line(&mut rest).expect("text") > 0 {}
    assert_eq!(rest, "");
    let output = child.wait_with_output().expect("it ends");
    (text(&output.stderr), output.status.code())
}

#[test]
fn an_agent_swaps_by_the_margin() {
    for (board, answer) in [("0,0,1,0,5,5,5,20", "SWAP"), ("5,5,5,20,0,0,1,0", "MOVE;1")] {
        let change = format!("CHANGE;1;{board};YOU");
        let lines = [
            ("START;North", None),
            (&*change, Some(answer)),
            ("END", None),
        ];
        assert_eq!(
            converse(&["--time", "1h"], &lines),
            (String::new(), Some(0))
        );
    }
}

#[test]
fn an_agent_passes_over_nonsense_and_goes_when_the_input_ends() {
    let lines = [
        ("CHANGE;1;1,1,1,1;YOU", None),
        ("hello\u{1b}", None),
        ("START;South", Some("MOVE;1")),
        ("CHANGE;1;70000,1,1,1;YOU", None),
        ("CHANGE;1;1,1,1,1;YOU", Some("MOVE;1")),
    ];
    let (errors, code) = converse(&["--player", "first", "--board", "2x2"], &lines);
    assert_eq!(code, Some(0));
    let first = errors.lines().next().expect("a warning");
    assert_eq!(
        first,
        "warning: `CHANGE;1;1,1,1,1;YOU`: a change came before the start of a game"
    );
    assert!(
        errors.contains("warning: `hello\\u{1b}` is not an engine message"),
        "{errors}"
    );
    assert!(errors.contains("70003 seeds are too many"), "{errors}");
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn the_agent_of_the_documents_plays_a_whole_game() {
    Tool::Python.require();
    let document = include_str!("../../../docs/protocols.md");
    let (_, program) = document.split_once("```python\n").expect("a program");
    let (program, _) = program.split_once("```").expect("its end");
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("agent.py");
    fs::write(&path, program).expect("it is written");
    let theirs = format!("python3 '{}'", path.display());
    for (south, north) in [
        (theirs.clone(), ours("--time 20ms")),
        (ours("--player first"), theirs),
    ] {
        let output = host(&south, &north, &[]);
        let errors = text(&output.stderr);
        assert!(!errors.contains("has lost"), "{errors}");
        results(&output);
    }
}
