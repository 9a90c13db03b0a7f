use std::fs;
use std::io::{self, Write};
use std::path::Path;

use indicatif::BinaryBytes;
use kalah_players::escape_control;
use kalah_tables::{BuildError, BuildEvent, BuildFileError, Header, Table};
use tempfile::TempDir;

use crate::commands::tables::{BuildMonitor, quoted_path, room};
use crate::{BenchTablesArguments, CliError};

pub(super) fn run(
    arguments: &BenchTablesArguments,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let BenchTablesArguments { table, dir } = arguments;
    let (variant, seeds, threads) = (table.variant(), table.seeds, table.threads());
    let positions =
        Table::positions(variant, seeds).map_err(|reason| CliError::Usage(reason.to_string()))?;
    room::check_memory(positions)?;
    let folder = match dir {
        Some(dir) => Some(create_temp_dir(
            dir,
            positions.saturating_add(Header::BYTES),
        )?),
        None => None,
    };

    let mut watch = BuildMonitor::new(seeds, positions);
    let built = match &folder {
        Some(folder) => {
            let path = folder.path().join(variant.file_name(seeds));
            Table::build_file(&path, variant, seeds, threads, &mut |step| {
                watch.update(step)
            })
        }
        None => Table::build(variant, seeds, threads, &mut |progress| {
            watch.update(BuildEvent::Computed(progress))
        })
        .map_err(BuildFileError::from),
    };
    watch.finish();
    let memory = peak_memory();
    built.map_err(|error| match error {
        BuildFileError::Build(BuildError::Cancelled) => CliError::Runtime("broken off".to_owned()),
        error => CliError::Runtime(escape_control(&error.to_string())),
    })?;

    let (houses, rules) = (variant.houses(), variant.rules());
    writeln!(
        output,
        "kalah bench tables --houses {houses} --seeds {seeds} --rules {rules} --threads {threads}"
    )?;
    writeln!(output, "{}", watch.summary())?;
    if let Some(memory) = memory {
        let (most, each) = (BinaryBytes(memory), bytes_per_position(memory, positions));
        writeln!(
            output,
            "{most} of memory at the most: {each:.2} bytes a position"
        )?;
    }
    if folder.is_some() {
        let bytes = BinaryBytes(positions + Header::BYTES);
        writeln!(output, "{}: {bytes}", watch.write_summary())?;
    }
    Ok(())
}

/// A new folder in this one, with room for so many bytes. It goes with the value.
fn create_temp_dir(dir: &Path, bytes: u64) -> Result<TempDir, CliError> {
    if !dir.is_dir() {
        return Err(CliError::Runtime(format!(
            "there is no folder {}",
            quoted_path(dir)
        )));
    }
    let cannot_make = |reason: io::Error| {
        let reason = escape_control(&reason.to_string());
        CliError::Runtime(format!(
            "cannot make a file in {}: {reason}",
            quoted_path(dir)
        ))
    };
    let folder = tempfile::tempdir_in(dir).map_err(cannot_make)?;
    room::check_disk_space(dir, bytes)?;
    Ok(folder)
}

/// The most memory that this program has had at any time, in bytes; `None` where the system does not tell.
fn peak_memory() -> Option<u64> {
    const KIBIBYTE: u64 = 1024;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * KIBIBYTE)
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn bytes_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 / positions as f64
}
