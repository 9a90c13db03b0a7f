//! Proofs whose jobs other processes search: the coordinator with its store, and the workers.
//!
//! Jobs and their results are dicts of plain values, which every version of the package can read.
//! `kalah.cluster` sends them to the workers.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kalah::{Margin, Move, Position, Setup, Side};
use kalah_engine::{
    AnalysisGoal, GoalEngine, GoalResult, ProofNumbers, SharedEntry, SharedEntryError, TableCache,
};
use kalah_players::{EngineFactory, MemorySize};
use kalah_proof::{
    Coordinator, CurrentGoal, EntryExchange, Job, JobId, JobSize, NextJob, ProofStore,
    ProofStoreError, StoredProof, estimate_margin,
};
use kalah_tables::TableDamage;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::engine::factory::engine_factory;
use crate::engine::report::PyBounds;
use crate::errors::{Error, ProofError, os_error};
use crate::games::position::position_from_py;
use crate::games::values::PyMove;
use crate::table::damage_error;
use crate::{arguments, interrupt};

/// A job as a dict. Its position is turned to South, and the limits are those of the proof and the
/// disproof number. `entries` are those of other processes, in the form of `SharedEntry::encode`.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
struct JobDict {
    number: u64,
    position: String,
    target: i32,
    proof_limit: f64,
    disproof_limit: f64,
    max_nodes: u64,
    entries: Vec<u8>,
}

/// A move of a result as a dict, with its proof and its disproof number.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
struct ChildDict {
    #[pyo3(item("move"))]
    mv: String,
    proof: f64,
    disproof: f64,
}

/// The result of a job as a dict. `entries` are those that the process has found since its last
/// result.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
struct ResultDict {
    answer: Option<bool>,
    children: Vec<ChildDict>,
    nodes: u64,
    entries: Vec<u8>,
}

/// The goal that a proof decides now, as a dict: that the margin of the move, or of the position,
/// is at least the target.
#[derive(IntoPyObject)]
struct CurrentGoalDict {
    #[pyo3(item("move"))]
    mv: Option<Py<PyMove>>,
    target: i32,
    expected: bool,
    complete: f64,
    nodes_left: Option<u64>,
    line: Vec<Py<PyMove>>,
}

/// The state of a proof as a dict.
#[derive(IntoPyObject)]
struct ProofStatusDict {
    bounds: PyBounds,
    conditional_leaves: usize,
    moves: Vec<(Py<PyMove>, PyBounds)>,
    line: Vec<Py<PyMove>>,
    goals: usize,
    solved_goals: usize,
    jobs_in_flight: usize,
    completed_jobs: u64,
    nodes: u64,
    current_goal: Option<CurrentGoalDict>,
}

/// The memory of the engine that makes the first estimate, and of the estimates of goals that are
/// expanded before they are searched.
const ESTIMATE_MEMORY_BYTES: u64 = 64 << 20;
const EXPANSION_HASH_BYTES: usize = 4 << 20;

/// The nodes from which on a search has an entry of the hash tables for other processes, and the
/// greatest number of entries of a job and of a result: 7 kB.
const MIN_SHARED_NODES: u64 = 2_000;
const MAX_ENTRIES: usize = 256;

/// The largest number of a target.
const MAX_TARGET: i32 = kalah::SeedCount::MAX.get() as i32 + 1;

/// The maximum of the least node limit of jobs.
const MAX_JOB_NODES: u64 = 1_000_000_000_000;

/// The stack of the threads of a worker, as large as that of a main thread.
const STACK_BYTES: usize = 8 << 20;

impl From<ProofStoreError> for Error {
    fn from(error: ProofStoreError) -> Self {
        Self::Store(error)
    }
}

/// Returns the exception for an error of a store.
fn store_error(error: ProofStoreError) -> PyErr {
    match error {
        ProofStoreError::Lock { path, reason } => os_error(&path, &reason),
        error @ ProofStoreError::NoLocks { .. } => PyOSError::new_err(error.to_string()),
        ProofStoreError::NoFolder { .. } => PyFileNotFoundError::new_err(error.to_string()),
        error => Error::from(error).into(),
    }
}

