//! The workers that play the games of a tournament, each one after another.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah::BySide;
use kalah_arena::{Contestant, Encounter, FinishedGame, Leg, Opening, Results, ShuffledOpenings};
use kalah_players::{Participant, ParticipantFailure, Shutdown, escape_control};

use super::adjudicator::Adjudicator;
use super::folder::RunDir;
use super::match_game::MatchGame;
use super::plan::ArenaConfig;
use super::progress::ArenaProgress;
use super::results::ArenaSummary;
use super::running_test::RunningSprt;
use super::text;
use crate::CliError;

/// A tournament that is being played.
pub(super) struct TournamentRunner<'a> {
    config: &'a ArenaConfig,
    run_dir: &'a RunDir,
    progress: &'a ArenaProgress,
    adjudicator: Adjudicator,
    interrupt: &'a Shutdown,
    /// Requested when the games are aborted.
    games_shutdown: Shutdown,
    state: Mutex<RunnerState<'a>>,
    /// Something was finished.
    game_finished: Condvar,
}

struct RunnerState<'a> {
    games: Vec<FinishedGame>,
    results: Results,
    sprt: Option<RunningSprt>,
    deck: ShuffledOpenings<'a>,
    in_progress: HashSet<(usize, Leg)>,
    /// Why nothing can be kept any more.
    failure: Option<CliError>,
}

/// How often it is looked about for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl<'a> TournamentRunner<'a> {
    pub(super) fn new(
        config: &'a ArenaConfig,
        run_dir: &'a RunDir,
        progress: &'a ArenaProgress,
        games: Vec<FinishedGame>,
        interrupt: &'a Shutdown,
    ) -> Self {
        let results: Results = games.iter().collect();
        let state = RunnerState {
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            results,
            games,
            deck: config.openings.shuffled(config.tournament.seed),
            in_progress: HashSet::new(),
            failure: None,
        };
        Self {
            adjudicator: Adjudicator::new(
                config.adjudication,
                config.start_position(),
                &interrupt.flag(),
            ),
            config,
            run_dir,
            progress,
            interrupt,
            games_shutdown: interrupt.with_own_flag(),
            state: Mutex::new(state),
            game_finished: Condvar::new(),
        }
    }

    /// Plays so many games at a time until nothing is left to be played, or the test has come to its end, or Ctrl-C
    /// comes. Gives all games that are finished.
    pub(super) fn run(self, concurrency: usize) -> Result<Vec<FinishedGame>, CliError> {
        if self.lock_state().is_decided() {
            return Ok(self.into_games());
        }
        thread::scope(|scope| {
            let workers: Vec<_> = (0..concurrency)
                .map(|_| scope.spawn(|| self.run_worker()))
                .collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.interrupt.is_requested() {
                    self.games_shutdown.request();
                }
                thread::sleep(POLL_INTERVAL);
            }
        });
        if let Some(failure) = self.lock_state().failure.take() {
            return Err(failure);
        }
        Ok(self.into_games())
    }

    fn into_games(self) -> Vec<FinishedGame> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.games
    }

    fn lock_state(&self) -> MutexGuard<'_, RunnerState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.games_shutdown.is_requested()
    }

    /// Plays one game after another.
    fn run_worker(&self) {
        let mut seated = Vec::new();
        while let Some((encounter, leg, opening)) = self.next_game() {
            let game = MatchGame {
                config: self.config,
                adjudicator: &self.adjudicator,
                encounter,
                leg,
                opening: &opening,
            };
            let players = BySide::new(encounter.south(leg), encounter.north(leg));
            let finished = self
                .participants_for(&mut seated, players)
                .and_then(|seats| game.play(seats));
            self.record_game(encounter, leg, finished);
        }
        for (_, mut seat) in seated {
            Participant::shut_down(&mut seat);
        }
    }

    /// The seats of two players; whoever sat there and does not play goes.
    fn participants_for<'s>(
        &self,
        seated: &'s mut Vec<(Contestant, Participant)>,
        players: BySide<Contestant>,
    ) -> Option<BySide<&'s mut Participant>> {
        let plays = |contestant| contestant == players.south || contestant == players.north;
        for (_, seat) in seated
            .iter_mut()
            .filter(|(contestant, _)| !plays(*contestant))
        {
            seat.shut_down();
        }
        seated.retain(|(contestant, _)| plays(*contestant));
        for contestant in [players.south, players.north] {
            if seated.iter().all(|(there, _)| *there != contestant) {
                let entrant = self.config.contestants.get(contestant.0)?;
                seated.push((
                    contestant,
                    Participant::new(&entrant.spec, self.config.memory, &self.games_shutdown),
                ));
            }
        }
        seated.sort_by_key(|(contestant, _)| *contestant != players.south);
        match seated.as_mut_slice() {
            [(_, south), (_, north)] => Some(BySide::new(south, north)),
            _ => None,
        }
    }

    /// The next game that nobody plays; `None` when there will be none.
    fn next_game(&self) -> Option<(Encounter, Leg, Opening)> {
        let mut state = self.lock_state();
        while !self.is_stopped() && state.failure.is_none() {
            let due = self.config.tournament.due_encounters(&state.results);
            let games = due
                .iter()
                .flat_map(|&encounter| Leg::ALL.map(|leg| (encounter, leg)));
            let mut open = games.filter(|&(Encounter { pair, .. }, leg)| {
                !state.results.is_finished(pair, leg) && !state.in_progress.contains(&(pair, leg))
            });
            if let Some((encounter, leg)) = open.next() {
                state.in_progress.insert((encounter.pair, leg));
                let opening = state.deck.get(encounter.opening_index()).clone();
                return Some((encounter, leg, opening));
            }
            if state.in_progress.is_empty() {
                return None;
            }
            // What is under way may make more games due.
            let waited = self.game_finished.wait_timeout(state, POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Keeps a game that is over.
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
                    self.report_progress(&state);
                }
                Err(failure) => state.failure = Some(failure),
            }
            if state.failure.is_some() || state.is_decided() {
                self.games_shutdown.request();
            }
        }
        self.game_finished.notify_all();
    }

    fn report_progress(&self, state: &RunnerState) {
        if let Some(game) = state.games.last() {
            let table = || text::standings_text(&ArenaSummary::new(self.config, &state.games));
            self.progress.game_finished(game, table);
        }
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

    /// Whether the test has come to its end.
    fn is_decided(&self) -> bool {
        self.sprt.as_ref().is_some_and(RunningSprt::is_decided)
    }
}

/// Says who cannot be started, before anybody plays.
pub(super) fn check_contestants(plan: &ArenaConfig, interrupt: &Shutdown) -> Result<(), CliError> {
    for entrant in &plan.contestants {
        let mut seat = Participant::new(&entrant.spec, plan.memory, interrupt);
        let checked = seat.check_starts(plan.start_position());
        seat.shut_down();
        if checked == Err(ParticipantFailure::Aborted) {
            return Err(CliError::Interrupted(
                "broken off before it began".to_owned(),
            ));
        }
        if let Err(fault) = checked {
            let name = escape_control(&entrant.name);
            let told = escape_control(&fault.description());
            return Err(CliError::Runtime(format!(
                "'{name}' cannot take part: {told}"
            )));
        }
    }
    Ok(())
}
