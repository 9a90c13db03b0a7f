//! Checks of whole and of damaged proofs, and of their exports by the program in `docs/`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kalah::{Margin, Position, Rules, reference};
use kalah_check::{
    Certificate, CheckOptions, CheckReport, ExportOptions, Fault, GoalFault, LeafSelection,
    ReadError, check, export,
};
use kalah_engine::{GoalEngine, ProofNumbers};
use kalah_proof::{Coordinator, JobSize, LocalRun, NextJob, ProofStatement, ProofStore, prove};
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;
use test_tools::Tool;

const HASH_BYTES: usize = 4 << 20;

/// Jobs of a few nodes, so that small proofs have many.
const SMALL_JOBS: JobSize = JobSize {
    min_nodes: 20,
    divisor: 1000,
};

fn statement(houses: u8, seeds: u64, rules: Rules) -> ProofStatement {
    ProofStatement {
        position: Position::start(houses, seeds, rules).unwrap(),
        all_moves: true,
        estimate: Margin::new(0),
    }
}

/// Writes the store of a complete proof.
fn prove_to(path: &Path, statement: &ProofStatement) {
    let mut store = ProofStore::create(path, statement).unwrap();
    let mut coordinator =
        Coordinator::new(statement.clone(), kalah_proof::Tree::default(), SMALL_JOBS);
    let mut engine = GoalEngine::new(&statement.position, HASH_BYTES, None);
    let run = LocalRun {
        threads: NonZeroUsize::MIN,
        stop_flag: &AtomicBool::new(false),
        clock: &|| Duration::from_secs(1),
        observer: &|_| {},
    };
    prove(&mut coordinator, &mut store, &mut engine, run).unwrap();
    assert!(coordinator.is_finished());
}

fn proof(statement: &ProofStatement) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    prove_to(&path, statement);
    (folder, path)
}

fn check_leaves(certificate: &Certificate, leaves: LeafSelection) -> CheckReport {
    let options = CheckOptions {
        leaves,
        threads: NonZeroUsize::MIN,
        max_nodes: u64::MAX,
        memory: 4 << 20,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    check(certificate, options)
}

fn check_all(path: &Path) -> CheckReport {
    check_leaves(&Certificate::read(path).unwrap(), LeafSelection::All)
}

fn export_to(proof: &Path, leaf_nodes: u64, out: &Path) {
    let options = ExportOptions {
        leaf_nodes,
        memory: 4 << 20,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let certificate = export(&Certificate::read(proof).unwrap(), options).unwrap();
    certificate.write(fs::File::create(out).unwrap()).unwrap();
}

#[test]
fn stores_and_exports_prove_the_naive_margins() {
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(1, 3), (2, 2), (2, 4), (3, 2), (3, 3)] {
            let statement = statement(houses, seeds, preset.rules);
            let (folder, path) = proof(&statement);
            let margin = reference::margin(&statement.position);
            let out = folder.path().join("certificate");
            let report = check_all(&path);
            assert_eq!(report.faults, [], "'{}'", statement.position);
            assert_eq!(report.verified_leaves, report.leaves);
            for leaf_nodes in [1, 10, 1000] {
                export_to(&path, leaf_nodes, &out);
                let exported = check_all(&out);
                assert_eq!(exported.faults, [], "'{}'", statement.position);
                assert_eq!(exported.verified_leaves, exported.leaves);
                assert_eq!(exported.claims, report.claims);
                assert_eq!(exported.open, 0);
            }
            let bounds = report.claims.position;
            assert_eq!((bounds.lower, bounds.upper), (margin, margin));
            assert_eq!(
                report.claims.moves.len(),
                statement.position.legal_moves().count()
            );
            for (mv, bounds) in report.claims.moves {
                let mut after = statement.position.clone();
                after.play(mv).unwrap();
                let same =
                    after.to_move() == statement.position.to_move() && mv != kalah::Move::Swap;
                let margin = reference::margin(&after);
                let margin = if same { margin } else { -margin };
                assert_eq!((bounds.lower, bounds.upper), (margin, margin), "{mv:?}");
            }
        }
    }
}

