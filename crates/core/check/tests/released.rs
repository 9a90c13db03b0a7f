//! The proofs in `data/proofs`.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use kalah::Position;
use kalah_check::{Certificate, CheckOptions, CheckReport, LeafSelection, check};

/// The number of positions of the search of a leaf. A larger leaf is not confirmed.
const MAX_NODES: u64 = 3_000;

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

/// Checks a proof of the start that its name states, and returns its size, its rules and the
/// report.
fn check_file(path: &Path) -> (String, String, CheckReport) {
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
        max_nodes: MAX_NODES,
        memory: 16 << 20,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let report = check(&certificate, options);
    assert!(report.faults.is_empty(), "{name}: {:?}", report.faults);
    (size.to_owned(), rules.to_owned(), report)
}

#[test]
fn released_proofs_have_the_margins_of_the_table() {
    let proofs = files("proofs");
    assert!(proofs.len() >= 12, "{proofs:?}");
    let mut verified_leaves = 0;
    for path in proofs {
        let (size, rules, report) = check_file(&path);
        verified_leaves += report.verified_leaves;
        let bounds = report.claims.position;
        assert_eq!(bounds.lower, bounds.upper, "{}", path.display());
        let margin = margin(&size, &rules);
        assert_eq!(bounds.lower.seeds(), margin, "{}", path.display());
    }
    // The leaves of the smaller proofs are short.
    assert!(verified_leaves > 20, "{verified_leaves}");
}
