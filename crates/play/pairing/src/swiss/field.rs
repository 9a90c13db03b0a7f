//! The people of a Swiss round: which two can be paired, and whether the others still can.

use std::collections::HashSet;

use kalah::{BySide, Side};

use crate::history::PairingHistory;
use crate::matching::matching;
use crate::record::EntrantId;
use crate::sides::{SideHistory, is_side_preference_conflict};

/// The number of people up to which a maximum matching decides whether all can play the sides that
/// they need. For more, Dirac's theorem alone does.
const MAX_SIDE_MATCHING: usize = 100;

/// The condition that the pairs of the people who are not paired yet satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundGoal {
    /// There are no rematches, and no two people need the same side.
    NoConflict,
    /// There are this many rematches, the minimum.
    MinRematches(usize),
}

/// The order of opponents, the best first: meetings, whether both need the same side, the
/// difference of half points, whether both prefer the same side.
type OpponentKey = (u32, bool, u32, bool);

/// Whether people can be paired.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feasibility {
    Possible,
    Impossible,
    /// Only a maximum matching decides.
    Undecided,
}

/// The active people of a round.
pub(super) struct SwissField<'a> {
    pub(super) history: &'a PairingHistory,
    /// The meetings of the two people that have met least often. A pair with more is a rematch.
    pub(super) min_meetings: u32,
    /// The maximum number of people against which one person would have a rematch.
    max_opponents: usize,
    /// The side that each person needs.
    needs: Vec<Option<Side>>,
}

/// The numbers of people that need each side.
#[derive(Clone, Copy)]
struct NeedCounts(BySide<usize>);

impl NeedCounts {
    fn new(needs: impl Iterator<Item = Option<Side>>) -> Self {
        let mut counts = BySide::default();
        for side in needs.flatten() {
            counts[side] += 1;
        }
        Self(counts)
    }

    /// Returns the counts without two of the people.
    fn without(mut self, needs: [Option<Side>; 2]) -> Self {
        for side in needs.into_iter().flatten() {
            self.0[side] -= 1;
        }
        self
    }

    fn max(self) -> usize {
        self.0.south.max(self.0.north)
    }
}

impl<'a> SwissField<'a> {
    /// `active` must be sorted.
    pub(super) fn new(history: &'a PairingHistory, active: &[EntrantId]) -> Self {
        let min_meetings = history.min_meetings(active);
        let opponents =
            (active.iter()).map(|&person| history.opponents_above(person, min_meetings, active));
        Self {
            history,
            min_meetings,
            max_opponents: opponents.max().unwrap_or(0),
            needs: history.sides.iter().map(SideHistory::need).collect(),
        }
    }

    /// Returns whether a game of the two would be a rematch.
    pub(super) fn is_rematch(&self, one: EntrantId, other: EntrantId) -> bool {
        self.history.meetings(one, other) > self.min_meetings
    }

    /// Returns whether the two people need the same side.
    fn is_conflict(&self, one: EntrantId, other: EntrantId) -> bool {
        let (one, other) = (self.needs[one.0], self.needs[other.0]);
        one.is_some() && one == other
    }

    fn key(&self, one: EntrantId, other: EntrantId) -> OpponentKey {
        let sides = &self.history.sides;
        let points = |person: EntrantId| self.history.half_points[person.0];
        (
            self.history.meetings(one, other),
            self.is_conflict(one, other),
            points(one).abs_diff(points(other)),
            is_side_preference_conflict(&sides[one.0], &sides[other.0]),
        )
    }

    /// Returns whether Dirac's theorem guarantees pairs of `people` people without rematches.
    /// `same` is the maximum number of people that cannot be paired with each other for another
    /// reason.
    fn is_guaranteed(&self, people: usize, same: usize) -> bool {
        people == 0 || people >= 2 * (self.max_opponents + same.max(1))
    }

    fn need_counts(&self, people: &[EntrantId]) -> NeedCounts {
        NeedCounts::new(people.iter().map(|person| self.needs[person.0]))
    }

