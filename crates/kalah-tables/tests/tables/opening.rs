use std::fs::{self, File};

use kalah::{BySide, FirstPlies, Rules, Setup, Side};
use kalah_tables::{OpenError, Table, VerifyError};
use proptest::prelude::*;

use super::{HEADER_BYTES, small};

/// What is told of a file with these bytes.
fn refusal(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.table");
    fs::write(&path, bytes).unwrap();
    let Err(error) = Table::open(&path) else {
        panic!("it was opened");
    };
    let name = format!("'{}'", path.display());
    let told = error.to_string();
    assert!(told.contains(&name), "{told}");
    told.replace(&name, "FILE")
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let (_folder, path) = small();
    let whole = fs::read(&path).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    let long = [&whole[..], &[0]].concat();
    assert_eq!(refusal(b""), "FILE: not a Kalah table file");
    assert_eq!(refusal(b"PNG or so"), "FILE: not a Kalah table file");
    assert_eq!(
        refusal(&with(8, 2)),
        "FILE: table format version 2 is not supported: this program reads version 1"
    );
    assert_eq!(
        refusal(&whole[..100]),
        "FILE: truncated header: 100 of 4096 bytes"
    );
    assert_eq!(
        refusal(&whole[..5000]),
        "FILE is truncated: 5000 bytes, but the header requires 5812"
    );
    assert_eq!(
        refusal(&long),
        "FILE is too long: 5813 bytes, but the header requires 5812"
    );
    let damaged = refusal(&with(11, 8));
    assert!(
        damaged.starts_with("FILE: the header is damaged: checksum "),
        "{damaged}"
    );
}

#[test]
fn what_is_no_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.table");
    let error = Table::open(&missing).err().unwrap();
    assert!(
        matches!(error, OpenError::NotFound(ref path) if *path == missing),
        "{error}"
    );
    let error = Table::open(folder.path()).err().unwrap();
    assert!(matches!(error, OpenError::Read { .. }), "{error}");
}

#[test]
fn a_value_that_was_changed_is_found_both_ways_and_crashes_nothing() {
    let (_folder, path) = small();
    let table = Table::open(&path).unwrap();
    table.verify_checksums().unwrap();
    table.verify_entries(2000, 7).unwrap();

    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 0x80;
    fs::write(&path, &bytes).unwrap();
    let table = Table::open(&path).unwrap();
    let damaged = table.verify_checksums();
    assert!(
        matches!(damaged, Err(VerifyError::Checksum { layer: 7, .. })),
        "{damaged:?}"
    );
    // Among so many random entries is the one of 1716.
    let wrong = table.verify_entries(50_000, 7);
    assert!(matches!(wrong, Err(VerifyError::Value { .. })), "{wrong:?}");
    assert_eq!(wrong, table.verify_entries(50_000, 7));
}

#[test]
fn a_file_of_any_bytes_is_verified_without_a_crash() {
    let (_folder, path) = small();
    let mut bytes = fs::read(&path).unwrap();
    for filling in [0, 1, 127, 128, 255] {
        bytes[HEADER_BYTES..].fill(filling);
        fs::write(&path, &bytes).unwrap();
        let table = Table::open(&path).unwrap();
        table.verify_checksums().unwrap_err();
        table.verify_entries(1000, 0).unwrap_err();
    }
}

#[test]
fn a_probe_of_any_rows_in_any_values_ends_well() {
    let (_folder, path) = small();
    let mut bytes = fs::read(&path).unwrap();
    for (filling, byte) in (0..=255).cycle().zip(&mut bytes[HEADER_BYTES..]) {
        *byte = filling;
    }
    fs::write(&path, &bytes).unwrap();
    let table = Table::open(&path).unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(5000));
    let row = || prop_oneof![any::<u64>(), 0..0x1_00_00_00_u64, Just(u64::MAX)];
    let houses = || prop::collection::vec(0..4_u64, 3);
    let result = runner.run(
        &(row(), row(), houses(), houses()),
        |(mover, other, south, north)| {
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
            let houses = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
            let known = table.probe(&position).is_some();
            prop_assert_eq!(known, houses.iter().sum::<u32>() <= 7);
            Ok(())
        },
    );
    result.unwrap();
}

#[test]
fn a_table_that_is_open_is_read_only_by_others_and_one_that_is_written_is_not_opened() {
    let (_folder, path) = small();
    let table = Table::open(&path).unwrap();
    let writer = File::options().read(true).write(true).open(&path).unwrap();
    assert!(writer.try_lock().is_err());
    Table::open(&path).unwrap();
    drop(table);
    writer.lock().unwrap();
    let error = Table::open(&path).err().unwrap();
    assert!(matches!(error, OpenError::Locked(_)), "{error}");
}
