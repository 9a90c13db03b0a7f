use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use kalah_tables::{BuildError, BuildFileError, Header, Step, Table, Variant};

use super::{quoted, room};
use crate::interrupt::Interrupt;
use crate::shown::tame;
use crate::{BuildTableArguments, Failure, TableFolder};

pub(super) fn run(arguments: &BuildTableArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let variant = Variant::new(arguments.houses, arguments.rules);
    let seeds = arguments.seeds;
    let positions =
        Table::positions(variant, seeds).map_err(|reason| Failure::Usage(reason.to_string()))?;
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let path = folder.path().join(variant.file_name(seeds));
    if fs::symlink_metadata(&path).is_ok() {
        return already_there(&path, output);
    }
    let threads = match arguments.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    room::memory(positions)?;
    fs::create_dir_all(folder.path()).map_err(|reason| {
        let folder = quoted(folder.path());
        Failure::Work(format!("cannot make the folder {folder}: {reason}"))
    })?;
    let there = fs::metadata(Table::part_path(&path)).map_or(0, |part| part.len());
    let needed = positions.saturating_add(Header::BYTES);
    room::disk(folder.path(), needed.saturating_sub(there))?;

    let mut watch = Watch::new(seeds, positions);
    let built = Table::build_file(&path, variant, seeds, threads, &mut |step| watch.see(step));
    watch.bar.finish_and_clear();
    match built {
        Ok(_) => {
            writeln!(output, "{} is complete: {}", quoted(&path), watch.summary())?;
            Ok(())
        }
        Err(BuildFileError::Build(BuildError::BrokenOff)) => Err(Failure::Work(format!(
            "broken off with {} of {seeds} seeds; what is done is kept, and the same command goes on from there",
            watch.layer
        ))),
        // Somebody else was faster.
        Err(BuildFileError::Exists(path)) => already_there(&path, output),
        Err(error) => Err(Failure::Work(tame(&error.to_string()))),
    }
}

/// Says that there is nothing to do, if what is there is a table.
fn already_there(path: &Path, output: &mut dyn Write) -> Result<(), Failure> {
    Header::read(path)?;
    writeln!(output, "{} is there already", quoted(path))?;
    Ok(())
}

/// Watches a table being built.
struct Watch {
    interrupt: Interrupt,
    bar: ProgressBar,
    seeds: u8,
    /// Seeds of the last layer that is safe.
    layer: u8,
    /// Positions that were found, done by an earlier build.
    found: u64,
    /// Positions that are done.
    done: u64,
    /// When the last step was made.
    last: Instant,
    computing: Duration,
    writing: Duration,
}

/// How often the time that is left is told anew.
const TICK: Duration = Duration::from_millis(200);

impl Watch {
    fn new(seeds: u8, positions: u64) -> Self {
        // On standard error, and only if that is a terminal.
        let bar = ProgressBar::new(positions);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {percent}%, {per_sec}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_message("0 seeds");
        bar.enable_steady_tick(TICK);
        Self {
            interrupt: Interrupt::listen(),
            bar,
            seeds,
            layer: 0,
            found: 0,
            done: 0,
            last: Instant::now(),
            computing: Duration::ZERO,
            writing: Duration::ZERO,
        }
    }

    fn see(&mut self, step: Step) -> ControlFlow<()> {
        let now = Instant::now();
        let took = now - self.last;
        self.last = now;
        let progress = match step {
            Step::Found(progress) => {
                self.found = progress.done;
                self.bar.set_position(progress.done);
                self.bar.reset_eta();
                progress
            }
            Step::Computed(progress) => {
                self.computing += took;
                self.bar.set_position(progress.done);
                return self.flow();
            }
            Step::Written(progress) => {
                self.writing += took;
                progress
            }
        };
        self.layer = progress.layer;
        self.done = progress.done;
        let next = self.layer.saturating_add(1).min(self.seeds);
        self.bar
            .set_message(format!("{next} of {} seeds", self.seeds));
        self.flow()
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.interrupt.came() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn summary(&self) -> String {
        let computed = self.done - self.found;
        let kept = if self.found > 0 {
            format!(", {} of them by an earlier build", HumanCount(self.found))
        } else {
            String::new()
        };
        format!(
            "{} positions{kept}; {:.1} s computing ({:.1} million positions a second), {:.1} s writing and syncing",
            HumanCount(self.done),
            self.computing.as_secs_f64(),
            millions_a_second(computed, self.computing),
            self.writing.as_secs_f64(),
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions_a_second(positions: u64, time: Duration) -> f64 {
    const MILLION: f64 = 1e6;
    positions as f64 / time.max(Duration::from_micros(1)).as_secs_f64() / MILLION
}
