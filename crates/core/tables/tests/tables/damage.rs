//! Damage of table files that is found when their values are used.

use std::cell::Cell;
use std::fs::{self, File};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::time::{Duration, SystemTime};

use kalah::{Position, Rules, Setup};
use kalah_tables::ChecksumPolicy::{Trust, Verify};
use kalah_tables::{OpenError, Table, TableDamage, TableFault, VerifyError};

use super::common::{HEADER_BYTES, small_file};

/// Positions of 3 houses a side with two seeds and with seven, the last layer of [`small_file`].
const POSITIONS: [&str; 2] = ["<3,0,0,0,1,0,0,0,1> s", "<3,0,0,1,2,1,1,1,1> s"];

fn position(text: &str) -> Position {
    let setup: Setup = text.parse().unwrap();
    setup.position(Rules::STANDARD).unwrap()
}

fn write_values(path: &Path, change: impl FnOnce(&mut [u8])) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes[HEADER_BYTES..]);
    fs::write(path, bytes).unwrap();
}

fn verify_all(table: &Table) -> Result<ControlFlow<()>, TableDamage> {
    table.verify_layers(table.seeds(), &mut || Continue(()))
}

#[test]
fn values_are_usable_as_far_as_they_are_verified() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    assert_eq!(table.usable_seeds(), 0);
    assert_eq!(table.slot(0x01_00_00, 0), None);
    assert_eq!(table.verify_layers(2, &mut || Break(())), Ok(Break(())));
    assert_eq!(
        table.verify_layers(2, &mut || Continue(())),
        Ok(Continue(()))
    );
    assert_eq!(table.usable_seeds(), 2);
    assert!(table.slot(0x01_00_00, 0x01).is_some());
    assert_eq!(table.slot(0x02_00_00, 0x01), None);
    assert_eq!(verify_all(&table), Ok(Continue(())));
    assert_eq!(table.usable_seeds(), 7);
}

#[test]
fn probe_verifies_the_layers_that_it_needs() {
    let (_directory, path) = small_file();
    let expected = {
        let table = Table::read(&path, Verify).unwrap();
        POSITIONS.map(|text| table.probe(&position(text)).unwrap().unwrap())
    };
    // The last value is one of the last layer.
    write_values(&path, |values| *values.last_mut().unwrap() ^= 2);
    let table = Table::open(&path, Verify).unwrap();
    let [small, large] = POSITIONS.map(position);
    assert_eq!(table.probe(&small), Ok(Some(expected[0])));
    let damage = table.probe(&large).unwrap_err();
    assert!(
        matches!(damage.fault(), TableFault::Checksum { layer: 7, .. }),
        "{damage}"
    );
    assert_eq!((damage.path(), damage.variant()), (&*path, table.variant()));
    // From now on the table has no values.
    assert_eq!(table.probe(&small), Err(damage));
    assert_eq!(table.slot(0x01_00_00, 0x01), None);
}

#[test]
fn values_that_are_no_gains_are_damage_even_if_they_are_trusted() {
    let (_directory, path) = small_file();
    for (value, gain) in [(0, -128), (127, -1), (128 + 8, 8), (255, 127)] {
        write_values(&path, |values| values.fill(value));
        for table in [Table::open(&path, Trust), Table::read(&path, Trust)] {
            let table = table.unwrap();
            assert!(table.damage().is_none());
            let damage = table.probe(&position(POSITIONS[0])).unwrap_err();
            let fault = TableFault::Value { layer: 2, gain };
            assert_eq!(damage.fault(), &fault);
            assert_eq!(table.usable_seeds(), 0);
        }
    }
    // All gains of two seeds are even and at most 2.
    write_values(&path, |values| values.fill(128 + 2));
    let table = Table::open(&path, Trust).unwrap();
    let gain = table.probe(&position(POSITIONS[0])).unwrap();
    assert_eq!(gain.map(kalah::Gain::seeds), Some(2));
}

#[test]
fn reading_into_memory_finds_damage_and_needs_the_file_no_more() {
    let (_directory, path) = small_file();
    let table = Table::read(&path, Verify).unwrap();
    let known = table.probe(&position(POSITIONS[1]));
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(5000)
        .unwrap();
    assert_eq!(verify_all(&table), Ok(Continue(())));
    assert_eq!(table.probe(&position(POSITIONS[1])), known);

    let (_directory, path) = small_file();
    write_values(&path, |values| values[3] ^= 2);
    let Err(OpenError::Damaged(damage)) = Table::read(&path, Verify) else {
        panic!("the damage was not found");
    };
    assert!(
        matches!(damage.fault(), TableFault::Checksum { layer: 1, .. }),
        "{damage}"
    );
}

