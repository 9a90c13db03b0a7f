//! The runner: worker threads that play the games of a tournament and append them to its folder. It
//! has the participants that a worker keeps, and the sequential test that follows the results.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah::{ByPlayer, BySide};
use kalah_players::{Participant, Shutdown};

use super::adjudicate::Adjudicator;
use super::config::ArenaConfig;
use super::error::RunError;
use super::match_game::MatchGame;
use super::run_dir::RunDir;
use crate::finished_game::FinishedGame;
use crate::openings::{Opening, ShuffledOpenings};
use crate::schedule::{Encounter, Leg, Results};
use crate::stats::{Contestant, PairScore, Pentanomial, Sprt, SprtState, Verdict};

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

    /// Returns whether no further game may start. It does not wait until [`Self::run_workers`] has
    /// passed a request on to the games.
    fn is_shutdown_requested(&self) -> bool {
        self.games_shutdown.is_requested() || self.context.shutdown.is_requested()
    }

    /// Returns the next due game that no worker plays; waits while games in progress may make
    /// further ones due. `None` if there will be none.
    fn next_game(&self) -> Option<(Encounter, Leg, Opening)> {
        let mut state = self.lock_state();
        while !self.is_shutdown_requested() && state.failure.is_none() {
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

/// The participants of one worker. Those of the next game keep running, and the others are shut
/// down.
struct ParticipantPool<'a> {
    config: &'a ArenaConfig,
    shutdown: &'a Shutdown,
    participants: Vec<(Contestant, Participant)>,
}

impl<'a> ParticipantPool<'a> {
    fn new(config: &'a ArenaConfig, shutdown: &'a Shutdown) -> Self {
        Self {
            config,
            shutdown,
            participants: Vec::new(),
        }
    }

    /// Returns the participants of two different contestants; `None` if the tournament does not
    /// have them.
    fn pair(&mut self, contestants: BySide<Contestant>) -> Option<ByPlayer<&mut Participant>> {
        let BySide { south, north } = contestants;
        self.participants.retain_mut(|(contestant, participant)| {
            let plays = [south, north].contains(contestant);
            if !plays {
                participant.shut_down();
            }
            plays
        });
        for contestant in [south, north] {
            if self.participants.iter().all(|(it, _)| *it != contestant) {
                let config = self.config.contestants.get(contestant.0)?;
                let participant = Participant::new(&config.spec, self.config.memory, self.shutdown);
                self.participants.push((contestant, participant));
            }
        }
        self.participants
            .sort_by_key(|(contestant, _)| *contestant != south);
        match self.participants.as_mut_slice() {
            [(_, south), (_, north)] => Some(ByPlayer::new(south, north)),
            _ => None,
        }
    }

    /// Shuts all participants down.
    fn shut_down(self) {
        for (_, mut participant) in self.participants {
            participant.shut_down();
        }
    }
}

/// A sequential test that counts each finished pair once.
#[derive(Clone, Debug)]
pub(crate) struct RunningSprt {
    /// The pairs up to the decision, by the score of the first contestant.
    pairs: Pentanomial,
    state: SprtState,
    /// The number of finished pairs that are counted, or that finished after the decision.
    seen_pairs: usize,
}

impl RunningSprt {
    pub(crate) fn new(test: Sprt, results: &Results) -> Self {
        let pairs = Pentanomial::default();
        let mut running = Self {
            state: test.state(&pairs),
            pairs,
            seen_pairs: 0,
        };
        running.update(results);
        running
    }

    /// Counts the pairs that have finished since the last call. Pairs after the decision do not
    /// change it.
    fn update(&mut self, results: &Results) {
        for (encounter, score) in results.finished_pairs().skip(self.seen_pairs) {
            self.seen_pairs += 1;
            if self.is_decided() {
                continue;
            }
            self.pairs.add(if encounter.first == Contestant(0) {
                score
            } else {
                PairScore::mirrored(score)
            });
            self.state = self.state.test.state(&self.pairs);
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.state.verdict != Verdict::Continue
    }

    pub(crate) fn state(&self) -> SprtState {
        self.state
    }

    /// Returns the number of pairs up to the decision.
    pub(crate) fn pair_count(&self) -> u64 {
        self.pairs.pair_count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::{Elo, GameScore};

    fn test() -> Sprt {
        let elo = |points| Elo::new(points).expect("a number");
        Sprt::new(elo(0.0), elo(80.0), 0.05, 0.05).expect("a test")
    }

    proptest! {
        #[test]
        fn updates_give_the_same_state_as_all_pairs_at_once(
            scores in proptest::collection::vec((0_usize..3, 0_usize..3, any::<bool>()), 0..200),
        ) {
            let mut results = Results::default();
            let mut running = RunningSprt::new(test(), &results);
            let mut first_scores = Vec::new();
            for (pair, (one, other, is_turned)) in scores.into_iter().enumerate() {
                let first = Contestant(usize::from(is_turned));
                let second = Contestant(usize::from(!is_turned));
                let encounter = Encounter { pair, round: pair, first, second };
                let scores = [one, other].map(|score| GameScore::ALL[score]);
                for (leg, score) in Leg::ALL.into_iter().zip(scores) {
                    prop_assert!(results.add(encounter, leg, score));
                    running.update(&results);
                }
                let score = PairScore::from_games(scores[0], scores[1]);
                first_scores.push(if is_turned { score.mirrored() } else { score });
            }
            prop_assert_eq!((running.state(), running.pair_count()), test().run(first_scores));
            prop_assert_eq!(RunningSprt::new(test(), &results).state(), running.state());
        }
    }
}
