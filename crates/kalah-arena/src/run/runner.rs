//! The runner: worker threads that play the games of a tournament and append them to its folder.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah_players::Shutdown;

use super::adjudicate::Adjudicator;
use super::config::ArenaConfig;
use super::error::RunError;
use super::match_game::MatchGame;
use super::participants::ParticipantPool;
use super::run_dir::RunDir;
use super::running_sprt::RunningSprt;
use crate::finished_game::FinishedGame;
use crate::openings::{Opening, ShuffledOpenings};
use crate::schedule::{Encounter, Leg, Results};

/// A tournament that is being played.
pub struct TournamentRunner<'a> {
    config: &'a ArenaConfig,
    run_dir: &'a RunDir,
    context: RunnerContext<'a>,
    adjudicator: Adjudicator,
    /// Requested when the games are aborted, also for another reason than
    /// [`RunnerContext::shutdown`].
    games_shutdown: Shutdown,
    state: Mutex<RunnerState<'a>>,
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
    /// Called after each game, by one thread at a time, with all finished games. The last one is
    /// new.
    pub observer: &'a (dyn Fn(&[FinishedGame]) + Sync),
}

/// The state that the workers share.
struct RunnerState<'a> {
    games: Vec<FinishedGame>,
    results: Results,
    sprt: Option<RunningSprt>,
    openings: ShuffledOpenings<'a>,
    in_progress: HashSet<(usize, Leg)>,
    /// The reason why games can no longer be stored.
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
        let results: Results = games.iter().collect();
        let state = RunnerState {
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            results,
            games,
            openings: config.openings.shuffled(config.tournament.seed),
            in_progress: HashSet::new(),
            failure: None,
        };
        let start = config.start_position();
        Self {
            adjudicator: Adjudicator::new(config.adjudication, start, context.shutdown),
            config,
            run_dir,
            context,
            games_shutdown: context.shutdown.with_own_flag(),
            state: Mutex::new(state),
            game_finished: Condvar::new(),
        }
    }

    /// Plays up to `concurrency` games at a time until no game is due, the sequential test is
    /// decided, or a shutdown is requested. Returns all finished games.
    ///
    /// # Errors
    /// If a game cannot be stored.
    pub fn run(self, concurrency: NonZeroUsize) -> Result<Vec<FinishedGame>, RunError> {
        if !self.lock_state().is_decided() {
            self.run_workers(concurrency);
        }
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        match state.failure {
            Some(failure) => Err(failure),
            None => Ok(state.games),
        }
    }

    fn run_workers(&self, concurrency: NonZeroUsize) {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..concurrency.get())
                .map(|_| scope.spawn(|| self.run_worker()))
                .collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.context.shutdown.is_requested() {
                    self.games_shutdown.request();
                }
                thread::sleep(Shutdown::POLL_INTERVAL);
            }
        });
    }

    fn lock_state(&self) -> MutexGuard<'_, RunnerState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays one game after another.
    fn run_worker(&self) {
        let mut pool = ParticipantPool::new(self.config, &self.games_shutdown);
        while let Some((encounter, leg, opening)) = self.next_game() {
            let game = MatchGame {
                config: self.config,
                adjudicator: &self.adjudicator,
                encounter,
                leg,
                opening: &opening,
                clock: self.context.clock,
            };
            let participants = pool.pair(encounter.players(leg));
            let finished = participants.and_then(|participants| game.play(participants));
            self.record_game(encounter, leg, finished);
        }
        pool.shut_down();
    }

    /// Returns the next due game that no worker plays; waits while games in progress may make
    /// further ones due. `None` if there will be none.
    fn next_game(&self) -> Option<(Encounter, Leg, Opening)> {
        let mut state = self.lock_state();
        while !self.games_shutdown.is_requested() && state.failure.is_none() {
            let due = self.config.tournament.due_encounters(&state.results);
            let games = due
                .iter()
                .flat_map(|&encounter| Leg::ALL.map(|leg| (encounter, leg)));
            let mut open = games.filter(|&(Encounter { pair, .. }, leg)| {
                !state.results.is_finished(pair, leg) && !state.in_progress.contains(&(pair, leg))
            });
            if let Some((encounter, leg)) = open.next() {
                state.in_progress.insert((encounter.pair, leg));
                let opening = state.openings.get(encounter.opening_index()).clone();
                return Some((encounter, leg, opening));
            }
            if state.in_progress.is_empty() {
                return None;
            }
            let waited = self
                .game_finished
                .wait_timeout(state, Shutdown::POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Stores a finished game, unless the test was decided meanwhile; `None` is an aborted game.
    fn record_game(&self, encounter: Encounter, leg: Leg, game: Option<FinishedGame>) {
        let mut state = self.lock_state();
        state.in_progress.remove(&(encounter.pair, leg));
        if let Some(game) = game
            && !state.is_decided()
            && state.failure.is_none()
        {
            match self.run_dir.append(&game) {
                Ok(()) => {
                    state.add_game(game);
                    (self.context.observer)(&state.games);
                }
                Err(failure) => state.failure = Some(failure),
            }
            if state.failure.is_some() || state.is_decided() {
                self.games_shutdown.request();
            }
        }
        self.game_finished.notify_all();
    }
}

impl RunnerState<'_> {
    fn add_game(&mut self, game: FinishedGame) {
        self.results.add_game(&game);
        self.games.push(game);
        if let Some(test) = &mut self.sprt {
            test.update(&self.results);
        }
    }

    fn is_decided(&self) -> bool {
        self.sprt.as_ref().is_some_and(RunningSprt::is_decided)
    }
}