/// A job that was handed out.
struct JobInFlight {
    job: Job,
    /// The number of entries that were published before it was handed out.
    published: usize,
}

/// A proof and its store, which only this process writes.
struct OpenProof {
    coordinator: Coordinator,
    store: ProofStore,
    /// The engine for the estimates of goals that are expanded before they are searched.
    engine: GoalEngine,
    jobs: HashMap<JobId, JobInFlight>,
    exchange: EntryExchange,
    /// The numbers of the processes in the exchange, by their names.
    processes: HashMap<String, usize>,
    /// The number of completed jobs at the last write.
    written_jobs: u64,
    started_at: Instant,
}

/// The coordinator of a proof with its store: it hands out jobs and takes their results.
#[pyclass(name = "_ProofCoordinator", module = "kalah._kalah", frozen)]
pub(crate) struct PyProofCoordinator {
    position: Position,
    /// `None` once it is closed.
    proof: Mutex<Option<OpenProof>>,
    /// The process that has opened the store.
    process: u32,
}

impl PyProofCoordinator {
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<OpenProof>>> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        Ok(self.proof.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `work` with the open proof, without the lock of the interpreter.
    fn with_proof<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut OpenProof) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| match &mut *self.lock()? {
            Some(proof) => work(proof),
            None => Err(ProofError::new_err("the proof store is closed")),
        })
    }
}

/// Opens or creates the store of a proof of `position`, until Ctrl-C.
fn open_store(
    py: Python<'_>,
    path: &Path,
    position: &Position,
    all_moves: bool,
    guide: Option<&Path>,
) -> PyResult<(ProofStore, StoredProof)> {
    let memory = MemorySize::new(ESTIMATE_MEMORY_BYTES);
    let engines = EngineFactory::new(NonZeroUsize::MIN, memory, TableCache::new());
    let opened = interrupt::run(
        py,
        &engines.stop_flag(),
        |_| Ok(()),
        || {
            let estimate = || {
                let estimate = estimate_margin(position, &mut engines.build());
                (!engines.stop_flag().load(Ordering::Relaxed)).then_some(estimate)
            };
            ProofStore::open_or_create(path, position, all_moves, guide, estimate)
        },
    )?;
    opened.map_err(store_error)
}

#[pymethods]
impl PyProofCoordinator {
    #[new]
    #[pyo3(signature = (position, *, store, moves, job_nodes, guide=None))]
    fn new(
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        store: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
        job_nodes: &Bound<'_, PyAny>,
        guide: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let position = position_from_py(position, None)?;
        let path = arguments::path(store, "store")?;
        let all_moves = arguments::boolean(moves, "moves")?;
        let guide = guide.map(|guide| arguments::path(guide, "guide"));
        let guide = guide.transpose()?;
        let size = JobSize {
            min_nodes: arguments::integer_in(job_nodes, "job_nodes", 1, MAX_JOB_NODES)?,
            ..JobSize::default()
        };
        let (store, proof) = open_store(py, &path, &position, all_moves, guide.as_deref())?;
        let open = OpenProof {
            coordinator: Coordinator::new(proof.statement, proof.tree, size),
            store,
            engine: GoalEngine::new(&position, EXPANSION_HASH_BYTES, None),
            jobs: HashMap::new(),
            exchange: EntryExchange::default(),
            processes: HashMap::new(),
            written_jobs: 0,
            started_at: Instant::now(),
        };
        Ok(Self {
            position,
            proof: Mutex::new(Some(open)),
            process: std::process::id(),
        })
    }

    /// Returns the next job, or `None` if the proof is complete.
    fn next_job(&self, py: Python<'_>) -> PyResult<Option<JobDict>> {
        self.with_proof(py, |proof| {
            let coordinator = &mut proof.coordinator;
            let next = (proof.engine).with_searcher(|searcher| coordinator.next_job(searcher));
            let NextJob::Job(job) = next else {
                return Ok(None);
            };
            let dict = JobDict {
                number: job.id.0,
                position: job.goal.position().to_string(),
                target: job.goal.target().seeds(),
                proof_limit: job.thresholds.proof,
                disproof_limit: job.thresholds.disproof,
                max_nodes: job.max_nodes,
                entries: SharedEntry::encode(&proof.exchange.missing_anywhere(MAX_ENTRIES)),
            };
            let published = proof.exchange.published();
            proof.jobs.insert(job.id, JobInFlight { job, published });
            Ok(Some(dict))
        })
    }

