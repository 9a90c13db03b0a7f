//! The rounds of a Swiss tournament.

mod field;
mod one_factors;

use std::cmp::Reverse;

use kalah::Side;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;

use self::field::{RoundGoal, SwissField};
use self::one_factors::OneFactors;
use crate::history::PairingHistory;
use crate::record::{EntrantId, RoomRecord, RoundPairing};
use crate::sides::sides_of_pair;

/// The number of places, a bye included, up to which a round is chosen so that the people of an
/// unchanged field can all meet without a rematch.
const MAX_LOOKAHEAD_PLACES: usize = 12;

/// The number of pairings of a round that the lookahead tries at most.
const MAX_LOOKAHEAD_PAIRINGS: usize = 200;

/// Pairs the active people for the next round of a Swiss tournament: each plays an opponent with
/// about as many points, and meets none twice as long as possible.
///
/// People are ordered by their points; people with equal points are in an order drawn from `seed`
/// and the number of the round. Late joiners begin with no points. From the top downwards, each
/// person gets the best opponent below, in this order of importance:
///
/// 1. one with which the round keeps the minimum number of rematches: pairs that have met more
///    often than the two active people that have met least often. The opponent that the person has
///    met least often comes first;
/// 2. one that does not need the same side: a person with two games more on one side than on the
///    other, or with two games in a row on one side, needs the other side;
/// 3. one with a small difference in points;
/// 4. one that does not prefer the same side: the side played less often, or else not last;
/// 5. the first in the order.
///
/// Articles 2 to 8 of the basic rules of Swiss systems say the same (FIDE Handbook C.04.1), except
/// that here a rematch, or two people that need the same side, are possible if no pairing avoids
/// it. Whether the people that remain
/// can be paired is decided by a maximum matching, as in S. Ólafsson, *Weighted Matching in Chess
/// Tournaments*, Journal of the Operational Research Society 41 (1990), or at once by G. Dirac's
/// theorem (*Some Theorems on Abstract Graphs*, 1952): a graph with r nodes, each joined to r/2
/// others or more, has a Hamiltonian cycle, and with an even r a perfect matching. If each person
/// has met at most k others and at most a people need the same side, r ≥ 2(k + a) is enough.
///
/// An odd number of people leaves one with a bye: the last in the order among those with the fewest
/// byes without which the others have the fewest rematches.
///
/// In a field of up to 12 people that has not changed, rounds are chosen so that all can meet
/// without a rematch: the pairs that are left must divide into rounds. Without that condition
/// the last rounds can have rematches, for example those of six people with two triangles of pairs
/// left.
///
/// Fewer than two active people have an empty round. All games of earlier rounds should be finished
/// or voided: people with a running game are paired as well.
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::GameScore;
/// use kalah_pairing::{GamesPerPairing, PlayedGame, RoomRecord, swiss_round};
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// let people = [(); 4].map(|()| record.enter());
/// let first = swiss_round(&record, 1);
/// for pair in &first.pairs {
///     record.add_game(PlayedGame::new(0, *pair, Some(GameScore::Win)))?;
/// }
/// // The two winners meet.
/// let second = swiss_round(&record, 1).pairs[0];
/// let winners = [first.pairs[0].south, first.pairs[1].south];
/// assert!(winners.contains(&second.south) && winners.contains(&second.north));
/// # Ok::<(), kalah_pairing::RoomRecordError>(())
/// ```
pub fn swiss_round(record: &RoomRecord, seed: u64) -> RoundPairing {
    let active: Vec<_> = record.active().collect();
    if active.len() < 2 {
        return RoundPairing::default();
    }
    let history = PairingHistory::new(record);
    let mut order = active.clone();
    order.shuffle(&mut round_rng(seed, record.next_round()));
    order.sort_by_key(|person| Reverse(history.half_points[person.0]));

    let field = SwissField::new(&history, &active);
    let byes = bye_candidates(&field, &order);
    let (bye, pairs) = if order.len() + byes.len().min(1) <= MAX_LOOKAHEAD_PLACES {
        pair_with_lookahead(&field, &order, &byes)
    } else {
        pair_greedily(&field, &order, byes.first().copied())
    };
    // The person higher in the order begins as South on every other board, if nothing else decides.
    let default_sides = [Side::South, Side::North].into_iter().cycle();
    let pairs = (pairs.into_iter().zip(default_sides))
        .map(|((one, other), side)| sides_of_pair(&history.sides, one, other, side));
    RoundPairing {
        pairs: pairs.collect(),
        bye,
        resting: Vec::new(),
    }
}

/// Returns the random numbers of a round.
fn round_rng(seed: u64, round: usize) -> Pcg64Mcg {
    /// The odd number closest to 2^64 divided by the golden ratio, which spreads consecutive
    /// rounds over all seeds (D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
    const ROUND_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let round = u64::try_from(round).unwrap_or(u64::MAX);
    Pcg64Mcg::seed_from_u64(seed ^ round.wrapping_mul(ROUND_FACTOR))
}

