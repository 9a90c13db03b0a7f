//! The engine, and proofs without one.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use kalah::Position;
use kalah_book::BookSet;
use kalah_engine::{AnalysisGoal, Engine, Estimates, Limits, Report, TableCache};
use kalah_players::{EngineFactory, MemorySize, available_threads};
use pyo3::prelude::*;

use crate::engine::factory::engine_factory;
use crate::engine::report::PyReport;
use crate::errors::{Error, KalahError};
use crate::games::position::position_from_py;
use crate::games::values::PyMove;
use crate::interrupt::{self, Latest};
use crate::progress::Progress;
use crate::{arguments, resources};

/// Returns the goal that an argument names.
fn goal(value: &Bound<'_, PyAny>) -> PyResult<AnalysisGoal> {
    let text = arguments::only_text(value, "goal")?;
    match &*text {
        "all-margins" => Ok(AnalysisGoal::AllMargins),
        "best-margin" => Ok(AnalysisGoal::BestMargin),
        "best-move" => Ok(AnalysisGoal::BestMove),
        "ties" => Ok(AnalysisGoal::Ties),
        _ => Err(Error::Argument {
            name: "goal",
            expected: "all-margins, best-margin, best-move or ties".to_owned(),
            actual: kalah::Quoted::new(&text).to_string(),
        }
        .into()),
    }
}

/// The largest board and the most seeds in its houses with which an analysis is short: there are
/// 11,628 ways to place 5 seeds in 14 houses and one place outside.
const MAX_SHORT_HOUSES: u8 = 7;
const MAX_SHORT_SEEDS: u16 = 5;

/// The most nodes of a short analysis that only estimates.
const MAX_SHORT_NODES: u64 = 5_000;

/// Returns whether an analysis takes so little time that it needs no thread of its own.
fn is_short(position: &Position, limits: &Limits) -> bool {
    let is_small =
        position.houses() <= MAX_SHORT_HOUSES && position.seeds_in_play().get() <= MAX_SHORT_SEEDS;
    let is_limited =
        limits.depth.is_some() && limits.nodes.is_some_and(|nodes| nodes <= MAX_SHORT_NODES);
    is_small || is_limited
}

/// Analyzes until the limits or Ctrl-C stop it, on a thread of its own unless it is short.
///
/// A panic leaves `engine` empty: the state of the search is unknown.
fn analyze(
    py: Python<'_>,
    engine: &mut Option<Engine>,
    factory: &EngineFactory,
    (position, limits): (&Position, Limits),
    progress: &Progress,
) -> PyResult<PyReport> {
    let stop_flag = factory.stop_flag();
    stop_flag.store(false, Ordering::Relaxed);
    let latest = Latest::new();
    let is_displayed = progress.is_displayed();
    let poll = |py: Python<'_>| match latest.take() {
        Some(report) => progress.update(py, to_py(position, report)),
        None => Ok(()),
    };
    let analyze = || {
        let mut searcher = engine.take().unwrap_or_else(|| factory.build());
        let start = Instant::now();
        let display = |report: &Report| {
            if is_displayed {
                latest.set(report.clone());
            }
        };
        let clock = || start.elapsed();
        let report = searcher.analyze_with_progress(position, limits, &clock, &mut { display });
        display(&report);
        *engine = Some(searcher);
        report
    };
    let report = if is_short(position, &limits) {
        let report = interrupt::run_short(py, analyze)?;
        poll(py)?;
        report
    } else {
        interrupt::run(py, &stop_flag, poll, analyze)?
    };
    Ok(to_py(position, report))
}

fn to_py(position: &Position, report: Report) -> PyReport {
    PyReport::new(position.clone(), report)
}

/// The state of an engine that one call at a time uses.
struct EngineState {
    factory: EngineFactory,
    /// The engine; `None` before the first analysis and after a change of the resources.
    engine: Option<Engine>,
    /// The thread of the call that uses the engine.
    user: Option<ThreadId>,
    is_closed: bool,
}

/// Analyzes positions, and keeps its hash tables and the endgame tables that it builds between
/// analyses.
///
/// `memory` is the limit for hash tables and endgame tables, in bytes or as text such as `512MiB`;
/// by default a quarter of the memory of the machine, up to 1 GiB. If the machine has less free
/// memory, the engine uses that and warns. `threads` is the number of threads of a search, 1 to
/// 256; with one thread, the default, an analysis without a time limit is reproducible. `tables` is
/// a `Table` or several. With `book=False` the engine searches positions of the opening books too,
/// whose margins it has otherwise at once.
///
/// Threads that share an engine wait for each other; several engines search at the same time. An
/// engine belongs to the process that has created it.
///
/// >>> import kalah
/// >>> with kalah.Engine(memory="64MiB") as engine:
/// ...     report = engine.analyse(kalah.Position.start(4, 3, rules="standard"))
/// >>> [(str(entry.move), entry.margin) for entry in report.moves]
/// [('A', -6), ('B', 6), ('C', 2), ('D', -2)]
#[pyclass(name = "Engine", module = "kalah", frozen)]
pub(crate) struct PyEngine {
    state: Mutex<EngineState>,
    released: Condvar,
    /// The process that has created the engine.
    process: u32,
}

