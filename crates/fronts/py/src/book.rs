//! Builds of opening books whose leaves other processes search: the coordinator with its store.
//!
//! Jobs are dicts of plain values and their results lists of numbers, which every version of the
//! package can read. `kalah.cluster` sends them to the workers.

use std::collections::{HashMap, VecDeque};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::{Gain, Position};
use kalah_book::{BookBuild, BookBuildError, BookStart};
use kalah_files::ReplaceFileError;
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{BookError, Error, os_error};
use crate::games::position::position_from_py;

/// The most leaves of a job.
const MAX_JOB_LEAVES: usize = 1_000_000;

/// A job as a dict: the positions of its leaves, with South to move and empty stores.
#[derive(IntoPyObject)]
struct LeavesDict {
    number: u64,
    leaves: Vec<String>,
}

/// The state of a build as a dict.
#[derive(IntoPyObject)]
struct BookStatusDict {
    leaves: usize,
    known_leaves: usize,
    jobs_in_flight: usize,
    completed_jobs: u64,
}

/// Returns the exception for an error of a build.
fn build_error(error: BookBuildError) -> PyErr {
    match error {
        BookBuildError::Io { path, reason, .. } => os_error(&path, &reason),
        error => BookError::new_err(error.to_string()),
    }
}

/// A build and its store, which only this process writes.
struct OpenBuild {
    build: BookBuild,
    /// The leaves that no job has.
    waiting: VecDeque<usize>,
    /// The leaves of the jobs in flight, by the numbers of the jobs.
    jobs: HashMap<u64, Vec<usize>>,
    next_job: u64,
    completed_jobs: u64,
    /// The results since the last write.
    results: Vec<(usize, Gain)>,
}

impl OpenBuild {
    /// Checks the gains of the leaves of a job, and keeps them for the next write.
    fn complete(&mut self, number: u64, gains: &[i32]) -> Result<(), String> {
        let Some(leaves) = self.jobs.get(&number) else {
            return Ok(());
        };
        if gains.len() != leaves.len() {
            let (found, expected) = (gains.len(), leaves.len());
            return Err(format!("expected {expected} gains, not {found}"));
        }
        let results: Vec<_> = (leaves.iter().copied())
            .zip(gains.iter().copied().map(Gain::new))
            .collect();
        for &(leaf, gain) in &results {
            let checked = self.build.positions().check_gain(leaf, gain);
            checked.map_err(|error| error.to_string())?;
        }
        self.results.extend(results);
        self.jobs.remove(&number);
        self.completed_jobs += 1;
        Ok(())
    }
}

/// The coordinator of a build with its store: it hands out leaves and takes their gains.
#[pyclass(name = "_BookCoordinator", module = "kalah._kalah", frozen)]
pub(crate) struct PyBookCoordinator {
    out: PathBuf,
    job_leaves: usize,
    /// `None` once it is closed.
    build: Mutex<Option<OpenBuild>>,
    /// The process that has opened the store.
    process: u32,
}

impl PyBookCoordinator {
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<OpenBuild>>> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        Ok(self.build.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `work` with the open build, without the lock of the interpreter.
    fn with_build<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut OpenBuild) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| match &mut *self.lock()? {
            Some(build) => work(build),
            None => Err(BookError::new_err("the store of the build is closed")),
        })
    }
}

/// Returns the start of a book from its position.
fn book_start(position: &Position, plies: u32) -> PyResult<BookStart> {
    let houses = position.houses();
    let seeds = position.houses_of(position.to_move());
    let seeds = u64::from(seeds.iter().next().map_or(0, |seeds| seeds.get()));
    match Position::start(houses, seeds, position.rules()) {
        Ok(start) if start == *position => Ok(BookStart {
            houses,
            seeds,
            rules: position.rules(),
            plies,
        }),
        _ => Err(Error::Argument {
            name: "start",
            expected: "a start such as 6x4".to_owned(),
            actual: format!("'{position}'"),
        }
        .into()),
    }
}

#[pymethods]
impl PyBookCoordinator {
    #[new]
    #[pyo3(signature = (start, *, plies, store, out, job_leaves))]
    fn new(
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        plies: &Bound<'_, PyAny>,
        store: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
        job_leaves: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let position = position_from_py(start, None)?;
        let plies = arguments::integer_in(plies, "plies", 0, BookStart::MAX_PLIES)?;
        let start = book_start(&position, plies)?;
        let store = arguments::path(store, "store")?;
        let out = arguments::path(out, "out")?;
        let job_leaves = arguments::integer_in(job_leaves, "job_leaves", 1, MAX_JOB_LEAVES)?;
        let opened = py.detach(|| BookBuild::open_for(&out, &store, start));
        let build = opened.map_err(build_error)?;
        let open = OpenBuild {
            waiting: build.unknown_leaves().collect(),
            build,
            jobs: HashMap::new(),
            next_job: 0,
            completed_jobs: 0,
            results: Vec::new(),
        };
        Ok(Self {
            out,
            job_leaves,
            build: Mutex::new(Some(open)),
            process: std::process::id(),
        })
    }