#[test]
fn verified_file_is_read_again_only_after_a_change() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    let steps = Cell::new(0);
    let verify = || {
        steps.set(0);
        table.verify_layers(7, &mut || {
            steps.set(steps.get() + 1);
            Continue(())
        })
    };
    assert_eq!(verify(), Ok(Continue(())));
    // A step for each layer.
    assert_eq!(steps.get(), 8);
    assert_eq!(verify(), Ok(Continue(())));
    assert_eq!(steps.get(), 0);

    let file = File::options().write(true).open(&path).unwrap();
    let later = SystemTime::now() + Duration::from_secs(10);
    file.set_modified(later).unwrap();
    table.check_unchanged().unwrap();
    assert_eq!(table.usable_seeds(), 0);
    assert_eq!(verify(), Ok(Continue(())));
    assert_eq!((steps.get(), table.usable_seeds()), (8, 7));
}

#[test]
fn truncated_file_is_damage_before_the_system_ends_the_process() {
    for is_verified in [false, true] {
        let (_directory, path) = small_file();
        let table = Table::open(&path, Verify).unwrap();
        if is_verified {
            assert_eq!(verify_all(&table), Ok(Continue(())));
        }
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(5000).unwrap();
        let damage = verify_all(&table).unwrap_err();
        let fault = TableFault::Length {
            layer: 6,
            has: 5000,
        };
        assert_eq!(damage.fault(), &fault);
        assert_eq!(table.usable_seeds(), 0);
    }
}

/// Sets the time of the last modification of a file.
fn set_modified(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(10)
}

#[test]
fn file_that_changes_while_it_is_in_use_is_not_used_any_more() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    assert_eq!(verify_all(&table), Ok(Continue(())));
    let revision = table.check_unchanged().unwrap();
    assert_eq!(table.check_unchanged_since(revision), Ok(()));
    set_modified(&path, later());
    // Another search verifies the file again.
    assert_eq!(verify_all(&table), Ok(Continue(())));
    let damage = table.check_unchanged_since(revision).unwrap_err();
    assert_eq!(damage.fault(), &TableFault::Changed);
    assert_eq!(table.usable_seeds(), 0);
    assert_eq!(verify_all(&table), Err(damage));

    let trusted = Table::open(&path, Trust).unwrap();
    let revision = trusted.check_unchanged().unwrap();
    set_modified(&path, later());
    assert_eq!(trusted.check_unchanged_since(revision), Ok(()));
}

#[test]
#[cfg(unix)]
fn change_is_noticed_although_the_time_of_the_modification_stays_the_same() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    assert_eq!(verify_all(&table), Ok(Continue(())));
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let change = || {
        write_values(&path, |values| *values.last_mut().unwrap() ^= 2);
        set_modified(&path, modified);
        table.check_unchanged().unwrap();
        table.usable_seeds() == 0
    };
    // The times of files advance in steps of some milliseconds.
    assert!((0..1000).any(|_| change()));
}

#[test]
fn verification_of_all_checksums_does_not_lift_earlier_damage() {
    let (_directory, path) = small_file();
    let intact = fs::read(&path).unwrap();
    write_values(&path, |values| values.fill(0));
    let table = Table::open(&path, Trust).unwrap();
    let damage = table.probe(&position(POSITIONS[0])).unwrap_err();
    fs::write(&path, intact).unwrap();
    let verified = table.verify_checksums(&mut |_| Continue(()));
    assert_eq!(verified, Err(VerifyError::Damaged(damage)));
    assert_eq!(table.usable_seeds(), 0);
}

#[test]
fn verification_of_a_file_that_changes_meanwhile_fails() {
    let (_directory, path) = small_file();
    let table = Table::open(&path, Verify).unwrap();
    let verified = table.verify_checksums(&mut |_| {
        set_modified(&path, later());
        Continue(())
    });
    let Err(VerifyError::Damaged(damage)) = verified else {
        panic!("{verified:?}");
    };
    assert_eq!(damage.fault(), &TableFault::Changed);
    assert_eq!(table.usable_seeds(), 0);
}
