//! Schedules of tournaments as functions of the results so far: formats, the encounters that are
//! due, the results of their games, and the pairings of a Swiss tournament.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use kalah::BySide;
use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::stats::{Contestant, CrossTable, GameScore, PairScore};

/// The format of a tournament: the rule by which it pairs its contestants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
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
/// The schedule is a function of these values and the results so far, so that an interrupted
/// tournament resumes with the same pairings. [`Tournament::extend`] adds rounds and contestants.
/// All games of a round begin with the same opening, see [`Encounter::opening_index`].
///
/// ```
/// use kalah_arena::{Contestant, TournamentFormat, Results, Tournament};
/// let format = TournamentFormat::RoundRobin;
/// let tournament = Tournament::new(format, 3, 2, 1);
/// let due = tournament.due_encounters(&Results::default());
/// assert_eq!(due.len(), 6);
/// assert_eq!((due[0].first, due[0].second), (Contestant(1), Contestant(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// The format.
    pub format: TournamentFormat,
    /// The number of contestants.
    pub contestants: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The sizes before each extension, in their order. They determine the numbers of pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<TournamentSize>,
    /// The contestants that play no further games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Contestant>,
}

/// The numbers of contestants and rounds of a tournament before it was extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSize {
    /// The number of contestants.
    pub contestants: usize,
    /// The number of rounds.
    pub rounds: usize,
}

impl TournamentSize {
    /// Returns whether it has the pair of two contestants in a round.
    fn has_pair(self, round: usize, (one, other): (usize, usize)) -> bool {
        round < self.rounds && one.max(other) < self.contestants
    }
}

/// Results contain an encounter that the tournament does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "pair {pair} of round {round} between contestants {first} and {second} does not belong to \
     this tournament",
    pair = .0.pair.saturating_add(1), round = .0.round.saturating_add(1), first = .0.first.0, second = .0.second.0
)]
pub struct UnknownEncounterError(pub Encounter);

impl Tournament {
    /// The maximum number of rounds. No tournament needs as many.
    pub const MAX_ROUNDS: usize = 1_000_000;

    /// Creates a tournament that was never extended.
    pub fn new(format: TournamentFormat, contestants: usize, rounds: usize, seed: u64) -> Self {
        Self {
            format,
            contestants,
            rounds,
            seed,
            earlier: Vec::new(),
            withdrawn: Vec::new(),
        }
    }

    /// Increases the numbers of contestants and rounds. The pairs so far keep their numbers, and
    /// those of a round robin or a gauntlet that come with the extension follow them. All
    /// contestants play in all rounds.
    pub fn extend(&mut self, size: TournamentSize) {
        self.earlier.push(self.size());
        self.contestants = self.contestants.max(size.contestants);
        self.rounds = self.rounds.max(size.rounds);
    }

    fn size(&self) -> TournamentSize {
        TournamentSize {
            contestants: self.contestants,
            rounds: self.rounds,
        }
    }

    /// Returns whether a contestant has withdrawn.
    pub fn is_withdrawn(&self, contestant: Contestant) -> bool {
        self.withdrawn.contains(&contestant)
    }

    /// Returns the contestants that have not withdrawn, in their order.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = Contestant> + Clone {
        Contestant::all(self.contestants).filter(|&contestant| !self.is_withdrawn(contestant))
    }

    /// Returns whether neither contestant of an encounter has withdrawn.
    pub fn counts(&self, encounter: &Encounter) -> bool {
        ![encounter.first, encounter.second]
            .iter()
            .any(|&contestant| self.is_withdrawn(contestant))
    }

    /// Returns the rounds whose pairings are known: all of them, or in a Swiss tournament those up
    /// to and including the first that is not finished.
    pub fn known_rounds(&self, results: &Results) -> Vec<Round> {
        match self.format {
            TournamentFormat::RoundRobin => self.fixed_rounds(round_robin_pairs),
            TournamentFormat::Gauntlet => {
                self.fixed_rounds(|contestants| (1..contestants).map(|other| (0, other)).collect())
            }
            TournamentFormat::Swiss => {
                swiss_rounds(self.contestants, self.rounds, self.seed, results)
            }
        }
    }

    /// Returns the encounters that can be played now, in the order in which to start them,
    /// including those with one finished game. The list is empty when the tournament is over.
    pub fn due_encounters(&self, results: &Results) -> Vec<Encounter> {
        let rounds = self.known_rounds(results).into_iter();
        rounds
            .flat_map(|round| round.encounters)
            .filter(|encounter| results.score(encounter.pair).is_none() && self.counts(encounter))
            .collect()
    }

    /// Checks that all results belong to this tournament.
    ///
    /// # Errors
    /// Returns the first encounter that does not belong to the tournament.
    pub fn check(&self, results: &Results) -> Result<(), UnknownEncounterError> {
        let rounds = self.known_rounds(results);
        let known: HashSet<_> = (rounds.into_iter())
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

    /// Returns all rounds of a format whose rounds have the same pairs of contestant indices.
    fn fixed_rounds(&self, pairs: impl Fn(usize) -> Vec<(usize, usize)>) -> Vec<Round> {
        let mut rounds: Vec<Round> = (0..self.rounds).map(|_| Round::default()).collect();
        let mut first_pair = 0;
        let sizes = self.earlier.iter().copied().chain([self.size()]);
        for (index, size) in sizes.enumerate() {
            let earlier = self.earlier.iter().take(index);
            let pairs = pairs(size.contestants);
            for (number, round) in rounds.iter_mut().enumerate().take(size.rounds) {
                let is_new = |&&pair: &&(usize, usize)| {
                    !earlier.clone().any(|size| size.has_pair(number, pair))
                };
                let new_pairs = pairs.iter().filter(is_new).copied().collect();
                let added = Round::from_pairs(number, first_pair, new_pairs, None);
                first_pair += added.encounters.len();
                round.encounters.extend(added.encounters);
            }
        }
        rounds
    }
}

