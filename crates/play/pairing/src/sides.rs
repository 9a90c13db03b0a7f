//! The sides that people have played, and the sides that they are due.

use std::cmp::Ordering;

use kalah::{BySide, Side};

use crate::record::EntrantId;

/// The maximum difference between the numbers of games as South and as North, and the maximum
/// number of games in a row on one side (FIDE Handbook C.04.1, articles 6 and 7).
pub(crate) const MAX_SIDE_EXCESS: usize = 2;

/// The sides of a person in the pairings so far, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SideHistory {
    sides: Vec<Side>,
    souths: usize,
}

impl SideHistory {
    /// Adds the side of the next pairing.
    pub(crate) fn add(&mut self, side: Side) {
        self.sides.push(side);
        self.souths += usize::from(side == Side::South);
    }

    fn count(&self, side: Side) -> usize {
        match side {
            Side::South => self.souths,
            Side::North => self.sides.len() - self.souths,
        }
    }

    /// Returns the number of games as South minus that as North, as an order: the lowest is due
    /// South.
    fn balance(&self) -> isize {
        let signed = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
        signed(self.count(Side::South)) - signed(self.count(Side::North))
    }

    /// Returns the number of games on this side since the last one on the other.
    fn run(&self, side: Side) -> usize {
        (self.sides.iter().rev())
            .take_while(|&&played| played == side)
            .count()
    }

    /// Returns the side that the person has to play, so that the difference stays within
    /// [`MAX_SIDE_EXCESS`] and no run is longer. The difference goes first.
    pub(crate) fn need(&self) -> Option<Side> {
        let limit = MAX_SIDE_EXCESS.cast_signed();
        if self.balance() >= limit {
            return Some(Side::North);
        }
        if self.balance() <= -limit {
            return Some(Side::South);
        }
        (Side::ALL.into_iter())
            .find(|&side| self.run(side) >= MAX_SIDE_EXCESS)
            .map(Side::opponent)
    }

    /// Returns the side that the person would rather play: the one that they need or have played
    /// less often, or after equal numbers the one that they did not play last. `None` before the
    /// first game.
    pub(crate) fn preference(&self) -> Option<Side> {
        self.need().or_else(|| match self.balance().cmp(&0) {
            Ordering::Less => Some(Side::South),
            Ordering::Greater => Some(Side::North),
            Ordering::Equal => self.sides.last().map(|side| side.opponent()),
        })
    }
}

/// Returns whether the two people would rather play the same side.
pub(crate) fn is_side_preference_conflict(one: &SideHistory, other: &SideHistory) -> bool {
    matches!((one.preference(), other.preference()), (Some(one), Some(other)) if one == other)
}

/// Returns the two people by side.
///
/// South goes to the person that needs it; then to the one with fewer games as South than as North,
/// compared with the other; then to the one that played North in the latest game in which their
/// sides differed, counted back from the last (FIDE Handbook C.04.3, article 5.2); then to
/// `default`.
pub(crate) fn sides_of_pair(
    histories: &[SideHistory],
    one: EntrantId,
    other: EntrantId,
    default: Side,
) -> BySide<EntrantId> {
    let (first, second) = (&histories[one.0], &histories[other.0]);
    let by_need = match (first.need(), second.need()) {
        (Some(one), Some(other)) if one == other => None,
        (Some(side), _) => Some(side),
        (None, other) => other.map(Side::opponent),
    };
    let by_balance = || match first.balance().cmp(&second.balance()) {
        Ordering::Less => Some(Side::South),
        Ordering::Greater => Some(Side::North),
        Ordering::Equal => None,
    };
    let by_last_difference = || {
        (first.sides.iter().rev().zip(second.sides.iter().rev()))
            .find(|(one, other)| one != other)
            .map(|(one, _)| one.opponent())
    };
    let side = by_need
        .or_else(by_balance)
        .or_else(by_last_difference)
        .unwrap_or(default);
    match side {
        Side::South => BySide::new(one, other),
        Side::North => BySide::new(other, one),
    }
}
