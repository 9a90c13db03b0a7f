//! A proof store with any rows is read or refused with an error, by the checker and by the program
//! that goes on with the proof. The margins of one that passes the check, or that depends on no
//! unchecked leaf, contain the true one.
//!
//! Input: lines of text. The first three are the position, the rules, and whether all moves are
//! proven. Each further line is a goal: answer, expanded, target, proof number and disproof number,
//! all as SQL numbers or `NULL`, and the position.
#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use kalah_check::Certificate;
use kalah_fuzz::{check_margins, true_margin};
use kalah_proof::{Coordinator, JobSize, ProofStore};
use libfuzzer_sys::fuzz_target;
use rusqlite::{Connection, params};

/// The statements that create an empty store.
const SCHEMA: &str = include_str!("../../crates/core/proof/src/store/schema.sql");

/// The fields of a line before its position.
const FIELDS: usize = 5;

/// Returns the bytes of a store without rows.
fn empty_store() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty");
    let connection = Connection::open(&path).expect("a database");
    let numbers = "PRAGMA application_id = 0x4b507266; PRAGMA user_version = 1;";
    connection.execute_batch(numbers).expect("a database");
    connection.execute_batch(SCHEMA).expect("valid SQL");
    drop(connection);
    std::fs::read(path).expect("a database")
}

/// Writes the rows of `text`. Rows that the tables refuse are left out.
fn write_store(path: &Path, text: &str) -> rusqlite::Result<()> {
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default();
    let (position, rules, all_moves) = (next(), next(), next() == "1");
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute(
        "INSERT INTO proof VALUES (0, ?, ?, ?, 0, '')",
        params![position, rules, all_moves],
    )?;
    let mut id = 0;
    for line in lines {
        let fields: Vec<&str> = line.splitn(FIELDS + 1, ' ').collect();
        let (Some(position), Some(numbers)) = (fields.get(FIELDS), fields.get(..FIELDS)) else {
            continue;
        };
        let number = |index: usize| numbers[index].parse::<f64>().ok();
        let whole = |index: usize| numbers[index].parse::<i64>().ok();
        let row = params![
            id,
            position,
            whole(2),
            whole(0),
            whole(1),
            number(3),
            number(4)
        ];
        let insert = "INSERT OR IGNORE INTO goals VALUES (?, ?, ?, ?, ?, ?, ?, 0)";
        id += i64::from(matches!(transaction.execute(insert, row), Ok(1)));
    }
    transaction.commit()
}

/// Checks the bounds that the program itself calls proven.
fn check_program(path: &Path) {
    let proof = match ProofStore::read(path) {
        Ok(proof) => proof,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let margin = true_margin(&proof.statement.position);
    let coordinator = Coordinator::new(proof.statement, proof.tree, JobSize::default());
    let status = coordinator.status();
    if let Some(margin) = margin
        && coordinator.conditional_leaves() == 0
    {
        let bounds = status.bounds;
        assert!(
            bounds.lower <= margin && margin <= bounds.upper,
            "{bounds:?} {margin}"
        );
    }
}

/// A store without rows, created once.
static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();

fuzz_target!(|text: &str| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("some.proof");
    std::fs::write(&path, EMPTY.get_or_init(empty_store)).expect("it is written");
    if write_store(&path, text).is_err() {
        return;
    }
    match Certificate::read(&path) {
        Ok(certificate) => check_margins(&certificate),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    check_program(&path);
});
