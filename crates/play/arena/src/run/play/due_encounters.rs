//! The encounters that are due while a tournament is played.

use std::collections::VecDeque;

use crate::schedule::{Encounter, Results, Tournament};

/// The encounters of [`Tournament::due_encounters`], kept up to date game by game.
///
/// The known rounds change only when the last due encounter is finished: then a Swiss tournament
/// pairs its next round. Until then, results only remove encounters.
#[derive(Clone, Debug)]
pub(super) struct DueEncounters {
    tournament: Tournament,
    /// In the order in which to start them.
    encounters: VecDeque<Encounter>,
}

impl DueEncounters {
    /// Computes the encounters that are due after `results`.
    pub(super) fn new(tournament: Tournament, results: &Results) -> Self {
        Self {
            encounters: tournament.due_encounters(results).into(),
            tournament,
        }
    }

    /// Updates the encounters after a game of `pair` was added to `results`.
    pub(super) fn update(&mut self, pair: usize, results: &Results) {
        if results.score(pair).is_none() {
            return;
        }
        // Encounters are started from the front, so the finished one is near it.
        let finished = self.encounters.iter().position(|due| due.pair == pair);
        if let Some(index) = finished {
            self.encounters.remove(index);
        }
        if self.encounters.is_empty() {
            self.encounters = self.tournament.due_encounters(results).into();
        }
    }

    /// Returns whether no encounter is due.
    pub(super) fn is_empty(&self) -> bool {
        self.encounters.is_empty()
    }

    /// Returns the encounters in the order in which to start them.
    pub(super) fn iter(&self) -> impl Iterator<Item = Encounter> + '_ {
        self.encounters.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::{Leg, TournamentFormat, TournamentSize};
    use crate::stats::{Contestant, GameScore};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn encounters_are_those_of_the_schedule_after_each_game(
            format in prop_oneof![
                Just(TournamentFormat::RoundRobin),
                Just(TournamentFormat::Gauntlet),
                Just(TournamentFormat::Swiss),
            ],
            contestants in 0_usize..6,
            rounds in 0_usize..4,
            seed in any::<u64>(),
            more in 0_usize..2,
            withdrawn in prop::option::of(0_usize..6),
            resumed_after in 0_usize..8,
            choices in prop::collection::vec((0_usize..4, any::<bool>(), 0_usize..3), 60),
        ) {
            let mut tournament = Tournament::new(format, contestants, rounds, seed);
            if more > 0 && format != TournamentFormat::Swiss {
                tournament.extend(TournamentSize { contestants: contestants + more, rounds });
            }
            tournament.withdrawn.extend(withdrawn.map(Contestant));
            let mut results = Results::default();
            let mut due = DueEncounters::new(tournament.clone(), &results);
            for (played, (choice, is_second, score)) in choices.into_iter().enumerate() {
                let expected = tournament.due_encounters(&results);
                prop_assert_eq!(due.iter().collect::<Vec<_>>(), expected.clone());
                prop_assert_eq!(due.is_empty(), expected.is_empty());
                // Several games are in progress, so that a later encounter can finish first.
                let started = expected.len().min(choice + 1);
                let Some(&encounter) = started.checked_sub(1).and_then(|last| expected.get(last))
                else {
                    break;
                };
                let leg = if is_second { Leg::Second } else { Leg::First };
                let leg = if results.is_finished(encounter.pair, leg) { leg.other() } else { leg };
                let score = [GameScore::Loss, GameScore::Tie, GameScore::Win][score];
                prop_assert!(results.add(encounter, leg, score));
                due.update(encounter.pair, &results);
                if played == resumed_after {
                    due = DueEncounters::new(tournament.clone(), &results);
                }
            }
        }
    }
}
