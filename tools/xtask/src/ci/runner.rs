//! The execution of steps: their output, their times, and the steps that their guards skip.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::Extent;
use super::guard::Guard;

/// A part of the checks.
pub(super) struct CiStep {
    /// The name in the table of times.
    pub(super) name: &'static str,
    /// Commands that run one after the other.
    pub(super) commands: Vec<Command>,
    /// The files that decide whether the step runs; a step without a guard always runs.
    pub(super) guard: Option<Guard>,
}

/// The time at which the output of a step appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// While the step runs.
    AtOnce,
    /// In one piece at the end of the step, so that the output of steps that run at the same time
    /// is not mixed.
    AfterStep,
}

/// Runs steps and keeps their times.
pub(super) struct Runner<'a> {
    pub(super) output: Output,
    pub(super) timings: &'a Timings,
}

impl Runner<'_> {
    /// Runs a step, unless its guard finds its files unchanged.
    pub(super) fn run(&self, mut step: CiStep, extent: Extent) -> anyhow::Result<()> {
        let name = step.name;
        if let Some(guard) = &step.guard
            && extent < Extent::All
            && guard.has_passed(name)?
        {
            eprintln!("ci: {name}: its files have not changed since it passed");
            self.timings.push(name, None);
            return Ok(());
        }
        let start = Instant::now();
        let mut commands = step.commands.iter_mut();
        let result = commands.try_for_each(|command| self.execute(name, command));
        let elapsed = start.elapsed();
        self.timings.push(name, Some(elapsed));
        result?;
        eprintln!("ci: {name}: passed in {}", format_seconds(elapsed));
        step.guard.map_or(Ok(()), |guard| guard.write_passed(name))
    }

    /// Prints a command of a step and runs it.
    fn execute(&self, step: &str, command: &mut Command) -> anyhow::Result<()> {
        let line = line(command);
        eprintln!("ci: {step}: {line}");
        let status = self.status(command);
        let status = status.with_context(|| format!("{line} could not be started"))?;
        ensure!(status.success(), "{step} failed ({status}): {line}");
        Ok(())
    }

    /// Runs a command to its end.
    fn status(&self, command: &mut Command) -> io::Result<ExitStatus> {
        if self.output == Output::AtOnce {
            return command.status();
        }
        let mut log = tempfile::tempfile()?;
        let status = command
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?)
            .status();
        copy_to_stderr(&mut log)?;
        status
    }
}

/// Prints a file that has been written, in one piece.
fn copy_to_stderr(log: &mut File) -> io::Result<()> {
    let mut text = Vec::new();
    log.seek(SeekFrom::Start(0))?;
    log.read_to_end(&mut text)?;
    io::stderr().write_all(&text)
}

/// Returns the program and the arguments of a command as text.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// The times of the steps so far; `None` for a step that was skipped.
#[derive(Default)]
pub(super) struct Timings(Mutex<Vec<(&'static str, Option<Duration>)>>);

impl Timings {
    fn push(&self, name: &'static str, time: Option<Duration>) {
        let mut times = self.0.lock().expect("no thread panics with the lock");
        times.push((name, time));
    }

    /// Prints the table of all steps in the order in which they ended.
    pub(super) fn print(&self) {
        eprintln!("ci: time of each step; without arguments two jobs run at a time");
        for (name, time) in self
            .0
            .lock()
            .expect("no thread panics with the lock")
            .iter()
        {
            let time = time.map_or_else(|| "unchanged".to_owned(), format_seconds);
            eprintln!("ci: {time:>9}  {name}");
        }
    }
}

fn format_seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}