/// Every goal with a flipped answer is found, whether it is inner or a leaf.
#[test]
fn each_flipped_answer_is_found() {
    for rules in [Rules::CS32, Rules::STANDARD, Rules::MANKALAH] {
        let (folder, path) = proof(&statement(3, 2, rules));
        let goals = Certificate::read(&path).unwrap().goals().clone();
        let damaged = folder.path().join("damaged");
        let mut flipped = 0;
        for (id, (goal, entry)) in goals.iter().enumerate() {
            let Some(answer) = entry.answer else { continue };
            fs::copy(&path, &damaged).unwrap();
            change(
                &damaged,
                &format!("UPDATE goals SET answer = 1 - answer WHERE id = {id}"),
            );
            let faults = check_all(&damaged).faults;
            let is_named = |fault: &Fault| {
                matches!(fault, Fault::Goal { goal: named, answer: given, .. }
                    if named.position() == goal.position() && (named != goal || *given == Some(!answer)))
            };
            assert!(faults.iter().any(is_named), "{goal:?} {faults:?}");
            flipped += 1;
        }
        assert!(flipped > 10, "{flipped}");
    }
}

fn change(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Writes the store of `stores/good.sql`.
fn write_small_store(path: &Path) {
    change(path, include_str!("../../proof/src/store/schema.sql"));
    change(path, include_str!("stores/good.sql"));
}

#[test]
fn small_store_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    write_small_store(&path);
    let report = check_all(&path);
    assert!(report.is_proof(), "{:?}", report.faults);
    assert_eq!((report.inner, report.leaves, report.open), (2, 2, 1));
}

/// Returns the reason why the check refuses the small store, which it calls `FILE`, after a change
/// of the database: the error of the file, or the first fault.
fn refusal_after(sql: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    write_small_store(&path);
    change(&path, sql);
    match Certificate::read(&path) {
        Err(error) => {
            let file = format!("'{}'", path.display());
            error.to_string().replace(&file, "FILE")
        }
        Ok(certificate) => {
            let report = check_leaves(&certificate, LeafSelection::All);
            let fault = report.faults.first();
            fault.map_or_else(|| format!("no fault: {report:?}"), ToString::to_string)
        }
    }
}

/// Each case of the file is a change of the small store, and the reason why it is refused.
#[test]
fn bad_stores_are_refused_for_their_fault() {
    let cases = include_str!("stores/bad.txt");
    let refusals: Vec<String> = (cases.split("\n\n"))
        .filter_map(|case| case.lines().next())
        .map(|sql| format!("{sql}\n{}\n", refusal_after(sql)))
        .collect();
    assert_eq!(refusals.join("\n"), cases);
}

/// A goal with another position is a fault where its old position is needed, and otherwise the
/// claims are still right.
#[test]
fn changed_positions_prove_no_wrong_margin() {
    let statement = statement(3, 2, Rules::STANDARD);
    let margin = reference::margin(&statement.position);
    let (folder, path) = proof(&statement);
    let damaged = folder.path().join("damaged");
    let mut found = 0;
    for id in 0..Certificate::read(&path).unwrap().goals().len() {
        fs::copy(&path, &damaged).unwrap();
        let values = "position = '<3,0,0,1,1,1,1,1,9> s', target = 2";
        change(
            &damaged,
            &format!("UPDATE goals SET {values} WHERE id = {id}"),
        );
        let report = check_all(&damaged);
        if report.faults.is_empty() {
            let bounds = report.claims.position;
            assert!(
                bounds.lower <= margin && margin <= bounds.upper,
                "goal {id}"
            );
        } else {
            found += 1;
        }
    }
    assert!(found > 10, "{found}");
}

/// The margin of 4x3 is +6 under `standard` and +8 under `empty-capture`.
#[test]
fn other_rules_are_found() {
    let (_folder, path) = proof(&statement(4, 3, Rules::STANDARD));
    change(&path, "UPDATE proof SET rules = 'empty-capture'");
    assert!(!check_all(&path).faults.is_empty());
}

