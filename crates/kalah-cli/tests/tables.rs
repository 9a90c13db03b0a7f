//! Tables whose building ends early, and table files that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Seeds of a table that takes a second or so to build.
const SEEDS: &str = "18";
const NAME: &str = "kalah-6-houses-18-seeds-cs32.table";

/// What a build has written when it is in the middle: some layers, and not the last ones, which are by far the
/// largest.
const SOME_LAYERS: u64 = 1 << 20;

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(120);

fn kalah(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn build(folder: &Path) -> Command {
    let mut command = kalah(&[
        "tables",
        "build",
        "--threads",
        "1",
        "--seeds",
        SEEDS,
        "--dir",
    ]);
    command.arg(folder);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// What is told of a build that does its work.
fn told(mut command: Command) -> String {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

/// A build that has written some layers.
fn in_the_middle(folder: &Path) -> Child {
    let child = build(folder).spawn().expect("it starts");
    let part = folder.join(format!("{NAME}.part"));
    let start = Instant::now();
    while fs::metadata(&part).map_or(0, |part| part.len()) < SOME_LAYERS {
        assert!(start.elapsed() < PATIENCE, "nothing is written");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

/// That a build goes on where one was broken off, and that no trace is left of that.
fn goes_on(folder: &Path) {
    assert!(folder.join(format!("{NAME}.part")).exists());
    assert!(!folder.join(NAME).exists());
    let resumed = told(build(folder));
    assert!(
        resumed.contains(" of them by an earlier build; "),
        "{resumed}"
    );
    let whole = tempfile::tempdir().unwrap();
    let at_once = told(build(whole.path()));
    assert!(!at_once.contains("earlier"), "{at_once}");
    let read = |folder: &Path| fs::read(folder.join(NAME)).unwrap();
    assert!(read(folder) == read(whole.path()));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn a_build_that_is_killed_goes_on_with_the_layers_that_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = in_the_middle(folder.path());
    child.kill().expect("it runs");
    assert!(!child.wait().expect("it ends").success());
    goes_on(folder.path());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_build_behind_a_layer_and_tells_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let child = in_the_middle(folder.path());
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(status.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("error: broken off with "), "{errors}");
    assert!(
        errors.ends_with("the same command goes on from there\n"),
        "{errors}"
    );
    goes_on(folder.path());
}

#[test]
fn two_builds_of_one_table_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let first = in_the_middle(folder.path());
    let second = build(folder.path()).output().expect("it runs");
    let errors = text(&second.stderr);
    assert!(
        errors.ends_with("is being built by another program\n"),
        "{errors}"
    );
    let first = first.wait_with_output().expect("it ends");
    assert!(first.status.success(), "{}", text(&first.stderr));
}

/// A small table, and one that some bytes of it are made to.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = kalah(&["tables", "build", "--houses", "3", "--seeds", "7", "--dir"]);
    command.arg(folder.path());
    told(command);
    let path = folder.path().join("kalah-3-houses-7-seeds-cs32.table");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn of_file(verb: &str, path: &Path) -> Output {
    let mut command = kalah(&["tables", verb]);
    command.arg(path).output().expect("it runs")
}

#[test]
fn damaged_files_are_told_apart() {
    let flip = |at: usize| move |bytes: &mut Vec<u8>| bytes[at] ^= 1;
    let cases: [(&str, Box<dyn FnOnce(&mut Vec<u8>)>); 5] = [
        (
            "is cut off: it has 5811 bytes, and its header needs 5812",
            Box::new(|bytes| bytes.truncate(5811)),
        ),
        (
            "the file is cut off: it has 4095 bytes",
            Box::new(|bytes| bytes.truncate(4095)),
        ),
        ("this is not a table of Kalah", Box::new(flip(0))),
        (
            "this is a table of version 0 of the format",
            Box::new(flip(8)),
        ),
        (
            "the header is damaged: its checksum is ",
            Box::new(flip(13)),
        ),
    ];
    for (expected, change) in cases {
        let (folder, path) = changed(change);
        for verb in ["info", "verify"] {
            let output = of_file(verb, &path);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{errors}");
            assert!(errors.contains(expected), "{verb}: {errors}");
        }
        // A probe passes it over.
        let mut probe = kalah(&["tables", "probe", "<3,0,0,0,1,0,0,1,0> s", "--dir"]);
        let output = probe.arg(folder.path()).output().expect("it runs");
        let errors = text(&output.stderr);
        assert!(errors.starts_with("error: no table in '"), "{errors}");
    }
}

/// Where the value of a position with 6 seeds lies: 462 have fewer, and 924 no more.
const FLIPPED: usize = 4096 + 904;

#[test]
fn a_flipped_value_is_found_by_verify() {
    let (_folder, path) = changed(|bytes| bytes[FLIPPED] ^= 1);
    assert!(of_file("info", &path).status.success());
    let output = of_file("verify", &path);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("': the positions with 6 seeds are damaged: "),
        "{errors}"
    );
}
