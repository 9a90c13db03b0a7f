//! Tournaments: pairing systems, and the encounters that are due.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::results::{Encounter, Results, Round};
use super::swiss;

/// The rule by which a tournament pairs its contestants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairingSystem {
    /// In every round each contestant plays a pair of games against each other one.
    RoundRobin,
    /// In every round the first contestant plays a pair of games against each of the others.
    Gauntlet,
    /// In every round each contestant plays one pair of games, against an opponent with about as
    /// many points.
    ///
    /// From the top of the standings downwards, each contestant is paired with the next one that it
    /// has not met. The seed orders contestants with equal points. A round has the minimum possible
    /// number of rematches: pairs that have met more often than the two contestants that have met
    /// least often. If the number of contestants is odd, one has a bye, which counts as two points,
    /// the maximum of a pair, when the next rounds are paired, and nowhere else. The bye goes to
    /// the lowest possible contestant, and repeated byes are avoided like rematches.
    Swiss,
}

/// The parameters of a tournament, which determine its schedule.
///
/// The schedule is a function of these four values and the results so far, so that an interrupted
/// tournament resumes with the same pairings. All games of a round begin with the same opening, see
/// [`Encounter::opening_index`].
///
/// ```
/// use kalah_arena::{Contestant, PairingSystem, Results, Tournament};
/// let format = PairingSystem::RoundRobin;
/// let tournament = Tournament { format, contestants: 3, rounds: 2, seed: 1 };
/// let due = tournament.due_encounters(&Results::default());
/// assert_eq!(due.len(), 6);
/// assert_eq!((due[0].first, due[0].second), (Contestant(1), Contestant(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// The pairing system.
    pub format: PairingSystem,
    /// The number of contestants.
    pub contestants: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// The seed of all random decisions.
    pub seed: u64,
}

/// Results contain an encounter that the tournament does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "pair {pair} of round {round} between contestants {first} and {second} does not belong to \
     this tournament",
    pair = .0.pair, round = .0.round, first = .0.first.0, second = .0.second.0
)]
pub struct UnknownEncounterError(pub Encounter);

impl Tournament {
    /// Returns the rounds whose pairings are known: all of them, or in a Swiss tournament those up
    /// to and including the first that is not finished.
    pub fn known_rounds(&self, results: &Results) -> Vec<Round> {
        let rounds = 0..self.rounds;
        match self.format {
            PairingSystem::RoundRobin => {
                rounds.map(|round| self.round_robin_round(round)).collect()
            }
            PairingSystem::Gauntlet => rounds.map(|round| self.gauntlet_round(round)).collect(),
            PairingSystem::Swiss => {
                swiss::rounds(self.contestants, self.rounds, self.seed, results)
            }
        }
    }

    /// Returns the encounters that can be played now, in the order in which to start them,
    /// including those with one finished game. The list is empty when the tournament is over.
    pub fn due_encounters(&self, results: &Results) -> Vec<Encounter> {
        let rounds = self.known_rounds(results).into_iter();
        rounds
            .flat_map(|round| round.encounters)
            .filter(|encounter| results.score(encounter.pair).is_none())
            .collect()
    }

    /// Checks that all results belong to this tournament.
    ///
    /// # Errors
    /// The first encounter that does not.
    pub fn check(&self, results: &Results) -> Result<(), UnknownEncounterError> {
        let rounds = self.known_rounds(results);
        let known: std::collections::HashSet<_> = (rounds.into_iter())
            .flat_map(|round| round.encounters)
            .collect();
        match results
            .encounters()
            .find(|encounter| !known.contains(encounter))
        {
            Some(unknown) => Err(UnknownEncounterError(unknown)),
            None => Ok(()),
        }
    }

    /// Returns a round in which every contestant meets every other one.
    ///
    /// The circle method orders the pairs so that all contestants have played about equally often
    /// at any time: one place is fixed, and the others rotate around it from day to day (R.
    /// Schurig's tables, 1886).
    fn round_robin_round(&self, round: usize) -> Round {
        let places = self.contestants.next_multiple_of(2);
        let days = places.saturating_sub(1);
        let mut pairs = Vec::new();
        for day in 0..days {
            // The last place is the fixed one.
            pairs.push((days, day));
            for distance in 1..places / 2 {
                pairs.push(((day + distance) % days, (day + days - distance) % days));
            }
        }
        // With an odd number of contestants the last place is empty.
        pairs.retain(|(one, other)| one.max(other) < &self.contestants);
        Round::from_pairs(round, pairs, None)
    }

    fn gauntlet_round(&self, round: usize) -> Round {
        let pairs = (1..self.contestants).map(|other| (0, other)).collect();
        Round::from_pairs(round, pairs, None)
    }
}