    /// Returns the next job, or `None` if there is none now.
    fn next_job(&self, py: Python<'_>) -> PyResult<Option<LeavesDict>> {
        self.with_build(py, |open| {
            let count = self.job_leaves.min(open.waiting.len());
            if count == 0 {
                return Ok(None);
            }
            let leaves: Vec<_> = open.waiting.drain(..count).collect();
            let positions = open.build.positions();
            let texts = leaves.iter().filter_map(|&leaf| positions.leaf(leaf));
            let dict = LeavesDict {
                number: open.next_job,
                leaves: texts.map(|leaf| leaf.to_string()).collect(),
            };
            open.jobs.insert(open.next_job, leaves);
            open.next_job += 1;
            Ok(Some(dict))
        })
    }

    /// Takes the gains of the leaves of a job, which `write` stores. A job that is not in flight is
    /// ignored.
    ///
    /// Raises `BookError` with the name of the worker for gains that the leaves cannot have. The
    /// job remains in flight.
    fn complete(
        &self,
        py: Python<'_>,
        number: u64,
        gains: &Bound<'_, PyAny>,
        worker: &str,
    ) -> PyResult<()> {
        let refuse = |reason: &dyn Display| {
            let message = format!("{worker}: the result of job {number} is refused: {reason}");
            BookError::new_err(message)
        };
        let gains: Vec<i32> = gains.extract().map_err(|error| refuse(&error))?;
        self.with_build(py, |open| {
            (open.complete(number, &gains)).map_err(|reason| refuse(&reason))
        })
    }

    /// Writes all results since the last call to the store.
    ///
    /// Raises `OSError` if the store cannot be written.
    fn write(&self, py: Python<'_>) -> PyResult<()> {
        self.with_build(py, |open| {
            if !open.results.is_empty() {
                open.build.add(&open.results).map_err(build_error)?;
                open.results.clear();
            }
            Ok(())
        })
    }

    /// Takes a job back that was not finished.
    fn abandon(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        self.with_build(py, |open| {
            for leaf in open.jobs.remove(&number).into_iter().flatten().rev() {
                open.waiting.push_front(leaf);
            }
            Ok(())
        })
    }

    /// Whether all leaves have results.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with_build(py, |open| {
            Ok(open.waiting.is_empty() && open.jobs.is_empty())
        })
    }

    /// Returns the state of the build.
    fn status(&self, py: Python<'_>) -> PyResult<BookStatusDict> {
        self.with_build(py, |open| {
            Ok(BookStatusDict {
                leaves: open.build.positions().leaf_count(),
                known_leaves: open.build.known_count() + open.results.len(),
                jobs_in_flight: open.jobs.len(),
                completed_jobs: open.completed_jobs,
            })
        })
    }

    /// Writes the file of the finished book and closes the store. Returns the number of its
    /// positions, and the margin of the start.
    ///
    /// Raises `BookError` for wrong results in the store, and `OSError` if the file cannot be
    /// written.
    fn finish(&self, py: Python<'_>) -> PyResult<(usize, i32)> {
        self.write(py)?;
        py.detach(|| {
            let open = self.lock()?.take();
            let open =
                open.ok_or_else(|| BookError::new_err("the store of the build is closed"))?;
            let book = open.build.into_book();
            let book = book.map_err(|error| BookError::new_err(error.to_string()))?;
            let written = kalah_files::replace(&self.out, &book.to_bytes());
            written.map_err(|error| match error {
                ReplaceFileError::Io(reason) => os_error(&self.out, &reason),
                reason @ ReplaceFileError::NotRegular => {
                    os_error(&self.out, &std::io::Error::other(reason))
                }
            })?;
            Ok((book.position_count(), book.start_margin().seeds()))
        })
    }

    /// Closes the store. Jobs in flight are abandoned.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut build) = self.lock() {
                *build = None;
            }
        });
    }

    /// Forgets the store in a forked process, so that it stays with the process that has opened it.
    fn forget_after_fork(&self) {
        // Another thread may have held the lock at the time of the fork.
        if let Ok(mut build) = self.build.try_lock() {
            *build = None;
        }
    }
}
