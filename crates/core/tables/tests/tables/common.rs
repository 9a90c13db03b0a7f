//! Builders of small tables, and lists of positions.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kalah::{Rules, Variant};
use kalah_tables::{BuildEvent, Table};
use tempfile::TempDir;

pub(crate) const HEADER_BYTES: usize = 4096;

/// An observer that never cancels a build.
pub(crate) fn never_cancel(_: BuildEvent) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Builds a table into a file.
pub(crate) fn build_file(path: &Path, variant: Variant, seeds: u8) -> Table {
    Table::build_file(path, variant, seeds, NonZeroUsize::MIN, &mut never_cancel).unwrap()
}

/// Builds a table in memory.
pub(crate) fn build(variant: Variant, seeds: u8, threads: usize) -> Table {
    let threads = NonZeroUsize::new(threads).unwrap();
    Table::build(variant, seeds, threads, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Builds the file of a table with 3 houses and 7 seeds in a temporary directory.
pub(crate) fn small_file() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.table");
    build_file(&path, Variant::new(3, Rules::STANDARD), 7);
    (directory, path)
}

/// Returns all ways to put at most `seeds` seeds into `houses` houses.
pub(crate) fn fillings(houses: u8, seeds: u64) -> Vec<Vec<u64>> {
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

/// Packs a row, one byte a house, the last house in the lowest byte.
pub(crate) fn pack_row(row: &[u64]) -> u64 {
    row.iter().fold(0, |packed, seeds| packed << 8 | seeds)
}
