//! Pairings of a Swiss tournament.

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;

use super::results::{Results, Round};
use crate::stats::{Contestant, PairScore};

/// Returns the rounds of a Swiss tournament up to and including the first that is not finished.
pub(super) fn rounds(
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

/// The points and meetings of the rounds so far.
///
/// A place is a contestant index. If the number of contestants is odd, there is one more place, and
/// the contestant that is paired with it has a bye.
struct SwissState {
    contestants: usize,
    /// All places in random order, which is the order among equal points.
    tie_break_order: Vec<usize>,
    /// The points of each place, in halves.
    half_points: Vec<u64>,
    /// The number of meetings of each two places.
    meeting_counts: Vec<Vec<u32>>,
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
            meeting_counts: vec![vec![0; places]; places],
        }
    }

    /// Returns all places, the most points first and the bye last.
    fn ranking(&self) -> Vec<usize> {
        let mut order = self.tie_break_order.clone();
        order.sort_by_key(|&place| {
            let is_bye = place >= self.contestants;
            (is_bye, std::cmp::Reverse(self.half_points[place]))
        });
        order
    }

    /// Pairs all places for the next round, the places with most points first.
    ///
    /// Greedy: each place gets the first opponent, by number of meetings and then by rank, that
    /// keeps the number of rematches of the round at its minimum.
    fn pair_places(&self) -> Vec<(usize, usize)> {
        let mut unpaired = self.ranking();
        let min_meetings = self.min_meetings();
        let mut rematches = self.min_rematches(&unpaired, min_meetings);
        let mut pairs = Vec::new();
        while let Some((&one, below)) = unpaired.split_first() {
            let mut candidates: Vec<usize> = below.to_vec();
            // The sort is stable, so candidates with equal counts remain ordered by rank.
            candidates.sort_by_key(|&other| self.meeting_counts[one][other]);
            let selected = candidates.into_iter().find_map(|other| {
                let rest: Vec<usize> = (below.iter().copied())
                    .filter(|&place| place != other)
                    .collect();
                let is_rematch = self.meeting_counts[one][other] > min_meetings;
                let rest_rematches = self.min_rematches(&rest, min_meetings);
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

    /// Returns the smallest number of meetings of any two places.
    fn min_meetings(&self) -> u32 {
        let meetings =
            (self.meeting_counts.iter().enumerate()).flat_map(|(place, row)| &row[..place]);
        meetings.copied().min().unwrap_or(0)
    }

    /// Returns the minimum number of rematches over all pairings of these places, where a rematch
    /// is a pair with more than `min_meetings` meetings.
    ///
    /// A maximum matching of the pairs that are no rematches leaves the others over.
    fn min_rematches(&self, places: &[usize], min_meetings: u32) -> usize {
        let mut graph = UnGraph::<(), ()>::new_undirected();
        for _ in places {
            graph.add_node(());
        }
        for (node, &one) in places.iter().enumerate() {
            for (other_node, &other) in places[..node].iter().enumerate() {
                if self.meeting_counts[one][other] <= min_meetings {
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
        Round::from_pairs(round, pairs, bye)
    }

    fn record_round(&mut self, round: &Round, results: &Results) {
        for encounter in &round.encounters {
            let (first, second) = (encounter.first.0, encounter.second.0);
            self.record_meeting(first, second);
            if let Some(score) = results.score(encounter.pair) {
                self.half_points[first] += u64::from(score.half_points());
                self.half_points[second] += u64::from(score.mirrored().half_points());
            }
        }
        if let Some(Contestant(place)) = round.bye {
            self.record_meeting(place, self.contestants);
            self.half_points[place] += u64::from(PairScore::Two.half_points());
        }
    }

    fn record_meeting(&mut self, one: usize, other: usize) {
        self.meeting_counts[one][other] += 1;
        self.meeting_counts[other][one] += 1;
    }
}
