//! `cargo xtask ci`: the checks that every change must pass.
//!
//! A job is a list of steps, each a command. Jobs that do not need each other's files run at the
//! same time, because many steps keep one processor busy only.

mod guard;
mod runner;
mod steps;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, thread};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use runner::{Output, Runner, Timings};
use steps::steps;

/// The arguments of `cargo xtask ci`.
#[derive(Args)]
pub(crate) struct CiArguments {
    /// Run only these jobs, in this order [default: all]
    #[arg(value_name = "JOB")]
    jobs: Vec<CiJob>,
    /// Run the slow tests, too, and fail the tests whose tools are missing, as .ci/run does
    #[arg(long)]
    slow: bool,
    /// Like --slow, and run guarded steps also if their files are unchanged
    #[arg(long)]
    all: bool,
}

/// The extent of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// Slow tests run a sample, and tests without their tools are ignored.
    Sample,
    /// All tests run, and guarded steps if their files have changed.
    Slow,
    /// All tests and all steps run.
    All,
}

/// A part of the checks that can run on a machine of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CiJob {
    /// Words, format, lints and documentation
    Lint,
    /// The site, the tests of the workspace, and the counts of the benchmarks
    Test,
    /// The Python package
    Python,
    /// Executions of all fuzz targets
    Fuzz,
    /// `cargo build --release`, the build of README
    Release,
    /// Tests of tables as WebAssembly, and of tables and packed boards under Miri, if the files
    /// have changed
    Tables,
}

/// The jobs in their order. The two lists of a stage run at the same time: the output of the first
/// one appears at once, that of the second one after each step.
const STAGES: [[&[CiJob]; 2]; 2] = [
    [&[CiJob::Lint], &[]],
    [
        &[CiJob::Test],
        &[CiJob::Python, CiJob::Fuzz, CiJob::Release, CiJob::Tables],
    ],
];

/// Runs the checks, those that usually fail fastest first, and prints the time of each step.
///
/// # Errors
/// Returns the errors of the steps that failed. A failed step ends its list of jobs, and the other
/// list after its current step.
pub(crate) fn run(arguments: &CiArguments) -> anyhow::Result<()> {
    let extent = match arguments {
        CiArguments { all: true, .. } => Extent::All,
        CiArguments { slow: true, .. } => Extent::Slow,
        _ => Extent::Sample,
    };
    let checks = Checks {
        extent,
        // The build of the tests may replace the file of this program.
        xtask: env::current_exe().context("the path of this program is unknown")?,
        timings: Timings::default(),
    };
    let result = if arguments.jobs.is_empty() {
        STAGES.iter().try_for_each(|stage| checks.run_stage(stage))
    } else {
        checks.run_stage(&[&arguments.jobs, &[]])
    };
    checks.timings.print();
    result?;
    eprintln!("ci: all checks have passed");
    Ok(())
}

/// The checks of a run.
struct Checks {
    extent: Extent,
    /// The path of this program.
    xtask: PathBuf,
    timings: Timings,
}

impl Checks {
    /// Runs two lists of jobs at the same time.
    fn run_stage(&self, [visible, quiet]: &[&[CiJob]; 2]) -> anyhow::Result<()> {
        let has_failed = AtomicBool::new(false);
        thread::scope(|scope| {
            let quiet = scope.spawn(|| self.run_jobs(quiet, Output::AfterStep, &has_failed));
            let visible = self.run_jobs(visible, Output::AtOnce, &has_failed);
            let quiet = quiet.join().expect("a list of jobs does not panic");
            match (visible, quiet) {
                (Err(visible), Err(quiet)) => bail!("{visible:#}\n{quiet:#}"),
                (visible, quiet) => visible.and(quiet),
            }
        })
    }

    /// Runs jobs one after the other, until a step fails here or in the other list.
    fn run_jobs(
        &self,
        jobs: &[CiJob],
        output: Output,
        has_failed: &AtomicBool,
    ) -> anyhow::Result<()> {
        let runner = Runner {
            output,
            timings: &self.timings,
        };
        for step in jobs
            .iter()
            .flat_map(|&job| steps(job, self.extent, &self.xtask))
        {
            if has_failed.load(Ordering::Relaxed) {
                break;
            }
            let result = runner.run(step, self.extent);
            has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
            result?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::workspace::workspace_root;

    #[test]
    fn workflow_runs_all_jobs() {
        let workflow = workspace_root().join(".github/workflows/ci.yml");
        let workflow = fs::read_to_string(workflow).unwrap();
        let names = CiJob::value_variants().iter().filter_map(|job| {
            let value = job.to_possible_value()?;
            Some(value.get_name().to_owned())
        });
        let list = format!("job: [{}]", names.collect::<Vec<_>>().join(", "));
        assert!(workflow.contains(&list), "{list}");
    }

    #[test]
    fn every_job_runs_once_without_arguments() {
        let jobs: Vec<CiJob> = STAGES.concat().concat();
        assert_eq!(jobs, CiJob::value_variants());
    }
}