    /// Takes the result of a job, which `write` stores. Returns whether the job was in flight;
    /// other results are ignored.
    ///
    /// Raises `ProofError` with the name of the worker for a result that is not one of the job,
    /// which remains in flight.
    fn complete(
        &self,
        py: Python<'_>,
        number: u64,
        result: &Bound<'_, PyAny>,
        worker: &str,
    ) -> PyResult<bool> {
        let refuse = |reason: &dyn std::fmt::Display| {
            let message = format!("{worker}: the result of job {number} is refused: {reason}");
            ProofError::new_err(message)
        };
        let (result, entries) = result_from_py(result).map_err(|error| refuse(&error))?;
        self.with_proof(py, |proof| {
            let id = JobId(number);
            let Some(JobInFlight { job, published }) = proof.jobs.get(&id) else {
                return Ok(false);
            };
            job.check(&result).map_err(|error| refuse(&error))?;
            proof.coordinator.complete(job, &result);
            let processes = proof.processes.len();
            let process = *proof.processes.entry(worker.into()).or_insert(processes);
            proof.exchange.receive(process, *published);
            proof.exchange.publish(process, entries);
            proof.jobs.remove(&id);
            Ok(true)
        })
    }

    /// Reports for how many seconds of some time this process was busy: while it is busy for too
    /// long, jobs become larger.
    fn report_load(&self, py: Python<'_>, busy: Duration, time: Duration) -> PyResult<()> {
        self.with_proof(py, |proof| {
            proof.coordinator.report_load(busy, time);
            Ok(())
        })
    }

    /// Writes all results since the last call to the store.
    ///
    /// Raises `ProofError` if the store cannot be written.
    fn write(&self, py: Python<'_>) -> PyResult<()> {
        self.with_proof(py, |proof| {
            let completed = proof.coordinator.completed_jobs();
            if completed > proof.written_jobs {
                let time = proof.started_at.elapsed();
                let written = proof.store.write(&mut proof.coordinator, time);
                written.map_err(store_error)?;
                proof.written_jobs = completed;
            }
            Ok(())
        })
    }

    /// Takes a job back that was not finished.
    fn abandon(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        self.with_proof(py, |proof| {
            let id = JobId(number);
            proof.coordinator.abandon(id);
            proof.jobs.remove(&id);
            Ok(())
        })
    }

    /// Whether the margins of all moves are proven, as the store says.
    #[getter]
    fn all_moves(&self, py: Python<'_>) -> PyResult<bool> {
        self.with_proof(py, |proof| Ok(proof.coordinator.statement().all_moves))
    }

    /// The number of jobs that this coordinator has completed.
    #[getter]
    fn completed_jobs(&self, py: Python<'_>) -> PyResult<u64> {
        self.with_proof(py, |proof| Ok(proof.coordinator.completed_jobs()))
    }

    /// Whether all margins are proven.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with_proof(py, |proof| Ok(proof.coordinator.is_finished()))
    }

    /// Returns the state of the proof.
    fn status(&self, py: Python<'_>) -> PyResult<ProofStatusDict> {
        let (status, conditional_leaves, completed_jobs) = self.with_proof(py, |proof| {
            let coordinator = &proof.coordinator;
            let leaves = coordinator.conditional_leaves();
            Ok((coordinator.status(), leaves, coordinator.completed_jobs()))
        })?;
        let side = self.position.to_move();
        let moves = status.moves.into_iter();
        let moves = moves.map(|(mv, bounds)| Ok((move_object(py, side, mv)?, bounds.into())));
        Ok(ProofStatusDict {
            bounds: status.bounds.into(),
            conditional_leaves,
            moves: moves.collect::<PyResult<_>>()?,
            line: line_objects(py, &status.line)?,
            goals: status.goals,
            solved_goals: status.solved_goals,
            jobs_in_flight: status.jobs_in_flight,
            completed_jobs,
            nodes: status.nodes,
            current_goal: (status.current.as_ref())
                .map(|goal| current_goal(py, side, goal))
                .transpose()?,
        })
    }

    /// Closes the store. Jobs in flight are abandoned.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut proof) = self.lock() {
                *proof = None;
            }
        });
    }

    /// Forgets the store in a forked process, so that it stays with the process that has opened it.
    fn forget_after_fork(&self) {
        // Another thread may have held the lock at the time of the fork.
        if let Ok(mut proof) = self.proof.try_lock()
            && let Some(proof) = proof.take()
        {
            proof.store.forget_after_fork();
        }
    }
}

