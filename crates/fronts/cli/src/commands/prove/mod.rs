//! `kalah prove`: proofs that a file keeps.

mod check;
mod export;
mod progress;
mod status;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueHint};
use kalah::TimeLimit;
use kalah_check::ReadError;
use kalah_engine::AnalysisGoal;
use kalah_players::{MemorySize, escape_control, quoted_path};
use kalah_proof::{
    Coordinator, JobSize, LocalRun, ProofStore, ProofStoreError, estimate_margin, prove,
};
use kalah_text::{Notation, Palette};

use self::check::ProveCheckArgs;
use self::export::ProveExportArgs;
use self::progress::ProveProgress;
use self::status::{ProveStatusArgs, StoreStatus};
use crate::args::position::PositionArgs;
use crate::args::search::{SearchOptions, clamp_with_warning};
use crate::args::values::{parse_positive_time, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::print_warning;
use crate::version::VERSION;

#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
The store is a file with the proof tree. Every result is in it at once: after Ctrl-C or a crash, the
same command goes on from there. A proof without --moves can be extended by the same command with
--moves. The line of --json is that of `kalah prove status`, whose help explains `best`.

Examples:
  kalah prove 5x3 --store 5x3.proof
  kalah prove 6x5 --moves --store 6x5.proof --memory 16GiB
  kalah prove 4x4 --store 4x4.proof --nodes 100000
  kalah prove 5x3 --store again.proof --guide 5x3.proof --memory 32MiB
  kalah prove status 5x3.proof
  kalah prove check 5x3.proof --all"
)]
pub(crate) struct ProveArgs {
    #[command(subcommand)]
    command: Option<ProveCommand>,
    #[command(flatten)]
    run: Option<ProveRunArgs>,
}

#[derive(Clone, Debug, Subcommand)]
enum ProveCommand {
    /// Show how far a proof is, also while another process works on it
    Status(ProveStatusArgs),
    /// Verify a proof without the code that made it
    Check(ProveCheckArgs),
    /// Write a proof as text that other programs can check
    Export(ProveExportArgs),
}

/// The arguments of a run. They are present if the required `--store` is: clap itself does not see
/// whether arguments of flattened structures are present.
#[derive(Clone, Debug, Args)]
#[group(arg = "store")]
struct ProveRunArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// The file that keeps the proof: a new one, or that of an earlier run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: PathBuf,
    /// Prove the margin of every move
    #[arg(long)]
    moves: bool,
    /// Begin a new proof with the goals on which an earlier one depends, without their answers; it
    /// usually takes less time
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    guide: Option<PathBuf>,
    /// Stop at the first result after this time; the same command goes on later
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_time)]
    time: Option<TimeLimit>,
    /// Stop at the first result after this many nodes in this run, where a result takes up to
    /// 100,000 nodes, and more in large proofs; with `--threads 1` and no other limit, the store is
    /// always the same
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, u64::MAX))]
    nodes: Option<u64>,
    #[command(flatten)]
    search: SearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

impl ProveRunArgs {
    /// Returns whether a run ends that has taken `time` and searched `nodes`.
    fn has_reached_limit(&self, time: Duration, nodes: u64) -> bool {
        self.time.is_some_and(|limit| time >= limit.get())
            || self.nodes.is_some_and(|limit| nodes >= limit)
    }
}

/// Converts the error with its message.
impl From<ProofStoreError> for CliError {
    fn from(error: ProofStoreError) -> Self {
        match error {
            ProofStoreError::EstimateStopped => Self::Interrupted(
                "interrupted: nothing is proven, and there is no store".to_owned(),
            ),
            error => Self::Runtime(escape_control(&error.to_string())),
        }
    }
}

/// Converts the error with its message.
impl From<ReadError> for CliError {
    fn from(error: ReadError) -> Self {
        Self::Runtime(escape_control(&error.to_string()))
    }
}

/// The memory of the searches that check or export a proof.
const DEFAULT_MEMORY: &str = "256MiB";

/// Returns the bytes of `requested`, or less and prints a warning if the machine has less free
/// memory.
fn usable_bytes(requested: MemorySize) -> usize {
    let usable = clamp_with_warning(requested);
    usize::try_from(usable.bytes()).unwrap_or(usize::MAX)
}

pub(super) fn run(
    arguments: &ProveArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    match (&arguments.command, &arguments.run) {
        (Some(ProveCommand::Status(arguments)), _) => status::run(arguments, output, palette),
        (Some(ProveCommand::Check(arguments)), _) => check::run(arguments, output, palette),
        (Some(ProveCommand::Export(arguments)), _) => export::run(arguments, output),
        (None, Some(arguments)) => run_proof(arguments, output, palette),
        (None, None) => Err(CliError::Usage(
            "expected a position and a store: see `kalah prove --help`".to_owned(),
        )),
    }
}

fn run_proof(
    arguments: &ProveRunArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let position = arguments.position.to_position()?;
    let interrupt = interrupt::listen();
    let engines = (arguments.search.factory(&position)?).with_stop_flag(interrupt.flag());
    let (path, all_moves) = (&arguments.store, arguments.moves);
    let guide = arguments.guide.as_deref();
    if guide.is_some() && path.exists() {
        let store = quoted_path(path);
        print_warning(&format!("{store} exists and goes on without the guide"));
    }
    let progress = ProveProgress::new(&position, arguments.position.labels());
    let estimate = || {
        let estimate = estimate_margin(&position, &mut engines.build());
        (!interrupt.is_requested()).then_some(estimate)
    };
    let opened = ProofStore::open_or_create(path, &position, all_moves, guide, estimate);
    let (store, proof) = opened.inspect_err(|_| progress.finish())?;
    let mut store = store.with_program(VERSION);
    let mut coordinator = Coordinator::new(proof.statement, proof.tree, JobSize::default());
    let has_reached_limit = AtomicBool::new(false);
    let mut result = Ok(());
    if !coordinator.is_finished() && !interrupt.is_requested() {
        let goal = if coordinator.statement().all_moves {
            AnalysisGoal::AllMargins
        } else {
            AnalysisGoal::BestMargin
        };
        let mut engine = engines.build_goal_engine(&position, goal);
        let run = LocalRun {
            threads: engines.threads(),
            stop_flag: &interrupt.flag(),
            clock: &|| start.elapsed(),
            observer: &|coordinator| {
                let time = start.elapsed();
                progress.update(coordinator, time);
                if arguments.has_reached_limit(time, coordinator.completed_nodes()) {
                    has_reached_limit.store(true, Ordering::Relaxed);
                    interrupt.flag().store(true, Ordering::Relaxed);
                }
            },
        };
        result = prove(&mut coordinator, &mut store, &mut engine, run);
    }
    progress.finish();
    let runs = match store.runs() {
        Ok(runs) => runs,
        // An error of this run precedes that of reading all.
        Err(error) => return Err(result.err().unwrap_or(error).into()),
    };
    drop(store);
    let status = StoreStatus::after_runs(&coordinator, runs);
    if arguments.json {
        status.write_json(output)?;
    } else {
        let notation = Notation::new(&position, arguments.position.labels());
        status.write_text(output, notation, palette)?;
    }
    output.flush()?;
    result?;
    if coordinator.is_finished() || has_reached_limit.into_inner() {
        return Ok(());
    }
    Err(CliError::Interrupted(format!(
        "interrupted: {} has all results so far, and the same command goes on with them",
        quoted_path(path)
    )))
}
