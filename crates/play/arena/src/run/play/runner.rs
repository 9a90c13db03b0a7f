//! The runner: worker threads that play the games of a tournament and append them to its folder.

use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use kalah::BySide;
use kalah_players::{LogClock, PauseMonitor, Shutdown};

use super::adjudicate::Adjudicator;
use super::match_game::{MatchGame, VoidGame};
use super::participant_pool::ParticipantPool;
use super::tournament_state::{DueGame, TournamentState};
use crate::finished_game::FinishedGame;
use crate::run::config::ArenaConfig;
use crate::run::error::RunError;
use crate::run::game_log::{GameLog, GameLogs};
use crate::run::run_dir::RunDir;

/// A tournament that is being played.
pub struct TournamentRunner<'a> {
    config: &'a ArenaConfig,
    run_dir: &'a RunDir,
    context: RunnerContext<'a>,
    adjudicator: Adjudicator,
    /// `None` if no logs are kept.
    logs: Option<GameLogs>,
    is_paused: &'a (dyn Fn() -> bool + Sync),
    pauses: PauseMonitor<'a>,
    /// Requested when the games are aborted, also for another reason than
    /// [`RunnerContext::shutdown`].
    games_shutdown: Shutdown,
    state: Mutex<RunnerState>,
    /// Notified after each game.
    game_finished: Condvar,
}

/// The parts of its surroundings that a [`TournamentRunner`] uses.
#[derive(Clone, Copy)]
pub struct RunnerContext<'a> {
    /// The request that interrupts the tournament.
    pub shutdown: &'a Shutdown,
    /// Returns the time since any fixed moment.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Returns the time of the system, for the dates of the games.
    pub now: &'a (dyn Fn() -> SystemTime + Sync),
    /// Called after each game, by one thread at a time, with all finished games. The last one is
    /// new.
    pub observer: &'a (dyn Fn(&[FinishedGame]) + Sync),
    /// Called for each game that is void and begins again because the process has paused.
    pub paused: &'a (dyn Fn() + Sync),
}

/// The state that the workers share.
struct RunnerState {
    tournament: TournamentState,
    /// The reason why no further game can be played or stored.
    failure: Option<RunError>,
}

impl<'a> TournamentRunner<'a> {
    /// Creates the runner of a tournament with the finished `games` of its folder. Builds the table
    /// for adjudication.
    pub fn new(
        config: &'a ArenaConfig,
        run_dir: &'a RunDir,
        games: Vec<FinishedGame>,
        context: RunnerContext<'a>,
    ) -> Self {
        let state = RunnerState {
            tournament: TournamentState::new(config, games),
            failure: None,
        };
        let start = config.start_position();
        Self {
            adjudicator: Adjudicator::new(config.adjudication, start, context.shutdown),
            config,
            run_dir,
            context,
            logs: None,
            is_paused: &|| false,
            pauses: PauseMonitor::new(context.clock),
            games_shutdown: context.shutdown.with_own_flag(),
            state: Mutex::new(state),
            game_finished: Condvar::new(),
        }
    }

    /// Keeps the lines of programs in both directions and their standard error, in a log for each
    /// game that is in the folder of the tournament before the game counts. `clock` returns the
    /// time since any fixed moment.
    #[must_use]
    pub fn with_logs(self, clock: LogClock) -> Self {
        let logs = GameLogs::new(self.run_dir.path(), clock);
        Self {
            logs: Some(logs),
            ..self
        }
    }

    /// Begins no game while `is_paused` returns true. The games in progress go on.
    #[must_use]
    pub fn with_pause(self, is_paused: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { is_paused, ..self }
    }

    /// Plays up to `concurrency` games at a time until no game is due, the sequential test is
    /// decided, or a shutdown is requested. Returns all finished games.
    ///
    /// # Errors
    /// If a game cannot be stored, or the host cannot start a program or a thread.
    pub fn run(self, concurrency: NonZeroUsize) -> Result<Vec<FinishedGame>, RunError> {
        if !self.lock_state().tournament.is_decided() {
            self.run_workers(concurrency)?;
        }
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        match state.failure {
            Some(failure) => Err(failure),
            None => Ok(state.tournament.into_games()),
        }
    }