#[test]
fn goal_that_is_stated_too_high_is_found() {
    let (_folder, path) = proof(&statement(3, 3, Rules::STANDARD));
    let sql = "UPDATE goals SET target = target + 2, answer = 1 WHERE id =
        (SELECT id FROM goals WHERE answer = 1 AND expanded = 0 ORDER BY id DESC LIMIT 1)";
    change(&path, sql);
    assert!(!check_all(&path).faults.is_empty());
}

/// Without the last goal of the position its margin has a bound less, and the check says so.
#[test]
fn claims_without_their_goal_are_not_exact() {
    let mut statement = statement(3, 3, Rules::STANDARD);
    statement.all_moves = false;
    let (_folder, path) = proof(&statement);
    assert!(check_all(&path).claims.position.is_exact());
    let root = statement.position.to_string();
    change(
        &path,
        &format!("UPDATE goals SET answer = NULL WHERE position = '{root}' AND answer = 0"),
    );
    let report = check_all(&path);
    assert!(!report.claims.position.is_exact());
}

#[test]
fn truncated_stores_are_refused() {
    let (folder, path) = proof(&statement(3, 3, Rules::STANDARD));
    let content = fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged");
    for length in (0..content.len()).step_by(997) {
        fs::write(&damaged, &content[..length]).unwrap();
        assert!(Certificate::read(&damaged).is_err(), "{length} bytes");
    }
}

/// A worker that lies about a goal is caught by the search of the checker.
#[test]
fn wrong_answer_of_a_worker_is_found() {
    let statement = statement(3, 3, Rules::STANDARD);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let mut store = ProofStore::create(&path, &statement).unwrap();
    let mut coordinator =
        Coordinator::new(statement.clone(), kalah_proof::Tree::default(), SMALL_JOBS);
    let mut engine = GoalEngine::new(&statement.position, HASH_BYTES, None);
    engine.with_searcher(|searcher| {
        let mut jobs = 0;
        while let NextJob::Job(job) = coordinator.next_job(searcher) {
            let (position, target) = (job.goal.position(), job.goal.target());
            let nodes = job.max_nodes;
            let mut result = searcher.search(position, target, ProofNumbers::INFINITE, nodes, &[]);
            jobs += 1;
            if jobs > 4 && result.answer.is_some() {
                result.answer = result.answer.map(|answer| !answer);
                jobs = i32::MIN;
            }
            coordinator.complete(&job, &result);
            store.write(&mut coordinator, Duration::ZERO).unwrap();
        }
    });
    drop(store);
    let faults = check_all(&path).faults;
    let is_found = |fault: &Fault| {
        matches!(
            fault,
            Fault::Goal {
                fault: GoalFault::Search,
                ..
            }
        )
    };
    assert!(faults.iter().any(is_found), "{faults:?}");
}

#[test]
fn seed_repeats_the_sample() {
    let (_folder, path) = proof(&statement(3, 3, Rules::CS32));
    let certificate = Certificate::read(&path).unwrap();
    let sample = |seed| LeafSelection::Sample { count: 3, seed };
    let [one, again, other] = [1, 1, 2].map(|seed| check_leaves(&certificate, sample(seed)));
    assert_eq!((one.verified_leaves, one.nodes), (3, again.nodes));
    assert_eq!(one.conditional_leaves(), one.needed_leaves - 3);
    assert!(one.conditional_leaves() > 0 && !one.is_proof());
    assert_eq!(other.verified_leaves, 3);
    let sample = one.sample.expect("a sample");
    assert_eq!((sample.nearest, sample.random), (2, 1));
    assert_eq!(sample.candidates, one.needed_leaves - 2);
    let others = u32::try_from(sample.candidates).expect("few leaves");
    let missed = f64::from(others - 1) / f64::from(others);
    assert!((sample.missed_probability() - missed).abs() < 1e-12);
}