    /// Returns the minimum number of rematches of an even number of people.
    pub(super) fn min_rematches(&self, people: &[EntrantId]) -> usize {
        if self.is_guaranteed(people.len(), 1) {
            return 0;
        }
        let pairs = matching(people.len(), |one, other| {
            !self.is_rematch(people[one], people[other])
        });
        people.len() / 2 - pairs.len()
    }

    /// Returns whether an even number of people with these needs can be paired without rematches
    /// and conflicts.
    fn no_conflict(&self, people: usize, needs: NeedCounts) -> Feasibility {
        if self.is_guaranteed(people, needs.max()) {
            Feasibility::Possible
        } else if people > MAX_SIDE_MATCHING {
            Feasibility::Impossible
        } else {
            Feasibility::Undecided
        }
    }

    /// Returns whether an even number of people can be paired without rematches and conflicts. For
    /// more than [`MAX_SIDE_MATCHING`] people, false may also mean that it is not known.
    fn is_possible_without_conflict(&self, people: &[EntrantId]) -> bool {
        match self.no_conflict(people.len(), self.need_counts(people)) {
            Feasibility::Possible => true,
            Feasibility::Impossible => false,
            Feasibility::Undecided => {
                let pairs = matching(people.len(), |one, other| {
                    let (one, other) = (people[one], people[other]);
                    !self.is_rematch(one, other) && !self.is_conflict(one, other)
                });
                2 * pairs.len() == people.len()
            }
        }
    }

    /// Returns the goal of an even number of people.
    pub(super) fn goal(&self, people: &[EntrantId]) -> RoundGoal {
        if self.is_possible_without_conflict(people) {
            RoundGoal::NoConflict
        } else {
            self.goal_without_sides(people)
        }
    }

    /// Returns the goal of an even number of people that need not play the sides that they need.
    pub(super) fn goal_without_sides(&self, people: &[EntrantId]) -> RoundGoal {
        RoundGoal::MinRematches(self.min_rematches(people))
    }

    /// Returns the indices in `people` of the opponents that the first of them can have, the best
    /// first, each with the goal of the others after it.
    pub(super) fn opponents(
        &self,
        people: &[EntrantId],
        goal: RoundGoal,
    ) -> Vec<(usize, RoundGoal)> {
        let mut candidates: Vec<_> = (1..people.len()).collect();
        // The sort is stable, so that equal ones stay in the order of the people.
        candidates.sort_by_key(|&index| self.key(people[0], people[index]));
        (candidates.into_iter())
            .filter_map(|index| Some((index, self.goal_after(people, index, goal)?)))
            .collect()
    }

    /// Returns the first element of [`SwissField::opponents`], and examines no more people than
    /// necessary. People must be ordered by their points.
    pub(super) fn best_opponent(
        &self,
        people: &[EntrantId],
        goal: RoundGoal,
    ) -> Option<(usize, RoundGoal)> {
        let needs = self.need_counts(people);
        let mut refused = HashSet::new();
        loop {
            let index = self.best_candidate(people, goal, needs, &refused)?;
            if let Some(next) = self.goal_after(people, index, goal) {
                return Some((index, next));
            }
            refused.insert(index);
        }
    }

