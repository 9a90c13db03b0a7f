//! `kalah tables build`: checks of memory and disk space, the build, and its progress, which
//! packing and unpacking share.

use std::fmt;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{
    BinaryBytes, HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle,
};
use kalah::{Rules, Variant, format_count};
use kalah_players::{
    MemorySize, Shutdown, available_threads, escape_control, quoted_path, system_memory,
};
use kalah_tables::{BuildError, BuildEvent, BuildFileError, BuildMemory, Header, Table};
use serde::Serialize;

use crate::args::values::{MAX_THREADS, TableFolderOption, parse_rules, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::TableFolder;
use crate::interrupt;
use crate::output::messages::write_json;
use crate::output::progress::{enable_tick, new_bar};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The file gets its name when the table is complete. The build saves its work after each number of
seeds: after Ctrl-C or a crash, the same command resumes there.

A table that is larger than the free memory is built with memory for the positions of one number
of seeds, for which it reads the others from the file.

Examples:
  kalah tables build
  kalah tables build --houses 6 --seeds 20 --rules standard --dir tables
  kalah tables build --seeds 10 --json")]
pub(super) struct TablesBuildArgs {
    #[command(flatten)]
    table: NewTableOptions,
    #[command(flatten)]
    folder: TableFolderOption,
    #[command(flatten)]
    memory: BuildMemoryOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct BuiltTableJson {
    file: String,
    houses: u8,
    seeds: u8,
    rules: String,
    positions: u64,
    bytes: u64,
    /// The work of this build; `null` if the table existed.
    build: Option<BuildWorkJson>,
}

/// The work of a build.
#[derive(Serialize)]
pub(in crate::commands) struct BuildWorkJson {
    /// The positions that an earlier build has computed.
    resumed_positions: u64,
    compute_seconds: f64,
    write_seconds: f64,
}

/// The option `--memory` of builds.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BuildMemoryOption {
    /// Memory of the build, such as 4GiB [default: all that is free]
    #[arg(long, value_name = "SIZE")]
    memory: Option<MemorySize>,
}

impl BuildMemoryOption {
    /// Returns what a build of a table keeps in memory: the whole table if it fits.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if not even one layer fits.
    pub(super) fn choose(self, variant: Variant, seeds: u8) -> Result<BuildMemory, CliError> {
        let bytes = |memory| {
            let bytes = Table::build_bytes(variant, seeds, memory);
            bytes.map_err(|reason| CliError::Usage(reason.to_string()))
        };
        let free = free_memory();
        let limit = self.memory.map_or(free, |memory| free.min(memory.bytes()));
        if bytes(BuildMemory::WholeTable)? <= limit {
            return Ok(BuildMemory::WholeTable);
        }
        let needed = bytes(BuildMemory::OneLayer)?;
        match self.memory {
            Some(memory) if needed > memory.bytes() => Err(CliError::Runtime(format!(
                "this table needs {} of memory, more than --memory {memory}",
                BinaryBytes(needed)
            ))),
            _ => check_memory(needed).map(|()| BuildMemory::OneLayer),
        }
    }
}

/// The table to build, and the threads to build it with.
#[derive(Clone, Copy, Debug, Args)]
pub(in crate::commands) struct NewTableOptions {
    /// Houses a side, from 1 to 8
    #[arg(long, value_name = "HOUSES", default_value_t = 6, value_parser = whole_number_parser(1, Table::MAX_HOUSES))]
    houses: u8,
    /// The maximum number of seeds in the houses; each further seed makes the table half as large
    /// again
    #[arg(long, value_name = "SEEDS", default_value_t = 24, value_parser = whole_number_parser(0, Table::MAX_SEEDS))]
    pub(in crate::commands) seeds: u8,
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32, value_parser = parse_rules)]
    rules: Rules,
    /// Threads of the build; more than the machine has do not help [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
}

impl NewTableOptions {
    /// Returns the variant of the table.
    pub(in crate::commands) fn variant(&self) -> Variant {
        Variant::new(self.houses, self.rules)
    }

    /// Returns the number of threads of the build.
    pub(in crate::commands) fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(available_threads)
    }
}

const MILLION: u64 = 1_000_000;

const TEMPLATE: &str = "{msg} {wide_bar} {percent}%, {rate}{left}";

/// The estimate of the time left is shown when this part of the work is done, as a divisor. Before
/// that, the rate is not representative.
const ETA_DELAY_DIVISOR: u64 = 20;

