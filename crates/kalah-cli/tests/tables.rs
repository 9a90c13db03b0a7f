//! Tables whose building ends early, and table files that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Seeds of a table that takes a second or so to build.
const SEEDS: &str = "17";
const NAME: &str = "kalah-6-houses-17-seeds-cs32.table";

/// What a build has written when it is in the middle: some layers, and not the last ones, which are by far the
/// largest.
const SOME_LAYERS: u64 = 1 << 20;

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_mins(5);

fn kalah(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn build_of(seeds: &str, folder: &Path) -> Command {
    let mut command = kalah(&["tables", "build", "--threads", "1", "--seeds", seeds]);
    command.arg("--dir").arg(folder);
    command
}

fn build(folder: &Path) -> Command {
    build_of(SEEDS, folder)
}

/// The only table of this many seeds, as it is when nothing disturbs its building.
fn whole(seeds: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let at_once = told(build_of(seeds, folder.path()));
    assert!(!at_once.contains("earlier"), "{at_once}");
    let mut files = fs::read_dir(folder.path()).unwrap();
    let file = files.next().unwrap().unwrap();
    assert!(files.next().is_none());
    fs::read(file.path()).unwrap()
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

/// Sends a signal to a build.
#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
}

/// A build that has written some layers and is stopped before the last ones, until a signal lets it go on.
#[cfg(unix)]
fn in_the_middle(folder: &Path) -> Child {
    let part = folder.join(format!("{NAME}.part"));
    let has_layers = || fs::metadata(&part).is_ok_and(|part| part.len() >= SOME_LAYERS);
    let start = Instant::now();
    loop {
        let mut child = build(folder).spawn().expect("it starts");
        while !has_layers() && child.try_wait().expect("it can be asked").is_none() {
            assert!(start.elapsed() < PATIENCE, "nothing is written");
            thread::sleep(Duration::from_millis(1));
        }
        signal(&child, "-STOP");
        let id = child.id().to_string();
        let state = || {
            let output = Command::new("ps").args(["-o", "stat=", "-p", &id]).output();
            text(&output.expect("ps is there").stdout)
        };
        while !state().starts_with(['T', 'Z']) {
            thread::sleep(Duration::from_millis(1));
        }
        if has_layers() {
            return child;
        }
        // The build was over before it could be stopped: another try.
        child.kill().expect("it is a child");
        child.wait().expect("it is a child");
        for file in fs::read_dir(folder).expect("a folder") {
            fs::remove_file(file.expect("a file").path()).expect("it can be removed");
        }
    }
}

/// The table of [`SEEDS`], built once.
#[cfg(unix)]
static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();

/// That a build goes on where one was broken off, and that no trace is left of that.
#[cfg(unix)]
fn goes_on(folder: &Path) {
    assert!(folder.join(format!("{NAME}.part")).exists());
    assert!(!folder.join(NAME).exists());
    let resumed = told(build(folder));
    assert!(
        resumed.contains(" of them by an earlier build; "),
        "{resumed}"
    );
    assert!(fs::read(folder.join(NAME)).unwrap() == *WHOLE.get_or_init(|| whole(SEEDS)));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_build_that_is_killed_goes_on_with_the_layers_that_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = in_the_middle(folder.path());
    child.kill().expect("it runs");
    assert!(!child.wait().expect("it ends").success());
    for verb in ["info", "verify"] {
        let refused = of_file(verb, &folder.path().join(format!("{NAME}.part")));
        assert_eq!(refused.status.code(), Some(1));
        let errors = text(&refused.stderr);
        let advice = "': this table is not finished; unless it is being built just now, `kalah tables build` with \
                      its houses, seeds and rules goes on with it\n";
        assert!(errors.ends_with(advice), "{errors}");
    }
    goes_on(folder.path());
}

/// Parts of the time that a build takes, at which it is killed: as even as may be, in no order.
fn moments() -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_75;
    (1..=16).map(|kill| (f64::from(kill) * GOLDEN).fract())
}

