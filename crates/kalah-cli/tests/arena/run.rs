//! Tournaments as processes, and what they leave behind.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kalah_arena::{FinishedGame, Journal};
use serde_json::Value;

pub(crate) const KALAH: &str = env!("CARGO_BIN_EXE_kalah");

/// No tournament here takes as long, on the slowest machine.
const MOST_TIME: Duration = Duration::from_mins(10);

/// Starts a tournament.
pub(crate) fn start(arguments: &[&str]) -> Child {
    Command::new(KALAH)
        .arg("arena")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// What a tournament writes until it ends; one that hangs is ended, which is an error.
pub(crate) fn output_of(mut child: Child) -> Output {
    let mut stdout = child.stdout.take().expect("piped");
    let mut stderr = child.stderr.take().expect("piped");
    let read_stdout = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    let read_stderr = thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).map(|_| bytes)
    });
    let began = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if began.elapsed() > MOST_TIME {
            child.kill().expect("it is there");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Output {
        status: child.wait().expect("it has ended"),
        stdout: read_stdout.join().expect("no panic").expect("it is read"),
        stderr: read_stderr.join().expect("no panic").expect("it is read"),
    }
}

/// A tournament to its end.
pub(crate) fn arena(arguments: &[&str]) -> Output {
    output_of(start(arguments))
}

/// A tournament to its end, and its results.
pub(crate) fn results(arguments: &[&str]) -> Value {
    let output = arena(&[arguments, &["--json", "--quiet"]].concat());
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("a document of JSON")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_owned()).expect("text")
}

/// A path as text.
pub(crate) fn as_text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// The finished games of a folder.
pub(crate) fn games(folder: &Path) -> Vec<FinishedGame> {
    let bytes = fs::read(folder.join("games.jsonl")).expect("a journal");
    Journal::parse(&bytes).expect("a journal").games().to_vec()
}

/// The games without the time that they took, in the order of their pairs: what has to be the same again.
pub(crate) fn timeless(folder: &Path) -> Vec<FinishedGame> {
    let mut games = games(folder);
    for game in &mut games {
        game.think_time = kalah::BySide::default();
    }
    games.sort_by_key(|game| (game.encounter.pair, game.leg));
    games
}

/// The records of a folder are those of its journal.
pub(crate) fn assert_records_agree(folder: &Path) {
    let expected: Vec<String> = (games(folder).iter())
        .map(|game| game.to_record().expect("it fits together").to_string())
        .collect();
    let records = fs::read_to_string(folder.join("games.kgn")).expect("records");
    let all = expected.join("\n");
    assert_eq!(records.trim_end(), all.trim_end());
}

/// Whether a process runs whose command line has `part`.
pub(crate) fn runs(part: &str) -> bool {
    let output = Command::new("ps")
        .args(["-A", "-o", "stat=,args="])
        .output()
        .expect("it runs");
    text(&output.stdout)
        .lines()
        .any(|line| line.contains(part) && !line.starts_with('Z'))
}

/// Waits until no process runs whose command line has `part`.
pub(crate) fn is_gone(part: &str) -> bool {
    let began = Instant::now();
    while runs(part) {
        if began.elapsed() > Duration::from_mins(2) {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// A command that no other process has, for [`is_gone`]: a shell script with a comment.
pub(crate) fn marked(script: &str, mark: &str) -> String {
    format!("{script} # {mark}.{}", std::process::id())
}

/// Our engine behind a filter of what it is told: for each line `$line`, which the script may pass on by `tell`.
pub(crate) fn filtered(script: &str, player: &str) -> String {
    format!(
        "tell() {{ echo \"$line\"; }}; while read -r line; do {script}; done | '{KALAH}' engine --tables none --player {player} --seed 1"
    )
}