pub(super) fn run(arguments: &TablesBuildArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let (variant, seeds) = (arguments.table.variant(), arguments.table.seeds);
    let threads = arguments.table.threads();
    let positions =
        Table::positions(variant, seeds).map_err(|reason| CliError::Usage(reason.to_string()))?;
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let path = folder.path().join(Table::file_name(variant, seeds));
    if fs::symlink_metadata(&path).is_ok() {
        return report_existing(&path, arguments.json, output);
    }
    let memory = arguments.memory.choose(variant, seeds)?;
    fs::create_dir_all(folder.path()).map_err(|reason| {
        let folder = quoted_path(folder.path());
        CliError::Runtime(format!("cannot create the folder {folder}: {reason}"))
    })?;
    let existing = fs::metadata(Table::part_path(&path)).map_or(0, |part| part.len());
    let needed = positions.saturating_add(Header::BYTES);
    check_disk_space(folder.path(), needed.saturating_sub(existing))?;

    let mut monitor = BuildMonitor::new(seeds, positions);
    let result = Table::build_file_in(memory, &path, variant, seeds, threads, &mut |event| {
        monitor.update(event)
    });
    monitor.finish();
    match result {
        Ok(_) if arguments.json => {
            write_table_json(&path, &Header::read(&path)?, Some(monitor.work()), output)
        }
        Ok(_) => {
            let (computing, writing) = (monitor.summary(), monitor.write_summary());
            let path = quoted_path(&path);
            writeln!(output, "{path} is complete: {computing}, {writing}")?;
            Ok(())
        }
        Err(BuildFileError::Build(BuildError::Cancelled)) => Err(monitor.interrupted()),
        // Another process has completed the file in the meantime.
        Err(BuildFileError::Exists(path)) => report_existing(&path, arguments.json, output),
        Err(error) => Err(CliError::Runtime(escape_control(&error.to_string()))),
    }
}

/// Prints that the table already exists, if the file is a table.
fn report_existing(path: &Path, is_json: bool, output: &mut dyn Write) -> Result<(), CliError> {
    let header = Header::read(path)?;
    if is_json {
        return write_table_json(path, &header, None, output);
    }
    writeln!(output, "{} already exists", quoted_path(path))?;
    Ok(())
}

/// Writes a table as one line of JSON.
pub(super) fn write_table_json(
    path: &Path,
    header: &Header,
    build: Option<BuildWorkJson>,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let json = BuiltTableJson {
        file: path.display().to_string(),
        houses: header.variant().houses(),
        seeds: header.seeds(),
        rules: header.variant().rules().to_string(),
        positions: header.positions(),
        bytes: header.file_size(),
        build,
    };
    Ok(write_json(output, &json)?)
}

/// Returns the free memory; more than any machine has if the system does not report it.
fn free_memory() -> u64 {
    system_memory().map_or(u64::MAX, |memory| memory.available)
}

/// Checks that `needed` bytes of memory are free.
pub(in crate::commands) fn check_memory(needed: u64) -> Result<(), CliError> {
    let free = free_memory();
    if needed <= free {
        return Ok(());
    }
    Err(CliError::Runtime(format!(
        "this table needs {} of memory, but only {} are free",
        BinaryBytes(needed),
        BinaryBytes(free)
    )))
}