#[test]
fn a_build_may_be_killed_at_any_moment_again_and_again() {
    const FEWER: &str = "15";
    let start = Instant::now();
    let whole = whole(FEWER);
    let took = start.elapsed();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kalah-6-houses-15-seeds-cs32.table");
    for moment in moments() {
        let mut child = build_of(FEWER, folder.path()).spawn().expect("it starts");
        thread::sleep(took.mul_f64(moment));
        child.kill().expect("it was started");
        let status = child.wait().expect("it ends");
        if path.exists() {
            assert!(fs::read(&path).unwrap() == whole);
            fs::remove_file(&path).unwrap();
        } else {
            assert!(!status.success());
        }
    }
    told(build_of(FEWER, folder.path()));
    assert!(fs::read(&path).unwrap() == whole);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_build_that_finds_no_more_room_says_so_and_goes_on_when_there_is_some() {
    // More than the first layers, less than the last.
    let limited = r#"trap '' XFSZ; ulimit -f 2048; exec "$@""#;
    let folder = tempfile::tempdir().unwrap();
    let plain = build_of("13", folder.path());
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh"]);
    command.arg(plain.get_program()).args(plain.get_args());
    let output = command.output().expect("it runs");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("error: cannot write '"), "{errors}");
    assert!(errors.contains("File too large"), "{errors}");
    let resumed = told(plain);
    assert!(
        resumed.contains(" of them by an earlier build; "),
        "{resumed}"
    );
    let path = folder.path().join("kalah-6-houses-13-seeds-cs32.table");
    assert!(fs::read(path).unwrap() == whole("13"));
}

#[cfg(unix)]
#[test]
fn on_a_terminal_a_build_shows_how_far_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let piped = build(folder.path());
    let mut command = Command::new(piped.get_program());
    command.args(piped.get_args()).env("TERM", "xterm");
    let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
    let mut session = rexpect::session::spawn_command(command, Some(patience)).expect("it starts");
    session
        .exp_regex(r"1[5-7] of 17 seeds .*[0-9]+%, [0-9.]+ million positions/s, [0-9]+s left")
        .expect("a bar");
    let rest = session.exp_eof().expect("it ends");
    assert!(rest.contains("' is complete: "), "{rest}");
}

#[test]
fn a_bench_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = kalah(&["bench", "tables", "--houses", "3", "--seeds", "9", "--dir"]);
    bench.arg(folder.path());
    let told = told(bench);
    assert!(
        told.starts_with("kalah bench tables --houses 3 --seeds 9 --rules cs32 --threads "),
        "{told}"
    );
    assert!(told.contains("\n5,005 positions; "), "{told}");
    assert!(
        told.ends_with(" s writing and syncing: 8.89 KiB\n"),
        "{told}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_build_and_tells_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let child = in_the_middle(folder.path());
    signal(&child, "-INT");
    signal(&child, "-CONT");
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

#[cfg(unix)]
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
    signal(&first, "-CONT");
    let first = first.wait_with_output().expect("it ends");
    assert!(first.status.success(), "{}", text(&first.stderr));
}

/// What happens to a file.
type Change = fn(&mut Vec<u8>);

fn flip(bytes: &mut [u8], at: usize) {
    bytes[at] ^= 1;
}

/// A small table, and one that some bytes of it are made to.
fn changed(change: Change) -> (tempfile::TempDir, PathBuf) {
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
    let cases: [(&str, Change); 6] = [
        (
            "is truncated: 5811 bytes, but the header requires 5812",
            |bytes| bytes.truncate(5811),
        ),
        (
            "is too long: 5813 bytes, but the header requires 5812",
            |bytes| bytes.push(0),
        ),
        ("truncated header: 4095 of 4096 bytes", |bytes| {
            bytes.truncate(4095);
        }),
        ("not a Kalah table file", |bytes| flip(bytes, 0)),
        ("table format version 257 is not supported", |bytes| {
            flip(bytes, 9);
        }),
        ("the header is damaged: checksum ", |bytes| {
            flip(bytes, 13);
        }),
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
    let (_folder, path) = changed(|bytes| flip(bytes, FLIPPED));
    assert!(of_file("info", &path).status.success());
    let output = of_file("verify", &path);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("': the positions with 6 seeds are damaged: "),
        "{errors}"
    );
}

#[test]
fn a_folder_without_tables_is_none_of_the_failures_but_one_that_is_missing_is() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder
        .path()
        .join("a-name-that-is-longer-than-anybody-would-type/".repeat(3));
    for verb in ["info", "verify"] {
        let about = |folder: &Path| {
            let mut command = kalah(&["tables", verb, "--dir"]);
            command.arg(folder);
            command
        };
        let nothing = format!("no tables in '{}'\n", folder.path().display());
        assert_eq!(told(about(folder.path())), nothing);

        let output = about(&missing).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        let expected = format!("error: there is no folder '{}'\n", missing.display());
        assert_eq!(text(&output.stderr), expected);
        assert_eq!(text(&output.stdout), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_folder_of_the_user_need_not_be_there() {
    let data = tempfile::tempdir().unwrap();
    let mut command = kalah(&["tables", "info"]);
    command.env("XDG_DATA_HOME", data.path());
    assert!(told(command).starts_with("no tables in '"));
}
