use std::fs::{self, File};
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use kalah::Rules;
use kalah_tables::{
    BuildError, BuildEvent, BuildFileError, Header, HeaderError, OpenError, Table, Variant,
};

use super::{HEADER_BYTES, build, go_on, small};

/// The steps of a build into a file, up to the first at which it is to break off.
fn steps(
    path: &Path,
    variant: Variant,
    seeds: u8,
    stop: impl Fn(BuildEvent) -> bool + Send + Sync,
) -> Vec<BuildEvent> {
    let mut steps = Vec::new();
    let built = Table::build_file(path, variant, seeds, NonZeroUsize::MIN, &mut |step| {
        steps.push(step);
        if stop(step) {
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
            let reason = HeaderError::Unfinished;
            assert!(
                matches!(part, OpenError::Header { reason: found, .. } if found == reason),
                "{part}"
            );
        }
    }
    steps
}

#[test]
fn a_build_that_is_broken_off_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(4, Rules::CS32), 9);
    let (whole, path) = (folder.path().join("whole"), folder.path().join("resumed"));
    build(&whole, variant, seeds);
    let found = |steps: &[BuildEvent]| match steps.first() {
        Some(BuildEvent::Resumed(progress)) => Some(progress.layer),
        _ => None,
    };
    for layer in 0..=seeds {
        // In the middle of a layer, which is lost, and on its way to the disk or behind it.
        let computed = steps(
            &path,
            variant,
            seeds,
            |step| matches!(step, BuildEvent::Computed(progress) if progress.layer == layer),
        );
        assert_eq!(found(&computed), layer.checked_sub(1));
        let written = steps(&path, variant, seeds, |step| match step {
            BuildEvent::Writing(progress) => progress.layer == layer && layer % 2 == 0,
            BuildEvent::Written(progress) => progress.layer == layer,
            BuildEvent::Resumed(_) | BuildEvent::Computed(_) => false,
        });
        assert_eq!(found(&written), layer.checked_sub(1));
        assert!(
            matches!(written.last(), Some(BuildEvent::Written(progress)) if progress.layer == layer),
            "{written:?}"
        );
    }
    let rest = steps(&path, variant, seeds, |_| false);
    assert!(
        matches!(rest[..], [BuildEvent::Resumed(progress)] if progress.layer == seeds),
        "{rest:?}"
    );
    assert!(!Table::part_path(&path).exists());
    assert!(fs::read(&whole).unwrap() == fs::read(&path).unwrap());
}

#[test]
fn progress_is_told_position_by_position_and_layer_by_layer() {
    let folder = tempfile::tempdir().unwrap();
    let (variant, seeds) = (Variant::new(4, Rules::STANDARD), 9);
    let path = folder.path().join("some.table");
    let mut told = Vec::new();
    let built = Table::build(variant, seeds, NonZeroUsize::MIN, &mut |progress| {
        told.push(progress);
        ControlFlow::Continue(())
    });
    built.unwrap();
    assert!(told.is_sorted_by_key(|progress| (progress.layer, progress.done)));
    let ends = told.chunk_by(|one, next| one.layer == next.layer);
    let ends: Vec<_> = ends.filter_map(|layer| layer.last()).collect();
    assert_eq!(ends.len(), usize::from(seeds) + 1);
    for end in ends {
        assert_eq!(
            end.done,
            Table::positions(variant, end.layer).unwrap(),
            "{end:?}"
        );
    }
    assert!(told.len() > 2 * usize::from(seeds), "{told:?}");

    let into_file = steps(&path, variant, seeds, |_| false);
    let computed = into_file.iter().filter_map(|step| match step {
        BuildEvent::Computed(progress) => Some(*progress),
        BuildEvent::Resumed(_) | BuildEvent::Writing(_) | BuildEvent::Written(_) => None,
    });
    assert!(computed.eq(told));
    let written = into_file.iter().filter_map(|step| match step {
        BuildEvent::Written(progress) => Some(progress.layer),
        BuildEvent::Resumed(_) | BuildEvent::Computed(_) | BuildEvent::Writing(_) => None,
    });
    assert!(written.eq(0..=seeds));
}

#[test]
fn a_build_in_memory_is_broken_off_at_once() {
    let mut told = 0;
    let built = Table::build(
        Variant::new(4, Rules::CS32),
        9,
        NonZeroUsize::MIN,
        &mut |progress| {
            told += 1;
            if progress.layer == 5 {
                ControlFlow::Break(())
            } else {
                assert!(progress.layer < 5);
                ControlFlow::Continue(())
            }
        },
    );
    assert_eq!(built.err(), Some(BuildError::Cancelled));
    assert!(told > 5);
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
