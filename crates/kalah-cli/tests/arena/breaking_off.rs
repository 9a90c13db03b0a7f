//! Tournaments that are broken off, by whatever it is, and what is made of them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::run::{
    arena, as_text, assert_records_agree, filtered, games, is_gone, marked, output_of, results,
    start, text, timeless,
};

/// A tournament whose games are the same again, and take some time.
fn slow(folder: &Path, mark: &str) -> Vec<String> {
    slowed_by("sleep 0.01", folder, mark)
}

/// Arguments of a tournament that cannot end: after `games` games one of its engines stops answering.
fn blocked_after(games: usize, folder: &Path, mark: &str) -> Vec<String> {
    let journal = folder.join("games.jsonl");
    let finished = format!("$(cat '{}' | wc -l)", as_text(&journal));
    slowed_by(
        &format!("while [ {finished} -ge {games} ]; do sleep 0.1; done"),
        folder,
        mark,
    )
}

/// A tournament one of whose engines does that before each of its answers.
fn slowed_by(wait: &str, folder: &Path, mark: &str) -> Vec<String> {
    let slow = filtered(
        &format!("case \"$line\" in go*) {wait};; esac; tell"),
        "first",
    );
    let slow = marked(&slow, mark);
    let out = as_text(folder);
    [
        "--engine",
        &format!("cmd={slow},name=Slow"),
        "--engine",
        "level:2",
        "--engine",
        "level:4",
        "--rounds",
        "3",
        "--board",
        "4x2",
        "--openings",
        "plies:2",
        "--seed",
        "7",
        "--time",
        "10m",
        "--concurrency",
        "2",
        "--out",
        out,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Waits until so many games are finished, or the tournament is over.
fn wait_for_games(folder: &Path, count: usize, child: &mut Child) {
    let began = Instant::now();
    let lines = || {
        fs::read(folder.join("games.jsonl")).map_or(0, |bytes| {
            bytes
                .split_inclusive(|&byte| byte == b'\n')
                .filter(|line| line.ends_with(b"\n"))
                .count()
        })
    };
    while lines() < count && child.try_wait().expect("it can be asked").is_none() {
        assert!(
            began.elapsed() < Duration::from_mins(5),
            "no game is finished"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it is there");
}

#[test]
fn what_is_killed_at_any_moment_comes_out_the_same() {
    let directory = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (
        directory.path().join("whole"),
        directory.path().join("killed"),
    );
    results(&words(&slow(&whole, "resume-whole")));
    assert_eq!(games(&whole).len(), 18);

    let mut child = start(&words(&slow(&killed, "resume-killed")));
    // Moments that are spread over the games.
    for (number, pause) in [3_u64, 17, 41, 8, 29].into_iter().enumerate() {
        wait_for_games(&killed, 3 * (number + 1), &mut child);
        thread::sleep(Duration::from_millis(pause));
        child.kill().expect("it is a child");
        child.wait().expect("it is a child");
        let before = games(&killed);
        child = start(&[
            "--resume",
            as_text(&killed),
            "--concurrency",
            "2",
            "--quiet",
        ]);
        // Nothing that was finished is lost, and it is still the same.
        wait_for_games(&killed, before.len(), &mut child);
        assert_eq!(games(&killed)[..before.len()], before[..]);
    }
    let output = output_of(child);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(timeless(&killed), timeless(&whole));
    assert_records_agree(&killed);
    // There is nothing left to play.
    let again = results(&["--resume", as_text(&killed)]);
    assert_eq!(again["games_finished"], 18);
    assert_eq!(timeless(&killed), timeless(&whole));
    assert!(is_gone(&format!("resume-killed.{}", std::process::id())));
}

#[test]
fn what_is_torn_is_repaired() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("torn");
    let arguments = [
        "--engine",
        "level:2",
        "--engine",
        "level:5",
        "--rounds",
        "4",
        "--board",
        "4x2",
        "--time",
        "10m",
        "--out",
        as_text(&folder),
    ];
    results(&arguments);
    let whole = timeless(&folder);
    let (journal, records) = (folder.join("games.jsonl"), folder.join("games.kgn"));
    let lines = fs::read_to_string(&journal).expect("a journal");
    for cut in [lines.len() - 1, lines.len() - 30, lines.len() / 2, 5, 0] {
        fs::write(&journal, &lines[..cut]).expect("it is written");
        let mut file = OpenOptions::new()
            .append(true)
            .open(&records)
            .expect("records");
        file.write_all(b"[Event \"torn").expect("it is written");
        let again = results(&["--resume", as_text(&folder)]);
        assert_eq!(again["games_finished"], 8, "{cut}");
        assert_eq!(timeless(&folder), whole, "{cut}");
        assert_records_agree(&folder);
    }
    // What was written whole and is wrong is nothing that a kill does.
    fs::write(&journal, "{}\n").expect("it is written");
    let output = arena(&["--resume", as_text(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("games.jsonl': line 1: invalid game"),
        "{output:?}"
    );
}

#[test]
fn ctrl_c_and_a_polite_end_leave_nobody_and_say_how_to_go_on() {
    for (name, wish) in [("int", Signal::INT), ("term", Signal::TERM)] {
        let directory = tempfile::tempdir().expect("a folder");
        let folder = directory.path().join("broken off");
        let mark = format!("break-{name}");
        let mut child = start(&words(&blocked_after(2, &folder, &mark)));
        wait_for_games(&folder, 2, &mut child);
        signal(&child, wish);
        let output = output_of(child);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let told = text(&output.stderr);
        let resume = format!("kalah arena --resume '{}'", as_text(&folder));
        assert!(told.contains(&resume), "{told}");
        // What is known by then is told all the same.
        assert!(text(&output.stdout).contains("of 18 games"), "{output:?}");
        assert!(is_gone(&format!("{mark}.{}", std::process::id())));
        let finished = games(&folder).len();
        assert!((2..18).contains(&finished), "{finished}");
        assert_records_agree(&folder);
    }
}

#[test]
fn engines_that_hear_nothing_hold_nobody_up() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("deaf");
    // It neither answers nor minds the end of its input.
    let asleep = directory.path().join("asleep");
    let deaf = format!(
        "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; \
         go*) touch '{}'; exec sleep 1000;; esac; done",
        as_text(&asleep)
    );
    let deaf = marked(&deaf, "deaf");
    let engine = format!("cmd={deaf}");
    let child = start(&[
        "--engine",
        &engine,
        "--engine",
        "first",
        "--time",
        "10m",
        "--out",
        as_text(&folder),
    ]);
    let began = Instant::now();
    let mark = format!("deaf.{}", std::process::id());
    while !(folder.join("tournament.json").exists() && asleep.exists()) {
        assert!(
            began.elapsed() < Duration::from_mins(5),
            "it does not begin"
        );
        thread::sleep(Duration::from_millis(5));
    }
    signal(&child, Signal::INT);
    let output = output_of(child);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(is_gone(&mark));
}

#[test]
fn a_folder_is_played_by_one_at_a_time() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("locked");
    let mut child = start(&words(&blocked_after(1, &folder, "locked")));
    wait_for_games(&folder, 1, &mut child);
    let output = arena(&["--resume", as_text(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("is being played by another program"),
        "{output:?}"
    );
    let again = slow(&folder, "locked");
    let output = arena(&words(&again));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("holds a tournament already"),
        "{output:?}"
    );
    signal(&child, Signal::INT);
    output_of(child);
}

#[test]
fn what_cannot_be_gone_on_with_says_why() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = as_text(directory.path());
    let output = arena(&["--resume", folder]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("holds no tournament"),
        "{output:?}"
    );
    for (option, value) in [
        ("--rounds", "3"),
        ("--engine", "first"),
        ("--seed", "2"),
        ("--out", "x"),
        ("--time", "2s"),
    ] {
        let output = arena(&["--resume", folder, option, value]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(
            text(&output.stderr).contains("cannot be used with"),
            "{output:?}"
        );
    }
    fs::write(directory.path().join("tournament.json"), "{\"version\": 2}").expect("it is written");
    let output = arena(&["--resume", folder]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("tournament.json': missing field"),
        "{output:?}"
    );
}