/// Replaces the goals of a store by two leaves, one of them wrong, that prove the margin +10 of
/// 4x3, which is +6, and by leaves with right answers on which no margin depends.
fn forge(path: &Path) {
    const IRRELEVANT_LEAVES: u64 = 300;
    let mut goals = vec![
        ("<4,0,0,3,3,3,3,3,3,3,3> s".to_owned(), 10, true),
        ("<4,0,0,3,3,3,3,3,3,3,3> s".to_owned(), 12, false),
    ];
    for number in 0..IRRELEVANT_LEAVES {
        let digit = |place: u32| (number / 3_u64.pow(place) % 3).to_string();
        let row = |first: u32| [0, 1, 2].map(|place| digit(first + place)).join(",");
        let text = format!("<4,0,0,{},1,{},1> s", row(0), row(3));
        let setup: kalah::Setup = text.parse().unwrap();
        let position = setup.position(Rules::STANDARD).unwrap();
        let margin = reference::margin(&position).seeds();
        goals.push((text, margin, true));
    }
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch("DELETE FROM goals; UPDATE proof SET all_moves = 0")
        .unwrap();
    for (id, (position, target, answer)) in goals.into_iter().enumerate() {
        let id = i64::try_from(id).unwrap();
        let values = (id, position, target, answer);
        connection
            .execute(
                "INSERT INTO goals VALUES (?1, ?2, ?3, ?4, 0, NULL, NULL, 9)",
                values,
            )
            .unwrap();
    }
}

#[test]
fn forged_store_is_found_by_every_sample() {
    let (_folder, path) = proof(&statement(4, 3, Rules::STANDARD));
    forge(&path);
    let certificate = Certificate::read(&path).unwrap();
    assert_eq!(certificate.claims().position.lower, Margin::new(10));
    for seed in 0..30 {
        for count in [1, 2, 10] {
            let report = check_leaves(&certificate, LeafSelection::Sample { count, seed });
            assert_eq!(report.needed_leaves, 2);
            assert!(!report.faults.is_empty(), "{count} leaves, seed {seed}");
        }
    }
    let report = check_leaves(&certificate, LeafSelection::Needed);
    // The other leaf is right: South does not reach +12.
    assert_eq!((report.faults.len(), report.verified_leaves), (1, 1));
    let report = check_leaves(&certificate, LeafSelection::Sample { count: 0, seed: 0 });
    assert_eq!(report.faults, []);
    assert_eq!(report.conditional_leaves(), 2);
    assert!(!report.is_proof());
}

/// The status of a store counts the leaves without the code of the check.
#[test]
fn status_and_check_count_the_same_leaves() {
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(2, 3), (3, 3), (4, 3)] {
            let (_folder, path) = proof(&statement(houses, seeds, preset.rules));
            let report = check_all(&path);
            let stored = ProofStore::read(&path).unwrap();
            let coordinator = Coordinator::new(stored.statement, stored.tree, JobSize::default());
            assert_eq!(
                coordinator.conditional_leaves(),
                report.needed_leaves,
                "{houses}x{seeds} {}",
                preset.name
            );
        }
    }
}

/// A wrong leaf on which no margin depends changes none.
#[test]
fn leaf_that_no_margin_depends_on_is_searched_only_with_all() {
    let (_folder, path) = proof(&statement(3, 3, Rules::STANDARD));
    let before = check_all(&path);
    assert!(before.is_proof());
    let id = Certificate::read(&path).unwrap().goals().len();
    // South has banked all seeds but two after its move, and gains nothing more than these.
    let values = format!("({id}, '<3,0,0,2,0,0,0,2,0> s', 4, 1, 0, NULL, NULL, 1)");
    change(&path, &format!("INSERT INTO goals VALUES {values}"));
    let certificate = Certificate::read(&path).unwrap();
    let all = check_leaves(&certificate, LeafSelection::All);
    assert_eq!(
        (all.leaves, all.needed_leaves),
        (before.leaves + 1, before.needed_leaves)
    );
    assert_eq!(all.faults.len(), 1, "{:?}", all.faults);
    let needed = check_leaves(&certificate, LeafSelection::Needed);
    assert_eq!(needed.verified_leaves, needed.needed_leaves);
    assert!(needed.is_proof());
    assert_eq!(needed.claims, before.claims);
}

