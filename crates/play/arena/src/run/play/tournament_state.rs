//! The state of a tournament that is being played: the finished games, the ones in progress, and
//! those that are due. It has no threads: the runner and the coordinators of other processes ask it
//! for games and record their ends.

use std::collections::HashSet;

use super::due_encounters::DueEncounters;
use super::running_sprt::RunningSprt;
use crate::finished_game::FinishedGame;
use crate::openings::{Opening, ShuffledOpenings};
use crate::run::config::ArenaConfig;
use crate::run::error::RunError;
use crate::run::run_dir::RunDir;
use crate::schedule::{Encounter, Leg, Results};
use crate::stats::SprtState;

/// A tournament with its finished games and the games that are in progress.
#[derive(Clone, Debug)]
pub struct TournamentState {
    due: DueEncounters,
    openings: ShuffledOpenings,
    games: Vec<FinishedGame>,
    results: Results,
    sprt: Option<RunningSprt>,
    /// The games in progress, by the number of their pair.
    in_progress: HashSet<(usize, Leg)>,
}

/// A game that can be played now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueGame {
    /// The encounter that the game belongs to.
    pub encounter: Encounter,
    /// Which of the two games of the encounter it is.
    pub leg: Leg,
    /// The opening of both games.
    pub opening: Opening,
}

/// An encounter whose games can be played now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuePair {
    /// The encounter.
    pub encounter: Encounter,
    /// Those of its games that are not finished.
    pub legs: Vec<Leg>,
    /// The opening of both games.
    pub opening: Opening,
}

impl TournamentState {
    /// Creates the state of a tournament with the finished `games` of its folder.
    pub fn new(config: &ArenaConfig, games: Vec<FinishedGame>) -> Self {
        let results: Results = games.iter().collect();
        Self {
            due: DueEncounters::new(config.tournament.clone(), &results),
            openings: config.openings.shuffled(config.tournament.seed),
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            games,
            results,
            in_progress: HashSet::new(),
        }
    }

    /// Returns the next due game that is not in progress, which is in progress afterwards. `None`
    /// if there is none now, or if the sequential test is decided.
    pub fn next_game(&mut self) -> Option<DueGame> {
        let (encounter, leg) = self
            .due_encounters()
            .flat_map(|encounter| Leg::ALL.map(|leg| (encounter, leg)))
            .find(|&(Encounter { pair, .. }, leg)| {
                !self.results.is_finished(pair, leg) && !self.in_progress.contains(&(pair, leg))
            })?;
        self.in_progress.insert((encounter.pair, leg));
        Some(DueGame {
            encounter,
            leg,
            opening: self.opening(encounter),
        })
    }

    /// Returns the next encounter with no game in progress. Its unfinished games are in progress
    /// afterwards. `None` if there is none now, or if the sequential test is decided.
    pub fn next_pair(&mut self) -> Option<DuePair> {
        let encounter = self.due_encounters().find(|encounter| {
            Leg::ALL
                .iter()
                .all(|&leg| !self.in_progress.contains(&(encounter.pair, leg)))
        })?;
        let legs = Leg::ALL.into_iter();
        let legs: Vec<Leg> = legs
            .filter(|&leg| !self.results.is_finished(encounter.pair, leg))
            .collect();
        self.in_progress
            .extend(legs.iter().map(|&leg| (encounter.pair, leg)));
        Some(DuePair {
            encounter,
            legs,
            opening: self.opening(encounter),
        })
    }

    /// Returns the encounters with unfinished games; none if the sequential test is decided.
    fn due_encounters(&self) -> impl Iterator<Item = Encounter> + '_ {
        let due = (!self.is_decided()).then(|| self.due.iter());
        due.into_iter().flatten()
    }

    fn opening(&mut self, encounter: Encounter) -> Opening {
        self.openings.get(encounter.opening_index()).clone()
    }

    /// Appends a finished game to the folder of the tournament and counts it. Returns false and
    /// does neither if the game is not in progress, or if the sequential test was decided
    /// meanwhile.
    ///
    /// # Errors
    /// If the game cannot be stored. It is due again then.
    pub fn record(&mut self, game: FinishedGame, run_dir: &RunDir) -> Result<bool, RunError> {
        let was_in_progress = self.in_progress.remove(&(game.encounter.pair, game.leg));
        if !was_in_progress || self.is_decided() {
            return Ok(false);
        }
        run_dir.append(&game)?;
        self.results.add_game(&game);
        self.due.update(game.encounter.pair, &self.results);
        self.games.push(game);
        if let Some(test) = &mut self.sprt {
            test.update(&self.results);
        }
        Ok(true)
    }

    /// Makes a game due again that was in progress and has no end.
    pub fn abandon(&mut self, pair: usize, leg: Leg) {
        self.in_progress.remove(&(pair, leg));
    }

    /// Returns whether the sequential test is decided, so that no further game is played.
    pub fn is_decided(&self) -> bool {
        self.sprt.as_ref().is_some_and(RunningSprt::is_decided)
    }

    /// Returns whether no further game is played: all are finished, or the sequential test is
    /// decided.
    pub fn is_complete(&self) -> bool {
        self.is_decided() || self.due.is_empty()
    }

    /// Returns the state of the sequential test, and the number of pairs that it counts.
    pub fn sprt(&self) -> Option<(SprtState, u64)> {
        let test = self.sprt.as_ref()?;
        Some((test.state(), test.pair_count()))
    }

    /// Returns the number of games in progress.
    pub fn games_in_progress(&self) -> usize {
        self.in_progress.len()
    }

    /// Returns the finished games in the order in which they were recorded.
    pub fn games(&self) -> &[FinishedGame] {
        &self.games
    }

    /// Returns the finished games.
    pub fn into_games(self) -> Vec<FinishedGame> {
        self.games
    }
}
