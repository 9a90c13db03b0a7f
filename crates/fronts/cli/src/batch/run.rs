//! The run of a batch: threads that work on lines, and their rows in the order of the lines.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use indicatif::ProgressBar;
use kalah::format_count;
use kalah_players::Shutdown;

use super::command::BatchCommand;
use super::rows::{BatchOptions, CsvRows, RowResult, RowWriter};
use super::source::{BatchItem, BatchSource, ItemKind, read_on_request};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::print_stderr;
use crate::output::progress::{enable_tick, new_spinner};

/// The result of a line; `None` if an interrupt has stopped the work.
pub(crate) type JobResult<T> = Option<RowResult<T>>;

/// The lines that are read ahead, as a multiple of the jobs: while one line takes long, the others
/// go on.
const LINES_AHEAD_PER_JOB: usize = 64;

/// The interval at which a batch that waits looks for an interrupt.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// An event of the threads of a batch.
enum Event<T> {
    /// A line was read; `None` at the end of the input.
    Line(Result<Option<BatchItem>, CliError>),
    /// A job has ended.
    Done(usize, BatchItem, JobResult<T>),
}

/// Does the work of `command` for each item of `source`, at most `jobs` at the same time, and
/// writes the rows in the order of the lines. `new_worker` returns the work of a thread.
///
/// # Errors
/// [`CliError::Runtime`] if the input cannot be read, or after all rows if some are errors;
/// [`CliError::Interrupted`] after an interrupt, with the rows before the first line that is not
/// done; errors of the output.
pub(crate) fn run_batch<S, T, W>(
    source: S,
    command: &BatchCommand,
    options: &BatchOptions,
    jobs: NonZeroUsize,
    output: &mut dyn Write,
    new_worker: impl Fn() -> W + Sync,
) -> Result<(), CliError>
where
    S: BatchSource,
    T: CsvRows + Send + 'static,
    W: FnMut(&str) -> JobResult<T>,
{
    let interrupt = interrupt::listen();
    let rows = RowWriter::open::<T>(S::KIND, command, options, output)?;
    let (event_sender, events) = mpsc::channel();
    let (read_requests, requests) = mpsc::channel();
    read_on_request(source, requests, event_sender.clone(), Event::Line)?;
    let (job_sender, job_receiver) = mpsc::channel();
    let job_receiver = Mutex::new(job_receiver);
    let progress = new_spinner();
    enable_tick(&progress);
    let ended = thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..jobs.get() {
            let (event_sender, new_worker) = (event_sender.clone(), &new_worker);
            let job_receiver = &job_receiver;
            let interrupt = &interrupt;
            let work = move || {
                work_on_lines(job_receiver, &event_sender, interrupt, new_worker());
            };
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(worker) => workers.push(worker),
                Err(reason) => {
                    // The scope waits for the threads that were started, which end without jobs.
                    drop(job_sender);
                    let reason = format!("cannot start a thread: {reason}");
                    return Err(CliError::Runtime(reason));
                }
            }
        }
        let batch = BatchRun {
            rows,
            read_requests,
            job_sender,
            interrupt: &interrupt,
            waiting: BTreeMap::new(),
            next_job: 0,
            next_row: 0,
            counts: RowCounts::default(),
            kind: S::KIND,
            progress: &progress,
        };
        // A thread that ends while it can get jobs has panicked, and the scope passes that on.
        let has_panicked = || workers.iter().any(ScopedJoinHandle::is_finished);
        let ended = batch.run(&events, jobs, has_panicked);
        if ended.is_err() {
            // The searches of the threads would delay the message.
            interrupt.flag().store(true, Ordering::Relaxed);
        }
        ended
    });
    progress.finish_and_clear();
    ended?.into_result(S::KIND)
}

/// Works on lines until there are no more, or until an interrupt.
fn work_on_lines<T>(
    jobs: &Mutex<Receiver<(usize, BatchItem)>>,
    events: &Sender<Event<T>>,
    interrupt: &Shutdown,
    mut work: impl FnMut(&str) -> JobResult<T>,
) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((index, line)) = job else {
            return;
        };
        if interrupt.is_requested() {
            return;
        }
        let result = match &line.text {
            Ok(text) => work(text),
            Err(problem) => Some(Err(problem.clone())),
        };
        if events.send(Event::Done(index, line, result)).is_err() {
            return;
        }
    }
}

