//! `kalah tables pack` and `kalah tables unpack`: tables to and from their packed form.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use indicatif::BinaryBytes;
use kalah_players::{available_threads, escape_control, quoted_path};
use kalah_tables::{
    BuildError, BuildFileError, BuildMemory, ChecksumPolicy, Header, PackError, PackedTable, Table,
    UnpackError,
};
use serde::Serialize;

use crate::args::values::{MAX_THREADS, whole_number_parser};
use crate::commands::tables::build::{
    BuildMemoryOption, BuildMonitor, BuildWorkJson, check_disk_space, check_memory,
    write_table_json,
};
use crate::error::CliError;
use crate::files::table_folder::{describe_packed_error, open_table};
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The packed file has the gains that fewer seeds do not predict, in less than a bit a position, and
the checksums of the table. After Ctrl-C or a crash, the same command resumes.

Examples:
  kalah tables pack kalah-6-houses-20-seeds-cs32.table
  kalah tables pack kalah-6-houses-20-seeds-cs32.table --out 20.packed")]
pub(super) struct TablesPackArgs {
    /// The file of a table
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The packed file [default: the name of the table with the extension `packed`]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `kalah tables pack --json`.
#[derive(Serialize)]
struct PackedTableJson {
    file: String,
    houses: u8,
    seeds: u8,
    rules: String,
    positions: u64,
    bytes: u64,
    /// The work of packing, of which the time of writing is no part.
    build: BuildWorkJson,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The table is the file that `kalah tables build` makes, byte for byte. After Ctrl-C or a crash, the
same command resumes.

Examples:
  kalah tables unpack kalah-6-houses-20-seeds-cs32.packed
  kalah tables unpack 20.packed --out kalah-6-houses-20-seeds-cs32.table")]
pub(super) struct TablesUnpackArgs {
    /// The packed file of a table
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The file of the table [default: beside FILE, with the name that `kalah tables build` gives
    /// it]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    memory: BuildMemoryOption,
    /// Print one line of JSON, as `kalah tables build` does
    #[arg(long)]
    json: bool,
}

/// The option `--threads`.
#[derive(Clone, Copy, Debug, Args)]
struct ThreadsOption {
    /// Threads; more than the machine has do not help [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
}

impl ThreadsOption {
    fn get(self) -> NonZeroUsize {
        self.threads.unwrap_or_else(available_threads)
    }
}

pub(super) fn run_pack(arguments: &TablesPackArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let table = open_table(&arguments.file, ChecksumPolicy::Verify)?;
    let default = arguments.file.with_extension(PackedTable::FILE_EXTENSION);
    let path = arguments.out.as_deref().unwrap_or(&default);
    let positions = Table::positions(table.variant(), table.seeds())
        .map_err(|reason| runtime_error(&reason))?;
    let needed = Table::build_bytes(table.variant(), table.seeds(), BuildMemory::OneLayer);
    check_memory(needed.map_err(|reason| runtime_error(&reason))?)?;
    let mut monitor = BuildMonitor::new(table.seeds(), positions);
    let packed = table.pack(path, arguments.threads.get(), &mut |event| {
        monitor.update(event)
    });
    monitor.finish();
    match packed {
        Ok(bytes) if arguments.json => {
            let variant = table.variant();
            let json = PackedTableJson {
                file: path.display().to_string(),
                houses: variant.houses(),
                seeds: table.seeds(),
                rules: variant.rules().to_string(),
                positions,
                bytes,
                build: monitor.work(),
            };
            Ok(write_json(output, &json)?)
        }
        Ok(bytes) => {
            let (path, summary) = (quoted_path(path), monitor.summary());
            let bits = bits_per_position(bytes, positions);
            let size = BinaryBytes(bytes);
            writeln!(
                output,
                "{path} is complete: {summary}; {size}, {bits} bits a position"
            )?;
            Ok(())
        }
        Err(PackError::Write(error)) => Err(write_error(&error, &monitor)),
        Err(error @ PackError::Damaged(_)) => Err(runtime_error(&error)),
        Err(error @ PackError::Value { .. }) => {
            let file = quoted_path(&arguments.file);
            Err(CliError::Runtime(format!("{file}: {error}")))
        }
    }
}

pub(super) fn run_unpack(
    arguments: &TablesUnpackArgs,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let packed = PackedTable::open(&arguments.file)
        .map_err(|error| CliError::Runtime(describe_packed_error(&error)))?;
    let (variant, seeds) = (packed.header().variant(), packed.header().seeds());
    let default = arguments
        .file
        .with_file_name(Table::file_name(variant, seeds));
    let path = arguments.out.as_deref().unwrap_or(&default);
    let memory = arguments.memory.choose(variant, seeds)?;
    let positions = packed.header().positions();
    check_space_for(path, positions)?;
    let mut monitor = BuildMonitor::new(seeds, positions);
    let unpacked = packed.unpack(path, memory, arguments.threads.get(), &mut |event| {
        monitor.update(event)
    });
    monitor.finish();
    match unpacked {
        Ok(_) if arguments.json => {
            write_table_json(path, packed.header(), Some(monitor.work()), output)
        }
        Ok(_) => {
            let (computing, writing) = (monitor.summary(), monitor.write_summary());
            let path = quoted_path(path);
            writeln!(output, "{path} is complete: {computing}, {writing}")?;
            Ok(())
        }
        Err(UnpackError::Write(error)) => Err(write_error(&error, &monitor)),
        Err(error @ UnpackError::Damaged { .. }) => Err(runtime_error(&error)),
    }
}

/// Checks that the disk has space for the rest of a table with the file name `path`.
fn check_space_for(path: &Path, positions: u64) -> Result<(), CliError> {
    let part = std::fs::metadata(Table::part_path(path));
    let existing = part.map_or(0, |part| part.len());
    let needed = positions.saturating_add(Header::BYTES);
    let folder = kalah_files::parent_folder(path);
    check_disk_space(folder, needed.saturating_sub(existing))
}

/// Returns the error of a command whose file cannot be written.
fn write_error(error: &BuildFileError, monitor: &BuildMonitor) -> CliError {
    match error {
        BuildFileError::Build(BuildError::Cancelled) => monitor.interrupted(),
        error => runtime_error(error),
    }
}

fn runtime_error(error: &impl ToString) -> CliError {
    CliError::Runtime(escape_control(&error.to_string()))
}

/// Returns the bits for each position of a file, with two digits.
fn bits_per_position(bytes: u64, positions: u64) -> String {
    let hundredths = u128::from(bytes) * 800 / u128::from(positions.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_two_digits() {
        for (bytes, positions, bits) in [(100, 1000, "0.80"), (1, 100, "0.08"), (9, 4, "18.00")] {
            assert_eq!(bits_per_position(bytes, positions), bits);
        }
    }
}
