//! Tables in files: what is written is read back, by the crate and by somebody who knows only docs/tables.md,
//! and what is wrong with a file is told.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kalah::{CaptureNeeds, Ends, Rules};
use kalah_tables::{
    BuildError, BuildFileError, Header, HeaderError, OpenError, Step, Table, Variant, VerifyError,
};
use tempfile::TempDir;

const HEADER_BYTES: usize = 4096;

fn go_on(_: Step) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn build(path: &Path, variant: Variant, seeds: u8) -> Table {
    Table::build_file(path, variant, seeds, NonZeroUsize::MIN, &mut go_on).unwrap()
}

/// A folder and a table in it.
fn small() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.table");
    build(&path, Variant::new(3, Rules::STANDARD), 7);
    (folder, path)
}

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

/// A reader after docs/tables.md, of which it follows every word and nothing else.
struct Stranger {
    bytes: Vec<u8>,
}

fn over(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |ways, i| ways * (n + 1 - i) / i)
}

impl Stranger {
    fn houses(&self) -> u64 {
        self.bytes[10].into()
    }

    fn rows(&self, seeds: u64) -> u64 {
        over(seeds + self.houses() - 1, self.houses() - 1)
    }

    fn number(row: &[u64]) -> u64 {
        let near = |k: usize| row[row.len() - k..].iter().sum::<u64>();
        let terms = (1..row.len()).map(|k| over(near(k) + k as u64 - 1, k as u64));
        terms.sum()
    }

    fn gain(&self, mover: &[u64], other: &[u64]) -> i32 {
        let seeds = |row: &[u64]| row.iter().sum::<u64>();
        let mover_is_greater = seeds(mover) > seeds(other);
        let (lesser, greater) = if mover_is_greater {
            (other, mover)
        } else {
            (mover, other)
        };
        let (a, b) = (seeds(lesser), seeds(greater));
        let s = a + b;
        let pits = 2 * self.houses();
        let mut at = 4096;
        if s > 0 {
            at += over(s - 1 + pits, pits);
        }
        for c in 0..a {
            at += 2 * self.rows(c) * self.rows(s - c);
        }
        if a < b && mover_is_greater {
            at += self.rows(a) * self.rows(b);
        }
        at += Self::number(lesser) * self.rows(b) + Self::number(greater);
        i32::from(self.bytes[usize::try_from(at).unwrap()]) - 128
    }
}

/// All ways to put up to `seeds` seeds into so many houses.
fn fillings(houses: usize, seeds: u64) -> Vec<Vec<u64>> {
    if houses == 0 {
        return vec![vec![]];
    }
    let with_last = |last| {
        let rest = fillings(houses - 1, seeds - last).into_iter();
        rest.map(move |mut filling| {
            filling.push(last);
            filling
        })
    };
    (0..=seeds).flat_map(with_last).collect()
}

fn packed(row: &[u64]) -> u64 {
    row.iter().fold(0, |packed, seeds| packed << 8 | seeds)
}

#[test]
fn a_stranger_reads_every_value_by_the_description_alone() {
    let folder = tempfile::tempdir().unwrap();
    let stuck_always = Rules {
        ends: Ends::Stuck,
        capture: CaptureNeeds::Nothing,
        ..Rules::CS32
    };
    for (houses, seeds, rules) in [
        (1, 12, Rules::CS32),
        (2, 8, Rules::STANDARD),
        (3, 7, Rules::EMPTY_CAPTURE),
        (6, 4, stuck_always),
        (7, 3, Rules::MANKALAH),
    ] {
        let path = folder.path().join(format!("{houses}.table"));
        let variant = Variant::new(houses, rules);
        build(&path, variant, seeds);
        let stranger = Stranger {
            bytes: fs::read(&path).unwrap(),
        };
        assert_eq!(stranger.bytes[..8], *b"\x89KALT\r\n\x1a");
        assert_eq!(stranger.bytes[8..12], [1, 0, houses, seeds]);
        assert_eq!(stranger.bytes[12], u8::from(rules.ends == Ends::Row));
        assert_eq!(
            stranger.bytes[13],
            u8::from(rules.capture == CaptureNeeds::Nothing)
        );
        assert_eq!(stranger.bytes[14..16], [1, 8]);
        let opened = Table::open(&path).unwrap();
        assert_eq!((opened.variant(), opened.seeds()), (variant, seeds));
        let fillings = fillings(2 * usize::from(houses), seeds.into());
        let positions = fillings.len() as u64;
        assert_eq!(stranger.bytes[16..24], positions.to_le_bytes());
        assert_eq!(stranger.bytes.len(), HEADER_BYTES + fillings.len());
        let in_memory = Table::build(variant, seeds, NonZeroUsize::MIN, &mut |_| {
            ControlFlow::Continue(())
        });
        let in_memory = in_memory.unwrap();
        for filling in fillings {
            let (mover, other) = filling.split_at(houses.into());
            let slot = opened.slot(packed(mover), packed(other)).unwrap();
            let gain = i32::from(in_memory.gain(slot));
            assert_eq!(i32::from(opened.gain(slot)), gain, "{filling:?}");
            assert_eq!(stranger.gain(mover, other), gain, "{filling:?}");
        }
    }
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
    assert_eq!(refusal(b""), "FILE: this is not a table of Kalah");
    assert_eq!(refusal(b"PNG or so"), "FILE: this is not a table of Kalah");
    assert_eq!(
        refusal(&with(8, 2)),
        "FILE: this is a table of version 2 of the format, and this program reads version 1"
    );
    assert_eq!(
        refusal(&whole[..100]),
        "FILE: the file is cut off: it has 100 bytes, and its header alone needs 4096"
    );
    assert_eq!(
        refusal(&whole[..5000]),
        "FILE is cut off: it has 5000 bytes, and its header needs 5812"
    );
    assert_eq!(
        refusal(&long),
        "FILE is too long: it has 5813 bytes, and its header needs 5812"
    );
    let damaged = refusal(&with(11, 8));
    assert!(
        damaged.starts_with("FILE: the header is damaged: its checksum is "),
        "{damaged}"
    );
}

