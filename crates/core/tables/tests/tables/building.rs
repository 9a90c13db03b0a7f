//! Building tables: progress, cancellation, and resuming the build of a file.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use kalah::{Rules, Variant};
use kalah_tables::{
    BuildError, BuildEvent, BuildFileError, BuildMemory, ChecksumPolicy, Header, HeaderError,
    OpenError, Table,
};

use super::common::{HEADER_BYTES, build_file, never_cancel, small_file};

/// All kinds of memory of a build.
const ALL_MEMORY: [BuildMemory; 2] = [BuildMemory::WholeTable, BuildMemory::OneLayer];

/// Builds a table into a file until `cancels` returns true, and returns all events.
fn build_until(
    memory: BuildMemory,
    path: &Path,
    variant: Variant,
    seeds: u8,
    cancels: impl Fn(BuildEvent) -> bool + Send + Sync,
) -> Vec<BuildEvent> {
    let mut events = Vec::new();
    let one = NonZeroUsize::MIN;
    let built = Table::build_file_in(memory, path, variant, seeds, one, &mut |event| {
        events.push(event);
        if cancels(event) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match built {
        Ok(_) => assert!(path.exists()),
        Err(error) => {
            assert!(
                matches!(error, BuildFileError::Build(BuildError::Cancelled)),
                "{error}"
            );
            assert!(!path.exists());
            let part = Header::read(&Table::part_path(path)).unwrap_err();
            assert!(
                matches!(
                    part,
                    OpenError::Header {
                        reason: HeaderError::Unfinished,
                        ..
                    }
                ),
                "{part}"
            );
        }
    }
    events
}

#[test]
fn a_cancelled_build_resumes_after_the_last_written_layer() {
    let directory = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(4, Rules::CS32), 9);
    let (whole, path) = (
        directory.path().join("whole"),
        directory.path().join("resumed"),
    );
    build_file(&whole, variant, seeds);
    for memory in ALL_MEMORY {
        assert_build_resumes_after_each_layer(memory, &path, variant, seeds);
        assert!(fs::read(&whole).unwrap() == fs::read(&path).unwrap());
        fs::remove_file(&path).unwrap();
    }
}

fn assert_build_resumes_after_each_layer(
    memory: BuildMemory,
    path: &Path,
    variant: Variant,
    seeds: u8,
) {
    let resumed_layer = |events: &[BuildEvent]| match events.first() {
        Some(BuildEvent::Resumed(progress)) => Some(progress.layer),
        _ => None,
    };
    for layer in 0..=seeds {
        // A build that is cancelled while it computes a layer loses that layer.
        let computed = build_until(
            memory,
            path,
            variant,
            seeds,
            |event| matches!(event, BuildEvent::Computed(progress) if progress.layer == layer),
        );
        assert_eq!(resumed_layer(&computed), layer.checked_sub(1));
        // A build that is cancelled while it syncs a layer, or afterwards, keeps the layer.
        let written = build_until(memory, path, variant, seeds, |event| match event {
            BuildEvent::Writing(progress) => progress.layer == layer && layer % 2 == 0,
            BuildEvent::Written(progress) => progress.layer == layer,
            BuildEvent::Resumed(_) | BuildEvent::Computed(_) => false,
        });
        assert_eq!(resumed_layer(&written), layer.checked_sub(1));
        assert!(
            matches!(
                written.last(),
                Some(BuildEvent::Written(progress)) if progress.layer == layer
            ),
            "{written:?}"
        );
    }
    let rest = build_until(memory, path, variant, seeds, |_| false);
    assert!(
        matches!(rest[..], [BuildEvent::Resumed(progress)] if progress.layer == seeds),
        "{rest:?}"
    );
    assert!(!Table::part_path(path).exists());
}

#[test]
fn progress_grows_within_each_layer_and_ends_with_all_its_positions() {
    let directory = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(4, Rules::STANDARD), 9);
    let path = directory.path().join("some.table");
    let mut reports = Vec::new();
    let built = Table::build(variant, seeds, NonZeroUsize::MIN, &mut |progress| {
        reports.push(progress);
        ControlFlow::Continue(())
    });
    built.unwrap();
    assert!(reports.is_sorted_by_key(|progress| (progress.layer, progress.done)));
    let ends = reports.chunk_by(|one, next| one.layer == next.layer);
    let ends: Vec<_> = ends.filter_map(|layer| layer.last()).collect();
    assert_eq!(ends.len(), usize::from(seeds) + 1);
    for end in ends {
        assert_eq!(
            end.done,
            Table::positions(variant, end.layer).unwrap(),
            "{end:?}"
        );
    }
    assert!(reports.len() > 2 * usize::from(seeds), "{reports:?}");

    let whole = BuildMemory::WholeTable;
    let events = build_until(whole, &path, variant, seeds, |_| false);
    let computed = events.iter().filter_map(|event| match event {
        BuildEvent::Computed(progress) => Some(*progress),
        BuildEvent::Resumed(_) | BuildEvent::Writing(_) | BuildEvent::Written(_) => None,
    });
    assert!(computed.eq(reports));
    let written = events.iter().filter_map(|event| match event {
        BuildEvent::Written(progress) => Some(progress.layer),
        BuildEvent::Resumed(_) | BuildEvent::Computed(_) | BuildEvent::Writing(_) => None,
    });
    assert!(written.eq(0..=seeds));
}

