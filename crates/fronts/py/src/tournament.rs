//! Tournaments whose pairs of games other processes play: the coordinator with the folder of the
//! tournament. `tournament/` has the options and the workers.
//!
//! Jobs are dicts of plain values and their answers lists of lines, which every version of the
//! package can read. `kalah.cluster` sends them to the workers.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah_arena::{
    ArenaOptions, ArenaSummary, DuePair, Leg, PairRunner, RunDir, RunError, TournamentState,
    html_report, results_json, summary_text,
};
use kalah_players::Shutdown;
use kalah_protocols::ENGINE_PROTOCOLS;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::{Error, KalahError, TournamentError, os_error};
use crate::{arguments, interrupt};

mod options;
mod worker;

pub(crate) use worker::PyTournamentWorker;

/// A pair of games as a dict, with the numbers of its contestants, the games that are to be played
/// (1, 2, or both), and the plies of its opening.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
struct PairDict {
    number: usize,
    round: usize,
    first: usize,
    second: usize,
    games: Vec<usize>,
    opening: String,
}

/// The state of a tournament as a dict: the results as the JSON and as the text of `kalah arena`.
#[derive(IntoPyObject)]
struct TournamentStatusDict {
    results: String,
    text: String,
    jobs_in_flight: usize,
    completed_jobs: u64,
}

/// Returns the exception for an error of a tournament.
fn run_error(error: RunError) -> PyErr {
    match error {
        RunError::Io { path, reason, .. } => os_error(&path, &reason),
        RunError::Config(_) | RunError::Openings(_) | RunError::OpeningsFile { .. } => {
            KalahError::new_err(error.to_string())
        }
        error => TournamentError::new_err(error.to_string()),
    }
}

/// A tournament and its folder, which only this process writes.
struct OpenTournament {
    run_dir: RunDir,
    state: TournamentState,
    /// Checks the games of the workers.
    runner: PairRunner,
    /// The pairs in flight, by their numbers.
    pairs: HashMap<usize, DuePair>,
    completed_pairs: u64,
}

impl OpenTournament {
    fn open(path: &Path, options: &ArenaOptions, shutdown: &Shutdown) -> PyResult<Self> {
        let opened = RunDir::open_or_create(path, options, ENGINE_PROTOCOLS);
        let (run_dir, config, games) = opened.map_err(run_error)?;
        Ok(Self {
            run_dir,
            state: TournamentState::new(&config, games),
            runner: PairRunner::new(config, shutdown),
            pairs: HashMap::new(),
            completed_pairs: 0,
        })
    }

    fn summary(&self) -> ArenaSummary<'_> {
        ArenaSummary::new(self.runner.config(), self.state.games())
    }

    /// Makes the games of a pair in flight due again.
    fn abandon(&mut self, number: usize) {
        if let Some(pair) = self.pairs.remove(&number) {
            for leg in pair.legs {
                self.state.abandon(number, leg);
            }
        }
    }
}

/// The coordinator of a tournament with its folder: it hands out pairs of games and stores them.
#[pyclass(name = "_TournamentCoordinator", module = "kalah._kalah", frozen)]
pub(crate) struct PyTournamentCoordinator {
    /// `None` once it is closed.
    tournament: Mutex<Option<OpenTournament>>,
    /// The process that has opened the folder.
    process: u32,
}

impl PyTournamentCoordinator {
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<OpenTournament>>> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        Ok(self
            .tournament
            .lock()
            .unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `work` with the open tournament, without the lock of the interpreter.
    fn with_tournament<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut OpenTournament) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| match &mut *self.lock()? {
            Some(tournament) => work(tournament),
            None => Err(TournamentError::new_err("the tournament is closed")),
        })
    }
}