    /// Returns the index of the best opponent of the first of `people` that is neither refused nor
    /// impossible without a maximum matching.
    fn best_candidate(
        &self,
        people: &[EntrantId],
        goal: RoundGoal,
        needs: NeedCounts,
        refused: &HashSet<usize>,
    ) -> Option<usize> {
        let (&one, others) = people.split_first()?;
        let mut best: Option<(usize, OpponentKey)> = None;
        for (index, &other) in (1..).zip(others) {
            if refused.contains(&index) {
                continue;
            }
            let key = self.key(one, other);
            if let Some((_, best_key)) = best {
                let (meetings, is_conflict, difference, is_preference_conflict) = best_key;
                let is_free = meetings <= self.min_meetings && !is_conflict;
                // The others have no smaller difference.
                if is_free && (!is_preference_conflict || key.2 > difference) {
                    break;
                }
                if key >= best_key {
                    continue;
                }
            }
            let after = needs.without([self.needs[one.0], self.needs[other.0]]);
            let is_impossible = goal == RoundGoal::NoConflict
                && (self.is_rematch(one, other)
                    || self.is_conflict(one, other)
                    || self.no_conflict(people.len() - 2, after) == Feasibility::Impossible);
            if !is_impossible {
                best = Some((index, key));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Returns the goal of the others if the first of `people` is paired with the one at `index`,
    /// `None` if that misses `goal`.
    fn goal_after(&self, people: &[EntrantId], index: usize, goal: RoundGoal) -> Option<RoundGoal> {
        let (one, other) = (people[0], people[index]);
        let mut rest = people[1..].to_vec();
        rest.remove(index - 1);
        let is_rematch = self.is_rematch(one, other);
        match goal {
            RoundGoal::NoConflict => {
                let is_reached = !is_rematch
                    && !self.is_conflict(one, other)
                    && self.is_possible_without_conflict(&rest);
                is_reached.then_some(goal)
            }
            RoundGoal::MinRematches(limit) => {
                let rematches = self.min_rematches(&rest);
                (usize::from(is_rematch) + rematches <= limit)
                    .then_some(RoundGoal::MinRematches(rematches))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah_arena::GameScore;
    use rand::seq::SliceRandom as _;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::record::{GamesPerPairing, PlayedGame, RoomRecord};

    /// Returns a room in which some rounds of random pairs were played.
    fn random_room(rng: &mut Pcg64Mcg) -> RoomRecord {
        let mut record = RoomRecord::new(GamesPerPairing::One);
        let mut people: Vec<_> = (0..2 * rng.random_range(1..15))
            .map(|_| record.enter())
            .collect();
        for round in 0..rng.random_range(0..8) {
            people.shuffle(rng);
            for pair in people.chunks(2) {
                let score = GameScore::ALL[rng.random_range(0..3)];
                let players = BySide::new(pair[0], pair[1]);
                record
                    .add_game(PlayedGame::new(round, players, Some(score)))
                    .expect("people of the room");
            }
        }
        record
    }

    /// Calls `check` with fields of random rooms and their people, the most points first.
    fn for_random_fields(check: impl Fn(&SwissField<'_>, &[EntrantId])) {
        for seed in 0..1000 {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let record = random_room(&mut rng);
            let history = PairingHistory::new(&record);
            let mut people: Vec<_> = record.active().collect();
            let field = SwissField::new(&history, &people);
            people.sort_by_key(|person| std::cmp::Reverse(history.half_points[person.0]));
            check(&field, &people);
        }
    }

    #[test]
    fn guaranteed_pairings_exist() {
        for_random_fields(|field, people| {
            // All even numbers of people at the bottom of the order.
            for people in (0..people.len()).step_by(2).map(|first| &people[first..]) {
                let half = people.len() / 2;
                let without_rematch = matching(people.len(), |one, other| {
                    !field.is_rematch(people[one], people[other])
                });
                assert_eq!(field.min_rematches(people), half - without_rematch.len());
                let without_conflict = matching(people.len(), |one, other| {
                    let (one, other) = (people[one], people[other]);
                    !field.is_rematch(one, other) && !field.is_conflict(one, other)
                });
                assert_eq!(
                    field.is_possible_without_conflict(people),
                    without_conflict.len() == half
                );
            }
        });
    }

    #[test]
    fn best_opponent_is_the_first_of_all() {
        for_random_fields(|field, people| {
            for goal in [field.goal(people), field.goal_without_sides(people)] {
                let all = field.opponents(people, goal);
                assert_eq!(field.best_opponent(people, goal), all.first().copied());
                assert!(!all.is_empty());
            }
        });
    }
}