fn current_goal(py: Python<'_>, side: Side, goal: &CurrentGoal) -> PyResult<CurrentGoalDict> {
    Ok(CurrentGoalDict {
        mv: goal.mv.map(|mv| move_object(py, side, mv)).transpose()?,
        target: goal.target.seeds(),
        expected: goal.expected,
        complete: goal.complete,
        nodes_left: goal.nodes_left(),
        line: line_objects(py, &goal.line)?,
    })
}

fn line_objects(py: Python<'_>, line: &[(Side, Move)]) -> PyResult<Vec<Py<PyMove>>> {
    let objects = line.iter().map(|&(side, mv)| move_object(py, side, mv));
    objects.collect()
}

fn move_object(py: Python<'_>, side: Side, mv: Move) -> PyResult<Py<PyMove>> {
    PyMove::object(py, side, mv).map(|mv| mv.clone_ref(py))
}

/// Returns a result and its entries.
fn result_from_py(result: &Bound<'_, PyAny>) -> PyResult<(GoalResult, Vec<SharedEntry>)> {
    let result = result.extract::<ResultDict>()?;
    let child = |child: ChildDict| {
        let mv = PyMove::parse_for(&child.mv, Side::South)?;
        let (proof, disproof) = (child.proof, child.disproof);
        Ok((mv, ProofNumbers { proof, disproof }))
    };
    let entries = decode_entries(&result.entries)?;
    let children = result.children.into_iter().map(child);
    let result = GoalResult {
        answer: result.answer,
        children: children.collect::<PyResult<_>>()?,
        nodes: result.nodes,
    };
    Ok((result, entries))
}

fn decode_entries(message: &[u8]) -> PyResult<Vec<SharedEntry>> {
    let count = message.len().div_ceil(SharedEntry::BYTES);
    if count > MAX_ENTRIES {
        let message = format!("{count} shared entries, expected at most {MAX_ENTRIES}");
        return Err(ProofError::new_err(message));
    }
    let invalid = |error: SharedEntryError| ProofError::new_err(error.to_string());
    SharedEntry::decode(message).map_err(invalid)
}

/// A search that a thread of a worker makes.
struct Request {
    position: Position,
    target: Margin,
    thresholds: ProofNumbers,
    max_nodes: u64,
    /// Entries of other processes.
    entries: Vec<SharedEntry>,
    stop_flag: Arc<AtomicBool>,
    result: SyncSender<Result<SearchResult, TableDamage>>,
}

/// The result of a search, and the entries that the engine has found since the last one.
struct SearchResult {
    result: GoalResult,
    entries: Vec<SharedEntry>,
}

/// An engine that searches the jobs of a proof, any number of them at the same time. They share its
/// hash tables and its endgame table.
#[pyclass(name = "_ProofWorker", module = "kalah._kalah", frozen)]
pub(crate) struct PyProofWorker {
    position: Position,
    table_seeds: u8,
    /// Requests to the thread that has the engine.
    requests: Mutex<Sender<Request>>,
    /// The process that has created the worker.
    process: u32,
}

/// Searches requests, each on a thread of its own, until the worker is dropped.
fn serve(engine: &mut GoalEngine, requests: Receiver<Request>) {
    engine.with_searcher(|searcher| {
        thread::scope(|scope| {
            for request in requests {
                let search = move || {
                    searcher.insert_shared_entries(&request.entries);
                    let result = searcher.search(
                        &request.position,
                        request.target,
                        request.thresholds,
                        request.max_nodes,
                        &[&request.stop_flag],
                    );
                    let mut entries = searcher.take_shared_entries();
                    entries.drain(..entries.len().saturating_sub(MAX_ENTRIES));
                    let found = SearchResult { result, entries };
                    let result = searcher.table_damage().map_or(Ok(found), Err);
                    // The worker waits for the result.
                    let _ = request.result.send(result);
                };
                let thread = thread::Builder::new().stack_size(STACK_BYTES);
                // Without a thread the worker sees that there is no result.
                drop(thread.spawn_scoped(scope, search));
            }
        });
    });
}

