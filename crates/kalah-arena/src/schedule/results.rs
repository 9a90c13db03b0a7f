use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::stats::{Contestant, CrossTable, GameScore, PairScore};

/// Which game of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leg {
    /// The one in which the first of the encounter begins as South.
    First,
    /// The other.
    Second,
}

impl Leg {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// The other game of the pair.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Two contestants who play a pair of games from one opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Encounter {
    /// The number of the pair in the tournament, from 0.
    pub pair: usize,
    /// The round it belongs to, from 0.
    pub round: usize,
    /// Who begins as South in the first game, and as North in the second.
    pub first: Contestant,
    /// The other one.
    pub second: Contestant,
}

/// The pairs of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Who plays.
    pub encounters: Vec<Encounter>,
    /// Who does not.
    pub bye: Option<Contestant>,
}

impl Encounter {
    /// The number of its opening: the place in whatever openings are drawn, from 0. It is that of the round, so that
    /// everybody has the same openings.
    pub fn opening_index(&self) -> usize {
        self.round
    }

    /// Who begins as South in a game.
    pub fn south(&self, leg: Leg) -> Contestant {
        match leg {
            Leg::First => self.first,
            Leg::Second => self.second,
        }
    }

    /// Who begins as North in a game.
    pub fn north(&self, leg: Leg) -> Contestant {
        self.south(leg.other())
    }
}

impl Round {
    /// A round of these encounters; who is South first changes from round to round.
    pub(super) fn from_pairs(
        round: usize,
        met: Vec<(usize, usize)>,
        bye: Option<Contestant>,
    ) -> Self {
        // All rounds have as many.
        let before = round.saturating_mul(met.len());
        let encounters = (before..).zip(met).map(|(pair, (one, other))| {
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

/// What is finished of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pairs: BTreeMap<usize, PairResult>,
    /// The pairs that are whole, in the order in which they became so.
    finished: Vec<usize>,
}

/// A pair of which at least one game is finished, with scores told of the first of the encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairResult {
    encounter: Encounter,
    first: Option<GameScore>,
    second: Option<GameScore>,
}

impl PairResult {
    fn leg(&mut self, leg: Leg) -> &mut Option<GameScore> {
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
    /// Counts a game, with what it brought the first of the encounter. Returns whether it was not there yet; if it
    /// was, or if its pair is there as another encounter, nothing changes.
    pub fn add(&mut self, encounter: Encounter, leg: Leg, score: GameScore) -> bool {
        let begun = self.pairs.entry(encounter.pair).or_insert(PairResult {
            encounter,
            first: None,
            second: None,
        });
        if begun.encounter != encounter || begun.leg(leg).is_some() {
            return false;
        }
        *begun.leg(leg) = Some(score);
        if begun.score().is_some() {
            self.finished.push(encounter.pair);
        }
        true
    }

    /// Whether a game is finished.
    pub fn is_finished(&self, pair: usize, leg: Leg) -> bool {
        let begun = self.pairs.get(&pair);
        begun.is_some_and(|&(mut begun)| begun.leg(leg).is_some())
    }

    /// What a whole pair brought the first of its encounter, `None` while it is not whole.
    pub fn score(&self, pair: usize) -> Option<PairScore> {
        self.pairs.get(&pair)?.score()
    }

    /// The encounters of which at least one game is finished, by their numbers.
    pub fn encounters(&self) -> impl Iterator<Item = Encounter> + '_ {
        self.pairs.values().map(|begun| begun.encounter)
    }

    /// The encounters that are whole, in the order in which they became so, each with what it brought its first: what
    /// [`Sprt::follow`](crate::Sprt::follow) goes by.
    pub fn finished_pairs(&self) -> impl Iterator<Item = (Encounter, PairScore)> + '_ {
        let whole = self.finished.iter().filter_map(|pair| self.pairs.get(pair));
        whole.filter_map(|begun| Some((begun.encounter, begun.score()?)))
    }

    /// Everything in one table.
    pub fn cross_table(&self, contestants: usize) -> CrossTable {
        let mut table = CrossTable::new(contestants);
        for begun in self.pairs.values() {
            let Encounter { first, second, .. } = begun.encounter;
            match (begun.first, begun.second) {
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
