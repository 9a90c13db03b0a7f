//! The captures that a position offers, as an input of the network.

use super::network::MAX_HOUSES;

/// Pits of the longest lap: all houses and one store.
const MAX_LAP: usize = 2 * MAX_HOUSES + 1;

/// Returns the greatest number of seeds that the owner of the row `own` can capture with one
/// sowing, or 0 if there is no capture. Both rows have the same length, at most 26, and begin with
/// the house next to the store of their owner.
///
/// Captures of the last seed alone do not count, and neither do those of a whole lap or more.
#[inline]
pub(super) fn greatest_capture(own: &[u8], other: &[u8]) -> u8 {
    let houses = own.len();
    let lap = 2 * houses + 1;
    // A last seed falls as many pits below its house as the house has seeds, and into the own row
    // again after a lap: these are the seeds that it captures, by the pit counted from a lap below
    // the house next to the store.
    let mut captured = [0; MAX_LAP + MAX_HOUSES];
    for (last, (&own, &opposite)) in own.iter().zip(other.iter().rev()).enumerate() {
        if own == 0 {
            captured[last] = opposite.saturating_add(2);
            captured[lap + last] = if opposite == 0 {
                0
            } else {
                opposite.saturating_add(1)
            };
        }
    }
    let by_house = own.iter().enumerate().map(|(from, &seeds)| {
        let seeds = usize::from(seeds);
        if (1..lap).contains(&seeds) {
            captured[lap + from - seeds]
        } else {
            0
        }
    });
    by_house.max().unwrap_or(0)
}
