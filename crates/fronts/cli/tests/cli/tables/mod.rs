//! `kalah tables`: interrupted builds, damaged files, and packed tables.

mod damaged;
mod packed;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(unix)]
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use crate::harness::{Finished, Process, kalah, run, temp_dir};
#[cfg(unix)]
use crate::harness::{spawn_on_terminal, wait_until};

/// Seeds of a table that takes about a second to build.
const SEEDS: &str = "17";
const NAME: &str = "kalah-6-houses-17-seeds-cs32.table";

/// The exit code after Ctrl-C.
#[cfg(unix)]
const INTERRUPTED: i32 = 130;

/// The size of an unfinished table that has some layers, but not the last ones, which are by far
/// the largest.
const SOME_LAYERS: u64 = 1 << 20;

/// The number of builds of which one must be stopped in time.
#[cfg(unix)]
const MAX_ATTEMPTS: u32 = 100;

fn build_of(seeds: &str, folder: &Path) -> Command {
    let mut command = kalah(["tables", "build", "--threads", "1", "--seeds", seeds]);
    command.arg("--dir").arg(folder);
    command
}

fn build(folder: &Path) -> Command {
    build_of(SEEDS, folder)
}

/// Returns the table of an uninterrupted build.
fn complete_table(seeds: &str) -> Vec<u8> {
    let folder = temp_dir();
    let output = success(build_of(seeds, folder.path()));
    assert!(!output.contains("earlier"), "{output}");
    let mut files = fs::read_dir(folder.path()).unwrap();
    let file = files.next().unwrap().unwrap();
    assert!(files.next().is_none());
    fs::read(file.path()).unwrap()
}

/// Returns the output of a command, which must succeed.
fn success(mut command: Command) -> String {
    run(&mut command).success()
}

/// Returns a build that has written some layers and is stopped by SIGSTOP before the last ones.
#[cfg(unix)]
fn stopped_build(folder: &Path) -> Process {
    let part = folder.join(format!("{NAME}.part"));
    let has_layers = || fs::metadata(&part).is_ok_and(|part| part.len() >= SOME_LAYERS);
    for _ in 0..MAX_ATTEMPTS {
        let mut build = Process::spawn(&mut build(folder));
        wait_until("some layers are written", || {
            has_layers() || !build.is_running()
        });
        if build.is_running() {
            build.signal("STOP");
            let id = build.id().to_string();
            wait_until("the build is stopped", || {
                let state = run(Command::new("ps").args(["-o", "stat=", "-p", &id])).stdout;
                state.starts_with(['T', 'Z'])
            });
            if has_layers() {
                return build;
            }
        }
        // The build has ended before it could be stopped.
        build.kill();
        for file in fs::read_dir(folder).expect("a directory") {
            fs::remove_file(file.expect("a file").path()).expect("a removable file");
        }
    }
    panic!("each of {MAX_ATTEMPTS} builds has ended before it could be stopped");
}

/// The table of [`SEEDS`].
#[cfg(unix)]
static COMPLETE: OnceLock<Vec<u8>> = OnceLock::new();

/// Checks that the next build completes an interrupted one, with the same table.
#[cfg(unix)]
fn assert_build_resumes(folder: &Path) {
    assert!(folder.join(format!("{NAME}.part")).exists());
    assert!(!folder.join(NAME).exists());
    let resumed = success(build(folder));
    assert!(
        resumed.contains(" of them by an earlier build; "),
        "{resumed}"
    );
    assert!(
        fs::read(folder.join(NAME)).unwrap() == *COMPLETE.get_or_init(|| complete_table(SEEDS))
    );
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn killed_build_resumes_from_its_layers() {
    let folder = temp_dir();
    assert!(!stopped_build(folder.path()).kill().success());
    for verb in ["info", "verify"] {
        let errors = run_on(verb, &folder.path().join(format!("{NAME}.part"))).failure(1);
        let advice = "': this table is not finished; if no build is running, `kalah tables build` with \
                      its houses, seeds and rules continues it\n";
        assert!(errors.ends_with(advice), "{errors}");
    }
    assert_build_resumes(folder.path());
}

/// Returns 16 fractions between 0 and 1, evenly distributed and not in order.
fn fractions() -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_75;
    (1..=16).map(|kill| (f64::from(kill) * GOLDEN).fract())
}

