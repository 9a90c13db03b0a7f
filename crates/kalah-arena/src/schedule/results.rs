//! The encounters of a tournament, and the results of their games.

use std::collections::BTreeMap;

use kalah::BySide;
use serde::{Deserialize, Serialize};

use crate::stats::{Contestant, CrossTable, GameScore, PairScore};

/// One of the two games of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leg {
    /// The game in which the first contestant of the encounter begins as South.
    First,
    /// The game in which the second contestant of the encounter begins as South.
    Second,
}

impl Leg {
    /// Both legs.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// Returns the other game of the pair.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Two contestants that play a pair of games from one opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Encounter {
    /// The number of the pair in the tournament, from 0.
    pub pair: usize,
    /// The number of the round, from 0.
    pub round: usize,
    /// The contestant that begins as South in the first game and as North in the second.
    pub first: Contestant,
    /// The other contestant.
    pub second: Contestant,
}

impl Encounter {
    /// Returns the number of the opening in the shuffled list, from 0.
    ///
    /// It is the number of the round, so that all contestants get the same openings.
    pub fn opening_index(&self) -> usize {
        self.round
    }

    /// Returns the contestants of a game, by the side on which they begin.
    pub fn players(&self, leg: Leg) -> BySide<Contestant> {
        match leg {
            Leg::First => BySide::new(self.first, self.second),
            Leg::Second => BySide::new(self.second, self.first),
        }
    }
}

/// The encounters of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The encounters, in the order in which to start them.
    pub encounters: Vec<Encounter>,
    /// The contestant without an opponent, if there is one.
    pub bye: Option<Contestant>,
}

impl Round {
    /// Creates a round from pairs of contestant indices, and exchanges the two of each pair in odd
    /// rounds, so that the first turn as South alternates.
    ///
    /// All rounds of a tournament have the same number of pairs.
    pub(super) fn from_pairs(
        round: usize,
        pairs: Vec<(usize, usize)>,
        bye: Option<Contestant>,
    ) -> Self {
        let first_pair = round.saturating_mul(pairs.len());
        let encounters = (first_pair..).zip(pairs).map(|(pair, (one, other))| {
            let (first, second) = if round.is_multiple_of(2) {
                (one, other)
            } else {
                (other, one)
            };
            Encounter {
                pair,
                round,
                first: Contestant(first),
                second: Contestant(second),
            }
        });
        Self {
            encounters: encounters.collect(),
            bye,
        }
    }
}

/// The finished games of a tournament, by pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pairs: BTreeMap<usize, PairResult>,
    /// The pairs with two finished games, in the order in which they were completed.
    finished: Vec<usize>,
}

/// A pair with at least one finished game. The scores are those of the encounter's first
/// contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairResult {
    encounter: Encounter,
    first: Option<GameScore>,
    second: Option<GameScore>,
}

impl PairResult {
    fn leg(&self, leg: Leg) -> Option<GameScore> {
        match leg {
            Leg::First => self.first,
            Leg::Second => self.second,
        }
    }

    fn leg_mut(&mut self, leg: Leg) -> &mut Option<GameScore> {
        match leg {
            Leg::First => &mut self.first,
            Leg::Second => &mut self.second,
        }
    }

    fn score(&self) -> Option<PairScore> {
        Some(PairScore::from_games(self.first?, self.second?))
    }
}

impl Results {
    /// Counts a game with the score of the encounter's first contestant.
    ///
    /// Returns false and changes nothing if the game is already counted, or if its pair is counted
    /// for a different encounter.
    pub fn add(&mut self, encounter: Encounter, leg: Leg, score: GameScore) -> bool {
        let result = self.pairs.entry(encounter.pair).or_insert(PairResult {
            encounter,
            first: None,
            second: None,
        });
        if result.encounter != encounter || result.leg(leg).is_some() {
            return false;
        }
        *result.leg_mut(leg) = Some(score);
        if result.score().is_some() {
            self.finished.push(encounter.pair);
        }
        true
    }

    /// Returns whether a game is finished.
    pub fn is_finished(&self, pair: usize, leg: Leg) -> bool {
        let result = self.pairs.get(&pair);
        result.is_some_and(|result| result.leg(leg).is_some())
    }

    /// Returns the score of a pair for the encounter's first contestant, `None` until both games
    /// are finished.
    pub fn score(&self, pair: usize) -> Option<PairScore> {
        self.pairs.get(&pair)?.score()
    }

    /// Returns the encounters with at least one finished game, ordered by pair number.
    pub fn encounters(&self) -> impl Iterator<Item = Encounter> + '_ {
        self.pairs.values().map(|result| result.encounter)
    }

    /// Returns the encounters with two finished games and the score of their first contestant, in
    /// the order in which they were completed, which is the order for
    /// [`Sprt::run`](crate::Sprt::run).
    pub fn finished_pairs(&self) -> impl Iterator<Item = (Encounter, PairScore)> + '_ {
        (self.finished.iter())
            .filter_map(|pair| self.pairs.get(pair))
            .filter_map(|result| Some((result.encounter, result.score()?)))
    }

    /// Returns the cross table of all games.
    pub fn cross_table(&self, contestants: usize) -> CrossTable {
        let mut table = CrossTable::new(contestants);
        for result in self.pairs.values() {
            let Encounter { first, second, .. } = result.encounter;
            match (result.first, result.second) {
                (Some(one), Some(other)) => table.add_pair(first, second, one, other),
                (one, other) => {
                    for score in one.into_iter().chain(other) {
                        table.add_single(first, second, score);
                    }
                }
            }
        }
        table
    }
}
