//! The proof of a start's margin, with a time limit and progress on standard error.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use kalah::record::format_plies;
use kalah::{Margin, Variant};
use kalah_engine::{Bounds, Engine, Limits, Report, TableCache};
use kalah_tables::{BuildError, Table};

use super::values_file::{MarginEvidence, Start, ValueRow};

/// The resources of a proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofOptions {
    /// Bytes for the transposition table and the endgame table.
    pub(crate) memory: usize,
    pub(crate) threads: NonZeroUsize,
    /// Seeds in the houses of the endgame table; the engine's choice for `None`.
    pub(crate) table_seeds: Option<u8>,
    /// The time limit; none for `None`.
    pub(crate) max_time: Option<Duration>,
}

/// The outcome of a proof.
#[derive(Clone, Debug)]
pub(crate) enum ProofOutcome {
    Finished(FinishedProof),
    /// The time limit was reached; the proven bounds.
    TimedOut(Bounds),
}

/// A finished proof.
#[derive(Clone, Debug)]
pub(crate) struct FinishedProof {
    pub(crate) margin: Margin,
    pub(crate) report: Report,
    /// Seeds in the houses of the endgame table; 0 without a table.
    pub(crate) table_seeds: u8,
    /// The time of the table build and the search.
    time: Duration,
}

/// The line of the progress bar.
const PROGRESS_TEMPLATE: &str = "{spinner} {msg}: {nodes} nodes, {elapsed}";

/// The interval at which the progress bar is redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

impl ProofOptions {
    /// Proves the margin of a start with a new engine, because starts share no positions. `which`
    /// is shown with the progress.
    pub(crate) fn prove(&self, start: Start, which: &str) -> anyhow::Result<ProofOutcome> {
        let position = start.position()?;
        let tables = TableCache::new();
        let (flag, nodes) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let mut engine = Engine::new()
            .with_memory(self.memory)
            .with_threads(self.threads)
            .with_tables(tables.clone())
            .with_stop_flag(Arc::clone(&flag))
            .with_node_counter(Arc::clone(&nodes));
        let bar = progress_bar(format!("{which}: {start}"), nodes)?;
        let started = Instant::now();
        let report = with_timeout(self.max_time, &flag, || {
            if let Some(seeds) = self.table_seeds {
                self.build_table(Variant::from_position(&position), seeds, &tables, &flag)?;
            }
            let report = engine.analyze_with_progress(
                &position,
                Limits::default(),
                &|| started.elapsed(),
                &mut |report| {
                    let Bounds { lower, upper } = report.bounds;
                    bar.set_message(format!("{which}: {start}: from {lower} to {upper}"));
                },
            );
            anyhow::Ok(report)
        });
        bar.finish_and_clear();
        let report = report??;
        if !report.bounds.is_exact() {
            return Ok(ProofOutcome::TimedOut(report.bounds));
        }
        let table = tables.get(Variant::from_position(&position));
        Ok(ProofOutcome::Finished(FinishedProof {
            margin: report.bounds.lower,
            table_seeds: table.map_or(0, |table| table.seeds()),
            time: started.elapsed(),
            report,
        }))
    }

    /// Builds a table and inserts it into `tables`, unless the flag is set before the end.
    fn build_table(
        &self,
        variant: Variant,
        seeds: u8,
        tables: &TableCache,
        flag: &AtomicBool,
    ) -> Result<(), BuildError> {
        let built = Table::build(variant, seeds, self.threads, &mut |_| {
            if flag.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match built {
            Ok(table) => tables.insert(table),
            Err(BuildError::Cancelled) => {}
            Err(reason) => return Err(reason),
        }
        Ok(())
    }
}

impl FinishedProof {
    /// Converts the proof to a row of the table, with the effort of the second proof.
    pub(crate) fn to_row(
        &self,
        second: &Self,
        start: Start,
        threads: NonZeroUsize,
        program: &str,
    ) -> ValueRow {
        ValueRow {
            start,
            margin: self.margin,
            nodes: self.report.nodes,
            table_seeds: self.table_seeds,
            second_nodes: second.report.nodes,
            second_table_seeds: second.table_seeds,
            threads,
            time: self.time,
            program: program.to_owned(),
            line: format_plies(&self.report.line),
            evidence: MarginEvidence::TWO_PROOFS,
        }
    }
}

/// Calls `work`, and sets the flag when it takes longer than `max`.
///
/// # Errors
/// If no thread can be started.
fn with_timeout<T>(
    max: Option<Duration>,
    flag: &AtomicBool,
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    let Some(max) = max else {
        return Ok(work());
    };
    thread::scope(|scope| {
        let (done_sender, done_receiver) = mpsc::channel::<()>();
        thread::Builder::new().spawn_scoped(scope, move || {
            // Nothing is sent. The receiver waits until the time is over or `work` has returned.
            if done_receiver.recv_timeout(max) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        })?;
        let result = work();
        drop(done_sender);
        Ok(result)
    })
}

fn progress_bar(message: String, nodes: Arc<AtomicU64>) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(PROGRESS_TEMPLATE)?.with_key(
        "nodes",
        move |_: &ProgressState, output: &mut dyn std::fmt::Write| {
            // Writing to a text cannot fail.
            let _ = write!(output, "{}", HumanCount(nodes.load(Ordering::Relaxed)));
        },
    );
    let bar = ProgressBar::new_spinner()
        .with_style(style)
        .with_message(message);
    bar.enable_steady_tick(REDRAW_INTERVAL);
    Ok(bar)
}
