use std::fs;
use std::io::{self, Write};
use std::path::Path;

use indicatif::BinaryBytes;
use kalah_tables::{BuildError, BuildEvent, BuildFileError, Header, Table};
use tempfile::TempDir;

use crate::commands::tables::{Watch, quoted, room};
use crate::shown::tame;
use crate::{BenchTablesArguments, Failure};

pub(super) fn run(arguments: &BenchTablesArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let BenchTablesArguments { table, dir } = arguments;
    let (variant, seeds, threads) = (table.variant(), table.seeds, table.threads());
    let positions =
        Table::positions(variant, seeds).map_err(|reason| Failure::Usage(reason.to_string()))?;
    room::memory(positions)?;
    let folder = match dir {
        Some(dir) => Some(new_folder(dir, positions.saturating_add(Header::BYTES))?),
        None => None,
    };

    let mut watch = Watch::new(seeds, positions);
    let built = match &folder {
        Some(folder) => {
            let path = folder.path().join(variant.file_name(seeds));
            Table::build_file(&path, variant, seeds, threads, &mut |step| watch.see(step))
        }
        None => Table::build(variant, seeds, threads, &mut |progress| {
            watch.see(BuildEvent::Computed(progress))
        })
        .map_err(BuildFileError::from),
    };
    watch.end();
    let memory = most_memory();
    built.map_err(|error| match error {
        BuildFileError::Build(BuildError::Cancelled) => Failure::Work("broken off".to_owned()),
        error => Failure::Work(tame(&error.to_string())),
    })?;

    let (houses, rules) = (variant.houses(), variant.rules());
    writeln!(
        output,
        "kalah bench tables --houses {houses} --seeds {seeds} --rules {rules} --threads {threads}"
    )?;
    writeln!(output, "{}", watch.summary())?;
    if let Some(memory) = memory {
        let (most, each) = (BinaryBytes(memory), ratio(memory, positions));
        writeln!(
            output,
            "{most} of memory at the most: {each:.2} bytes a position"
        )?;
    }
    if folder.is_some() {
        let bytes = BinaryBytes(positions + Header::BYTES);
        writeln!(output, "{}: {bytes}", watch.writing())?;
    }
    Ok(())
}

/// A new folder in this one, with room for so many bytes. It goes with the value.
fn new_folder(dir: &Path, bytes: u64) -> Result<TempDir, Failure> {
    if !dir.is_dir() {
        return Err(Failure::Work(format!("there is no folder {}", quoted(dir))));
    }
    let cannot_make = |reason: io::Error| {
        let reason = tame(&reason.to_string());
        Failure::Work(format!("cannot make a file in {}: {reason}", quoted(dir)))
    };
    let folder = tempfile::tempdir_in(dir).map_err(cannot_make)?;
    room::disk(dir, bytes)?;
    Ok(folder)
}

/// The most memory that this program has had at any time, in bytes; `None` where the system does not tell.
fn most_memory() -> Option<u64> {
    const KIBIBYTE: u64 = 1024;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * KIBIBYTE)
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn ratio(bytes: u64, positions: u64) -> f64 {
    bytes as f64 / positions as f64
}
