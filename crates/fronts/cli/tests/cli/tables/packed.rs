//! `kalah tables pack` and `unpack`: interrupted runs, and files that cannot be used.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(unix)]
use crate::harness::{Process, wait_until};
use crate::harness::{kalah, run, temp_dir};

use super::{build_of, success};

/// Seeds of a table of several megabytes.
const SEEDS: &str = "13";
const NAME: &str = "kalah-6-houses-13-seeds-cs32.table";

fn on(verb: &str, file: &Path, out: &Path) -> Command {
    let mut command = kalah(["tables", verb, "--threads", "1"]);
    command.arg(file).arg("--out").arg(out);
    command
}

/// Builds a table and packs it. Returns the paths of both.
fn packed_table(folder: &Path) -> (PathBuf, PathBuf) {
    success(build_of(SEEDS, folder));
    let table = folder.join(NAME);
    success(kalah_with(&["tables", "pack"], &table));
    let packed = table.with_extension("packed");
    (table, packed)
}

fn kalah_with(arguments: &[&str], file: &Path) -> Command {
    let mut command = kalah(arguments);
    command.arg(file);
    command
}

#[test]
fn unpacked_table_is_that_of_the_build() {
    let folder = temp_dir();
    let (table, packed) = packed_table(folder.path());
    let built = fs::read(&table).unwrap();
    fs::remove_file(&table).unwrap();
    // The default name is that of the build, whatever the packed file is called.
    let renamed = folder.path().join("other");
    fs::rename(packed, &renamed).unwrap();
    let mut unpack = kalah_with(&["tables", "unpack", "--memory", "20MiB"], &renamed);
    let output = run(&mut unpack).success();
    assert!(
        output.contains(&format!("{NAME}' is complete: ")),
        "{output}"
    );
    assert!(fs::read(table).unwrap() == built);
}

#[test]
fn damaged_packed_file_is_refused_and_nothing_is_left_under_the_name_of_the_table() {
    let folder = temp_dir();
    let (_, packed) = packed_table(folder.path());
    let whole = fs::read(&packed).unwrap();
    let (damaged, out) = (folder.path().join("damaged"), folder.path().join("out"));
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    for (bytes, expected) in [
        (whole[..whole.len() - 1].to_vec(), "is truncated: "),
        ([&whole[..], &[0]].concat(), "is too long: "),
        (whole[..100].to_vec(), "truncated header: 100 of 4096 bytes"),
        (flipped(8), "table format version 0 is not supported"),
        (flipped(13), "the header is damaged: "),
        (
            flipped(whole.len() - 100),
            "is damaged in the positions with 13 seeds: ",
        ),
    ] {
        fs::write(&damaged, bytes).unwrap();
        let errors = run(&mut on("unpack", &damaged, &out)).failure(1);
        assert!(errors.starts_with("error: '"), "{errors}");
        assert!(errors.contains("damaged'"), "{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert!(!out.exists());
    }
    // The layers before the damage are kept, and the whole file completes them.
    let output = run(&mut on("unpack", &packed, &out)).success();
    assert!(
        output.contains(" of them by an earlier build; "),
        "{output}"
    );
    assert!(fs::read(out).unwrap() == fs::read(folder.path().join(NAME)).unwrap());
}

#[test]
fn missing_folder_of_the_output_is_an_error() {
    let folder = temp_dir();
    let (table, packed) = packed_table(folder.path());
    let out = folder.path().join("absent/out");
    for (verb, file) in [("pack", table), ("unpack", packed)] {
        let errors = run(&mut on(verb, &file, &out)).failure(1);
        assert!(errors.starts_with("error: cannot write '"), "{errors}");
        assert!(errors.contains("absent"), "{errors}");
    }
}

/// Interrupts a command as soon as it has written `bytes` of its part file, or lets it end. Returns
/// whether it was interrupted.
#[cfg(unix)]
fn interrupt(mut command: Command, out: &Path, bytes: u64) -> bool {
    /// The exit code after Ctrl-C.
    const INTERRUPTED: i32 = 130;

    let part = out.with_file_name(format!("{}.part", out.file_name().unwrap().display()));
    let mut process = Process::spawn(&mut command);
    wait_until("some layers are written", || {
        let written = fs::metadata(&part).is_ok_and(|part| part.len() >= bytes);
        written || !process.is_running()
    });
    process.signal("INT");
    let finished = process.wait();
    if finished.status.success() {
        return false;
    }
    let errors = finished.failure(INTERRUPTED);
    assert!(errors.starts_with("error: interrupted with "), "{errors}");
    assert!(
        errors.ends_with(" of 13 seeds: the same command resumes from there\n"),
        "{errors}"
    );
    assert!(!out.exists() && part.exists());
    true
}

#[cfg(unix)]
#[test]
fn interrupted_packing_and_unpacking_resume() {
    const HEADER: u64 = 4096;
    /// The number of runs of which one must be interrupted before it ends.
    const MAX_ATTEMPTS: u32 = 100;

    let folder = temp_dir();
    let (table, packed) = packed_table(folder.path());
    let out = folder.path().join("out");
    for (verb, file, expected) in [("pack", &table, &packed), ("unpack", &packed, &table)] {
        let is_interrupted = (0..MAX_ATTEMPTS).any(|_| {
            let interrupted = interrupt(on(verb, file, &out), &out, HEADER + 1);
            if !interrupted {
                fs::remove_file(&out).unwrap();
            }
            interrupted
        });
        assert!(is_interrupted, "{verb}");
        success(on(verb, file, &out));
        assert!(fs::read(&out).unwrap() == fs::read(expected).unwrap());
        fs::remove_file(&out).unwrap();
    }
}