/// The time for a move by default, that of the assignment's smart player.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);

/// The time between two polls for signals while a call waits for the engine.
const WAIT_INTERVAL: Duration = Duration::from_millis(40);

impl PyEngine {
    fn state(&self) -> PyResult<MutexGuard<'_, EngineState>> {
        // In a forked process, another thread may have held the lock at the time of the fork.
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until no other call uses the engine, and takes it.
    fn acquire(&self, py: Python<'_>) -> PyResult<(EngineFactory, Option<Engine>)> {
        loop {
            let acquired = py.detach(|| {
                let mut state = self.state()?;
                if state.user == Some(thread::current().id()) {
                    return Err(Error::InUse.into());
                }
                if state.user.is_some() {
                    state = self
                        .released
                        .wait_timeout(state, WAIT_INTERVAL)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                if state.is_closed {
                    return Err(Error::Closed.into());
                }
                if state.user.is_some() {
                    return Ok(None);
                }
                state.user = Some(thread::current().id());
                Ok::<_, PyErr>(Some((state.factory.clone(), state.engine.take())))
            })?;
            match acquired {
                Some(acquired) => return Ok(acquired),
                None => py.check_signals()?,
            }
        }
    }

    /// Gives the engine back. Without an engine, the next call starts with empty tables.
    fn release(&self, factory: EngineFactory, engine: Option<Engine>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.user = None;
        if !state.is_closed {
            state.factory = factory;
            state.engine = engine;
        }
        self.released.notify_one();
    }

    /// Analyzes as soon as no other call uses the engine, after a change of its resources.
    fn run(
        &self,
        py: Python<'_>,
        position: &Position,
        limits: Limits,
        (memory, threads): (Option<MemorySize>, Option<NonZeroUsize>),
        progress: &Progress,
    ) -> PyResult<PyReport> {
        let (mut factory, mut engine) = self.acquire(py)?;
        if let Some(memory) = memory.filter(|&memory| memory != factory.memory()) {
            factory = factory.with_memory(memory);
            engine = None;
        }
        if let Some(threads) = threads {
            factory = factory.with_threads(threads);
            engine = engine.map(|engine| engine.with_threads(threads));
        }
        let report = analyze(py, &mut engine, &factory, (position, limits), progress);
        self.release(factory, engine);
        report
    }
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (*, memory=None, threads=None, tables=None, book=true))]
    fn new(
        memory: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        tables: Option<&Bound<'_, PyAny>>,
        book: bool,
    ) -> PyResult<Self> {
        let factory = engine_factory(threads, NonZeroUsize::MIN, memory, tables)?;
        let factory = if book {
            factory
        } else {
            factory.with_books(BookSet::default())
        };
        Ok(Self {
            state: Mutex::new(EngineState {
                factory,
                engine: None,
                user: None,
                is_closed: false,
            }),
            released: Condvar::new(),
            process: std::process::id(),
        })
    }

    /// Analyzes a position until everything is proven or a limit is reached.
    ///
    /// `position` is a `Position` or its text under `rules`. The limits are `time` in seconds (a
    /// number or a `timedelta`), `nodes`, and `depth` in turns; with a depth limit the analysis
    /// only estimates. `goal` is `all-margins` (the margins of all moves, the default),
    /// `best-margin`, `best-move` or `ties`. `lines` is the number of moves whose expected lines
    /// the report has. `memory` and `threads` replace those of the engine, also for later analyses.
    /// `progress` is `True` for a progress bar (with tqdm), or a function that is called with a
    /// `Report` several times a second.
    ///
    /// Ctrl-C stops the analysis and raises `KeyboardInterrupt`; the engine remains usable. Raises
    /// `KalahError` for values out of range, in a forked process, and if the engine is closed.
    ///
    /// >>> import kalah
    /// >>> engine = kalah.Engine()
    /// >>> engine.analyse("7x6", rules="standard", nodes=20_000).is_exact
    /// False
    #[pyo3(signature = (position, rules=None, *, time=None, nodes=None, depth=None,
        goal=None, lines=None, memory=None, threads=None, progress=None),
        text_signature = "($self, position, rules=None, *, time=None, nodes=None, depth=None, \
            goal='all-margins', lines=None, memory=None, threads=None, progress=None)")]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of a Python function"
    )]
    fn analyse(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
        nodes: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        goal: Option<&Bound<'_, PyAny>>,
        lines: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyReport> {
        let position = position_from_py(position, rules)?;
        let limits = Limits {
            time: time
                .map(|time| arguments::seconds(time, "time"))
                .transpose()?,
            target_time: None,
            nodes: nodes
                .map(|nodes| arguments::integer_in(nodes, "nodes", 1, u64::MAX))
                .transpose()?,
            depth: depth
                .map(|depth| arguments::integer_in(depth, "depth", 1, u32::MAX))
                .transpose()?,
            goal: goal.map_or(Ok(AnalysisGoal::AllMargins), self::goal)?,
            estimates: Estimates::AllMoves,
            lines: lines.map_or(Ok(0), |lines| {
                arguments::integer_in(lines, "lines", 0, usize::MAX)
            })?,
        };
        let memory = memory.map(resources::memory).transpose()?;
        let threads = threads.map(resources::threads).transpose()?;
        let progress = Progress::new(py, progress)?;

        let report = self.run(py, &position, limits, (memory, threads), &progress);
        progress.close_after(py, report)
    }

    /// Returns the best move of a position, which makes the engine a player of `kalah.play_game`
    /// and `kalah.play_match`.
    ///
    /// It searches until the best move is proven, but not longer than `time` seconds, by default 5.
    /// Raises `KalahError` if the game is over.
    ///
    /// >>> import kalah
    /// >>> game = kalah.play_game(kalah.Engine(), "random", start="4x3", seed=1)
    /// >>> game.winner
    /// <Side.SOUTH: 'south'>
    #[pyo3(signature = (position, rules=None, *, time=None))]
    fn choose(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyMove>> {
        let position = position_from_py(position, rules)?;
        let limits = Limits {
            time: Some(time.map_or(Ok(DEFAULT_MOVE_TIME), |time| {
                arguments::seconds(time, "time")
            })?),
            goal: AnalysisGoal::BestMove,
            ..Limits::default()
        };
        let report = self.run(py, &position, limits, (None, None), &Progress::Off)?;
        let best_move = report.best_move(py)?;
        best_move.ok_or_else(|| KalahError::new_err("the game is over: it has no best move"))
    }

    /// The limit for hash tables and endgame tables in bytes.
    #[getter]
    fn memory(&self) -> PyResult<u64> {
        Ok(self.state()?.factory.memory().bytes())
    }

    /// Whether `close` was called.
    #[getter]
    fn is_closed(&self) -> PyResult<bool> {
        Ok(self.state()?.is_closed)
    }

    /// Clears the hash tables. Endgame tables remain.
    ///
    /// >>> import kalah
    /// >>> engine = kalah.Engine()
    /// >>> first = engine.analyse("4x3")
    /// >>> engine.clear()
    /// >>> engine.analyse("4x3").margin == first.margin
    /// True
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let (factory, _) = self.acquire(py)?;
        self.release(factory, None);
        Ok(())
    }

    /// Frees the memory of the engine. A later analysis raises `KalahError`.
    ///
    /// An analysis in another thread continues and frees the memory at its end.
    ///
    /// >>> import kalah
    /// >>> engine = kalah.Engine()
    /// >>> engine.close()
    /// >>> engine.analyse("4x3")
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.KalahError: the engine is closed
    fn close(&self) {
        // The memory of a forked process is that of its parent until it is changed.
        let Ok(mut state) = self.state() else {
            return;
        };
        state.is_closed = true;
        state.engine = None;
        state.factory =
            EngineFactory::new(NonZeroUsize::MIN, state.factory.memory(), TableCache::new());
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        let Ok(state) = self.state() else {
            return "<Engine, of another process>".to_owned();
        };
        let closed = if state.is_closed { ", closed" } else { "" };
        format!("<Engine, {} of memory{closed}>", state.factory.memory())
    }
}

