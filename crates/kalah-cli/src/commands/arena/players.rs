//! The workers that play the games of a tournament, each one after another.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kalah::BySide;
use kalah_arena::{Contestant, Deck, Encounter, FinishedGame, Leg, Opening, Results};

use super::adjudicator::Adjudicator;
use super::fault::Fault;
use super::folder::Folder;
use super::match_game::MatchGame;
use super::plan::Plan;
use super::progress::Progress;
use super::results::Summary;
use super::running_test::RunningTest;
use super::seat::Seat;
use super::text;
use crate::Failure;
use crate::interrupt::Interrupt;

/// A tournament that is being played.
pub(super) struct Players<'a> {
    plan: &'a Plan,
    folder: &'a Folder,
    progress: &'a Progress,
    adjudicator: Adjudicator,
    interrupt: &'a Interrupt,
    /// Set when games are broken off.
    over: Arc<AtomicBool>,
    state: Mutex<State<'a>>,
    /// Something was finished.
    finished: Condvar,
}

struct State<'a> {
    games: Vec<FinishedGame>,
    results: Results,
    test: Option<RunningTest>,
    deck: Deck<'a>,
    under_way: HashSet<(usize, Leg)>,
    /// Why nothing can be kept any more.
    failure: Option<Failure>,
}

/// How often it is looked about for Ctrl-C.
const LOOK_ABOUT: Duration = Duration::from_millis(50);

impl<'a> Players<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        folder: &'a Folder,
        progress: &'a Progress,
        games: Vec<FinishedGame>,
        interrupt: &'a Interrupt,
    ) -> Self {
        let results: Results = games.iter().collect();
        let state = State {
            test: plan.sprt.map(|test| RunningTest::new(test, &results)),
            results,
            games,
            deck: plan.openings.deck(plan.tournament.seed),
            under_way: HashSet::new(),
            failure: None,
        };
        Self {
            adjudicator: Adjudicator::new(plan.adjudication, plan.start(), &interrupt.flag()),
            plan,
            folder,
            progress,
            interrupt,
            over: Arc::default(),
            state: Mutex::new(state),
            finished: Condvar::new(),
        }
    }

    /// Plays so many games at a time until nothing is left to be played, or the test has come to its end, or Ctrl-C
    /// comes. Gives all games that are finished.
    pub(super) fn play(self, concurrency: usize) -> Result<Vec<FinishedGame>, Failure> {
        if self.state().is_decided() {
            return Ok(self.into_games());
        }
        thread::scope(|scope| {
            let workers: Vec<_> = (0..concurrency)
                .map(|_| scope.spawn(|| self.work()))
                .collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.interrupt.came() {
                    self.over.store(true, Ordering::Relaxed);
                }
                thread::sleep(LOOK_ABOUT);
            }
        });
        if let Some(failure) = self.state().failure.take() {
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

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Plays one game after another.
    fn work(&self) {
        let mut seated = Vec::new();
        while let Some((encounter, leg, opening)) = self.next_game() {
            let game = MatchGame {
                plan: self.plan,
                adjudicator: &self.adjudicator,
                encounter,
                leg,
                opening: &opening,
            };
            let players = BySide::new(encounter.south(leg), encounter.north(leg));
            let finished = self
                .seats(&mut seated, players)
                .and_then(|seats| game.play(seats));
            self.see(encounter, leg, finished);
        }
        for (_, mut seat) in seated {
            Seat::leave(&mut seat);
        }
    }

    /// The seats of two players; whoever sat there and does not play goes.
    fn seats<'s>(
        &self,
        seated: &'s mut Vec<(Contestant, Seat)>,
        players: BySide<Contestant>,
    ) -> Option<BySide<&'s mut Seat>> {
        let plays = |contestant| contestant == players.south || contestant == players.north;
        for (_, seat) in seated
            .iter_mut()
            .filter(|(contestant, _)| !plays(*contestant))
        {
            seat.leave();
        }
        seated.retain(|(contestant, _)| plays(*contestant));
        for contestant in [players.south, players.north] {
            if seated.iter().all(|(there, _)| *there != contestant) {
                let entrant = self.plan.entrants.get(contestant.0)?;
                seated.push((
                    contestant,
                    Seat::new(&entrant.spec, self.plan.memory, &self.over),
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
        let mut state = self.state();
        while !self.is_over() && state.failure.is_none() {
            let due = self.plan.tournament.due(&state.results);
            let games = due
                .iter()
                .flat_map(|&encounter| Leg::ALL.map(|leg| (encounter, leg)));
            let mut open = games.filter(|&(Encounter { pair, .. }, leg)| {
                !state.results.is_finished(pair, leg) && !state.under_way.contains(&(pair, leg))
            });
            if let Some((encounter, leg)) = open.next() {
                state.under_way.insert((encounter.pair, leg));
                let opening = state.deck.get(encounter.opening()).clone();
                return Some((encounter, leg, opening));
            }
            if state.under_way.is_empty() {
                return None;
            }
            // What is under way may make more games due.
            let waited = self.finished.wait_timeout(state, LOOK_ABOUT);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Keeps a game that is over.
    fn see(&self, encounter: Encounter, leg: Leg, game: Option<FinishedGame>) {
        let mut state = self.state();
        state.under_way.remove(&(encounter.pair, leg));
        if let Some(game) = game
            && !state.is_decided()
            && state.failure.is_none()
        {
            match self.folder.keep(&game) {
                Ok(()) => {
                    state.add(game);
                    self.tell(&state);
                }
                Err(failure) => state.failure = Some(failure),
            }
            if state.failure.is_some() || state.is_decided() {
                self.over.store(true, Ordering::Relaxed);
            }
        }
        self.finished.notify_all();
    }

    fn tell(&self, state: &State) {
        if let Some(game) = state.games.last() {
            let table = || text::standings(&Summary::new(self.plan, &state.games));
            self.progress.see(game, table);
        }
    }
}

impl State<'_> {
    fn add(&mut self, game: FinishedGame) {
        self.results.add_game(&game);
        self.games.push(game);
        if let Some(test) = &mut self.test {
            test.see(&self.results);
        }
    }

    /// Whether the test has come to its end.
    fn is_decided(&self) -> bool {
        self.test.as_ref().is_some_and(RunningTest::is_decided)
    }
}

/// Says who cannot be started, before anybody plays.
pub(super) fn check(plan: &Plan, interrupt: &Interrupt) -> Result<(), Failure> {
    let over = interrupt.flag();
    for entrant in &plan.entrants {
        let mut seat = Seat::new(&entrant.spec, plan.memory, &over);
        let checked = seat.check(plan.start());
        seat.leave();
        if checked == Err(Fault::BrokenOff) {
            return Err(Failure::Interrupted(
                "broken off before it began".to_owned(),
            ));
        }
        if let Err(fault) = checked {
            let name = crate::shown::tame(&entrant.name);
            let told = crate::shown::tame(&fault.told());
            return Err(Failure::Work(format!("'{name}' cannot take part: {told}")));
        }
    }
    Ok(())
}
