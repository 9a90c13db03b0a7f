use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::results::{Encounter, Results, Round};
use super::swiss;

/// How a tournament pairs its contestants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairingSystem {
    /// In every round everybody plays a pair of games against everybody.
    RoundRobin,
    /// In every round the first contestant plays a pair of games against each of the others.
    Gauntlet,
    /// In every round everybody plays one pair of games, against somebody with as many points as can be.
    ///
    /// Down from the top everybody is given the next below it whom it has not met; who has as many points stand in
    /// an order that the seed decides. Nobody meets anybody more often than others while that can be avoided: if it
    /// cannot, as few do as possible. If the number of contestants is odd, one has a bye: it counts two points, as
    /// many as can be made, when the next rounds are paired, and nowhere else. It goes as far down as it can, and
    /// nobody has it more often than others while that can be avoided.
    Swiss,
}

/// A tournament: who plays whom, and when.
///
/// All of it follows from these four values and what is finished, so that a tournament that was broken off goes on
/// as if it had not been. The games of a round all begin with the same opening, see [`Encounter::opening`].
///
/// ```
/// use kalah_arena::{Contestant, Format, Results, Tournament};
/// let tournament = Tournament { format: Format::RoundRobin, contestants: 3, rounds: 2, seed: 1 };
/// let due = tournament.due(&Results::default());
/// assert_eq!(due.len(), 6);
/// assert_eq!((due[0].first, due[0].second), (Contestant(1), Contestant(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// How it pairs.
    pub format: PairingSystem,
    /// How many take part.
    pub contestants: usize,
    /// How many rounds there are.
    pub rounds: usize,
    /// From which chance is drawn, where there is any.
    pub seed: u64,
}

/// What is finished is of another tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "pair {pair} of round {round}, contestants {first} and {second}, is none of this tournament",
    pair = .0.pair, round = .0.round, first = .0.first.0, second = .0.second.0
)]
pub struct UnknownEncounterError(pub Encounter);

impl Tournament {
    /// The rounds that are known to be: all of them, or in a Swiss tournament those up to the first that is not
    /// finished.
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

    /// The pairs that can be played now, in the order in which to begin them, also those of which one game is
    /// finished. None are left when the tournament is over.
    pub fn due_encounters(&self, results: &Results) -> Vec<Encounter> {
        let rounds = self.known_rounds(results).into_iter();
        rounds
            .flat_map(|round| round.encounters)
            .filter(|encounter| results.score(encounter.pair).is_none())
            .collect()
    }

    /// Whether everything that is finished belongs to this tournament.
    ///
    /// # Errors
    /// The first pair that does not.
    pub fn check(&self, results: &Results) -> Result<(), UnknownEncounterError> {
        let rounds = self.known_rounds(results);
        let known: std::collections::HashSet<_> = (rounds.into_iter())
            .flat_map(|round| round.encounters)
            .collect();
        match results
            .encounters()
            .find(|encounter| !known.contains(encounter))
        {
            Some(other) => Err(UnknownEncounterError(other)),
            None => Ok(()),
        }
    }

    /// A round in which everybody meets everybody, in an order in which all play about as often at any time: one
    /// stays, and the others move round it by a place from day to day (R. Schurig's tables, 1886).
    fn round_robin_round(&self, round: usize) -> Round {
        let places = self.contestants.next_multiple_of(2);
        let days = places.saturating_sub(1);
        let mut met = Vec::new();
        for day in 0..days {
            // The one who stays, and who has come to it.
            met.push((days, day));
            for apart in 1..places / 2 {
                met.push(((day + apart) % days, (day + days - apart) % days));
            }
        }
        // The last place is nobody's if there are too few.
        met.retain(|(one, other)| one.max(other) < &self.contestants);
        Round::from_pairs(round, met, None)
    }

    fn gauntlet_round(&self, round: usize) -> Round {
        let met = (1..self.contestants).map(|other| (0, other)).collect();
        Round::from_pairs(round, met, None)
    }
}