#[test]
fn what_is_no_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.table");
    let error = Table::open(&missing).err().unwrap();
    assert!(
        matches!(error, OpenError::Missing(ref path) if *path == missing),
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
fn a_build_that_is_broken_off_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let variant = Variant::new(4, Rules::CS32);
    let (whole, resumed) = (folder.path().join("whole"), folder.path().join("resumed"));
    build(&whole, variant, 9);
    for stop in 0..=9_u8 {
        let error =
            Table::build_file(
                &resumed,
                variant,
                9,
                NonZeroUsize::MIN,
                &mut |step| match step {
                    Step::Computed(progress) if progress.layer == stop => ControlFlow::Break(()),
                    Step::Found(_) | Step::Computed(_) | Step::Written(_) => {
                        ControlFlow::Continue(())
                    }
                },
            );
        let error = error.err().unwrap();
        assert!(
            matches!(error, BuildFileError::Build(BuildError::BrokenOff)),
            "{error}"
        );
        assert!(!resumed.exists());
        let part = Header::read(&Table::part_path(&resumed)).unwrap_err();
        let reason = HeaderError::Unfinished;
        assert!(
            matches!(part, OpenError::Header { reason: found, .. } if found == reason),
            "{part}"
        );
    }
    let mut steps = Vec::new();
    let mut observer = |step| {
        steps.push(step);
        ControlFlow::Continue(())
    };
    Table::build_file(&resumed, variant, 9, NonZeroUsize::MIN, &mut observer).unwrap();
    assert!(
        matches!(steps[..], [Step::Found(progress)] if progress.layer == 9),
        "{steps:?}"
    );
    assert!(!Table::part_path(&resumed).exists());
    assert!(fs::read(&whole).unwrap() == fs::read(&resumed).unwrap());
}

#[test]
fn only_whole_layers_of_the_same_table_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(3, Rules::STANDARD), 7);
    let (whole, path) = (folder.path().join("whole"), folder.path().join("resumed"));
    build(&whole, variant, seeds);
    let whole = fs::read(&whole).unwrap();
    let part = Table::part_path(&path);
    let layer = |layer| Table::positions(variant, layer).unwrap();
    let in_layer_5 = HEADER_BYTES + usize::try_from(layer(4)).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    for (left, found) in [
        (whole.clone(), Some(7)),
        (whole[..in_layer_5].to_vec(), Some(4)),
        (whole[..=in_layer_5].to_vec(), Some(4)),
        (flipped(in_layer_5), Some(4)),
        (flipped(24 + 8 * 5), Some(4)),
        (flipped(HEADER_BYTES), None),
        (flipped(10), None),
        (flipped(13), None),
        (b"what is this?".to_vec(), None),
        (vec![], None),
    ] {
        fs::write(&part, left).unwrap();
        let mut first = None;
        Table::build_file(&path, variant, seeds, NonZeroUsize::MIN, &mut |step| {
            first = first.or(Some(step));
            ControlFlow::Continue(())
        })
        .unwrap();
        let first = first.unwrap();
        match found {
            Some(layer) => assert!(
                matches!(first, Step::Found(progress) if progress.layer == layer),
                "{first:?}"
            ),
            None => assert!(
                matches!(first, Step::Computed(progress) if progress.layer == 0),
                "{first:?}"
            ),
        }
        assert!(fs::read(&path).unwrap() == whole);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn nothing_is_built_over_a_file_or_beside_another_build() {
    let (folder, path) = small();
    let variant = Variant::new(3, Rules::STANDARD);
    let again = |path: &Path| Table::build_file(path, variant, 7, NonZeroUsize::MIN, &mut go_on);
    let error = again(&path).err().unwrap();
    assert!(matches!(error, BuildFileError::Exists(_)), "{error}");

    let other = folder.path().join("other.table");
    let held = File::create(Table::part_path(&other)).unwrap();
    held.lock().unwrap();
    let error = again(&other).err().unwrap();
    assert!(matches!(error, BuildFileError::Locked(_)), "{error}");
    drop(held);
    again(&other).unwrap();

    let nowhere = folder.path().join("no/such/folder.table");
    let error = again(&nowhere).err().unwrap();
    let no_folder = |reason: &std::io::Error| reason.kind() == ErrorKind::NotFound;
    assert!(
        matches!(error, BuildFileError::Write { ref reason, .. } if no_folder(reason)),
        "{error}"
    );
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