/// Checks that the disk of an existing folder has space for `needed` bytes. The check passes if the
/// system does not report the free space.
pub(in crate::commands) fn check_disk_space(folder: &Path, needed: u64) -> Result<(), CliError> {
    match fs4::available_space(folder) {
        Ok(free) if free < needed => Err(CliError::Runtime(format!(
            "this table needs {} more on the disk of {}, but only {} are free",
            BinaryBytes(needed),
            quoted_path(folder),
            BinaryBytes(free)
        ))),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Shows the progress of a build, measures its time, and stops it at Ctrl-C.
pub(in crate::commands) struct BuildMonitor {
    interrupt: Shutdown,
    bar: ProgressBar,
    seeds: u8,
    /// The number of seeds of the last layer that is saved.
    saved_layer: u8,
    /// The value of `resumed` for the progress bar.
    resumed_shared: Arc<AtomicU64>,
    /// The positions that an earlier build has computed.
    resumed: u64,
    /// The positions that are computed.
    done: u64,
    last_event: Instant,
    compute_time: Duration,
    write_time: Duration,
}

impl BuildMonitor {
    /// Shows the progress bar and starts to measure the time.
    pub(in crate::commands) fn new(seeds: u8, positions: u64) -> Self {
        let resumed_shared = Arc::new(AtomicU64::new(0));
        let bar = new_bar(positions);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(
                style
                    .with_key("rate", write_rate)
                    .with_key("left", time_left_writer(Arc::clone(&resumed_shared))),
            );
        }
        bar.set_message(bar_message(0, seeds));
        enable_tick(&bar);
        Self {
            interrupt: interrupt::listen(),
            bar,
            seeds,
            saved_layer: 0,
            resumed_shared,
            resumed: 0,
            done: 0,
            last_event: Instant::now(),
            compute_time: Duration::ZERO,
            write_time: Duration::ZERO,
        }
    }

    /// Handles an event of the build. The result is [`ControlFlow::Break`] after Ctrl-C.
    pub(in crate::commands) fn update(&mut self, event: BuildEvent) -> ControlFlow<()> {
        let now = Instant::now();
        let elapsed = now - self.last_event;
        self.last_event = now;
        match event {
            BuildEvent::Resumed(progress) => {
                self.saved_layer = progress.layer;
                self.resumed = progress.done;
                self.resumed_shared.store(progress.done, Ordering::Relaxed);
                self.done = progress.done;
                self.bar.set_position(progress.done);
                self.bar.reset_eta();
            }
            BuildEvent::Computed(progress) => {
                self.compute_time += elapsed;
                self.done = progress.done;
                self.bar
                    .set_message(bar_message(progress.layer, self.seeds));
                self.bar.set_position(progress.done);
            }
            BuildEvent::Writing(_) => self.write_time += elapsed,
            BuildEvent::Written(progress) => {
                self.write_time += elapsed;
                self.saved_layer = progress.layer;
            }
        }
        if self.interrupt.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Clears the progress bar.
    pub(in crate::commands) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Returns the error of an interrupted command.
    pub(super) fn interrupted(&self) -> CliError {
        CliError::Interrupted(format!(
            "interrupted with {} of {}: the same command resumes from there",
            self.saved_layer,
            format_count(self.seeds.into(), "seed")
        ))
    }

    /// Returns the work that the build has done.
    pub(in crate::commands) fn work(&self) -> BuildWorkJson {
        BuildWorkJson {
            resumed_positions: self.resumed,
            compute_seconds: self.compute_time.as_secs_f64(),
            write_seconds: self.write_time.as_secs_f64(),
        }
    }

    /// Returns the number of positions and the time of computing them as text.
    pub(in crate::commands) fn summary(&self) -> String {
        let resumed = match self.resumed {
            0 => String::new(),
            resumed => format!(", {} of them by an earlier build", HumanCount(resumed)),
        };
        format!(
            "{}{resumed}; {:.2} s computing ({} positions a second)",
            format_count(self.done, "position"),
            self.compute_time.as_secs_f64(),
            millions_per_second(self.done - self.resumed, self.compute_time),
        )
    }

    /// Returns the time of writing the file as text.
    pub(in crate::commands) fn write_summary(&self) -> String {
        format!("{:.2} s writing and syncing", self.write_time.as_secs_f64())
    }
}

fn bar_message(layer: u8, seeds: u8) -> String {
    format!("{layer} of {}", format_count(seeds.into(), "seed"))
}

/// Writes the rate of the progress bar.
fn write_rate(state: &ProgressState, output: &mut dyn fmt::Write) {
    let rate = in_millions(state.per_sec());
    // Writing to the text buffer of the progress bar cannot fail.
    let _ = write!(output, "{rate} positions/s");
}

/// Returns a function that writes the time left of a build that began with `resumed` positions.
fn time_left_writer(
    resumed: Arc<AtomicU64>,
) -> impl Fn(&ProgressState, &mut dyn fmt::Write) + Clone + Send + Sync {
    move |state, output| {
        let resumed = resumed.load(Ordering::Relaxed);
        let to_do = state.len().unwrap_or(0).saturating_sub(resumed);
        if state.pos().saturating_sub(resumed) >= to_do / ETA_DELAY_DIVISOR {
            // Writing to the text buffer of the progress bar cannot fail.
            let _ = write!(output, ", {:#} left", HumanDuration(state.eta()));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions_per_second(positions: u64, time: Duration) -> String {
    let time = time.max(Duration::from_micros(1));
    in_millions(positions as f64 / time.as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "a million is exact")]
fn in_millions(number: f64) -> String {
    format!("{:.1} million", number / MILLION as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_beyond_any_machine_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        check_disk_space(folder.path(), 1).expect("space for a byte");
        let error = check_disk_space(folder.path(), u64::MAX).expect_err("more than any disk has");
        let message = error.message().expect("a message");
        assert!(
            message.starts_with("this table needs 16.00 EiB more on the disk of '"),
            "{message}"
        );
        check_memory(1).expect("memory for a byte");
        let error = check_memory(u64::MAX).expect_err("more than any machine has");
        let message = error.message().expect("a message");
        assert!(
            message.starts_with("this table needs 16.00 EiB of memory, but only "),
            "{message}"
        );
    }
}