#[test]
fn leaf_beyond_the_node_limit_is_undecided() {
    let (_folder, path) = proof(&statement(4, 3, Rules::STANDARD));
    let certificate = Certificate::read(&path).unwrap();
    let options = CheckOptions {
        leaves: LeafSelection::All,
        threads: NonZeroUsize::MIN,
        max_nodes: 1,
        memory: 1 << 10,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let report = check(&certificate, options);
    assert!(!report.undecided.is_empty());
    assert_eq!(
        report.verified_leaves + report.undecided.len(),
        report.leaves
    );
    let stopped = CheckOptions {
        stop_flag: &AtomicBool::new(true),
        ..options
    };
    assert!(check(&certificate, stopped).is_stopped);
}

/// A check that ends early says nothing about leaves that it has not searched.
#[test]
fn only_confirmed_leaves_count() {
    let (_folder, path) = proof(&statement(4, 3, Rules::STANDARD));
    let certificate = Certificate::read(&path).unwrap();
    let selections = [
        LeafSelection::All,
        LeafSelection::Needed,
        LeafSelection::Sample { count: 6, seed: 1 },
    ];
    for leaves in selections {
        let stop_flag = AtomicBool::new(false);
        let options = CheckOptions {
            leaves,
            threads: NonZeroUsize::MIN,
            max_nodes: u64::MAX,
            memory: 1 << 10,
            stop_flag: &stop_flag,
            observer: &|progress| stop_flag.store(progress.searched == 3, Ordering::Relaxed),
        };
        let report = check(&certificate, options);
        assert!(report.is_stopped && report.verified_leaves == 3);
        assert!(report.verified_needed_leaves <= 3);
        let conditional = report.needed_leaves - report.verified_needed_leaves;
        assert_eq!(report.conditional_leaves(), conditional, "{leaves:?}");
        assert_eq!(report.missed_probability(), None, "{leaves:?}");

        let (stop_flag, max_nodes) = (&AtomicBool::new(false), 1);
        let report = check(
            &certificate,
            CheckOptions {
                stop_flag,
                max_nodes,
                ..options
            },
        );
        assert!(!report.undecided.is_empty());
        assert!(report.conditional_leaves() > 0, "{leaves:?}");
        assert_eq!(report.missed_probability(), None, "{leaves:?}");
    }
    let report = check_leaves(&certificate, LeafSelection::All);
    assert_eq!(report.conditional_leaves(), 0);
    assert_eq!(report.missed_probability(), Some(0.0));
}

fn text_of(path: &Path) -> String {
    let mut text = String::new();
    let mut file = GzDecoder::new(fs::File::open(path).unwrap());
    file.read_to_string(&mut text).unwrap();
    text
}

fn write_text(path: &Path, text: &str) {
    let mut file = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    file.write_all(text.as_bytes()).unwrap();
    file.finish().unwrap();
}

/// Returns whether a file is a proof of exact margins.
fn is_valid(path: &Path) -> bool {
    Certificate::read(path)
        .is_ok_and(|certificate| check_leaves(&certificate, LeafSelection::All).is_proof())
}

/// Changes of a certificate that make it wrong, by a search for a text and its replacement.
const WRONG_CHANGES: [(&str, &str); 8] = [
    ("margin ", "margin 4"),
    (" yes ", " no "),
    (" no ", " yes "),
    ("\nend ", "\nend 1"),
    ("kalah-certificate 1", "kalah-certificate 7"),
    ("capture=opposite", "capture=always"),
    ("goals\n", "goals\nsearch yes 5 <1,0,0,3,3> s\n"),
    ("\nend ", "\nmoves yes 2 <3,0,0,1,1,1,1,1,1> s\nend "),
];

fn certificate(leaf_nodes: u64) -> (TempDir, PathBuf) {
    let (folder, path) = proof(&statement(3, 3, Rules::STANDARD));
    let out = folder.path().join("certificate");
    export_to(&path, leaf_nodes, &out);
    (folder, out)
}

#[test]
fn changed_certificates_are_refused() {
    let (_folder, path) = certificate(5);
    let text = text_of(&path);
    for (from, to) in WRONG_CHANGES {
        assert!(text.contains(from));
        write_text(&path, &text.replacen(from, to, 1));
        assert!(!is_valid(&path), "{from} -> {to}");
    }
    // A certificate can have few goals that turn out to follow from others, and needs all others.
    let goals: Vec<&str> = (text.lines().filter(|line| line.contains('<')))
        .skip(1)
        .collect();
    let needs = |goal: &&&str| {
        let rest = text.replace(&format!("{goal}\n"), "");
        let count = format!("end {}", goals.len());
        let rest = rest.replace(&count, &format!("end {}", goals.len() - 1));
        write_text(&path, &rest);
        !is_valid(&path)
    };
    let needed = goals.iter().filter(needs).count();
    assert!(2 * needed > goals.len(), "{needed} of {}", goals.len());
    write_text(&path, &text);
    assert!(is_valid(&path));
}

#[test]
fn files_that_are_no_proofs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    assert!(matches!(
        Certificate::read(&path),
        Err(ReadError::Io { .. })
    ));
    assert!(matches!(
        Certificate::read(folder.path()),
        Err(ReadError::Io { .. })
    ));
    for content in [
        &b""[..],
        b"no database",
        b"kalah-certificatx 1\n",
        &[0; 5000],
    ] {
        fs::write(&path, content).unwrap();
        let error = Certificate::read(&path).err().unwrap();
        assert!(matches!(error, ReadError::NotAProof(_)), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any change of a certificate is read, refused or checked without a panic.
    #[test]
    fn mutated_certificates_do_not_panic(
        changes in prop::collection::vec((0.0..1.0, any::<u8>(), 0..4_u8), 1..4),
        is_compressed in any::<bool>(),
    ) {
        use std::sync::OnceLock;
        static CERTIFICATE: OnceLock<(TempDir, String)> = OnceLock::new();
        let (folder, text) = CERTIFICATE.get_or_init(|| {
            let (folder, path) = certificate(5);
            let text = text_of(&path);
            (folder, text)
        });
        let path = folder.path().join("mutated");
        let mut bytes = text.clone().into_bytes();
        if is_compressed {
            write_text(&path, text);
            bytes = fs::read(&path).unwrap();
        }
        for (place, byte, kind) in changes {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "an index")]
            let index = (place * bytes.len() as f64) as usize;
            match kind {
                0 => bytes[index] = byte,
                1 => bytes.insert(index, byte),
                2 => drop(bytes.remove(index)),
                _ => bytes.truncate(index.max(1)),
            }
        }
        fs::write(&path, bytes).unwrap();
        is_valid(&path);
    }
}