/// Returns the pairs of each two contestants.
///
/// The circle method orders the pairs so that all contestants have played about equally often at
/// any time: one place is fixed, and the others rotate around it from day to day (R. Schurig's
/// tables, 1886).
fn round_robin_pairs(contestants: usize) -> Vec<(usize, usize)> {
    let places = contestants.next_multiple_of(2);
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
    pairs.retain(|(one, other)| one.max(other) < &contestants);
    pairs
}

/// Two contestants that play a pair of games from one opening in a round.
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

    /// Returns the numbers of round, pair and leg, from 1: `ROUND.PAIR.LEG`.
    pub fn game_number(&self, leg: Leg) -> String {
        let leg = match leg {
            Leg::First => 1,
            Leg::Second => 2,
        };
        let (round, pair) = (self.round.saturating_add(1), self.pair.saturating_add(1));
        format!("{round}.{pair}.{leg}")
    }

    /// Parses a number of [`Encounter::game_number`]. Returns the numbers of the round and the
    /// pair, from 0, and the leg.
    pub(crate) fn parse_game_number(text: &str) -> Option<(usize, usize, Leg)> {
        let mut parts = text.split('.').map(|part| {
            let is_digits = part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<usize>()
                .ok()?
                .checked_sub(1)
                .filter(|_| is_digits)
        });
        let (round, pair) = (parts.next()??, parts.next()??);
        let leg = *Leg::ALL.get(parts.next()??)?;
        parts.next().is_none().then_some((round, pair, leg))
    }
}

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

/// The encounters of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The encounters, in the order in which to start them.
    pub encounters: Vec<Encounter>,
    /// The contestant without an opponent, if there is one.
    pub bye: Option<Contestant>,
}

impl Round {
    /// Creates a round from pairs of contestant indices, and exchanges the two of each pair in odd
    /// rounds, so that the first turn as South alternates. The pairs have the numbers from
    /// `first_pair`.
    fn from_pairs(
        round: usize,
        first_pair: usize,
        pairs: Vec<(usize, usize)>,
        bye: Option<Contestant>,
    ) -> Self {
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
        self.finished_pairs_after(0)
    }

    /// Returns the pairs of [`Results::finished_pairs`] without the first `count`.
    pub(crate) fn finished_pairs_after(
        &self,
        count: usize,
    ) -> impl Iterator<Item = (Encounter, PairScore)> + '_ {
        (self.finished.iter().skip(count))
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

/// Returns the rounds of a Swiss tournament up to and including the first that is not finished.
fn swiss_rounds(
    contestants: usize,
    round_count: usize,
    seed: u64,
    results: &Results,
) -> Vec<Round> {
    let mut rounds = Vec::new();
    if contestants < 2 {
        return rounds;
    }
    let mut state = SwissState::new(contestants, seed);
    for round in 0..round_count {
        let next = state.build_round(round, state.pair_places());
        let finished =
            (next.encounters.iter()).all(|encounter| results.score(encounter.pair).is_some());
        state.record_round(&next, results);
        rounds.push(next);
        if !finished {
            break;
        }
    }
    rounds
}

/// The points and encounters of the rounds so far.
///
/// A place is a contestant index. If the number of contestants is odd, there is one more place, and
/// the contestant that is paired with it has a bye.
struct SwissState {
    contestants: usize,
    /// All places in random order, which is the order among equal points.
    tie_break_order: Vec<usize>,
    /// The points of each place, in halves.
    half_points: Vec<u64>,
    /// The number of encounters of each two places.
    encounter_counts: Vec<Vec<u32>>,
}

impl SwissState {
    fn new(contestants: usize, seed: u64) -> Self {
        let places = contestants.next_multiple_of(2);
        let mut tie_break_order: Vec<usize> = (0..contestants).collect();
        tie_break_order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        // The place of the bye remains the last.
        tie_break_order.extend(contestants..places);
        Self {
            contestants,
            tie_break_order,
            half_points: vec![0; places],
            encounter_counts: vec![vec![0; places]; places],
        }
    }

