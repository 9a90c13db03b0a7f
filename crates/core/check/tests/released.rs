//! The proofs in `data/proofs`.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use kalah::Position;
use kalah_check::{Certificate, CheckOptions, CheckReport, LeafSelection, check};
use test_tools::sample_or_all;

/// The number of positions of the search of a leaf. A larger leaf is not confirmed.
const MAX_NODES: u64 = 3_000;
const MEMORY: usize = 16 << 20;

/// The proofs of which all leaves are searched, with the default memory of `kalah prove check`: the
/// first by default, and all in the step of the proofs.
const WHOLE: [&str; 9] = [
    "5x4-empty-capture",
    "5x4-cs32",
    "5x4-standard",
    "5x5-cs32",
    "5x5-empty-capture",
    "5x5-standard",
    "6x4-cs32",
    "6x4-empty-capture",
    "6x4-standard",
];
const MEMORY_OF_WHOLE: usize = 256 << 20;

/// Returns the margin of a start in `data/values.csv`, given `6x4` and `standard`.
fn margin(size: &str, rules: &str) -> i32 {
    let (houses, seeds) = size.split_once('x').expect("a size");
    let start = format!("{rules},{houses},{seeds},");
    let values = include_str!("../../../../data/values.csv");
    let row = values.lines().find_map(|line| line.strip_prefix(&start));
    let margin = row.and_then(|row| row.split(',').next());
    margin.expect("a row").parse().expect("a margin")
}

/// Returns the files of a folder of `data`.
fn files(folder: &str) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data");
    let entries = fs::read_dir(data.join(folder)).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

/// Checks a proof of the start that its name states against the table of margins, and returns the
/// report.
fn check_file(path: &Path, max_nodes: u64, memory: usize) -> CheckReport {
    let name = path
        .file_stem()
        .and_then(|name| name.to_str())
        .expect("a name");
    let (size, rules) = name.split_once('-').expect("a start and its rules");
    let certificate = Certificate::read(path).expect(name);
    let statement = certificate.statement();
    assert_eq!(statement.rules().to_string(), rules, "{name}");
    let (houses, seeds) = size.split_once('x').expect("a size");
    let (houses, seeds) = (houses.parse().expect(name), seeds.parse().expect(name));
    let start = Position::start(houses, seeds, statement.rules()).expect(name);
    let position = statement.position().to_string();
    assert_eq!(position, start.to_string(), "{name}");
    let options = CheckOptions {
        leaves: LeafSelection::All,
        threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        max_nodes,
        memory,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let report = check(&certificate, options);
    assert!(report.faults.is_empty(), "{name}: {:?}", report.faults);
    let bounds = report.claims.position;
    assert_eq!(bounds.lower, bounds.upper, "{name}");
    assert_eq!(bounds.lower.seeds(), margin(size, rules), "{name}");
    report
}

#[test]
fn released_proofs_have_the_margins_of_the_table() {
    let proofs = files("proofs");
    assert!(proofs.len() >= 12, "{proofs:?}");
    let mut verified_leaves = 0;
    for path in proofs {
        verified_leaves += check_file(&path, MAX_NODES, MEMORY).verified_leaves;
    }
    // The leaves of the smaller proofs are short.
    assert!(verified_leaves > 20, "{verified_leaves}");
}

#[test]
fn released_proofs_of_the_smaller_boards_are_right_in_every_leaf() {
    let mut proofs = files("proofs");
    let names = &WHOLE[..sample_or_all(1, WHOLE.len())];
    proofs.retain(|path| {
        names
            .iter()
            .any(|name| path.ends_with(format!("{name}.proof")))
    });
    assert_eq!(proofs.len(), names.len(), "{proofs:?}");
    for path in proofs {
        let report = check_file(&path, u64::MAX, MEMORY_OF_WHOLE);
        assert!(report.is_proof(), "{}", path.display());
        assert_eq!(report.verified_leaves, report.leaves, "{}", path.display());
    }
}
