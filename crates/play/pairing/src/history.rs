//! The facts of a record on which pairings depend: points, meetings, byes and sides.

use std::collections::{BTreeMap, BTreeSet};

use kalah::{BySide, Side};

use crate::record::{EntrantId, RoomRecord};
use crate::sides::SideHistory;

/// The points, meetings, byes and sides of all people.
///
/// A game without a score counts nowhere. The two games of a pairing of a round are one meeting,
/// and the sides are those of the first.
pub(crate) struct PairingHistory {
    /// The points of each person, in halves. A bye counts as won games.
    pub(crate) half_points: Vec<u32>,
    /// The number of byes of each person.
    pub(crate) byes: Vec<u32>,
    /// The sides of each person.
    pub(crate) sides: Vec<SideHistory>,
    /// The players of each meeting by side, in the order of the record.
    pub(crate) players: Vec<BySide<EntrantId>>,
    /// For each person the number of meetings with each opponent.
    meetings: Vec<BTreeMap<EntrantId, u32>>,
}

/// The half points of a won game.
const WIN_HALVES: u32 = 2;

impl PairingHistory {
    /// Reads the record.
    pub(crate) fn new(record: &RoomRecord) -> Self {
        let people = record.entrant_count();
        let mut history = Self {
            half_points: vec![0; people],
            byes: vec![0; people],
            sides: vec![SideHistory::default(); people],
            players: Vec::new(),
            meetings: vec![BTreeMap::new(); people],
        };
        let mut paired = BTreeSet::new();
        for game in record.games() {
            let Some(score) = game.score else {
                continue;
            };
            let (south, north) = (game.players.south, game.players.north);
            history.half_points[south.0] += u32::from(score.half_points());
            history.half_points[north.0] += u32::from(score.mirrored().half_points());
            let is_first = game
                .round
                .is_none_or(|round| paired.insert((round, south.min(north), south.max(north))));
            if is_first {
                history.players.push(game.players);
                history.sides[south.0].add(Side::South);
                history.sides[north.0].add(Side::North);
                *history.meetings[south.0].entry(north).or_default() += 1;
                *history.meetings[north.0].entry(south).or_default() += 1;
            }
        }
        for bye in record.byes() {
            history.byes[bye.entrant.0] += 1;
            history.half_points[bye.entrant.0] += bye_halves(record);
        }
        history
    }

    /// Returns the number of times that the two people have met.
    pub(crate) fn meetings(&self, one: EntrantId, other: EntrantId) -> u32 {
        self.meetings[one.0].get(&other).copied().unwrap_or(0)
    }

    /// Returns the number of people among `field`, which is sorted, that a person has met more
    /// often than `meetings` times.
    pub(crate) fn opponents_above(
        &self,
        one: EntrantId,
        meetings: u32,
        field: &[EntrantId],
    ) -> usize {
        (self.meetings[one.0].iter())
            .filter(|&(other, &count)| count > meetings && field.binary_search(other).is_ok())
            .count()
    }

    /// Returns the smallest number of meetings of two people of `field`, which is sorted.
    pub(crate) fn min_meetings(&self, field: &[EntrantId]) -> u32 {
        let opponents = field.len().saturating_sub(1);
        let minimum = |&one: &EntrantId| {
            if self.opponents_above(one, 0, field) < opponents {
                return 0;
            }
            let others = field.iter().filter(|&&other| other != one);
            (others.map(|&other| self.meetings(one, other)).min()).unwrap_or(0)
        };
        field.iter().map(minimum).min().unwrap_or(0)
    }
}

/// Returns the half points of a bye: those of as many won games as a pairing has.
pub(crate) fn bye_halves(record: &RoomRecord) -> u32 {
    WIN_HALVES * u32::from(record.games_per_pairing().count())
}
