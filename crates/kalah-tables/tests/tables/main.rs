//! Tables in files: what is written is read back, by the crate and by somebody who knows only docs/tables.md,
//! and what is wrong with a file is told.

mod building;
mod format;
mod opening;
mod values;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kalah::Rules;
use kalah_tables::{BuildEvent, Table, Variant};
use tempfile::TempDir;

const HEADER_BYTES: usize = 4096;

fn go_on(_: BuildEvent) -> ControlFlow<()> {
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