fn run_python(path: &Path) -> Output {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/check_proof.py");
    let mut command = Command::new(Tool::Python.require());
    command.args([program.as_ref(), path]).output().unwrap()
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn program_of_the_documents_verifies_certificates_and_refuses_damaged_ones() {
    for preset in Rules::PRESETS {
        for (size, leaf_nodes) in [((4, 3), 1), ((3, 3), 20)] {
            let statement = statement(size.0, size.1, preset.rules);
            let (folder, path) = proof(&statement);
            let out = folder.path().join("certificate");
            export_to(&path, leaf_nodes, &out);
            let output = run_python(&out);
            let claims = Certificate::read(&out).unwrap().claims();
            let margin = claims.position.lower.seeds();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success(),
                "{}: {output:?}",
                statement.position
            );
            let text = text_of(&out);
            let lines: Vec<&str> = text.lines().collect();
            let start = format!("{} {}\n", lines[1], lines[2]);
            assert!(printed.starts_with(&start), "{printed}");
            assert!(printed.contains(&format!("\nverified: margin {margin} {margin}\n")));
            assert_eq!(printed.lines().count(), 2 + claims.moves.len());
        }
    }
    let (_folder, path) = certificate(5);
    let text = text_of(&path);
    let last = (text.lines().rev())
        .find(|line| line.contains('<'))
        .unwrap();
    let without_goal = (last, "");
    for (from, to) in WRONG_CHANGES.into_iter().chain([without_goal]) {
        write_text(&path, &text.replacen(from, to, 1));
        assert!(!run_python(&path).status.success(), "{from} -> {to}");
    }
    write_text(&path, &text);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(!run_python(&path).status.success(), "a truncated file");
}

#[test]
fn program_of_the_documents_has_at_most_160_lines() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/check_proof.py");
    assert!(fs::read_to_string(program).unwrap().lines().count() <= 160);
}
