//! Any bytes are opened as a table file or refused with an error. Probes and the verification of an
//! opened file do not crash, with any values. A build makes the same table regardless of the file
//! that already has its name.
//!
//! Input: a byte for the kind of file, by its remainder of 3, and then
//! 0. the file;
//! 1. the parts of a file: a byte each for the houses, the seeds, the rules, whether its checksums
//!    are correct, and the number of changes in the header; two bytes for each change; then the
//!    values, repeated up to the end;
//! 2. the changes of a correct file: three bytes for each, two for the offset and one for the bits
//!    to flip; one or two remaining bytes are the number of bytes to cut off.
#![no_main]

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use kalah::{BySide, FirstPlies, Rules, Setup, Side, Variant};
use kalah_tables::{ChecksumPolicy, Header, Table};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 4096;
/// The number of bytes that the checksum of the header covers: all before it.
const SEALED: usize = HEADER - 8;
/// The number of bytes at the beginning of the header that hold its fields. The others are
/// checksums or zeros.
const FIELDS: u8 = 24;

/// The limits of files that are made from parts.
const MAX_HOUSES: u8 = 4;
const MAX_SEEDS: u8 = 7;
const MAX_CHANGES: u8 = 2;

struct MadeFile {
    file: Vec<u8>,
    /// Whether the checksums of the layers and the header are correct.
    good: bool,
}

fn make_file(bytes: &[u8]) -> MadeFile {
    let mut rest = bytes.iter().copied();
    let mut next = || rest.next().unwrap_or_default();
    let houses = next() % MAX_HOUSES + 1;
    let seeds = next() % (MAX_SEEDS + 1);
    let variant = Variant::new(houses, kalah_fuzz::rules(next()));
    let truthful = next() % 2 == 1;
    let changes: Vec<_> = (0..next() % (MAX_CHANGES + 1))
        .map(|_| (next() % FIELDS, next()))
        .collect();
    let end = |seeds| {
        let positions = Table::positions(variant, seeds).expect("a small table");
        usize::try_from(positions).expect("a small table")
    };
    let filling: Vec<u8> = rest.collect();
    let values: Vec<u8> = filling
        .iter()
        .chain(&[0])
        .copied()
        .cycle()
        .take(end(seeds))
        .collect();
    let checksum = |layer: u8| {
        let start = layer.checked_sub(1).map_or(0, end);
        u64::from(!truthful) ^ xxh3_64(&values[start..end(layer)])
    };
    let header = Header::new(variant, seeds, (0..=seeds).map(checksum).collect());
    let mut header = header.expect("a small table").to_bytes();
    for &(at, byte) in &changes {
        header[usize::from(at)] = byte;
    }
    let seal = xxh3_64(&header[..SEALED]).to_le_bytes();
    header[SEALED..].copy_from_slice(&seal);
    MadeFile {
        file: [&header[..], &values].concat(),
        good: truthful && changes.is_empty(),
    }
}

fn probe(table: &Table, bytes: &[u8]) {
    for rows in bytes.chunks_exact(16) {
        let (mover, other) = rows.split_at(8);
        let row = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        if let Some(slot) = table.slot(row(mover), row(other)) {
            table.gain(slot);
        }
    }
    let houses = usize::from(table.variant().houses());
    for pits in bytes.chunks_exact(2 * houses) {
        let (south, north) = pits.split_at(houses);
        let row = |bytes: &[u8]| bytes.iter().map(|&seeds| (seeds % 8).into()).collect();
        let setup = Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(row(south), row(north)),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        };
        let position = setup.position(table.variant().rules()).expect("a position");
        let seeds = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
        let known = seeds.iter().sum::<u32>() <= table.seeds().into();
        match table.probe(&position) {
            Ok(gain) => assert_eq!(gain.is_some(), known, "{position}"),
            Err(damage) => assert_eq!(table.damage(), Some(&damage)),
        }
    }
}

/// Builds a correct file while the file `found` already has the name of the unfinished build.
fn built(folder: &Path, found: Option<&[u8]>) -> Vec<u8> {
    let path = folder.join("built.table");
    if let Some(found) = found {
        fs::write(Table::part_path(&path), found).expect("it is written");
    }
    let variant = Variant::new(2, Rules::STANDARD);
    let go_on = &mut |_| ControlFlow::Continue(());
    let built = Table::build_file(&path, variant, 4, NonZeroUsize::MIN, go_on);
    built.expect("it is built");
    let file = fs::read(&path).expect("it is read");
    fs::remove_file(&path).expect("it is removed");
    file
}

/// A correct file, built once.
static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();

fn damaged(mut file: Vec<u8>, changes: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    };
    let len = file.len();
    let changes = changes.chunks_exact(3);
    file.truncate(len - number(changes.remainder()) % len);
    for change in changes {
        let (at, bits) = change.split_at(2);
        if let Some(byte) = file.get_mut(number(at) % len) {
            *byte ^= bits[0];
        }
    }
    file
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let whole = WHOLE.get_or_init(|| built(folder.path(), None));
    let MadeFile { file, good } = match kind % 3 {
        0 => MadeFile {
            file: rest.to_vec(),
            good: false,
        },
        1 => make_file(rest),
        _ => {
            let file = damaged(whole.clone(), rest);
            let good = file == *whole;
            MadeFile { file, good }
        }
    };
    let path = folder.path().join("some.table");
    fs::write(&path, &file).expect("it is written");
    match (
        Table::open(&path, ChecksumPolicy::Trust),
        Header::read(&path),
    ) {
        (Ok(table), Ok(header)) => {
            assert_eq!(header.file_size(), file.len() as u64);
            assert_eq!(header.to_bytes(), file[..HEADER]);
            assert_eq!(header.variant(), table.variant());
            if good {
                assert_eq!(
                    table.verify_checksums(&mut |_| ControlFlow::Continue(())),
                    Ok(())
                );
            }
            if let Err(error) = table.verify_entries(64, 0) {
                assert!(!error.to_string().is_empty());
            }
            probe(&table, rest);
        }
        (Err(error), Err(_)) => {
            assert!(!good);
            assert!(error.to_string().contains("some.table"), "{error}");
        }
        (opened, read) => panic!("{:?} and {read:?}", opened.err()),
    }
    // A build trusts what has the right checksums, as only its own files have.
    if kind % 3 != 1 {
        assert!(built(folder.path(), Some(&file)) == *whole);
    }
});