#[test]
fn build_killed_several_times_leaves_the_same_table() {
    const FEWER: &str = "15";
    let start = Instant::now();
    let expected = complete_table(FEWER);
    let build_time = start.elapsed();
    let folder = temp_dir();
    let path = folder.path().join("kalah-6-houses-15-seeds-cs32.table");
    for fraction in fractions() {
        let mut build = Process::spawn(&mut build_of(FEWER, folder.path()));
        thread::sleep(build_time.mul_f64(fraction));
        let status = build.kill();
        if path.exists() {
            assert!(fs::read(&path).unwrap() == expected);
            fs::remove_file(&path).unwrap();
        } else {
            assert!(!status.success());
        }
    }
    success(build_of(FEWER, folder.path()));
    assert!(fs::read(&path).unwrap() == expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn build_on_a_full_disk_fails_and_resumes_later() {
    // The limit is above the size of the first layers and below that of the last.
    let limited = r#"trap '' XFSZ; ulimit -f 2048; exec "$@""#;
    let folder = temp_dir();
    let plain = build_of("13", folder.path());
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh"]);
    command.arg(plain.get_program()).args(plain.get_args());
    let errors = run(&mut command).failure(1);
    assert!(errors.starts_with("error: cannot write '"), "{errors}");
    assert!(errors.contains("File too large"), "{errors}");
    let resumed = success(plain);
    assert!(
        resumed.contains(" of them by an earlier build; "),
        "{resumed}"
    );
    let path = folder.path().join("kalah-6-houses-13-seeds-cs32.table");
    assert!(fs::read(path).unwrap() == complete_table("13"));
}

#[cfg(unix)]
#[test]
fn terminal_shows_the_progress_of_a_build() {
    let folder = temp_dir();
    let mut command = build(folder.path());
    command.env("TERM", "xterm");
    let mut session = spawn_on_terminal(command);
    session
        .exp_regex(r"1[5-7] of 17 seeds .*[0-9]+%, [0-9.]+ million positions/s, [0-9]+s left")
        .expect("a progress bar");
    let rest = session.exp_eof().expect("the end of the program");
    assert!(rest.contains("' is complete: "), "{rest}");
}

#[test]
fn bench_leaves_no_file() {
    let folder = temp_dir();
    let mut bench = kalah(["bench", "tables", "--houses", "3", "--seeds", "9", "--dir"]);
    bench.arg(folder.path());
    let output = success(bench);
    assert!(
        output.starts_with("kalah bench tables --houses 3 --seeds 9 --rules cs32 --threads "),
        "{output}"
    );
    assert!(output.contains("\n5,005 positions; "), "{output}");
    assert!(
        output.ends_with(" s writing and syncing: 8.89 KiB\n"),
        "{output}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn interrupted_bench_ends_and_leaves_no_file() {
    // This table takes many times as long as the start of the program.
    const MANY: &str = "20";
    let folder = temp_dir();
    let mut bench = kalah(["bench", "tables", "--threads", "1", "--seeds", MANY]);
    let bench = Process::spawn(bench.arg("--dir").arg(folder.path()));
    wait_until("the build has begun", || {
        let mut folders = fs::read_dir(folder.path()).expect("a directory");
        folders.any(|folder| {
            let files = fs::read_dir(folder.expect("a folder").path());
            files.is_ok_and(|mut files| files.next().is_some())
        })
    });
    bench.signal("INT");
    let errors = bench.wait().failure(INTERRUPTED);
    assert_eq!(errors, "error: interrupted: nothing was measured\n");
    assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 0);
}

#[cfg(unix)]
#[test]
fn interrupted_build_ends_and_resumes() {
    let folder = temp_dir();
    let build = stopped_build(folder.path());
    build.signal("INT");
    build.signal("CONT");
    let errors = build.wait().failure(INTERRUPTED);
    assert!(errors.starts_with("error: interrupted with "), "{errors}");
    assert!(
        errors.ends_with("the same command resumes from there\n"),
        "{errors}"
    );
    assert_build_resumes(folder.path());
}

#[cfg(unix)]
#[test]
fn second_build_of_the_same_table_is_refused() {
    let folder = temp_dir();
    let first = stopped_build(folder.path());
    let errors = run(&mut build(folder.path())).stderr;
    assert!(
        errors.ends_with("is being built by another program\n"),
        "{errors}"
    );
    first.signal("CONT");
    first.wait().success();
}

/// A change of a file.
type Change = fn(&mut Vec<u8>);

fn flip(bytes: &mut [u8], at: usize) {
    bytes[at] ^= 1;
}

/// Builds a small table and changes its file.
fn build_changed(change: Change) -> (TempDir, PathBuf) {
    let folder = temp_dir();
    let mut command = kalah(["tables", "build", "--houses", "3", "--seeds", "7", "--dir"]);
    command.arg(folder.path());
    success(command);
    let path = folder.path().join("kalah-3-houses-7-seeds-cs32.table");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn run_on(verb: &str, path: &Path) -> Finished {
    run(kalah(["tables", verb]).arg(path))
}

#[test]
fn damage_of_each_kind_is_reported() {
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
        let (folder, path) = build_changed(change);
        for verb in ["info", "verify"] {
            let errors = run_on(verb, &path).failure(1);
            assert!(errors.contains(expected), "{verb}: {errors}");
        }
        // A probe does not use the table.
        let mut probe = kalah(["tables", "probe", "<3,0,0,0,1,0,0,1,0> s", "--dir"]);
        let errors = run(probe.arg(folder.path())).failure(1);
        let (warning, error) = errors.split_once('\n').expect("two lines");
        assert!(
            warning.starts_with("warning: skipping this file: '"),
            "{warning}"
        );
        assert!(warning.contains(expected), "{warning}");
        assert!(error.starts_with("error: no table in '"), "{error}");
    }
}

#[test]
fn info_lists_the_readable_tables_beside_damaged_and_unfinished_ones() {
    const PART: &str = "kalah-3-houses-8-seeds-cs32.table.part";
    let (folder, path) = build_changed(|_| ());
    let table = fs::read(path).unwrap();
    for name in ["a.table", "z.table", PART] {
        fs::write(folder.path().join(name), &table[..5000]).unwrap();
    }
    let info = |option: &[&str]| {
        let mut info = kalah(["tables", "info", "--dir"]);
        run(info.arg(folder.path()).args(option))
    };
    let output = info(&[]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].ends_with(", rules cs32, 1,716 positions, 5.68 KiB"));
    assert!(lines[1].contains(PART), "{lines:?}");
    let errors = output.failure(1);
    let errors: Vec<&str> = errors.lines().collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    for (error, name) in errors.iter().zip(["a.table", "z.table"]) {
        assert!(
            error.contains(&format!("{name}' is truncated: ")),
            "{error}"
        );
    }
    assert_eq!(errors[2], "error: 2 of 4 tables cannot be read");

    let output = info(&["--json"]);
    assert_eq!(output.stdout.matches("\"error\":").count(), 3);
    assert_eq!(output.stdout.lines().count(), 1);
    assert_eq!(output.failure(1), "error: 2 of 4 tables cannot be read\n");

    for name in ["a.table", "z.table"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(info(&[]).success().lines().count(), 2);
}

/// The offset of the value of a position with 6 seeds: 462 positions have fewer seeds, and 924 at
/// most 6.
const OFFSET: usize = 4096 + 904;

#[test]
fn verify_reports_a_changed_value() {
    let (_folder, path) = build_changed(|bytes| flip(bytes, OFFSET));
    assert!(run_on("info", &path).status.success());
    let errors = run_on("verify", &path).failure(1);
    assert!(
        errors.contains("' is damaged: the positions with 6 seeds are damaged: "),
        "{errors}"
    );
}

#[test]
fn missing_folder_is_an_error_and_an_empty_one_has_nothing_to_verify() {
    let folder = temp_dir();
    let missing = folder.path().join("a-long-name-of-a-folder/".repeat(3));
    for arguments in [&["info"][..], &["verify"], &["probe", "3x1"]] {
        let about = |folder: &Path| {
            let mut command = kalah(["tables"]);
            command.args(arguments).arg("--dir").arg(folder);
            command
        };
        let empty = folder.path().display();
        match arguments[0] {
            "info" => {
                let nothing = format!("no tables in '{empty}'\n");
                assert_eq!(success(about(folder.path())), nothing);
            }
            "verify" => {
                let error = format!("error: no tables to verify in '{empty}'\n");
                assert_eq!(run(&mut about(folder.path())).failure(1), error);
            }
            _ => {}
        }

        let output = run(&mut about(&missing));
        assert_eq!(output.stdout, "");
        let expected = format!("error: there is no folder '{}'\n", missing.display());
        assert_eq!(output.failure(1), expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn missing_data_directory_is_not_an_error() {
    let data = temp_dir();
    let mut command = kalah(["tables", "info"]);
    command.env("XDG_DATA_HOME", data.path());
    assert!(success(command).starts_with("no tables in '"));
}
