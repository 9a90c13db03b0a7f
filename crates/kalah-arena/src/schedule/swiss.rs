use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;

use super::results::{Results, Round};
use crate::stats::{Contestant, PairScore};

/// The rounds of a Swiss tournament up to the first that is not finished.
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

/// What has been played, as far as it matters for who meets next.
///
/// If the number of contestants is odd, there is one more place, and who is paired with it has a bye.
struct SwissState {
    contestants: usize,
    /// All places, the order among equals.
    tie_break_order: Vec<usize>,
    /// The points of each place, in halves.
    half_points: Vec<u64>,
    /// How often two places have met.
    meeting_counts: Vec<Vec<u32>>,
}

impl SwissState {
    fn new(contestants: usize, seed: u64) -> Self {
        let places = contestants.next_multiple_of(2);
        let mut tie_break_order: Vec<usize> = (0..contestants).collect();
        tie_break_order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        // The place of the bye stays the last.
        tie_break_order.extend(contestants..places);
        Self {
            contestants,
            tie_break_order,
            half_points: vec![0; places],
            meeting_counts: vec![vec![0; places]; places],
        }
    }

    /// All places, the most points first, the bye last.
    fn ranking(&self) -> Vec<usize> {
        let mut order = self.tie_break_order.clone();
        order.sort_by_key(|&place| {
            let is_bye = place >= self.contestants;
            (is_bye, std::cmp::Reverse(self.half_points[place]))
        });
        order
    }

    /// Who meets whom next, the places with most points first.
    fn pair_places(&self) -> Vec<(usize, usize)> {
        let mut left = self.ranking();
        let fewest = self.min_meetings();
        let mut again = self.min_rematches(&left, fewest);
        let mut pairs = Vec::new();
        while let Some((&one, below)) = left.split_first() {
            // Those met least often, and of these the next below.
            let mut others: Vec<usize> = below.to_vec();
            others.sort_by_key(|&other| self.meeting_counts[one][other]);
            let chosen = others.into_iter().find_map(|other| {
                let rest: Vec<usize> = (below.iter().copied())
                    .filter(|&place| place != other)
                    .collect();
                let is_again = usize::from(self.meeting_counts[one][other] > fewest);
                let left_over = self.min_rematches(&rest, fewest);
                (is_again + left_over <= again).then_some((other, rest, left_over))
            });
            // There always is one: `again` is what the best choice comes to.
            let Some((other, rest, left_over)) = chosen else {
                break;
            };
            pairs.push((one, other));
            (left, again) = (rest, left_over);
        }
        pairs
    }

    /// How often those have met who have met least often.
    fn min_meetings(&self) -> u32 {
        let meetings =
            (self.meeting_counts.iter().enumerate()).flat_map(|(place, row)| &row[..place]);
        meetings.copied().min().unwrap_or(0)
    }

    /// How many pairs of these places, however they are paired, meet more often than others: those that are left
    /// over when as many as can be are paired with somebody whom they have met no more often than `fewest`.
    fn min_rematches(&self, places: &[usize], fewest: u32) -> usize {
        let mut graph = UnGraph::<(), ()>::new_undirected();
        for _ in places {
            graph.add_node(());
        }
        for (node, &one) in places.iter().enumerate() {
            for (other_node, &other) in places[..node].iter().enumerate() {
                if self.meeting_counts[one][other] <= fewest {
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
