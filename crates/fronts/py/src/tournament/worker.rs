//! The workers of a tournament, which play pairs of games.

use std::time::{Instant, SystemTime};

use kalah_arena::{
    ArenaConfig, Contestant, DuePair, Encounter, Leg, PairRunner, check_contestants,
};
use kalah_players::Shutdown;
use kalah_protocols::ENGINE_PROTOCOLS;
use pyo3::prelude::*;

use super::{PairDict, leg_number, run_error};
use crate::errors::{Error, TournamentError};
use crate::interrupt;

/// A worker of a tournament that plays pairs, any number of them at the same time, each with
/// programs of its own.
#[pyclass(name = "_TournamentWorker", module = "kalah._kalah", frozen)]
pub(crate) struct PyTournamentWorker {
    runner: PairRunner,
    /// The programs of all pairs.
    shutdown: Shutdown,
    origin: Instant,
    /// The process that has created the worker.
    process: u32,
}

/// Starts each contestant once and builds the table for adjudication.
fn prepare(config: ArenaConfig, shutdown: &Shutdown) -> PyResult<PairRunner> {
    let origin = Instant::now();
    check_contestants(&config, shutdown, &|| origin.elapsed()).map_err(run_error)?;
    Ok(PairRunner::new(config, shutdown))
}

#[pymethods]
impl PyTournamentWorker {
    /// Creates the worker from the text of the coordinator.
    ///
    /// Raises `TournamentError` if a contestant cannot be started on this machine.
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let config = ArenaConfig::from_worker_text(text, ENGINE_PROTOCOLS);
        let config = config.map_err(|error| TournamentError::new_err(error.to_string()))?;
        let shutdown = Shutdown::default();
        let flag = shutdown.flag();
        let runner = interrupt::run(py, &flag, |_| Ok(()), || prepare(config, &shutdown))?;
        Ok(Self {
            runner: runner?,
            shutdown,
            origin: Instant::now(),
            process: std::process::id(),
        })
    }

    /// Plays the games of a pair and returns their lines of the journal, until Ctrl-C.
    ///
    /// Raises `TournamentError` for a pair that the tournament cannot have.
    fn play(&self, py: Python<'_>, job: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        let pair = self.pair(job.extract::<PairDict>()?)?;
        let shutdown = self.shutdown.with_own_flag();
        let play = || {
            let clock = || self.origin.elapsed();
            let lines = self
                .runner
                .play_lines(&pair, &clock, &SystemTime::now, &shutdown);
            lines.map_err(|error| TournamentError::new_err(error.to_string()))
        };
        let lines = interrupt::run(py, &shutdown.flag(), |_| Ok(()), play)??;
        lines.ok_or_else(|| TournamentError::new_err("the games were aborted"))
    }

    /// Kills all programs. The process is about to end.
    fn kill_programs(&self) {
        self.shutdown.kill_children();
    }
}

impl PyTournamentWorker {
    /// Returns the pair of a job.
    fn pair(&self, job: PairDict) -> PyResult<DuePair> {
        let encounter = Encounter {
            pair: job.number,
            round: job.round,
            first: Contestant(job.first),
            second: Contestant(job.second),
        };
        let leg = |number: usize| {
            let leg = Leg::ALL.into_iter().find(|&leg| leg_number(leg) == number);
            leg.ok_or_else(|| TournamentError::new_err(format!("a pair has no game {number}")))
        };
        let legs = job.games.into_iter().map(leg).collect::<PyResult<_>>()?;
        let parsed = self.runner.parse_pair(encounter, legs, &job.opening);
        parsed.map_err(|error| TournamentError::new_err(error.to_string()))
    }
}