#[pymethods]
impl PyProofWorker {
    #[new]
    #[pyo3(signature = (position, rules, *, moves, memory=None, threads=None, tables=None))]
    fn new(
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        rules: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
        memory: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        tables: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let position = position_from_py(position, Some(rules))?;
        let engines = engine_factory(threads, NonZeroUsize::MIN, memory, tables)?;
        let goal = if arguments::boolean(moves, "moves")? {
            AnalysisGoal::AllMargins
        } else {
            AnalysisGoal::BestMargin
        };
        let build = || engines.build_goal_engine(&position, goal);
        let engine = interrupt::run(py, &engines.stop_flag(), |_| Ok(()), build)?;
        let mut engine = engine.with_shared_entries(MIN_SHARED_NODES);
        let table_seeds = engine.table_seeds();
        let (requests, receiver) = mpsc::channel();
        thread::Builder::new().spawn(move || serve(&mut engine, receiver))?;
        Ok(Self {
            position,
            table_seeds,
            requests: Mutex::new(requests),
            process: std::process::id(),
        })
    }

    /// The number of seeds of the endgame table, or 0 without one.
    #[getter]
    fn table_seeds(&self) -> u8 {
        self.table_seeds
    }

    /// Searches a job and returns its result, until Ctrl-C.
    ///
    /// Raises `KalahError` for a position that cannot occur in the proof, and `TableError` if the
    /// endgame table turns out to be damaged.
    fn search(&self, py: Python<'_>, job: &Bound<'_, PyAny>) -> PyResult<ResultDict> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        let job = job.extract::<JobDict>()?;
        let id = job.number;
        let position = self.parse(&job.position)?;
        let has_limits = !job.proof_limit.is_nan() && !job.disproof_limit.is_nan();
        if !(-MAX_TARGET..=MAX_TARGET).contains(&job.target) || !has_limits {
            return Err(ProofError::new_err(format!("job {id} is invalid")));
        }
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::sync_channel(1);
        let request = Request {
            position,
            target: Margin::new(job.target),
            thresholds: ProofNumbers {
                proof: job.proof_limit,
                disproof: job.disproof_limit,
            },
            max_nodes: job.max_nodes,
            entries: decode_entries(&job.entries)?,
            stop_flag: Arc::clone(&stop_flag),
            result: sender,
        };
        let requests = &self.requests;
        let wait = move || {
            let requests = requests.lock();
            let sent = (requests.unwrap_or_else(PoisonError::into_inner)).send(request);
            sent.ok().and_then(|()| receiver.recv().ok())
        };
        let result = interrupt::run(py, &stop_flag, |_| Ok(()), wait)?;
        let result = result.ok_or_else(|| {
            PyRuntimeError::new_err(format!("internal error, please report it: job {id} failed"))
        })?;
        let SearchResult { result, entries } = result.map_err(|damage| damage_error(&damage))?;
        let child = |&(mv, numbers): &(Move, ProofNumbers)| ChildDict {
            mv: mv.text(Side::South),
            proof: numbers.proof,
            disproof: numbers.disproof,
        };
        Ok(ResultDict {
            answer: result.answer,
            children: result.children.iter().map(child).collect(),
            nodes: result.nodes,
            entries: SharedEntry::encode(&entries),
        })
    }
}

impl PyProofWorker {
    /// Returns the position of a job, which the engine can search.
    fn parse(&self, text: &str) -> PyResult<Position> {
        let start = &self.position;
        let setup = text.parse::<Setup>().map_err(Error::from)?;
        let position = setup.position(start.rules()).map_err(Error::from)?;
        if position.houses() == start.houses() && position.total() <= start.total() {
            return Ok(position);
        }
        Err(ProofError::new_err(format!(
            "'{position}' cannot occur in a proof of '{start}'"
        )))
    }
}