/// Proves the margin of a position with best play of both sides.
///
/// `position` is a `Position` or its text, such as `5x4`, under `rules`, by default `cs32`. With
/// `moves` the margins of all moves are proven, too. `threads` is the number of threads, by default
/// all of the machine, and `memory` the limit for hash tables and endgame tables, by default a
/// quarter of the memory of the machine, up to 1 GiB. `tables` is a `Table` or several. `progress`
/// is `True` for a progress bar (with tqdm), or a function that is called with a `Report` several
/// times a second. Ctrl-C stops the proof and raises `KeyboardInterrupt`.
///
/// A proof takes as long as it needs: `Engine.analyse` has limits.
///
/// >>> import kalah
/// >>> kalah.solve("5x4", rules="standard").margin
/// 10
#[pyfunction]
#[pyo3(signature = (position, rules=None, *, moves=None, threads=None, memory=None, tables=None,
    progress=None),
    text_signature = "(position, rules=None, *, moves=False, threads=None, memory=None, \
        tables=None, progress=None)")]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of a Python function"
)]
pub(crate) fn solve(
    py: Python<'_>,
    position: &Bound<'_, PyAny>,
    rules: Option<&Bound<'_, PyAny>>,
    moves: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
    tables: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReport> {
    let position = position_from_py(position, rules)?;
    let factory = engine_factory(threads, available_threads(), memory, tables)?;
    let progress = Progress::new(py, progress)?;
    let proves_all_moves = moves.map_or(Ok(false), |moves| arguments::boolean(moves, "moves"))?;
    let goal = if proves_all_moves {
        AnalysisGoal::AllMargins
    } else {
        AnalysisGoal::BestMargin
    };
    let limits = Limits {
        goal,
        ..Limits::default()
    };
    progress.close_after(
        py,
        analyze(py, &mut None, &factory, (&position, limits), &progress),
    )
}
