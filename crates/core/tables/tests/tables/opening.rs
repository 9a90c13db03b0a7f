//! Opening and verifying table files, intact and damaged.

use std::fs::{self, File};
use std::ops::ControlFlow::{Break, Continue};

use kalah::{BySide, FirstPlies, Rules, Setup, Side};
use kalah_tables::ChecksumPolicy::{Trust, Verify};
use kalah_tables::{OpenError, Table, TableFault, VerifyError};
use proptest::prelude::*;

use super::common::{HEADER_BYTES, small_file};

/// Returns the error message on opening a file with these bytes, with `FILE` for its quoted path.
fn open_error(bytes: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("some.table");
    fs::write(&path, bytes).unwrap();
    let Err(error) = Table::open(&path, Verify) else {
        panic!("the file was opened");
    };
    let name = format!("'{}'", path.display());
    let message = error.to_string();
    assert!(message.contains(&name), "{message}");
    message.replace(&name, "FILE")
}

#[test]
fn each_fault_of_a_file_has_its_message() {
    let (_directory, path) = small_file();
    let whole = fs::read(&path).unwrap();
    let with_byte = |offset: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[offset] = byte;
        bytes
    };
    let long = [&whole[..], &[0]].concat();
    assert_eq!(open_error(b""), "FILE: not a Kalah table file");
    assert_eq!(open_error(b"PNG"), "FILE: not a Kalah table file");
    assert_eq!(
        open_error(&with_byte(8, 2)),
        "FILE: table format version 2 is not supported: this program reads version 1"
    );
    assert_eq!(
        open_error(&whole[..100]),
        "FILE: truncated header: 100 of 4096 bytes"
    );
    assert_eq!(
        open_error(&whole[..5000]),
        "FILE is truncated: 5000 bytes, but the header requires 5812"
    );
    assert_eq!(
        open_error(&long),
        "FILE is too long: 5813 bytes, but the header requires 5812"
    );
    let damaged = open_error(&with_byte(11, 8));
    assert!(
        damaged.starts_with("FILE: the header is damaged: checksum "),
        "{damaged}"
    );
}

#[test]
fn a_missing_file_and_a_directory_have_their_errors() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.table");
    let error = Table::open(&missing, Verify).err().unwrap();
    assert!(
        matches!(error, OpenError::NotFound(ref path) if *path == missing),
        "{error}"
    );
    let error = Table::open(directory.path(), Verify).err().unwrap();
    assert!(matches!(error, OpenError::Read { .. }), "{error}");
}

#[test]
fn both_verifications_detect_a_changed_value() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    table.verify_checksums(&mut |_| Continue(())).unwrap();
    table.verify_entries(2000, 7).unwrap();

    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 0x80;
    fs::write(&path, &bytes).unwrap();
    let table = Table::open(&path, Verify).unwrap();
    let damaged = table.verify_checksums(&mut |_| Continue(()));
    let Err(VerifyError::Damaged(damage)) = damaged else {
        panic!("{damaged:?}");
    };
    assert!(
        matches!(damage.fault(), TableFault::Checksum { layer: 7, .. }),
        "{damage}"
    );
    // 50,000 random choices among 1716 values include the damaged one.
    let wrong = table.verify_entries(50_000, 7);
    assert!(matches!(wrong, Err(VerifyError::Value { .. })), "{wrong:?}");
    assert_eq!(wrong, table.verify_entries(50_000, 7));
}

#[test]
fn the_observer_of_a_verification_counts_all_values_and_can_stop_it() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    let mut seen = Vec::new();
    let mut observer = |done| {
        seen.push(done);
        Continue(())
    };
    table.verify_checksums(&mut observer).unwrap();
    let positions = Table::positions(table.variant(), table.seeds()).unwrap();
    assert_eq!(seen.last(), Some(&positions));
    assert!(seen.is_sorted());

    let stopped = table.verify_checksums(&mut |_| Break(()));
    assert_eq!(stopped, Err(VerifyError::Stopped));
}

#[test]
fn verification_rejects_a_file_with_all_values_equal() {
    let (_directory, path) = small_file();
    let mut bytes = fs::read(&path).unwrap();
    for value in [0, 1, 127, 128, 255] {
        bytes[HEADER_BYTES..].fill(value);
        fs::write(&path, &bytes).unwrap();
        let table = Table::open(&path, Verify).unwrap();
        table.verify_checksums(&mut |_| Continue(())).unwrap_err();
        table.verify_entries(1000, 0).unwrap_err();
    }
}

#[test]
fn no_probe_panics_whatever_the_rows_and_values() {
    let (_directory, path) = small_file();
    let mut bytes = fs::read(&path).unwrap();
    for (value, byte) in (0..=255).cycle().zip(&mut bytes[HEADER_BYTES..]) {
        *byte = value;
    }
    fs::write(&path, &bytes).unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1000));
    let row = || prop_oneof![any::<u64>(), 0..0x1_00_00_00_u64, Just(u64::MAX)];
    let houses = || prop::collection::vec(0..4_u64, 3);
    let result = runner.run(
        &(row(), row(), houses(), houses()),
        |(mover, other, south, north)| {
            // A table that has found damage has no values.
            let table = Table::open(&path, Trust).unwrap();
            if let Some(slot) = table.slot(mover, other) {
                table.gain(slot);
            }
            let setup = Setup {
                stores: BySide { south: 0, north: 0 },
                rows: BySide { south, north },
                to_move: Side::South,
                first_plies: FirstPlies::Later,
            };
            let position = setup.position(Rules::STANDARD).unwrap();
            let totals = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
            let is_inside = totals.iter().sum::<u32>() <= 7;
            prop_assert!(!matches!(table.probe(&position), Ok(Some(_))) || is_inside);
            prop_assert!(
                is_inside || table.damage().is_some() || table.probe(&position) == Ok(None)
            );
            Ok(())
        },
    );
    result.unwrap();
}

#[test]
fn an_open_table_and_a_writer_exclude_each_other() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    let writer = File::options().read(true).write(true).open(&path).unwrap();
    assert!(writer.try_lock().is_err());
    Table::open(&path, Verify).unwrap();
    drop(table);
    writer.lock().unwrap();
    let error = Table::open(&path, Verify).err().unwrap();
    assert!(matches!(error, OpenError::Locked(_)), "{error}");
}
