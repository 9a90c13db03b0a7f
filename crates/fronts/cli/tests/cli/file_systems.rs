//! File systems without locks, without permissions, or that cannot sync a folder: a library that is
//! loaded before the C library returns their errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use test_tools::Tool;

use crate::harness::{Finished, args, kalah_in, run, temp_dir};

/// The errors of systems that have no locks.
const NO_LOCKS: [&str; 3] = ["flock-enosys", "flock-eopnotsupp", "flock-enolck"];

/// A folder with the library, in which commands run.
struct FileSystem(TempDir);

impl FileSystem {
    fn new() -> Self {
        let folder = temp_dir();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/data/file_system.c");
        let mut compiler = Command::new(Tool::Gpp.require());
        compiler.args(["-x", "c", "-shared", "-fPIC", source, "-ldl", "-o"]);
        let build = run(compiler.arg(folder.path().join("file_system.so")));
        assert!(build.status.success(), "{build:#?}");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs `kalah` where the named operations are not supported.
    fn run_without(&self, unsupported: &str, line: &str) -> Finished {
        let mut command = kalah_in(self.path(), &args(line));
        command.env("LD_PRELOAD", self.path().join("file_system.so"));
        run(command.env("UNSUPPORTED", unsupported))
    }
}

/// Returns the files of a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn tournaments_need_neither_locks_nor_permissions() {
    let system = FileSystem::new();
    let arena = "arena --engine random --engine first --board 3x2 --rounds 1 --time 10s --out";
    for (number, missing) in NO_LOCKS.into_iter().enumerate() {
        let missing = format!("{missing},sync-of-folders,permissions");
        let played = system.run_without(&missing, &format!("{arena} run{number}"));
        assert_eq!(played.code(), Some(0), "{played:#?}");
        let warning = format!("warning: 'run{number}' is on a file system without locks (");
        assert!(played.stderr.contains(&warning), "{}", played.stderr);
        let resumed = system.run_without(&missing, &format!("arena --resume run{number}"));
        assert_eq!(resumed.code(), Some(0), "{resumed:#?}");
        assert_eq!(files(&system.path().join(format!("run{number}"))).len(), 4);
    }
    let played = system.run_without("", &format!("{arena} other"));
    assert!(!played.stderr.contains("warning"), "{}", played.stderr);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn stores_that_two_processes_would_destroy_need_locks() {
    let system = FileSystem::new();
    let kept = system.path().join("kept");
    fs::create_dir(&kept).expect("a folder");
    fs::write(kept.join("file"), "").expect("a file");
    for missing in NO_LOCKS {
        let refused = system.run_without(missing, "prove 3x2 --store proof.kps");
        let message = refused.failure(1);
        let expected = "error: 'proof.kps' is on a file system without locks (";
        assert!(message.starts_with(expected), "{message}");
        assert!(message.ends_with("; put it on a local disk\n"), "{message}");
        for server in ["serve", "kgp serve"] {
            let line = format!("{server} --addr 127.0.0.1:0 --data kept/new/games");
            let refused = system.run_without(missing, &line);
            let message = refused.failure(1);
            let expected = "the folder 'kept/new/games' is on a file system without locks (";
            assert!(message.contains(expected), "{message}");
            assert!(
                message.contains("; choose a folder on a local disk"),
                "{message}"
            );
        }
    }
    // The refused commands have created nothing.
    assert!(!system.path().join("proof.kps").exists());
    assert_eq!(files(&kept), [kept.join("file")]);
    let proven = system.run_without("sync-of-folders", "prove 3x2 --store proof.kps");
    assert_eq!(proven.code(), Some(0), "{proven:#?}");
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn records_of_a_server_need_no_locks() {
    let system = FileSystem::new();
    for missing in NO_LOCKS {
        let missing = format!("{missing},sync-of-folders");
        // The server opens its folder before its address, which no machine has.
        let line = "kgp serve --addr 192.0.2.1:1 --tables none --out games";
        let ended = system.run_without(&missing, line);
        let message = ended.failure(1);
        let warning = "'games/results.jsonl' is on a file system without locks (";
        assert!(message.contains(warning), "{message}");
        assert!(message.contains("192.0.2.1:1"), "{message}");
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn tables_need_no_locks() {
    let system = FileSystem::new();
    for missing in NO_LOCKS {
        let missing = format!("{missing},sync-of-folders");
        let line = "tables build --houses 2 --seeds 8 --dir tables";
        let built = system.run_without(&missing, line);
        assert_eq!(built.code(), Some(0), "{built:#?}");
        let solved = system.run_without(&missing, "solve 2x2 --tables tables");
        assert_eq!(solved.code(), Some(0), "{solved:#?}");
        assert_eq!(solved.stderr, "");
        fs::remove_dir_all(system.path().join("tables")).expect("our tables");
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn files_of_games_need_no_locks() {
    let system = FileSystem::new();
    let log = system.path().join("log.kgn");
    fs::write(log, "1. CF a *\n").expect("a file");
    for (number, missing) in NO_LOCKS.into_iter().enumerate() {
        for line in [
            "play --plain --south random --north first --board 3x2 --record games.kgn",
            "export log.kgn --format openspiel --out games.txt",
        ] {
            let written = system.run_without(missing, line);
            assert_eq!(written.code(), Some(0), "{written:#?}");
        }
        for (file, game) in [("games.kgn", "[South "), ("games.txt", "\n")] {
            let text = fs::read_to_string(system.path().join(file)).expect("games");
            assert_eq!(text.matches(game).count(), number + 1, "{text}");
        }
    }
}