    /// Plays games with fewer threads than `concurrency` if the system starts no more.
    fn run_workers(&self, concurrency: NonZeroUsize) -> Result<(), RunError> {
        // The table was built, and no game has begun.
        self.pauses.observe();
        thread::scope(|scope| {
            let mut workers = Vec::new();
            for _ in 0..concurrency.get() {
                match thread::Builder::new().spawn_scoped(scope, || self.run_worker()) {
                    Ok(worker) => workers.push(worker),
                    Err(reason) if workers.is_empty() => return Err(RunError::Thread(reason)),
                    Err(_) => break,
                }
            }
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.context.shutdown.is_requested() {
                    self.games_shutdown.request();
                }
                thread::sleep(Shutdown::POLL_INTERVAL);
                self.pauses.observe();
            }
            Ok(())
        })
    }

    fn lock_state(&self) -> MutexGuard<'_, RunnerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays one game after another.
    fn run_worker(&self) {
        let mut pool = ParticipantPool::new(self.config, &self.games_shutdown, self.logs.as_ref());
        while let Some(due) = self.next_game() {
            let Some(pair) = pool.pair(due.encounter.players(due.leg)) else {
                unreachable!("a due game has two contestants of the tournament");
            };
            let logs = self.logs.as_ref();
            let log = logs.and_then(|logs| Some((logs, logs.begin(pair.logs)?)));
            let restart = || {
                if let Some((_, log)) = &log {
                    log.restart();
                }
                (self.context.paused)();
            };
            let game = MatchGame {
                config: self.config,
                adjudicator: &self.adjudicator,
                encounter: due.encounter,
                leg: due.leg,
                opening: &due.opening,
                clock: self.context.clock,
                now: self.context.now,
                pauses: &self.pauses,
                paused: &restart,
            };
            let game = game.play(pair.participants);
            let logged = match &log {
                Some((logs, log)) => self.write_log(logs, log, &due, &game),
                None => Ok(()),
            };
            match logged {
                Ok(()) => self.record_game(&due, game),
                Err(error) => self.fail_game(&due, error),
            }
        }
        pool.shut_down();
    }

    /// Returns whether no further game may start. It does not wait until [`Self::run_workers`] has
    /// passed a request on to the games.
    fn is_shutdown_requested(&self) -> bool {
        self.games_shutdown.is_requested() || self.context.shutdown.is_requested()
    }

    /// Returns the next due game that no worker plays; waits while games in progress may make
    /// further ones due, and during a pause. `None` if there will be none.
    fn next_game(&self) -> Option<DueGame> {
        let mut state = self.lock_state();
        while !self.is_shutdown_requested() && state.failure.is_none() {
            let is_idle = state.tournament.games_in_progress() == 0;
            if !(self.is_paused)() {
                let game = state.tournament.next_game();
                if game.is_some() || is_idle {
                    return game;
                }
            } else if is_idle && state.tournament.is_complete() {
                return None;
            }
            let waited = self
                .game_finished
                .wait_timeout(state, Shutdown::POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Writes the log of a game, also of one without a result.
    fn write_log(
        &self,
        logs: &GameLogs,
        log: &GameLog,
        due: &DueGame,
        game: &Result<FinishedGame, VoidGame>,
    ) -> Result<(), RunError> {
        let number = due.encounter.game_number(due.leg);
        let contestants = due.encounter.players(due.leg);
        let names = BySide::from_fn(|side| self.config.name(contestants[side]));
        let end = match game {
            Ok(game) => game.end.to_string(),
            Err(VoidGame::Aborted) => "aborted".to_owned(),
            Err(VoidGame::HostFault { reason, .. }) => reason.clone(),
        };
        logs.write(&number, &names, &end, log)
    }

    /// Ends the tournament because a game cannot be stored.
    fn fail_game(&self, due: &DueGame, failure: RunError) {
        let mut state = self.lock_state();
        state.tournament.abandon(due.encounter.pair, due.leg);
        state.failure.get_or_insert(failure);
        self.games_shutdown.request();
        self.game_finished.notify_all();
    }

    /// Stores a finished game, unless the test was decided meanwhile.
    fn record_game(&self, due: &DueGame, game: Result<FinishedGame, VoidGame>) {
        let mut state = self.lock_state();
        match game {
            Ok(game) if state.failure.is_none() => {
                match state.tournament.record(game, self.run_dir) {
                    Ok(true) => (self.context.observer)(state.tournament.games()),
                    Ok(false) => {}
                    Err(failure) => state.failure = Some(failure),
                }
            }
            void => {
                state.tournament.abandon(due.encounter.pair, due.leg);
                if let Err(VoidGame::HostFault { name, reason }) = void {
                    (state.failure).get_or_insert(RunError::HostFault { name, reason });
                }
            }
        }
        if state.failure.is_some() || state.tournament.is_decided() {
            self.games_shutdown.request();
        }
        self.game_finished.notify_all();
    }
}