#[test]
fn a_build_in_memory_stops_at_once_when_cancelled() {
    let mut report_count = 0;
    let built = Table::build(
        Variant::new(4, Rules::CS32),
        9,
        NonZeroUsize::MIN,
        &mut |progress| {
            report_count += 1;
            if progress.layer == 5 {
                ControlFlow::Break(())
            } else {
                assert!(progress.layer < 5);
                ControlFlow::Continue(())
            }
        },
    );
    assert_eq!(built.err(), Some(BuildError::Cancelled));
    assert!(report_count > 5);
}

#[test]
fn a_build_resumes_only_with_intact_layers_of_the_same_table() {
    let directory = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(3, Rules::STANDARD), 7);
    let (whole, path) = (
        directory.path().join("whole"),
        directory.path().join("resumed"),
    );
    build_file(&whole, variant, seeds);
    let whole = fs::read(&whole).unwrap();
    let part = Table::part_path(&path);
    let layer = |layer| Table::positions(variant, layer).unwrap();
    let in_layer_5 = HEADER_BYTES + usize::try_from(layer(4)).unwrap();
    let flipped = |offset: usize| {
        let mut bytes = whole.clone();
        bytes[offset] ^= 1;
        bytes
    };
    // The content of the part file, and the last layer with which the build resumes.
    for (content, resumed_layer) in [
        (whole.clone(), Some(7)),
        (whole[..in_layer_5].to_vec(), Some(4)),
        (whole[..=in_layer_5].to_vec(), Some(4)),
        (flipped(in_layer_5), Some(4)),
        (flipped(24 + 8 * 5), Some(4)),
        (flipped(HEADER_BYTES), None),
        (flipped(10), None),
        (flipped(13), None),
        (b"not a table".to_vec(), None),
        (vec![], None),
    ] {
        for memory in ALL_MEMORY {
            fs::write(&part, &content).unwrap();
            let mut first = None;
            let one = NonZeroUsize::MIN;
            Table::build_file_in(memory, &path, variant, seeds, one, &mut |event| {
                first = first.or(Some(event));
                ControlFlow::Continue(())
            })
            .unwrap();
            let first = first.unwrap();
            match resumed_layer {
                Some(layer) => assert!(
                    matches!(first, BuildEvent::Resumed(progress) if progress.layer == layer),
                    "{first:?}"
                ),
                None => assert!(
                    matches!(first, BuildEvent::Computed(progress) if progress.layer == 0),
                    "{first:?}"
                ),
            }
            assert!(fs::read(&path).unwrap() == whole);
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn a_build_refuses_an_existing_file_a_locked_one_and_a_missing_directory() {
    let (directory, path) = small_file();
    let variant = Variant::new(3, Rules::STANDARD);
    let build_at =
        |path: &Path| Table::build_file(path, variant, 7, NonZeroUsize::MIN, &mut never_cancel);
    let error = build_at(&path).err().unwrap();
    assert!(matches!(error, BuildFileError::Exists(_)), "{error}");

    let other = directory.path().join("other.table");
    let locked = File::create(Table::part_path(&other)).unwrap();
    locked.lock().unwrap();
    let error = build_at(&other).err().unwrap();
    assert!(matches!(error, BuildFileError::Locked(_)), "{error}");
    drop(locked);
    build_at(&other).unwrap();

    let in_missing_directory = directory.path().join("no/such/directory.table");
    let error = build_at(&in_missing_directory).err().unwrap();
    let is_not_found = |reason: &std::io::Error| reason.kind() == ErrorKind::NotFound;
    assert!(
        matches!(error, BuildFileError::Write { ref reason, .. } if is_not_found(reason)),
        "{error}"
    );
}

/// A build with memory for one layer reads the lower ones from the file, and makes the same file.
#[test]
fn a_build_in_the_memory_of_one_layer_makes_the_same_file() {
    let directory = tempfile::tempdir().unwrap();
    for (houses, seeds, rules, threads) in [
        (1, 24, Rules::STANDARD, 1),
        (2, 12, Rules::EMPTY_CAPTURE, 2),
        (6, 11, Rules::CS32, 1),
        (6, 11, Rules::CS32, 3),
        (8, 6, Rules::MANKALAH, 2),
    ] {
        let variant = Variant::new(houses, rules);
        let path = directory.path().join("by-layers");
        let threads = NonZeroUsize::new(threads).unwrap();
        let memory = BuildMemory::OneLayer;
        let table = Table::build_file_in(memory, &path, variant, seeds, threads, &mut never_cancel)
            .unwrap();
        let whole = directory.path().join("whole");
        build_file(&whole, variant, seeds);
        assert!(fs::read(&path).unwrap() == fs::read(&whole).unwrap());
        // The values of the result are those of the file, and are verified first.
        assert_eq!((table.usable_seeds(), table.memory_bytes()), (0, 0));
        let verified = table.verify_checksums(&mut |_| ControlFlow::Continue(()));
        assert_eq!((verified, table.usable_seeds()), (Ok(()), seeds));
        assert!(table.mapped_file().is_some() || cfg!(not(any(unix, windows))));
        Table::open(&path, ChecksumPolicy::Verify).unwrap();
        fs::remove_file(path).unwrap();
        fs::remove_file(whole).unwrap();
    }
}