    /// Returns all places, the most points first and the bye last.
    fn ranking(&self) -> Vec<usize> {
        let mut order = self.tie_break_order.clone();
        order.sort_by_key(|&place| {
            let is_bye = place >= self.contestants;
            (is_bye, Reverse(self.half_points[place]))
        });
        order
    }

    /// Pairs all places for the next round, the places with most points first.
    ///
    /// Greedy: each place gets the first opponent, by number of encounters and then by rank, that
    /// keeps the number of rematches of the round at its minimum.
    fn pair_places(&self) -> Vec<(usize, usize)> {
        let mut unpaired = self.ranking();
        let min_encounters = self.min_encounters();
        let mut rematches = self.min_rematches(&unpaired, min_encounters);
        let mut pairs = Vec::new();
        while let Some((&one, below)) = unpaired.split_first() {
            let mut candidates: Vec<usize> = below.to_vec();
            // The sort is stable, so candidates with equal counts remain ordered by rank.
            candidates.sort_by_key(|&other| self.encounter_counts[one][other]);
            let selected = candidates.into_iter().find_map(|other| {
                let rest: Vec<usize> = (below.iter().copied())
                    .filter(|&place| place != other)
                    .collect();
                let is_rematch = self.encounter_counts[one][other] > min_encounters;
                let rest_rematches = self.min_rematches(&rest, min_encounters);
                (usize::from(is_rematch) + rest_rematches <= rematches).then_some((
                    other,
                    rest,
                    rest_rematches,
                ))
            });
            // A candidate always exists, because the best opponent reaches the minimum.
            let Some((other, rest, rest_rematches)) = selected else {
                break;
            };
            pairs.push((one, other));
            (unpaired, rematches) = (rest, rest_rematches);
        }
        pairs
    }

    /// Returns the smallest number of encounters of any two places.
    fn min_encounters(&self) -> u32 {
        let counts =
            (self.encounter_counts.iter().enumerate()).flat_map(|(place, row)| &row[..place]);
        counts.copied().min().unwrap_or(0)
    }

    /// Returns the minimum number of rematches over all pairings of these places, where a rematch
    /// is a pair with more than `min_encounters` encounters.
    ///
    /// A maximum matching of the pairs that are no rematches leaves the others over.
    fn min_rematches(&self, places: &[usize], min_encounters: u32) -> usize {
        let mut graph = UnGraph::<(), ()>::new_undirected();
        for _ in places {
            graph.add_node(());
        }
        for (node, &one) in places.iter().enumerate() {
            for (other_node, &other) in places[..node].iter().enumerate() {
                if self.encounter_counts[one][other] <= min_encounters {
                    graph.add_edge(NodeIndex::new(node), NodeIndex::new(other_node), ());
                }
            }
        }
        (places.len() / 2).saturating_sub(maximum_matching(&graph).len())
    }

    fn build_round(&self, round: usize, mut pairs: Vec<(usize, usize)>) -> Round {
        let is_bye = |(_, other): &(usize, usize)| *other >= self.contestants;
        let bye = pairs.iter().find(|pair| is_bye(pair));
        let bye = bye.map(|&(one, _)| Contestant(one));
        pairs.retain(|pair| !is_bye(pair));
        Round::from_pairs(round, round * pairs.len(), pairs, bye)
    }

    fn record_round(&mut self, round: &Round, results: &Results) {
        for encounter in &round.encounters {
            let (first, second) = (encounter.first.0, encounter.second.0);
            self.record_encounter(first, second);
            if let Some(score) = results.score(encounter.pair) {
                self.half_points[first] += u64::from(score.half_points());
                self.half_points[second] += u64::from(score.mirrored().half_points());
            }
        }
        if let Some(Contestant(place)) = round.bye {
            self.record_encounter(place, self.contestants);
            self.half_points[place] += u64::from(PairScore::Two.half_points());
        }
    }

    fn record_encounter(&mut self, one: usize, other: usize) {
        self.encounter_counts[one][other] += 1;
        self.encounter_counts[other][one] += 1;
    }
}