/// The numbers of rows at the end of a batch.
#[derive(Clone, Copy, Debug, Default)]
struct RowCounts {
    /// Rows of an earlier run.
    skipped: u64,
    /// Rows of this run, errors included.
    written: u64,
    /// Rows of all runs that are errors.
    errors: u64,
    is_interrupted: bool,
}

impl RowCounts {
    /// Returns the result of the command.
    fn into_result(self, kind: ItemKind) -> Result<(), CliError> {
        let count = self.skipped + self.written;
        let all = format_count(count, kind.name());
        if self.is_interrupted {
            return Err(CliError::Interrupted(format!("stopped after {all}")));
        }
        if self.errors > 0 {
            let errors = self.errors;
            return Err(CliError::Runtime(format!(
                "{errors} of {all} failed: the output has the reasons"
            )));
        }
        if count == 0 {
            print_stderr(&format!(
                "note: the input has no {} to work on",
                kind.name()
            ));
        }
        Ok(())
    }
}

/// Passes lines to the threads, and their results to the output.
struct BatchRun<'a, T> {
    rows: RowWriter<'a>,
    /// Each message requests a line.
    read_requests: Sender<()>,
    job_sender: Sender<(usize, BatchItem)>,
    interrupt: &'a Shutdown,
    /// Results that wait for those of lines before them.
    waiting: BTreeMap<usize, (BatchItem, JobResult<T>)>,
    next_job: usize,
    next_row: usize,
    counts: RowCounts,
    kind: ItemKind,
    progress: &'a ProgressBar,
}

impl<T: CsvRows> BatchRun<'_, T> {
    fn run(
        mut self,
        events: &Receiver<Event<T>>,
        jobs: NonZeroUsize,
        has_panicked: impl Fn() -> bool,
    ) -> Result<RowCounts, CliError> {
        for _ in 0..jobs.get().saturating_mul(LINES_AHEAD_PER_JOB) {
            self.request_line();
        }
        let mut has_ended = false;
        while !has_ended || self.next_row < self.next_job {
            if self.interrupt.is_requested() {
                self.counts.is_interrupted = true;
                break;
            }
            match events.recv_timeout(INTERRUPT_POLL_INTERVAL) {
                Ok(Event::Line(Ok(Some(line)))) => self.start_job(line)?,
                Ok(Event::Line(Ok(None))) => {
                    self.rows.finish_earlier()?;
                    has_ended = true;
                }
                Ok(Event::Line(Err(error))) => return Err(error),
                Ok(Event::Done(index, line, result)) => {
                    self.waiting.insert(index, (line, result));
                    self.write_rows()?;
                }
                Err(RecvTimeoutError::Timeout) if has_panicked() => {
                    return Err(CliError::Runtime("a search has failed".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the caller holds a sender of the events")
                }
            }
        }
        Ok(self.counts)
    }

    fn request_line(&self) {
        // The thread that reads has ended at the end of the input.
        let _ = self.read_requests.send(());
    }

    /// Passes a line to a thread unless an earlier run has written its row.
    fn start_job(&mut self, line: BatchItem) -> Result<(), CliError> {
        if let Some(row) = self.rows.earlier_row(&line)? {
            self.counts.skipped += 1;
            self.counts.errors += u64::from(row.is_error);
            self.show_progress();
            self.request_line();
            return Ok(());
        }
        // The threads end when this sender does.
        let _ = self.job_sender.send((self.next_job, line));
        self.next_job += 1;
        Ok(())
    }

    /// Writes the rows that wait for no other row.
    fn write_rows(&mut self) -> Result<(), CliError> {
        while let Some((line, result)) = self.waiting.remove(&self.next_row) {
            // An interrupted job has no row, and none after it is written.
            let Some(result) = result else {
                return Ok(());
            };
            self.rows.write(&line, &result)?;
            self.next_row += 1;
            self.counts.written += 1;
            self.counts.errors += u64::from(result.is_err());
            self.show_progress();
            self.request_line();
        }
        Ok(())
    }

    fn show_progress(&self) {
        let done = self.counts.skipped + self.counts.written;
        self.progress
            .set_message(format_count(done, self.kind.name()));
    }
}
