//! Table files that are damaged, or change while a command uses them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Process, args_with, kalah, path_text, run, temp_dir};
use crate::serve::page_server::{PageServer, post_request, send_request};

/// The position of an example of `kalah tables probe`, with 9 seeds in the houses.
const POSITION: &str = "<6,20,15,0,1,0,2,0,1,1,0,0,3,0,1> s";

const NAME: &str = "kalah-6-houses-12-seeds-cs32.table";

/// The offset of the first value in a file.
const VALUES: usize = 4096;

/// The bytes of a page of a file, which an interrupted copy leaves as zeros.
const PAGE: usize = 4096;

/// The first value of the layer with 12 seeds: 1,352,078 positions have fewer.
const LAST_LAYER: usize = VALUES + 1_352_078;

/// Builds a table with 12 seeds and changes its file.
fn changed_table(change: impl FnOnce(&mut [u8])) -> (TempDir, PathBuf) {
    let folder = temp_dir();
    run(kalah(["tables", "build", "--seeds", "12", "--dir"]).arg(folder.path())).success();
    let path = folder.path().join(NAME);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Solves a position, and returns the JSON and the messages.
fn solve(position: &str, tables: &str, options: &str) -> (Value, String) {
    let line = format!("solve {{}} --json --tables {{}}{options}");
    let output = run(&mut kalah(args_with(&line, &[position, tables])));
    assert!(output.status.success(), "{output:#?}");
    (output.json(), output.stderr)
}

/// Asserts that `message` names the file, the layer and the command that builds it again.
fn assert_names_damage(message: &str, file: &str, layer: &str, command: &str) {
    for part in [file, layer, command] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

fn rebuild_command(folder: &Path) -> String {
    let folder = path_text(folder);
    format!("`kalah tables build --houses 6 --seeds 12 --rules cs32 --dir {folder}`")
}

#[test]
fn table_of_zeros_proves_nothing_and_is_reported() {
    let (folder, path) = changed_table(|bytes| bytes[VALUES..].fill(0));
    let tables = path_text(folder.path());
    for position in [POSITION, "6x1"] {
        let (expected, _) = solve(position, "none", "");
        assert!(expected.get("table_damage").is_none());
        let (solved, warning) = solve(position, tables, "");
        assert_eq!(solved["margin"], expected["margin"], "{position}");
        assert_eq!(solved["exact"], true);
        let damage = solved["table_damage"].as_str().expect("the damage");
        for message in [damage, &warning] {
            let command = rebuild_command(folder.path());
            assert_names_damage(message, path_text(&path), "with 0 seeds", &command);
        }
        assert!(warning.starts_with("warning: '"), "{warning}");
        // The values are out of range, also for a reader that trusts the checksums.
        let (solved, _) = solve(position, tables, " --trust");
        assert_eq!(solved["margin"], expected["margin"], "{position}");
        assert!(solved["table_damage"].is_string());
    }
    let output = run(&mut kalah(args_with(
        "solve {} --tables {}",
        &["6x1", tables],
    )));
    assert!(
        output.stdout.contains("\nA table was not used: '"),
        "{output:#?}"
    );
}

#[test]
fn hole_in_a_layer_is_found_before_the_layer_is_used() {
    let (folder, _) = changed_table(|bytes| bytes[LAST_LAYER + PAGE..][..PAGE].fill(0));
    let tables = path_text(folder.path());
    let (solved, warning) = solve("6x1", tables, "");
    assert_eq!(solved["margin"], solve("6x1", "none", "").0["margin"]);
    assert!(
        warning.contains("the positions with 12 seeds are damaged"),
        "{warning}"
    );
    // A position with fewer seeds needs only the layers before.
    let (solved, warning) = solve(POSITION, tables, "");
    assert_eq!((solved.get("table_damage"), &*warning), (None, ""));
    assert_eq!(solved["nodes"], 0, "the table has all moves");

    let probe = kalah(args_with("tables probe {} --dir {}", &[POSITION, tables])).output();
    assert!(probe.unwrap().status.success());
    let position = "<6,18,14,0,1,0,2,1,1,1,1,0,3,1,1> s";
    let probe = run(&mut kalah(args_with(
        "tables probe {} --dir {}",
        &[position, tables],
    )));
    let command = rebuild_command(folder.path());
    assert_names_damage(&probe.failure(1), NAME, "with 12 seeds", &command);
}

#[test]
fn trusted_table_is_used_without_its_checksums() {
    // All gains of positions with 12 seeds become 0, which is a possible gain.
    let (folder, _) = changed_table(|bytes| bytes[LAST_LAYER..].fill(128));
    let tables = path_text(folder.path());
    let (solved, warning) = solve("6x1", tables, " --trust");
    assert_eq!((solved.get("table_damage"), &*warning), (None, ""));
    assert_eq!(solved["nodes"], 0, "the table has all moves");
    let message = run(&mut kalah(["solve", "6x1", "--trust"])).failure(2);
    assert!(message.contains("--tables"), "{message}");
}

#[test]
fn engine_reports_a_damaged_table_and_searches_without_it() {
    let (folder, path) = changed_table(|bytes| bytes[VALUES..].fill(0));
    let tables = path_text(folder.path());
    let mut engine = Process::spawn(&mut kalah(["engine", "--tables", tables]));
    engine.send_line("uki");
    engine.send_line("position startpos 6x1 rules cs32");
    engine.send_line("go");
    let output = engine.read_until("bestmove ").expect("a search");
    let line = output.lines().find(|line| line.starts_with("info string "));
    let line = line.unwrap_or_else(|| panic!("{output}"));
    let command = rebuild_command(folder.path());
    assert_names_damage(line, path_text(&path), "with 0 seeds", &command);
    let (expected, _) = solve("6x1", "none", "");
    let score = format!("score exact {:+} ", expected["margin"].as_i64().unwrap());
    assert!(output.contains(&score), "{score}: {output}");
}

/// Returns the result of an analysis by a server.
fn analyze(server: &PageServer) -> Value {
    let body = json!({ "position": "6x1", "rules": "cs32", "time": "20s" });
    let request = post_request("/api/v1/analyze", "", &body);
    let response = send_request(&server.address, &request).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    assert!(head.starts_with("HTTP/1.1 200 "), "{response}");
    serde_json::from_str(body).expect("JSON")
}

#[test]
fn server_reads_tables_into_memory_and_survives_their_truncation() {
    let (folder, path) = changed_table(|_| ());
    let data = temp_dir();
    let server = PageServer::start(data.path(), &["--tables", path_text(folder.path())]);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(5000)
        .unwrap();
    let report = analyze(&server);
    assert_eq!(report["margin"], solve("6x1", "none", "").0["margin"]);
    assert_eq!(report["nodes"], 0, "the table has all moves");
    assert!(report.get("table_damage").is_none());
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn server_reports_a_damaged_table_without_its_folder() {
    let (folder, _) = changed_table(|bytes| bytes[VALUES..].fill(0));
    let data = temp_dir();
    let tables = path_text(folder.path());
    let mut server = PageServer::start(data.path(), &["--tables", tables, "--log", "off"]);
    let report = analyze(&server);
    assert_eq!(report["margin"], solve("6x1", "none", "").0["margin"]);
    let damage = report["table_damage"].as_str().expect("the damage");
    let command = "`kalah tables build --houses 6 --seeds 12 --rules cs32`";
    assert_names_damage(damage, &format!("'{NAME}'"), "with 0 seeds", command);
    assert!(!damage.contains(tables), "{damage}");
    server.process.kill();
    let log = server.process.wait().stderr;
    assert_names_damage(
        &log,
        tables,
        "with 0 seeds",
        &rebuild_command(folder.path()),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn truncation_during_a_search_ends_it_with_the_name_of_the_file() {
    use std::os::unix::process::ExitStatusExt as _;

    /// The number of the signal.
    const SIGBUS: i32 = 7;

    let (folder, path) = changed_table(|_| ());
    let tables = path_text(folder.path());
    // A search to a depth builds no table.
    let mut engine = Process::spawn(&mut kalah(["engine", "--tables", tables]));
    engine.send_line("uki");
    engine.send_line("position startpos 6x6 rules cs32");
    engine.send_line("go depth 90");
    engine.read_until("info depth 8 ").expect("a search");
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(4096)
        .unwrap();
    let output = engine.wait();
    assert_eq!(output.status.signal(), Some(SIGBUS), "{output:#?}");
    let expected = format!(
        "error: the system cannot read '{}' any more",
        path_text(&path)
    );
    assert!(output.stderr.contains(&expected), "{output:#?}");
}
