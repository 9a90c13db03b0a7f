use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use kalah::Margin;
use kalah::record::format_plies;
use kalah_engine::{Bounds, Engine, Limits, Report, TableCache};
use kalah_tables::{BuildError, Table, Variant};

use super::start::Start;
use super::value::ValueRow;

/// What a proof may take of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofOptions {
    /// Bytes for positions and for the endgame table.
    pub(crate) memory: usize,
    pub(crate) threads: NonZeroUsize,
    /// Seeds in the houses of the endgame table; what the engine finds right if there is none.
    pub(crate) table_seeds: Option<u8>,
    /// The most time for a proof; any if there is none.
    pub(crate) max_time: Option<Duration>,
}

/// What came of a proof.
#[derive(Clone, Debug)]
pub(crate) enum ProofOutcome {
    Finished(FinishedProof),
    /// The time was up, and this is proven.
    TimedOut(Bounds),
}

/// A proof that was finished.
#[derive(Clone, Debug)]
pub(crate) struct FinishedProof {
    pub(crate) margin: Margin,
    pub(crate) report: Report,
    table_seeds: u8,
    /// What the table and the proof took together.
    time: Duration,
}

/// The progress, on standard error if that is a terminal.
const PROGRESS_TEMPLATE: &str = "{spinner} {msg}: {nodes} nodes, {elapsed}";

/// How often it is shown anew.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

impl ProofOptions {
    /// Proves the margin of a start from nothing: what is found of one start is of no use for another. `which`
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
        let began = Instant::now();
        let report = with_timeout(self.max_time, &flag, || {
            if let Some(seeds) = self.table_seeds {
                self.build_table(Variant::from_position(&position), seeds, &tables, &flag)?;
            }
            let report = engine.analyse_with_progress(
                &position,
                Limits::default(),
                &|| began.elapsed(),
                &mut |report| {
                    let Bounds { lower, upper } = report.bounds;
                    bar.set_message(format!("{which}: {start}: from {lower} to {upper}"));
                },
            );
            anyhow::Ok(report)
        });
        bar.finish_and_clear();
        let report = report?;
        if !report.bounds.is_exact() {
            return Ok(ProofOutcome::TimedOut(report.bounds));
        }
        let table = tables.get(Variant::from_position(&position));
        Ok(ProofOutcome::Finished(FinishedProof {
            margin: report.bounds.lower,
            table_seeds: table.map_or(0, |table| table.seeds()),
            time: began.elapsed(),
            report,
        }))
    }

    /// Builds a table and puts it there, unless the flag is set before it is built.
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
    /// The line of the table.
    pub(crate) fn to_row(&self, start: Start, threads: NonZeroUsize, program: &str) -> ValueRow {
        ValueRow {
            start,
            margin: self.margin,
            nodes: self.report.nodes,
            table_seeds: self.table_seeds,
            threads,
            time: self.time,
            program: program.to_owned(),
            line: format_plies(&self.report.line),
        }
    }
}

/// Does `work`, and sets the flag if it takes longer than `most`.
fn with_timeout<T>(most: Option<Duration>, flag: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let Some(most) = most else {
        return work();
    };
    thread::scope(|scope| {
        let (working, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            // Nothing is ever sent: it waits for the time, or for the end of the work.
            if waiting.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let done = work();
        drop(working);
        done
    })
}

fn progress_bar(message: String, nodes: Arc<AtomicU64>) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(PROGRESS_TEMPLATE)?.with_key(
        "nodes",
        move |_: &ProgressState, output: &mut dyn std::fmt::Write| {
            // There is nobody to tell that a text has no more room.
            let _ = write!(output, "{}", HumanCount(nodes.load(Ordering::Relaxed)));
        },
    );
    let bar = ProgressBar::new_spinner()
        .with_style(style)
        .with_message(message);
    bar.enable_steady_tick(REDRAW_INTERVAL);
    Ok(bar)
}