#[pymethods]
impl PyTournamentCoordinator {
    #[new]
    #[pyo3(signature = (
        folder, contestants, *, format, rounds, seed, start, rules, openings, time, grace,
        adjudicate, resign, sprt, memory
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the options of a tournament"
    )]
    fn new(
        py: Python<'_>,
        folder: &Bound<'_, PyAny>,
        contestants: Option<&Bound<'_, PyAny>>,
        format: Option<&Bound<'_, PyAny>>,
        rounds: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        start: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
        openings: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
        grace: Option<&Bound<'_, PyAny>>,
        adjudicate: Option<&Bound<'_, PyAny>>,
        resign: Option<&Bound<'_, PyAny>>,
        sprt: Option<[f64; 4]>,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let path = arguments::path(folder, "folder")?;
        let (start, rules) = options::start(start, rules)?;
        let options = ArenaOptions {
            contestants: contestants.map(options::contestants).transpose()?,
            format: format.map(options::format).transpose()?,
            rounds: rounds.map(options::rounds).transpose()?,
            seed: seed
                .map(|seed| arguments::seed(py, Some(seed)))
                .transpose()?,
            start,
            rules,
            openings: openings.map(options::openings).transpose()?,
            time_control: time.map(options::time_control).transpose()?,
            grace: grace.map(options::grace).transpose()?,
            adjudication: adjudicate.map(options::adjudication).transpose()?,
            resign: resign.map(options::resign).transpose()?,
            sprt: sprt.map(options::sprt),
            memory: memory.map(crate::resources::requested_memory).transpose()?,
            started_in: options::current_folder_text(),
        };
        let shutdown = Shutdown::default();
        let open = || OpenTournament::open(&path, &options, &shutdown);
        let tournament = interrupt::run(py, &shutdown.flag(), |_| Ok(()), open)??;
        if let Some(missing_lock) = tournament.run_dir.missing_lock() {
            crate::resources::warn(py, &missing_lock.to_string())?;
        }
        Ok(Self {
            tournament: Mutex::new(Some(tournament)),
            process: std::process::id(),
        })
    }

    /// Returns the configuration that workers need, as text.
    fn worker_text(&self, py: Python<'_>) -> PyResult<String> {
        self.with_tournament(py, |tournament| {
            Ok(tournament.runner.config().to_worker_text())
        })
    }

    /// Returns the seconds that a pair takes if its players use all their time; `None` without a
    /// clock.
    fn max_pair_seconds(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.with_tournament(py, |tournament| {
            let time = tournament.runner.config().max_pair_time();
            Ok(time.map(|time| time.as_secs_f64()))
        })
    }

    /// Returns the next pair, or `None` if there is none now.
    fn next_job(&self, py: Python<'_>) -> PyResult<Option<PairDict>> {
        self.with_tournament(py, |tournament| {
            let Some(pair) = tournament.state.next_pair() else {
                return Ok(None);
            };
            let encounter = pair.encounter;
            let dict = PairDict {
                number: encounter.pair,
                round: encounter.round,
                first: encounter.first.0,
                second: encounter.second.0,
                games: pair.legs.iter().map(|&leg| leg_number(leg)).collect(),
                opening: pair.opening.plies_text(),
            };
            tournament.pairs.insert(encounter.pair, pair);
            Ok(Some(dict))
        })
    }

    /// Takes the games of a pair as lines of the journal and appends them to it, unless the
    /// sequential test was decided meanwhile. Returns whether the pair was in flight; others are
    /// ignored.
    ///
    /// Raises `TournamentError` with the name of the worker for games that are not those of the
    /// pair, which remains in flight, and `OSError` if the journal cannot be written.
    fn complete(
        &self,
        py: Python<'_>,
        number: usize,
        lines: &Bound<'_, PyAny>,
        worker: &str,
    ) -> PyResult<bool> {
        let refuse = |reason: &dyn Display| {
            let pair = number.saturating_add(1);
            let message = format!("{worker}: the games of pair {pair} are refused: {reason}");
            TournamentError::new_err(message)
        };
        let lines = lines.extract::<Vec<String>>();
        let lines = lines.map_err(|error| refuse(&error))?;
        self.with_tournament(py, |tournament| {
            let Some(pair) = tournament.pairs.get(&number) else {
                return Ok(false);
            };
            let games = tournament.runner.parse_games(pair, &lines);
            let games = games.map_err(|error| refuse(&error))?;
            tournament.pairs.remove(&number);
            tournament.completed_pairs += 1;
            for game in games {
                let recorded = tournament.state.record(game, &tournament.run_dir);
                recorded.map_err(run_error)?;
            }
            Ok(true)
        })
    }

    /// Takes a pair back that was not finished.
    fn abandon(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        self.with_tournament(py, |tournament| {
            tournament.abandon(number);
            Ok(())
        })
    }

    /// Whether no further game is played.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with_tournament(py, |tournament| Ok(tournament.state.is_complete()))
    }

    /// Returns the state of the tournament.
    fn status(&self, py: Python<'_>) -> PyResult<TournamentStatusDict> {
        self.with_tournament(py, |tournament| {
            let summary = tournament.summary();
            let results = results_json(&summary, tournament.run_dir.path());
            let results = serde_json::to_string(&results)
                .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            Ok(TournamentStatusDict {
                results,
                text: summary_text(&summary, None),
                jobs_in_flight: tournament.pairs.len(),
                completed_jobs: tournament.completed_pairs,
            })
        })
    }

    /// Writes the report of the games so far.
    fn write_report(&self, py: Python<'_>) -> PyResult<()> {
        self.with_tournament(py, |tournament| {
            let report = html_report(&tournament.summary(), None);
            let written = tournament.run_dir.write_report(&report);
            written.map(|_| ()).map_err(run_error)
        })
    }

    /// Closes the folder. Pairs in flight are abandoned.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut tournament) = self.lock() {
                *tournament = None;
            }
        });
    }

    /// Closes the files in a forked process, so that the folder is locked no longer than the
    /// process runs that has opened it.
    fn forget_after_fork(&self) {
        // Another thread may have held the lock at the time of the fork.
        if let Ok(mut tournament) = self.tournament.try_lock() {
            *tournament = None;
        }
    }
}

/// Returns the number of a game of a pair: 1 or 2.
fn leg_number(leg: Leg) -> usize {
    match leg {
        Leg::First => 1,
        Leg::Second => 2,
    }
}