/// Returns the order without a person.
fn without(order: &[EntrantId], person: Option<EntrantId>) -> Vec<EntrantId> {
    (order.iter().copied())
        .filter(|&other| Some(other) != person)
        .collect()
}

/// Returns the people that can have the bye of an odd number of people, the first to take it first:
/// those with the fewest byes without which the others have the fewest rematches.
///
/// In a field that is too large for the lookahead, the first is enough, and the people above a bye
/// that leaves no rematch are not compared.
fn bye_candidates(field: &SwissField<'_>, order: &[EntrantId]) -> Vec<EntrantId> {
    if order.len().is_multiple_of(2) {
        return Vec::new();
    }
    let byes = |person: &&EntrantId| field.history.byes[person.0];
    let fewest = order.iter().map(|person| byes(&person)).min();
    let is_small = order.len() < MAX_LOOKAHEAD_PLACES;
    let mut candidates = Vec::new();
    let mut fewest_rematches = usize::MAX;
    for &person in (order.iter().rev()).filter(|person| Some(byes(person)) == fewest) {
        let rematches = field.min_rematches(&without(order, Some(person)));
        if rematches < fewest_rematches {
            fewest_rematches = rematches;
            candidates.clear();
        }
        if rematches == fewest_rematches {
            candidates.push(person);
        }
        if fewest_rematches == 0 && !is_small {
            break;
        }
    }
    candidates
}

/// Pairs the people from the top downwards.
fn pair_greedily(
    field: &SwissField<'_>,
    order: &[EntrantId],
    bye: Option<EntrantId>,
) -> (Option<EntrantId>, Vec<(EntrantId, EntrantId)>) {
    let mut rest = without(order, bye);
    let mut goal = field.goal(&rest);
    let mut pairs = Vec::new();
    while let Some((&one, _)) = rest.split_first() {
        // If the condition on sides was not decided for a large rest, it is given up.
        let opponent = (field.best_opponent(&rest, goal))
            .or_else(|| field.best_opponent(&rest, field.goal_without_sides(&rest)));
        // An opponent always exists, because the best pairing of the rest reaches the minimum of
        // rematches.
        let Some((index, next_goal)) = opponent else {
            break;
        };
        pairs.push((one, rest[index]));
        goal = next_goal;
        rest.remove(index);
        rest.remove(0);
    }
    (bye, pairs)
}

/// Pairs the people as [`pair_greedily`], but with the first pairing after which the people that
/// have not met can still meet in rounds of all, if there is one. Pairings in which all play the
/// sides that they need come first.
fn pair_with_lookahead(
    field: &SwissField<'_>,
    order: &[EntrantId],
    byes: &[EntrantId],
) -> (Option<EntrantId>, Vec<(EntrantId, EntrantId)>) {
    let byes: Vec<Option<EntrantId>> = match byes {
        [] => vec![None],
        byes => byes.iter().copied().map(Some).collect(),
    };
    let without_lookahead = || pair_greedily(field, order, byes[0]);
    let Some(open_pairs) = OneFactors::of_open_pairs(field, order) else {
        return without_lookahead();
    };
    for plays_needed_sides in [true, false] {
        for &bye in &byes {
            let rest = without(order, bye);
            let goal = if plays_needed_sides {
                field.goal(&rest)
            } else {
                field.goal_without_sides(&rest)
            };
            let mut search = Lookahead {
                field,
                open_pairs: &open_pairs,
                bye,
                tries: MAX_LOOKAHEAD_PAIRINGS,
                pairs: Vec::new(),
            };
            if search.extend(&rest, goal) {
                return (bye, search.pairs);
            }
        }
    }
    without_lookahead()
}

/// A search for a pairing after which the open pairs divide into rounds.
struct Lookahead<'a> {
    field: &'a SwissField<'a>,
    open_pairs: &'a OneFactors<'a>,
    bye: Option<EntrantId>,
    /// The number of pairings that are tried at most.
    tries: usize,
    pairs: Vec<(EntrantId, EntrantId)>,
}

impl Lookahead<'_> {
    /// Extends `pairs` by pairs of `rest`, best opponents first. Returns whether that succeeds, and
    /// leaves `pairs` as they are if it does not.
    fn extend(&mut self, rest: &[EntrantId], goal: RoundGoal) -> bool {
        let Some((&one, others)) = rest.split_first() else {
            self.tries = self.tries.saturating_sub(1);
            return self.open_pairs.divide_without(&self.pairs, self.bye);
        };
        for (index, next_goal) in self.field.opponents(rest, goal) {
            if self.tries == 0 {
                break;
            }
            let other = rest[index];
            self.pairs.push((one, other));
            if self.extend(&without(others, Some(other)), next_goal) {
                return true;
            }
            self.pairs.pop();
        }
        false
    }
}
