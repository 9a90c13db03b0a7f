//! Runs tournaments and reads their directories.

use std::fs;
use std::path::Path;

use kalah_arena::{FinishedGame, Journal};
use serde_json::Value;

use crate::harness::{Finished, KALAH, Process, kalah};

pub(crate) fn start(arguments: &[&str]) -> Process {
    Process::spawn(kalah(["arena"]).args(arguments))
}

/// Runs a tournament to its end.
pub(crate) fn arena(arguments: &[&str]) -> Finished {
    start(arguments).finish()
}

/// Runs a tournament to its end and returns its results.
pub(crate) fn results(arguments: &[&str]) -> Value {
    let output = arena(&[arguments, &["--json", "--quiet"]].concat());
    serde_json::from_str(&output.success()).expect("JSON")
}

/// Returns the games of a journal.
pub(crate) fn games(directory: &Path) -> Vec<FinishedGame> {
    let bytes = fs::read(directory.join("games.jsonl")).expect("a journal");
    Journal::parse(&bytes).expect("a journal").games().to_vec()
}

/// Returns the games without their times and sorted by pair: the part that does not depend on the
/// machine.
pub(crate) fn games_without_times(directory: &Path) -> Vec<FinishedGame> {
    let mut games = games(directory);
    for game in &mut games {
        game.think_time = kalah::BySide::default();
        game.ply_times_ms.fill(0);
    }
    games.sort_by_key(|game| (game.encounter.pair, game.leg));
    games
}

/// Checks that the record file has the games of the journal.
pub(crate) fn assert_records_agree(directory: &Path) {
    let expected: Vec<String> = (games(directory).iter())
        .map(|game| game.to_record().expect("a valid game").to_string())
        .collect();
    let records = fs::read_to_string(directory.join("games.kgn")).expect("records");
    let all = expected.join("\n");
    assert_eq!(records.trim_end(), all.trim_end());
}

/// Returns a shell script with a comment by which [`is_process_running`] finds its processes.
///
/// [`is_process_running`]: crate::harness::is_process_running
pub(crate) fn marked(script: &str, mark: &str) -> String {
    format!("{script} # {}", process_mark(mark))
}

/// Returns a mark that is unique on the machine.
pub(crate) fn process_mark(mark: &str) -> String {
    format!("{mark}.{}", std::process::id())
}

/// Returns `kalah engine` behind a filter of its input: the script is executed for each `$line`,
/// which it passes on by `forward`.
pub(crate) fn filtered(script: &str, player: &str) -> String {
    format!(
        "forward() {{ echo \"$line\"; }}; while read -r line; do {script}; done | '{KALAH}' engine --tables none --player {player} --seed 1"
    )
}
